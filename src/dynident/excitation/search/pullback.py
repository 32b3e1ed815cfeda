"""From derivatives by the regressor to derivatives by the motion.

For a scalar f whose derivatives by the entries of the torque regressor Y(q, dq, ddq) are P, the derivative by q_j at a
sample is ⟨P, ∂Y/∂q_j⟩. Y is linear in ddq and quadratic in dq, so that differences in these are exact with any step;
those in q are central. All are batched evaluations of the compiled regressor whose blocks never leave the cache.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import iterate_regressor_blocks
from dynident.excitation.search.criterion import Sensitivity
from dynident.excitation.trajectories.trajectory import Motion
from dynident.friction.model import FrictionModel
from dynident.robots.robot import Robot

#: Step in q [rad | m]: entries are trigonometric with frequencies of at most 2, so the error is below 1e-8 of their size.
_STEP = 1e-4
#: Step of differences of friction columns, which may be as steep as tanh(dq / 0.01) [rad/s].
_FRICTION_STEP = 1e-5


def motion_gradient(robots: tuple[Robot, Robot], motion: Motion, by: Sensitivity, friction: FrictionModel | None) -> Motion:
    """Derivatives (N, n) of the scalar by q, dq and ddq. robots : the robot, and the same without gravity."""
    robot, weightless = robots
    q, dq, ddq = motion
    N, n = q.shape
    unit = np.repeat(np.eye(n), N, axis=0)
    Q, dQ, ddQ = (np.tile(values, (n, 1)) for values in motion)
    still = np.zeros_like(Q)

    def contract(machine: Robot, *samples: Array) -> Array:
        return _contract(machine, Motion(*samples), by.rigid).reshape(n, N).T

    by_ddq = contract(weightless, Q, still, unit)
    by_dq = (contract(robot, Q, dQ + unit, ddQ) - contract(robot, Q, dQ - unit, ddQ)) / 2.0
    by_q = (contract(robot, Q + _STEP * unit, dQ, ddQ) - contract(robot, Q - _STEP * unit, dQ, ddQ)) / (2.0 * _STEP)
    if friction is not None and by.friction is not None:
        h = _FRICTION_STEP
        by_dq += _sum((friction.columns(dq + h, ddq) - friction.columns(dq - h, ddq)) * by.friction) / (2.0 * h)
        by_ddq += _sum((friction.columns(dq, ddq + 1.0) - friction.columns(dq, ddq - 1.0)) * by.friction) / 2.0
    return Motion(by_q, by_dq, by_ddq)


def _contract(robot: Robot, motion: Motion, P: Array) -> Array:
    """(M,) ⟨P, Y⟩ of every sample; P (n, 10 n, N) repeats after N samples."""
    N = P.shape[2]
    flat = P.reshape(-1, N)
    out = np.empty(len(motion.q))
    for start, block in iterate_regressor_blocks(robot, *motion):
        Y = block.reshape(len(flat), -1)
        done = 0
        while done < Y.shape[1]:
            first = (start + done) % N
            size = min(Y.shape[1] - done, N - first)
            part = Y[:, done : done + size]
            out[start + done : start + done + size] = np.einsum("rs,rs->s", part, flat[:, first : first + size])
            done += size
    return out


def _sum(terms: Array) -> Array:
    return np.asarray(terms.sum(axis=2), dtype=float)
