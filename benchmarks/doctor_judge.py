"""Whether what the doctor says of a log that was made wrong is right.

Rules and tolerances were written before the first examination, but for these, which came after misses had been seen: a clock that only
inertias tell may be wrong by `TIME_SCALE` (it was `CLOCK`); zeros are made wrong only in logs that can tell (`benchmarks.faults`); moments
and sizes may be told by the clock and in the units of the log; which checks are about a fault (`ABOUT`) follows the doctor's own names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.doctor_logs import Log
from benchmarks.faults import Remedy
from dynident import Robot
from dynident.data import Dataset
from dynident.doctor import Correction, Diagnosis, Finding

#: Largest errors with which a channel counts as given back: gain of motion and of efforts, zero [rad], direction of gravity [degrees].
MOTION_GAIN, EFFORT_GAIN, ZERO, DIRECTION = 0.05, 0.25, 0.05, 5.0
#: Largest difference of a derivative from the right one, as a share, and of the clock.
DERIVATIVE, CLOCK = 0.05, 0.02
#: Largest factor by which a clock may be wrong that only inertias tell, which are known to a factor of two.
TIME_SCALE = 1.5
#: How near a named moment must be [s].
MOMENT = 0.5

#: The doctor's checks that are about a fault.
ABOUT: dict[str, tuple[str, ...]] = {
    "little motion": ("excitation", "standstill"),
    "standstill": ("standstill", "excitation"),
    "payload": ("payload",),
    "pushes": ("contact",),
    "warm-up": ("changing friction",),
    "compensated": ("gravity compensated",),
    "saturated": ("saturation",),
    "quantised": ("quantisation",),
    "commanded": ("velocity", "commanded velocity"),
    "garbage accelerations": ("acceleration",),
    "gaps": ("gaps",),
    "lost": ("leaps", "gaps"),
    "repeated": ("repeated samples",),
    "interpolated": ("interpolated samples", "repeated samples"),
    "delay": ("delay",),
    "jitter": ("jitter", "time base"),
    "motor side": ("motor side", "position unit"),
    "current": ("effort gains", "effort unit"),
    "offset": ("joint zero",),
    "sign": ("effort sign", "position sign", "gravity"),
    "order": ("joint order",),
    "mounting": ("gravity", "position sign"),
    "wall": ("gravity", "position sign"),
    "degrees": ("position unit", "velocity unit", "velocity"),
    "degrees per second": ("velocity unit", "velocity"),
    "rpm": ("velocity unit", "velocity"),
    "counts": ("position unit",),
    "effort unit": ("effort unit", "effort gains"),
    "clock": ("time base",),
    "clock alone": ("time base",),
}


def is_named(remedy: Remedy, log: Log, diagnosis: Diagnosis, *, sure: bool = False) -> bool:
    """Whether a finding names the remedy: what it changes is as it should be, or it says the joint, the moments, the size.

    sure : only findings that are.
    """
    if remedy.restored:
        fixes = [diagnosis.corrected()] if sure else _fixes(diagnosis)
        return any(_is_restored(remedy.restored, log, *fixed) for fixed in fixes)
    about = [finding for finding in (diagnosis.sure if sure else diagnosis.findings) if finding.name in ABOUT[remedy.fault]]
    joints = {log.robot.joint_names[j] for j in remedy.joints}
    return bool(about) and all(
        (
            not joints or any(joints <= set(finding.joints) for finding in about),
            all(any(_is_moment(told, moment, log) for finding in about for told in _numbers(finding, "s")) for moment in remedy.times),
            remedy.value is None or any(_is_size(told, remedy, log) for finding in about for told in _numbers(finding)),
        )
    )


def _is_moment(told: float, moment: float, log: Log) -> bool:
    """By the log's own clock, or by the right one where another fault made it wrong."""
    return any(abs(told - moment * speed) <= MOMENT * speed for speed in (1.0, log.true_data.rate / log.data.rate))


def _is_size(told: float, remedy: Remedy, log: Log) -> bool:
    """In SI units, or in those of the log where another fault changed them."""
    assert remedy.value is not None
    units = [1.0, *(float(np.median(_compare(log.data, log.true_data, name)[0])) for name in ("q", "effort"))]
    return any(abs(told - remedy.value * unit) <= remedy.tolerance * abs(remedy.value * unit) for unit in units)


def mend(remedies: Sequence[Remedy], log: Log, diagnosis: Diagnosis) -> tuple[Robot, Dataset]:
    """The robot and the log with the findings that are sure, and with those that are not where only so all is as it should be."""
    parts = [part for remedy in remedies for part in remedy.restored]
    right = (fixed for fixed in _fixes(diagnosis) if _is_restored(parts, log, *fixed))
    return next(right, diagnosis.corrected())


def is_about(finding: Finding, remedies: Sequence[Remedy]) -> bool:
    """Whether a finding is about one of the faults at all."""
    return any(finding.name in ABOUT[remedy.fault] for remedy in remedies)


def _fixes(diagnosis: Diagnosis) -> Iterator[tuple[Robot, Dataset]]:
    """The log with the sure corrections, with those and one more, and with all."""
    yield diagnosis.corrected()
    unsure = [finding.correction for finding in diagnosis.findings if not finding.sure and finding.correction is not None]
    for correction in unsure:
        yield diagnosis.correction.then(correction).apply(diagnosis.robot, diagnosis.data)
    whole = Correction()
    for finding in diagnosis.findings:
        whole = whole if finding.correction is None else whole.then(finding.correction)
    yield whole.apply(diagnosis.robot, diagnosis.data)


def _is_restored(parts: Sequence[str], log: Log, robot: Robot, data: Dataset) -> bool:
    """Against the log without the fault, or, of robots whose links are not well known, against its mirror image.

    Where all joints count the other way and gravity points up, most arms move as their mirror images do.
    """
    truths = [(log.true_robot, log.true_data)]
    if log.nominal != "good":
        true = log.true_data
        flipped = {name: -value for name in ("q", "dq", "ddq", "effort") if (value := getattr(true, name)) is not None}
        truths.append((log.true_robot.with_gravity(-log.true_robot.gravity), replace(true, **flipped)))
    return any(all(_CHECKS[part](robot, data, *truth) for part in parts) for truth in truths)


def _same_clock(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    return abs(true.rate / data.rate - 1.0) <= CLOCK


def _same_time_scale(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    return abs(np.log(true.rate / data.rate)) <= np.log(TIME_SCALE)


def _same_positions(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    gain, _ = _compare(data, true, "q", centred=True)
    moving = true.q.std(axis=0) > 1e-3
    zero = np.abs(data.q.mean(axis=0) - true.q.mean(axis=0))
    return bool(np.all(np.abs(gain - 1.0)[moving] <= MOTION_GAIN) and np.all(zero <= ZERO))


def _same_efforts(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    gain, _ = _compare(data, true, "effort")
    return bool(np.all(np.abs(gain - 1.0) <= EFFORT_GAIN))


def _same_order(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    likeness = [np.abs(_compare(data, true, name, centred=True)[1]) for name in ("q", "effort")]
    return bool(np.all(likeness[0] > 0.9) and np.all(likeness[1] > 0.8))


def _same_velocities(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    return _same_derivative(data.dq, true.dq)


def _same_accelerations(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    return _same_derivative(data.ddq, true.ddq)


def _same_gravity(robot: Robot, data: Dataset, true_robot: Robot, true: Dataset) -> bool:
    found, right = robot.gravity, true_robot.gravity
    if not np.any(right):
        return float(np.linalg.norm(found)) < 1.0
    cosine = found @ right / max(float(np.linalg.norm(found) * np.linalg.norm(right)), 1e-9)
    return bool(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))) <= DIRECTION)


_CHECKS = {
    "clock": _same_clock,
    "time scale": _same_time_scale,
    "q": _same_positions,
    "dq": _same_velocities,
    "ddq": _same_accelerations,
    "effort": _same_efforts,
    "order": _same_order,
    "gravity": _same_gravity,
}


def _same_derivative(found: np.ndarray | None, right: np.ndarray | None) -> bool:
    """Also where it is to be computed from the positions."""
    if found is None or right is None:
        return found is None
    return len(found) == len(right) and float(np.linalg.norm(found - right)) <= DERIVATIVE * float(np.linalg.norm(right))


def _compare(data: Dataset, true: Dataset, name: str, *, centred: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Of each joint the gain of the found channel against the right one, and their correlation."""
    found, right = getattr(data, name), getattr(true, name)
    if len(found) != len(right):
        share = np.linspace(0.0, 1.0, len(found)), np.linspace(0.0, 1.0, len(right))
        right = np.column_stack([np.interp(share[0], share[1], column) for column in right.T])
    if centred:
        found, right = found - found.mean(axis=0), right - right.mean(axis=0)
    power = np.maximum(np.sum(right**2, axis=0), 1e-30)
    product = np.sum(found * right, axis=0)
    return product / power, product / np.sqrt(power * np.maximum(np.sum(found**2, axis=0), 1e-30))


def _numbers(finding: Finding, unit: str | None = None) -> Iterator[float]:
    """The numbers that a finding tells, of one unit."""
    yield from (evidence.value for evidence in finding.evidence if unit in (None, evidence.unit))
    if finding.correction is not None:
        if unit == "s":
            yield from (0.5 * (start + stop) for start, stop in finding.correction.without)
        if unit is None and finding.correction.delay is not None:
            yield float(np.median(finding.correction.delay))
