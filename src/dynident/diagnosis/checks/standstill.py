"""A robot that stands still for a good part of the log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data.signals.rest import find_rest
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.intervals import cover, find_stretches, leave_out, recording_of_rows, total
from dynident.diagnosis.signals import mark_rows

#: Pauses shorter than this [s] belong to a motion.
_PAUSE = 1.0
#: From this share of the log on it matters.
_SHARE = 0.2


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    if not case.moving:
        return
    still = np.all(find_rest(data), axis=1)
    recording = recording_of_rows(data)
    pauses = [item for item in find_stretches(data.time, still, recording) if item.stop - item.start >= _PAUSE]
    share = total(pauses) / data.duration
    if share < _SHARE:
        return
    joint = max(case.moving, key=lambda j: float(np.ptp(data.q[:, j])))
    inside = cover(pauses, data.time, recording)
    yield Finding(
        name=CHECK.name,
        sentence=f"the robot stands still for {100.0 * share:.0f} % of the log, where friction takes any part of the load",
        confidence=Confidence.MEDIUM,
        evidence=(
            Evidence("share of the log", share),
            *(Evidence("from", item.start, "s") for item in pauses[:3]),
        ),
        correction=leave_out(data, pauses),
        signals=mark_rows(case, "position", joint, inside, "standing still"),
    )


CHECK = Check(
    name="standstill",
    symptom="stretches in which nothing moves and efforts stay where they are",
    cause="a recording that began too early, ended too late, or was paused",
    fix="`without`, the intervals in which nothing moves",
    stage=CheckStage.SIGNALS,
    look=_look,
)
