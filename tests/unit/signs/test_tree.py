"""The report's tree: its segments, that a beam of all hypotheses is exact, and nodes by retrieval."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.sign_cases import make_case
from dynident.errors import ValueRangeError
from dynident.signs import Magnitudes, SearchSettings, prepare_magnitudes, search_signs
from dynident.signs.methods.tree import average, discard_near_zero
from dynident.signs.sign_cost import search_levels, sign_cost


@cache
def magnitudes() -> Magnitudes:
    case = make_case("1r", 3, friction=False, noise=0.005, trajectories=1, seconds=6.0, base=0.15)
    return prepare_magnitudes(case.described, case.log, friction=None)


def test_a_tenth_of_the_samples_is_left_out_and_runs_are_segments():
    found = discard_near_zero(magnitudes(), 0.1)
    kept = np.zeros(magnitudes().log.samples, dtype=bool)
    for segment in found:
        assert not kept[segment.samples].any()
        kept[segment.samples] = True
        assert segment.start == 0 or not kept[segment.start - 1]
    assert kept.mean() == pytest.approx(0.9, abs=0.005)
    smooth = average(magnitudes().b[:, 0])
    assert smooth[~kept].max() <= smooth[kept].min()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_beam_that_keeps_everything_is_exact(seed):
    found = search_signs(magnitudes(), method="tree", own={"width": 4096}, settings=SearchSettings(seed=seed))
    count = len(found.segments)
    assert len(found.costs) == 2 ** (count - 1)
    own = replace(magnitudes(), segments=found.segments)
    quiet = own.segment_of < 0  # which the tree leaves out altogether
    own = replace(own, log=replace(own.log, mask=np.isin(np.arange(own.log.samples), own.working[quiet[:, 0]], invert=True)[:, None]))
    np.testing.assert_allclose(found.costs, sign_cost(own, search_levels(own)).cost(found.signs), rtol=1e-4)


def test_nodes_by_retrieval_find_the_global_sign_too():
    plain = search_signs(magnitudes(), method="tree")
    found = search_signs(magnitudes(), method="tree", own={"nodes": "pbrp", "width": 2})
    assert len(found.costs) == 2
    np.testing.assert_array_equal(np.abs(found.signs[0] @ plain.signs[0]), len(plain.segments))
    gravity = magnitudes().log.q[:, 0]  # a pendulum's torque has the sign of sin q where it moves slowly
    slow = [k for k, segment in enumerate(found.segments) if segment.stop - segment.start > 50]
    assert all(found.signs[0, k] == np.sign(np.sin(gravity[found.segments[k].samples]).sum()) for k in slow)


@pytest.mark.parametrize("own", [{"width": 0}, {"discard": 100.0}, {"discard": -1.0}])
def test_impossible_options_are_refused(own):
    with pytest.raises(ValueRangeError, match="was expected"):
        search_signs(magnitudes(), method="tree", own=own)
