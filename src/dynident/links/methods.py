"""Retrieval as the papers print it, by name: each method is a preset of what `retrieve` can be told, declared once as data.

gaz2019 is Algorithm 1 of the Panda paper (RA-L 2019). gaz2016 are the two steps of the KUKA paper (ICRA 2016): masses and centres of mass
from the coefficients of gravity within bounds (eq. 16), then the inertias from those of the inertia matrix with these held (eq. 19).
Both fit coefficients of ordinary least squares by their plain distance, without a prior, from random points of the bounds; the search is
solver penalty. The lower bound beside the answer is not of the papers, and changes nothing in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

import numpy as np

from dynident.core.options import settle_options
from dynident.core.texts import listing, short_number
from dynident.errors import DynidentError, InputError, Remedy, UnknownNameError, require
from dynident.links.constraints.convex import PhysicalConsistency
from dynident.links.constraints.terms import Constraint, FeasibleSet
from dynident.links.extraction import MassesAndCentres, gravity_objective, hold_masses_and_centres, inertia_objective
from dynident.links.objective import ROUNDING, Objective, two_step
from dynident.links.problem import RetrievalProblem, build_retrieval
from dynident.links.result import OPTIMAL_GAP, LinkParameters
from dynident.links.retrieve import check_total_mass, read_shapes
from dynident.links.solve import InfeasibleError, MisfitError, solve_retrieval
from dynident.links.solvers.penalty import SOLVER, PenaltyOptions
from dynident.links.solvers.search.box import name_unbounded
from dynident.links.solvers.solver import SolverOptions
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import estimate as estimate_coefficients

#: How many names a note lists.
_LISTED = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodData:
    """What a method works on.

    estimate : by ordinary least squares.
    constraints : the user's own.
    drop, drop_above_percent : coefficients not to fit, as in `two_step`.
    """

    estimate: Estimate
    constraints: FeasibleSet
    drop: Sequence[int] = ()
    drop_above_percent: float | None = None


@dataclass(frozen=True, kw_only=True)
class MethodStep:
    """One optimisation of a method.

    build : the data and the answer of the step before it, to the problem of this one.
    settings : options of solver penalty that make it the published search; the others can be chosen.
    stops : the search ends at a threshold, which the paper leaves open: here a cost within 1 % of the lower bound, or zero up to rounding.
    """

    name: str
    build: Callable[[MethodData, LinkParameters | None], RetrievalProblem]
    settings: Mapping[str, object]
    stops: bool = False


@dataclass(frozen=True, kw_only=True)
class Method:
    """A published retrieval.

    title : what it is, in one line.
    options : what `dynident retrieve` would be told to do the same; None for what does not go with it.
    starts : independent runs in the paper, of which the best is kept.
    """

    name: str
    title: str
    options: Mapping[str, object]
    starts: int
    steps: tuple[MethodStep, ...] = field(repr=False)


class HeldTooMuchError(DynidentError):
    """What the first step of a method chose leaves its second step no good answer. Attributes: `method`, `reason`, the error there."""

    def __init__(self, method: str, reason: MisfitError | InfeasibleError, seed: int) -> None:
        self.method, self.reason = method, reason
        outcome = "no inertias are within the constraints"
        if isinstance(reason, MisfitError):
            fitted, links = reason.best.training or (0.0, 0.0)
            outcome = f"the best links leave {short_number(links)} % of the effort unexplained, the coefficients {short_number(fitted)} %"
        remedy = Remedy("bound masses and centres of mass more tightly, or try others by {seed}", seed=seed + 1)
        super().__init__(f"method {method}: with the masses and centres of mass that its first step chose, {outcome}", remedy=remedy)


def retrieve_by_method(
    estimate: Estimate,
    method: str,
    *,
    constraints: Constraint | FeasibleSet | None = None,
    total_mass: tuple[float, float] | None = None,
    geometry: bool = False,
    drop: Sequence[int] = (),
    drop_above_percent: float | None = None,
    options: SolverOptions | None = None,
    solve: Callable[[RetrievalProblem, MethodStep, SolverOptions], LinkParameters] | None = None,
) -> LinkParameters:
    """Link parameters as a paper finds them, on any robot.

    Parameters
    ----------
    estimate : of a log or of a controller's M and g. Where it weighs rows by their noise, its rows are fitted again by ordinary least
        squares, as in the papers.
    method : "gaz2019" or "gaz2016".
    constraints : bounds on masses, centres of mass and inertias (LB, UB), and whatever else is known.
    total_mass, geometry : as in `retrieval_problem`.
    drop, drop_above_percent : of gaz2019, coefficients not to fit: by their number from 1, or above a relative standard deviation.
    options : seed, starts (by default as many as in the paper), executor, budget; of the solver's own, `local` and `evaluations`.
    solve : how a step is solved, where that is not `solve_retrieval`.

    Returns
    -------
    LinkParameters
        With the name of the method in `method`.

    Raises
    ------
    InputError
        For a name that is not known, data that the method can't use, or an option that contradicts it.
    HeldTooMuchError
        Where what the first step of gaz2016 chose leaves the second no links that explain the data.
    """
    chosen = method_by_name(method)
    if (drop or drop_above_percent is not None) and chosen.options.get("drop", 0) is None:
        raise InputError(f"method {method} fits gravity and inertia one after the other, so that coefficients can't be dropped by number")
    given = options or SolverOptions(starts=chosen.starts)
    asked: list[Constraint] = [] if total_mass is None else [check_total_mass(total_mass)]
    asked += [] if constraints is None else [constraints]
    notes: list[str] = []
    if geometry:
        shapes = read_shapes(estimate.base.robot)
        asked.append(shapes.constraints)
        notes += shapes.notes
    data = MethodData(
        estimate=fit_plainly(estimate),
        constraints=FeasibleSet(tuple(asked)),
        drop=drop,
        drop_above_percent=drop_above_percent,
    )
    links: LinkParameters | None = None
    for step in chosen.steps:
        problem = step.build(data, links)
        settings = replace(given, own=_own_options(chosen, step, problem, given.own))
        try:
            links = (solve or _solve)(problem, step, settings)
        except (MisfitError, InfeasibleError) as error:
            if links is None:
                raise
            raise HeldTooMuchError(method, error, given.seed) from None
        if step is not chosen.steps[-1]:
            costs = f"cost {links.objective:.4g} of {len(problem.objective.b)} coefficients"
            notes.append(f"method {method}, step {step.name}: {costs}, lower bound {links.lower_bound:.4g}")
    links = require(links, "a step of the method")
    if len(chosen.steps) > 1 and links.lower_bound > ROUNDING * links.scale:
        other = "other seeds, or tighter bounds on masses and centres of mass, give others"
        notes.append(f"with what the step before holds, nothing within the bounds costs less than {links.lower_bound:.4g}; {other}")
    notes = [*_changed(estimate, data.estimate), *notes]
    return replace(links, method=method, notes=(*notes, *links.notes, *_impossible(chosen, links)))


def method_by_name(name: str) -> Method:
    """UnknownNameError lists the methods that there are."""
    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    return METHODS[name]


def fit_plainly(estimate: Estimate) -> Estimate:
    """Ordinary least squares of an estimate's rows, as in the papers: all rows of one noise, the squared loss.

    Where the rows are not there (links of one data set, friction of another) the estimate stays as it is.
    """
    if (estimate.summary.noise == "uniform" and estimate.summary.loss == "squared") or estimate.problem is None:
        return estimate
    return estimate_coefficients(estimate.problem, noise="uniform", drop_above_percent=estimate.summary.drop_above_percent)


def _changed(estimate: Estimate, plain: Estimate) -> list[str]:
    if plain is estimate and estimate.summary.noise == "uniform":
        return []
    if plain is estimate:
        return ["the coefficients are those of the run, whose rows were weighed by their noise; the paper's are of ordinary least squares"]
    moved = float(np.linalg.norm(plain.values - estimate.values) / max(float(np.linalg.norm(estimate.values)), np.finfo(float).tiny))
    return [f"the coefficients are those of ordinary least squares, {100.0 * moved:.2g} % from those of the run, which weigh rows by noise"]


def _impossible(method: Method, links: LinkParameters) -> list[str]:
    names = [name for name, margin in zip(links.base.robot.link_names, links.margins, strict=True) if margin < 0.0]
    if not names or not method.options["no_consistency"]:
        return []
    return [f"method {method.name} does not ask for physical consistency, and no body can be {', '.join(names)}; retrieve without it"]


def _own_options(method: Method, step: MethodStep, problem: RetrievalProblem, given: object) -> PenaltyOptions:
    """The solver's options of a step, with those of the user where the paper leaves them open."""
    fixed = dict(step.settings)
    if step.stops and problem.floor is not None:
        fixed["threshold"] = max(ROUNDING * problem.objective.scale, (1.0 + OPTIMAL_GAP) * problem.floor.bound)
    published = settle_options(PenaltyOptions, fixed, f"method {method.name}")
    if given is None:
        return published
    chosen = settle_options(PenaltyOptions, cast("Mapping[str, object] | PenaltyOptions", given), f"solver {SOLVER.name}")
    names = list(cast("Mapping[str, object]", given)) if isinstance(given, Mapping) else [item.name for item in fields(PenaltyOptions)]
    named: dict[str, Any] = {name: getattr(chosen, name) for name in names}
    for name, value in named.items():
        if name in step.settings and value != getattr(published, name):
            raise InputError(f"method {method.name} has {name}={getattr(published, name)}; leave out {name}={value}")
    return replace(published, **named)


def _solve(problem: RetrievalProblem, step: MethodStep, options: SolverOptions) -> LinkParameters:
    return solve_retrieval(problem, solver=SOLVER.name, options=options)


def _build(data: MethodData, objective: Objective, constraints: FeasibleSet, *, judged: bool = True) -> RetrievalProblem:
    """A problem without a prior, and what is to be known of its search. judged : by the data of the estimate."""
    estimate = data.estimate
    problem = build_retrieval(
        estimate.base,
        objective,
        constraints,
        data=None if estimate.problem is None or not judged else replace(estimate.problem, rows=(), filtered=None),
        fitted=estimate.residuals if judged else None,
    )
    notes: list[str] = []
    if open_ends := name_unbounded(problem):
        notes.append(f"no bounds were given for {listing(open_ends, _LISTED)}: they are searched within those of an arm of this size")
    if free := estimate.base.unidentifiable:
        where = "the search left them anywhere within their bounds; choose them by dont_care in a constraint file"
        notes.append(f"no coefficient contains the don't-care parameters {listing(free, _LISTED)}: {where}")
    return replace(problem, notes=tuple(notes)) if judged else problem


def _algorithm_1(data: MethodData, before: LinkParameters | None) -> RetrievalProblem:
    """Eq. (29): φ = ‖π(p) - π̂‖² within LB..UB, with eq. (32) for the triangle inequality and whatever else is asked."""
    objective = two_step(data.estimate, weights="none", drop=data.drop, drop_above_percent=data.drop_above_percent)
    return _build(data, objective, FeasibleSet((PhysicalConsistency(), data.constraints)))


def _gravity(data: MethodData, before: LinkParameters | None) -> RetrievalProblem:
    """Eq. (16): f₁ = ‖π_g(x) - π̂_g‖² within the bounds of single masses and centres of mass."""
    return _build(data, gravity_objective(data.estimate), FeasibleSet((MassesAndCentres(data.constraints),)), judged=False)


def _inertia(data: MethodData, before: LinkParameters | None) -> RetrievalProblem:
    """Eq. (19): f₂ = ‖π_m(y) - π̂_m‖² with the masses and centres of mass of the first step held, within all that is asked."""
    first = require(before, "the result of the first step")
    held = hold_masses_and_centres(require(first.problem, "the problem of the first step").objective, first)
    problem = _build(data, inertia_objective(data.estimate), data.constraints & held)
    return replace(problem, notes=(held.note, *problem.notes))


_PLAIN: Mapping[str, object] = {
    "two_step": True,
    "one_step": None,
    "weights": "none",
    "prior": "none",
    "prior_factor": None,
    "hold_gravity": None,
    "solver": SOLVER.name,
}
_CONSTANT: Mapping[str, object] = {"steps": 1, "search": "annealing", "penalty": "constant", "delta": 10.0}
GAZ2019 = Method(
    name="gaz2019",
    title="Algorithm 1 of the Panda paper (Gaz et al., RA-L 2019)",
    options={**_PLAIN, "hold": None, "no_consistency": None},
    starts=100,
    steps=(
        MethodStep(name="links", build=_algorithm_1, settings={"steps": 10, "growth": 10.0, "search": "annealing", "penalty": "distance"}),
    ),
)
GAZ2016 = Method(
    name="gaz2016",
    title="the two steps of the KUKA paper, gravity then inertia (Gaz et al., ICRA 2016)",
    options={**_PLAIN, "hold": "parameters", "no_consistency": True, "drop": None},
    starts=1000,
    steps=(
        MethodStep(name="gravity", build=_gravity, settings=_CONSTANT, stops=True),
        MethodStep(name="inertia", build=_inertia, settings=_CONSTANT, stops=True),
    ),
)
METHODS: dict[str, Method] = {method.name: method for method in (GAZ2019, GAZ2016)}


def describe_methods() -> str:
    """The methods with what they are, for help."""
    return "; ".join(f"{name}, {method.title}, {method.starts} starts" for name, method in METHODS.items())
