"""Parallel filtering: a linear map that is a zero-phase Butterworth, whole or block by block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import butter, sosfiltfilt

from dynident.data import ParallelFilter
from dynident.errors import ShapeError, ValueRangeError
from tests.facts import raises

PANDA = ParallelFilter(cutoff=5.0, rate_in=1000.0, rate_out=20.0)


def settings(**changes: float) -> ParallelFilter:
    return ParallelFilter(**{"cutoff": 8.0, "rate_in": 200.0, "rate_out": 40.0} | changes)


def test_the_response_is_odd_symmetric_and_passes_a_constant():
    assert len(PANDA.taps) % 2 == 1
    np.testing.assert_allclose(PANDA.taps, PANDA.taps[::-1], atol=1e-16)
    assert PANDA.taps.sum() == pytest.approx(1, abs=1e-14)
    assert np.abs(PANDA.taps[0]) >= 1e-10 * PANDA.taps.max()
    np.testing.assert_allclose(PANDA.apply(np.full(5000, 3.5)), 3.5, rtol=1e-13)


@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_it_is_the_forward_backward_butterworth(order):
    band = settings(order=order)
    x = np.random.default_rng(0).normal(size=(4000, 3)).cumsum(axis=0)
    expected = sosfiltfilt(butter(order, 8.0, fs=200.0, output="sos"), x, axis=0)[band.centres(4000)]
    inside = slice(40, -40)  # SciPy extrapolates at the edges
    np.testing.assert_allclose(band.apply(x)[inside], expected[inside], atol=1e-8 * np.abs(x).max())


def test_a_sinusoid_keeps_its_phase_and_loses_half_at_the_cutoff():
    t = np.arange(8000) / 1000.0
    for frequency in (0.5, 2.0, 5.0):
        for phase in (0.0, 1.0):
            x = np.sin(2 * np.pi * frequency * t + phase)
            # the bilinear transform warps frequencies a little, not at the cutoff
            gain = 1.0 / (1.0 + (np.tan(np.pi * frequency / 1000) / np.tan(np.pi * 5 / 1000)) ** 8)
            np.testing.assert_allclose(PANDA.apply(x), gain * x[PANDA.centres(8000)], atol=1e-7)


def test_straight_lines_pass():
    x = np.outer(np.arange(6000), [1.0, -0.3]) + 7
    np.testing.assert_allclose(PANDA.apply(x), x[PANDA.centres(6000)], rtol=1e-12)


def test_every_output_is_the_response_on_its_support():
    for rate_out in (200.0, 100.0, 30.0):
        band = settings(rate_out=rate_out)
        x = np.random.default_rng(1).normal(size=1500)
        expected = [band.taps @ x[band.output_support(k)] for k in range(band.valid(1500))]
        np.testing.assert_allclose(band.apply(x), expected, atol=1e-13)
        centres = [(band.output_support(k).start + band.output_support(k).stop - 1) // 2 for k in range(band.valid(1500))]
        assert band.centres(1500).tolist() == centres
        assert band.output_support(band.valid(1500) - 1).stop <= 1500 < band.output_support(band.valid(1500)).stop


@given(st.lists(st.integers(0, 700), min_size=1, max_size=12), st.sampled_from([200.0, 40.0, 17.0]))
def test_blocks_give_what_the_whole_gives(sizes, rate_out):
    band = settings(rate_out=rate_out)
    x = np.random.default_rng(2).normal(size=(2, 3, sum(sizes)))
    stream = band.stream()
    bounds = np.cumsum([0, *sizes])
    parts = [stream.push(x[..., a:b]) for a, b in pairwise(bounds)]
    outputs = np.concatenate([*parts, stream.finish()], axis=-1)
    assert outputs.shape == (2, 3, band.valid(sum(sizes)))
    if outputs.size:
        np.testing.assert_allclose(outputs, band.apply(x, axis=-1), atol=1e-13)


def test_overlapping_blocks_by_support_give_the_same():
    x = np.random.default_rng(3).normal(size=(9000, 4))
    whole = PANDA.apply(x)
    for first in range(0, PANDA.valid(9000), 25):
        last = min(first + 25, PANDA.valid(9000)) - 1
        block = x[PANDA.output_support(first).start : PANDA.output_support(last).stop]
        np.testing.assert_allclose(PANDA.apply(block), whole[first : last + 1], atol=1e-13)


def test_any_axis():
    x = np.random.default_rng(4).normal(size=(3, 2000, 2))
    band = settings()
    np.testing.assert_allclose(band.apply(x, axis=1)[1, :, 0], band.apply(x[1, :, 0]), atol=1e-14)


def test_a_blocks_memory_may_be_reused():
    band = settings()
    x = np.random.default_rng(5).normal(size=(2, 1000))
    stream, buffer, parts = band.stream(), np.empty((2, 50)), []
    for start in range(0, 1000, 50):
        buffer[:] = x[:, start : start + 50]
        parts.append(stream.push(buffer))
        buffer[:] = np.nan
    np.testing.assert_allclose(np.concatenate([*parts, stream.finish()], axis=1), band.apply(x, axis=1), atol=1e-13)


def test_white_noise_keeps_what_the_docstring_says():
    assert (PANDA.taps**2).sum() == pytest.approx(1.8 * 5 / 1000, rel=0.01)


def test_a_coarser_truncation_is_shorter_and_nearly_the_same():
    short = ParallelFilter(cutoff=5.0, rate_in=1000.0, rate_out=20.0, truncation=1e-4)
    assert PANDA.half_width == pytest.approx(1700, abs=50)
    assert short.half_width == pytest.approx(720, abs=50)
    missing = (PANDA.half_width - short.half_width, -(PANDA.half_width - short.half_width))
    np.testing.assert_allclose(short.taps, PANDA.taps[slice(*missing)], atol=1e-3 * PANDA.taps.max())


def test_rates():
    assert (PANDA.factor, PANDA.rate) == (50, 20.0)
    odd = settings(rate_out=45.0)
    assert (odd.factor, odd.rate) == (4, 50.0)


@pytest.mark.parametrize(
    ("changes", "name", "facts"),
    [
        ({"cutoff": 20.0}, "cutoff", (20, 0)),
        ({"cutoff": 0.0}, "cutoff", (0, 20)),
        ({"rate_out": 300.0}, "rate_out", (300, "rate_in", 200)),
        ({"rate_out": 0.0}, "rate_out", (0, 200)),
        ({"rate_in": float("nan")}, "rate_out", (40, "nan")),
        ({"order": 0}, "order", (0, 1)),
        ({"truncation": 1.0}, "truncation", (0, 1)),
    ],
)
def test_settings_are_checked(changes, name, facts):
    with raises(ValueRangeError, *facts, name=name):
        settings(**changes)


def test_a_response_that_would_not_fit_in_memory_is_refused():
    with raises(ValueRangeError, "1e+06", name="cutoff"):
        _ = ParallelFilter(cutoff=1e-3, rate_in=1e6, rate_out=1.0).taps


def test_a_short_log_and_changing_blocks_are_refused():
    with raises(ValueRangeError, 100, len(PANDA.taps), name="samples"):
        PANDA.apply(np.zeros(100))
    stream = settings().stream()
    stream.push(np.zeros((3, 10)))
    with raises(ShapeError, 3, name="block", shape=(2, 10)):
        stream.push(np.zeros((2, 10)))
    assert settings().stream().finish().shape == (0,)


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs extended precision")
@pytest.mark.parametrize(("rate_in", "rate_out", "order"), [(1000.0, 20.0, 4), (500.0, 20.0, 2), (5000.0, 20.0, 8), (100.0, 20.0, 4)])
def test_the_low_rank_of_its_taps_costs_no_digit(rate_in: float, rate_out: float, order: int) -> None:
    """Against the sum over all taps in extended precision: a few roundings of the largest sample."""
    low_pass = ParallelFilter(cutoff=5.0, rate_in=rate_in, rate_out=rate_out, order=order, truncation=1e-4)
    assert (low_pass.projection is not None) == (low_pass.factor >= 25)
    x = np.random.default_rng(0).normal(size=3 * len(low_pass.taps))
    exact = np.convolve(x.astype(np.longdouble), low_pass.taps.astype(np.longdouble), mode="valid")[:: low_pass.factor]
    assert float(np.abs(low_pass.apply(x) - exact).max()) < 4.0 * np.finfo(float).eps * float(np.abs(x).max())
