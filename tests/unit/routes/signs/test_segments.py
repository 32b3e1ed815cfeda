"""Segments against signals whose zeros and reversals are known."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.data import Dataset, EffortKind
from dynident.routes.signs.segments import Segment, find_reversals, runs, split_segments

RATE = 100.0


def log_of(torque: np.ndarray, velocity: np.ndarray, *, starts: tuple[int, ...] = (0,)) -> Dataset:
    time = np.arange(len(torque)) / RATE
    arrays = {"q": np.cumsum(velocity, axis=0) / RATE, "dq": velocity, "ddq": np.gradient(velocity, axis=0) * RATE}
    return Dataset(time=time, effort=np.abs(torque), effort_kind=EffortKind.MAGNITUDE, starts=starts, **arrays)


def split(torque: np.ndarray, velocity: np.ndarray, *, noise: float = 1e-3, threshold: float = 0.05, **more) -> tuple[Segment, ...]:
    log = log_of(torque[:, None], velocity[:, None], **more)
    return split_segments(log, log, np.array([noise]), np.array([threshold]))


def one_sign(segments: tuple[Segment, ...], torque: np.ndarray) -> bool:
    return all(len(set(np.sign(torque[item.samples]))) == 1 for item in segments)


def test_a_sine_is_cut_at_its_zeros():
    time = np.arange(1000) / RATE
    torque = np.sin(2.0 * np.pi * 0.35 * time + 0.2)
    segments = split(torque, np.ones(1000))
    crossings = np.flatnonzero(np.diff(np.sign(torque)))
    assert len(segments) == len(crossings) + 1
    assert one_sign(segments, torque)
    inside = sum(item.stop - item.start for item in segments)
    assert inside == np.sum(np.abs(torque) > 0.05)


def test_a_torque_that_touches_no_zero_is_one_segment():
    time = np.arange(1000) / RATE
    assert split(3.0 + np.sin(time), np.ones(1000)) == (Segment(0, 0, 1000),)


def test_a_leap_of_friction_is_cut_where_the_joint_turns_back():
    time = np.arange(1000) / RATE
    velocity = np.cos(2.0 * np.pi * 0.2 * time + 0.1)
    torque = np.sign(velocity)  # |τ| is constant, and shows nothing of the changes
    segments = split(torque, velocity)
    assert len(segments) == len(find_reversals(velocity)) + 1 == 5
    assert one_sign(segments, torque)


def test_noise_does_not_cut_a_segment_and_a_recording_s_end_does():
    rng = np.random.default_rng(0)
    time = np.arange(2000) / RATE
    torque = np.sin(2.0 * np.pi * 0.1 * time + 0.3) + 0.02 * rng.normal(size=2000)
    segments = split(torque, np.ones(2000), noise=0.02, threshold=0.06)
    assert len([item for item in segments if item.stop - item.start > 20]) == 5
    parts = split(torque, np.ones(2000), noise=0.02, threshold=0.06, starts=(0, 250))
    assert all(item.stop <= 250 or item.start >= 250 for item in parts)


def test_reversals_are_the_first_samples_in_the_other_direction_and_trembling_at_rest_is_none():
    time = np.arange(600) / RATE
    velocity = np.cos(2.0 * np.pi * 0.25 * time)
    found = find_reversals(velocity)
    np.testing.assert_allclose(time[found], [1.0, 3.0, 5.0], atol=1.5 / RATE)
    resting = np.concatenate([np.ones(100), 1e-3 * np.random.default_rng(1).normal(size=100), np.ones(100)])
    assert len(find_reversals(resting)) == 0


@pytest.mark.parametrize(
    ("chosen", "cuts", "expected"),
    [
        ([1, 1, 1, 1], [], [(0, 4)]),
        ([1, 1, 1, 1], [2], [(0, 2), (2, 4)]),
        ([0, 1, 1, 0, 1], [], [(1, 3), (4, 5)]),
        ([0, 0], [1], []),
    ],
)
def test_runs(chosen, cuts, expected):
    assert list(runs(np.array(chosen, dtype=bool), np.array(cuts, dtype=np.int64))) == expected
