"""What a monitor and its contacts say to people and programs, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from dynident.core.documents import LEFT_OUT, Document, Number, Unit, fill
from dynident.validation.monitoring.contact_monitor import ContactMonitor
from dynident.validation.monitoring.contacts import Contact, Contacts


@dataclass(frozen=True, kw_only=True)
class LevelDocument:
    """What contacts of a joint are found with."""

    joint: str
    gain: Annotated[float, "of the observer", Unit("1/s")]
    level: Annotated[Number, "threshold in standard deviations of the noise; null where infinite"]
    threshold: Annotated[Number, "that in motion, RMS over the joints' ranges [unit]; null where infinite"]
    rest_allowance: Annotated[float, "what is added at rest [unit]"]
    velocity_noise: Annotated[float, "standard deviation of the residual's noise that the inertia carries", Unit("rad/s² | m/s²")]
    effort_noise: Annotated[float, "standard deviation of the residual's noise of the joint by itself [unit]"]
    blur: Annotated[float, "by how much a measured velocity may be off"]
    unit: str


@dataclass(frozen=True, kw_only=True)
class ContactsDocument(Document):
    """What `dynident monitor --json` prints."""

    FILE = "contacts.json"

    robot: str
    source: Annotated[str, "the log that was watched"]
    model: Literal["links", "coefficients"]
    seconds: Annotated[float, "that were watched", Unit("s")]
    contacts: tuple[Contact, ...]
    confirmation: Annotated[float, "how long a residual must stay above its threshold", Unit("s")]
    distance_level: Annotated[Number, "threshold of the distance of all residuals, in standard deviations; null where infinite"]
    joints: tuple[LevelDocument, ...]
    false_alarms_per_hour: Annotated[Number, "that the thresholds allow; null where they were given"]
    thresholds_from: Annotated[str | None, "the log that they come from"]
    notes: tuple[str, ...]
    written: Annotated[str, "the page"] = field(default="", metadata=LEFT_OUT)

    @staticmethod
    def of(found: Contacts, *, written: str = "") -> ContactsDocument:
        """The contacts, and the thresholds that they were found with."""
        known = found.monitor.calibration
        return fill(
            ContactsDocument,
            found,
            found.monitor,
            robot=found.monitor.model.robot.name,
            model=found.monitor.model.name,
            contacts=found.events,
            joints=list_levels(found.monitor),
            false_alarms_per_hour=None if known is None else known.false_alarms,
            thresholds_from=None if known is None else known.source,
            written=written,
        )


def list_levels(monitor: ContactMonitor) -> tuple[LevelDocument, ...]:
    usual, rest = monitor.usual_threshold, monitor.rest_allowance
    return tuple(
        LevelDocument(
            joint=joint.name,
            gain=float(monitor.gain[j]),
            level=float(monitor.level[j]),
            threshold=float(usual[j]),
            rest_allowance=float(rest[j]),
            velocity_noise=float(monitor.noise.velocity[j]),
            effort_noise=float(monitor.noise.effort[j]),
            blur=float(monitor.blur[j]),
            unit=joint.units.effort,
        )
        for j, joint in enumerate(monitor.model.robot.joints)
    )
