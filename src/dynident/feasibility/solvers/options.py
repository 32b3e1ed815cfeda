"""What every solver can be told: randomness, parallelism, how long, how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Literal

LocalSearch = Literal["barrier", "slsqp", "l-bfgs-b", "nelder-mead", "slsqp-numerical"]


@dataclass(frozen=True, kw_only=True)
class PenaltyOptions:
    """How the penalty solver goes about Algorithm 1 of the Panda paper.

    steps : int          κ, successive searches with a growing charge ξ (10 in the paper).
    search : str         Global search of every step: "annealing", "genetic" or "none".
    evaluations : int    Evaluations of the function per global search.
    local : str          Local search that follows it; "slsqp-numerical" differentiates numerically and is there to be compared with.
    penalty : str        "distance" charges ξ times the violations (RA-L 2019), "constant" charges `delta` once if any
                         condition is violated (ICRA 2016).
    """

    steps: int = 10
    search: Literal["annealing", "genetic", "none"] = "annealing"
    evaluations: int = 1000
    local: LocalSearch = "barrier"
    penalty: Literal["distance", "constant"] = "distance"
    delta: float = 10.0


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """seed, starts, executor and budget mean the same to every solver; a solver ignores what it has no use for.

    starts : int              Independent starts of a multi-start; the same seed gives the same answer on any executor.
    budget : float or None    Seconds after which no further start begins.
    progress : callable       Told one sentence after every start.
    finished : dict           Results of starts that an earlier, interrupted call with the same seed handed to on_finished.
    on_finished : callable    Given (start, result) as each start completes; a result is plain data that JSON can hold.
    """

    seed: int = 0
    starts: int = 1
    executor: Executor | None = None
    budget: float | None = None
    progress: Callable[[str], None] | None = None
    finished: Mapping[int, dict[str, Any]] | None = None
    on_finished: Callable[[int, dict[str, Any]], None] | None = None
    penalty: PenaltyOptions = field(default_factory=PenaltyOptions)
