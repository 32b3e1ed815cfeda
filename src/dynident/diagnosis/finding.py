"""What the doctor finds in a log, how sure it is, and what a check is that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

from dynident.diagnosis.correction import Correction

if TYPE_CHECKING:
    from dynident.diagnosis.case import Case
    from dynident.diagnosis.signals import Shown


class Confidence(Enum):
    """How sure a finding is; the value is the rule."""

    HIGH = "the log is explained far better with the correction, or by far more plausible links, and by nothing else that was tried"
    MEDIUM = "the correction explains the log clearly better, but something else may be behind it"
    LOW = "worth a look"


class CheckStage(IntEnum):
    """When a check looks: what an earlier stage has corrected no longer troubles a later one."""

    SIGNALS = 1  #: recorded signals against each other
    MODEL = 2  #: the log against the robot
    REST = 3  #: what is left when all that is sure has been corrected


class Evidence(NamedTuple):
    """A number that speaks for a finding."""

    what: str
    value: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.value:.3g}{f' {self.unit}' if self.unit else ''}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Finding:
    """One thing that is wrong with a log, or with what was said about it.

    Attributes
    ----------
    name : str
        Of the check.
    sentence : str
        What is wrong.
    confidence : Confidence
        How sure it is.
    evidence : tuple
        In numbers.
    joints : names
        Whom it concerns; empty where it is all of them, or none in particular.
    correction
        Correction What mends it, in the log's columns; None where only a new recording would.
    advice : str
        What to do where no correction can, or after it.
    spoils : bool
        Whether what is identified from such a log means nothing.
    signals : tuple
        What was recorded, against what it should be.
    tied : tuple of Finding
        What explains the log about as well in its place, each by itself, the commoner first. A finding with others beside it is never sure.
    """

    name: str
    sentence: str
    confidence: Confidence
    evidence: tuple[Evidence, ...] = ()
    joints: tuple[str, ...] = ()
    correction: Correction | None = None
    advice: str = ""
    spoils: bool = False
    signals: tuple[Shown, ...] = ()
    tied: tuple[Finding, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether it is corrected before the doctor looks on, and part of the diagnosis's correction."""
        return self.confidence is Confidence.HIGH


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """What finds one kind of fault.

    Attributes
    ----------
    name : str
        Of the check.
    symptom, cause, fix : str
        For the table in the documentation.
    stage : CheckStage
        When it looks.
    look
        Findings, at its stage; None where candidates of the search have its name.
    spoils : bool
        Whether such a log spoils what is identified.
    leaves : float
        The share of what was unexplained that a sure correction leaves at most.
    advice : str
        What to do, of candidates of the search.
    """

    name: str
    symptom: str
    cause: str
    fix: str
    stage: CheckStage
    look: Callable[[Case], Iterator[Finding]] | None = None
    spoils: bool = False
    leaves: float = 0.7
    advice: str = ""
