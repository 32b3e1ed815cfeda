"""Gravity from the holds of a log."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.data import Dataset, EffortKind
from dynident.data.signals.holds import gravity_samples
from dynident.dynamics import gravity, inverse_dynamics
from dynident.errors import InputError
from tests.facts import raises

RATE, HOLD, NOISE = 200, 100, 0.02
PLACES = np.random.default_rng(0).uniform(-1.2, 1.2, (30, 3))


def holds(noise: float = NOISE) -> Dataset:
    """A spatial arm that stands for half a second at each place and goes to the next in another half."""
    robot, share = load_robot("spatial_3r"), 0.5 * (1.0 - np.cos(np.pi * np.arange(HOLD) / HOLD))[:, None]
    parts = [np.repeat(PLACES[:1], HOLD, axis=0)]
    for here, there in pairwise(PLACES):
        parts += [here + (there - here) * share, np.repeat(there[None], HOLD, axis=0)]
    q = np.concatenate(parts)
    dq = np.gradient(q, 1 / RATE, axis=0)
    effort = inverse_dynamics(robot, robot.parameters, q, dq, np.gradient(dq, 1 / RATE, axis=0))
    effort += noise * np.random.default_rng(1).normal(size=q.shape)
    return Dataset(time=np.arange(len(q)) / RATE, q=q, effort=effort, effort_kind=EffortKind.TORQUE, source="holds")


def test_every_hold_is_one_sample_of_its_place_and_of_gravity_there():
    robot, samples = load_robot("spatial_3r"), gravity_samples(holds(noise=0.0))
    assert samples.samples == len(PLACES)
    np.testing.assert_allclose(samples.q, PLACES, atol=1e-12)
    np.testing.assert_allclose(samples.g, gravity(robot, robot.parameters, PLACES), atol=1e-12)
    assert samples.source.endswith("30 holds")


def test_the_mean_of_a_hold_has_the_noise_of_a_mean():
    """A hold of 100 samples without a block of 10 at either end has σ / √80; those at the ends of the log have √90."""
    robot, samples = load_robot("spatial_3r"), gravity_samples(holds())
    error = samples.g - gravity(robot, robot.parameters, PLACES)
    assert float(np.sqrt(np.mean(error**2))) == pytest.approx(NOISE / np.sqrt(80), rel=0.2)  # 90 numbers: 7.5 % one sigma


def test_what_is_masked_or_of_another_segment_does_not_enter():
    log = holds(noise=0.0)
    spoiled = log.effort.copy()
    spoiled[40:45] += 100.0
    mask = np.ones(log.q.shape, dtype=bool)
    mask[40:45, 1] = False
    samples = gravity_samples(replace(log, effort=spoiled, mask=mask))
    robot = load_robot("spatial_3r")
    np.testing.assert_allclose(samples.g, gravity(robot, robot.parameters, samples.q), atol=1e-12)
    cut = gravity_samples(replace(log, starts=(0, 50)))  # in the middle of the first hold
    assert cut.samples == len(PLACES) + 1


def test_gravity_of_a_log_is_identified_from_its_holds():
    robot = load_robot("spatial_3r")
    estimate = identify(robot, holds(), equations="gravity")
    truth = estimate.base.coefficients(robot.parameters)
    assert np.all(np.abs(estimate.values - truth) < 4.0 * estimate.std)
    assert "30 holds" in estimate.notes[0]


def test_a_log_that_never_stands_still_is_refused():
    t = np.arange(0.0, 5.0, 0.01)
    q = np.sin(t[:, None] * [2.0, 3.0, 4.0])
    robot = load_robot("spatial_3r")
    log = Dataset(time=t, q=q, effort=gravity(robot, robot.parameters, q), effort_kind=EffortKind.TORQUE)
    with raises(InputError, "gravity", "still", name="log"):
        identify(load_robot("spatial_3r"), log, equations="gravity", ignore_doctor=True)
    with raises(InputError, "current", "torque", remedy={"effort_gains": "14.9,-12.1", "identify_gains": ...}):
        identify(load_robot("spatial_3r"), replace(log, effort_kind="current"), equations="gravity")
    with raises(InputError, "inertia", "controller", name="equations"):
        identify(load_robot("spatial_3r"), log, equations="inertia", ignore_doctor=True)
