"""What an experiment is: a step with a name, what it is given, and the claims and figures that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar, cast

from dynident.core.figures import Figure
from dynident.data import ControllerSamples, Dataset
from dynident.reproduce.claim import Claim

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Recordings:
    """Recorded data that the user has given, by robot; empty where a virtual robot takes their place."""

    panda: tuple[Dataset, ...] = ()
    kuka: tuple[Dataset, ...] = ()
    controller: tuple[ControllerSamples, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """What an experiment is given.

    full : as many starts and runs as in the paper, instead of as many as take a minute.
    keep : keep(name, compute) is the plain value of compute(), kept in a file, so that a run that was interrupted doesn't repeat it.
    progress : called with the share that is done, 0 to 1.
    """

    full: bool = False
    recordings: Recordings = field(default_factory=Recordings)
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _, compute: compute()
    progress: Callable[[float], None] = lambda _: None

    def kept(self, name: str, compute: Callable[[], _T]) -> _T:
        return cast("_T", self.keep(name, compute))


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What an experiment found. notes : what a reader should know about how it was done."""

    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "claims": [claim.to_dict() for claim in self.claims],
            "notes": list(self.notes),
            "figures": [asdict(figure) for figure in self.figures],
        }

    @staticmethod
    def of_dict(content: Mapping[str, Any]) -> Outcome:
        return Outcome(
            claims=tuple(Claim.of_dict(item) for item in content["claims"]),
            figures=tuple(Figure(**item) for item in content["figures"]),
            notes=tuple(content["notes"]),
        )


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A step of a reproduction. uses : the kinds of recordings that change its outcome; sized : whether `full` does."""

    key: str
    title: str
    run: Callable[[Setting], Outcome]
    uses: tuple[str, ...] = ()
    sized: bool = False


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper and its experiments, in order."""

    key: str
    citation: str
    experiments: tuple[Experiment, ...]
