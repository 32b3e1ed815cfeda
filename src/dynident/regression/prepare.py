"""Data before they become rows: the robot's joints in its order, torques in their unit, derivatives that agree, an even clock, a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.large_arrays import map_rows, row_blocks, thin_rows
from dynident.data import ControllerSamples, Dataset, EffortKind, ParallelFilter, differentiate, is_uniform, resample
from dynident.data.checks import default_names
from dynident.data.signals.agreement import find_disagreements, replace_derivatives
from dynident.data.signals.encoder_noise import EncoderNoise, derive_motion, position_steps, velocity_noise
from dynident.data.signals.rest import find_rest
from dynident.errors import InputError, Remedy, ValueRangeError
from dynident.regression.summary import Processing
from dynident.robots.robot import Robot

Recorded = TypeVar("Recorded", Dataset, ControllerSamples, Dataset | ControllerSamples)

#: Cutoff where nothing is said [Hz]; above what arms move at, below most noise.
DEFAULT_CUTOFF = 5.0
#: A clock whose periods vary by more than this share of the median is put on a uniform grid before filtering.
JITTER_TOLERANCE = 0.01
#: A median effort beyond this many times the joint's limit is taken for a wrong unit (mN·m are a thousand times).
ABSURD_EFFORT = 20.0
#: The filter's impulse response ends below this share of its peak. Both sides of the equations go through the same
#: filter, so its exact shape biases nothing, and a shorter one loses less of the log's edges (0.8 s for 5 Hz).
EDGE = 1e-4
#: A velocity trembles at rest where its sign changes more often than so many times in a pause; in one that begins and ends it does twice.
TREMBLING = 4
#: The sign of a velocity is not known within so many standard deviations of its noise.
UNDECIDED = 2.0
#: Beyond this share of rest a log is one of postures.
MOSTLY_RESTING = 0.8
#: Pauses that are shorter, as a share of the log, do no harm; and of a log that mostly rests, nothing is left out.
HARDLY_RESTING, MOST_LEFT_OUT = 0.05, 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedLog:
    """A log with effort, dq and ddq, on a uniform clock where there is a filter for it; and what was done."""

    dataset: Dataset
    filter: ParallelFilter | None
    processing: Processing


def prepare_log(robot: Robot, data: Dataset, *, cutoff: float | None, rate: float | None, resampled: bool = True) -> PreparedLog:
    """A log of the robot's joints ready for rows. resampled : whether its clock may be replaced."""
    check_torque(data)
    steps = Processing(disagreeing=find_disagreements(data, cutoff))
    if cutoff is not None:  # differences that nothing filters would be worse
        data = replace_derivatives(data, steps.disagreeing)
    rounding = position_steps(data.q)
    periods, usual = data.steps, 1.0 / data.rate
    jitter = max(float(periods.max()) / usual - 1.0, 1.0 - float(periods.min()) / usual)
    if jitter > JITTER_TOLERANCE and (cutoff is not None or data.dq is None or data.ddq is None):
        if not resampled:
            raise InputError("extra columns and a load need a uniform clock; resample the log and compute them on the resampled one")
        steps = replace(steps, resampled_to_hz=data.rate)
        data = resample(data, data.rate)
    missing = tuple(name for name in ("dq", "ddq") if getattr(data, name) is None)
    wrong = tuple(steps.disagreeing.get("dq", ())) if cutoff is not None else ()
    recorded = () if data.dq is None else tuple(name for name in data.joint_names if name not in wrong)
    noise = _recorded_noise(data, recorded)
    if len(recorded) < data.n:
        derived, encoder_noise = derive_motion(_without_velocities(data), cutoff=cutoff or usual_cutoff(data.rate), steps=rounding)
        data = _take_joints(differentiate(data), derived, wrong) if recorded else derived
        noise |= _derived_noise(data, encoder_noise, recorded)
    elif missing:
        data = differentiate(data)
    steps = replace(steps, differentiated=missing, motion_noise=noise)
    filter = None
    if cutoff is not None:
        filter = parallel_filter(data.rate, cutoff, rate)
        name = "zero-phase Butterworth, parallel"
        steps = replace(steps, filter=name, order=filter.order, cutoff_hz=cutoff, rate_hz=filter.rate)
    elif rate is not None:
        remedy = Remedy("give a filter too, such as {cutoff}", cutoff=rate / 4.0)
        raise ValueRangeError("rate", "needs a filter before decimation, or it would alias", remedy=remedy)
    _check_unit(robot, data)
    return PreparedLog(dataset=data, filter=filter, processing=steps)


def usual_cutoff(rate: float) -> float:
    """The cutoff [Hz] of a log of this rate [Hz] where nothing is said: a slow log is kept at its own rate."""
    return min(DEFAULT_CUTOFF, rate / 4.0)


def mask_trembling(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """The log without the samples of joints at rest whose recorded velocity trembles, and a note.

    The sign of that velocity is noise, and friction at rest is whatever holds the joint: neither says anything about friction that
    leaps where a joint turns back. Of a joint that hardly ever moves all is kept, for the sake of gravity.
    """
    dq = data.require("dq")
    resting = find_rest(data)
    if not resting.any():
        return data, ()
    counts = resting.sum(axis=0)
    turns, stays = np.zeros(data.n), np.zeros(data.n)
    for block in row_blocks(data.samples, dq, width=data.n):
        rows = slice(block.start, block.stop + 1)
        stay = resting[rows][1:] & resting[rows][:-1]
        turns += ((np.diff(np.sign(dq[rows]), axis=0) != 0.0) & stay).sum(axis=0)
        stays += stay.sum(axis=0)
    trembling = turns > TREMBLING * (counts - stays)
    resting &= trembling & (counts <= MOSTLY_RESTING * data.samples) & (counts >= HARDLY_RESTING * data.samples)
    share = f"{100.0 * float(resting.mean()):.2g} % of the samples"
    if not 0.0 < resting.mean() <= MOST_LEFT_OUT:
        return data, ()
    note = f"{share} are of joints at rest whose velocity trembles, so that friction has no definite sign there; they are left out"
    return data.restrict(np.logical_not(resting, out=resting)), (note,)


def mask_reversals(data: Dataset, noise: Mapping[str, Mapping[str, float]]) -> tuple[Dataset, tuple[str, ...]]:
    """The log without the samples at which a derived velocity is within its noise, and a note; noise : as in `Processing`.

    The sign of the velocity, and with it that of Coulomb friction, is not known there. Recorded velocities are used as they are. Of a
    joint that is this slow most of the time all is kept, for the sake of gravity.
    """
    derived = [name for name in data.joint_names if "position" in noise.get(name, {})]
    level = np.array([UNDECIDED * noise[name]["velocity"] if name in derived else 0.0 for name in data.joint_names])
    mask = map_rows(lambda dq: np.abs(dq) >= level, data.require("dq"), dtype=bool)
    mask |= mask.mean(axis=0) < 1.0 - MOST_LEFT_OUT
    if mask.all():
        return data, ()
    share = f"{100.0 * float(1.0 - mask.mean()):.2g} % of the samples"
    note = f"{share}, near reversals, have a velocity within its noise, so that the sign of friction is not known there; they are left out"
    return data.restrict(mask), (note,)


def check_torque(data: Dataset) -> None:
    """An error where a log has no efforts, or has currents or magnitudes."""
    check_effort(data)
    if data.effort_kind is not EffortKind.TORQUE:
        if data.effort_kind is not None and data.effort_kind.unsigned:
            what = "torque" if data.effort_kind is EffortKind.MAGNITUDE else "motor current"
            remedy = Remedy("recover the signs with {recover_signs}", recover_signs=...)
            raise InputError(f"the log holds only the magnitude of the {what}, not its sign", remedy=remedy)
        advice = "load it with the torque per ampere of each joint, such as {effort_gains}, which {identify_gains} finds"
        remedy = Remedy(advice, effort_gains="14.9,-12.1", identify_gains=...)
        raise InputError(f"the log holds {data.effort_kind} rather than torque", remedy=remedy)


def check_effort(data: Dataset) -> None:
    """An error where a log has none."""
    if data.effort is None:
        advice = "name them with a column map, such as {columns}, or the file that has them with files: in a YAML beside the data"
        remedy = Remedy(advice, columns={"effort": "tau*"})
        raise InputError("the log has no effort (torque) columns, or they are empty", remedy=remedy)


def even_clock(data: Dataset) -> Dataset:
    """The log on a uniform clock; as it is where its own is even enough."""
    return data if is_uniform(data, tolerance=JITTER_TOLERANCE) else resample(data, data.rate)


def parallel_filter(rate_in: float, cutoff: float, rate: float | None = None) -> ParallelFilter:
    """The filter of a log of `rate_in` [Hz]; `rate` of its output is by default four times the cutoff."""
    return ParallelFilter(cutoff=cutoff, rate_in=rate_in, rate_out=min(rate or 4.0 * cutoff, rate_in), truncation=EDGE)


def match_joints(robot: Robot, data: Dataset | ControllerSamples) -> Dataset | ControllerSamples:
    """The data of the robot's joints, in its order where the data name them; an error where they are not as many."""
    data = order_joints(robot, data)
    if data.n != robot.n:
        raise InputError(
            f"the data have {data.n} joints and robot {robot.name!r} has {robot.n} ({', '.join(robot.joint_names)}); "
            "choose columns or lock joints so that they agree"
        )
    return data


def match_log(robot: Robot, data: Dataset | ControllerSamples) -> Dataset:
    """The same of a log. InputError for samples of a controller."""
    matched = match_joints(robot, data)
    if not isinstance(matched, Dataset):
        raise InputError("the data are samples of a controller's M and g", remedy="give a log of a motion")
    return matched


def order_joints(robot: Robot, data: Recorded) -> Recorded:
    """The data with the robot's joints alone, in its order, where they name all of them; else as they are."""
    named = data.joint_names != default_names(data.n)  # numbers that we gave ourselves say nothing about order
    if named and data.joint_names != robot.joint_names and set(robot.joint_names) <= set(data.joint_names):
        return cast("Recorded", data.select(robot.joint_names))
    return data


def _without_velocities(data: Dataset) -> Dataset:
    return data if data.dq is None else data.after("", dq=None, ddq=None)


def _take_joints(data: Dataset, other: Dataset, joints: Sequence[str]) -> Dataset:
    """The log with the motion of these joints as in the other."""
    chosen = np.isin(data.joint_names, joints)
    motion: dict[str, Array] = {name: np.where(chosen, getattr(other, name), getattr(data, name)) for name in ("q", "dq", "ddq")}
    return data.after("positions smoothed where velocities are wrong", **motion)


def _recorded_noise(data: Dataset, joints: Sequence[str]) -> dict[str, dict[str, float]]:
    """Noise and speed of recorded velocities [rad/s | m/s]."""
    if not joints:
        return {}
    noise, speed = (dict(zip(data.joint_names, values.tolist(), strict=True)) for values in velocity_noise(data))
    return {name: {"velocity": noise[name], "speed": speed[name]} for name in joints}


def _derived_noise(data: Dataset, noise: EncoderNoise, others: Sequence[str]) -> dict[str, dict[str, float]]:
    """The same of velocities that were derived, without the other joints; and of the positions."""
    levels = {"velocity": noise.after, "speed": noise.speed, "position": noise.position, "unsmoothed_velocity": noise.before}
    by_joint = {name: {what: float(values[j]) for what, values in levels.items()} for j, name in enumerate(data.joint_names)}
    for name, bandwidth in zip(data.joint_names, noise.bandwidth.tolist(), strict=True):
        by_joint[name] |= {"bandwidth_hz": bandwidth} if np.isfinite(bandwidth) else {}
    return {name: values for name, values in by_joint.items() if name not in others}


def _check_unit(robot: Robot, data: Dataset) -> None:
    """Torques far beyond what the joints can do are in another unit."""
    typical = np.median(np.abs(thin_rows(data.require("effort"), 20_000)), axis=0)
    for joint, value in zip(robot.joints, typical, strict=True):
        if value > ABSURD_EFFORT * joint.effort > 0.0:
            typically = f"{value:.3g} {joint.units.effort} in the median, and its limit is {joint.effort:.3g}"
            remedy = Remedy("give the unit of the effort, such as {units}", units={"effort": "mNm"})
            raise InputError(f"the effort of joint {joint.name!r} is {typically}", remedy=remedy)
