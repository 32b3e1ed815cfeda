"""Feasible link parameters: constraints as data, objectives and priors, solvers, and certificates recomputed here."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.links.constraints.convex import (
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
    from dynident.links.constraints.either import Either
    from dynident.links.constraints.nonconvex import LinkView, UserConstraint
    from dynident.links.constraints.regions import ComInCylinder, ComInEllipsoid, ComInHull, ComWithinReach
    from dynident.links.constraints.terms import Constraint, FeasibleSet, Nonconvex, Terms, Violation, violations
    from dynident.links.methods import retrieve_by_method
    from dynident.links.objective import Objective, one_step, two_step
    from dynident.links.prior import NominalPrior, prior_to_robot, uniform_prior
    from dynident.links.problem import RetrievalProblem, build_retrieval
    from dynident.links.ranges import with_ranges
    from dynident.links.repairs.repair import Repair, repair
    from dynident.links.result import LinkParameters, RetrievalStatus, SolverAnswer
    from dynident.links.retrieve import retrieval_problem, retrieve
    from dynident.links.solve import InfeasibleError, NotFoundError, certify, solve_retrieval
    from dynident.links.solvers.solver import SolverOptions
    from dynident.robots.uniform_links import uniform_bodies

__all__ = [
    "Bounds",
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
    "SolverAnswer",
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
