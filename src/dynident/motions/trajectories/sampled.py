"""A motion that is known at samples alone, as a file has it: between them the polynomial through what they tell.

With velocities and accelerations it is of degree five, with velocities of degree three (Hermite), and of positions alone the cubic spline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, freeze, set_frozen
from dynident.data.dataset import Dataset
from dynident.errors import InputError, ValueRangeError
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names

#: Rows: what a unit of q₀, h dq₀, h² ddq₀, h² ddq₁, h dq₁, q₁ adds to the polynomial; columns: powers of u = (t - t₀) / h.
_QUINTIC = np.array(
    [
        [1.0, 0.0, 0.0, -10.0, 15.0, -6.0],
        [0.0, 1.0, 0.0, -6.0, 8.0, -3.0],
        [0.0, 0.0, 0.5, -1.5, 1.5, -0.5],
        [0.0, 0.0, 0.0, 0.5, -1.0, 0.5],
        [0.0, 0.0, 0.0, -4.0, 7.0, -3.0],
        [0.0, 0.0, 0.0, 10.0, -15.0, 6.0],
    ]
)
#: The same for q₀, h dq₀, h dq₁, q₁.
_CUBIC = np.array([[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, -1.0, 1.0], [0.0, 0.0, 3.0, -2.0]])


#: From one sample to the next [s].
_SHORTEST = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledTrajectory:
    """Samples of a motion, and what is between them.

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

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def stretch(self, duration: float) -> SampledTrajectory:
        """The same path in another time [s]."""
        factor = duration / self.duration
        dq, ddq = (None if values is None else values / factor**order for order, values in ((1, self.dq), (2, self.ddq)))
        return replace(self, times=self.times * factor, dq=dq, ddq=ddq)

    @cached_property
    def _slopes(self) -> Array:
        """(N, n) velocities at the samples: their own, or those of the cubic spline through the positions."""
        if self.dq is not None:
            return self.dq
        spline: Any = import_module("scipy.interpolate").CubicSpline  # imported here: `import dynident` stays light
        return freeze(np.asarray(spline(self.times, self.q)(self.times, 1), dtype=float))

    def sample(self, time: ArrayLike) -> SampledMotion:
        """At `time` (N,) [s]; before the first and after the last sample that sample's motion goes on as its polynomial does."""
        t = check_times(time)
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        h = (self.times[k + 1] - self.times[k])[:, None]
        u = (t - self.times[k])[:, None] / h
        knots = [self.q[k], h * self._slopes[k], h * self._slopes[k + 1], self.q[k + 1]]
        basis = _CUBIC
        if self.ddq is not None:
            knots[2:2] = [h**2 * self.ddq[k], h**2 * self.ddq[k + 1]]
            basis = _QUINTIC
        powers = [sum(row[p] * knot for row, knot in zip(basis, knots, strict=True) if row[p]) for p in range(basis.shape[1])]
        derivatives = [_evaluate(powers, u, order) / h**order for order in range(3)]
        return SampledMotion(*derivatives)


def _evaluate(powers: list[Any], u: Array, order: int) -> Array:
    """The derivative of that order of Σ aₚ uᵖ by u, by Horner's rule."""
    value = np.zeros_like(powers[0])
    for p in range(len(powers) - 1, order - 1, -1):
        value = value * u + powers[p] * float(np.prod(np.arange(p - order + 1, p + 1)))
    return value
