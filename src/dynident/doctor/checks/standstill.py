"""A robot that stands still for a good part of the log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.intervals import find_intervals, total
from dynident.doctor.signals import compare_signals

#: Speeds below this share of a joint's largest are none, and pauses shorter than this [s] belong to a motion.
_SLOW, _PAUSE = 0.01, 1.0
#: From this share of the log on it matters.
_SHARE = 0.2
_CUTOFF = 2.0


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    still = np.zeros(data.samples, dtype=bool)
    speeds = np.zeros(data.q.shape)
    cutoff = min(_CUTOFF, 0.2 * data.rate)
    for segment in data.segments:
        if segment.stop - segment.start > 2 * shortest(4):
            smooth = forward_backward(data.q[segment], cutoff=cutoff, rate=data.rate, order=4)
            speeds[segment] = np.abs(np.gradient(smooth, data.time[segment], axis=0))
    largest = np.percentile(speeds, 99.0, axis=0)
    if not case.moving:
        return
    still = np.all(speeds <= _SLOW * largest.max(), axis=1)
    intervals = [(start, stop) for start, stop in find_intervals(data.time, still) if stop - start >= _PAUSE]
    share = total(intervals) / data.duration
    if share < _SHARE:
        return
    joint = int(np.argmax(largest))
    inside = np.any([(data.time >= start) & (data.time <= stop) for start, stop in intervals], axis=0)
    position = data.q[:, joint]
    yield Finding(
        name=CHECK.name,
        sentence=f"the robot stands still for {100.0 * share:.0f} % of the log, where friction takes any part of the load",
        confidence=Confidence.MEDIUM,
        evidence=(
            Evidence("share of the log", share),
            *(Evidence("from", start, "s") for start, _ in intervals[:3]),
        ),
        correction=Correction(without=tuple(intervals)),
        signals=(
            compare_signals(
                f"position of {case.names[joint]}",
                case.robot.joints[joint].units.position,
                data.time,
                position,
                np.where(inside, position, np.nan),
                what=("position", "standing still"),
            ),
        ),
    )


CHECK = Check(
    name="standstill",
    symptom="stretches in which nothing moves and efforts stay where they are",
    cause="a recording that began too early, ended too late, or was paused",
    fix="`without`, the intervals in which nothing moves",
    stage=CheckStage.SIGNALS,
    look=_look,
)
