"""From an estimate to feasible link parameters: what is not said is settled here, for Python and the command line alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.links.constraints.convex import PhysicalConsistency, TotalMass
from dynident.links.constraints.regions import ComWithinReach
from dynident.links.constraints.terms import Constraint, FeasibleSet
from dynident.links.evidence import judge_nominal, scale_by_evidence
from dynident.links.friction_prior import dissipation, friction_std, one_way_notes
from dynident.links.objective import Objective, posterior_data
from dynident.links.options import PRIOR_FACTOR
from dynident.links.prior import UNIFORM, NominalPrior, mend_nominal, prior_to_robot, uniform_prior
from dynident.links.problem import RetrievalProblem, build_retrieval, mass_unit
from dynident.links.ranges import with_ranges
from dynident.links.result import LinkParameters
from dynident.links.solve import solve_retrieval
from dynident.links.solvers.solver import SolverOptions
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate
from dynident.robots.check import check_robot
from dynident.robots.kinematics import length_unit
from dynident.robots.parameters.link_metric import weight_of
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from dynident.links.constraints.geometry import GeometryBounds
    from dynident.links.extraction import HeldGravity

#: Smallest eigenvalue of every link's pseudo-inertia, of an arm of kilograms and metres, where no prior keeps links off the edge of
#: consistency: rounding makes a simulator refuse a link there.
EDGE = 1e-7

#: Toward the robot's own links, in the entropic or the euclidean metric, or toward uniform ones; "auto" takes the first that there is.
PriorKind: TypeAlias = Literal["auto", "nominal", "euclidean", "uniform"]
PRIORS: tuple[PriorKind, ...] = ("auto", "nominal", "euclidean", "uniform")

#: A note on links without a description: of 33 virtual arms the torques are right, the mass is within 1.5 of the truth in 88 %
#: (`benchmarks trust`).
MASS_OPEN = "the total mass is not determined by these data: give the total mass, or a description with the inertia of the links"


def retrieve(
    wanted: Estimate | RetrievalProblem,
    *,
    solver: str = "sdp",
    options: SolverOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> LinkParameters:
    """Feasible link parameters with their certificate and the range of each, as `dynident retrieve` finds them.

    Parameters
    ----------
    wanted
        An estimate, whose problem is then `retrieval_problem(estimate)`, or a problem to be solved as it is.
    solver
        Name of a solver: "sdp" and "barrier" prove their answer, "penalty" takes any Python function.
    options
        Seed, starts, budget and what the solver has of its own (`SolverOptions`).
    progress
        Called now and then with a sentence about what is being done.

    Returns
    -------
    LinkParameters
        Parameters of every link with their status, the lower bound that proves them, and a range each.

    Raises
    ------
    InfeasibleError
        Where the constraints contradict each other; it names an irreducible set of them.
    NotFoundError
        Where the solver's best answer breaks a constraint.
    MisfitError
        Where no feasible links explain the data that the coefficients explain.

    Notes
    -----
    The steps are `retrieval_problem`, `solve_retrieval` and `with_ranges`; the errors are those of `solve_retrieval`.

    Examples
    --------
    >>> from dynident import load_run, retrieve
    >>> retrieve(load_run("run").estimate).feasible
    True
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
    prior: NominalPrior | PriorKind | None = "auto",
    prior_factor: float = PRIOR_FACTOR,
    objective: Objective | None = None,
    ranges_by: Objective | None = None,
    held: HeldGravity | None = None,
) -> RetrievalProblem:
    """Links that can exist and that data and prior together make most probable (maximum a posteriori), in units of the noise.

    Parameters
    ----------
    estimate
        What `identify` returned.
    constraints
        Beside physical consistency and friction that opposes the motion at every speed of the log
        (`dynident.dynamics.friction.dissipation`); and, where no distribution of bodies is the prior, a small margin of consistency and
        centres of mass within the arm's reach.
    consistency
        False leaves all of these out.
    total_mass : (low, high)
        Of the sum of the links' masses [kg].
    geometry
        Centres of mass inside the boxes around the shapes of the robot's URDF.
    prior
        A kind, a prior of your own, or None; "auto" goes toward the nominal links, with uniform bodies in place of those that can't exist;
        where there are none, or most can't exist, toward uniform links whose scale the data choose.
    prior_factor
        The mass of each of the prior's links is known to about this factor: e to the standard deviation of its distribution.
    objective
        Something else to fit, such as `two_step(estimate)` with the coefficients of an estimate as in the papers, or `one_step(problem)`.
        The prior then only chooses among answers that fit it as well.
    ranges_by
        What "fits as well as the noise allows" means for ranges; by default the objective.
    held
        Gravity as another identification has it (`hold_gravity`), which then stays.

    Returns
    -------
    RetrievalProblem
        For `solve_retrieval`.
    """
    robot, notes = estimate.base.robot, list[str]()
    shapes = read_shapes(robot) if geometry else None
    goal = posterior_data(estimate) if objective is None else objective
    conditions = FeasibleSet()
    if consistency and objective is None and prior in ("auto", "nominal", "uniform"):  # whose bodies are within, and not on the edge
        conditions = FeasibleSet((PhysicalConsistency(),))
    elif consistency:
        conditions = FeasibleSet((PhysicalConsistency(margin=edge_of(estimate.base, goal)), ComWithinReach()))
    if consistency:
        conditions = conditions & dissipation(estimate)
        notes += one_way_notes(estimate)
    if constraints is not None:
        conditions = conditions & constraints
    if held is not None:
        conditions = conditions & held
        notes.append(held.note)
    if total_mass is not None:
        conditions = conditions & check_total_mass(total_mass)
    if shapes is not None:
        conditions = conditions & shapes.constraints
        notes += shapes.notes
    if not prior_factor > 1.0:
        raise ValueRangeError("prior_factor", f"is {prior_factor:g}; a factor above 1 was expected, such as 2")
    if isinstance(prior, str):
        uniform = uniform_prior(robot, conditions, boxes={} if shapes is None else shapes.boxes)
        prior, remarks = _choose_prior(robot, uniform, prior)
        notes += remarks
        if objective is None:
            plain = build_retrieval(estimate.base, goal, conditions)
            prior, uniform = (_as_knowledge(item, prior_factor, estimate, consistency) for item in (prior, uniform))
            if prior.toward != UNIFORM:
                notes.append(judge_nominal(plain, prior, uniform))
            elif total_mass is None:
                prior = scale_by_evidence(plain, prior)
                notes += [MASS_OPEN] if constraints is None else []
    if not consistency:
        notes.append("physical consistency was not asked for, so the links need not be bodies that can exist")
    if prior is None:
        notes.append('without a prior, what is determined by "prior" is wherever the solver stopped')
    return build_retrieval(
        estimate.base,
        goal,
        conditions,
        prior=prior,
        data=None if estimate.problem is None else replace(estimate.problem, rows=(), filtered=None),  # what a worker process needs of it
        fitted=estimate.residuals,
        ranges_by=ranges_by,
        notes=notes,
        doubts=estimate.doubts,
    )


def _as_knowledge(prior: NominalPrior, factor: float, estimate: Estimate, consistency: bool) -> NominalPrior:
    """The prior in units of the noise: for bodies a Wishart distribution, in which a mass has the standard deviation log(factor)."""
    wishart = consistency and prior.metric == "entropic"
    weight = 2.0 / np.log(factor) ** 2 if wishart else weight_of(factor)
    return replace(prior, weight=float(weight), fixed=True, wishart=wishart, friction_std=friction_std(estimate))


def choose_nominal(robot: Robot) -> NominalPrior:
    """The links that a prior goes toward before any data: those of the description, uniform bodies in place of what can't exist."""
    return _choose_prior(robot, uniform_prior(robot, FeasibleSet()), "auto")[0]


def edge_of(base: BaseParameters, goal: Objective) -> float:
    """`EDGE`, or as much less or more as the robot that the objective tells of is smaller or larger than an arm [kg·m²]."""
    return EDGE * mass_unit(base, goal) * length_unit(base.robot) ** 2


def check_total_mass(total_mass: tuple[float, float]) -> TotalMass:
    """The constraint; ValueRangeError for a range that no arm can have."""
    low, high = total_mass
    if not low <= high:
        raise ValueRangeError("total_mass", f"is from {low:g} to {high:g}; the lower must not exceed the upper")
    if high <= 0.0:
        raise ValueRangeError("total_mass", f"is at most {high:g} kg; what links weigh is above zero")
    return TotalMass(low, high)


def read_shapes(robot: Robot) -> GeometryBounds:
    """Centres of mass inside the boxes around the shapes of the robot's URDF."""
    from dynident.links.constraints.geometry import geometry_bounds

    return geometry_bounds(robot)


def _choose_prior(robot: Robot, uniform: NominalPrior, kind: str) -> tuple[NominalPrior, list[str]]:
    """The prior that was asked for, or the best that there is, with notes where that is not the nominal model or that is odd."""
    if kind not in PRIORS:
        raise UnknownNameError("prior", kind, PRIORS)
    if kind == "uniform":
        return uniform, []
    why = "has no nominal parameters" if robot.parameters is None else "has nominal parameters that are not physically consistent"
    nominal = prior_to_robot(robot)
    if (kind == "nominal" and nominal is None) or (kind == "euclidean" and robot.parameters is None):
        raise InputError(f"robot {robot.name!r} {why}, so prior {kind} has nothing to go by; use prior uniform or none")
    notes = [
        f"the description of {link.name} looks wrong ({'; '.join(link.warnings)}), and is what the prior goes toward all the same"
        for link in check_robot(robot).links
        if link.warnings
    ]
    if kind == "euclidean" and robot.parameters is not None:
        return NominalPrior(nominal=robot.parameters, metric="euclidean"), notes
    if nominal is not None:
        return nominal, notes
    mended, impossible = (uniform, robot.link_names) if robot.parameters is None else mend_nominal(robot, uniform)
    if 2 * len(impossible) > robot.n:
        return uniform, [f"robot {robot.name!r} {why}, so the prior is toward uniform links"]
    others = f"the prior is toward uniform ones of that mass there, and toward the other {robot.n - len(impossible)} links as described"
    return mended, [*notes, f"no body can be what the description says of {', '.join(impossible)}; {others}"]
