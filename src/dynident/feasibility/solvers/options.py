"""What every solver can be told: randomness, parallelism, how long, how often."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """seed, starts, executor and budget mean the same to every solver; a solver ignores what it has no use for.

    starts : int              Independent starts of a multi-start; the same seed gives the same answer on any executor.
    budget : float or None    Seconds after which no further start begins.
    progress : callable       Told one sentence after every start.
    """

    seed: int = 0
    starts: int = 1
    executor: Executor | None = None
    budget: float | None = None
    progress: Callable[[str], None] | None = None
