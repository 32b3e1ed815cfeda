"""Efforts from which the controller had taken gravity before they were recorded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Suspect


def _suspects(case: Case) -> Iterator[Suspect]:
    if np.any(case.robot.gravity):
        yield Suspect(
            sentence="the efforts don't contain gravity, as if the controller had compensated it before they were recorded",
            correction=Correction(gravity=np.zeros(3)),
            parameters=1.0,
        )


CHECK = Check(
    name="gravity compensated",
    symptom="links without weight: efforts that follow accelerations and speeds, and not the pose",
    cause="efforts that the controller gives without the gravity that it compensates",
    fix="`gravity` of the robot, (0, 0, 0), or record the whole effort",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
