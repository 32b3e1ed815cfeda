"""Resampling: exact where the interpolation is, on the grid, and never across a gap."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.data import Dataset, is_uniform, resample
from dynident.errors import ValueRangeError
from tests.facts import carries, raises


def jittery(samples: int, seed: int = 0) -> np.ndarray:
    return 5.0 + np.cumsum(np.random.default_rng(seed).uniform(0.004, 0.016, size=samples))


def cubic(time: np.ndarray, order: int = 0) -> np.ndarray:
    p = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.8])
    return np.stack([p.deriv(order)(time - 5.0), -p.deriv(order)(time - 5.0)], axis=1)


def log(time: np.ndarray, **changes: object) -> Dataset:
    content: dict = {"time": time, "q": cubic(time), "dq": cubic(time, 1), "effort": np.outer(time, [2.0, -1.0]), "effort_kind": "torque"}
    return Dataset(**content | changes)


@given(st.integers(0, 1000), st.floats(20, 400))
def test_cubics_with_measured_velocity_and_straight_lines_are_exact(seed, rate):
    time = jittery(60, seed)
    data = resample(log(time), rate)
    np.testing.assert_allclose(np.diff(data.time), 1 / rate, rtol=1e-9)
    assert time[0] == data.time[0]
    assert time[-1] - 1 / rate < data.time[-1] <= time[-1] + 1e-8
    np.testing.assert_allclose(data.q, cubic(data.time), atol=1e-11)
    np.testing.assert_allclose(data.effort, np.outer(data.time, [2, -1]), atol=1e-11)


def test_velocities_use_accelerations():
    data = resample(log(jittery(100), ddq=cubic(jittery(100), 2)), 100)
    np.testing.assert_allclose(data.dq, cubic(data.time, 1), atol=1e-11)


def test_a_uniform_log_is_left_alone():
    data = log(np.arange(100) / 64.0)
    assert is_uniform(data)
    assert resample(data) is data
    assert resample(data, 64.0) is data
    assert resample(data, 32.0).samples == 50


def test_the_default_is_the_median_rate():
    data = resample(log(jittery(200)))
    assert is_uniform(data)
    assert data.rate == pytest.approx(log(jittery(200)).rate)
    assert not is_uniform(log(jittery(200)))


def test_a_gap_is_not_bridged(caplog):
    time = 0.01 * np.arange(200)
    time[80:] += 0.5
    time[120:] += 0.5
    time[121:] += 0.5  # a sample on its own
    with caplog.at_level(logging.INFO, logger="dynident"):
        data = resample(log(time, q=np.ones((200, 2)), dq=np.zeros((200, 2)), source="arm"), 100.0)
    assert [segment.stop - segment.start for segment in data.segments] == [80, 40, 79]
    assert carries(data.source, "arm", 100, 3, "gaps", 0.1)
    assert carries(caplog.text, 3, "gaps")
    whole = resample(log(time, q=np.ones((200, 2)), dq=np.zeros((200, 2))), 100.0, gap=100.0)
    assert len(whole.starts) == 1


def test_masks_need_both_neighbours():
    time = np.array([0.0, 0.9, 2.1, 3.0, 4.0])
    mask = np.array([1, 1, 0, 1, 1], dtype=bool)[:, None] & np.ones(2, dtype=bool)
    data = resample(Dataset(time=time, q=np.zeros((5, 2)), mask=mask), 1.0)
    assert data.mask[:, 0].tolist() == [True, False, False, True, True]


def test_linear_interpolation_halves_the_variance_midway():
    rng = np.random.default_rng(0)
    data = Dataset(time=np.arange(20001.0), q=rng.normal(size=(20001, 1)))
    between = resample(data, 2.0).q[1::2]
    assert between.var() == pytest.approx(0.5, rel=0.03)


def test_nonsense_is_refused():
    with raises(ValueRangeError, 0, name="rate"):
        resample(log(jittery(20)), 0.0)
    with raises(ValueRangeError, 1, "one", 0.191, name="rate"):
        resample(log(jittery(20)), 1.0)
    with raises(ValueRangeError, 0.1, name="time"):
        resample(log(jittery(20)), 100.0, gap=0.1)
