"""Efforts that stop at a largest value: a sensor or an amplifier that clips."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data.signals.encoder_noise import find_step
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.intervals import find_intervals, total
from dynident.doctor.signals import compare_signals

#: Samples in a row at the largest value that no noise makes, and their share of the log from which on it matters.
_RUN, _SHARE = 5, 0.003
#: Levels beside the largest are held more seldom than it by at least this factor, or the effort is in steps.
_RARER = 3.0
#: Of a signal with fewer values than this, the largest is one of its steps.
_STEPS = 20
#: What may be left out of a log, and in how many pieces.
_MOST, _PIECES = 0.5, 200


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    if data.effort is None:
        return
    # of efforts in steps the largest is held for a while whenever they turn
    smooth = [j for j in range(data.n) if find_step(data.effort[:, j]) == 0.0]
    clipped = {j: found for j in smooth if (found := _clipped(np.abs(data.effort[:, j]))) is not None}
    if not clipped:
        return
    inside = np.any([where for where, _ in clipped.values()], axis=0)
    period = 1.0 / data.rate
    intervals = find_intervals(data.time, inside, wider=period, apart=4.0 * period)
    mended = total(intervals) < _MOST * data.duration and len(intervals) <= _PIECES
    names = tuple(case.names[j] for j in clipped)
    worst, (where, _) = max(clipped.items(), key=lambda item: float(np.mean(item[1][0])))
    effort = data.effort[:, worst]
    signals = compare_signals(
        f"effort of {case.names[worst]}",
        case.robot.joints[worst].units.effort,
        data.time,
        effort,
        np.where(where, effort, np.nan),
        what=("recorded effort", "at its limit"),
    )
    yield Finding(
        name=CHECK.name,
        sentence=f"the effort of {', '.join(names)} stops at a largest value, as if it were clipped",
        confidence=Confidence.HIGH if mended else Confidence.MEDIUM,
        evidence=(
            *(Evidence(f"limit of {case.names[j]}", level, case.robot.joints[j].units.effort) for j, (_, level) in clipped.items()),
            Evidence("share of the log", 100.0 * np.count_nonzero(inside) / len(inside), "%"),
        ),
        joints=names,
        correction=Correction(without=tuple(intervals)) if mended else None,
        advice="" if mended else "record a slower motion, or one of less load, at which nothing clips",
        signals=(signals,),
    )


def _clipped(sizes: Array) -> tuple[BoolArray, float] | None:
    """Where sizes (N,) are at their largest for several samples in a row, and that value; None where they are not."""
    limit = float(sizes.max())
    at = sizes >= limit * (1.0 - 1e-9)
    if limit == 0.0 or at.mean() < _SHARE or at.all() or len(np.unique(sizes)) < _STEPS:
        return None
    starts = np.flatnonzero(np.diff(np.concatenate([[0], at.astype(int), [0]])))
    longest = int((starts[1::2] - starts[::2]).max())
    near = sizes[(sizes > 0.8 * limit) & ~at]
    _, counts = np.unique(near, return_counts=True)
    if longest < _RUN or (len(counts) and at.sum() < _RARER * counts.max()):
        return None
    return at, limit


CHECK = Check(
    name="saturation",
    symptom="peaks of the effort that are flat",
    cause="a sensor, an amplifier or a controller that clips",
    fix="`without`, the intervals in which it does",
    stage=CheckStage.SIGNALS,
    look=_look,
)
