"""The doctor's quick look, before an identification: is there something that would make its result meaningless?

A few thousand samples tell whether velocities are those of the positions and whether the log is explained about as well as it can be. Only
where they are not, or where efforts of the other sign, other units or gravity the other way round would be far more probable, hypotheses
compete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dynident.data import ControllerSamples, Dataset, EffortKind
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.doctor.case import Case
from dynident.doctor.checks.velocity import SAME, has_common_factor
from dynident.doctor.competition import SURE
from dynident.doctor.correction import Correction
from dynident.doctor.gains import find_gains
from dynident.regression.prepare import match_log
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from dynident.doctor.diagnosis import Diagnosis

#: Samples that are looked at, in so many windows of a long log, at about this rate [Hz].
_SAMPLES, _WINDOWS, _RATE = 4_000, 8, 200.0
#: A joint with an effort of this share of the largest, and of it so much unexplained that a model could explain, is reason to look closer.
_COUNTS, _UNEXPLAINED = 0.05, 0.45


def find_spoiling(robot: Robot, data: Dataset | ControllerSamples) -> Diagnosis | None:
    """The diagnosis of a log that would spoil what is identified from it; None where nothing is sure to, and without torques."""
    if isinstance(data, ControllerSamples) or data.effort_kind is not EffortKind.TORQUE or not np.any(data.effort):
        return None
    matched = match_log(robot, data)
    few = thin(matched)
    if not looks_wrong(Case(robot=robot, data=leave_out_faults(few, robot.effort_limits)[0])):
        return None
    from dynident.doctor.diagnose import diagnose  # with all checks; most logs need none of them

    diagnosis = diagnose(robot, few)
    if diagnosis.spoiling and few is not matched:  # what mends it is told of all samples, whose rate is another
        diagnosis = diagnose(robot, matched)
    return diagnosis if diagnosis.spoiling else None


def looks_wrong(case: Case) -> bool:
    """Whether there is reason to look closer."""
    velocities = case.velocities
    if velocities is not None and has_common_factor(velocities):
        factor = float(np.median(velocities.factors[velocities.moving]))
        if abs(np.log(factor)) > np.log(SAME):
            return True
    if case.data.seems_unsigned:
        return True
    if case.excerpt is None:
        return False
    explanation, sizes = case.explanation, case.moments.sizes
    beyond = np.sqrt(np.maximum(explanation.misfit**2 - case.moments.floor**2, 0.0))
    if np.any((beyond > _UNEXPLAINED) & (sizes > _COUNTS * sizes.max())):
        return True
    return any(case.judge(correction).cost < explanation.cost - SURE for correction in _usual_faults(case))


def _usual_faults(case: Case) -> Iterator[Correction]:
    """What fits as well as the truth, and only the links look strange."""
    yield Correction(effort_signs=-np.ones(case.robot.n))
    yield Correction(units={"effort": "mNm"})
    yield Correction(units={"effort": "kNm"})
    yield Correction(effort_gains=find_gains(case.moments, case.prior))
    if np.any(case.robot.gravity):
        yield Correction(gravity=-case.robot.gravity)


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
