"""Friction that changed during the log: gears that warm up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.diagnosis.case import Case
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import compare_signals

#: Changes from this share on matter, and must gain so much in -2 log p. None is sure: whatever else changes with time looks like it, and
#: the only sure one of an earlier study was a mistake.
_CHANGE, _GAIN = 0.15, 15.0


def _look(case: Case) -> Iterator[Finding]:
    rows = case.excerpt
    if rows is None:
        return
    viscous, coulomb, *_ = case.explanation.drive.T
    friction = viscous * rows.dq + coulomb * rows.sign
    passed = (rows.time - rows.time[0]) / max(float(rows.time[-1] - rows.time[0]), 1e-9)
    if not np.any(friction) or np.any(np.diff(passed) < 0.0):
        return
    unchanged = Correction.of(case.robot.n)
    linearised = case.linearise(unchanged, (friction * (passed - 0.5)[:, None])[:, :, None], np.ones(1) / case.explanation.scale)
    change, gain = float(linearised.tangents[0]), case.explanation.cost - linearised.cost
    if abs(change) < _CHANGE or gain < _GAIN:
        return
    share = np.sqrt(np.mean(friction**2, axis=0)) / np.maximum(case.explanation.sizes, 1e-300)
    joint = int(np.argmax(share))
    how = "falls" if change < 0.0 else "rises"
    yield Finding(
        name=CHECK.name,
        sentence=f"friction {how} by about {100.0 * abs(change):.0f} % from the beginning of the log to its end",
        confidence=Confidence.MEDIUM,
        evidence=(Evidence("change of the friction", 100.0 * change, "%"), Evidence("gain in log-probability", 0.5 * gain)),
        advice="warm the robot up first, or use the later part of the log alone (train 0.5:1)",
        signals=(
            compare_signals(
                f"friction of {case.names[joint]}",
                case.robot.joints[joint].units.effort,
                rows.time,
                (friction * (1.0 + change * (passed - 0.5)[:, None]))[:, joint],
                friction[:, joint],
                what=("friction that changes", "constant friction"),
            ),
        ),
    )


CHECK = Check(
    name="changing friction",
    symptom="what is unexplained follows the sign of the velocity, first in one sense and later in the other",
    cause="gears and grease that warm up during the log",
    fix="a log of a warm robot, or the later part alone: `train` 0.5:1",
    stage=CheckStage.REST,
    look=_look,
)
