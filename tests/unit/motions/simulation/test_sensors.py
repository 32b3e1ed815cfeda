"""Sensors: each level is what comes out, each option changes what it says and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.data import EffortKind
from dynident.errors import ValueRangeError
from dynident.motions.simulation import NOISES, Clock, Noise, Sensors

TIME = np.arange(20_000) / 1000.0
Q = np.sin(0.8 * TIME)[:, None] * [1.0, -0.5]
DQ = 0.8 * np.cos(0.8 * TIME)[:, None] * [1.0, -0.5]
EFFORT = 20.0 * Q


def record(sensors: Sensors, seed: int = 0):
    return sensors.record(TIME, Q, DQ, EFFORT, seed=seed, joint_names=("a", "b"), source="test")


def test_white_and_coloured_noise_have_their_levels_and_memory():
    noise = Noise(white=0.1).draw(np.random.default_rng(0), (50_000, 2), 1e-3)
    assert noise.std(axis=0) == pytest.approx([0.1, 0.1], rel=0.02)
    assert np.abs(np.mean(noise[1:] * noise[:-1], axis=0)).max() < 2e-4
    coloured = Noise(coloured=(0.1, 0.3), correlation_time=0.004).draw(np.random.default_rng(0), (50_000, 2), 1e-3)
    assert coloured.std(axis=0) == pytest.approx([0.1, 0.3], rel=0.05)
    memory = np.mean(coloured[1:] * coloured[:-1], axis=0) / coloured.var(axis=0)
    assert memory == pytest.approx(np.exp(-0.25), abs=0.02)


def test_coloured_noise_starts_at_its_level():
    first = [Noise(coloured=1.0, correlation_time=1.0).draw(np.random.default_rng(s), (2, 1), 1e-3)[0, 0] for s in range(2000)]
    assert np.std(first) == pytest.approx(1.0, rel=0.06)


def test_encoder_steps_and_digits():
    log = record(Sensors(position_step=1e-3))
    np.testing.assert_allclose(log.q / 1e-3, np.round(log.q / 1e-3), atol=1e-9)
    assert np.abs(log.q - Q).max() <= 0.5e-3 + 1e-12
    np.testing.assert_array_equal(log.dq, DQ)
    rounded = record(Sensors(digits=2))
    np.testing.assert_array_equal(rounded.effort, np.round(EFFORT, 2))


def test_bias_currents_and_magnitudes():
    np.testing.assert_allclose(record(Sensors(torque_bias=(1.0, -2.0))).effort, EFFORT + np.array([1.0, -2.0]))
    current = record(Sensors(current_gains=(2.0, -4.0)))
    assert current.effort_kind is EffortKind.CURRENT
    np.testing.assert_allclose(current.effort, EFFORT / [2.0, -4.0])
    magnitude = record(Sensors(unsigned=True, torque=Noise(white=1.0)))
    assert magnitude.effort_kind is EffortKind.MAGNITUDE
    assert magnitude.effort.min() >= 0.0


def test_one_level_changes_only_its_own_signal():
    quiet, loud = (record(Sensors(velocity=Noise(white=1e-3), torque=Noise(white=level)), seed=4) for level in (0.1, 0.2))
    np.testing.assert_array_equal(quiet.dq, loud.dq)
    np.testing.assert_allclose(loud.effort - EFFORT, 2 * (quiet.effort - EFFORT), atol=1e-12)


def test_the_realistic_clock_is_like_the_recorded_one():
    log = record(NOISES["realistic"](np.array([87.0, 12.0])))
    periods = np.diff(log.time)
    ordinary = periods[periods < 4e-3]
    assert 0.69e-3 < periods.min() < 0.75e-3
    assert np.median(ordinary) == pytest.approx(1.0e-3, rel=0.03)
    assert ordinary.std() == pytest.approx(0.17e-3, rel=0.1)
    assert np.percentile(ordinary, 99) == pytest.approx(1.6e-3, rel=0.1)
    assert 1 <= np.sum(periods > 4e-3) <= 12
    assert periods.max() < 9.5e-3


def test_a_row_holds_the_latest_values_at_its_stamp():
    log = record(Sensors(clock=Clock(jitter=0.2)))
    latest = np.searchsorted(TIME, log.time, "right") - 1
    behind = log.time - TIME[latest]
    assert behind.min() >= 0.0
    assert behind.max() < 1e-3
    np.testing.assert_array_equal(log.q, Q[latest])


def test_lost_samples_on_a_regular_clock():
    log = record(Sensors(clock=Clock(gaps=1e-3, gap_length=5)))
    periods = np.round(np.diff(log.time) / 1e-3).astype(int)
    assert set(periods) >= {1, 6}
    assert log.samples == pytest.approx(20_000 * (1 - 5e-3), rel=0.005)


def test_realistic_torque_noise_is_a_share_of_the_scale():
    scale = np.array([87.0, 12.0])
    noise = NOISES["realistic"](scale).torque.draw(np.random.default_rng(1), (40_000, 2), 1e-3)
    assert noise.std(axis=0) / scale == pytest.approx([0.00403, 0.00403], rel=0.05)
    assert NOISES["none"](scale) == Sensors()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Noise(white=-1.0),
        lambda: Noise(coloured=(np.nan, 1.0)),
        lambda: Clock(jitter=0.9),
        lambda: Clock(gaps=2.0),
        lambda: Clock(gap_length=0),
        lambda: Sensors(position_step=-1e-4),
        lambda: Sensors(current_gains=(1.0, 0.0)),
    ],
)
def test_impossible_levels_are_refused(make):
    with pytest.raises(ValueRangeError):
        make()


def test_a_log_can_hold_the_magnitude_of_currents():
    magnitude = record(Sensors(current_gains=(2.0, -4.0), unsigned=True))
    assert magnitude.effort_kind is EffortKind.CURRENT_MAGNITUDE
    np.testing.assert_allclose(magnitude.effort, np.abs(EFFORT) / [2.0, 4.0])
