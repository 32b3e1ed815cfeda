"""Somebody or something that pushed the robot: bursts of what no model of it explains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.explanation import predict
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.intervals import find_intervals, total
from dynident.doctor.signals import compare_signals

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
    found, strongest = list[tuple[float, float]](), 0.0
    calm = case
    for _ in range(_ROUNDS):  # what one burst spoils of the model may hide another
        bursts, size = _find_bursts(calm)
        if not bursts:
            break
        found, strongest = sorted([*found, *bursts]), max(strongest, size)
        calm = case.correct(Correction(without=tuple(found)))
    rows = case.excerpt
    if not found or rows is None or calm.excerpt is None or total(found) > _MOST * rows.seconds:
        return
    left = rows.effort - predict(case.robot, rows, calm.explanation)
    inside = np.any([(rows.time >= start) & (rows.time <= stop) for start, stop in found], axis=0)
    joint = int(np.argmax(np.abs(left / case.moments.sizes)[inside].max(axis=0)))
    middles = [0.5 * (start + stop) for start, stop in found]
    told = ", ".join(f"{middle:.1f} s" for middle in middles)
    yield Finding(
        name=CHECK.name,
        sentence=f"something pushed the robot at {told}: bursts that no model of it explains",
        confidence=Confidence.HIGH if strongest > _SURELY and len(found) <= _FEW else Confidence.MEDIUM,
        evidence=(*(Evidence("burst at", middle, "s") for middle in middles), Evidence("strongest, in what is usual", strongest, "times")),
        correction=Correction(without=tuple(found)),
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


def _find_bursts(case: Case) -> tuple[list[tuple[float, float]], float]:
    """Where what is unexplained leaps, and the strongest leap in what is usual."""
    rows = case.excerpt
    if rows is None:
        return [], 0.0
    left = np.where(rows.use, rows.effort - predict(case.robot, rows, case.explanation), 0.0)
    sizes = case.moments.sizes
    usual = np.maximum(1.4826 * np.median(np.abs(left), axis=0), rows.floor * sizes)
    burst = _over_joints(left / usual)
    usually = float(np.percentile(burst, 95.0))
    peaks = (burst > min(_BURST, max(_QUIET, _LOUDER * usually))) & (np.abs(left / sizes).max(axis=1) > _SHARE)
    around = find_intervals(rows.time, burst > _ENDS, wider=_BESIDE, apart=_APART)
    found = [item for item in around if np.any(peaks & (rows.time >= item[0]) & (rows.time <= item[1]))]
    return found, float(burst[peaks].max()) if found else 0.0


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
