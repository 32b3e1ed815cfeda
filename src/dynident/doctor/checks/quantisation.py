"""Positions or efforts in coarse steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.figures import compare_figure
from dynident.doctor.finding import Check, Confidence, Evidence, Finding, Stage

#: Steps of positions that matter [rad | m], and of efforts, as a share of their RMS.
_POSITION, _EFFORT = 1e-3, 0.03
#: Values that have at most so many levels per sample are in steps, and levels are apart by whole numbers of them to this accuracy.
_LEVELS, _WHOLE = 0.5, 0.02
#: Samples in the picture.
_SHOWN = 400


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    for what, values in (("position", data.q), ("effort", data.effort)):
        if values is None:
            continue
        steps = {j: step for j in range(data.n) if (step := find_step(values[:, j])) > 0.0}
        least = {j: _POSITION if what == "position" else _EFFORT * float(np.sqrt(np.mean(values[:, j] ** 2))) for j in steps}
        coarse = {j: step for j, step in steps.items() if step >= least[j]}
        if not coarse:
            continue
        worst = max(coarse, key=lambda j: coarse[j] / least[j])
        names = tuple(case.names[j] for j in coarse)
        shown, unit = values[:_SHOWN, worst], getattr(case.robot.joints[worst].units, what)
        title = f"{what} of {case.names[worst]}"
        figure = compare_figure(title, unit, data.time[:_SHOWN], shown, _smooth(shown), what=(what, "smoothed"))
        units = {j: getattr(case.robot.joints[j].units, what) for j in coarse}
        yield Finding(
            name=CHECK.name,
            sentence=f"the {what}s of {'all joints' if len(names) == data.n else ', '.join(names)} are in coarse steps",
            confidence=Confidence.MEDIUM,
            evidence=tuple(Evidence(f"step of {case.names[j]}", step, units[j]) for j, step in coarse.items()),
            joints=names,
            advice="record with more digits; until then filter at a low cutoff, and trust velocities that were recorded over differences",
            figures=(figure,),
        )


def find_step(values: Array) -> float:
    """The step that all values (N,) are whole multiples of; 0 where there is none."""
    levels = np.unique(values)
    if len(levels) < 3 or len(levels) > _LEVELS * len(values):
        return 0.0
    gaps = np.diff(levels)
    step = float(np.median(gaps[gaps <= 1.5 * gaps[gaps > 1e-9 * np.ptp(levels)].min()]))
    off = np.abs(gaps / step - np.round(gaps / step))
    return step if float(np.mean(off < _WHOLE)) > 0.98 else 0.0


def _smooth(values: Array) -> Array:
    return np.convolve(np.pad(values, 5, mode="edge"), np.full(11, 1.0 / 11.0), mode="valid")


CHECK = Check(
    name="quantisation",
    symptom="positions or efforts that are staircases",
    cause="a log with few digits, or a coarse encoder",
    fix="a lower `cutoff`, and a log with more digits",
    stage=Stage.SIGNALS,
    look=_look,
)
