"""What is assumed of an experiment before it is done: the noise of the torques, what is known already, and what the model is for.

**Noise.** Identification filters torque and regressor alike with a low-pass of `cutoff` Hz, run forward and backward. Of white noise
that leaves 1.8 independent samples per second and Hz of the cutoff: for a fourth-order Butterworth filter ∫ |H(f)|⁴ df = 1.79 cutoff.
σ is what is left of the noise after the filter; a joint of which it is not told has 0.07 % of its effort limit. Fits to a recorded Panda
leave over 0.02 to 0.04 N·m/√Hz below 5 Hz, 0.05 to 0.1 % of limits of 87 N·m; the virtual robot's torque sensors add 0.066 %. Where nothing
is told, the noise of the velocities counts too: identification differentiates them, and white noise of density S gives accelerations the
variance S ∫ (2πf)² |H(f)|⁴ df = 0.531 (2π)² S cutoff³, which the mass matrix turns into torques. On a Panda's shoulder that is 0.8 times
what its torque sensors add. It is taken as white, and lies above the frequencies of slow motions, which come out up to a quarter better.

**Prior.** A link is known to about a factor of two where the robot's description has it, to a factor of four where it is taken for a
homogeneous box around its joints, both in the entropic metric of `dynident.robots.parameters.link_metric`; a friction parameter is at most
what moves the joint by itself, and an offset a third of that. With Σ the covariance of the standard parameters and K the grouping,
the coefficients' is K Σ Kᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive, per_joint
from dynident.dynamics import inverse_dynamics, mass_matrix
from dynident.dynamics.friction.model import OFFSET_SHARE, Motion, Symmetry
from dynident.motions.design.task import Task
from dynident.motions.limits.torque import COULOMB, FACTOR
from dynident.regression.equations.base import BaseParameters
from dynident.robots.parameters.link_metric import link_metric, weight_of
from dynident.robots.robot import Robot
from dynident.robots.uniform_links import mend_links, uniform_links

#: Independent samples per second and Hz of the cutoff.
INDEPENDENT_PER_HZ = 1.8
#: Cutoff of the filter that identification uses by default [Hz].
CUTOFF = 5.0
#: Noise of a torque after the filter, as a share of the joint's effort limit.
NOISE_SHARE = 7e-4
#: Power density of the noise of velocities, 0.007 rad/s correlated over 4 ms as on the recorded Panda: 2 σ² τ [(rad/s)²/Hz].
VELOCITY_DENSITY = 2.0 * 0.007**2 * 0.004
#: Positions of the task at which the mass matrix is looked at.
_POSITIONS = 200
#: ∫ x² / (1 + x⁸)² dx over all x.
_DIFFERENTIATED = 0.5313
#: To what factor links are known that are taken for boxes around the joints; those of a description to `FACTOR`.
GUESSED = 4.0
#: On the recorded Panda a fit leaves over 0.1 % of the effort limits at the shoulder, 0.2 to 0.6 % at the wrist, and not as white noise.
_SENSORS_ALONE = (
    "the torque noise is that of good sensors alone; friction and elasticity that the model lacks come on top on a real robot. The RMS "
    "residuals per joint of a fit to an earlier log, twice as large because they are slow, are a better torque noise"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Assumptions:
    """What is assumed of an experiment.

    noise : (n,)         Standard deviation of each joint's torque after the filter [N·m | N].
    noise_source : str   Where it is from.
    rate : float         Independent samples per second [Hz].
    prior : (b, b)       What is known without any data, as information: the inverse of a covariance.
    before : (b, b)      What runs that were already done tell.
    task : Task          The motions whose torques are to be predicted.
    values : (b,)        The coefficients, as far as they are known: by the description, or by earlier runs; else nan.
    torque : (n,)        RMS torque of each joint in the task, of the robot's own links or boxes [N·m | N].
    notes                What a reader should know of it.
    """

    noise: Array
    noise_source: str
    rate: float
    prior: Array
    before: Array
    task: Task
    values: Array
    torque: Array
    notes: tuple[str, ...] = ()


def assume(
    base: BaseParameters,
    task: Task,
    *,
    torque_noise: ArrayLike | None = None,
    cutoff: float = CUTOFF,
    before: Array | None = None,
    values: Array | None = None,
) -> Assumptions:
    """What is assumed where nothing else is said. torque_noise : one number or (n,) [N·m | N], after the filter.

    before, values : (b, b) information and (b,) coefficients of earlier runs.
    """
    robot = base.robot
    links, factors = believed_links(robot)
    torque = np.sqrt(np.mean(inverse_dynamics(robot, links, *task.motion) ** 2, axis=0))
    noise, source = _noise(robot, torque, torque_noise)
    if torque_noise is None:
        noise, source = np.hypot(noise, velocity_noise(robot, links, task, cutoff)), f"noise of the velocities and {source}"
    return Assumptions(
        noise=noise,
        noise_source=source,
        rate=INDEPENDENT_PER_HZ * check_positive("cutoff", cutoff, "Hz"),
        prior=prior_information(base, links, factors, _friction_std(base, task, torque)),
        before=np.zeros((base.rank, base.rank)) if before is None else before,
        task=task,
        values=nominal_coefficients(base) if values is None else values,
        torque=torque,
        notes=(_SENSORS_ALONE,) if torque_noise is None else (),
    )


def velocity_noise(robot: Robot, links: Array, task: Task, cutoff: float) -> Array:
    """(n,) standard deviation of the torque that noisy velocities make of links (n, 10), differentiated and filtered [N·m | N]."""
    acceleration = np.sqrt(_DIFFERENTIATED * VELOCITY_DENSITY * cutoff**3) * 2.0 * np.pi
    M = mass_matrix(robot, links, task.motion.q[:: max(1, len(task.motion.q) // _POSITIONS)])
    return acceleration * np.sqrt((M**2).sum(axis=2).mean(axis=0))


def nominal_coefficients(base: BaseParameters) -> Array:
    """(b,) the coefficients of the description's parameters; nan for friction, and for all without nominal parameters."""
    values = np.full(base.rank, np.nan)
    if base.robot.parameters is not None:
        standard = np.zeros(len(base.columns))
        standard[base.columns.link_slice] = base.robot.parameters.ravel()
        links = base.columns.is_link[base.independent]
        values[links] = base.coefficients(standard)[links]
    return values


def believed_links(robot: Robot) -> tuple[Array, Array]:
    """(n, 10) the links of the description, boxes where it has none or such as no body can be; (n,) to what factor they are known."""
    boxes = uniform_links(robot)
    if robot.parameters is None:
        return boxes, np.full(robot.n, GUESSED)
    links, mended = mend_links(robot.parameters, boxes)
    factors = np.full(robot.n, FACTOR)
    factors[list(mended)] = GUESSED
    return links, factors


def prior_information(base: BaseParameters, links: Array, factors: Array, friction_std: Array) -> Array:
    """(b, b) inverse of K Σ Kᵀ for links (n, 10) known to factors (n,) and friction known to `friction_std`."""
    columns = base.columns
    half = np.zeros((len(columns), len(columns)))  # half @ half.T is Σ
    for i, (link, factor) in enumerate(zip(links, factors, strict=True)):
        A = np.sqrt(weight_of(float(factor))) * link_metric(link, "entropic")
        block = slice(10 * i, 10 * i + 10)
        half[block, block] = np.linalg.inv(np.asarray(np.linalg.qr(A, mode="r"), dtype=float))
    places = np.arange(len(columns))[columns.friction_slice]
    half[places, places] = friction_std
    R = np.asarray(np.linalg.qr((base.grouping @ half).T, mode="r"), dtype=float)  # K Σ Kᵀ = Rᵀ R
    inverse = np.linalg.inv(R)
    return np.asarray(inverse @ inverse.T, dtype=float)


def _friction_std(base: BaseParameters, task: Task, torque: Array) -> Array:
    """(friction parameters,) the torque that the joint carries and what friction its drive can have, over the RMS of the column."""
    model = base.friction
    if model is None:
        return np.zeros(0)
    limit = base.robot.effort_limits
    scale = np.hypot(torque, np.where(np.isfinite(limit), COULOMB * limit, 0.0))
    sizes = np.sqrt(np.mean(model.columns(Motion(*task.motion)) ** 2, axis=0))
    shares = {Symmetry.EVEN: OFFSET_SHARE}
    least = 1e-6 * float(sizes.max(initial=np.finfo(float).tiny))
    return np.array(
        [
            shares.get(column.symmetry, 1.0) * scale[column.joint] / max(float(sizes[column.joint, column.slot]), least)
            for column in base.columns.of_friction
        ]
    )


def _noise(robot: Robot, torque: Array, given: ArrayLike | None) -> tuple[Array, str]:
    if given is not None:
        return per_joint("torque_noise", given, robot.n, sign="positive"), "as given"
    limit = robot.effort_limits
    known = np.isfinite(limit) & (limit > 0.0)
    # a drive has about five times the torque that ordinary motions ask of it
    scale = np.where(known, limit, 5.0 * np.maximum(torque, 1e-3 * max(float(torque.max()), np.finfo(float).tiny)))
    sources = ["the effort limit"] * bool(known.any()) + ["five times the RMS torque of the task"] * bool(not known.all())
    return NOISE_SHARE * scale, f"{100.0 * NOISE_SHARE:g} % of {' or '.join(sources)}"
