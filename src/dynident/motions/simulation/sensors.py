"""From what happens to what is recorded: quantisation, noise, bias, an irregular clock, lost samples, motor currents.

The levels of "realistic" are those of a recorded Panda motion (21 s at about 1 kHz, speeds up to 1.8 rad/s), taken as what is
left of each signal after a zero-phase 10 Hz low-pass (joints 1 to 7):

    position   2.3 1.9 2.5 2.1 2.3 2.0 2.9 e-4 rad      the clock: 0.3 ms at 0.8 rad/s; the values themselves are smooth
    velocity   6.6 8.0 6.4 7.3 6.1 8.8 6.5 e-3 rad/s    spectrum flat up to 40 Hz, falling above: correlated over 4 ms
    torque     0.28 0.39 0.25 0.38 0.09 0.11 0.03 N·m   0.2 to 0.9 %, in the median 0.4 %, of the joint's limit; most of it at 20
                                                        to 60 Hz, where the arm swings
    clock      periods of 0.70 to 1.6 ms (99 %), median 1.00 ms, standard deviation 0.17 ms; 4 gaps of 8.4 to 8.8 ms

Where the arm moves, at 1 to 5 Hz, torque noise shows in what a fit leaves over: 0.02 to 0.04 N·m/√Hz for joints 1 to 4. That and the
level above 10 Hz fix the two numbers of correlated noise, 0.4 % and 1.5 ms (0.027 N·m/√Hz); it has no peak where the arm swings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dynident.core.arrays import Array, IntArray, per_joint
from dynident.data import Dataset, EffortKind
from dynident.errors import ValueRangeError
from dynident.robots.robot import Robot

Level = float | tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Noise of one signal, in its unit; one number, or one per joint.

    Attributes
    ----------
    white
        Standard deviation of the part that is new at every sample.
    coloured
        Standard deviation of a first-order autoregressive part, AR(1).
    correlation_time
        [s] after which the coloured part has forgotten 63 % of itself.
    """

    white: Level = 0.0
    coloured: Level = 0.0
    correlation_time: float = 0.005

    def __post_init__(self) -> None:
        for name in ("white", "coloured", "correlation_time"):
            values = np.asarray(getattr(self, name), dtype=float)
            if not np.all(np.isfinite(values)) or np.any(values < 0.0):
                raise ValueRangeError(name, f"is {getattr(self, name)}; a noise level must be finite and not negative")

    def draw(self, rng: np.random.Generator, shape: tuple[int, int], period: float) -> Array:
        """(N, n) noise at samples that are `period` [s] apart; both parts are always drawn, so that levels alone change it."""
        from scipy.signal import lfilter  # pyright: ignore[reportUnknownVariableType] (here, because importing SciPy takes long)

        white, driving = rng.normal(size=(2, *shape))
        memory = float(np.exp(-period / self.correlation_time)) if self.correlation_time > 0.0 else 0.0
        driving[1:] *= np.sqrt(1.0 - memory**2)  # the first sample starts at the stationary level
        coloured = np.asarray(lfilter([1.0], [1.0, -memory], driving, axis=0), dtype=float)
        return per_joint("noise", self.white, shape[1]) * white + per_joint("noise", self.coloured, shape[1]) * coloured


@dataclass(frozen=True, kw_only=True)
class Clock:
    """When a row of the log is written: with its own irregular clock, holding the latest values there are.

    Attributes
    ----------
    jitter
        Standard deviation of the period, as a share of it; periods are skewed and never shorter than 1 - 1.76 jitter.
    gaps
        Probability that samples are lost after a row.
    gap_length
        How many are lost then.
    """

    jitter: float = 0.0
    gaps: float = 0.0
    gap_length: int = 8

    def __post_init__(self) -> None:
        if not 0.0 <= self.jitter <= 0.5:
            raise ValueRangeError("jitter", f"is {self.jitter}; a share of the period between 0 and 0.5 was expected")
        if not 0.0 <= self.gaps < 1.0 or self.gap_length < 1:
            raise ValueRangeError(
                "gaps", f"are {self.gaps} of length {self.gap_length}; a probability below 1 and a length >= 1 were expected"
            )

    def rows(self, rng: np.random.Generator, time: Array) -> tuple[Array, IntArray]:
        """Stamps (K,) of the log's rows, and the sample (K,) of the uniform `time` (N,) that each of them holds."""
        period = time[1] - time[0]
        skewed, lost = rng.gamma(_SKEW, size=len(time) - 1), rng.random(len(time) - 1) < self.gaps
        if self.jitter == 0.0:  # the clock of the robot itself
            kept = np.ones(len(time), dtype=bool)
            for start in np.flatnonzero(lost):
                kept[start + 1 : start + 1 + self.gap_length] = False
            return time[kept], np.flatnonzero(kept)
        spread = self.jitter / np.sqrt(_SKEW)
        steps = period * (1.0 - 1.76 * self.jitter + spread * skewed + self.gap_length * lost)
        stamps = time[0] + np.concatenate([[0.0], np.cumsum(steps)])
        stamps = stamps[stamps <= time[-1]]
        return stamps, np.asarray(np.searchsorted(time, stamps, side="right") - 1, dtype=np.int64)


# Shape of the gamma distribution of a jittering period; its long tail is that of the recorded clock.
_SKEW = 3.5


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """What stands between the robot and its log.

    Attributes
    ----------
    position : Noise
        Noise of the positions.
    position_step
        Quantisation of the encoder [rad | m]; 0 is none.
    velocity : Noise
        Noise of the velocities.
    torque : Noise
        Noise of the efforts.
    torque_bias
        Zero error of each torque sensor [N·m | N].
    clock : Clock
        When samples are taken, and what their stamps say.
    current_gains
        Torque per current [N·m/A]; when given, the log holds currents.
    unsigned
        Only the magnitude of the effort is recorded.
    digits
        Decimals that the log keeps of everything but time.
    """

    position: Noise = field(default_factory=Noise)
    position_step: float = 0.0
    velocity: Noise = field(default_factory=Noise)
    torque: Noise = field(default_factory=Noise)
    torque_bias: Level = 0.0
    clock: Clock = field(default_factory=Clock)
    current_gains: Level | None = None
    unsigned: bool = False
    digits: int | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.position_step) and self.position_step >= 0.0):
            raise ValueRangeError("position_step", f"is {self.position_step}; a step in rad or m, or 0, was expected")
        if self.current_gains is not None and not np.all(np.asarray(self.current_gains, dtype=float) != 0.0):
            raise ValueRangeError("current_gains", "contains 0; torque per current must not be zero")

    def record(
        self,
        time: Array,
        q: Array,
        dq: Array,
        effort: Array,
        *,
        seed: int,
        joint_names: tuple[str, ...],
        source: str,
        temperature: Array | None = None,
    ) -> Dataset:
        """The log of a motion (N, n) on a uniform clock `time` (N,). Each signal has a random stream of its own."""
        n, period = q.shape[1], float(time[1] - time[0])
        streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(4)]
        measured_q = q + self.position.draw(streams[0], q.shape, period)
        if self.position_step > 0.0:
            measured_q = self.position_step * np.round(measured_q / self.position_step)
        measured_dq = dq + self.velocity.draw(streams[1], q.shape, period)
        measured = effort + self.torque.draw(streams[2], q.shape, period) + per_joint("torque_bias", self.torque_bias, n)
        kind = EffortKind.TORQUE
        if self.current_gains is not None:
            measured, kind = measured / per_joint("current_gains", self.current_gains, n), EffortKind.CURRENT
        if self.unsigned:
            measured = np.abs(measured)
            kind = EffortKind.MAGNITUDE if kind is EffortKind.TORQUE else EffortKind.CURRENT_MAGNITUDE
        stamps, rows = self.clock.rows(streams[3], time)
        arrays = [self._round(values[rows]) for values in (measured_q, measured_dq, measured)]
        return Dataset(
            time=stamps,
            q=arrays[0],
            dq=arrays[1],
            effort=arrays[2],
            temperature=None if temperature is None else temperature[rows],
            effort_kind=kind,
            joint_names=joint_names,
            source=source,
        )

    def _round(self, values: Array) -> Array:
        return values if self.digits is None else np.round(values, self.digits)


def perfect(scale: Array) -> Sensors:
    """Sensors that tell the truth."""
    return Sensors()


def realistic(scale: Array) -> Sensors:
    """Sensors like those of the recorded Panda.

    Positions are rounded to 1e-4 rad (the recording keeps six significant digits, 1e-5 rad beyond 1 rad). Torque noise is
    0.4 % of `scale` (n,) [N·m | N], correlated over 1.5 ms, and 0.05 % white.
    """
    return Sensors(
        position_step=1e-4,
        velocity=Noise(coloured=0.007, correlation_time=0.004),
        torque=Noise(white=tuple(0.0005 * scale), coloured=tuple(0.004 * scale), correlation_time=0.0015),
        clock=Clock(jitter=0.17, gaps=2e-4, gap_length=7),
    )


NOISES: dict[str, Callable[[Array], Sensors]] = {"none": perfect, "realistic": realistic}
"""By name: what makes the sensors for joints whose efforts have this scale (n,), their limits [N·m | N]."""


def effort_scale(robot: Robot, effort: Array) -> Array:
    """Effort limits of the joints; where there is none, the largest effort of the motion.

    Parameters
    ----------
    robot
        The robot.
    effort : (N, n) array_like
        Efforts of the motion [N·m | N].

    Returns
    -------
    array
        (n,) efforts [N·m | N].
    """
    return np.where(np.isfinite(robot.effort_limits), robot.effort_limits, np.abs(effort).max(axis=0))
