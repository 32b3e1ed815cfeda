"""What links that can exist and friction that dissipates leave of a hypothesis: physics settles the signs that no data can.

A torque with all its signs turned fits the coefficients with all theirs turned, exactly as well; so does, nearly, a wrist that the rest
of the arm hardly feels. But masses are not negative, and friction does not push.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.convex import Dissipative, PhysicalConsistency
from dynident.feasibility.constraints.regions import ComWithinReach
from dynident.feasibility.constraints.terms import FeasibleSet, Terms
from dynident.feasibility.retrieve import EDGE
from dynident.feasibility.solvers.conic import ConicProgram, ConicStatus, residual_scale
from dynident.regression.equations.base import BaseParameters
from dynident.signs.magnitudes import Magnitudes
from dynident.signs.refine import Refined

#: Accuracy of the fits that hypotheses are ranked by; they differ by far more.
_TOLERANCE = 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class FeasibleFit:
    """cost : what the conditions add to the squared residual, in units of the noise; coefficients : (b,) that meet them."""

    cost: float
    coefficients: Array


def physical_terms(magnitudes: Magnitudes) -> Terms:
    """The conditions that every hypothesis is held to: those of `retrieve`, without what a description says of the links."""
    base, motion = magnitudes.base, magnitudes.motion
    assert motion.dq is not None  # noqa: S101 (prepared)
    friction = () if base.friction is None else (Dissipative(base.friction, np.abs(motion.dq).max(axis=0)),)
    return FeasibleSet((PhysicalConsistency(margin=EDGE), ComWithinReach(), *friction)).terms(base.robot, base.columns)


def feasible_fit(base: BaseParameters, refined: Refined, terms: Terms) -> FeasibleFit:
    """The feasible coefficients that fit a hypothesis best; an infinite cost where the solver finds none."""
    A, b = refined.R @ base.grouping, refined.rhs
    solution = ConicProgram(A, b, terms.blocks, terms.equalities, scale=residual_scale(b)).solve(tolerance=_TOLERANCE)
    cost = float(np.sum((A @ solution.x - b) ** 2)) if solution.status is ConicStatus.SOLVED else np.inf
    return FeasibleFit(cost=cost, coefficients=base.coefficients(solution.x))
