"""Samples that are faults of the recording: missing ones that were written as 0, isolated and held values, efforts beyond the limit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data.signals.faulty_samples import SIGNALS, describe_faults, find_faults
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows

#: Samples in the picture on either side of the first fault.
_AROUND = 200


def _look(case: Case) -> Iterator[Finding]:
    data = case.recorded
    codes_by_signal, counts = find_faults(data, case.robot.effort_limits, names=case.names)
    counts = [count for count in counts if count.left_out]  # too many are those of another unit, or of a clipped signal
    if not counts:
        return
    worst = max(counts, key=lambda count: count.samples)
    joint = case.names.index(worst.joint)
    faulty = codes_by_signal[worst.signal][:, joint] > 0
    first = int(np.argmax(faulty))
    shown = slice(max(first - _AROUND, 0), first + _AROUND)
    yield Finding(
        name=CHECK.name,
        sentence="; ".join(describe_faults(counts, data.samples)),
        confidence=Confidence.LOW,
        evidence=tuple(
            Evidence(f"faulty samples of the {word}", 100.0 * sum(c.samples for c in counts if c.signal == signal) / data.q.size, "%")
            for signal, word in SIGNALS.items()
            if signal in codes_by_signal
        ),
        joints=tuple(name for name in case.names if any(count.joint == name for count in counts)),
        advice="nothing need be done to this log; find out why the recorder loses or spoils samples",
        signals=mark_rows(case, SIGNALS[worst.signal], joint, faulty, "faulty", data=data, shown=shown),
    )


CHECK = Check(
    name="faulty samples",
    symptom="single values of 0, isolated or held values, efforts beyond the joint's limit",
    cause="samples that were lost and written as 0 or as the last value, and errors of transmission",
    fix="none is needed: `identify` leaves them out or replaces them",
    stage=CheckStage.SIGNALS,
    look=_look,
)
