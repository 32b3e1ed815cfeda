"""Processing: identities that each step must keep, and that no step mixes segments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.data import (
    Dataset,
    decimate,
    differentiate,
    low_pass,
    mask_saturation,
    mask_standstill,
    resample,
    savitzky_golay,
    trim,
)
from dynident.errors import ShapeError, UnknownNameError, ValueRangeError
from tests.facts import carries, raises

STEPS = {
    "differentiate": differentiate,
    "low_pass": lambda data: low_pass(data, 5.0),
    "savitzky_golay": lambda data: savitzky_golay(data, 11, 3),
    "trim": lambda data: trim(data, 0.1),
    "decimate": lambda data: decimate(data, 3),
    "resample": lambda data: resample(data, 80.0),
}


def polynomial(coefficients: np.ndarray, time: np.ndarray, order: int = 0) -> np.ndarray:
    """(N, n) values of the polynomials in the columns of coefficients, lowest power first, or their derivatives."""
    return np.stack([np.polynomial.Polynomial(c).deriv(order)(time) for c in coefficients.T], axis=1)


def log(samples: int = 300, seed: int = 0, time: np.ndarray | None = None, **changes: object) -> Dataset:
    rng = np.random.default_rng(seed)
    stamps = 0.01 * np.arange(samples) if time is None else time
    content: dict = {
        "time": stamps,
        "q": rng.normal(size=(len(stamps), 2)),
        "effort": rng.normal(size=(len(stamps), 2)),
        "effort_kind": "torque",
    }
    return Dataset(**content | changes)


@pytest.mark.parametrize("name", STEPS)
def test_segments_never_mix(name):
    first, second = log(300, 0, source="log"), log(200, 1, source="log")
    together = STEPS[name](Dataset.concatenate([first, second]))
    apart = Dataset.concatenate([STEPS[name](first), STEPS[name](second)])
    assert together.starts == apart.starts
    for signal in ("time", "q", "dq", "ddq", "effort"):
        if getattr(apart, signal) is not None:
            np.testing.assert_array_equal(getattr(together, signal), getattr(apart, signal))


@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_written_into_the_source_and_leaves_its_input_alone(name):
    data = log(source="arm.csv")
    before = np.array(data.q)
    assert STEPS[name](data).source.startswith("arm.csv, ")
    np.testing.assert_array_equal(data.q, before)


@given(st.integers(0, 1000))
def test_derivatives_of_quadratics_are_exact_on_any_clock(seed):
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.uniform(0.005, 0.02, size=40))
    c = rng.normal(size=(3, 2))
    data = differentiate(log(time=time, q=polynomial(c, time)))
    np.testing.assert_allclose(data.dq, polynomial(c, time, 1), atol=1e-9)
    np.testing.assert_allclose(data.ddq, polynomial(c, time, 2), atol=1e-7)


def test_what_was_measured_is_not_replaced():
    data = log(dq=np.ones((300, 2)))
    made = differentiate(data)
    assert made.dq is not None
    np.testing.assert_array_equal(made.dq, 1)
    np.testing.assert_allclose(made.ddq, 0, atol=1e-12)
    assert differentiate(made) is made


def test_differences_amplify_noise_as_documented():
    data = differentiate(log(20000))
    assert data.dq[1:-1].std() == pytest.approx(1 / (np.sqrt(2) * 0.01), rel=0.02)


@pytest.mark.parametrize("smooth", [lambda data: low_pass(data, 5.0), lambda data: savitzky_golay(data, 21, 2)])
def test_constants_and_straight_lines_pass(smooth):
    time = 0.01 * np.arange(400)
    line = polynomial(np.array([[1.0, -2.0], [0.5, 3.0]]), time)
    data = smooth(log(time=time, q=line, effort=np.full((400, 2), 4.2)))
    np.testing.assert_allclose(data.q[50:-50], line[50:-50], atol=1e-6)
    np.testing.assert_allclose(data.effort, 4.2, rtol=1e-9)


def test_a_low_pass_has_no_delay():
    time = 0.01 * np.arange(1000)
    slow = np.sin(2 * np.pi * 0.5 * time)[:, None] * [1, 2]
    fast = np.sin(2 * np.pi * 30.0 * time)[:, None] * [1, 1]
    data = low_pass(log(time=time, q=slow + fast), 5.0)
    np.testing.assert_allclose(data.q[100:-100], slow[100:-100], atol=1e-5)


def test_each_signal_has_a_low_pass_of_its_own():
    data = log(2000)
    found = low_pass(data, {"q": 2.0, "effort": [5.0, 10.0]})
    np.testing.assert_array_equal(found.q, low_pass(data, 2.0).q)
    np.testing.assert_array_equal(found.effort[:, 0], low_pass(data, 5.0).effort[:, 0])
    np.testing.assert_array_equal(found.effort[:, 1], low_pass(data, 10.0).effort[:, 1])
    assert carries(found.source, "q", 2, "effort", 5, 10, 4)
    only = low_pass(data, {"effort": 2.0})
    np.testing.assert_array_equal(only.q, data.q)
    with raises(UnknownNameError, "q", "effort", name="dq"):
        low_pass(data, {"dq": 2.0})
    with raises(ValueRangeError, name="cutoff of q"):
        low_pass(data, {"q": -1.0})
    with raises(ShapeError, 2, name="cutoff of q", shape=(3,)):
        low_pass(data, {"q": [1.0, 2.0, 3.0]})


def test_a_filtered_magnitude_is_one():
    data = log(2000)
    found = low_pass(replace(data, effort=np.abs(data.effort) ** 4, effort_kind="magnitude"), {"effort": 20.0})
    assert found.effort.min() == 0.0


def test_masked_garbage_does_not_reach_a_low_pass():
    data = log(2000, q=np.zeros((2000, 2)), effort=np.zeros((2000, 2)))
    mask = np.ones((2000, 2), dtype=bool)
    mask[900:1000] = False
    spoiled = replace(data, q=np.where(mask, 0.0, 1e6), effort=np.where(mask, 0.0, -1e6), mask=mask)
    found = low_pass(spoiled, 5.0)
    np.testing.assert_array_equal(found.q, 0.0)
    np.testing.assert_array_equal(found.effort, 0.0)


def test_low_pass_noise_is_as_documented():
    data = low_pass(log(50000), 5.0)
    assert data.q.var() == pytest.approx(1.8 * 5 / 100, rel=0.1)


def test_savitzky_golay_passes_its_polynomials_and_their_derivatives():
    time = 0.01 * np.arange(100)
    c = np.array([[1.0, 0], [2, 1], [-3, 4], [5, -6]])
    data = savitzky_golay(log(time=time, q=polynomial(c, time)), 15, 3)
    np.testing.assert_allclose(data.q, polynomial(c, time), atol=1e-9)
    np.testing.assert_allclose(data.dq, polynomial(c, time, 1), atol=1e-8)
    np.testing.assert_allclose(data.ddq, polynomial(c, time, 2), atol=1e-6)
    measured = savitzky_golay(log(time=time, q=polynomial(c, time), dq=polynomial(c, time, 1)), 15, 3)
    np.testing.assert_allclose(measured.ddq, polynomial(c, time, 2), atol=1e-8)


def test_savitzky_golay_noise_is_as_documented():
    data = savitzky_golay(log(50000), 41, 2)
    assert data.q.var() == pytest.approx(9 / (4 * 41), rel=0.05)
    assert data.dq.std() == pytest.approx(np.sqrt(12) / (41**1.5 * 0.01), rel=0.05)


def test_filters_want_a_uniform_clock_and_enough_samples():
    jittery = log(time=np.cumsum(np.random.default_rng(0).uniform(0.005, 0.02, size=100)))
    for smooth in (lambda data: low_pass(data, 5.0), lambda data: savitzky_golay(data, 11, 3)):
        with raises(ValueRangeError, "1%", name="time"):
            smooth(jittery)
    with raises(ValueRangeError, 1, 5, 16, name="segment"):
        low_pass(log(100, starts=(0, 95)), 5.0)
    with raises(ValueRangeError, 0, 2, 3, name="segment"):
        differentiate(log(100, starts=(0, 2)))
    with raises(ValueRangeError, 60, 0, "rate", 50, name="cutoff"):
        low_pass(log(), 60.0)


def test_savitzky_golay_is_checked():
    for window, degree in ((10, 2), (3, 3), (5, -1)):
        with raises(ValueRangeError, "degree", name="window"):
            savitzky_golay(log(), window, degree)
    with raises(ValueRangeError, 1, 2, name="polynomial"):
        savitzky_golay(log(), 11, 1)


def test_trimming_takes_both_edges_of_every_segment():
    data = trim(log(300, starts=(0, 100, 110)), 0.1)
    assert data.samples == 80 + 170
    assert data.starts == (0, 80)
    assert data.time[0] == pytest.approx(0.1)
    assert data.time[-1] == pytest.approx(2.89)
    np.testing.assert_array_equal(trim(log(), 0.0).q, log().q)
    with raises(ValueRangeError, "segment", 2, name="seconds"):
        trim(log(), 2.0)
    with raises(ValueRangeError, -1, name="seconds"):
        trim(log(), -1)


def test_decimation_starts_anew_in_each_segment():
    data = decimate(log(100, starts=(0, 51), mask=np.arange(200).reshape(100, 2) % 4 > 0), 10)
    original = log(100)
    np.testing.assert_array_equal(data.q, original.q[[*range(0, 51, 10), *range(51, 100, 10)]])
    assert data.starts == (0, 6)
    assert data.mask.shape == (11, 2)
    with raises(ValueRangeError, 0, name="factor"):
        decimate(log(), 0)


def test_masks_only_take_away():
    dq = np.linspace(-1, 1, 300)[:, None] * [1, 2]
    data = mask_standstill(log(dq=dq), [0.5, 0.0])
    np.testing.assert_array_equal(data.mask[:, 0], np.abs(dq[:, 0]) >= 0.5)
    assert data.mask[:, 1].all()
    both = mask_saturation(data, 1.0)
    np.testing.assert_array_equal(both.mask, data.mask & (np.abs(data.effort) < 1.0))
    with raises(ValueRangeError, "missing", "standstill", name="dq"):
        mask_standstill(log(), 0.1)
    with raises(ValueRangeError, "missing", "saturation", name="effort"):
        mask_saturation(replace(log(), effort=None), 1.0)
    with raises(ShapeError, 2, name="limits", shape=(3,)):
        mask_saturation(data, [1, 2, 3])
    with raises(ValueRangeError, -0.1, name="speed"):
        mask_standstill(data, -0.1)
