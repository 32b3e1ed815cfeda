"""Rows that repeat the one before: sensors that are read more seldom than rows are written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.signals import compare_signals

#: From this share of repeated rows on it matters.
_SHARE = 0.3


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    channels = [values for values in (data.q, data.dq, data.effort) if values is not None]
    same = np.all([np.all(np.diff(values, axis=0) == 0.0, axis=1) for values in channels], axis=0)
    moving = np.abs(np.diff(data.q, axis=0)).sum() > 0.0
    share = np.count_nonzero(same) / max(len(same), 1)
    if share < _SHARE or not moving:
        return
    times = 1.0 / (1.0 - share)
    slower = data.rate / times
    shown = slice(0, min(data.samples, 200))
    position = data.q[shown, 0]
    new = np.append(True, ~same[: len(position) - 1])
    even = np.interp(data.time[shown], data.time[shown][new], position[new])
    unit, what = case.robot.joints[0].units.position, ("position", "as it was read")
    signals = compare_signals(f"position of {case.names[0]}", unit, data.time[shown], position, even, what=what)
    yield Finding(
        name=CHECK.name,
        sentence=f"{100.0 * share:.0f} % of the rows repeat the one before: sensors were read at {slower:.4g} Hz, not {data.rate:.4g}",
        confidence=Confidence.MEDIUM,
        evidence=(Evidence("rows per sample", times), Evidence("rate of the samples", slower, "Hz")),
        advice=f"keep the cutoff of the filter below {slower / 4.0:.3g} Hz, a quarter of their rate",
        signals=(signals,),
    )


CHECK = Check(
    name="repeated samples",
    symptom="rows that are the same as the one before",
    cause="sensors that are read more seldom than rows are written",
    fix="a `cutoff` below a quarter of the rate at which they are read",
    stage=CheckStage.SIGNALS,
    look=_look,
)
