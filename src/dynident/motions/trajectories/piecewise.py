"""Trajectories that are polynomials between knots: cubic and quintic moves, waypoints, and samples of a motion.

All are Bernstein polynomials of `scipy.interpolate.BPoly`, of degree three through positions and velocities, or of degree five through
accelerations too. From rest to rest that is 3 s² - 2 s³, and 10 s³ - 15 s⁴ + 6 s⁵ of s = t / T (minimum jerk; Flash and Hogan,
J. Neurosci. 5(7), 1985).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import pi
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, check_positive, per_joint, set_frozen
from dynident.data.dataset import Dataset
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names, set_rows

#: Largest velocity, acceleration and jerk of the quintic from 0 to 1: at s = 1/2, at s = (3 ± √3) / 6, and at the ends.
PEAK_VELOCITY = 1.875
_PEAK_ACCELERATION = 10.0 / np.sqrt(3.0)
_PEAK_JERK = 60.0
#: From one sample to the next [s].
_SHORTEST = 1e-9


def interpolate(times: Array, q: Array, dq: Array, ddq: Array | None = None) -> Any:
    """The `scipy.interpolate.BPoly` through derivatives (K, ...) at `times` (K,): `BPoly.from_derivatives`, for all pieces at once."""
    interpolation: Any = import_module("scipy.interpolate")  # imported here: `import dynident` stays light
    h = np.diff(times).reshape(-1, *(1,) * (q.ndim - 1))
    if ddq is None:
        points = [q[:-1], q[:-1] + h / 3.0 * dq[:-1], q[1:] - h / 3.0 * dq[1:], q[1:]]
    else:
        before = [q[:-1], q[:-1] + h / 5.0 * dq[:-1], q[:-1] + 2.0 * h / 5.0 * dq[:-1] + h**2 / 20.0 * ddq[:-1]]
        after = [q[1:], q[1:] - h / 5.0 * dq[1:], q[1:] - 2.0 * h / 5.0 * dq[1:] + h**2 / 20.0 * ddq[1:]]
        points = [*before, *after[::-1]]
    return interpolation.BPoly(np.array(points), times)


class PiecewisePolynomial:
    """What these trajectories have in common: sampling, and the knots that a subclass tells. Outside of its time one stands still."""

    joints: tuple[str, ...]

    def _knots(self) -> tuple[Array, Array, Array, Array | None]:
        """Times (K,), positions, velocities and accelerations (K, n) of the knots; None of accelerations for cubics."""
        raise NotImplementedError

    @cached_property
    def _polynomial(self) -> Any:
        return interpolate(*self._knots())

    def sample(self, time: ArrayLike) -> SampledMotion:
        """The motion at `time` (N,) [s]; at a knot the later piece counts."""
        asked = check_times(time)
        first, *_, last = self._polynomial.x
        t = np.clip(asked, first, last)
        q, dq, ddq = (np.asarray(self._polynomial(t, order), dtype=float) for order in range(3))
        return SampledMotion(q, dq, np.where((asked == t)[:, None], ddq, 0.0))

    def __getstate__(self) -> dict[str, Any]:
        """Polynomials are made again where they arrive in another process."""
        return {key: value for key, value in self.__dict__.items() if key != "_polynomial"}


class _TimedKnots(PiecewisePolynomial):
    """Of those whose knots have times (K,) [s]."""

    times: Array

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def stretch(self, duration: float) -> Self:
        """The same path in another time [s]."""
        return replace(cast("Any", self), times=self.times * (duration / self.duration))


@dataclass(frozen=True, kw_only=True, eq=False)
class QuinticTrajectory(PiecewisePolynomial):
    """From `start` to `end`, both (n,) [rad | m], in `duration` [s]; outside of that time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    start : (n,) array
        Position at the start [rad | m].
    end : (n,) array
        Position at the end [rad | m].
    duration : float
        Length [s].
    """

    joints: tuple[str, ...]
    start: Array
    end: Array
    duration: float

    kind = "quintic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_rows(self, "start", "end")
        object.__setattr__(self, "duration", check_positive("duration", self.duration, "s"))

    def _knots(self) -> tuple[Array, Array, Array, Array]:
        return np.array([0.0, self.duration]), *_at_rest(np.array([self.start, self.end]))


@dataclass(frozen=True, kw_only=True, eq=False)
class WaypointTrajectory(_TimedKnots):
    """Rest-to-rest quintics through K points; between two equal ones the robot stands. Outside of its time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    times : (K,) array
        When it is at the points [s], from 0, increasing.
    points : (K, n) array
        Positions [rad | m].
    """

    joints: tuple[str, ...]
    times: Array
    points: Array

    kind = "waypoints"

    def __post_init__(self) -> None:
        _check_knots(self, "points")

    @staticmethod
    def of_moves(moves: list[QuinticTrajectory]) -> WaypointTrajectory:
        """Moves that follow each other, each from where the one before ends."""
        times = np.cumsum([0.0, *(move.duration for move in moves)])
        return WaypointTrajectory(joints=moves[0].joints, times=times, points=np.array([moves[0].start, *(move.end for move in moves)]))

    @staticmethod
    def join(ways: list[WaypointTrajectory]) -> WaypointTrajectory:
        """One after the other, each from where the one before ends."""
        points = np.concatenate([ways[0].points[:1], *(way.points[1:] for way in ways)])
        steps = np.concatenate([np.diff(way.times) for way in ways])
        return WaypointTrajectory(joints=ways[0].joints, times=np.concatenate([[0.0], np.cumsum(steps)]), points=points)

    def _knots(self) -> tuple[Array, Array, Array, Array]:
        return self.times, *_at_rest(self.points)


@dataclass(frozen=True, kw_only=True, eq=False)
class CubicTrajectory(_TimedKnots):
    """Rest-to-rest cubics through K knots, as in section V of Gaz et al., ICRA 2016. The acceleration jumps at the inner knots.

    Outside of its time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    times : (K,) array
        Times of the knots [s], from 0, increasing.
    knots : (K, n) array
        Positions at the knots [rad | m].
    """

    joints: tuple[str, ...]
    times: Array
    knots: Array

    kind = "cubic"

    def __post_init__(self) -> None:
        _check_knots(self, "knots")

    def _knots(self) -> tuple[Array, Array, Array, None]:
        return self.times, self.knots, np.zeros_like(self.knots), None


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledTrajectory(_TimedKnots):
    """Samples of a motion, and what is between them: quintics where they tell accelerations, cubics where they tell velocities.

    Of positions alone it is the cubic spline. Before the first and after the last sample its polynomial goes on.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    times : (N,) array
        [s], increasing from 0;.
    q : (N, n) array
        [rad | m];.
    dq, ddq : (N, n) array, or None
        Where the samples don't tell them.
    """

    joints: tuple[str, ...]
    times: Array
    q: Array
    dq: Array | None = None
    ddq: Array | None = None

    kind = "sampled"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_frozen(self, "times", check_array("times", self.times, (None,), "(N,) = (samples,)", remedy="remove those samples first"))
        if len(self.times) < 2 or self.times[0] != 0.0 or np.any(np.diff(self.times) < _SHORTEST):
            raise ValueRangeError("times", f"must increase from 0 by at least {_SHORTEST:g} s, with 2 samples or more; sort the samples")
        shape = (len(self.times), len(self.joints))
        for name in ("q", "dq", "ddq"):
            if getattr(self, name) is not None:
                values = check_array(name, getattr(self, name), shape, f"{shape} = (samples, joints)", remedy="remove those samples first")
                set_frozen(self, name, values)
        if self.dq is None and self.ddq is not None:
            object.__setattr__(self, "ddq", None)  # accelerations without velocities don't fix a polynomial

    @staticmethod
    def of_dataset(samples: Dataset) -> SampledTrajectory:
        """The motion of a log of one segment; its clock begins at 0."""
        if len(samples.starts) > 1:
            raise InputError(f"the trajectory has {len(samples.starts)} segments; give one motion at a time")
        times = samples.time - samples.time[0]
        return SampledTrajectory(joints=samples.joint_names, times=times, q=samples.q, dq=samples.dq, ddq=samples.ddq)

    def stretch(self, duration: float) -> Self:
        """The same path in another time [s]."""
        factor = duration / self.duration
        dq, ddq = (None if values is None else values / factor**order for order, values in ((1, self.dq), (2, self.ddq)))
        return replace(self, times=self.times * factor, dq=dq, ddq=ddq)

    def sample(self, time: ArrayLike) -> SampledMotion:
        t = check_times(time)
        return SampledMotion(*(np.asarray(self._polynomial(t, order), dtype=float) for order in range(3)))

    def _knots(self) -> tuple[Array, Array, Array, Array | None]:
        if self.dq is not None:
            return self.times, self.q, self.dq, self.ddq
        interpolation: Any = import_module("scipy.interpolate")
        return self.times, self.q, np.asarray(interpolation.CubicSpline(self.times, self.q)(self.times, 1), dtype=float), None


def _at_rest(points: Array) -> tuple[Array, Array, Array]:
    return points, np.zeros_like(points), np.zeros_like(points)


def _check_knots(trajectory: CubicTrajectory | WaypointTrajectory, name: str) -> None:
    """Check and freeze joints, `times` (K,) and the positions (K, n) of that name."""
    object.__setattr__(trajectory, "joints", joint_names(trajectory.joints))
    expected = f"({name},), at least 2"
    set_frozen(trajectory, "times", check_array("times", trajectory.times, (None,), expected))
    if len(trajectory.times) < 2:
        raise ShapeError("times", trajectory.times.shape, expected)
    if trajectory.times[0] != 0.0 or not np.all(np.diff(trajectory.times) > 0.0):
        raise ValueRangeError("times", f"are {trajectory.times.tolist()}; they must begin with 0 and increase")
    shape = (len(trajectory.times), len(trajectory.joints))
    set_frozen(trajectory, name, check_array(name, getattr(trajectory, name), shape, f"{shape} = ({name}, joints)"))


def fastest_quintic(
    joints: tuple[str, ...], start: ArrayLike, end: ArrayLike, *, velocity: ArrayLike, acceleration: ArrayLike, jerk: ArrayLike = np.inf
) -> QuinticTrajectory:
    """The shortest quintic that stays within limits.

    Parameters
    ----------
    joints
        Names of the n joints.
    start, end : (n,) array_like
        Positions [rad | m].
    velocity, acceleration, jerk
        Largest absolute values, one or (n,) [rad/s, rad/s², rad/s³ | m/s, m/s², m/s³].

    Returns
    -------
    QuinticTrajectory
        From rest at the start to rest at the end.
    """
    n = len(joints)
    step = np.abs(per_joint("end", end, n) - per_joint("start", start, n))
    named = (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk))
    v, a, j = (per_joint(name, limit, n, infinite=True) for name, limit in named)
    shortest = float(quintic_time(step, v, a, j))
    return QuinticTrajectory(joints=joints, start=np.asarray(start), end=np.asarray(end), duration=shortest)


def quintic_time(step: Array, velocity: Array, acceleration: Array, jerk: Array) -> Array:
    """(...,) shortest time [s] in which a quintic goes distances (..., n) within limits (n,) of velocity, acceleration and jerk."""
    needed = np.array(
        [PEAK_VELOCITY * step / velocity, np.sqrt(_PEAK_ACCELERATION * step / acceleration), np.cbrt(_PEAK_JERK * step / jerk)]
    )
    return np.maximum(needed.max(axis=(0, -1)), 1e-3)


def kuka_table_5(*, joints: tuple[str, ...] = tuple(f"joint{j}" for j in range(1, 8))) -> CubicTrajectory:
    """The validation motion of Table V: 8 knots in 28 s for the seven joints of the KUKA LWR IV+.

    The table prints six numbers for some knots; they are all equal or alternate, so the seventh follows.

    Parameters
    ----------
    joints
        Names of the seven joints.

    Returns
    -------
    CubicTrajectory
        From rest to rest.
    """
    alternating = pi / 4 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    up = np.full(7, pi / 2)
    knots = np.array([up, np.zeros(7), up, -up, up, alternating, -alternating, alternating])
    return CubicTrajectory(joints=joints, times=np.array([0.0, 5.0, 8.0, 15.0, 22.0, 24.0, 25.5, 28.0]), knots=knots)
