"""Somebody or something that pushed the robot: bursts of what no model of it explains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.diagnosis.case import Case
from dynident.diagnosis.evidence import predict
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.intervals import Stretch, cover, find_stretches, leave_out, total
from dynident.diagnosis.signals import compare_signals

#: A burst begins where what is unexplained is this many times its usual size over the joints, is sure from the second on, and ends here.
_BURST, _SURELY, _ENDS = 6.0, 15.0, 2.5
#: In a log that is explained far better than to its noise, it begins at this many times, and where it is so many times nearly all else.
_QUIET, _LOUDER = 3.0, 8.0
#: Many bursts are rather what the model lacks than what happened.
_FEW = 6
#: It must also be this share of the joint's RMS effort.
_SHARE = 0.1
#: More than this share of the log is no burst.
_MOST = 0.25
#: What is left out beside it, and how far apart bursts are [s].
_BESIDE, _APART = 0.1, 0.4
_ROUNDS = 3


def _look(case: Case) -> Iterator[Finding]:
    stretches, strongest = list[Stretch](), 0.0
    calm = case
    for _ in range(_ROUNDS):  # what one burst spoils of the model may hide another
        bursts, size = _find_bursts(calm)
        if not bursts:
            break
        stretches, strongest = sorted([*stretches, *bursts]), max(strongest, size)
        calm = case.correct(leave_out(case.data, stretches))
    rows = case.excerpt
    if not stretches or rows is None or calm.excerpt is None or total(stretches) > _MOST * case.data.duration:
        return
    left = rows.effort - predict(case.robot, rows, calm.explanation)
    inside = cover(stretches, rows.time, rows.recording)
    joint = int(np.argmax(np.abs(left / np.maximum(case.explanation.sizes, 1e-300))[inside].max(axis=0)))
    middles = [item.middle for item in stretches]
    times = ", ".join(f"{middle:.1f} s" for middle in middles)
    yield Finding(
        name=CHECK.name,
        sentence=f"something pushed the robot at {times}: bursts that no model of it explains",
        confidence=Confidence.HIGH if strongest > _SURELY and len(stretches) <= _FEW else Confidence.MEDIUM,
        evidence=(*(Evidence("burst at", middle, "s") for middle in middles), Evidence("strongest, in what is usual", strongest, "times")),
        correction=leave_out(case.data, stretches),
        signals=(
            compare_signals(
                f"unexplained effort of {case.names[joint]}",
                case.robot.joints[joint].units.effort,
                rows.time,
                left[:, joint],
                np.where(inside, left[:, joint], np.nan),
                what=("unexplained", "burst"),
            ),
        ),
    )


def _find_bursts(case: Case) -> tuple[list[Stretch], float]:
    """Where what is unexplained leaps, and the strongest leap in what is usual."""
    rows = case.excerpt
    if rows is None:
        return [], 0.0
    left = np.where(rows.use, rows.effort - predict(case.robot, rows, case.explanation), 0.0)
    sizes = np.maximum(case.explanation.sizes, 1e-300)
    usual = np.maximum(1.4826 * np.median(np.abs(left), axis=0), np.maximum(rows.floor * sizes, 1e-300))
    burst = _over_joints(left / usual)
    usually = float(np.percentile(burst, 95.0))
    peaks = (burst > min(_BURST, max(_QUIET, _LOUDER * usually))) & (np.abs(left / sizes).max(axis=1) > _SHARE)
    around = find_stretches(rows.time, burst > _ENDS, rows.recording, wider=_BESIDE, apart=_APART)
    stretches = [item for item in around if np.any(peaks & cover([item], rows.time, rows.recording))]
    return stretches, float(burst[peaks].max()) if stretches else 0.0


def _over_joints(values: Array) -> Array:
    """(N,) root mean square over the joints of the half that is largest: a push is seldom felt by all of them."""
    half = max(1, (values.shape[1] + 1) // 2)
    return np.sqrt(np.mean(np.sort(values**2, axis=1)[:, -half:], axis=1))


CHECK = Check(
    name="contact",
    symptom="short bursts of what is unexplained, in several joints at once",
    cause="contact, a push, a cable that was pulled",
    fix="`without`, the interval of each burst",
    stage=CheckStage.REST,
    look=_look,
)
