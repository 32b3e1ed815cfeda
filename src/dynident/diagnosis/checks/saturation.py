"""Efforts that stop at a largest value: a sensor or an amplifier that clips."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data.signals.encoder_noise import find_step
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.intervals import find_stretches, leave_out, recording_of_rows, total
from dynident.diagnosis.signals import mark_rows

#: Samples in a row at the largest value that no noise makes, and their share of the log from which on it matters.
_RUN, _SHARE = 5, 0.003
#: Levels beside the largest, within this share of the whole range, are held more seldom than it by at least this factor, or the effort is
#: in steps.
_NEAR, _RARER = 0.1, 3.0
#: Of a signal with fewer values than this, the largest is one of its steps.
_STEPS = 20
#: What may be left out of a log, and in how many pieces.
_MOST, _PIECES = 0.5, 200
#: Intervals are one that are so few periods apart.
_APART = 2.5


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    if data.effort is None:
        return
    effort = case.recorded.require("effort")
    # of efforts in steps the largest is held for a while whenever they turn
    smooth = [j for j in range(data.n) if find_step(effort[:, j]) == 0.0]
    clipped = {j: clipping for j in smooth if (clipping := _clipped(effort[:, j])) is not None}
    if not clipped:
        return
    inside = np.any([where for where, _ in clipped.values()], axis=0)
    period = 1.0 / data.rate
    stretches = find_stretches(data.time, inside, recording_of_rows(data), wider=0.25 * period, apart=_APART * period)
    mended = total(stretches) < _MOST * data.duration and len(stretches) <= _PIECES
    names = tuple(case.names[j] for j in clipped)
    worst, (where, _) = max(clipped.items(), key=lambda item: float(np.mean(item[1][0])))
    yield Finding(
        name=CHECK.name,
        sentence=f"the effort of {', '.join(names)} stops at a largest value, as if it were clipped",
        confidence=Confidence.HIGH if mended else Confidence.MEDIUM,
        evidence=(
            *(Evidence(f"limit of {case.names[j]}", level, case.robot.joints[j].units.effort) for j, (_, level) in clipped.items()),
            Evidence("share of the log", 100.0 * np.count_nonzero(inside) / len(inside), "%"),
        ),
        joints=names,
        correction=leave_out(data, stretches) if mended else None,
        advice="" if mended else "record a slower motion, or one of less load, at which nothing clips",
        signals=mark_rows(case, "effort", worst, where, "at its limit", data=case.recorded),
    )


def _clipped(effort: Array) -> tuple[BoolArray, float] | None:
    """Where an effort (N,) is at its largest or smallest for several samples in a row, and that value, of which it is longer there; None
    where it is not."""
    if len(np.unique(effort)) < _STEPS:
        return None
    sides = [(sign, at) for sign in (1.0, -1.0) if (at := _at_most(sign * effort)) is not None]
    if not sides:
        return None
    sign, _ = max(sides, key=lambda side: np.count_nonzero(side[1]))
    return np.any([at for _, at in sides], axis=0), sign * float((sign * effort).max())


def _at_most(effort: Array) -> BoolArray | None:
    limit, span = float(effort.max()), float(np.ptp(effort))
    at = effort >= limit - 1e-9 * abs(limit)
    if at.mean() < _SHARE:
        return None
    edges = np.flatnonzero(np.diff(np.concatenate([[0], at.astype(int), [0]])))
    _, counts = np.unique(effort[(effort > limit - _NEAR * span) & ~at], return_counts=True)
    is_level = len(counts) == 0 or np.count_nonzero(at) >= _RARER * counts.max()
    return at if is_level and int((edges[1::2] - edges[::2]).max()) >= _RUN else None


CHECK = Check(
    name="saturation",
    symptom="peaks of the effort that are flat",
    cause="a sensor, an amplifier or a controller that clips",
    fix="`without`, the intervals in which it does",
    stage=CheckStage.SIGNALS,
    look=_look,
)
