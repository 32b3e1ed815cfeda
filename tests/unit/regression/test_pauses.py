"""A log with pauses: a velocity that trembles at rest makes no friction."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import Dataset, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import FRICTION_MODELS, Motion, PerJoint, Viscous, friction_model, friction_torque, linear
from dynident.dynamics.friction.smoothed import jumps_at_rest
from dynident.regression import identify
from tests.facts import about

ROBOT = load_robot("spatial_3r")
THETA = np.array([[0.3, 0.8, 0.1], [0.4, 0.6, -0.2], [0.2, 0.5, 0.1]])
RATE = 200.0


def paused_log(trembling: float, rest: float = 1.0) -> Dataset:
    """Moves between postures with pauses, in which friction holds the joints at a level of its own, and noise in the velocity."""
    rng = np.random.default_rng(3)
    q, dq, ddq = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))
    at, still = np.zeros(3), np.zeros((int(rest * RATE), 3))
    s = np.arange(0.0, 1.5, 1.0 / RATE)[:, None] / 1.5
    for _ in range(12):
        step = rng.uniform(-1.5, 1.5, 3) - at
        q = np.concatenate([q, at + step * (10 * s**3 - 15 * s**4 + 6 * s**5), at + step + still])
        dq = np.concatenate([dq, step * 30 * s**2 * (1 - s) ** 2 / 1.5, still])
        ddq = np.concatenate([ddq, step * 60 * s * (1 - s) * (1 - 2 * s) / 1.5**2, still])
        at = at + step
    friction = friction_torque(linear(), THETA, Motion(q, dq, ddq))
    held = np.repeat(rng.uniform(-0.9, 0.9, (12, 3)), len(s) + len(still), axis=0) * THETA[:, 1] + THETA[:, 2]
    effort = inverse_dynamics(ROBOT, ROBOT.parameters, q, dq, ddq) + np.where(dq == 0.0, held, friction)
    effort += 0.02 * rng.normal(size=q.shape)
    measured = dq + trembling * rng.normal(size=q.shape)
    return Dataset(time=np.arange(len(q)) / RATE, q=q, dq=measured, ddq=ddq, effort=effort, effort_kind="torque")


def test_trembling_at_rest_is_left_out_and_said():
    log = paused_log(0.01)
    estimate = identify(ROBOT, log)
    assert about(estimate.notes, "rest", "trembles")
    np.testing.assert_allclose(estimate.friction_parameters[:, 1], THETA[:, 1], rtol=0.02)
    np.testing.assert_allclose(estimate.friction_parameters[:, 0], THETA[:, 0], atol=0.01)


def test_a_velocity_that_is_zero_at_rest_is_used():
    estimate = identify(ROBOT, paused_log(0.0))
    assert not any("trembles" in note for note in estimate.notes)
    assert estimate.problem is not None
    assert estimate.problem.counts.min() == estimate.problem.counts.max()


def test_friction_that_does_not_leap_uses_all_samples():
    estimate = identify(ROBOT, paused_log(0.01), friction=friction_model("viscous+offset"))
    assert not any("trembles" in note for note in estimate.notes)


def test_a_log_of_postures_keeps_them():
    estimate = identify(ROBOT, paused_log(0.01, rest=8.0))
    assert not any("trembles" in note for note in estimate.notes)


@pytest.mark.parametrize("name", sorted(FRICTION_MODELS))
def test_which_models_leap(name):
    leaping = {"coulomb", "linear", "stribeck", "asymmetric_coulomb", "load_coulomb", "temperature_coulomb"}
    assert jumps_at_rest(FRICTION_MODELS[name]()) == (name in leaping)


def test_one_joint_that_leaps_is_enough():
    assert jumps_at_rest(PerJoint((Viscous(), linear())))
    assert not jumps_at_rest(PerJoint((Viscous(), Viscous())))
