"""Positions or efforts in coarse steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data.signals.encoder_noise import find_step
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows

#: Steps of positions that matter [rad | m], and of efforts, as a share of their RMS.
_POSITION, _EFFORT = 1e-3, 0.03
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
        units = {j: getattr(case.robot.joints[j].units, what) for j in coarse}
        yield Finding(
            name=CHECK.name,
            sentence=f"the {what}s of {'all joints' if len(names) == data.n else ', '.join(names)} are in coarse steps",
            confidence=Confidence.MEDIUM,
            evidence=tuple(Evidence(f"step of {case.names[j]}", step, units[j]) for j, step in coarse.items()),
            joints=names,
            advice="record with more digits; until then filter at a low cutoff, and trust velocities that were recorded over differences",
            signals=mark_rows(case, what, worst, _smooth(values[:, worst]), "smoothed", shown=slice(_SHOWN)),
        )


def _smooth(values: Array) -> Array:
    return np.convolve(np.pad(values, 5, mode="edge"), np.full(11, 1.0 / 11.0), mode="valid")


CHECK = Check(
    name="quantisation",
    symptom="positions or efforts that are staircases",
    cause="a log with few digits, or a coarse encoder",
    fix="a lower `cutoff`, and a log with more digits",
    stage=CheckStage.SIGNALS,
    look=_look,
)
