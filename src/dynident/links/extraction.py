"""Extraction in two steps, as in the KUKA paper (section III): gravity first, then inertia with gravity's answer held.

What gravity determines are its coefficients, not the masses and first moments in them, of which there are twice as
many. Holding the coefficients loses nothing; holding each parameter of one gravity solution, as the paper does, keeps an
arbitrary choice, and the inertia coefficients may then be out of reach of bodies that can exist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import InputError, UnknownNameError
from dynident.links.constraints.lmi import Block, Equality
from dynident.links.constraints.terms import FeasibleSet, Terms
from dynident.links.objective import Objective, two_step
from dynident.links.prior import NominalPrior
from dynident.links.problem import build_retrieval
from dynident.links.result import LinkParameters
from dynident.links.solve import solve_retrieval
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.equations.columns import Columns
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import RowGroup
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import estimate as estimate_coefficients
from dynident.regression.problem import Problem
from dynident.robots.robot import Robot

Hold = Literal["coefficients", "parameters"]
HOLDS: tuple[Hold, ...] = ("coefficients", "parameters")


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldGravity:
    """Sums of links' parameters that stay as they are: rows (k, 10 n or more) @ x = values (k,).

    base : of gravity, whose robot a problem must be about; None where that needs no check. note : what was held, for the reader.
    """

    rows: Array
    values: Array
    names: tuple[str, ...]
    base: BaseParameters | None = None
    note: str = ""

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        if self.base is not None:
            _check_same_gravity(self.base, robot)
        held: list[Equality] = []
        for row, value, name in zip(self.rows, self.values.tolist(), self.names, strict=True):
            used = np.flatnonzero(row)
            held.append(Equality(name=f"{name} = {value:g}", indices=used, coefficients=row[used], value=value))
        return Terms(equalities=tuple(held))


def hold_gravity(estimate: Estimate, links: LinkParameters | None = None, *, hold: Hold = "coefficients") -> HeldGravity:
    """The gravity of another identification, for the second step of the KUKA paper (`retrieval_problem(..., held=...)`).

    estimate, links : of the first step; without links, the coefficients of the estimate, which must be one of gravity alone.
    hold : the "coefficients", or as the paper does each of the "parameters" in them, of which the links are one choice among many.
    """
    base = base_parameters(estimate.base.robot, equations="gravity")
    if hold not in HOLDS:
        raise UnknownNameError("way to hold gravity", hold, HOLDS)
    if links is None:
        if estimate.base.equations != "gravity" or hold == "parameters" or estimate.base.known:
            raise InputError("there are no links whose gravity could be held; retrieve them first")
        note = f"gravity is held: the {base.rank} coefficients that were identified by themselves"
        return HeldGravity(rows=base.grouping, values=estimate.values, names=base.expressions, base=base, note=note)
    x = links.parameters.ravel()
    if hold == "coefficients":
        note = f"gravity is held: the {base.rank} coefficients of the links of the first step"
        return HeldGravity(rows=base.grouping, values=base.coefficients(x), names=base.expressions, base=base, note=note)
    used = np.flatnonzero(np.any(base.grouping != 0.0, axis=0))
    note = f"gravity is held: {len(used)} masses and first moments of the links of the first step, of which many others fit as well"
    names = tuple(base.columns.names[int(k)] for k in used)
    return HeldGravity(rows=np.eye(len(x))[used], values=x[used], names=names, base=base, note=note)


def hold_masses_and_centres(gravity: Objective, links: LinkParameters) -> HeldGravity:
    """Each mass and first moment of a gravity solution that its objective contains, the mass wherever a first moment is: Table II."""
    columns = links.base.columns
    used = {int(k) for k in np.flatnonzero(np.any(gravity.A != 0.0, axis=0))}
    used |= {columns.of_link(k // 10)[0] for k in used}
    places = sorted(used)
    note = f"gravity is held: {len(places)} masses and first moments of the first step, of which many others fit as well"
    return HeldGravity(rows=np.eye(len(links.x))[places], values=links.x[places], names=tuple(columns.names[k] for k in places), note=note)


@dataclass(frozen=True, eq=False)
class MassesAndCentres:
    """Of some constraints, what they ask of the mass and the centre of mass of one link each: the bounds of Table I."""

    constraints: FeasibleSet

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        conditions = self.constraints.terms(robot, columns)

        def is_one(item: Block | Equality) -> bool:
            places = item.indices[item.indices < 10 * robot.n]
            return len(places) == len(item.indices) and bool(np.all(places % 10 < 4)) and len(set((places // 10).tolist())) == 1

        return Terms(
            blocks=tuple(filter(is_one, conditions.blocks)),
            equalities=tuple(filter(is_one, conditions.equalities)),
            dont_care=tuple((name, column) for name, column in conditions.dont_care if column < 10 * robot.n and column % 10 < 4),
        )


def gravity_objective(estimate: Estimate) -> Objective:
    """Distance to the coefficients of gravity, in the columns of an estimate.

    From a controller's M and g they are identified by themselves, from the rows of g; from a log they are sums of its coefficients.
    """
    _check_knows_both(estimate)
    if estimate.base.equations == "controller":
        return _separate(estimate, "gravity")
    base = base_parameters(estimate.base.robot, equations="gravity", known=_known_links(estimate.base))
    sums = base.grouping[:, : 10 * base.robot.n] @ np.eye(10 * base.robot.n, len(estimate.base.columns))[:, estimate.base.independent]
    visible = ~np.any(np.abs(sums[:, ~estimate.kept]) > 0.0, axis=1)
    if not np.any(visible):
        raise InputError("no coefficient of gravity is among those that were kept; record a motion through more configurations")
    return Objective(
        name="squared distance to the coefficients of gravity", A=_padded(base, estimate)[visible], b=(sums @ estimate.values)[visible]
    )


def inertia_objective(estimate: Estimate) -> Objective:
    """Distance to the coefficients of the inertia matrix by themselves; of a log, to all of its coefficients, friction included."""
    _check_knows_both(estimate)
    return _separate(estimate, "inertia") if estimate.base.equations == "controller" else two_step(estimate, weights="none")


def _check_knows_both(estimate: Estimate) -> None:
    if estimate.base.equations in ("gravity", "inertia"):
        remedy = "identify again without that restriction, or hold the gravity of one run in another"
        raise InputError(f"this estimate is of {estimate.base.equations} alone, and both are needed", remedy=remedy)


def _separate(estimate: Estimate, equations: Literal["gravity", "inertia"]) -> Objective:
    if estimate.problem is None:
        raise InputError("gravity and inertia are identified by themselves, and the data of this estimate are not there; identify again")
    fit = estimate_coefficients(_restrict(estimate.problem, equations), noise="uniform")
    A = _padded(fit.base, estimate)[fit.kept]
    return Objective(name=f"squared distance to the coefficients of {equations}", A=A, b=fit.values[fit.kept])


def _restrict(problem: Problem, equations: Literal["gravity", "inertia"]) -> Problem:
    """The rows of g alone, or of M alone, of a controller's samples: a problem in the base parameters of these."""
    whole, part = problem.base, base_parameters(problem.base.robot, equations=equations, known=problem.base.known)
    groups, factors, counts = list[RowGroup](), list[Array](), list[int]()
    for group, factor, count in zip(problem.groups, problem.factors, problem.counts.tolist(), strict=True):
        if group.name[0] != ("g" if equations == "gravity" else "M"):
            continue
        Y = factor[:, :-1] @ whole.grouping[group.columns][:, part.independent]
        columns = np.flatnonzero(np.any(np.abs(Y) > 1e-12 * np.abs(Y).max(), axis=0))
        groups.append(replace(group, columns=columns))
        factors.append(triangular([np.column_stack([Y[:, columns], factor[:, -1]])]))
        counts.append(count)
    restricted = replace(problem, base=part, groups=tuple(groups), factors=tuple(factors), counts=np.array(counts))
    return replace(restricted, rows=(), filtered=None, parts=(), notes=())


def _padded(base: BaseParameters, estimate: Estimate) -> Array:
    """(b, p) the grouping of links alone in all columns of an estimate."""
    rows = np.zeros((base.rank, len(estimate.base.columns)))
    rows[:, : base.grouping.shape[1]] = base.grouping
    return rows


def _known_links(base: BaseParameters) -> dict[str, float]:
    links = set(base.columns.names[: 10 * base.robot.n])
    return {name: value for name, value in base.known.items() if name in links}


def _check_same_gravity(base: BaseParameters, robot: Robot) -> None:
    mine = base_parameters(robot, equations="gravity")
    same = mine.grouping.shape == base.grouping.shape and np.allclose(mine.grouping, base.grouping, atol=1e-6)
    if not same:
        remedy = "identify both with the same robot, mounting and gravity"
        raise InputError(
            f"the gravity to be held is that of {base.robot.name}, and it acts on other sums of parameters here", remedy=remedy
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Extraction:
    """gravity : after the first step, which says nothing about inertias; inertia : the answer; joint : both fitted at once."""

    gravity: LinkParameters
    inertia: LinkParameters
    joint: LinkParameters


def extract_in_two_steps(
    base: BaseParameters,
    gravity: Objective,
    inertia: Objective,
    gravity_constraints: FeasibleSet,
    constraints: FeasibleSet,
    *,
    hold: Hold = "coefficients",
    prior: NominalPrior | None = None,
    solver: str = "sdp",
) -> Extraction:
    """Fit gravity's coefficients, then those of the inertia matrix, and both at once beside it.

    gravity, inertia : distances to either set of coefficients (`two_step` of an estimate with equations "gravity" or "inertia").
    gravity_constraints : on masses and centres of mass (Table I); `constraints` are on everything (Tables I and III, eq. 18).
    hold : what of the first step stays: the fitted "coefficients", or each of the "parameters" in them.
    """
    if len(gravity.A.T) != len(base.columns) or len(inertia.A.T) != len(base.columns):
        raise InputError("the objectives of gravity and inertia must be about the same columns; make both for one robot without friction")
    first = solve_retrieval(build_retrieval(base, gravity, gravity_constraints, prior=prior), solver=solver)
    held = _hold_rows(base, gravity, first, hold)
    both = Objective(
        name=f"{gravity.name}, of gravity and inertia",
        A=np.concatenate([gravity.A, inertia.A]),
        b=np.concatenate([gravity.b, inertia.b]),
    )
    return Extraction(
        gravity=first,
        inertia=solve_retrieval(build_retrieval(base, inertia, constraints & held, prior=prior), solver=solver),
        joint=solve_retrieval(build_retrieval(base, both, constraints, prior=prior), solver=solver),
    )


def _hold_rows(base: BaseParameters, gravity: Objective, first: LinkParameters, hold: Hold) -> HeldGravity:
    if hold == "coefficients":
        names = tuple(f"gravity coefficient {number}" for number in range(1, len(gravity.A) + 1))
        return HeldGravity(rows=gravity.A, values=gravity.A @ first.x, names=names)
    used = np.flatnonzero(np.any(gravity.A != 0.0, axis=0))
    return HeldGravity(rows=np.eye(len(first.x))[used], values=first.x[used], names=tuple(base.columns.names[int(k)] for k in used))
