"""A diagnosis as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, cast

from dynident.core.documents import LEFT_OUT, Document, fill
from dynident.diagnosis.diagnosis import Diagnosis
from dynident.diagnosis.finding import Evidence, Finding
from dynident.diagnosis.remedies import Say, finding_remedy, in_python


@dataclass(frozen=True, kw_only=True)
class FindingDocument:
    """Something that is wrong with a log."""

    name: Annotated[str, "of the check"]
    sentence: Annotated[str, "what is wrong"]
    confidence: Literal["high", "medium", "low"]
    rule: Annotated[str, "what that confidence means"]
    joints: Annotated[tuple[str, ...], "whom it concerns; empty where it is all of them, or none in particular"]
    evidence: tuple[Evidence, ...]
    remedy: Annotated[str, "what mends it, in words"]
    recipe: Annotated[Mapping[str, Any], "what a YAML file beside the data says to mend it"]
    gravity: Annotated[tuple[float, ...] | None, "that the robot's description should have; null where its own is right"]
    spoils: Annotated[bool, "whether what is identified from such a log means nothing"]

    @staticmethod
    def of(diagnosis: Diagnosis, finding: Finding, say: Say = in_python) -> FindingDocument:
        correction = finding.correction
        return fill(
            FindingDocument,
            finding,
            confidence=cast("Literal['high', 'medium', 'low']", finding.confidence.name.lower()),
            rule=finding.confidence.value,
            remedy=finding_remedy(diagnosis, finding, say),
            recipe={} if correction is None else diagnosis.in_columns(correction).recipe,
            gravity=None if correction is None else correction.arguments.get("gravity"),
        )


@dataclass(frozen=True, kw_only=True)
class DiagnosisDocument(Document):
    """What `dynident doctor --json` prints, and a fleet keeps of every robot."""

    FILE = "diagnosis.json"

    robot: str
    source: str
    samples: int
    findings: tuple[FindingDocument, ...]
    recipe: Annotated[Mapping[str, Any], "of all findings of which the doctor is sure"]
    gravity: Annotated[tuple[float, ...] | None, "the same of gravity"]
    written: Annotated[str | None, "the YAML file that the sure corrections were written to"] = field(default="", metadata=LEFT_OUT)
    made_from: Annotated[Mapping[str, str] | None, "of a fleet: SHA-256 of its `inputs`: data, robot, and how the data were read"] = field(
        default=None, metadata=LEFT_OUT
    )

    @staticmethod
    def of(
        diagnosis: Diagnosis, *, say: Say = in_python, written: str | None = "", made_from: Mapping[str, str] | None = None
    ) -> DiagnosisDocument:
        correction = diagnosis.correction
        return DiagnosisDocument(
            robot=diagnosis.robot.name,
            source=diagnosis.data.source,
            samples=diagnosis.data.samples,
            findings=tuple(FindingDocument.of(diagnosis, finding, say) for finding in diagnosis.findings),
            recipe=diagnosis.in_file.recipe,
            gravity=None if correction.gravity is None else correction.arguments["gravity"],
            written=written,
            made_from=made_from,
        )
