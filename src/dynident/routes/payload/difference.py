"""What a loaded log says beyond the arm: its payload's ten parameters, with the arm's own uncertainty in theirs.

A payload adds to the link that carries it. With β the coefficients of the arm, those of the loaded arm are E β + G p + F δ: p are the ten
parameters of the payload in the flange frame, δ is what has changed of the friction since. A fit of the loaded log by itself tells them
with the covariance V_L, the identification of the arm tells β with V_A, and β and δ are eliminated from both together: p is what is left.

Each fit counts by the weights that it was made with, and V_L and V_A, which know the noise's correlation in time and the variation
between blocks, tell how uncertain the outcome is: A⁻¹ B A⁻¹. To weigh by V_L + V_A itself would be a little better if both were known
exactly; they are estimates, and what they by chance call certain would then count most. On virtual arms the mass is as near to the truth
or nearer this way, and its standard deviation is right (benchmarks, study payload). Where the logs differ in more than a payload explains,
the covariance grows by as much (Birge, Phys. Rev. 40, 1932).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.linear_algebra import least_squares, singular_vectors
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.errors import InputError
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.equations.factors import independent_columns, triangular
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.solution import residuals
from dynident.robots.parameters import PARAMETERS_PER_LINK, change_of_frame

#: A direction of the payload that less than this share of its columns tells is not told at all: rounding.
TOLD = 1e-7
_DEPENDENT = 1e-9
#: Exact logs have a noise too, or differences between them would be judged by their rounding: this share of the largest joint's effort,
#: and this variance beside the one that the noise levels make.
LEAST_NOISE, ROUNDING = 1e-7, 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadDifference:
    """All that both logs say about the payload: directions @ p = values, with their covariance.

    Attributes
    ----------
    directions : (r, 10) array
        The combinations of the ten parameters in the flange frame that are told; r = 10 where all are.
    values : (r,) array
        What they are.
    covariance : (r, r) array
        Of the values, the arm's uncertainty included; larger by the strain where that is above one.
    strain : float
        What arm and payload leave over of the two fits' difference, over what their noise makes one expect; 1 where nothing can be left
        over.
    together : Residuals
        What arm and payload leave over of the loaded log.
    """

    directions: Array
    values: Array
    covariance: Array
    strain: float
    together: Residuals

    @property
    def mass(self) -> tuple[float, float] | None:
        """What the data alone say of the mass, which can be negative, and its standard deviation [kg]; None where they don't tell it."""
        first = np.eye(PARAMETERS_PER_LINK)[0]
        shares = least_squares(self.directions.T, first)
        if not np.allclose(shares @ self.directions, first, atol=1e-6):
            return None
        return float(shares @ self.values), float(np.sqrt(shares @ self.covariance @ shares))


def load_difference(arm: Estimate, loaded: Estimate, link: int, flange: Array, *, refit_friction: bool = True) -> LoadDifference:
    """Compare the fit of a loaded log with that of the arm.

    Parameters
    ----------
    arm
        The estimate of the arm without the load.
    loaded
        On base parameters without known values, or on the arm's own where it has none.
    link, flange
        The link that carries the payload, and the pose (4, 4) of the frame of its ten parameters in the link's.
    refit_friction
        Whether friction may have changed since the arm was identified: all that does not depend on place or acceleration.

    Returns
    -------
    LoadDifference
        What the load adds to the coefficients.
    """
    theirs, ours = _told(arm), _told(loaded)
    base = loaded.base
    E, known = _carry_over(arm.base, base)
    F = np.eye(base.rank)[:, _changed_friction(base, arm.base, refit=refit_friction)]
    G = payload_columns(base, link, flange)
    seen = ours.weights @ ours.combinations
    height, free = len(theirs.values), len(F.T)
    nuisance = np.block([[theirs.weights @ theirs.combinations, np.zeros((height, free))], [seen @ E, seen @ F]])
    payload = np.concatenate([np.zeros((height, PARAMETERS_PER_LINK)), seen @ G])
    z = np.concatenate([theirs.weights @ theirs.values, ours.weights @ (ours.values - ours.combinations @ known)])
    noise = np.zeros((len(z), len(z)))
    noise[:height, :height], noise[height:, height:] = theirs.noise, ours.noise
    _, Q = independent_columns(nuisance, tolerance=_DEPENDENT, smallest=1e-3 * _DEPENDENT)
    sizes = np.maximum(np.linalg.norm(payload, axis=0), np.finfo(float).tiny)
    U, shares, directions = singular_vectors((payload - Q @ (Q.T @ payload)) / sizes)
    determined = shares > TOLD
    U, solve = U[:, determined], U[:, determined].T / shares[determined][:, None]
    left = np.eye(len(z)) - Q @ Q.T - U @ U.T
    everything = np.column_stack([nuisance, payload])
    lengths = np.maximum(np.linalg.norm(everything, axis=0), np.finfo(float).tiny)
    best = least_squares(everything / lengths, z, rcond=_DEPENDENT) / lengths
    of_loaded = E @ best[: len(E.T)] + known + F @ best[len(E.T) : len(E.T) + free] + G @ best[-PARAMETERS_PER_LINK:]
    judged = np.trace(left) > 0.5  # a single joint leaves nothing over that could be judged
    strain = float(np.sum((left @ z) ** 2) / np.sum(left * noise)) if judged else 1.0
    return LoadDifference(
        directions=directions[determined] * sizes,
        values=solve @ z,
        covariance=max(strain, 1.0) * (solve @ noise @ solve.T),
        strain=strain,
        together=residuals(loaded.require_problem(), of_loaded),
    )


def payload_columns(base: BaseParameters, link: int, flange: Array) -> Array:
    """(b, 10) G: what each of the ten parameters of a payload does to the coefficients; its columns are those of the link in its frame."""
    return base.grouping[:, list(base.columns.of_link(link))] @ change_of_frame(flange)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Told:
    """What an estimate tells of its coefficients β: combinations @ β = values.

    combinations : (k, b)   Each kept coefficient, and with it what it holds of those that were not determined or dropped.
    weights : (k, k)        W of the fit: it minimised ‖W (combinations @ β - values)‖².
    noise : (k, k)          Covariance of W @ values.
    """

    combinations: Array
    values: Array
    weights: Array
    noise: Array


def _told(estimate: Estimate) -> _Told:
    if estimate.problem is None:
        raise InputError("the estimate of the arm doesn't carry the data that it was fitted to; identify the arm again")
    problem, kept = estimate.problem, estimate.kept
    efforts = [
        float(np.linalg.norm(factor[:, -1])) / np.sqrt(max(int(n), 1)) for factor, n in zip(problem.factors, problem.counts, strict=True)
    ]
    levels = np.maximum(estimate.summary.noise_levels, LEAST_NOISE * max(efforts))
    rows = problem.stack(1.0 / levels)[:, :-1]
    combinations = np.zeros((int(kept.sum()), len(kept)))
    combinations[:, kept] = np.eye(len(combinations))
    combinations[:, ~kept] = least_squares(rows[:, kept], rows[:, ~kept])
    W = triangular([rows[:, kept]]) / np.sqrt(estimate.summary.inflation)
    noise = W @ estimate.covariance[np.ix_(kept, kept)] @ W.T + ROUNDING * np.eye(len(W))
    return _Told(combinations=combinations, values=estimate.values[kept], weights=W, noise=noise)


def _carry_over(arm: BaseParameters, loaded: BaseParameters) -> tuple[Array, Array]:
    """E (b, b of the arm) and (b,) with the loaded base's coefficients of the bare arm E β + constant; by the names of the columns.

    The arm's may be those of a controller's M and g, which know no friction, or may count on known values.
    """
    places = [loaded.columns.index(arm.columns.names[int(i)]) for i in arm.independent]
    known = np.zeros(len(loaded.columns))
    for name, value in arm.known.items():
        known[loaded.columns.index(name)] = value
    return loaded.grouping[:, places], loaded.grouping @ known


def _changed_friction(base: BaseParameters, arm: BaseParameters, *, refit: bool) -> IntArray:
    """Coefficients of the loaded base that nothing ties to those of the arm: friction, where it may have changed or the arm has none."""
    mechanics = np.zeros((base.robot.n, 0), dtype=bool) if base.friction is None else _depends_on_place(base.friction, base.robot.n)
    free: list[int] = []
    for place, index in enumerate(base.independent.tolist()):
        column = base.columns[index]
        if isinstance(column, FrictionColumn) and (
            column.name not in arm.columns.names or (refit and not mechanics[column.joint, column.slot])
        ):
            free.append(place)
    return np.array(free, dtype=np.int64)


def _depends_on_place(friction: FrictionModel, joints: int) -> BoolArray:
    """(n, k) which terms change with position or acceleration: springs, ripple, rotors. No temperature and no load changes those."""
    dq, load, temperature, *others = np.random.default_rng(0).normal(size=(7, 8, joints))
    first, second = (friction.columns(Motion(q, dq, ddq, load, temperature)) for q, ddq in (others[:2], others[2:]))
    return np.any(np.abs(first - second) > _DEPENDENT, axis=0)
