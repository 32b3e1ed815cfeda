"""How well a motion excites the base parameters: a smooth measure of its regressor, and the gradient by the motion.

With Y the stacked base regressor, G = YᵀY / N and λ the eigenvalues of G, the condition number is κ = √(λ_max / λ_min).
It has kinks where small eigenvalues cross, and at the optimum they do; so the search minimises

    log κ_p = ½ (log ‖λ‖_p + log ‖1 / λ‖_p) >= log κ,    which tends to log κ as p grows,

or, D-optimal, -½ log det G / b. Either is a function f(G) with a symmetric W = ∂f/∂G, so that ∂f/∂Y = 2 Y W / N, and
`motion_gradient` takes that to the motion with a few dozen evaluations of the regressor, whatever the number of coefficients: the
derivative by q_j at a sample is ⟨∂f/∂Y, ∂Y/∂q_j⟩. Y is linear in ddq and quadratic in dq, so that differences in these are exact with
any step; those in q are central.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, per_joint
from dynident.dynamics import iterate_regressor_blocks
from dynident.errors import UnknownNameError
from dynident.excitation.trajectories.trajectory import Motion, Trajectory, sample_times, used_samples
from dynident.friction.model import FrictionModel
from dynident.friction.model import Motion as JointMotion
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.robots.robot import Robot

Kind: TypeAlias = Literal["condition", "d_optimal"]
KINDS: tuple[Kind, ...] = ("condition", "d_optimal")

#: Eigenvalues below this share of the largest count as this much, so that a motion without excitation has a finite value.
_SMALLEST = 1e-13


class Sensitivity(NamedTuple):
    """Derivatives of a scalar: by the rigid regressor (n, 10 n, N), and by the friction columns (N, n, k) or None."""

    rigid: Array
    friction: Array | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Criterion:
    """The measure to be minimised for a robot's base parameters. friction : as in `base`, or a smooth stand-in of it."""

    base: BaseParameters
    kind: Kind = "condition"
    friction: FrictionModel | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("criterion", self.kind, KINDS)

    def evaluate(self, motion: Motion, sharpness: float) -> tuple[float, Sensitivity]:
        """The value for a motion and its derivatives by the regressor. sharpness : p; D-optimality has no use for it."""
        Y = base_regressor(self.base, motion, self.friction)
        b, n, N = Y.shape
        rows = Y.reshape(b, n * N)
        lam, V = np.linalg.eigh(rows @ rows.T / N)
        value, weights = _measure(self.kind, np.maximum(lam, _SMALLEST * lam[-1]), sharpness)
        by_Y = ((V * weights) @ V.T @ rows).reshape(b, n, N) * (2.0 / N)
        return value, self._scatter(by_Y)

    def _scatter(self, by_Y: Array) -> Sensitivity:
        """Derivatives by the base columns, put at the places of the standard columns; zero at the dependent ones."""
        columns, independent = self.base.columns, self.base.independent
        n, N = by_Y.shape[1:]
        links = columns.is_link[independent]
        rigid = np.zeros((n, len(columns.of_links), N))
        rigid[:, independent[links]] = by_Y[links].transpose(1, 0, 2)
        if not columns.of_friction:
            return Sensitivity(rigid, None)
        friction = np.zeros((N, n, 1 + max(column.slot for column in columns.of_friction)))
        for place, column in _friction_columns(self.base):
            friction[:, column.joint, column.slot] = by_Y[place, column.joint]
        return Sensitivity(rigid, friction)


def _measure(kind: Kind, lam: Array, p: float) -> tuple[float, Array]:
    """f(λ) and ∂f/∂λ."""
    logs = np.log(lam)
    if kind == "d_optimal":
        return -0.5 * float(logs.mean()), -0.5 / (lam * len(lam))
    large, small = np.exp(p * (logs - logs[-1])), np.exp(-p * (logs - logs[0]))
    value = 0.5 * (logs[-1] - logs[0] + (np.log(large.sum()) + np.log(small.sum())) / p)
    return float(value), 0.5 * (large / large.sum() - small / small.sum()) / lam


def base_regressor(base: BaseParameters, motion: Motion, friction: FrictionModel | None = None) -> Array:
    """(b, n, N) the base columns of the torque regressor. friction : stands in for that of `base`, with the same columns."""
    N, n = motion.q.shape
    links = base.columns.is_link[base.independent]
    Y = np.zeros((base.rank, n, N))
    for start, block in iterate_regressor_blocks(base.robot, *motion):
        Y[links, :, start : start + block.shape[2]] = block[:, base.independent[links]].transpose(1, 0, 2)
    model = friction or base.friction
    if model is not None:
        phi = model.columns(JointMotion(*motion))
        for place, column in _friction_columns(base):
            Y[place, column.joint] = phi[:, column.joint, column.slot]
    return Y


def _friction_columns(base: BaseParameters) -> list[tuple[int, FrictionColumn]]:
    """The base parameters that are friction parameters, with their places."""
    leading = [base.columns[i] for i in base.independent.tolist()]
    return [(place, column) for place, column in enumerate(leading) if isinstance(column, FrictionColumn)]


def condition_number(base: BaseParameters, motion: Motion) -> float:
    """κ of the stacked base regressor, without scaling of rows or columns; infinite where the motion leaves a column out."""
    Y = base_regressor(base, motion)
    sizes = np.linalg.svd(np.linalg.qr(Y.reshape(base.rank, -1).T, mode="r"), compute_uv=False)
    return float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf


def expected_std(base: BaseParameters, trajectory: Trajectory, *, torque_noise: ArrayLike, rate: float) -> Array:
    """(b,) standard deviations of ordinary least squares on one run of the trajectory.

    With S = Y⁺ (the pseudo-inverse) the covariance is S diag(σ²) Sᵀ; for one σ that is σ² (YᵀY)⁻¹. Infinite where the
    trajectory doesn't determine a coefficient.

    torque_noise : scalar or (n,)   Standard deviation σ of a torque sample [N·m | N].
    rate : float   Independent samples per second [Hz]. After low-pass filtering there are about 4 per Hz of the cutoff.
    """
    sigma = per_joint("torque_noise", torque_noise, base.robot.n, sign="positive")
    time = sample_times(trajectory.duration, rate)
    motion = trajectory.sample(time[used_samples(trajectory, time)])
    Y = base_regressor(base, motion)
    b, n, N = Y.shape
    U, sizes, V = np.linalg.svd(Y.reshape(b, n * N).T, full_matrices=False)
    seen = sizes > 1e-12 * sizes[0]
    noisy = (V[seen].T / sizes[seen]) @ (U[:, seen].T * np.repeat(sigma, N))
    unknown = (np.abs(V[~seen]) > 1e-9).any(axis=0)
    return np.where(unknown, np.inf, np.sqrt((noisy**2).sum(axis=1)))


#: Step in q [rad | m]: entries are trigonometric with frequencies of at most 2, so the error is below 1e-8 of their size.
_STEP = 1e-4
#: Step of differences of friction columns, which may be as steep as tanh(dq / 0.01) and cos(200 q) [rad, rad/s].
_FRICTION_STEP = 1e-5


def motion_gradient(robots: tuple[Robot, Robot], motion: Motion, by: Sensitivity, friction: FrictionModel | None) -> Motion:
    """Derivatives (N, n) of the scalar by q, dq and ddq. robots : the robot, and the same without gravity."""
    robot, weightless = robots
    N, n = motion.q.shape
    unit = np.repeat(np.eye(n), N, axis=0)
    Q, dQ, ddQ = (np.tile(values, (n, 1)) for values in motion)
    still = np.zeros_like(Q)

    def contract(machine: Robot, *samples: Array) -> Array:
        return _contract(machine, Motion(*samples), by.rigid).reshape(n, N).T

    by_ddq = contract(weightless, Q, still, unit)
    by_dq = (contract(robot, Q, dQ + unit, ddQ) - contract(robot, Q, dQ - unit, ddQ)) / 2.0
    by_q = (contract(robot, Q + _STEP * unit, dQ, ddQ) - contract(robot, Q - _STEP * unit, dQ, ddQ)) / (2.0 * _STEP)
    if friction is not None and by.friction is not None:
        by_q += _friction_gradient(friction, motion, by.friction, "q", _FRICTION_STEP)
        by_dq += _friction_gradient(friction, motion, by.friction, "dq", _FRICTION_STEP)
        by_ddq += _friction_gradient(friction, motion, by.friction, "ddq", 1.0)
    return Motion(by_q, by_dq, by_ddq)


def _friction_gradient(friction: FrictionModel, motion: Motion, by: Array, name: str, step: float) -> Array:
    """(N, n) the share of the friction columns (N, n, k) in the derivative by q, dq or ddq."""
    values, at = getattr(motion, name), JointMotion(*motion)
    above, below = (friction.columns(at._replace(**{name: values + change})) for change in (step, -step))
    return np.asarray(((above - below) * by).sum(axis=2), dtype=float) / (2.0 * step)


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
