"""What a trajectory is: joint positions as a function of time with their exact derivatives, and its samples as a Dataset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray
from dynident.data.dataset import Dataset
from dynident.errors import ShapeError, ValueRangeError


class Motion(NamedTuple):
    """Joint positions, velocities and accelerations at N times, each (N, n) [rad | m, per second, per second²]."""

    q: Array
    dq: Array
    ddq: Array


@runtime_checkable
class Trajectory(Protocol):
    """A motion of n joints from time 0 to `duration`."""

    @property
    def kind(self) -> str:
        """The name in the registry."""
        ...

    @property
    def joints(self) -> tuple[str, ...]:
        """(n,) joint names."""
        ...

    @property
    def duration(self) -> float:
        """Length [s]."""
        ...

    def sample(self, time: ArrayLike) -> Motion:
        """The motion at `time` (N,) [s], derivatives exact; between 0 and `duration` a trajectory means what it says."""
        ...


def sample_times(duration: float, rate: float) -> Array:
    """(N,) times from 0 to at most `duration`, 1 / `rate` apart [s]."""
    if not (math.isfinite(rate) and rate > 0.0):
        raise ValueRangeError("rate", f"is {rate}; a positive number of samples per second was expected")
    count = math.floor(duration * rate * (1.0 + 1e-12)) + 1  # 20 s at 100 Hz ends at 20 s, whatever 20 · 100 rounds to
    if count < 2:
        raise ValueRangeError("rate", f"is {rate:g} Hz, which gives {count} sample in {duration:g} s; at least 2 are needed")
    return np.arange(count) / rate


def trajectory_dataset(trajectory: Trajectory, rate: float) -> Dataset:
    """The trajectory's samples as a log without effort; samples of warm-up and cool-down periods are masked out."""
    time = sample_times(trajectory.duration, rate)
    motion = trajectory.sample(time)
    kept = used_samples(trajectory, time)
    mask = None if kept.all() else np.broadcast_to(kept[:, None], motion.q.shape)
    return Dataset(
        time=time,
        q=motion.q,
        dq=motion.dq,
        ddq=motion.ddq,
        joint_names=trajectory.joints,
        mask=mask,
        source=f"{trajectory.kind} trajectory sampled at {rate:g} Hz",
    )


def used_samples(trajectory: Trajectory, time: Array) -> BoolArray:
    """(N,) False where a trajectory says that its motion is there to reach or to leave the periodic state."""
    from dynident.excitation.trajectories.repeated import Repeated

    return trajectory.used(time) if isinstance(trajectory, Repeated) else np.ones(len(time), dtype=bool)


def checked_times(time: ArrayLike) -> Array:
    """Times as a float array (N,); the first line of every trajectory's `sample`."""
    t = np.atleast_1d(np.asarray(time, dtype=float))
    if t.ndim != 1:
        raise ShapeError("time", t.shape, "(N,) = (samples,)")
    if not np.all(np.isfinite(t)):
        raise ValueRangeError("time", "contains NaN or infinity; remove those samples first")
    return t


def table(values: ArrayLike, name: str, rows: int, what: str = "joints", *, columns: int | None = None) -> Array:
    """A read-only copy (rows, columns) of finite numbers; any number of columns unless it is said."""
    array = np.array(values, dtype=float)
    if array.ndim != 2 or array.shape[0] != rows or (columns is not None and array.shape[1] != columns):
        raise ShapeError(name, array.shape, f"({rows}, {'k' if columns is None else columns}) = ({what}, ...)")
    return _frozen(array, name)


def row(values: ArrayLike, name: str, length: int) -> Array:
    """A read-only copy (length,) of finite numbers, one per joint."""
    array = np.array(values, dtype=float)
    if array.shape != (length,):
        raise ShapeError(name, array.shape, f"({length},) = one per joint")
    return _frozen(array, name)


def joint_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple; at least one, and unique."""
    names = tuple(str(name) for name in joints)
    if not names or len(set(names)) != len(names):
        raise ValueRangeError("joints", f"are {names}; at least one name was expected, each once")
    return names


def positive(value: float, name: str, unit: str) -> float:
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueRangeError(name, f"is {value}; a positive number [{unit}] was expected")
    return number


def _frozen(array: Array, name: str) -> Array:
    if not np.all(np.isfinite(array)):
        raise ValueRangeError(name, "contains NaN or infinity; finite numbers were expected")
    array.setflags(write=False)
    return array
