"""Solvers by name. A new solver is its file and one line here; the command line and the contract suite then find it."""

from __future__ import annotations

from collections.abc import Sequence

from dynident.core.options import describe_all, settle_options
from dynident.errors import InputError, UnknownNameError
from dynident.links.problem import RetrievalProblem
from dynident.links.result import SolverAnswer
from dynident.links.solvers import barrier, penalty, sdp
from dynident.links.solvers.solver import Solver, SolverOptions

SOLVERS: dict[str, Solver] = {solver.name: solver for solver in (sdp.SOLVER, barrier.SOLVER, penalty.SOLVER)}


def solver_by_name(name: str) -> Solver:
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, sorted(SOLVERS))
    return SOLVERS[name]


def solve_with(name: str, problem: RetrievalProblem, options: SolverOptions | None = None) -> Sequence[SolverAnswer]:
    """The candidates of a solver, as they are: not yet polished or certified."""
    settings = options or SolverOptions()
    solver_options = check_solvable(name, problem, settings)
    if problem.terms.alternatives:
        raise InputError("the problem has rules with branches, of which solve_retrieval chooses one each; give it to that")
    return SOLVERS[name].solve(problem, settings, solver_options)


def check_solvable(name: str, problem: RetrievalProblem, options: SolverOptions) -> object:
    """The solver's own options as its class has them.

    InputError when there is no such solver or option, or when the problem holds what it can't treat; the remedy names who can.
    """
    solver = solver_by_name(name)
    if reason := solver.untreatable(problem):
        others = [other.name for other in SOLVERS.values() if not other.untreatable(problem)]
        raise InputError(f"solver {name} can't treat {reason}; use solver {' or '.join(others)}")
    return settle_options(solver.options, options.own, f"solver {name}")


def describe_solvers() -> str:
    """The solvers with what they are, for help."""
    return "; ".join(f"{name}: {solver.summary}" for name, solver in SOLVERS.items())


def describe_options() -> str:
    """The options that solvers have of their own, for help."""
    return describe_all(SOLVERS)


def describe_multi_start() -> str:
    """The solvers that have several starts, for help."""
    return " and ".join(name for name, solver in SOLVERS.items() if solver.multi_start)
