"""The doctor's quick look, before an identification: is there something that would make its result meaningless?

A few thousand samples tell whether velocities are those of the positions and whether the log is explained about as well as it can be. Only
where they are not, or where efforts of the other sign, other units or gravity the other way round would be far more probable, hypotheses
compete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynident.data import ControllerSamples, Dataset, EffortKind, Reading
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.diagnosis.case import Case
from dynident.diagnosis.checks.dead_channel import find_dead
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.effort_candidates import find_gains, multiply, units
from dynident.diagnosis.kinematics import SAME
from dynident.diagnosis.motion_candidates import possible_clocks
from dynident.diagnosis.search import Hypothesis
from dynident.diagnosis.verdict import SURE
from dynident.regression.prepare import match_log
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from dynident.diagnosis.diagnosis import Diagnosis

#: Samples that are looked at, in so many windows of a long log, at about this rate [Hz].
_SAMPLES, _WINDOWS, _RATE = 4_000, 8, 200.0
#: A joint with an effort of this share of the largest, and of it so much unexplained that a model could explain, is reason to look closer.
_COUNTS, _UNEXPLAINED = 0.05, 0.45


def find_spoiling(robot: Robot, data: Dataset | ControllerSamples) -> Diagnosis | None:
    """The diagnosis of a log that would spoil what is identified from it; None where nothing is sure to, and without torques."""
    if isinstance(data, ControllerSamples) or data.effort_kind is not EffortKind.TORQUE or data.effort is None:
        return None
    matched = match_log(robot, data)
    few = thin(matched)
    if not looks_wrong(Case(robot=robot, data=leave_out_faults(few, robot.effort_limits)[0], recorded=few)):
        return None
    from dynident.diagnosis.diagnose import doctor  # with all checks; most logs need none of them

    diagnosis = doctor(robot, few)
    if diagnosis.spoiling and few is not matched:  # what mends it is told of all samples, whose rate is another
        diagnosis = doctor(robot, matched)
    return diagnosis if diagnosis.spoiling else None


def looks_wrong(case: Case) -> bool:
    """Whether there is reason to look closer."""
    velocities = case.kinematics.velocities
    ratio = None if velocities is None else velocities.common_factor
    if (ratio is not None and abs(np.log(ratio)) > np.log(SAME)) or case.data.seems_unsigned or find_dead(case.data):
        return True
    if case.excerpt is None:
        return False
    explanation, n = case.explanation, case.robot.n
    if np.any((explanation.excess > _UNEXPLAINED) & (explanation.sizes > _COUNTS * explanation.sizes.max())):
        return True
    root = Hypothesis(candidates=(), correction=Correction.of(n), explanation=explanation, cost=explanation.cost)
    usual = [Correction.of(n, Reading(effort_signs=[-1.0])), *(item.correction for item in units(case, root))]
    usual += [] if velocities is not None else [Correction.of(n, Reading(clock=clock)) for clock in possible_clocks(case)]
    usual += [multiply(find_gains(case, root)), Correction.of(n, gravity=-case.robot.gravity)]
    return any(case.explain(correction, start=explanation).cost < explanation.cost - SURE for correction in usual)


def thin(data: Dataset) -> Dataset:
    """Some windows of a long log, with fewer samples per second."""
    step = max(1, int(data.rate // _RATE))
    count = data.samples // step
    if count <= _SAMPLES:
        return data if step == 1 else _take(data, [slice(segment.start, segment.stop) for segment in data.segments], step)
    width = step * _SAMPLES // _WINDOWS
    windows: list[slice] = []
    for segment in data.segments:
        length = segment.stop - segment.start
        many = max(1, round(_WINDOWS * length / data.samples))
        starts = [segment.start + k * max(length - width, 0) // max(many - 1, 1) for k in range(many)]
        windows += [slice(start, min(start + width, segment.stop)) for start in starts]
    return _take(data, windows, step)


def _take(data: Dataset, windows: list[slice], step: int) -> Dataset:
    rows = [np.arange(window.start, window.stop, step, dtype=np.intp) for window in windows if window.stop - window.start > 2 * step]
    return data.take(np.concatenate(rows), starts=np.cumsum([0, *map(len, rows[:-1])]).tolist())
