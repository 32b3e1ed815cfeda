"""Notes: what in the data or in the result a careful reader would stumble over, in plain words and with the remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array
from dynident.core.large_arrays import column_ranges
from dynident.core.texts import listing
from dynident.data import Dataset
from dynident.data.signals.faulty_samples import describe_faults
from dynident.data.signals.sampling import GAP, UNIFORM
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.summary import Processing
from dynident.robots.kinematics import length_unit
from dynident.robots.robot import JointType, Robot

if TYPE_CHECKING:
    from dynident.regression.estimate import Estimate, Residuals

#: A joint whose position stays within this range does not move [rad | m]; a sliding one, this share of `length_unit`.
STANDSTILL = 1e-3
#: A model that leaves more than this share of the effort unexplained is wrong rather than noisy [%].
UNEXPLAINED = 20.0
#: M or g of which a model that explains the other leaves more than this share is of another unit, or of another robot [%].
CONTRADICTED = 50.0
#: Noise levels of joints that differ by more than this factor make weights per joint worth their while.
UNEQUAL_NOISE = 5.0
#: Condition numbers beyond this make coefficients trade off against each other; the papers' are about 50.
HIGH_CONDITION = 300.0
#: Blocks of a log that differ by more than this many times what noise explains show model error.
UNLIKE_BLOCKS = 1.5
#: Fewer stretches of independent noise than this make standard deviations rough.
FEW_STRETCHES = 10.0
#: Fewer configurations than this make standard deviations too small: over 40 draws their errors were 1.1 times as large with 20
#: configurations, 1.2 times with 12, 3 to 4 times with 6.
FEW_CONFIGURATIONS = 20
#: Noise of recorded velocities that biases friction, beside their RMS [%]: at 1 % of white noise 85 to 94 % of the coefficients of a
#: virtual arm are within two standard deviations (40 s, 100 to 1,000 Hz), with 0.2 % 93 to 96 %.
NOISY_VELOCITY = 1.0
#: Less than this is not worth a note [%]: hardly a sign is wrong.
QUIET_VELOCITY = 0.01


def log_notes(robot: Robot, data: Dataset, processing: Processing) -> Iterator[str]:
    """About a log, and about what had to be done to it before it could be used."""
    low, high = column_ranges(data.q, data.mask)
    for j, name in enumerate(robot.joint_names):
        travel = max(float(high[j] - low[j]), 0.0)
        if travel < STANDSTILL * (length_unit(robot) if robot.joints[j].type is JointType.PRISMATIC else 1.0):
            stays = f"its position stays within {travel:.1g} {robot.joints[j].units.position}"
            yield (
                f"joint {j + 1} ({name!r}) never moves ({stays}), so these data can't tell its friction, nor what only its motion shows; "
                "what the other joints determine is identified all the same"
            )
    if data.seems_unsigned:
        yield (
            "no effort is ever negative, as if these were magnitudes without their sign; if they are, load them as effort kind 'magnitude' "
            "and recover the signs"
        )
    if data.effort is not None:
        yield from _dead_efforts(robot.joint_names, *column_ranges(data.effort, data.mask))
    yield from describe_faults(processing.faulty, data.samples)
    for quantity, joints in processing.disagreeing.items():
        signals, other = ("velocities", "positions") if quantity == "dq" else ("accelerations", "velocities")
        used = "which was used instead" if processing.cutoff_hz is not None else "and were used all the same, because nothing is filtered"
        which = listing([f"{name} (by {percent:.0f} %)" for name, percent in joints.items()])
        if len(joints) == data.n > 2:
            which = f"all joints (by {min(joints.values()):.0f} to {max(joints.values()):.0f} %)"
        yield f"the recorded {signals} of {which} differ from the derivative of the {other}, {used}; check their units, signs and order"
    if processing.resampled_to_hz is not None:
        periods = data.steps
        steady = periods[periods <= GAP * np.median(periods)]
        leaps = f"and split where its clock leaps (by up to {periods.max():.2g} s)" if len(steady) < len(periods) else ""
        if np.ptp(steady) > UNIFORM * steady.mean():
            uneven = f"the clock is uneven (periods of {1e3 * steady.min():.3g} to {1e3 * steady.max():.3g} ms), so "
        else:
            uneven = ""
        yield f"{uneven}the log was put on a uniform clock of {processing.resampled_to_hz:.6g} Hz first{leaps and ', '}{leaps}"
    noisy = "dq" not in processing.differentiated or any(share > QUIET_VELOCITY for share in _velocity_shares(processing).values())
    if processing.differentiated and processing.cutoff_hz is None and noisy:
        names = "accelerations" if data.dq is not None else "velocities" if data.ddq is not None else "velocities and accelerations"
        yield f"{names} are differences, and no filter follows, so that their noise biases the result; filter, with a cutoff of about 5 Hz"
    yield from _motion_noise(robot, data, processing)


def _motion_noise(robot: Robot, data: Dataset, processing: Processing) -> Iterator[str]:
    """Noise of velocities: of those that were derived from positions always, of recorded ones where it is large enough to bias."""
    by_joint, units = processing.motion_noise, {name: joint.units for name, joint in zip(data.joint_names, robot.joints, strict=True)}
    shares = _velocity_shares(processing)
    derived = [name for name in shares if "position" in by_joint[name]]
    if derived and shares[worst := max(derived, key=lambda name: shares[name])] > QUIET_VELOCITY:
        noise, unit = by_joint[worst], units[worst]
        smoothed = f"were smoothed at {noise['bandwidth_hz']:.3g} Hz" if "bandwidth_hz" in noise else "needed no smoothing"
        yield (
            f"velocities were derived from positions; most noise for its speed has {worst}: {noise['position']:.2g} {unit.position} in the "
            f"position, which is {noise['unsmoothed_velocity']:.2g} {unit.velocity} in central differences; its positions {smoothed}, and "
            f"the velocity that is used has {noise['velocity']:.2g} {unit.velocity}, {shares[worst]:.2g} % of its RMS speed"
        )
    noisy = [f"{name} ({shares[name]:.2g} %)" for name in shares if name not in derived and shares[name] > NOISY_VELOCITY]
    if noisy:
        yield (
            f"the noise of the recorded velocities is large beside the RMS speed: {listing(noisy)}; the wrong signs that it makes near "
            "reversals bias friction by more than the standard deviations tell; read the log without its velocities and accelerations, so "
            "that they are derived from smoothed positions"
        )


def _velocity_shares(processing: Processing) -> dict[str, float]:
    """Noise of each joint's velocity beside its RMS [%]."""
    return {name: 100.0 * noise["velocity"] / noise["speed"] for name, noise in processing.motion_noise.items() if noise["speed"] > 0.0}


def _dead_efforts(names: Sequence[str], low: Array, high: Array) -> Iterator[str]:
    """Efforts of one value throughout, which no joint has; (n,) the smallest and the largest of each joint."""
    dead = [name for name, least, most in zip(names, low, high, strict=True) if least == most]
    if dead:
        yield (
            f"the effort of {listing(dead)} has one value throughout, as if it had not been recorded, and the model has to explain that; "
            "check the columns"
        )


def estimate_notes(estimate: Estimate) -> Iterator[str]:
    """About the numbers of an estimate."""
    base, residuals = estimate.base, estimate.residuals
    weak = [base.names[item.index] for item in estimate.dropped if np.isfinite(item.std)]
    if weak:
        yield (
            f"{len(weak)} of {base.rank} coefficients were too uncertain and dropped, one at a time ({listing(weak)}); the others were "
            "estimated again without them, and a longer or faster motion would determine more"
        )
    if residuals.relative_percent > UNEXPLAINED:
        share = residuals.relative_percent_per_group
        worst = ", ".join(f"{residuals.names[i]} {share[i]:.0f} %" for i in np.argsort(-share)[:3])
        yield (
            f"the model leaves {residuals.relative_percent:.0f} % of the data unexplained (most: {worst}); check the units, the order and "
            "the signs of the joints, and the direction of gravity"
        )
    elif base.equations != "torque":
        yield from _contradictions(residuals)
    yield from _negative_friction(estimate)
    rms = residuals.rms_per_group
    if base.equations == "torque" and estimate.summary.noise == "uniform" and rms.max() > UNEQUAL_NOISE * rms.min() > 0.0:
        most, least = residuals.names[int(np.argmax(rms))], residuals.names[int(np.argmin(rms))]
        yield (
            f"the residual of {most} is {rms.max() / rms.min():.0f} times that of {least}; weighing each joint by its own noise "
            "(noise per_group) would use the quiet ones better"
        )
    yield from _uncertainty_notes(estimate)
    if estimate.condition_number > HIGH_CONDITION:
        yield (
            f"the condition number is {estimate.condition_number:.3g} (about 50 is good): some coefficients are only known together, and "
            "their errors are correlated; a more exciting motion would separate them"
        )


def _contradictions(residuals: Residuals) -> Iterator[str]:
    """Where M or g is far from explained and the other, which is larger in numbers, hides it."""
    kinds = [name[0] for name in residuals.names]
    for kind in dict.fromkeys(kinds):
        members = np.array([other == kind for other in kinds])
        share = 100.0 * float(np.sqrt(residuals.squares[members].sum() / max(residuals.totals[members].sum(), np.finfo(float).tiny)))
        if share > CONTRADICTED and residuals.totals[members].any():
            yield (
                f"the model leaves {share:.0f} % of {kind} unexplained, which contradicts the rest of the data; check that all of them are "
                "in SI units, and of one robot with its gravity"
            )


def _uncertainty_notes(estimate: Estimate) -> Iterator[str]:
    """Where standard deviations are not those of noise within the log, or only roughly known."""
    if estimate.base.equations != "torque" and estimate.summary.samples < FEW_CONFIGURATIONS:
        yield (
            f"{estimate.summary.samples} configurations are few, and standard deviations come out too small; "
            f"{FEW_CONFIGURATIONS} or more would tell them"
        )
    names, rate = estimate.residuals.names, estimate.summary.processing.rate_hz
    if estimate.blocks is not None:
        ratios = dict(zip(names, estimate.blocks.group_ratios.tolist(), strict=True))
        unlike = [f"{name} ({ratio:.1f} times)" for name, ratio in ratios.items() if ratio > UNLIKE_BLOCKS]
        if unlike:
            yield (
                f"the {estimate.blocks.blocks} blocks of the data differ by more than their noise explains in the coefficients of "
                f"{listing(unlike)}: something that the model lacks; their standard deviations are those between blocks"
            )
    times = dict(zip(names, estimate.summary.correlation_times, strict=False))
    if not times or rate is None:
        return
    seconds = float(estimate.residuals.counts.max()) / rate
    slow = [name for name, time in times.items() if 2.0 * time * FEW_STRETCHES > seconds]
    if slow:
        longest = max(times.values())
        yield (
            f"the residuals of {listing(slow)} stay correlated for up to {longest:.2g} s, so that these {seconds:.3g} s hold only about "
            f"{max(1, round(seconds / (2.0 * longest)))} independent stretches, and standard deviations are rough, most of all those of "
            f"offsets and gravity; a log of {2.0 * FEW_STRETCHES * longest:.0f} s or more would tell them"
        )


def _negative_friction(estimate: Estimate) -> Iterator[str]:
    """Kept friction parameters that can't be negative but are, by more than twice their standard deviation; and what that would be."""
    base, model = estimate.base, estimate.base.friction
    names_by_meaning: dict[str, list[str]] = {}
    for i, standard in enumerate(base.independent.tolist()):
        column = base.columns[standard]
        if model is not None and isinstance(column, FrictionColumn) and column.nonnegative and estimate.values[i] < -2.0 * estimate.std[i]:
            meaning = model.parameters[column.slot].negative
            names_by_meaning.setdefault(meaning, []).append(f"{column.name} ({estimate.values[i]:.3g})")
    for meaning, names in names_by_meaning.items():
        verb = "is" if len(names) == 1 else "are"
        yield f"{listing(names)} {verb} negative: {meaning}; other effects have gone into it, so don't extrapolate"
