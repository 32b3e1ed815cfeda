"""Feasible link parameters: constraints as data, objectives and priors, solvers, and certificates recomputed here."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.feasibility.constraints.convex import (
        Bounds,
        Coefficients,
        DontCare,
        Equal,
        FrictionNonnegative,
        Known,
        PhysicalConsistency,
        Ratio,
        Symmetric,
        TotalMass,
    )
    from dynident.feasibility.constraints.either import Either
    from dynident.feasibility.constraints.nonconvex import LinkView, UserConstraint
    from dynident.feasibility.constraints.regions import ComInCylinder, ComInEllipsoid, ComInHull, ComWithinReach
    from dynident.feasibility.constraints.terms import Constraint, FeasibleSet, Nonconvex, Terms, Violation, violations
    from dynident.feasibility.methods import retrieve_by_method
    from dynident.feasibility.objective import Objective, one_step, two_step
    from dynident.feasibility.prior import NominalPrior, prior_to_robot, uniform_prior
    from dynident.feasibility.problem import RetrievalProblem, build_retrieval
    from dynident.feasibility.ranges import with_ranges
    from dynident.feasibility.repairs.repair import Repair, repair
    from dynident.feasibility.result import Candidate, LinkParameters, RetrievalStatus
    from dynident.feasibility.retrieve import retrieval_problem, retrieve
    from dynident.feasibility.solve import InfeasibleError, NotFoundError, certify, solve_retrieval
    from dynident.feasibility.solvers.solver import SolverOptions
    from dynident.robots.uniform_links import uniform_bodies

__all__ = [
    "Bounds",
    "Candidate",
    "Coefficients",
    "ComInCylinder",
    "ComInEllipsoid",
    "ComInHull",
    "ComWithinReach",
    "Constraint",
    "DontCare",
    "Either",
    "Equal",
    "FeasibleSet",
    "FrictionNonnegative",
    "InfeasibleError",
    "Known",
    "LinkParameters",
    "LinkView",
    "NominalPrior",
    "Nonconvex",
    "NotFoundError",
    "Objective",
    "PhysicalConsistency",
    "Ratio",
    "Repair",
    "RetrievalProblem",
    "RetrievalStatus",
    "SolverOptions",
    "Symmetric",
    "Terms",
    "TotalMass",
    "UserConstraint",
    "Violation",
    "build_retrieval",
    "certify",
    "one_step",
    "prior_to_robot",
    "repair",
    "retrieval_problem",
    "retrieve",
    "retrieve_by_method",
    "solve_retrieval",
    "two_step",
    "uniform_bodies",
    "uniform_prior",
    "violations",
    "with_ranges",
]

make_lazy(__name__)
