"""Samples on straight lines between those of a slower clock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.signals import compare_signals

#: From this share of samples on a line between their neighbours on it matters; and how near to it they are, as a share of the step.
_SHARE, _ON_LINE = 0.4, 1e-6


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    values = data.q if data.effort is None else data.effort
    slopes = np.diff(values, axis=0) / np.diff(data.time)[:, None]
    change, size = np.abs(np.diff(slopes, axis=0)), np.abs(slopes[1:]) + np.abs(slopes[:-1])
    moves = np.any(size > 0.0, axis=1)
    on_line = np.all(change <= _ON_LINE * size, axis=1) & moves
    share = float(np.count_nonzero(on_line) / len(on_line))
    if share < _SHARE:
        return
    times = 1.0 / (1.0 - share)
    slower = data.rate / times
    shown = slice(0, min(data.samples, 200))
    knots = np.flatnonzero(np.append(True, np.append(~on_line, True))[: data.samples][shown])
    joint = int(np.argmax(np.std(values, axis=0)))
    what = "position" if data.effort is None else "effort"
    yield Finding(
        name=CHECK.name,
        sentence=f"samples lie on straight lines between those of a slower clock of about {slower:.4g} Hz",
        confidence=Confidence.MEDIUM,
        evidence=(Evidence("rows per sample", times), Evidence("rate of the samples", slower, "Hz")),
        advice=f"keep the cutoff of the filter below {slower / 4.0:.3g} Hz, a quarter of theirs, or use the log before it was resampled",
        signals=(
            compare_signals(
                f"{what} of {case.names[joint]}",
                getattr(case.robot.joints[joint].units, what),
                data.time[shown],
                values[shown, joint],
                np.where(np.isin(np.arange(len(data.time[shown])), knots), values[shown, joint], np.nan),
                what=(what, "samples"),
            ),
        ),
    )


CHECK = Check(
    name="interpolated samples",
    symptom="samples on straight lines between a few of them",
    cause="a log that was resampled from a slower one",
    fix="a `cutoff` below a quarter of the slower rate, or the log before it was resampled",
    stage=CheckStage.SIGNALS,
    look=_look,
)
