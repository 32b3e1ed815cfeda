"""From a retrieval problem to certified link parameters: solve, recompute, bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.core.options import NoOptions
from dynident.core.texts import short_number
from dynident.errors import DynidentError, Remedy
from dynident.links.branches import Branching, ContradictionError, choose_branches
from dynident.links.objective import ROUNDING, Objective
from dynident.links.plausibility import DISTANCE, Misfit, doubts, find_costliest, find_misfit, find_optimism
from dynident.links.posterior import REACH
from dynident.links.problem import RetrievalProblem
from dynident.links.result import OPTIMAL_GAP, Bounds, LinkParameters, RetrievalStatus, Solution, SolverAnswer
from dynident.links.solvers import sdp
from dynident.links.solvers.certificates import conflicting
from dynident.links.solvers.registry import check_solvable, solve_with, solver_by_name
from dynident.links.solvers.solver import SolverOptions
from dynident.regression.solution import residuals

#: Two answers of a multi-start are distinct when their parameters differ by more than this share of the largest.
DISTINCT = 1e-3
#: A weighted objective beyond this many times its expectation is no longer noise.
MISFIT = 3.0
#: Below this share of ‖b‖² what is left of ‖A x - b‖² counts as rounding, not as a conflict with the constraints.
NEARLY_EXACT = 1e-10
_STEPS = 3


class InfeasibleError(DynidentError):
    """No parameters satisfy all constraints. Attributes: `conflicting`, names of constraints that contradict each other.

    Attributes
    ----------
    branches
        Of rules with branches, where every combination of these does, each by some of the constraints.
    """

    def __init__(self, names: Sequence[str], *, branches: bool = False) -> None:
        self.conflicting, self.branches = tuple(names), branches
        whatever = ", whichever branches are taken" if branches else ""
        super().__init__(f"no parameters satisfy all constraints{whatever}; these contradict each other: {'; '.join(names)}")


class NotFoundError(DynidentError):
    """A solver found no feasible parameters, though none was proven to be missing. Attributes: `best`."""

    def __init__(self, best: LinkParameters) -> None:
        self.best = best
        worst = "; ".join(str(violation) for violation in best.violations[:3])
        super().__init__(
            f"solver {best.solver} found no feasible parameters; its best answer misses: {worst}",
            remedy="try more starts or another solver",
        )


class MisfitError(DynidentError):
    """Feasible links that don't explain the data which the coefficients explain. Attributes: `best`, `costliest`, `misfit`."""

    def __init__(self, best: LinkParameters, costliest: str, misfit: Misfit) -> None:
        self.best, self.costliest, self.misfit = best, costliest, misfit
        fitted, links = best.training or (0.0, 0.0)
        check = "check the signs and units of the effort, the mounting and the robot description"
        rotors = "add rotors behind gears to the model where it lacks them (armature, a part of the friction model)"
        remedy = f"{check}, {rotors}, or loosen that condition"
        if costliest == DISTANCE:
            remedy = "fit the data, which is the default, or weigh the coefficients by their covariance"
        if misfit.reversed:
            data = None if best.problem is None else best.problem.data
            read = (None if data is None else data.processing.read.effort_signs) or (1.0,)
            signs = ",".join(f"{sign * old:g}" for sign, old in zip(misfit.signs, np.resize(read, len(misfit.signs)), strict=True))
            remedy = Remedy("read the log with {effort_signs}, or " + check, effort_signs=signs)
        left = f"the best links leave {short_number(links)} % of the effort unexplained on the data of the fit"
        text = f"{left}, and the coefficients {short_number(fitted)} %"
        costs = "" if misfit.reversed else f"; {costliest} costs most"
        super().__init__(f"{text}{costs}{f'; {misfit}' if str(misfit) else ''}", remedy=remedy)


class NotConvergedError(DynidentError):
    """Links that don't explain the data because the solver stopped too early: others do. Attributes: `best`, `better`, its objective."""

    def __init__(self, best: LinkParameters, better: float, unexplained: float) -> None:
        self.best, self.better = best, better
        _, links = best.training or (0.0, 0.0)
        outcome = f"its best answer has the objective {best.objective:.4g} and leaves {short_number(links)} % of the effort unexplained"
        exist = f"parameters within the same constraints exist with {better:.4g} and {short_number(unexplained)} %"
        super().__init__(
            f"solver {best.solver} did not converge: {outcome}, and {exist}",
            remedy=Remedy("give it more starts, such as {starts}, or use another one, {solver}", starts=10, solver="sdp"),
        )


class CertificateError(DynidentError):
    """An answer below its own lower bound: one of the two is wrong, so neither is returned. Attributes: `objective`, `bound`."""

    def __init__(self, objective: float, bound: float, solver: str) -> None:
        self.objective, self.bound = objective, bound
        super().__init__(
            f"the answer of solver {solver} has the objective {objective:.9g}, and its lower bound is {bound:.9g}: one of the two is wrong",
            remedy="loosen constraints that nearly contradict each other, or try another solver",
        )


def solve_retrieval(
    problem: RetrievalProblem,
    *,
    solver: str = "sdp",
    options: SolverOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> LinkParameters:
    """Solve a retrieval problem as it is and certify the answer.

    Where rules have branches (`Either`), those of the best parameters are chosen first, by branch and bound over conic problems whatever
    the solver is; it then solves the problem that these make, which is the `problem` of the result. A plausible wrong answer is never
    returned.

    A prior that only breaks ties is left out for a solver that is not exact, such as penalty: it would steer the search. Nor is its answer
    moved afterwards.

    Parameters
    ----------
    problem
        The problem.
    solver
        Name of a solver, such as "sdp", "barrier" or "penalty".
    options
        Seed, starts, budget, and what the solver has of its own.
    progress
        Called now and then with a sentence about what is being done.

    Returns
    -------
    LinkParameters
        Certified, without ranges (`with_ranges`).

    Raises
    ------
    NotConvergedError
        When a heuristic's links don't explain them, and others within the constraints do.
    InfeasibleError
        When the convex constraints contradict each other; it names an irreducible set of them.
    NotFoundError
        When the solver's best answer breaks a constraint.
    MisfitError
        When the links don't explain data that the coefficients explain, or explain with reversed efforts.
    """
    settings = replace(options or SolverOptions(), progress=progress) if progress is not None else options or SolverOptions()
    check_solvable(solver, problem, settings)
    exact = solver_by_name(solver).exact
    problem = problem if exact else problem.without_tie_break()
    branching = settle_branches(problem, settings)
    problem, bound = branching.problem, branching.bound
    candidates = solve_with(solver, problem, settings)
    if exact:
        candidates = [replace(item, x=(x := _polish(problem, item.x)), merit=problem.merit(x)) for item in candidates]
    result = certify(problem, _distinct(candidates, problem.units), solver=solver, floor=bound)
    if branching.chosen:
        result = replace(result, branches=branching.chosen, notes=(*result.notes, branching.note))
    if not result.feasible:
        raise NotFoundError(result)
    better = None if exact else _find_better(problem, result)
    if better is not None:
        result = _not_converged(problem, result, better)
    misfit = find_misfit(problem, result.x)
    if misfit is None:
        return result
    if better is not None and not ((other := find_misfit(problem, better)) is not None and other.failed):
        if misfit.failed:
            raise NotConvergedError(result, problem.goal.value(better), (_training(problem, better) or (0.0, 0.0))[1])
        return result
    if misfit.failed:
        raise MisfitError(result, find_costliest(problem), misfit)
    return replace(result, notes=(*result.notes, str(misfit)))


def settle_branches(problem: RetrievalProblem, options: SolverOptions) -> Branching:
    """The problem with one branch of each rule, and its lower bound; the problem itself where it has no rules with branches.

    InfeasibleError where the constraints contradict each other, whatever the branches are.
    """
    if problem.terms.alternatives:
        try:
            return choose_branches(problem, options)
        except ContradictionError as error:
            raise InfeasibleError(error.names, branches=True) from None
    floor = problem.floor
    if floor is None:
        raise InfeasibleError(conflicting(problem.terms, problem.variables))
    return Branching(problem=problem, bound=floor.bound, chosen=(), relaxations=1)


def _find_better(problem: RetrievalProblem, result: LinkParameters) -> Array | None:
    """Parameters within all constraints that fit clearly better than an answer which the bound doesn't show to be the best."""
    if _is_optimal(problem.goal, result.objective, result.lower_bound) or sdp.SOLVER.untreatable(problem):
        return None
    x = sdp.solve(problem, SolverOptions(), NoOptions())[0].x
    clearly = not _is_optimal(problem.goal, result.objective, problem.goal.value(x))
    return x if clearly and not problem.violations(x) else None


def _not_converged(problem: RetrievalProblem, result: LinkParameters, better: Array) -> LinkParameters:
    """The answer as what it is: not the best that the constraints allow."""
    value = f"{problem.goal.value(better):.4g} within the same constraints, where {result.solver} has {result.objective:.4g}"
    note = f"solver {result.solver} did not converge: solver {sdp.SOLVER.name} reaches {value}; try more starts or another solver"
    status = result.status if result.status is RetrievalStatus.DOUBTFUL else RetrievalStatus.NOT_CONVERGED
    return replace(result, status=status, notes=(*result.notes, note))


def _polish(problem: RetrievalProblem, x: Array) -> Array:
    """x moved onto the coefficients and the equalities, or x itself where they can't be met or the step would break something.

    What a conic solver's tolerance and a prior left over: where the coefficients can be met exactly, a step of least length onto A x = b
    is smaller than the room that the constraints leave, and the objective drops from about 1e-12 to rounding.
    """
    if problem.prior is not None and problem.prior.fixed:
        return x  # what the prior costs at the weight that it was given is wanted
    A, b = problem.objective.A, problem.objective.b
    left = float(np.sum((A @ x - b) ** 2))
    if not 0.0 < left <= NEARLY_EXACT * float(b @ b):
        return x
    E = np.zeros((len(problem.terms.equalities), problem.variables))
    for row, equality in zip(E, problem.terms.equalities, strict=True):
        row[equality.indices] = equality.coefficients
    rows = np.concatenate([A, E])
    target = np.concatenate([b, [equality.value for equality in problem.terms.equalities]])
    scale = np.maximum(np.abs(x), 1e-3 * problem.units)  # every parameter moves in proportion to its size
    moved = x
    for _ in range(_STEPS):
        step = least_squares(rows * scale, target - rows @ moved, rcond=1e-12)
        moved = moved + scale * step
    better = float(np.sum((A @ moved - b) ** 2)) < left
    return moved if better and len(problem.violations(moved)) <= len(problem.violations(x)) else x


def certify(problem: RetrievalProblem, candidates: Sequence[SolverAnswer], *, solver: str, floor: float) -> LinkParameters:
    """The best candidate, with feasibility and objective recomputed from the constraints and the data.

    Parameters
    ----------
    problem
        The problem.
    candidates
        What the solver proposes.
    solver
        Its name.
    floor
        A lower bound of the objective; -inf where none is known.

    Returns
    -------
    LinkParameters
        With its status.

    Raises
    ------
    CertificateError
        Where the objective is below the floor: a gap is never negative.
    """
    judged = _rank(problem, candidates)
    x = judged[0].x
    objective, broken = problem.goal.value(x), problem.violations(x)
    notes = list(problem.notes)
    count = len(problem.terms.nonconvex)
    if count:
        notes.append(
            f"the lower bound leaves out what is not convex: {count} conditions, the first being {problem.terms.nonconvex[0].name!r}"
        )
    if not broken and objective < floor - ROUNDING * problem.goal.scale:
        if np.all(np.abs(x) <= REACH * problem.units):
            raise CertificateError(objective, floor, solver)
        floor = -np.inf
        notes.append(f"some parameters are beyond {REACH * problem.unit:g}, which the lower bound is not about, so that no bound is known")
    floor = min(floor, objective)
    doubtful = [*problem.doubts, *(() if problem.data is None else doubts(problem.base, problem.base.columns.links(x)))]
    expected = problem.objective.noise
    if expected is not None and objective > MISFIT * expected * find_optimism(problem) ** 2:  # noise as told by the coefficients' error
        misfit = (
            f"the objective is {objective / expected:.2g} times what noise alone would leave: the constraints contradict the data, "
            "or the standard deviations are too small"
        )
        # in units of the noise nothing else explains it; a distance to coefficients trusts their covariance, which may be too small
        (notes if problem.goal is problem.objective else doubtful).append(misfit)
    status = RetrievalStatus.DOUBTFUL if doubtful else _status(problem.goal, objective, floor)
    return LinkParameters(
        problem=problem,
        base=problem.base,
        x=x,
        status=RetrievalStatus.NOT_FOUND if broken else status,
        training=_training(problem, x),
        objective=objective,
        objective_name=problem.goal.name,
        noise=expected,
        scale=problem.goal.scale,
        lower_bound=floor,
        violations=broken,
        solver=solver,
        solutions=tuple(_solution(problem, item) for item in judged),
        bounds=_bounds(problem, x),
        notes=tuple(notes),
        doubts=tuple(doubtful),
        reached=None if problem.data is None else problem.data.reached,
    )


def _rank(problem: RetrievalProblem, candidates: Sequence[SolverAnswer]) -> list[SolverAnswer]:
    """The best first: feasible before not, then by φ; among those that tie, by φ plus the prior that breaks ties."""
    judged = [(bool(problem.violations(item.x)), problem.goal.value(item.x), item) for item in candidates]
    best = min((value for broken, value, _ in judged if not broken), default=np.inf)
    tied = best + (problem.tie(best) if problem.goal is problem.objective and np.isfinite(best) else 0.0)

    def key(judgement: tuple[bool, float, SolverAnswer]) -> tuple[bool, bool, float]:
        broken, value, item = judgement
        return broken, value > tied, problem.merit(item.x) if value <= tied else value

    return [item for _, _, item in sorted(judged, key=key)]


def _training(problem: RetrievalProblem, x: Array) -> tuple[float, float] | None:
    """Relative error of the coefficients and of the links on the data of the fit [%]."""
    if problem.data is None or problem.fitted is None:
        return None
    return problem.fitted.relative_percent, residuals(problem.data, problem.base.coefficients(x)).relative_percent


def _solution(problem: RetrievalProblem, item: SolverAnswer) -> Solution:
    x = item.x
    feasible = not problem.violations(x)
    return Solution(x=x, start=item.start, objective=problem.goal.value(x), merit=problem.merit(x), feasible=feasible)


def _bounds(problem: RetrievalProblem, x: Array) -> dict[int, Bounds]:
    """The bounds that were asked for on links' masses, and on their first moments: those of the centre of mass times the mass."""
    bounds: dict[int, Bounds] = {}
    for block in problem.terms.blocks:
        side = block.side
        if side is None or side.slot > 3:
            continue
        column = 10 * side.link + side.slot
        limit = side.limit * (1.0 if side.slot == 0 else float(x[10 * side.link]))
        low, high = bounds.get(column, (None, None))
        bounds[column] = (limit, high) if side.sign > 0 else (low, limit)
    return bounds


def _status(objective: Objective, value: float, floor: float) -> RetrievalStatus:
    """OPTIMAL where the gap is a small share of the objective or of the noise, or where all there is to gain is rounding."""
    return RetrievalStatus.OPTIMAL if _is_optimal(objective, value, floor) else RetrievalStatus.FEASIBLE


def _is_optimal(objective: Objective, value: float, floor: float) -> bool:
    return value - floor <= max(OPTIMAL_GAP * max(value, objective.noise or 0.0), ROUNDING * objective.scale)


def _distinct(candidates: Sequence[SolverAnswer], units: Array) -> list[SolverAnswer]:
    """Candidates whose parameters, counted in units (p,), differ, the better of two alike."""
    kept: list[SolverAnswer] = []
    for candidate in sorted(candidates, key=lambda c: c.merit):
        if not any(_alike(candidate.x / units, other.x / units) for other in kept):
            kept.append(candidate)
    return kept


def _alike(a: Array, b: Array) -> bool:
    return float(np.max(np.abs(a - b))) <= DISTINCT * max(float(np.max(np.abs(b))), 1e-12)
