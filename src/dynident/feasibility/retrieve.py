"""From an estimate to feasible link parameters: what is not said is settled here, for Python and the command line alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from dynident.core.arrays import Array
from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.feasibility.constraints.convex import PhysicalConsistency, TotalMass
from dynident.feasibility.constraints.regions import ComWithinReach
from dynident.feasibility.constraints.terms import Constraint, FeasibleSet
from dynident.feasibility.objective import Objective, one_step, two_step
from dynident.feasibility.prior import WEIGHT, NominalPrior, prior_to_robot, uniform_prior
from dynident.feasibility.problem import RetrievalProblem, build_retrieval
from dynident.feasibility.ranges import with_ranges
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.solve import solve_retrieval
from dynident.feasibility.solvers.solver import SolverOptions
from dynident.regression.estimate import Estimate
from dynident.regression.problem import Problem
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from dynident.feasibility.constraints.geometry import GeometryBounds

#: Smallest eigenvalue of every link's pseudo-inertia: the best fit often lies on the very edge of consistency, where
#: rounding makes a simulator refuse a link.
EDGE = 1e-7

#: Toward the robot's own links, in the entropic or the euclidean metric, or toward uniform ones; "auto" takes the first that there is.
PriorKind: TypeAlias = Literal["auto", "nominal", "euclidean", "uniform"]
PRIORS: tuple[PriorKind, ...] = ("auto", "nominal", "euclidean", "uniform")


def retrieve(
    wanted: Estimate | RetrievalProblem,
    *,
    solver: str = "sdp",
    options: SolverOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> LinkParameters:
    """Feasible link parameters with their certificate and the range of each, as `dynident retrieve` finds them.

    wanted : an estimate, whose problem is then `retrieval_problem(estimate)`, or a problem to be solved as it is.
    The steps are `retrieval_problem`, `solve_retrieval` and `with_ranges`; the errors are those of `solve_retrieval`.
    """
    problem = retrieval_problem(wanted) if isinstance(wanted, Estimate) else wanted
    return with_ranges(solve_retrieval(problem, solver=solver, options=options, progress=progress))


def retrieval_problem(
    estimate: Estimate,
    *,
    constraints: Constraint | FeasibleSet | None = None,
    consistency: bool = True,
    total_mass: tuple[float, float] | None = None,
    geometry: bool = False,
    objective: Objective | None = None,
    data: Problem | None = None,
    prior: NominalPrior | PriorKind | None = "auto",
    prior_weight: float | None = None,
) -> RetrievalProblem:
    """Links that can exist, that have the coefficients of an estimate, and that are near the nominal ones where those say nothing.

    constraints : beside physical consistency, with a small margin, and centres of mass within the arm's reach.
    consistency : False leaves both of them out.
    total_mass : (low, high) of the sum of the links' masses [kg].
    geometry : centres of mass inside the boxes around the shapes of the robot's URDF.
    objective : by default the distance to the coefficients in standard deviations, `two_step(estimate)`.
    data : the problem that the estimate was fitted to, to fit the data themselves (`one_step`), at the noise levels of the estimate.
    prior : a kind, a prior of your own, or None; "auto" goes toward the nominal links where they are consistent, else toward uniform ones.
    prior_weight : fixed weight of a prior given by its kind; by default as strong as costs next to nothing.
    """
    if objective is not None and data is not None:
        raise InputError("objective and data both say what is fitted; leave one of them out")
    robot, notes = estimate.base.robot, list[str]()
    shapes = _shapes(robot) if geometry else None
    conditions = FeasibleSet((PhysicalConsistency(margin=EDGE), ComWithinReach()) if consistency else ())
    if constraints is not None:
        conditions = conditions & constraints
    if total_mass is not None:
        low, high = total_mass
        if not low <= high:
            raise ValueRangeError("total_mass", f"is from {low:g} to {high:g}; the lower must not exceed the upper")
        conditions = conditions & TotalMass(low, high)
    if shapes is not None:
        conditions = conditions & shapes.constraints
    if isinstance(prior, str):
        prior, notes = _choose_prior(robot, conditions, {} if shapes is None else shapes.boxes, prior, prior_weight)
    elif prior is not None and prior_weight is not None:
        raise InputError("prior_weight is for a prior that is given by its kind; give the prior its own weight, or leave it out")
    notes += [] if shapes is None else shapes.notes
    if not consistency:
        notes.append("physical consistency was not asked for, so the links need not be bodies that can exist")
    if prior is None:
        notes.append('without a prior, what is determined by "prior" is wherever the solver stopped')
    if data is not None:
        levels = estimate.summary.noise_levels if estimate.summary.noise == "per_group" else None
        objective = one_step(data, levels)
    ranges_by = None if data is None else two_step(estimate)
    return build_retrieval(estimate.base, objective or two_step(estimate), conditions, prior=prior, ranges_by=ranges_by, notes=notes)


def _shapes(robot: Robot) -> GeometryBounds:
    from dynident.feasibility.constraints.geometry import geometry_bounds  # with it comes an XML parser, which few retrievals need

    return geometry_bounds(robot)


def _choose_prior(
    robot: Robot, conditions: FeasibleSet, boxes: dict[int, Array], kind: str, weight: float | None
) -> tuple[NominalPrior, list[str]]:
    """The prior that was asked for, or the best that there is, with a note where that is not the nominal model."""
    if kind not in PRIORS:
        raise UnknownNameError("prior", kind, PRIORS)
    if weight is not None and not weight > 0.0:
        raise ValueRangeError("prior_weight", f"is {weight:g}; a positive number was expected, or no prior")
    fixed, weight = weight is not None, weight or WEIGHT
    if kind == "euclidean" and robot.parameters is not None:
        return NominalPrior(nominal=robot.parameters, metric="euclidean", weight=weight, fixed=fixed), []
    nominal = prior_to_robot(robot, weight=weight, fixed=fixed) if kind in ("auto", "nominal") else None
    if nominal is not None:
        return nominal, []
    why = "has no nominal parameters" if robot.parameters is None else "has nominal parameters that are not physically consistent"
    if kind in ("nominal", "euclidean"):
        raise InputError(f"robot {robot.name!r} {why}, so prior {kind} has nothing to go by; use prior uniform or none")
    notes = [] if kind == "uniform" else [f"robot {robot.name!r} {why}, so the prior is toward uniform links"]
    return uniform_prior(robot, conditions, boxes=boxes, weight=weight, fixed=fixed), notes
