"""What links that can exist and friction that opposes the motion leave of a hypothesis: physics settles the signs that no data can.

A torque with all its signs turned fits the coefficients with all theirs turned, exactly as well; so does, nearly, a wrist that the rest
of the arm hardly feels. But masses are not negative, and friction does not push.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.dissipation import reached_speeds
from dynident.links.constraints.convex import Dissipative, PhysicalConsistency
from dynident.links.constraints.lmi import counted
from dynident.links.constraints.regions import ComWithinReach
from dynident.links.constraints.terms import FeasibleSet, Terms
from dynident.links.objective import Objective
from dynident.links.problem import parameter_units
from dynident.links.retrieve import edge_of
from dynident.links.solvers.conic import ConicStatus, solve_counted
from dynident.regression.equations.base import BaseParameters
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.refine import Refined

#: Accuracy of the fits that hypotheses are ranked by; they differ by far more.
_TOLERANCE = 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class FeasibleFit:
    """cost : what the conditions add to the squared residual, in units of the noise; coefficients : (b,) that meet them."""

    cost: float
    coefficients: Array


def physical_terms(magnitudes: Magnitudes, goal: Objective) -> Terms:
    """The conditions that every hypothesis is held to: those of `retrieve`, without what a description says of the links.

    goal : the fit of any hypothesis, which tells how large the robot is.
    """
    base, motion = magnitudes.base, magnitudes.motion
    friction = () if base.friction is None else (Dissipative(base.friction, reached_speeds(motion.require("dq"), magnitudes.log.mask)),)
    return FeasibleSet((PhysicalConsistency(margin=edge_of(base, goal)), ComWithinReach(), *friction)).terms(base.robot, base.columns)


def hypothesis_goal(base: BaseParameters, R: Array, rhs: Array) -> Objective:
    """‖R K x - rhs‖² over the standard columns x: the fit of a sign hypothesis, whitened."""
    return Objective(name="squared residual in units of the noise", A=R @ base.grouping, b=rhs)


def feasible_fit(base: BaseParameters, refined: Refined, terms: Terms) -> FeasibleFit:
    """The feasible coefficients that fit a hypothesis best; an infinite cost where the solver finds none."""
    goal = hypothesis_goal(base, refined.R, refined.rhs)
    A, b, units = goal.A, goal.b, parameter_units(base, goal)
    solution = solve_counted(A, b, *counted(terms.blocks, terms.equalities, units), units, tolerance=_TOLERANCE)
    cost = float(np.sum((A @ solution.x - b) ** 2)) if solution.status is ConicStatus.SOLVED else np.inf
    return FeasibleFit(cost=cost, coefficients=base.coefficients(solution.x))
