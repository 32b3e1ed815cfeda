"""Samples that are faults of the recording: missing ones that were written as 0, isolated and held values, efforts beyond the limit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dynident.data import Dataset
from dynident.data.signals.faulty_samples import SIGNALS, FaultCount, describe_faults, find_faults
from dynident.doctor.case import Case
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.signals import SignalComparison, compare_signals

#: Samples in the picture on either side of the first fault.
_AROUND = 200


def _look(case: Case) -> Iterator[Finding]:
    data = case.data if case.recorded is None else case.recorded
    found, counts = find_faults(data, case.robot.effort_limits, names=case.names)
    counts = [count for count in counts if count.left_out]  # too many are those of another unit, or of a clipped signal
    if not counts:
        return
    worst = max(counts, key=lambda count: count.samples)
    yield Finding(
        name=CHECK.name,
        sentence="; ".join(describe_faults(counts, data.samples)),
        confidence=Confidence.MEDIUM,
        evidence=tuple(
            Evidence(f"faulty samples of the {word}", 100.0 * sum(c.samples for c in counts if c.signal == signal) / data.q.size, "%")
            for signal, word in SIGNALS.items()
            if signal in found
        ),
        joints=tuple(name for name in case.names if any(count.joint == name for count in counts)),
        advice="nothing need be done to this log; find out why the recorder loses or spoils samples",
        signals=(_compare(case, data, worst, found[worst.signal]),),
    )


def _compare(case: Case, data: Dataset, count: FaultCount, codes: NDArray[np.uint8]) -> SignalComparison:
    j = case.names.index(count.joint)
    first = int(np.argmax(codes[:, j] > 0))
    shown = slice(max(first - _AROUND, 0), first + _AROUND)
    values, time = getattr(data, count.signal)[shown, j], data.time[shown]
    word = SIGNALS[count.signal]
    unit = getattr(case.robot.joints[j].units, word)
    faults = np.where(codes[shown, j] > 0, values, np.nan)
    return compare_signals(f"{word} of {count.joint}", unit, time, values, faults, what=(word, "faulty"))


CHECK = Check(
    name="faulty samples",
    symptom="single values of 0, isolated or held values, efforts beyond the joint's limit",
    cause="samples that were lost and written as 0 or as the last value, and errors of transmission",
    fix="none is needed: `identify` leaves them out or replaces them",
    stage=CheckStage.SIGNALS,
    look=_look,
)
