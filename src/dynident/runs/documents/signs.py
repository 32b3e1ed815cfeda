"""signs.json: recovered signs of a log of magnitudes, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from dynident.core.documents import Number, fill
from dynident.routes.signs.result import SegmentSign, SignRecovery, list_segments
from dynident.runs.documents.stage import ByJoint, StageDocument
from dynident.runs.stages import StageContent


@dataclass(frozen=True, kw_only=True)
class ConfidenceDocument:
    """How sure recovered signs are."""

    gap: Annotated[Number, "by how much the log-likelihood of the next best signs is lower"]
    unsure_share: Annotated[Number, "of the segments"]
    unsure_energy: Annotated[Number, "of the torque in them"]
    strain: Annotated[Number, "log-likelihood that physics costs"]
    density: Annotated[Number, "segments per coefficient"]
    inflation: Annotated[Number, "number of correlated residuals that count as one independent residual"]
    certificate: Annotated[Number, "not negative is a proof that no other signs fit better"]
    proven: Annotated[bool, "that, or the search has proven it"]
    flip_margins_per_joint: Annotated[ByJoint, "the gap for turning one joint"]
    levels_per_joint: Annotated[ByJoint, "what the model leaves [N·m | N]"]
    noise_per_joint: Annotated[ByJoint, "of the sensors"]


@dataclass(frozen=True, kw_only=True)
class SignsDocument(StageDocument):
    """The result of `dynident signs`."""

    FILE = "signs.json"
    SCHEMA = "dynident/signs/1"

    robot: str
    source: str
    verdict: Literal["certain", "likely", "ambiguous", "unexplained"]
    sentence: Annotated[str, "the verdict in words"]
    reason: Annotated[str, "why"]
    advice: Annotated[str, "what would settle what is open"]
    method: Annotated[str, "of the search"]
    confidence: ConfidenceDocument
    threshold_per_joint: Annotated[Mapping[str, float], "|torque| below which the sign of a sample alone cannot be identified"]
    segments: tuple[SegmentSign, ...]
    unsure: Annotated[tuple[int, ...], "numbers of the segments in doubt, from 0"]
    notes: tuple[str, ...]
    seed: int

    @classmethod
    def of(cls, content: StageContent) -> Self:
        recovery: SignRecovery = content.result
        robot = recovery.estimate.base.robot
        return cls.fill(
            content,
            robot,
            robot=robot.name,
            source=recovery.log.source,
            confidence=fill(ConfidenceDocument, recovery.confidence, robot),
            segments=list_segments(recovery),
            seed=content.origin.seed,
        )
