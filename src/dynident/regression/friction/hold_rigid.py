"""Friction alone, fitted to what known links leave over (the Panda paper's way, section IV-B): cheap, and for a log that could not tell
the links. Their uncertainty goes into that of the friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.linear_algebra import least_squares
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.errors import InputError
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Estimate, EstimateStatus, Residuals
from dynident.regression.estimation import estimate
from dynident.regression.friction.deviations import ShapeSpread, linearise_shapes
from dynident.regression.friction.fit_friction import change_friction, rigid_loads
from dynident.regression.friction.joint_rows import joint_rows
from dynident.regression.friction.projection import STARTS, fit_shapes, project_known
from dynident.regression.notes import estimate_notes
from dynident.regression.problem import Problem
from dynident.regression.solution import explains_badly, residuals
from dynident.regression.uncertainty.losses import Squared


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidModel:
    """What is known of the links. links : (n, 10) parameters that move as they do; covariance : (10 n, 10 n) of these."""

    links: Array
    covariance: Array

    @staticmethod
    def of(estimate: Estimate) -> RigidModel:
        """That of an estimate, from a log or from a controller's M and g."""
        base = estimate.base
        covariance = np.zeros((len(base.columns), len(base.columns)))
        covariance[np.ix_(base.independent, base.independent)] = estimate.covariance
        of_links = base.columns.link_slice
        return RigidModel(links=estimate.link_part, covariance=covariance[of_links, of_links])

    def coefficients(self, base: BaseParameters) -> tuple[Array, Array]:
        """(b,) and (b, b) the links' share of the coefficients of a base, zero elsewhere."""
        K = base.grouping[:, base.columns.link_slice] * ~friction_places(base)[:, None]
        return K @ self.links.ravel(), K @ self.covariance @ K.T


def friction_places(base: BaseParameters) -> BoolArray:
    """(b,) which coefficients are friction parameters."""
    return np.array([isinstance(base.columns[i], FrictionColumn) for i in base.independent.tolist()], dtype=bool)


def fit_friction_alone(problem: Problem, model: FrictionModel, rigid: RigidModel, *, starts: int = STARTS, seed: int = 0) -> Estimate:
    """The friction of a log, shapes included, with the links as they are known.

    problem : of the log, with any friction model; model : of all joints, or a `PerJoint`.
    """
    spread = hold_links(problem, model, rigid, starts=starts, seed=seed)
    return spread.include(rigid.coefficients(spread.estimate.base)[1])


def hold_links(problem: Problem, model: FrictionModel, rigid: RigidModel, *, starts: int = STARTS, seed: int = 0) -> ShapeSpread:
    """The same before the uncertainty of the links is added, and how it follows the links."""
    known, _ = rigid.coefficients(problem.base)
    loads = rigid_loads(problem, known) if "load" in model.needs else None
    n, rows = problem.base.robot.n, joint_rows(problem, loads)
    fitted: list[FrictionModel] = []
    for j in range(n):
        joint_model = model.of_joint(j)
        fitted.append(fit_shapes(joint_model, rows[j].columns, project_known(rows[j], 1.0, known), starts=starts, seed=seed + j))
    changed = change_friction(problem, PerJoint(tuple(fitted)), loads)
    held = _hold(estimate(changed), rigid.coefficients(changed.base)[0])
    return linearise_shapes(held, joint_rows(held.require_problem()), held=~friction_places(held.base))


def _hold(estimate: Estimate, rigid: Array) -> Estimate:
    """A fit of everything as one of the friction alone. rigid : (b,) the coefficients of the links."""
    base, problem = estimate.base, estimate.require_problem()
    of_friction, values = friction_places(base), rigid.copy()
    for group, factor in zip(problem.groups, problem.factors, strict=True):
        mine = of_friction[group.columns]
        _check_motion(group.name, factor[:, :-1][:, mine])
        left = factor[:, -1] - factor[:, :-1][:, ~mine] @ values[group.columns[~mine]]
        values[group.columns[mine]] = least_squares(factor[:, :-1][:, mine], left)
    remainder = residuals(problem, values)
    fitted = [int(of_friction[group.columns].sum()) for group in problem.groups]
    levels = tuple(np.sqrt(remainder.squares / np.maximum(remainder.counts - fitted, 1)).tolist())
    held = replace(
        estimate,
        values=values,
        residuals=remainder,
        kept=np.ones(base.rank, dtype=bool),
        dropped=(),
        status=EstimateStatus.COMPLETE,
        summary=replace(estimate.summary, noise_levels=levels, loss=Squared.name),
        blocks=None,
        notes=problem.notes,
    )
    return replace(held, notes=(*problem.notes, *_other_changes(estimate, remainder), *estimate_notes(held)))


def _check_motion(joint: str, columns: Array) -> None:
    """columns : (r, k) those of a joint's friction. InputError where the log can't tell its parameters apart."""
    sizes = np.linalg.norm(columns, axis=0)
    if not np.all(sizes > 0.0) or np.linalg.matrix_rank(columns / sizes) < len(sizes):
        raise InputError(
            f"the log can't tell the friction of {joint!r}, which hardly moves in it",
            remedy="give a log in which every joint moves to and fro, or ask for a simpler friction model",
        )


def _other_changes(everything: Estimate, held: Residuals) -> Iterator[str]:
    """everything : fit of links and friction to the same log."""
    spare = int(held.counts.sum()) - everything.base.rank
    if spare <= 0:
        return
    fitted = everything.residuals.relative_percent * float(np.sqrt(held.counts.sum() / spare))
    if explains_badly(fitted, held.relative_percent):
        yield (
            f"more than friction has changed: with these links {held.relative_percent:.2g} % of the effort is unexplained, "
            f"and {fitted:.2g} % where links are fitted to this log too; look for a payload, another mounting or reversed signs, "
            "and don't believe the friction before"
        )
