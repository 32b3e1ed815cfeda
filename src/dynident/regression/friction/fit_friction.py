"""Fitting friction whose torque is not linear in all of its parameters: together with the links, or on what known links leave over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Unpack

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.dynamics.friction.shapes import shape_constants, shape_values
from dynident.errors import InputError
from dynident.regression.equations.base import base_parameters
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import EstimateOptions, estimate
from dynident.regression.friction.deviations import linearise_shapes
from dynident.regression.friction.joint_rows import JointRows, joint_rows
from dynident.regression.friction.projection import STARTS, eliminate_friction, fit_shapes, project
from dynident.regression.problem import Problem, problem_of_rows
from dynident.regression.solution import WeightedSolution, largest_coefficients

#: The joints' shapes are fitted in turn, so many times at most; they have settled when none moves by more than this share of itself.
SWEEPS, _SETTLED = 8, 1e-4
#: Further fits after which the load that the links tell changes no more: friction is a small part of it.
_LOAD_ROUNDS = 2


def fit_friction(
    problem: Problem,
    model: FrictionModel,
    *,
    fit_shapes: bool = True,
    starts: int = STARTS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **fitting: Unpack[EstimateOptions],
) -> Estimate:
    """The coefficients and friction of a log, the shapes of the friction model included.

    Parameters
    ----------
    problem
        Of the log, with any friction model; its rows must be there.
    model
        Of all joints, or a `PerJoint`; the shapes that it has are where the search begins.
    fit_shapes
        Whether its shapes are fitted, or stay as they are.
    starts, seed
        Of further starts within the bounds of the shapes.
    progress
        Called now and then with a sentence about what is being done.
    fitting
        Options of `fit`. The shapes themselves are fitted by least squares, without a prior.

    Returns
    -------
    Estimate
        With the fitted model.

    Notes
    -----
    Friction that depends on the load takes the torque of the links alone for it: the measured one has that friction in it.

    The estimate's friction model is a `PerJoint` with the fitted shapes, `Estimate.shapes` has their standard deviations, and those
    of the coefficients include what the shapes leave open.
    """
    loads = settle_loads(problem, model) if "load" in model.needs else None
    rows = joint_rows(problem, loads)
    if fit_shapes and has_shapes(model):
        models = tuple(model.of_joint(j) for j in range(problem.base.robot.n))
        model = PerJoint(search_shapes(problem, rows, models, starts=starts, seed=seed, progress=progress))
    result = estimate(change_friction(problem, model, loads), progress=progress, **fitting)
    if not (fit_shapes and has_shapes(model)) or result.problem is None:
        return result
    rows = joint_rows(result.problem)  # which count by the noise of their recordings
    return linearise_shapes(result, rows, loss=fitting.get("loss"), prior=fitting.get("prior")).include()


def has_shapes(model: FrictionModel) -> bool:
    """Whether its torque is not linear in all that it depends on."""
    return bool(shape_constants(model))


def search_shapes(
    problem: Problem,
    rows: Sequence[JointRows],
    models: Sequence[FrictionModel],
    *,
    starts: int = STARTS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[FrictionModel, ...]:
    """The joints' models with the shapes that explain all rows best: each joint's in turn, the coefficients of all with them."""
    fitted, b = list(models), problem.base.rank
    shaped = [j for j, model in enumerate(models) if shape_constants(model)]
    if not shaped:
        return tuple(fitted)
    weights, ridge = wide_ridge(problem)
    factors = [eliminate_friction(item, item.columns(model), float(w), b) for item, model, w in zip(rows, fitted, weights, strict=True)]
    for sweep in range(SWEEPS):
        moved = 0.0
        for j in shaped:
            if progress is not None:
                progress(f"friction of {problem.groups[j].name}, pass {sweep + 1}")
            others = [factor for g, factor in enumerate(factors) if g != j]
            projection = project(rows[j], float(weights[j]), others, ridge)
            before = shape_values(fitted[j])
            fitted[j] = fit_shapes(fitted[j], rows[j].columns, projection, starts=starts if sweep == 0 else 0, seed=seed + j)
            factors[j] = eliminate_friction(rows[j], rows[j].columns(fitted[j]), float(weights[j]), b)
            moved = max(moved, float(np.abs(shape_values(fitted[j]) / np.where(before == 0.0, 1.0, before) - 1.0).max()))
        if moved < _SETTLED or len(shaped) == 1:
            break
    return tuple(fitted)


def wide_ridge(problem: Problem) -> tuple[Array, Array]:
    """(groups,) one over the noise of each group, and (b,) the coefficients that would make the whole effort by themselves.

    As standard deviations of a prior these change nothing that the data tell, and settle what they don't.
    """
    weights = WeightedSolution.of(problem, "per_group", None).weights
    return weights, np.maximum(largest_coefficients(problem, 1.0 / weights), np.finfo(float).tiny)


def settle_loads(problem: Problem, model: FrictionModel) -> tuple[Array, ...]:
    """Per log (N, n) the load that was given with it, or the torque of the links when friction is fitted with that very load."""
    given = tuple(log.load for log in problem.rows if isinstance(log, LogRows) and log.load is not None)
    if given and len(given) == len(problem.rows):
        return given
    loads = rigid_loads(problem)
    for _ in range(_LOAD_ROUNDS):
        loads = rigid_loads(change_friction(problem, model, loads))
    return loads


def rigid_loads(problem: Problem, rigid: Array | None = None) -> tuple[Array, ...]:
    """Per log (N, n) the torque of the links alone, which is what the joints transmit.

    rigid : (b,) coefficients of the problem; by default fitted to it.
    """
    values = WeightedSolution.of(problem, "per_group", None).values if rigid is None else rigid
    links = problem.base.columns.links(problem.base.representative(values))
    motions = (log.motion(slice(None)) for log in problem.rows if isinstance(log, LogRows))
    return tuple(inverse_dynamics(problem.base.robot, links, motion.q, motion.dq, motion.ddq) for motion in motions)


def change_friction(problem: Problem, friction: FrictionModel, loads: Sequence[Array] | None = None) -> Problem:
    """The problem of the same log with another friction model. loads : per log, for friction that depends on them."""
    base = problem.base
    logs = [source for source in problem.rows if isinstance(source, LogRows)]
    if not logs:
        raise InputError("another friction model needs the log again, and this problem doesn't have it; build it from the data")
    extra = base.columns.names[base.columns.extra_slice]
    changed = base_parameters(base.robot, friction=friction, known=base.known, extra=extra)
    log_loads = [None] * len(logs) if loads is None else list(loads)
    built = [
        problem_of_rows(
            replace(log, base=changed, load=load), samples=log.dataset.samples, source=problem.source, processing=problem.processing
        )
        for log, load in zip(logs, log_loads, strict=True)
    ]
    whole = reduce(lambda one, other: one.merge(other), built)
    kept = ("samples", "source", "provenance", "reached", "notes")
    return replace(whole, **{name: getattr(problem, name) for name in kept})
