"""friction.json: how the friction of a new log differs from that of the run whose links it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from dynident.core.documents import Number
from dynident.regression.friction.change import ParameterChange
from dynident.regression.friction.refit import FrictionRefit
from dynident.runs.documents.stage import ProvenanceDocument, StageDocument
from dynident.runs.stages import StageContent


@dataclass(frozen=True, kw_only=True)
class JointChangeDocument:
    """How the friction of a joint has changed."""

    joint: str
    unit: str
    rms: Annotated[Number, "of the change of the torque over the speeds that both logs reached; null where there was no friction before"]
    noise: Annotated[Number, "what noise alone makes of it"]
    percent: Annotated[Number, "of what the friction was; null where that was nothing"]
    deviations: Annotated[Number, "the change over what noise alone makes of it"]
    chance: Annotated[Number, "probability that noise alone makes as large a change of this joint"]
    changed: Annotated[bool | None, "by more than noise; null where there was no friction before"]
    error_before: Annotated[float, "what the model leaves of the new log with the friction before"]
    error_after: float
    parameters: tuple[ParameterChange, ...]


@dataclass(frozen=True, kw_only=True)
class FrictionDocument(StageDocument):
    """The result of `dynident friction`."""

    FILE = "friction.json"
    SCHEMA = "dynident/friction/1"

    robot: str
    source: Annotated[str, "data of the friction"]
    links_source: Annotated[str, "data of the links, and of the friction before"]
    sentence: Annotated[str, "what has changed, in words"]
    compared: Annotated[bool, "whether there was friction before to compare with"]
    changed: Annotated[tuple[str, ...], "joints whose friction has changed by more than noise"]
    joints: tuple[JointChangeDocument, ...]
    notes: tuple[str, ...]
    provenance: ProvenanceDocument

    @classmethod
    def of(cls, content: StageContent) -> Self:
        refit: FrictionRefit = content.result
        return cls.fill(
            content,
            refit.estimate,
            refit.estimate.summary,
            robot=refit.estimate.base.robot.name,
            compared=not refit.uncompared,
            joints=refit.changes,
        )
