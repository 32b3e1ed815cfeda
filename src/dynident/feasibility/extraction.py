"""Extraction in two steps, as in the KUKA paper (section III): gravity first, then inertia with gravity's answer held.

What gravity determines are its coefficients, not the masses and first moments in them, of which there are twice as
many. Holding the coefficients loses nothing; holding each parameter of one gravity solution, as the paper does, keeps an
arbitrary choice, and the inertia coefficients may then be out of reach of bodies that can exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dynident.errors import InputError
from dynident.feasibility.constraints.convex import Known
from dynident.feasibility.constraints.lmi import Equality
from dynident.feasibility.constraints.terms import Constraint, FeasibleSet, Terms
from dynident.feasibility.objective import Objective
from dynident.feasibility.prior import NominalPrior
from dynident.feasibility.problem import build_retrieval
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.solve import solve_retrieval
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import Columns
from dynident.robots.robot import Robot

Hold = Literal["coefficients", "parameters"]


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
    held = _Held(gravity, first) if hold == "coefficients" else FeasibleSet(tuple(_held_parameters(base, gravity, first)))
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


@dataclass(frozen=True, eq=False)
class _Held:
    """The rows of an objective at the values that an answer gave them."""

    objective: Objective
    answer: LinkParameters

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        fitted = self.objective.A @ self.answer.x
        held: list[Equality] = []
        for number, (row, value) in enumerate(zip(self.objective.A, fitted, strict=True), start=1):
            used, name = np.flatnonzero(row), f"gravity coefficient {number} = {value:g}"
            held.append(Equality(name=name, indices=used, coefficients=row[used], value=float(value)))
        return Terms(equalities=tuple(held))


def _held_parameters(base: BaseParameters, gravity: Objective, first: LinkParameters) -> list[Constraint]:
    used = np.flatnonzero(np.any(gravity.A != 0.0, axis=0))
    return [Known(base.columns.names[int(i)], float(first.x[i])) for i in used]
