"""monitor.json: the thresholds that contacts are found with, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from dynident.core.documents import Number, Unit
from dynident.runs.documents.stage import ProvenanceDocument, StageDocument
from dynident.runs.stages import StageContent
from dynident.validation.monitoring.contact_monitor import ContactMonitor
from dynident.validation.monitoring.documents import LevelDocument, list_levels


@dataclass(frozen=True, kw_only=True)
class CalibrationDocument:
    """Where the levels come from."""

    source: Annotated[str, "the log of free motion"]
    seconds: Annotated[float, "how long it is", Unit("s")]
    false_alarms: Annotated[float, "per hour"]
    contacts_possible: Annotated[bool, "whether there may be contacts in it, so that its quiet parts were looked at"]


@dataclass(frozen=True, kw_only=True)
class MonitorDocument(StageDocument):
    """The thresholds of `dynident monitor`."""

    FILE = "monitor.json"
    SCHEMA = "dynident/monitor/1"

    robot: str
    model: Annotated[str, "what it is watched with: links or coefficients"]
    confirmation: Annotated[float, "how long a residual must stay above its threshold", Unit("s")]
    distance_level: Annotated[Number, "threshold of the distance of all residuals, in standard deviations; null where infinite"]
    joints: tuple[LevelDocument, ...]
    calibration: CalibrationDocument | None
    notes: tuple[str, ...]
    provenance: ProvenanceDocument

    @classmethod
    def of(cls, content: StageContent) -> Self:
        monitor: ContactMonitor = content.result
        return cls.fill(
            content,
            robot=monitor.model.robot.name,
            model=monitor.model.name,
            joints=list_levels(monitor),
        )
