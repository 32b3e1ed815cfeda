"""What a method is: from prepared magnitudes to sign hypotheses, the best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions, Options
from dynident.links import LinkParameters, retrieval_problem, solve_retrieval
from dynident.regression.estimate import Estimate
from dynident.regression.identify import Default
from dynident.regression.summary import Noise
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.segments import Segment


@dataclass(frozen=True, kw_only=True, eq=False)
class SignHypotheses:
    """Ranked guesses at the signs of segments.

    Attributes
    ----------
    segments : (S,)
        Those of the magnitudes, or the method's own.
    signs : (K, S) array
        ±1, one row per hypothesis, the best first.
    costs : (K,) array
        What each leaves unexplained, in units of the noise squared or in the method's own, in ascending order.
    proven : bool
        No other signs of these segments cost less.
    bound : float
        What all signs of these segments cost at least, where the method knows it; else 0.
    mirrored : bool
        A hypothesis stands for its negative too, which least squares can't tell from it; physics does later.
    """

    segments: tuple[Segment, ...]
    signs: Array
    costs: Array
    proven: bool = False
    bound: float = 0.0
    mirrored: bool = True


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """What every method is told; a method ignores what it has no use for.

    Attributes
    ----------
    seed : int
        Of the random numbers.
    progress
        Told one sentence now and then.
    executor
        Does the starts of a search; this process, where there is none. The answer is the same.
    """

    seed: int = 0
    progress: Callable[[str], None] | None = None
    executor: Executor | None = None

    @property
    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def map(self, task: Callable[[Array], Array], items: Sequence[Array]) -> list[Array]:
        """task(item) of each, in their order."""
        return list(map(task, items) if self.executor is None else self.executor.map(task, items))

    def say(self, sentence: str) -> None:
        if self.progress is not None:
            self.progress(sentence)


def most_probable_links(estimate: Estimate, seed: int) -> LinkParameters:
    """Those that data and prior together make most probable."""
    return solve_retrieval(retrieval_problem(estimate))


@dataclass(frozen=True, kw_only=True)
class SignMethod:
    """A method, with everything that the registry, the command line and the tests ask of it.

    Attributes
    ----------
    name : str
        Of the method.
    summary
        What it is good for, for help.
    search
        Magnitudes, what every method is told, and the method's own options, to hypotheses.
    options
        Dataclass of the options that it has of its own.
    refined
        Its best hypotheses are refined sample by sample, so that signs may change inside a segment; False keeps the first as it is.
    seeded
        Its answer may depend on the seed.
    friction
        The model that the log is searched with where none is named; None for none.
    noise
        Of the fit to the torque with its signs; None for the usual one.
    retrieve
        From that fit, and a seed, to links that can exist.
    """

    name: str
    summary: str
    search: Callable[[Magnitudes, SearchSettings, Any], SignHypotheses]
    options: type[Options] = NoOptions
    refined: bool = True
    seeded: bool = True
    friction: Default | None = "default"
    noise: Noise | None = None
    retrieve: Callable[[Estimate, int], LinkParameters] = most_probable_links
