"""What a trajectory is: joint positions as a function of time with their exact derivatives; its samples as a Dataset."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray, IntArray, check_array, check_positive, check_unique, set_frozen
from dynident.core.sizes import check_count
from dynident.data.dataset import Dataset
from dynident.errors import ValueRangeError

#: Numbers that a design takes per sample: a Fourier series and its derivatives, and the motion of all joints.
_NUMBERS = 40


class SampledMotion(NamedTuple):
    """A motion at N times.

    Attributes
    ----------
    q : (N, n) array
        Joint positions [rad | m].
    dq : (N, n) array
        Joint velocities [rad/s | m/s].
    ddq : (N, n) array
        Joint accelerations [rad/s² | m/s²].
    """

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

    def sample(self, time: ArrayLike) -> SampledMotion:
        """The motion at `time` (N,) [s], derivatives exact; between 0 and `duration` a trajectory means what it says."""
        ...


def check_samples(duration: float, rate: float) -> None:
    """ValueRangeError where so many seconds at so many samples per second [Hz] are too many, or one; to be asked before a long search."""
    if not duration * rate * (1.0 + 1e-12) >= 1.0:  # 20 s at 100 Hz ends at 20 s, whatever 20 · 100 rounds to
        raise ValueRangeError("rate", f"is {rate:g} Hz, which gives 1 sample in {duration:g} s; at least 2 are needed")
    check_count("rate times duration", duration * rate, each=_NUMBERS, remedy="take a lower rate or a shorter motion")


def sample_times(duration: float, rate: float) -> Array:
    """(N,) times from 0 to at most `duration`, 1 / `rate` apart [s]."""
    check_positive("rate", rate, "Hz")
    check_samples(duration, rate)
    return np.arange(math.floor(duration * rate * (1.0 + 1e-12)) + 1) / rate


def trajectory_dataset(trajectory: Trajectory, rate: float) -> Dataset:
    """The trajectory's samples as a log without effort.

    Samples of warm-up and cool-down periods are masked out; where whole periods are marked, the log has the marks.

    Parameters
    ----------
    trajectory
        The trajectory.
    rate
        Samples per second [Hz].

    Returns
    -------
    Dataset
        time, q, dq and ddq.
    """
    time = sample_times(trajectory.duration, rate)
    motion = trajectory.sample(time)
    marks = period_marks(trajectory, time)
    kept = used_samples(trajectory, time)
    mask = None if marks is not None or kept.all() else np.broadcast_to(kept[:, None], motion.q.shape)
    return Dataset(
        time=time,
        q=motion.q,
        dq=motion.dq,
        ddq=motion.ddq,
        joint_names=trajectory.joints,
        mask=mask,
        period=marks,
        source=f"{trajectory.kind} trajectory sampled at {rate:g} Hz",
    )


def used_samples(trajectory: Trajectory, time: Array) -> BoolArray:
    """(N,) False where a trajectory says that its motion is there to reach or to leave the periodic state."""
    from dynident.motions.trajectories.repeated import Repeated

    if isinstance(trajectory, Repeated):
        return trajectory.used(time)
    marks = period_marks(trajectory, time)
    return np.ones(len(time), dtype=bool) if marks is None else marks > 0


def period_marks(trajectory: Trajectory, time: Array) -> IntArray | None:
    """(N,) the whole period that each time is in, from 1, 0 on the way there and back; None for a trajectory that marks none."""
    marks: Callable[[Array], IntArray] | None = getattr(trajectory, "periods", None)
    return None if marks is None else marks(time)


def check_times(time: ArrayLike) -> Array:
    """Times as a float array (N,); the first line of every trajectory's `sample`."""
    return check_array("time", np.atleast_1d(np.asarray(time)), (None,), "(N,) = (samples,)", remedy="remove those samples first")


def joint_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple; at least one, and unique."""
    names = check_unique("joint", joints)
    if not names:
        raise ValueRangeError("joints", "is empty; at least one name was expected")
    return names


def set_rows(trajectory: Trajectory, *names: str) -> None:
    """Check and freeze fields (n,), one number per joint."""
    for name in names:
        n = len(trajectory.joints)
        set_frozen(trajectory, name, check_array(name, getattr(trajectory, name), (n,), f"({n},) = one per joint"))
