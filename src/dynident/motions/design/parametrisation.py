"""The unknowns of a search: scaled coefficients of a Fourier series that meet the boundary conditions whatever their values.

Per joint, C = still + scale · B Z x: Z spans the coefficients that satisfy the linear conditions, B makes the mean position
as large as the amplitudes, and scale is half the joint's velocity limit, so that unknowns are of size one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.trajectories.fourier import FourierTrajectory, boundary_rows, fourier_basis, null_space
from dynident.motions.trajectories.trajectory import SampledMotion

#: Samples per period of the highest harmonic; torques contain products of several harmonics.
SAMPLES_PER_WAVE = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Parametrisation:
    """Fourier series of `harmonics` harmonics.

    scale : (n,)           Size of the velocity amplitudes [rad/s | m/s].
    rest : bool            Velocity and acceleration are zero at both ends.
    start : (n,) or None   Position at both ends, when it is prescribed.
    """

    joints: tuple[str, ...]
    base_frequency: float
    harmonics: int
    duration: float
    scale: Array
    rest: bool = False
    start: Array | None = None

    @property
    def unknowns(self) -> int:
        return self._null.shape[1] * len(self.joints)

    @cached_property
    def times(self) -> Array:
        """(N,) where the search looks: one period when the trajectory is a whole number of them, else all of it [s]."""
        periods = self.duration * self.base_frequency
        whole = abs(periods - round(periods)) < 1e-9 and periods > 0.5
        horizon = 1.0 / self.base_frequency if whole else self.duration
        count = max(100, math.ceil(SAMPLES_PER_WAVE * self.harmonics * self.base_frequency * horizon - 1e-9))
        return np.arange(count) * horizon / (count if whole else count - 1)

    def motion(self, x: Array, times: Array | None = None) -> SampledMotion:
        """The motion of unknowns x (z n,) at `times`, by default those of the search."""
        basis = self._basis if times is None else fourier_basis(times, self.base_frequency, self.harmonics)
        C = self.coefficients(x)
        return SampledMotion(*(phi @ C for phi in basis))

    def gradient(self, by: SampledMotion) -> Array:
        """(z n,) derivatives by the unknowns from those by the motion at the search's times."""
        by_C = sum(phi.T @ part for phi, part in zip(self._basis, by, strict=True)) * self.scale
        return np.asarray(self._null.T @ (self._balance[:, None] * by_C), dtype=float).ravel()

    def coefficients(self, x: Array) -> Array:
        """(2 L + 1, n) the series' coefficients."""
        C = self._balance[:, None] * (self._null @ x.reshape(-1, len(self.joints))) * self.scale
        if self.start is not None:
            C[-1] += self.start
        return C

    def standing_still(self, q: Array) -> Array:
        """The unknowns of no motion at position q (n,); with a prescribed start that is where it stands."""
        if self.start is not None:
            return np.zeros(self.unknowns)
        mean = np.zeros((2 * self.harmonics + 1, len(self.joints)))
        mean[-1] = q / (self._balance[-1] * self.scale)
        return (self._null.T @ mean).ravel()

    def trajectory(self, x: Array) -> FourierTrajectory:
        C, L = self.coefficients(x), self.harmonics
        return FourierTrajectory(
            joints=self.joints, base_frequency=self.base_frequency, a=C[:L].T, b=C[L : 2 * L].T, q0=C[-1], duration=self.duration
        )

    @cached_property
    def _basis(self) -> tuple[Array, Array, Array]:
        return fourier_basis(self.times, self.base_frequency, self.harmonics)

    @cached_property
    def _balance(self) -> Array:
        """(2 L + 1,) the mean position in units of amplitude / ω."""
        return np.array([1.0] * (2 * self.harmonics) + [1.0 / (2.0 * np.pi * self.base_frequency)])

    @cached_property
    def _null(self) -> Array:
        rows = boundary_rows(self.base_frequency, self.harmonics, self.duration, position=self.start is not None, rest=self.rest)
        return null_space(rows * self._balance)
