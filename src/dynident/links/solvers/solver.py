"""What a solver is: how it is called, what it can treat, what it can be told; and many starts of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions, Options
from dynident.core.parallel import multi_start
from dynident.links.problem import RetrievalProblem
from dynident.links.result import SolverAnswer


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """seed, starts, executor and budget mean the same to every solver; a solver ignores what it has no use for.

    Attributes
    ----------
    seed : int
        Of the random starts.
    starts : int
        Independent starts of a multi-start; the same seed gives the same answer on any executor.
    executor : Executor or None
        Computes the starts; None for this process.
    budget : float or None
        Seconds after which no further start begins.
    progress : callable
        Told one sentence after every start.
    finished : dict
        Results of starts that an earlier, interrupted call with the same seed handed to on_finished.
    on_finished : callable
        Given (start, result) as each start completes; a result is plain data that JSON can hold.
    own : dict or object
        Options of the solver's own, by name ({"steps": 5}) or as its options class.
    """

    seed: int = 0
    starts: int = 1
    executor: Executor | None = None
    budget: float | None = None
    progress: Callable[[str], None] | None = None
    finished: Mapping[int, dict[str, Any]] | None = None
    on_finished: Callable[[int, dict[str, Any]], None] | None = None
    own: Mapping[str, object] | object | None = None


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A solver, with everything that the registry, the command line and the tests ask of it.

    solve : the problem, what every solver is told, and the solver's own options, to one candidate or several.
    summary : what it is good for, for help.
    options : dataclass of the options that it has of its own.
    convex_only : it treats matrix inequalities and equalities, and nothing else.
    user_functions : it treats any function of a user's.
    multi_start : it makes use of starts, executor, budget, finished and on_finished.
    seeded : its answer may depend on the seed.
    exact : it finds the optimum of a convex problem; False where all that can be said of an answer is how far it is from the bound.
    """

    name: str
    summary: str
    solve: Callable[[RetrievalProblem, SolverOptions, Any], Sequence[SolverAnswer]]
    options: type[Options] = NoOptions
    convex_only: bool = False
    user_functions: bool = True
    multi_start: bool = True
    seeded: bool = True
    exact: bool = True

    def untreatable(self, problem: RetrievalProblem) -> str:
        """Names of the conditions that it can't treat, with the reason; empty when there are none."""
        conditions = problem.terms.nonconvex
        if self.convex_only and conditions:
            return f"{', '.join(item.name for item in conditions)}, which are not convex"
        functions = [item.name for item in conditions if item.convex_at is None]
        return "" if self.user_functions or not functions else f"{', '.join(functions)}, which are functions"


def solve_starts(
    task: Callable[[int, np.random.Generator], dict[str, Any]], options: SolverOptions, *, enough: Callable[[Array], bool] | None = None
) -> list[SolverAnswer]:
    """A candidate per start. task : to {"x": list, "merit": float}; it can be sent to a worker process.

    enough : whether an answer x (p,) ends the search; starts after the first of these, which other workers have begun, are left out.
    """

    def ends(result: dict[str, Any]) -> bool:
        return enough is not None and enough(np.asarray(result["x"], dtype=float))

    earlier = sorted(start for start, result in (options.finished or {}).items() if start < options.starts and ends(result))
    results = multi_start(
        task,
        earlier[0] + 1 if earlier else options.starts,
        seed=options.seed,
        executor=options.executor,
        budget=options.budget,
        finished=options.finished,
        on_finished=options.on_finished,
        progress=options.progress,
        enough=ends,
    )
    last = next((start for start, result in results.items() if ends(result)), max(results))
    results = {start: result for start, result in results.items() if start <= last}
    return [SolverAnswer(x=np.asarray(r["x"], dtype=float), merit=float(r["merit"]), start=start) for start, r in results.items()]
