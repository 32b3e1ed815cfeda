"""Positions that leap between two samples: stretches that were lost without a trace in the stamps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.pieces import find_leaps
from dynident.doctor.signals import compare_signals

#: What is left out around it [s], and in periods of the clock where that is more.
_AROUND, _PERIODS = 0.1, 1.5


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    leaps = [0.5 * float(data.time[place] + data.time[place + 1]) for place in find_leaps(data)]
    if not leaps:
        return
    around = max(_AROUND, _PERIODS / data.rate)
    joint = max(range(data.n), key=lambda j: float(np.abs(np.diff(data.q[:, j])).max()))
    near = np.abs(data.time[:, None] - np.array(leaps)).min(axis=1) < around
    position = data.q[:, joint]
    told = ", ".join(f"{leap:.2f} s" for leap in leaps)
    yield Finding(
        name=CHECK.name,
        sentence=f"positions leap at {told}, as if samples were lost there and their stamps counted on",
        confidence=Confidence.HIGH,
        evidence=tuple(Evidence("leap at", leap, "s") for leap in leaps),
        correction=Correction(without=tuple((leap - around, leap + around) for leap in leaps)),
        signals=(
            compare_signals(
                f"position of {case.names[joint]}",
                case.robot.joints[joint].units.position,
                data.time,
                position,
                np.where(near, position, np.nan),
                what=("position", "leap"),
            ),
        ),
    )


CHECK = Check(
    name="leaps",
    symptom="positions that leap between two samples while velocities go on",
    cause="samples that were lost, and stamps that were counted from those that were not",
    fix="`without`, an interval around each leap",
    stage=CheckStage.SIGNALS,
    look=_look,
)
