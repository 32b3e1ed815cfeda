"""Positions in degrees, turns or counts of an encoder that were taken for radians."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Evidence, Suspect
from dynident.robots.robot import JointType

_UNITS = ("deg", "rev", "mrad")
#: Counts per turn that encoders have.
_COUNTS = (*(2.0**k for k in range(8, 26)), 360.0, 1e3, 2e3, 3.6e3, 4e3, 5e3, 1e4, 3.6e4, 1e5, 3.6e5, 1e6, 1e7)
#: Positions this far beyond any joint are counts [rad].
_BEYOND = 100.0


def motion_units(data: Dataset, unit: str) -> dict[str, str]:
    """The unit of positions, and what it makes of those of velocities and accelerations."""
    return {name: unit + rest for name, rest in (("q", ""), ("dq", "/s"), ("ddq", "/s^2")) if getattr(data, name) is not None}


def count_of_turn(q: Array, factor: float) -> float:
    """Counts per turn of positions (N, n) that are whole numbers, whose derivative times a factor is the velocity; 0 where they are not."""
    if float(np.abs(q).max()) <= _BEYOND or not bool(np.all(q == np.round(q))):
        return 0.0
    nearest = min(_COUNTS, key=lambda turn: abs(np.log(turn * factor / (2.0 * np.pi))))
    found = 2.0 * np.pi / factor
    return nearest if abs(np.log(nearest / found)) < np.log(1.03) else float(round(found))


def _suspects(case: Case) -> Iterator[Suspect]:
    if any(joint.type is JointType.PRISMATIC for joint in case.robot.joints):
        return
    largest = float(np.abs(case.data.q).max())
    evidence = (Evidence("largest position", largest, "rad"),)
    for unit in _UNITS:
        correction = Correction(units=motion_units(case.data, unit))
        yield Suspect(sentence=f"positions are in {unit}, not in rad", correction=correction, parameters=1.0, evidence=evidence)
    if largest > _BEYOND and bool(np.all(case.data.q == np.round(case.data.q))):
        for turn in _COUNTS:
            yield Suspect(
                sentence=f"positions are counts of an encoder, {turn:g} in a turn",
                correction=Correction(counts=np.full(case.robot.n, turn / (2.0 * np.pi))),
                parameters=3.0,
                evidence=evidence,
            )


CHECK = Check(
    name="position unit",
    symptom="positions far beyond the joints' limits, efforts that nothing explains",
    cause="positions in degrees, turns or counts that were taken for radians",
    fix="`units: {q: deg, dq: deg/s}`, for counts `gear_ratios` with counts per radian in the YAML beside the data",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
