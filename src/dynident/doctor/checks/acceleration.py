"""Recorded accelerations that are not those of the motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.checks.velocity import ABOUT, CLEAN, UNLIKE, find_wrong, has_common_factor, unit_of
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.signals import compare_signals


def _look(case: Case) -> Iterator[Finding]:
    found = case.accelerations
    if found is None:
        return
    wrong = find_wrong(found, UNLIKE, ABOUT, CLEAN)
    if not len(wrong):
        return
    worst = min(wrong, key=lambda j: found.own[j])
    factor = float(np.median(found.factors[found.moving]))
    unit = unit_of("ddq", factor) if has_common_factor(found) else ""
    names = tuple(case.names[j] for j in wrong)
    who = "all joints" if len(wrong) == len(found.moving) else ", ".join(names)
    if unit:
        sentence, correction = f"the recorded accelerations are in {unit}, not in rad/s²", Correction(units={"ddq": unit})
    else:
        sentence = f"the recorded accelerations of {who} are not the derivatives of the velocities"
        correction = Correction(ignored=("ddq",))
    what = ("recorded acceleration", "derivative of the velocity")
    yield Finding(
        name=CHECK.name,
        sentence=sentence,
        confidence=Confidence.HIGH,
        evidence=(
            Evidence(f"correlation of {case.names[worst]}", float(found.own[worst])),
            Evidence("factor", float(found.factors[worst])),
        ),
        joints=names,
        correction=correction,
        signals=(
            compare_signals(
                f"acceleration of {case.names[worst]}",
                case.robot.joints[worst].units.acceleration,
                found.time,
                found.recorded[:, worst],
                found.derived[:, worst],
                what=what,
            ),
        ),
    )


CHECK = Check(
    name="acceleration",
    symptom="recorded accelerations that are not the derivatives of the velocities",
    cause="accelerations of a command or an accelerometer, in another unit, or no accelerations at all",
    fix="`columns: {ddq: none}`, which takes the derivative of the velocities, or their unit: `units: {ddq: deg/s^2}`",
    stage=CheckStage.SIGNALS,
    look=_look,
)
