"""The result of an identification: coefficients with their uncertainty, and the model that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.data import Dataset
from dynident.data.provenance import Provenance
from dynident.dynamics import coriolis_matrix, gravity, inverse_dynamics, mass_matrix
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.errors import InputError, ValueRangeError
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.rows import row_units
from dynident.regression.friction.choice import FrictionChoice
from dynident.regression.friction.fitted import FittedShape
from dynident.regression.problem import Problem
from dynident.regression.summary import FitSummary
from dynident.regression.uncertainty.blocks import BlockVariation
from dynident.regression.vendor_model import VendorModelTest

#: Where link parameters are made of them, the noise of a group of rows counts as at least this share of their RMS, and that of a
#: controller's coefficient as this share of it.
EXACT = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class Residuals:
    """Sums of squares per group of rows: what is left over, and what there was to explain."""

    names: Annotated[tuple[str, ...], Shape("g")]
    counts: Annotated[IntArray, Shape("g")]
    squares: Annotated[Array, Shape("g", nonnegative=True)]
    totals: Annotated[Array, Shape("g", nonnegative=True)]

    @property
    def relative_percent(self) -> float:
        """100 ‖z - Y π‖ / ‖z‖ over all rows, as the papers define it."""
        return 100.0 * float(np.sqrt(self.squares.sum() / max(self.totals.sum(), np.finfo(float).tiny)))

    @property
    def relative_percent_per_group(self) -> Array:
        """The same of each group; 100 where there was nothing to explain and something is left over all the same."""
        there = np.where(self.totals > 0.0, self.totals, np.maximum(self.squares, np.finfo(float).tiny))
        return 100.0 * np.sqrt(self.squares / there)

    @property
    def rms_per_group(self) -> Array:
        return np.sqrt(self.squares / np.maximum(self.counts, 1))


@dataclass(frozen=True)
class Dropped:
    """A coefficient that is not part of the model: its value and standard deviation when it was dropped, and why."""

    index: int
    value: float
    std: float
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedData:
    """What several data sets say together about the b coefficients, in units of their noise.

    factor : (b + 1, b + 1)   Triangular; its last column is the right-hand side, its last element what no coefficients explain.
    noise : float             What the square of the latter amounts to by noise alone.
    """

    factor: Annotated[Array, Shape("b+1 b+1")]
    noise: float


class EstimateStatus(Enum):
    """How a fit ended, the gravest first; the value is the sentence that the user sees."""

    LOSS_UNSETTLED = "the robust loss did not settle, so the coefficients are not its minimum"
    WEIGHTS_UNSETTLED = "the noise levels did not settle, so coefficients and standard deviations are provisional"
    UNDETERMINED = "some coefficients are not determined by these data, and not part of the model"
    DROPPED = "all coefficients are determined by these data; those that are too uncertain are not part of the model"
    COMPLETE = "all coefficients are determined by these data, and part of the model"

    @staticmethod
    def of_dropped(dropped: Sequence[Dropped]) -> EstimateStatus:
        """That of a fit that settled."""
        if any(np.isinf(item.std) for item in dropped):
            return EstimateStatus.UNDETERMINED
        return EstimateStatus.DROPPED if dropped else EstimateStatus.COMPLETE


#: The cross-validation of the data of a fit in `Estimate.memory`: itself or None, and why there is none.
FOLDS_OF_FIT = "folds"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Estimate(Result):
    """Base parameters estimated from data.

    Attributes
    ----------
    base : BaseParameters
        The coefficients: columns, grouping, friction model.
    values : (b,) array
        Estimate of each base parameter; zero where dropped.
    covariance : (b, b) array
        The larger of what noise and the variation between blocks say; zero rows and columns where dropped.
    kept : (b,) bool array
        Which are part of the model.
    dropped : tuple of Dropped
        Coefficients that were dropped, with their relative standard deviation then.
    residuals : Residuals
        What the model leaves of the data, group by group.
    singular_values : (b,) array
        Of the stacked regressor, largest first: the evidence for its rank.
    summary : FitSummary
        Data, processing, noise, loss, condition number, tolerances.
    status : EstimateStatus
        Whether it converged.
    provenance : Provenance
        Of the samples of the fit; None where it is not known.
    notes : tuple of str
        What a reader of the numbers should know.
    problem : Problem
        What was fitted: all that the data say, compressed; None for an estimate that was read without it.
    blocks : BlockVariation
        How much blocks of the log differ; None where that was not measured.
    shapes : tuple
        The shapes of friction that were fitted, with their standard deviations.
    shape_covariance : (m, b + m) array
        Of these m with the coefficients and with each other; None where there are none.
    choice : FrictionChoice
        The friction models that were tried; None where one was given.
    joined : JoinedData
        What the data say where the links come from other data than the friction; None where `problem` says it.
    reached : (n, 2) array
        Largest speed of each joint in the log backward and forward, zero for a direction in which it did not turn [rad/s | m/s]; None
        without a log.
    vendor_model : VendorModelTest
        How the controller's model agrees with the log; None where not both were given.
    doubts : tuple of str
        What speaks against the whole model, however well it predicts; every later stage repeats it.
    """

    base: BaseParameters
    values: Annotated[Array, Shape("b")]
    covariance: Annotated[Array, Shape("b b", diagonal=True)]
    kept: Annotated[BoolArray, Shape("b")]
    dropped: tuple[Dropped, ...]
    residuals: Residuals
    singular_values: Annotated[Array, Shape("s", filled=True)]
    summary: FitSummary
    status: EstimateStatus
    provenance: Provenance | None = None
    notes: tuple[str, ...] = ()
    problem: Problem | None = None
    blocks: BlockVariation | None = None
    shapes: tuple[FittedShape, ...] = ()
    shape_covariance: Annotated[Array, Shape("m b+m")] | None = None
    choice: FrictionChoice | None = None
    joined: JoinedData | None = None
    reached: Annotated[Array, Shape("n 2")] | None = None
    vendor_model: VendorModelTest | None = None
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if others := [name for name in self.residuals.names if name not in row_units(self.base)]:
            raise ValueRangeError("residuals", f"are of {', '.join(others)}; rows of {self.base.robot.name} were expected")

    @cached_property
    def memory(self) -> dict[str, Any]:
        """What later steps have found out about this very estimate and need again, such as its cross-validation, by name."""
        return {}

    @property
    def known_speeds(self) -> Array:
        """(n, 2) as `reached`; zero where that is not known, so that no friction, nor a rotor's inertia, can be negative there."""
        return np.zeros((self.base.robot.n, 2)) if self.reached is None else self.reached

    @property
    def std(self) -> Array:
        """(b,) standard deviations, the larger of both sources; for dropped ones that at which they were dropped."""
        std = np.sqrt(np.diag(self.covariance))
        for item in self.dropped:
            std[item.index] = item.std
        return std

    @property
    def noise_std(self) -> Array:
        """(b,) standard deviations by the noise alone."""
        return self.std if self.blocks is None else self.std / self.blocks.scale

    @property
    def block_std(self) -> Array | None:
        """(b,) standard deviations by the variation between blocks of the log; None where it was not measured."""
        return None if self.blocks is None else self.noise_std * self.blocks.ratios

    @property
    def row_scale(self) -> Array:
        """(groups,) by what the noise level of each group is to grow so that its rows tell as little as independent ones of that noise.

        Correlated residuals say less than as many independent ones (by √inflation), and where coefficients differ between blocks of the
        log by more than that, model error is part of the noise.
        """
        ratios = np.ones(len(self.summary.noise_levels)) if self.blocks is None else self.blocks.group_scale
        return np.sqrt(self.summary.inflation) * ratios

    @property
    def row_noise(self) -> Array:
        """(groups,) noise by which rows are divided when all that they say is to count: with `row_scale`, and at least a thousandth of
        what they measure. Less is data that a computer made, and with prior and data farther apart than that a solver loses the prior.

        Raises
        ------
        InputError
            Where the data are not there.
        """
        return np.maximum(self.row_scale * np.asarray(self.summary.noise_levels), EXACT * self.require_problem().group_rms)

    def require_problem(self) -> Problem:
        """What was fitted.

        Raises
        ------
        InputError
            For an estimate that was read without its data.
        """
        if self.problem is None:
            raise InputError("this estimate doesn't carry the data that it was fitted to; identify again")
        return self.problem

    @property
    def half_interval(self) -> Array:
        """(b,) half of each 95 % interval: 1.96 standard deviations of noise, or as many of the blocks' as Student's t says."""
        from scipy.special import stdtrit  # here, because importing SciPy takes longer than all of dynident

        noise = -float(stdtrit(np.inf, 0.025)) * self.noise_std
        if self.blocks is None or self.block_std is None:
            return noise
        return np.maximum(noise, -stdtrit(self.blocks.freedom, 0.025) * self.block_std)

    @property
    def relative_std_percent(self) -> Array:
        """(b,) 100 std / |value|; for dropped ones as it was when they were dropped."""
        values = self.values.copy()
        for item in self.dropped:
            values[item.index] = item.value
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return 100.0 * self.std / np.abs(values)

    @property
    def correlations(self) -> Array:
        """(b, b) correlation of the estimation errors; zero for dropped ones."""
        std = np.sqrt(np.diag(self.covariance))
        scale = np.where(std > 0, std, 1.0)
        return self.covariance / np.outer(scale, scale)

    @property
    def whole_covariance(self) -> Array:
        """(b + m, b + m) of the coefficients, and then of the m shapes of friction that were fitted; zero where it is not known."""
        b, m = self.base.rank, len(self.shapes)
        of_shapes = np.zeros((m, b + m)) if self.shape_covariance is None else self.shape_covariance
        return np.block([[self.covariance, of_shapes[:, :b].T], [of_shapes]])

    @property
    def condition_number(self) -> float:
        """Of the stacked regressor of the kept coefficients, neither rows nor columns scaled, as in the papers."""
        return self.summary.condition_number

    @cached_property
    def standard(self) -> Array:
        """(p,) standard parameters that move the robot exactly as the coefficients do; not physical by themselves."""
        return self.base.representative(self.values)

    @property
    def link_part(self) -> Array:
        """(n, 10) the links' share of `standard`."""
        return self.base.columns.links(self.standard)

    @property
    def friction_parameters(self) -> Array | None:
        """(n, k) parameters of the friction model, None without one; a base parameter may hold more than friction (armature)."""
        return None if self.base.friction is None else self.base.columns.friction(self.standard)

    def predict(self, dataset: Dataset, extra: Mapping[str, ArrayLike] | None = None) -> Array:
        """(N, n) effort of the identified model along a motion with q, dq, ddq."""
        if dataset.dq is None or dataset.ddq is None:
            raise InputError("prediction needs velocities and accelerations; differentiate the dataset first")
        effort = inverse_dynamics(self.base.robot, self.link_part, dataset.q, dataset.dq, dataset.ddq)
        if self.base.friction is not None and self.friction_parameters is not None:
            motion = Motion(dataset.q, dataset.dq, dataset.ddq, effort, dataset.temperature)
            effort = effort + friction_torque(self.base.friction, self.friction_parameters, motion)
        for name, value in self.base.columns.extra(self.standard).items():
            if extra is None or name not in extra:
                raise InputError(f"the model has the extra column {name!r}; give it for the new data too")
            effort = effort + value * np.asarray(extra[name], dtype=float)
        return effort

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M̂(q) (N, n, n) from the coefficients alone."""
        return mass_matrix(self.base.robot, self.link_part, q)

    def gravity(self, q: ArrayLike) -> Array:
        """ĝ(q) (N, n) from the coefficients alone."""
        return gravity(self.base.robot, self.link_part, q)

    def coriolis_vector(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """ĉ(q, dq) (N, n) from the coefficients alone, through the Christoffel symbols of M̂."""
        return np.einsum("...jk,...k->...j", coriolis_matrix(self.base.robot, self.link_part, q, dq), np.asarray(dq, dtype=float))
