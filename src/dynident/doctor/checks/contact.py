"""Somebody or something that pushed the robot: bursts of what no model of it explains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.explanation import predict
from dynident.doctor.figures import compare_figure
from dynident.doctor.finding import Check, Confidence, Evidence, Finding, Stage
from dynident.doctor.intervals import find_intervals, total

#: A burst begins where what is unexplained is this many times its usual size over the joints, is sure from the second on, and ends here.
_BURST, _SURELY, _ENDS = 6.0, 15.0, 2.5
#: Many bursts are rather what the model lacks than what happened.
_FEW = 6
#: It must also be this share of the joint's RMS effort.
_SHARE = 0.1
#: More than this share of the log is no burst.
_MOST = 0.25
#: What is left out beside it, and how far apart bursts are [s].
_BESIDE, _APART = 0.1, 0.4


def _look(case: Case) -> Iterator[Finding]:
    rows = case.excerpt
    if rows is None:
        return
    left = np.where(rows.use, rows.effort - predict(case.robot, rows, case.explanation), 0.0)
    sizes = case.moments.sizes
    usual = np.maximum(1.4826 * np.median(np.abs(left), axis=0), rows.floor * sizes)
    burst = _over_joints(left / usual)
    share = np.abs(left / sizes).max(axis=1)
    peaks = (burst > _BURST) & (share > _SHARE)
    around = find_intervals(rows.time, burst > _ENDS, wider=_BESIDE, apart=_APART)
    found = [item for item in around if np.any(peaks & (rows.time >= item[0]) & (rows.time <= item[1]))]
    if not found or total(found) > _MOST * rows.seconds:
        return
    inside = np.any([(rows.time >= start) & (rows.time <= stop) for start, stop in found], axis=0)
    strongest = float(burst[inside].max())
    joint = int(np.argmax(np.abs(left / sizes)[inside].max(axis=0)))
    middles = [0.5 * (start + stop) for start, stop in found]
    told = ", ".join(f"{middle:.1f} s" for middle in middles)
    yield Finding(
        name=CHECK.name,
        sentence=f"something pushed the robot at {told}: bursts that no model of it explains",
        confidence=Confidence.HIGH if strongest > _SURELY and len(found) <= _FEW else Confidence.MEDIUM,
        evidence=(*(Evidence("burst at", middle, "s") for middle in middles), Evidence("strongest, in what is usual", strongest, "times")),
        correction=Correction(without=tuple(found)),
        figures=(
            compare_figure(
                f"unexplained effort of {case.names[joint]}",
                case.robot.joints[joint].units.effort,
                rows.time,
                left[:, joint],
                np.where(inside, left[:, joint], np.nan),
                what=("unexplained", "burst"),
            ),
        ),
    )


def _over_joints(values: Array) -> Array:
    """(N,) root mean square over the joints of the half that is largest: a push is seldom felt by all of them."""
    half = max(1, (values.shape[1] + 1) // 2)
    return np.sqrt(np.mean(np.sort(values**2, axis=1)[:, -half:], axis=1))


CHECK = Check(
    name="contact",
    symptom="short bursts of what is unexplained, in several joints at once",
    cause="contact, a push, a cable that was pulled",
    fix="`without`, the interval of each burst",
    stage=Stage.REST,
    look=_look,
)
