"""The momentum observer: what acts on the joints from outside, through a first-order filter, and the thresholds that it is judged by.

With the momentum p and its rate u in free motion (`watched_model`), the residual

    r = K (p(t) - ∫ (u + r) dt - p(0)),        dr/dt = K (outside - r),

follows the torques from outside with the time constant 1/K, joint by joint, and needs no acceleration (De Luca, Mattone, ICRA 2003;
De Luca, Albu-Schäffer, Haddadin, Hirzinger, IROS 2006). Between two samples h apart, the torque from outside is taken for constant,
with the mean of u at both ends, which makes the step exact whatever h is:

    r ← a r + (1 - a) ((p - p_before) / h - (u + u_before) / 2),        a = exp(-K h).

Noise makes residuals with the covariance S(q) of `residual_noise`, and friction near rest may be off by an allowance: half of what it
changes by within the uncertainty of the velocity, through the same filter. What is beyond both comes from outside:

- a joint is touched where |r| > level · √S(q)ⱼⱼ + allowance;
- the robot is touched where the residuals of all joints together are too far from anything that an offset e within the allowances
  explains: distance² = min over |e| <= allowance of (r - e)ᵀ S(q)⁻¹ (r - e), a generalised likelihood ratio.

Either must last for the time of confirmation. A force on link i makes residuals in the joints that carry it and in none beyond: the last
joint that is touched tells it, and where none is by itself, the one that is nearest to its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, check_positive, freeze, per_joint
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.dynamics import mass_matrix
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE
from dynident.errors import ValueRangeError
from dynident.validation.monitoring.residual_noise import UNIT_NOISE, ResidualNoise
from dynident.validation.monitoring.watched_model import Balance, WatchedModel

#: After a pause that is longer the observer starts again: what happened in between is not known [s].
LONGEST_PAUSE = 0.1
#: Rounds over the joints in which the offset is found; after three the distance of a Panda at rest is at most 0.6 too large.
OFFSET_ROUNDS = 3
#: Postures at which usual thresholds are looked at.
_POSTURES = 200


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """Where the levels come from.

    Attributes
    ----------
    source : str
        The log of free motion; empty where the levels were given.
    seconds : float
        How long it is.
    false_alarms : float
        Expected per hour of motion like that, over all joints.
    rms : (n,) array
        Of the residual there [N·m | N].
    spread : (n,) array
        What the parameters' uncertainty adds elsewhere in the joints' ranges: a standard deviation [N·m | N].
    contacts_possible : bool
        The log may have contacts in it, so that its quiet parts were looked at.
    """

    source: str
    seconds: float
    false_alarms: float
    rms: Annotated[Array, Shape("n")]
    spread: Annotated[Array, Shape("n")]
    contacts_possible: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class MonitorState:
    """The observer between two samples; (n,) each if not said otherwise.

    Attributes
    ----------
    balance : Balance
        Momentum, rate, doubt and inertia at the latest sample.
    residual
        [N·m | N] What acts from outside.
    allowance
        [N·m | N] Part of the threshold that friction near rest makes.
    threshold
        [N·m | N] What |residual| is compared with.
    distance : float
        Of all residuals together, in standard deviations.
    above : (n + 1,) array [s]
        For how long they have been above; the last is that of the distance.
    touched : int
        The last joint that is touched, from 0; -1 where none is.
    """

    balance: Balance
    residual: Array
    allowance: Array
    threshold: Array
    distance: float
    above: Array
    touched: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContactMonitor(Result):
    """An observer for one robot.

    Attributes
    ----------
    model : WatchedModel
        The robot with the numbers that are watched with.
    gain
        Number or (n,) K [1/s].
    level
        Number or (n,) Thresholds, to which the allowance comes, in standard deviations of the noise; infinite where a joint is not judged
        by itself.
    blur
        Number or (n,) By how much a measured velocity may be off [rad/s | m/s].
    confirmation : float
        How long a residual must stay above its threshold [s].
    noise : ResidualNoise
        Of the residuals; by default 1 N·m | N, so that `level` is in that unit.
    distance_level : float
        Threshold of the distance; infinite where the joints are not judged together.
    calibration : or None
        Where the levels come from; None where they were given.
    notes : tuple of str
        What a user of the monitor should know.
    """

    model: WatchedModel
    gain: Annotated[Array, Shape("n")]
    level: Annotated[Array, Shape("n", finite=False)]
    blur: Annotated[Array, Shape("n")]
    confirmation: float
    noise: ResidualNoise = UNIT_NOISE
    distance_level: float = np.inf
    calibration: Calibration | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = self.model.robot.n
        object.__setattr__(self, "gain", freeze(per_joint("gain", self.gain, n, sign="positive")))
        object.__setattr__(self, "level", freeze(per_joint("level", self.level, n, sign="nonnegative", infinite=True)))
        object.__setattr__(self, "blur", freeze(per_joint("blur", self.blur, n, sign="nonnegative")))
        object.__setattr__(self, "noise", self.noise.for_joints(n))
        if not self.distance_level >= 0.0:
            raise ValueRangeError("distance_level", f"is {self.distance_level}; a number of standard deviations, or 0, was expected")
        if not (np.isfinite(self.confirmation) and self.confirmation >= 0.0):
            raise ValueRangeError("confirmation", f"is {self.confirmation}; a time [s], or 0, was expected")

    def start(self, q: ArrayLike, dq: ArrayLike, effort: ArrayLike, *, temperature: ArrayLike | None = None) -> MonitorState:
        """The state at a first sample; (n,) each, of the joints in the robot's order."""
        now = self._balance(q, dq, effort, temperature)
        none = np.zeros(self.model.robot.n)
        std, distance = self._measure(now, none, now.doubt)
        return MonitorState(
            balance=now,
            residual=none,
            allowance=now.doubt,
            threshold=self.level * std + now.doubt,
            distance=distance,
            above=np.zeros(len(none) + 1),
            touched=-1,
        )

    def step(
        self, state: MonitorState, q: ArrayLike, dq: ArrayLike, effort: ArrayLike, dt: float, *, temperature: ArrayLike | None = None
    ) -> MonitorState:
        """The state at the next sample, dt [s] after the one before; (n,) each."""
        check_positive("dt", dt, "s")
        if dt > LONGEST_PAUSE:
            return self.start(q, dq, effort, temperature=temperature)
        before, now = state.balance, self._balance(q, dq, effort, temperature)
        a = np.exp(-self.gain * dt)
        outside = (now.momentum - before.momentum) / dt - 0.5 * (now.rate + before.rate)
        residual = a * state.residual + (1.0 - a) * outside
        allowance = a * state.allowance + (1.0 - a) * (0.5 * (now.doubt + before.doubt))
        std, distance = self._measure(now, residual, allowance)
        threshold = self.level * std + allowance
        exceeded = np.append(np.abs(residual) > threshold, distance > self.distance_level)
        above = np.where(exceeded, state.above + dt, 0.0)
        confirmed = np.flatnonzero((above > 0.0) & (above >= self.confirmation)).tolist()
        joints, together = [j for j in confirmed if j < len(residual)], len(residual) in confirmed
        nearest = int(np.argmax(nearness(residual, threshold)))
        return MonitorState(
            balance=now,
            residual=residual,
            allowance=allowance,
            threshold=threshold,
            distance=distance,
            above=above,
            touched=joints[-1] if joints else nearest if together else -1,
        )

    def with_level(self, level: ArrayLike) -> ContactMonitor:
        """The same observer with thresholds (n,) that were chosen otherwise [N·m | N], at every posture, and for each joint by itself."""
        return replace(self, level=np.asarray(level, dtype=float), noise=UNIT_NOISE, distance_level=np.inf, calibration=None)

    @cached_property
    def usual_threshold(self) -> Array:
        """(n,) RMS of the thresholds of joints that move, at postures all over their ranges [N·m | N]."""
        robot = self.model.robot
        q = np.random.default_rng(0).uniform(*robot.drawn_range.T, size=(_POSTURES, robot.n))
        inertia = mass_matrix(robot, self.model.parameters, q) + self.model.rotors
        return self.level * np.sqrt(np.mean(np.diagonal(self.noise.covariance(inertia), axis1=1, axis2=2), axis=0))

    @property
    def rest_allowance(self) -> Array:
        """(n,) the allowance of a joint that stands still [N·m | N]."""
        still = np.zeros((1, self.model.robot.n))
        warmth = np.full_like(still, REFERENCE_TEMPERATURE)
        return self.model.balance(still, still, still, blur=self.blur, temperature=warmth).doubt[0]

    def _measure(self, now: Balance, residual: Array, allowance: Array) -> tuple[Array, float]:
        """(n,) standard deviations of the residuals, and their distance."""
        from dynident.validation.monitoring import kernels  # compiled where it is needed

        std, work = np.empty_like(residual), np.empty_like(now.inertia)
        return std, float(kernels.measure(now.inertia, residual, allowance, self.noise.velocity**2, self.noise.effort**2, std, work))

    def _balance(self, q: ArrayLike, dq: ArrayLike, effort: ArrayLike, temperature: ArrayLike | None) -> Balance:
        n = self.model.robot.n
        sample = [check_array(name, values, (n,))[None] for name, values in (("q", q), ("dq", dq), ("effort", effort))]
        warmth = None if temperature is None else check_array("temperature", temperature, (n,))[None]
        return Balance(*(values[0] for values in self.model.balance(*sample, blur=self.blur, temperature=warmth)))


def nearness(residual: Array, threshold: Array) -> Array:
    """|residual| over threshold, 0 where that is infinite. A threshold of 0 is left behind by any residual."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.abs(residual) / threshold, nan=0.0, posinf=np.inf)
