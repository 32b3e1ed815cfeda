"""Solvers by name. A new solver is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dynident.errors import UnknownNameError
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.result import Candidate
from dynident.feasibility.solvers import barrier, penalty, sdp
from dynident.feasibility.solvers.options import SolverOptions

Solver = Callable[[RetrievalProblem, SolverOptions], Sequence[Candidate]]

SOLVERS: dict[str, Solver] = {
    "barrier": barrier.solve,
    "penalty": penalty.solve,
    "sdp": sdp.solve,
}


def solver_by_name(name: str) -> Solver:
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, sorted(SOLVERS))
    return SOLVERS[name]
