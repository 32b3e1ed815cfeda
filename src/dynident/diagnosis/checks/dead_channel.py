"""Efforts that never change: a channel that was not connected, or stuck at a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.data import Dataset
from dynident.diagnosis.case import MOVES, Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows

#: Samples of a channel that are one value, from this share on.
_SAME = 0.98


def find_dead(data: Dataset) -> dict[int, float]:
    """{joint, from 0: the value at which its effort stays} of joints that move."""
    if data.effort is None:
        return {}
    middle = np.median(data.effort, axis=0)
    same = np.mean(data.effort == middle, axis=0)
    return {j: float(middle[j]) for j in range(data.n) if same[j] > _SAME and np.ptp(data.q[:, j]) > MOVES}


def silence(data: Dataset) -> Dataset:
    """The log with an effort of zero, which counts as none, where a channel is dead."""
    dead = [j for j, value in find_dead(data).items() if value != 0.0]
    if not dead:
        return data
    return replace(data, effort=np.where(np.isin(np.arange(data.n), dead), 0.0, data.require("effort")))


def _look(case: Case) -> Iterator[Finding]:
    data = case.recorded
    dead = find_dead(data)
    if not dead:
        return
    names = tuple(case.names[j] for j in dead)
    levels = ", ".join(f"{value:.4g}" for value in dead.values())
    joint, value = next(iter(dead.items()))
    if len(dead) == data.n:
        sentence = f"the efforts of all joints stay at {levels} while the joints move: nothing was measured"
    else:
        sentence = f"the effort of {', '.join(names)} stays at {levels} while the joint moves: its channel is dead or stuck"
    yield Finding(
        name=CHECK.name,
        sentence=sentence,
        confidence=Confidence.HIGH,
        evidence=tuple(Evidence(f"effort of {case.names[j]}", level, case.robot.joints[j].units.effort) for j, level in dead.items()),
        joints=names,
        advice="record again with that channel; the other joints were examined without it",
        spoils=True,
        signals=mark_rows(case, "effort", joint, np.full(data.samples, value), "constant", data=data),
    )


CHECK = Check(
    name="dead channel",
    symptom="the effort of a joint that moves is always 0, or always the same",
    cause="a sensor that is not connected, a column that was never filled, a driver that repeats its last value",
    fix="a new recording; `dynident doctor` examines the other joints without it",
    stage=CheckStage.SIGNALS,
    look=_look,
    spoils=True,
)
