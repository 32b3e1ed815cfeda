"""The gains of drives as a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, cast

from dynident.core.documents import Document, Number
from dynident.routes.drives.result import DriveGains


@dataclass(frozen=True, kw_only=True)
class GainDocument:
    """Torque per unit of a joint's recorded effort."""

    joint: str
    gain: float
    std: Number
    unit: str
    trust: Annotated[Literal["good", "rough", "not known"], "how far to trust it"]
    left_percent: Annotated[Number, "what the model leaves of the effort"]


@dataclass(frozen=True, kw_only=True)
class GainsDocument(Document):
    """What `dynident gains --json` prints."""

    FILE = "gains.json"

    status: Annotated[Literal["absolute", "relative"], "whether something fixes the scale"]
    gains: Annotated[tuple[GainDocument, ...], "one per joint"]
    notes: tuple[str, ...]

    @staticmethod
    def of(result: DriveGains) -> GainsDocument:
        numbers = (values.tolist() for values in (result.gains, result.std, result.left_percent))
        rows = zip(result.robot.joints, result.trust, *numbers, strict=True)
        return GainsDocument(
            status=cast("Literal['absolute', 'relative']", result.status.name.lower()),
            gains=tuple(
                GainDocument(
                    joint=joint.name,
                    gain=gain,
                    std=std,
                    unit=result.unit(joint.units.effort),
                    trust=trust.value,
                    left_percent=left,
                )
                for joint, trust, gain, std, left in rows
            ),
            notes=result.notes,
        )
