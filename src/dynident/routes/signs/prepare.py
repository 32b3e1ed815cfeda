"""A log of |τ| made ready for the search for its signs: a uniform clock, a smooth motion, the noise, and the segments.

The motion is smoothed, because the model's torque is compared sample by sample; |τ| stays as it was recorded, because a filter that
runs through a change of sign, which |τ| doesn't show, would bend it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data import Dataset, EffortKind
from dynident.data.signals.agreement import smooth_motion
from dynident.data.signals.faulty_samples import describe_faults, leave_out_faults
from dynident.data.signals.rest import find_rest
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import InputError, ValueRangeError, require
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.identify import Auto, Default, first_friction
from dynident.regression.prepare import check_effort, even_clock, match_log, usual_cutoff
from dynident.robots.kinematics import length_unit
from dynident.robots.robot import JointType, Robot
from dynident.routes.signs.magnitudes import Magnitudes, working_step
from dynident.routes.signs.segments import split_segments

#: Samples nearer to zero than this many standard deviations of the noise don't tell a sign.
UNCLEAR = 3.0
#: The same for logs without noise: a share of the joint's RMS.
LEAST_SHARE = 0.01
#: A joint moves when it covers more than this [rad | m]; a sliding one, more than this share of `length_unit`.
STILL = 1e-3
#: |τ| varies when its standard deviation is above this share of its mean.
CONSTANT = 1e-6
#: Standard deviation over median of the absolute value, for a normal distribution.
NORMAL = 1.4826
#: Of longer logs windows are searched, this long in all, each so long [s]: the others' signs follow from the model.
LONGEST, WINDOW = 300.0, 20.0
#: Order of the differences that tell noise from motion.
_ORDER = 3
#: Fifth differences of white noise say what third ones do: 0.77 to 1.02 times as much on the recorded Panda, the TX40 and virtual arms, and
#: nothing on the recorded KUKA, whose torques were smoothed (`tests/unit/routes/signs/test_magnitudes.py` has both kinds).
SMOOTHED = 0.5
#: A signal with fewer distinct values than this share of its samples was rounded.
_ROUNDED = 0.2

_UP_TO_SCALE = (
    "the effort is a current without a torque per ampere: all joints are taken to have the same, and masses, inertias and friction come "
    "out divided by it; the gains of the drives, or a mass that is known, give the scale"
)


def prepare_magnitudes(
    robot: Robot,
    data: Dataset,
    *,
    friction: FrictionModel | Default | None = "default",
    cutoff: float | Auto = "auto",
    seed: int = 0,
) -> Magnitudes:
    """A log of |τ|, ready for the search.

    Parameters
    ----------
    robot
        The robot.
    data
        A log whose efforts are magnitudes.
    friction
        Model of the joints' friction, None for none; by default linear friction with rotor inertia.
    cutoff
        Of the zero-phase filter that smooths the motion [Hz]; "auto" is 5 Hz, or a quarter of the log's rate where that is less.
    seed
        Of the random samples that tell the base parameters.

    Returns
    -------
    Magnitudes
        For `search_signs`.
    """
    matched = match_log(robot, data)
    base = base_parameters(robot, friction=first_friction(friction, matched.gears), seed=seed)
    unsigned, taken = _without_signs(matched)
    unsigned, faulty = leave_out_faults(unsigned, names=robot.joint_names, filtered=False)
    _check_log(base, unsigned)
    log, notes = _uniform(unsigned)
    notes = (*taken, *describe_faults(faulty, unsigned.samples), *notes)
    motion = smooth_motion(log, usual_cutoff(log.rate) if cutoff == "auto" else cutoff)
    if base.friction is not None:
        log, left_out = _mask_rest(log)
        notes = (*notes, *left_out)
    noise = effort_noise(log)
    threshold = np.maximum(UNCLEAR * noise, LEAST_SHARE * np.sqrt(np.mean(log.require("effort") ** 2, axis=0)))
    segments = split_segments(log, motion, noise, threshold)
    if not segments:
        raise InputError(
            "the effort of no joint stands out of its noise, so there are no signs to tell",
            remedy="record a faster motion, or one with more load",
        )
    if log.effort_kind is EffortKind.CURRENT_MAGNITUDE:
        notes = (*notes, _UP_TO_SCALE)
    return Magnitudes(
        base=base,
        log=log,
        motion=motion,
        noise=noise,
        threshold=threshold,
        segments=segments,
        cutoff=None if cutoff == "auto" else cutoff,
        notes=notes,
    )


def _mask_rest(log: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """The log with a joint's samples at rest masked: friction there is whatever holds the joint, and the sign of its velocity is noise."""
    resting = find_rest(log)
    if not resting.any():
        return log, ()
    share = f"{100.0 * float(resting.mean()):.2g} % of the samples"
    note = f"{share} are of joints at rest, where friction has no definite sign; they are left out, and their signs are guesses"
    return log.restrict(~resting), (note,)


def effort_noise(log: Dataset) -> Array:
    """(n,) standard deviation of the noise in |τ|, from third differences of samples a working step apart [N·m | N].

    They leave next to nothing of the motion, but all that is faster: also the swinging of an arm, which neighbouring samples of a fast log
    share. By their median: where |τ| has a kink at zero, and where friction leaps, differences are large and few.
    """
    differences = _differences(log, _ORDER)
    if len(differences) == 0:
        shortest = _ORDER * working_step(log) + 1
        raise ValueRangeError("data", f"are too short: {shortest} samples without a break are needed to tell noise from motion")
    return np.hypot(_white_noise(differences, _ORDER), resolution(log.require("effort")) / np.sqrt(12.0))


def is_smoothed(log: Dataset) -> BoolArray:
    """(n,) whether the noise of |τ| is not white, so that differences don't tell it: those of a higher order then show less of it."""
    higher = _differences(log, _ORDER + 2)
    if len(higher) == 0:
        return np.zeros(log.n, dtype=bool)
    return _white_noise(higher, _ORDER + 2) < SMOOTHED * _white_noise(_differences(log, _ORDER), _ORDER)


def _differences(log: Dataset, order: int) -> Array:
    """(k, n) of samples of |τ| a working step apart, of all stretches without a break."""
    effort, lag = log.require("effort"), working_step(log)
    pieces = [effort[piece] for piece in log.segments]
    for _ in range(order):
        pieces = [d[lag:] - d[:-lag] for d in pieces]
    return np.concatenate(pieces)


def _white_noise(differences: Array, order: int) -> Array:
    """(n,) standard deviation of the white noise that has such differences of an order."""
    return NORMAL * np.median(np.abs(differences), axis=0) / np.sqrt(math.comb(2 * order, order))


def resolution(effort: Array) -> Array:
    """(n,) the step that effort (N, n) was rounded to; zero where its values are too many for that."""
    steps = np.zeros(effort.shape[1])
    for j, values in enumerate(effort.T):
        distinct = np.unique(values)
        if 1 < len(distinct) < _ROUNDED * len(values):
            steps[j] = np.median(np.diff(distinct))
    return steps


def _uniform(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    even = even_clock(data)
    return even, () if even is data else (f"the clock is uneven, so the log was put on one of {data.rate:.6g} Hz",)


def _without_signs(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """A log in which no effort is negative is one of magnitudes, although nothing says so."""
    if data.effort_kind is None or not data.seems_unsigned:
        return data, ()
    return replace(data, effort_kind=data.effort_kind.without_sign), ("no effort of the log is negative, so it was taken for a magnitude",)


def _check_log(base: BaseParameters, data: Dataset) -> None:
    """What no search can make good."""
    check_effort(data)
    effort, kind = data.require("effort"), require(data.effort_kind, "the kind of the efforts")
    if not kind.unsigned:
        raise InputError(f"the log holds {kind}s with their signs, so there are none to find", remedy="identify it as it is")
    for j, joint in enumerate(base.robot.joints):
        used = slice(None) if data.mask is None else data.mask[:, j]
        q, b = data.q[used, j], effort[used, j]
        if len(q) == 0:
            raise InputError(f"all samples of joint {joint.name!r} are masked, so nothing tells the sign of its torque")
        if float(np.ptp(q)) < STILL * (length_unit(base.robot) if joint.type is JointType.PRISMATIC else 1.0):
            raise InputError(
                f"joint {joint.name!r} never moves, so nothing tells the sign of its torque",
                remedy="lock it in the robot description, or record a motion of all joints",
            )
        if float(b.std()) <= CONSTANT * float(b.mean()):
            raise InputError(
                f"the effort of joint {joint.name!r} is {b[0]:.3g} {joint.units.effort} all the time, which is no measurement",
                remedy="check which column it was read from",
            )
    if data.samples * data.n <= base.rank:
        have = f"{data.samples} samples of {data.n} joints give {data.samples * data.n} equations"
        raise ValueRangeError("data", f"are too few: {have} for {base.rank} unknown coefficients; record a longer motion")


def shorten(magnitudes: Magnitudes) -> Magnitudes:
    """Evenly spread windows of a long log, as if they were recordings of their own; a log that is not long as it is."""
    log, motion = magnitudes.log, magnitudes.motion
    if log.samples <= LONGEST * log.rate:
        return magnitudes
    length, count = round(WINDOW * log.rate), round(LONGEST / WINDOW)
    firsts = np.linspace(0, log.samples - length, count).round()
    rows = (firsts[:, None] + np.arange(length)).astype(np.intp).ravel()
    breaks = np.isin(rows, log.starts) | (np.arange(len(rows)) % length == 0)
    starts = tuple(np.flatnonzero(breaks).tolist())
    short, smooth = log.take(rows, starts=starts), motion.take(rows, starts=starts)
    segments = split_segments(short, smooth, magnitudes.noise, magnitudes.threshold)
    note = f"signs were searched in {count} windows of {WINDOW:g} s, and follow from the model elsewhere"
    return replace(magnitudes, log=short, motion=smooth, segments=segments, notes=(*magnitudes.notes, note))
