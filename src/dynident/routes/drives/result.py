"""The gains of a robot's drives: each with its uncertainty, what fixed their scale, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Result
from dynident.core.texts import short_number
from dynident.data import EffortKind
from dynident.errors import InputError
from dynident.robots.robot import Robot
from dynident.routes.drives.knowledge import KnownMasses, KnownPayload
from dynident.routes.drives.known_values import KnownValue

#: Relative standard deviations up to which a gain is good, and rough.
GOOD, ROUGH = 0.03, 0.15
#: A payload whose centre is found farther from the tool than this is none [m].
FARTHEST = 0.5
#: Standard deviations by which two numbers differ that are not the same.
DIFFERENT = 3.0


class GainStatus(Enum):
    """What the gains are; the value is the sentence that the user sees."""

    ABSOLUTE = "the gains are torques per unit of the recorded effort"
    RELATIVE = (
        "nothing fixes the scale: twice the gains with twice the masses explain the log as well, so only the ratios of these gains are "
        "known; a run with a known payload, known masses or the vendor's gains would fix it"
    )


class Trust(Enum):
    """How far to trust the gain of a joint."""

    GOOD = "good"
    ROUGH = "rough"
    OPEN = "not known"

    @staticmethod
    def of(relative_std: float) -> Trust:
        return Trust.GOOD if relative_std <= GOOD else Trust.ROUGH if relative_std <= ROUGH else Trust.OPEN


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DriveGains(Result):
    """A gain per joint.

    Attributes
    ----------
    robot : Robot
        Whose drives these are.
    gains : (n,) array
        Torque per unit of the recorded effort [N·m/A | N/A]; ratios of them where the status says so.
    log_covariance : (n, n) array
        Of the logarithms of |gain|.
    kind : EffortKind
        What the effort is: a current, or a torque that needs a factor.
    payload, masses, vendor
        What was known.
    likeness : float or None
        Factor to which the links are like the description, as the data say; where masses were known.
    left_percent : (n,) array
        What the model leaves of each effort, in percent of it.
    payload_parameters : (10,) array
        Of the payload in the tool frame, as found; None without one.
    logs : tuple of str
        Where the data came from.
    """

    robot: Robot
    gains: Array
    log_covariance: Array
    kind: EffortKind
    payload: KnownPayload | None
    masses: KnownMasses | None
    vendor: tuple[KnownValue, ...] | None
    likeness: float | None
    left_percent: Array
    payload_parameters: Array | None
    logs: tuple[str, ...]

    @property
    def status(self) -> GainStatus:
        known = (self.payload, self.masses, self.vendor)
        return GainStatus.RELATIVE if all(item is None for item in known) else GainStatus.ABSOLUTE

    @property
    def std(self) -> Array:
        """(n,) standard deviation of each gain."""
        return np.abs(self.gains) * self.relative_std

    @property
    def relative_std(self) -> Array:
        """(n,) as a share of the gain."""
        return np.sqrt(np.diag(self.log_covariance))

    @property
    def trust(self) -> tuple[Trust, ...]:
        """(n,) how far to trust each; not at all where the payload is not what was told."""
        if _payload_doubts(self):
            return (Trust.OPEN,) * len(self.gains)
        return tuple(Trust.of(share) for share in self.relative_std.tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return tuple(_notes(self))

    def unit(self, effort: str) -> str:
        """Of the gain of a joint with efforts in this unit."""
        return f"{effort}/A" if self.kind is EffortKind.CURRENT and self.status is GainStatus.ABSOLUTE else "1"

    def recipe(self) -> str:
        """YAML for the file beside a log; InputError where only ratios are known, or no gain at all."""
        if self.status is GainStatus.RELATIVE:
            raise InputError(GainStatus.RELATIVE.value)
        if all(trust is Trust.OPEN for trust in self.trust):
            raise InputError(
                f"no gain is known to {100.0 * ROUGH:.0f} %, so that torques made with them would mean nothing",
                remedy="give a payload, or masses or vendor's gains that are known better, and check both logs",
            )
        lines = [f"# {line}" for line in (f"gains of the drives of {self.robot.name}", f"scale: {scale_sentence(self)}")]
        shown = zip(self.robot.joints, self.std.tolist(), self.trust, strict=True)
        lines += [f"# {joint.name}: ± {std:.3g} {self.unit(joint.units.effort)}, {trust.value}" for joint, std, trust in shown]
        return "\n".join([*lines, f"effort_gains: [{', '.join(f'{gain:.6g}' for gain in self.gains)}]", ""])


def scale_sentence(result: DriveGains) -> str:
    """What fixed the scale of the gains, or that nothing did."""
    if result.status is GainStatus.RELATIVE:
        return GainStatus.RELATIVE.value
    parts: list[str] = []
    if result.payload is not None:
        parts.append(f"a payload of {result.payload.mass} kg")
    if result.masses is not None:
        parts.append(" and ".join(f"{name} of {known} kg" for name, known in result.masses.told.items()))
    if result.vendor is not None:
        parts.append("the vendor's gains")
    return f"fixed by {', '.join(parts)}"


def _notes(result: DriveGains) -> list[str]:
    names, notes = result.robot.joint_names, list[str]()
    unknown = [name for name, share in zip(names, result.relative_std.tolist(), strict=True) if Trust.of(share) is Trust.OPEN]
    if result.payload is not None and len(unknown) == len(names):
        notes.append(f"a payload of {result.payload.mass} kg leaves all gains open; check its mass, how well that is known, and both logs")
    elif unknown and result.vendor is None:
        what = "a payload" if result.payload is None else "a heavier payload"
        only = f"the current of {', '.join(unknown)} is nearly all friction and rotor, so its gain is not known"
        notes.append(f"{only}; {what} that hangs beside its axis would show it")
    reversed_joints = [name for name, gain in zip(names, result.gains.tolist(), strict=True) if gain < 0.0]
    if reversed_joints:
        notes.append(f"the effort of {', '.join(reversed_joints)} is recorded with the other sign, so its gain is negative")
    if result.likeness is not None:
        share = short_number(100.0 * (result.likeness - 1.0))
        described = "uniform links" if result.robot.parameters is None else "the description"
        notes.append(f"the links are like {described} to about {share} % beside a common scale, by these data; the deviations contain it")
    notes += _payload_notes(result)
    for name, gain, known in zip(names, result.gains.tolist(), result.vendor or (), strict=False):
        away = abs(float(np.log(abs(gain / known.value)))) * abs(known.value) / known.std
        if away > DIFFERENT:
            notes.append(f"the gain of {name} differs from the vendor's {known} by {away:.1f} of its deviations")
    return notes


def _payload_notes(result: DriveGains) -> list[str]:
    if result.payload_parameters is None:
        return []
    centre = result.payload_parameters[1:4] / result.payload_parameters[0]
    finding = f"the payload's centre of mass is found at {', '.join(f'{value:.3f}' for value in centre)} m in the tool frame"
    return [finding, *_payload_doubts(result)]


def _payload_doubts(result: DriveGains) -> list[str]:
    """Why the payload that the data show can't be the one that was told."""
    if result.payload is None or result.payload_parameters is None:
        return []
    centre, doubts = result.payload_parameters[1:4] / result.payload_parameters[0], list[str]()
    if float(np.linalg.norm(centre)) > FARTHEST:
        doubts.append("no payload hangs so far from the tool: it has another mass, or the logs are not of one arm with it and without")
    declared = result.payload.com or ()
    away = max((abs(float(value) - known.value) / known.std for value, known in zip(centre, declared, strict=False)), default=0.0)
    if away > DIFFERENT:
        where = ", ".join(str(known) for known in declared)
        doubts.append(
            f"that is {away:.0f} deviations from the centre of mass that was told, {where} m, so that no gain is to be trusted; "
            "check its unit, its frame and the mass, or leave it to the data"
        )
    return doubts
