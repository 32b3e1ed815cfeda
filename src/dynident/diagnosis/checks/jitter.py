"""Stamps that waver although the samples are even: those of a busy computer, not of the robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Reading
from dynident.data.provenance import SPREAD
from dynident.data.signals.sampling import GAP
from dynident.diagnosis.case import Case
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.motion_candidates import usual_rate
from dynident.diagnosis.signals import compare_signals

#: Periods that vary by more than this share (standard deviation) are uneven.
_UNEVEN = 0.03
#: How much rougher positions must be over their stamps than over even ones.
_ROUGHER = 1.5
#: Stamps that are late, and samples that are not, stay this near to a line, in periods.
_NEAR_LINE = 2.0


def _look(case: Case) -> Iterator[Finding]:
    finding = _uneven(case)
    if finding is not None:
        yield finding
    elif SPREAD in case.data.provenance.steps:
        yield Finding(
            name=CHECK.name,
            sentence="the stamps were rounded so coarsely that several samples had the same; they were spread evenly over their step",
            confidence=Confidence.MEDIUM,
            advice="write the stamps with more digits",
        )


def _uneven(case: Case) -> Finding | None:
    """Stamps that waver, where positions tell that the samples do not."""
    data = case.data
    periods = np.diff(data.time)
    moving = list(case.moving)
    if len(data.starts) > 1 or np.any(periods > GAP / data.rate) or np.std(periods) < _UNEVEN * np.mean(periods) or not moving:
        return None
    rows, mean = np.arange(data.samples), float(np.mean(periods))
    # periods that are uneven themselves add up; stamps of even samples that are late stay near a line
    away = data.time - np.polyval(np.polyfit(rows, data.time, 1), rows)
    recorded, even = _roughness(data.q, periods), _roughness(data.q, np.full_like(periods, mean))
    ratio = float(np.median(recorded[moving] / np.maximum(even[moving], 1e-300)))
    if np.abs(away).max() > _NEAR_LINE * mean or ratio < _ROUGHER:
        return None
    share = 100.0 * float(np.std(periods)) / mean
    rate = usual_rate(1.0 / mean, 1.005)
    joint, shown = moving[0], slice(0, min(data.samples - 1, 300))
    return Finding(
        name=CHECK.name,
        sentence=f"the stamps waver by {share:.0f} % of a period, and the samples don't: they are even at {rate:.5g} Hz",
        confidence=Confidence.HIGH,
        evidence=(
            Evidence("standard deviation of the period", share, "%"),
            Evidence("positions are rougher over the stamps than over even ones", ratio, "times"),
        ),
        correction=Correction.of(data.n, Reading(sampling_rate=rate)),
        signals=(
            compare_signals(
                f"steps of the position of {case.names[joint]} over their period",
                case.robot.joints[joint].units.velocity,
                data.time[shown],
                (np.diff(data.q[:, joint]) / periods)[shown],
                (np.diff(data.q[:, joint]) / mean)[shown],
                what=("by the stamps", "by an even clock"),
            ),
        ),
    )


def _roughness(q: Array, periods: Array) -> Array:
    """(n,) how much steps of the position over their period change from one to the next, in root mean square."""
    return np.sqrt(np.mean(np.diff(np.diff(q, axis=0) / periods[:, None], axis=0) ** 2, axis=0))


CHECK = Check(
    name="jitter",
    symptom="uneven stamps, and positions that are smooth over the row and not over the time",
    cause="stamps of a busy computer for samples that the robot takes evenly",
    fix="`sampling_rate`, that of the robot, in place of the stamps",
    stage=CheckStage.SIGNALS,
    look=_look,
)
