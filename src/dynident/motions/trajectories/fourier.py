"""Finite Fourier series, the exciting trajectories of the identification literature, written in their velocity form.

    q_j(t) = Σ_l a_lj / (l ω) sin(l ω t) - b_lj / (l ω) cos(l ω t) + q0_j,   ω = 2π · base_frequency

(Swevers et al., IEEE T-RA 13(5), 1997; section 2.1 of the unsigned-torque report). The velocity is Σ a cos + b sin, so
that a and b are velocities. Everything is linear in (a, b, q0): conditions on the motion at an instant, such as rest at
the start, are linear equations between the coefficients of one joint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, check_positive, set_frozen
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names, set_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class FourierTrajectory:
    """A Fourier series of L harmonics per joint.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    base_frequency : float
        Frequency of the first harmonic [Hz].
    a, b : (n, L) array
        Velocity amplitudes of cosine and sine [rad/s | m/s].
    q0 : (n,) array
        Mean position [rad | m].
    duration : float
        Length [s]; one period when it is not given.
    """

    joints: tuple[str, ...]
    base_frequency: float
    a: Array
    b: Array
    q0: Array
    duration: float = 0.0

    kind = "fourier"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "joints", joint_names(self.joints))
        set_(self, "base_frequency", check_positive("base_frequency", self.base_frequency, "Hz"))
        set_(self, "duration", check_positive("duration", self.duration or 1.0 / self.base_frequency, "s"))
        n = len(self.joints)
        set_frozen(self, "a", check_array("a", self.a, (n, None), f"({n}, L) = (joints, harmonics)"))
        set_frozen(self, "b", check_array("b", self.b, self.a.shape, f"{self.a.shape} = (joints, harmonics), the shape of a"))
        set_rows(self, "q0")

    @property
    def harmonics(self) -> int:
        """L, the number of harmonics."""
        return self.a.shape[1]

    @property
    def period(self) -> float:
        """1 / base_frequency [s]."""
        return 1.0 / self.base_frequency

    @property
    def coefficients(self) -> Array:
        """(2 L + 1, n) a, then b, then q0: what `fourier_basis` multiplies."""
        return np.concatenate([self.a.T, self.b.T, self.q0[None]])

    def sample(self, time: ArrayLike) -> SampledMotion:
        t = check_times(time)
        return SampledMotion(*(phi @ self.coefficients for phi in fourier_basis(t, self.base_frequency, self.harmonics)))

    def constrain_ends(self, *, start: ArrayLike | None = None, rest: bool = True) -> FourierTrajectory:
        """The nearest series with velocity and acceleration zero at both ends, if `rest`, and the position `start` (n,) there, if given."""
        rows = boundary_rows(self.base_frequency, self.harmonics, self.duration, position=start is not None, rest=rest)
        still = np.zeros_like(self.coefficients)
        if start is not None:
            still[-1] = check_array("start", start, (len(self.joints),), f"({len(self.joints)},) = one per joint")
        Z = null_space(rows)
        C = still + Z @ (Z.T @ (self.coefficients - still))
        L = self.harmonics
        return replace(self, a=C[:L].T, b=C[L : 2 * L].T, q0=C[-1])


def fourier_basis(time: Array, base_frequency: float, harmonics: int) -> tuple[Array, Array, Array]:
    """Φ, Φ', Φ'' (N, 2 L + 1) with q = Φ C, dq = Φ' C, ddq = Φ'' C for coefficients C (2 L + 1, n)."""
    lw = 2.0 * np.pi * base_frequency * np.arange(1, harmonics + 1, dtype=np.float64)
    s, c = np.sin(np.outer(time, lw)), np.cos(np.outer(time, lw))
    one, zero = np.ones((len(time), 1)), np.zeros((len(time), 1))
    parts = ([s / lw, -c / lw, one], [c, s, zero], [-s * lw, c * lw, zero])
    q, dq, ddq = (np.asarray(np.hstack(part), dtype=float) for part in parts)
    return q, dq, ddq


def boundary_rows(base_frequency: float, harmonics: int, duration: float, *, position: bool, rest: bool = True) -> Array:
    """(k, 2 L + 1) equations that a joint's coefficients meet, minus those of standing still at the start: rows @ (C - still) = 0.

    Velocity and acceleration zero at both ends when `rest`; the position at both ends too when `position`.
    """
    q, dq, ddq = fourier_basis(np.array([0.0, duration]), base_frequency, harmonics)
    return np.concatenate([q] * position + [dq, ddq] * rest) if position or rest else np.zeros((0, q.shape[1]))


def null_space(rows: Array) -> Array:
    """(m, z) orthonormal basis of the coefficients that satisfy rows (k, m) @ C = 0."""
    if len(rows) == 0:
        return np.eye(rows.shape[1])
    _, sizes, V = np.linalg.svd(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    rank = int(np.sum(sizes > 1e-9 * sizes[0]))  # in whole periods the conditions at the end repeat those at the start
    return np.asarray(V[rank:].T, dtype=float)
