"""Joints at rest are told by their positions; those that turn back, or are only slow, are not at rest."""

from __future__ import annotations

import numpy as np

from dynident.data import Dataset
from dynident.data.signals.rest import BLOCK, find_rest

RATE = 200.0


def moves_and_pauses(noise: float = 0.0) -> tuple[Dataset, np.ndarray]:
    """A joint that moves for a second and pauses for a second, five times; another that swings all the time; and when the first pauses."""
    time = np.arange(2000) / RATE
    s = np.clip(time % 2.0, 0.0, 1.0)
    pauses = time % 2.0 >= 1.0
    first = np.floor(time / 2.0) + s - np.sin(2 * np.pi * s) / (2 * np.pi)
    second = np.sin(2 * np.pi * 0.5 * time)
    q = np.stack([first, second], axis=1) + noise * np.random.default_rng(0).normal(size=(2000, 2))
    return Dataset(time=time, q=q), pauses


def test_pauses_are_found_and_reversals_are_not():
    for noise in (0.0, 1e-4):
        data, pauses = moves_and_pauses(noise)
        resting = find_rest(data)
        assert not resting[:, 1].any()
        inner = pauses & np.roll(pauses, 20) & np.roll(pauses, -20)
        assert resting[inner, 0].all()
        moving = ~pauses & ~np.roll(pauses, 40) & ~np.roll(pauses, -40)
        assert not resting[moving, 0].any()


def test_pauses_end_at_the_end_of_a_segment():
    data, pauses = moves_and_pauses()
    middle = int(np.flatnonzero(pauses)[100])
    parted = Dataset(time=data.time, q=np.where(np.arange(2000)[:, None] < middle, data.q, data.q + 5.0), starts=(0, middle))
    resting = find_rest(parted)
    assert resting[middle + 5, 0]
    assert resting[middle - 5 - round(BLOCK * RATE), 0]


def test_a_joint_that_never_moves_but_for_its_noise_rests_and_a_slow_one_does_not():
    rng = np.random.default_rng(0)
    time = np.arange(4000) / RATE
    noise = 1e-4 * rng.normal(size=(4000, 4))
    q = noise + np.outer(time, [0.0, 1e-3, 0.0, 0.0]) + np.outer(np.sin(time), [0.0, 0.0, 1.0, 0.0])
    q[:, 3] = 1e-3 * np.round(q[:, 3] / 1e-3 + 0.4)  # between two steps of an encoder
    resting = find_rest(Dataset(time=time, q=q))
    assert resting.all(axis=0).tolist() == [True, False, False, True]
    assert resting[:, 1].mean() < 0.1


def test_a_log_shorter_than_a_rest_has_none():
    assert not find_rest(Dataset(time=[0.0, 0.01, 0.02], q=np.zeros((3, 2)))).any()
