"""Positions far beyond what joints can do: those of the motors, before the gears."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows
from dynident.robots.robot import JointType

#: No joint turns this far [rad]; where its limits are known, no joint goes this many times beyond their span.
_TURNS, _BEYOND = 30.0, 3.0


def _look(case: Case) -> Iterator[Finding]:
    spans = np.ptp(case.data.q, axis=0)
    limits = np.ptp(case.robot.position_limits, axis=1)
    allowed = np.where(np.isfinite(limits) & (limits > 0.0), _BEYOND * limits, _TURNS)
    turning = [joint.type is not JointType.PRISMATIC for joint in case.robot.joints]
    beyond = [j for j in range(case.robot.n) if turning[j] and spans[j] > allowed[j]]
    if len(beyond) < max(1, case.robot.n // 2):
        return
    worst = max(beyond, key=lambda j: spans[j] / allowed[j])
    low, high = case.robot.drawn_range[worst]
    yield Finding(
        name=CHECK.name,
        sentence=f"positions cover {spans[worst]:.3g} rad, far more than joints can turn: those of the motors, before the gears",
        confidence=Confidence.MEDIUM,
        evidence=tuple(Evidence(f"span of {case.names[j]}", float(spans[j]), "rad") for j in beyond),
        joints=tuple(case.names[j] for j in beyond),
        advice="give gear_ratios in the YAML beside the data: positions are divided by them, and torques multiplied",
        spoils=True,
        signals=mark_rows(case, "position", worst, np.clip(case.data.q[:, worst], low, high), "within the joint's range"),
    )


CHECK = Check(
    name="motor side",
    symptom="positions of many turns",
    cause="positions, speeds and torques of the motors, before the gears",
    fix="`gear_ratios: [100, 100, 80]` in the YAML beside the data",
    stage=CheckStage.REST,
    look=_look,
    spoils=True,
)
