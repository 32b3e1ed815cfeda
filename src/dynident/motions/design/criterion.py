"""How well a motion excites the base parameters: a smooth measure of its regressor, and the gradient by the motion.

With Y the stacked base regressor of N samples, σ_j the noise of joint j's torque and m the independent samples that a run has,

    I = I₀ + m / N Σ_samples Yᵀ diag(1 / σ²) Y

is what is known after it: the inverse of the coefficients' covariance. I₀ is what is known before, from a prior or another run. A
search minimises one of

    v_optimal   ½ log tr(W I⁻¹),  W = mean over the samples of other motions of Yᵀ diag(1 / σ²) Y: the logarithm of the error of the
                predicted torque in those motions, root of its mean square, all joints counting in units of their noise (Atkinson,
                Donev, Tobias, Optimum Experimental Designs, 2007: average variance of the prediction);
    d_optimal   -½ log det I / b: the logarithm of the coefficients' uncertainty, the geometric mean over all directions;
    condition   log κ, κ = √(λ_max / λ_min) of the eigenvalues λ of G = YᵀY / N, without noise and prior. It has kinks where small
                eigenvalues cross, and at the optimum they do; so it is replaced by log κ_p = ½ (log ‖λ‖_p + log ‖1 / λ‖_p) >= log κ,
                which tends to log κ as p grows.

Each is a function f of a matrix with a symmetric derivative F = ∂f/∂I, so that ∂f/∂Y = 2 m / N diag(1 / σ²) Y F, and
`motion_gradient` takes that to the motion: the derivative by q_j at a sample is ⟨∂f/∂Y, ∂Y/∂q_j⟩, and those by q, dq and ddq of all joints
follow from one pass of Newton-Euler backwards (`dynident.dynamics.regressor_gradient`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dynident.core.arrays import Array, check_array, per_joint, set_frozen
from dynident.core.linear_algebra import singular_values
from dynident.dynamics import iterate_regressor_blocks, regressor_gradient
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.errors import InputError, UnknownNameError, require
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.equations.sizes import unit_sizes
from dynident.robots.kinematics import length_unit
from dynident.robots.robot import Robot

Kind: TypeAlias = Literal["v_optimal", "d_optimal", "condition"]
KINDS: tuple[Kind, ...] = ("v_optimal", "d_optimal", "condition")

#: Eigenvalues below this share of the largest count as this much, so that a motion without excitation has a finite value.
_SMALLEST = 1e-13


class Sensitivity(NamedTuple):
    """Derivatives of a scalar: by the rigid regressor (n, 10 n, N), and by the friction columns (N, n, k) or None."""

    rigid: Array
    friction: Array | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Criterion:
    """The measure to be minimised for a robot's base parameters.

    friction             As in `base`, or a smooth stand-in of it.
    noise : (n,)         Standard deviation of a torque sample of each joint [N·m | N]; one for all by default.
    samples : float      m, the independent samples of a run.
    information : (b, b) I₀, what is known before, in the inverse units of the coefficients' covariance; nothing by default.
    task : (b, b)        W of the motions whose torques are to be predicted; v_optimal needs it.
    """

    base: BaseParameters
    kind: Kind = "condition"
    friction: FrictionModel | None = None
    noise: Array | None = None
    samples: float = 1.0
    information: Array | None = None
    task: Array | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("criterion", self.kind, KINDS)
        if self.noise is not None:
            set_frozen(self, "noise", per_joint("noise", self.noise, self.base.robot.n, sign="positive"))
        for name in ("information", "task"):
            if (values := getattr(self, name)) is not None:
                b = self.base.rank
                set_frozen(self, name, check_array(name, values, (b, b), f"({b}, {b}) = (coefficients, coefficients)"))
        if self.kind == "v_optimal" and self.task is None:
            raise InputError("v_optimal needs the motions whose torques are to be predicted")

    def evaluate(self, motion: SampledMotion, sharpness: float = 1.0) -> tuple[float, Sensitivity]:
        """The value for a motion and its derivatives by the regressor. sharpness : p, for which the condition number alone has a use."""
        Y = base_regressor(self.base, motion, self.friction)
        root = np.sqrt(self._row_weights / Y.shape[2])[:, None]
        Y *= root
        rows = Y.reshape(len(Y), -1)
        value, by_matrix = self._measure(rows @ rows.T + self._before, sharpness)
        by_Y = ((2.0 * by_matrix) @ rows).reshape(Y.shape)
        by_Y *= root
        return value, scatter(self.base, by_Y)

    def value(self, motion: SampledMotion) -> float:
        """The value for a motion with the friction of `base` itself: κ, or as `evaluate` has it."""
        if self.kind == "condition":
            return condition_number(self.base, motion)
        return self._measure(self.information_after(motion), 1.0)[0]

    def information_after(self, motion: SampledMotion) -> Array:
        """(b, b) I: what is known after a run of the motion, whose samples are evenly spaced."""
        weights = np.ones(self.base.robot.n) if self.noise is None else self.noise**-2
        before = 0.0 if self.information is None else self.information
        return before + self.samples * mean_information(self.base, motion, weights)

    @property
    def _row_weights(self) -> Array:
        """(n,) what a joint's squared rows count in the matrix that is measured."""
        n = self.base.robot.n
        return np.ones(n) if self.kind == "condition" else self.samples * (np.ones(n) if self.noise is None else self.noise**-2)

    @property
    def _before(self) -> Array | float:
        return 0.0 if self.kind == "condition" or self.information is None else self.information

    def _measure(self, matrix: Array, p: float) -> tuple[float, Array]:
        """f and ∂f/∂matrix."""
        units = coefficient_sizes(self.base)
        if self.kind == "condition":
            lam, V = _eigen(matrix * np.outer(units, units))
            value, by_lam = _spread(lam, p)
            V *= units[:, None]
            return value, (V * by_lam) @ V.T
        counted = np.diag(matrix) * units**2
        size = np.sqrt(np.maximum(counted, _SMALLEST * counted.max())) / units  # coefficients have units: 1e-6 is no zero
        lam, V = _eigen(matrix / np.outer(size, size))
        V /= size[:, None]
        if self.kind == "d_optimal":
            return float(np.log(size).sum() + 0.5 * np.log(lam).sum()) / -len(lam), (V * (-0.5 / (lam * len(lam)))) @ V.T
        M = V.T @ require(self.task, "the task of the criterion") @ V
        total = float((np.diag(M) / lam).sum())
        return 0.5 * float(np.log(total)), V @ (M / np.outer(lam, lam)) @ V.T * (-0.5 / total)


def _eigen(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues, none below the smallest that counts, and eigenvectors."""
    lam, V = np.linalg.eigh(matrix)
    return np.maximum(lam, _SMALLEST * lam[-1]), V


def _spread(lam: Array, p: float) -> tuple[float, Array]:
    """log κ_p of the eigenvalues λ, and ∂/∂λ."""
    logs = np.log(lam)
    large, small = np.exp(p * (logs - logs[-1])), np.exp(-p * (logs - logs[0]))
    value = 0.5 * (logs[-1] - logs[0] + (np.log(large.sum()) + np.log(small.sum())) / p)
    return float(value), 0.5 * (large / large.sum() - small / small.sum()) / lam


def coefficient_sizes(base: BaseParameters) -> Array:
    """(b,) how large coefficients are by the length of their robot alone; 1 for an arm."""
    return unit_sizes(base.units, length=length_unit(base.robot))


def base_regressor(base: BaseParameters, motion: SampledMotion, friction: FrictionModel | None = None) -> Array:
    """(b, n, N) the base columns of the torque regressor. friction : stands in for that of `base`, with the same columns."""
    N, n = motion.q.shape
    links = base.columns.is_link[base.independent]
    Y = np.zeros((base.rank, n, N))
    for start, block in iterate_regressor_blocks(base.robot, *motion):
        Y[links, :, start : start + block.shape[2]] = block[:, base.independent[links]].transpose(1, 0, 2)
    model = friction or base.friction
    if model is not None:
        phi = model.columns(Motion(*motion))
        for place, column in _friction_columns(base):
            Y[place, column.joint] = phi[:, column.joint, column.slot]
    return Y


def scatter(base: BaseParameters, by_Y: Array) -> Sensitivity:
    """Derivatives by the base columns (b, n, N), put at the places of the standard columns; zero at the dependent ones."""
    columns, independent = base.columns, base.independent
    n, N = by_Y.shape[1:]
    links = columns.is_link[independent]
    rigid = np.zeros((n, len(columns.of_links), N))
    rigid[:, independent[links]] = by_Y[links].transpose(1, 0, 2)
    if not columns.of_friction:
        return Sensitivity(rigid, None)
    friction = np.zeros((N, n, 1 + max(column.slot for column in columns.of_friction)))
    for place, column in _friction_columns(base):
        friction[:, column.joint, column.slot] = by_Y[place, column.joint]
    return Sensitivity(rigid, friction)


def mean_information(base: BaseParameters, motion: SampledMotion, weights: Array) -> Array:
    """(b, b) mean over the samples of Yᵀ diag(weights) Y, with weights (n,) for the joints."""
    Y = base_regressor(base, motion)
    rows = (Y * np.sqrt(weights)[:, None]).reshape(len(Y), -1)
    return rows @ rows.T / Y.shape[2]


def _friction_columns(base: BaseParameters) -> list[tuple[int, FrictionColumn]]:
    """The base parameters that are friction parameters, with their places."""
    leading = [base.columns[i] for i in base.independent.tolist()]
    return [(place, column) for place, column in enumerate(leading) if isinstance(column, FrictionColumn)]


def condition_number(base: BaseParameters, motion: SampledMotion) -> float:
    """κ of the stacked base regressor, without scaling of rows or columns; infinite where the motion leaves a column out.

    Lengths are in `length_unit`, metres for an arm: κ depends on it.
    """
    Y = base_regressor(base, motion) * coefficient_sizes(base)[:, None, None]
    sizes = singular_values(np.asarray(np.linalg.qr(Y.reshape(base.rank, -1).T, mode="r"), dtype=float))
    return float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf


#: Step of differences of friction columns, which may be as steep as tanh(dq / 0.01) and cos(200 q) [rad, rad/s].
_FRICTION_STEP = 1e-5


def motion_gradient(robot: Robot, motion: SampledMotion, by: Sensitivity, friction: FrictionModel | None) -> SampledMotion:
    """Derivatives (N, n) of the scalar by q, dq and ddq."""
    gradient = regressor_gradient(robot, *motion, by.rigid)
    if friction is not None and by.friction is not None:
        gradient = (part + other for part, other in zip(gradient, friction_gradient(friction, motion, by.friction), strict=True))
    return SampledMotion(*gradient)


def friction_gradient(friction: FrictionModel, motion: SampledMotion, by: Array) -> SampledMotion:
    """Derivatives (N, n) by q, dq and ddq of a scalar that depends on the friction columns, from those by the columns (N, n, k)."""
    steps = {"q": _FRICTION_STEP, "dq": _FRICTION_STEP, "ddq": 1.0}
    return SampledMotion(*(_friction_part(friction, motion, by, name, step) for name, step in steps.items()))


def _friction_part(friction: FrictionModel, motion: SampledMotion, by: Array, name: str, step: float) -> Array:
    values, at = getattr(motion, name), Motion(*motion)
    above, below = (friction.columns(at._replace(**{name: values + change})) for change in (step, -step))
    return np.asarray(((above - below) * by).sum(axis=2), dtype=float) / (2.0 * step)
