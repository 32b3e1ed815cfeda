"""Values on another clock, and efforts that were stamped late: what is exact, what noise becomes, what is cut and masked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset, shift_effort
from dynident.data.signals.clocks import values_at
from dynident.errors import ValueRangeError
from dynident.regression import identify
from tests.facts import raises
from tests.logs import synthetic_log

TIME = 0.01 * np.arange(200)


def log(effort: np.ndarray, **changes) -> Dataset:
    return Dataset(time=TIME, q=np.zeros((200, 2)), effort=effort, effort_kind="torque", **changes)


def test_quadratics_are_exact_and_samples_stay_as_they_are():
    y = np.column_stack([3.0 * TIME**2 - TIME + 2.0, np.ones(200)])
    wanted = np.random.default_rng(0).uniform(0.0, TIME[-1], 500)
    np.testing.assert_allclose(values_at(TIME, y, wanted)[:, 0], 3.0 * wanted**2 - wanted + 2.0, rtol=1e-12)
    noise = np.random.default_rng(1).normal(size=200)
    np.testing.assert_array_equal(values_at(TIME, noise, TIME), noise)


def test_noise_midway_is_as_documented():
    time = np.arange(100_000.0)
    between = values_at(time, np.random.default_rng(2).normal(size=len(time)), time[:-1] + 0.5)
    assert between.var() == pytest.approx(0.64, rel=0.02)


def test_a_delay_of_whole_periods_moves_samples_and_cuts_the_end():
    effort = np.random.default_rng(3).normal(size=(200, 2))
    late = shift_effort(log(effort), 0.03)
    np.testing.assert_array_equal(late.effort, effort[3:])
    np.testing.assert_array_equal(late.time, TIME[:-3])
    assert late.source == "efforts 0.03 s earlier"
    early = shift_effort(log(effort), -0.03)
    np.testing.assert_array_equal(early.effort, effort[:-3])
    np.testing.assert_array_equal(early.time, TIME[3:])
    each = shift_effort(log(effort), [0.02, -0.01])
    np.testing.assert_array_equal(each.effort, np.column_stack([effort[3:, 0], effort[:-3, 1]]))
    same = log(effort)
    assert shift_effort(same, 0.0) is same


def test_segments_are_shifted_on_their_own_and_short_ones_dropped():
    effort = np.random.default_rng(4).normal(size=(200, 2))
    shifted = shift_effort(log(effort, starts=(0, 100, 103)), 0.02)
    assert shifted.starts == (0, 98)
    np.testing.assert_array_equal(shifted.effort[:98], effort[2:100])
    np.testing.assert_array_equal(shifted.effort[98:], effort[105:])
    with raises(ValueRangeError, "[20.0, 20.0]", "longer", name="delay"):
        shift_effort(log(effort), 20.0)


def test_masked_samples_reach_no_other():
    effort, mask = np.ones((200, 2)), np.ones((200, 2), dtype=bool)
    effort[50, 0], mask[50, 0] = 1e6, False
    whole, half = (shift_effort(log(effort, mask=mask), delay) for delay in (0.02, 0.025))
    assert np.flatnonzero(~whole.mask[:, 0]).tolist() == [48, 50], "where it was, and where it is now"
    assert np.flatnonzero(~half.mask[:, 0]).tolist() == [46, 47, 48, 49, 50]
    assert np.all(half.effort[half.mask] == 1.0)


@pytest.mark.parametrize("rate", [60.0, 200.0])
def test_the_model_of_a_late_log_comes_back(rate):
    robot = load_robot("planar_2r")
    clean = synthetic_log(samples=3000, rate=rate)
    delay = 2.37 / rate
    late = replace(clean, effort=values_at(clean.time, clean.effort, np.maximum(clean.time - delay, 0.0)))
    expected = identify(robot, clean).values
    wrong, mended = (identify(robot, data).values for data in (late, shift_effort(late, delay)))
    error, rest = (float(np.linalg.norm(values - expected) / np.linalg.norm(expected)) for values in (wrong, mended))
    assert error > 0.01
    assert rest < 0.1 * error
