"""What `identify` decides where nothing is said, and how to say otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import Dataset, Estimate, identify, load_robot
from dynident.dynamics.friction import linear
from dynident.errors import InputError
from tests.facts import about, carries, raises
from tests.logs import synthetic_log, synthetic_samples

ROBOT = load_robot("planar_2r")


def same(one: Estimate, two: Estimate) -> bool:
    """To rounding: where rotors were tried and not found, their columns have been dropped from compressed rows."""
    return one.base.columns.names == two.base.columns.names and np.allclose(one.values, two.values, rtol=1e-10) and one.notes == two.notes


def without(*names: str, rate: float = 100.0) -> Dataset:
    return replace(synthetic_log(noise=0.05, rate=rate), **dict.fromkeys(names))


def test_a_complete_log_has_linear_friction_and_a_filter() -> None:
    log = synthetic_log(noise=0.05)
    assert same(identify(ROBOT, log), identify(ROBOT, log, friction=linear(), cutoff=5.0))
    assert identify(ROBOT, log, friction=None).base.friction is None
    assert identify(ROBOT, log, cutoff=None).summary.processing.cutoff_hz is None


def test_a_complete_log_that_the_filter_would_use_up_is_used_as_recorded() -> None:
    log = synthetic_log(noise=0.05, samples=250)
    found, unfiltered = identify(ROBOT, log), identify(ROBOT, log, cutoff=None)
    assert carries(found.notes[0], "half")
    assert (found.summary.processing.cutoff_hz, found.notes[1:]) == (None, unfiltered.notes)
    np.testing.assert_array_equal(found.values, unfiltered.values)
    short_segments = Dataset.concatenate([synthetic_log(noise=0.05, samples=250, seed=seed) for seed in range(6)])
    assert identify(ROBOT, short_segments).summary.processing.cutoff_hz is None


@pytest.mark.parametrize(("names", "what"), [(("ddq",), "no accelerations"), (("dq", "ddq"), "no velocities and no accelerations")])
def test_what_a_log_lacks_is_differentiated_behind_a_filter(names: tuple[str, ...], what: str) -> None:
    found = identify(ROBOT, without(*names))
    assert what in found.notes[0]
    assert carries(found.notes[0], "5 Hz")
    chosen = identify(ROBOT, without(*names), cutoff=5.0)
    np.testing.assert_array_equal(found.values, chosen.values)
    assert found.notes[1:] == chosen.notes
    noisy = without(*names)
    noisy = replace(noisy, q=noisy.q + 1e-4 * np.random.default_rng(0).normal(size=noisy.q.shape))
    unfiltered = identify(ROBOT, noisy, cutoff=None)
    assert not np.array_equal(found.values, unfiltered.values)
    assert about(unfiltered.notes, "no", "filter")


def test_a_slow_log_is_filtered_at_a_quarter_of_its_rate() -> None:
    assert carries(identify(ROBOT, without("ddq", rate=8.0)).notes[0], "2 Hz")
    assert identify(ROBOT, without(rate=8.0)).summary.processing.cutoff_hz == 2.0


def test_joints_that_the_data_name_are_put_into_the_robots_order() -> None:
    log = replace(synthetic_log(noise=0.05), joint_names=ROBOT.joint_names)
    turned = log.select(ROBOT.joint_names[::-1])
    assert same(identify(ROBOT, turned), identify(ROBOT, log))
    more = Dataset(
        time=log.time,
        joint_names=("gripper", *turned.joint_names),
        effort_kind=log.effort_kind,
        **{name: np.insert(getattr(turned, name), 0, 0.1, axis=1) for name in ("q", "dq", "ddq", "effort")},
    )
    np.testing.assert_array_equal(identify(ROBOT, more).values, identify(ROBOT, log).values)
    with raises(InputError, "extra", "columns", "order"):
        identify(ROBOT, turned, extra={"spring": turned.q})


def test_controller_samples_have_neither() -> None:
    found = identify(load_robot("spatial_3r"), synthetic_samples(noise=1e-3))
    assert (found.base.equations, found.base.friction) == ("controller", None)
    assert identify(load_robot("spatial_3r"), synthetic_samples(), equations="gravity").base.equations == "gravity"
