"""What an experiment is: a step with a name, what it is given, and the claims and figures that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, TypeVar, cast

from dynident.core.documents import to_json
from dynident.data import ControllerSamples, Dataset
from dynident.reports.figures import Figure
from dynident.reproduce.claim import Claim

_T = TypeVar("_T")


class Size(Enum):
    """How much of the papers' effort is made; the value is the words that the user sees."""

    QUICK = "the quick form: one run and one experiment of each kind"
    USUAL = "the usual form: all experiments, with fewer starts and runs than in the papers"
    FULL = "the full form: all starts and runs of the papers"


@dataclass(frozen=True, kw_only=True, eq=False)
class Recordings:
    """Recorded data that the user has given, by robot; empty where a virtual robot takes their place."""

    panda: tuple[Dataset, ...] = ()
    kuka: tuple[Dataset, ...] = ()
    controller: tuple[ControllerSamples, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """What an experiment is given.

    size : how many of the paper's starts and runs.
    keep : keep(name, compute) is the plain value of compute(), kept in a file, so that a run that was interrupted doesn't repeat it.
    progress : called with the share that is done, 0 to 1.
    """

    size: Size = Size.USUAL
    recordings: Recordings = field(default_factory=Recordings)
    keep: Callable[[str, Callable[[], Any]], Any] = lambda _, compute: compute()
    progress: Callable[[float], None] = lambda _: None

    def choose(self, quick: int, usual: int, full: int) -> int:
        """A number of runs by the size."""
        return {Size.QUICK: quick, Size.USUAL: usual, Size.FULL: full}[self.size]

    def kept(self, name: str, compute: Callable[[], _T]) -> _T:
        return cast("_T", self.keep(name, compute))


@dataclass(frozen=True, kw_only=True, eq=False)
class ExperimentOutcome:
    """What an experiment found. notes : what a reader should know about how it was done."""

    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "claims": to_json(self.claims),
            "notes": list(self.notes),
            "figures": [asdict(figure) for figure in self.figures],
        }

    @staticmethod
    def of_dict(content: Mapping[str, Any]) -> ExperimentOutcome:
        return ExperimentOutcome(
            claims=tuple(Claim.of_dict(item) for item in content["claims"]),
            figures=tuple(Figure(**item) for item in content["figures"]),
            notes=tuple(content["notes"]),
        )


@dataclass(frozen=True, kw_only=True)
class PaperExperiment:
    """A step of a reproduction. uses : the kinds of recordings that change its outcome; sized : whether the size does."""

    key: str
    title: str
    run: Callable[[Setting], ExperimentOutcome]
    uses: tuple[str, ...] = ()
    sized: bool = False


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper and its experiments, in order."""

    key: str
    citation: str
    experiments: tuple[PaperExperiment, ...]
