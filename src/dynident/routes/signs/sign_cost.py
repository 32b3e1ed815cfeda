"""The cost of a sign vector: what the best coefficients leave of the signed torque, for thousands of sign vectors at once.

With rows whitened (each joint divided by its noise) and YᵀY = RᵀR, least squares on the signed torque leaves

    cost(s) = min_π ‖Y π - diag(b) s‖² = ‖b‖² - ‖A s‖²,   A = R⁻ᵀ [Σ_{t in segment k} Y_t b_t]_k

so that a segment is one column of A (rank, S), and the smallest cost is the largest ‖A s‖² = sᵀ Q s with Q = Aᵀ A.
Rows below the threshold belong to no column: they say Y π ≈ 0, and make coefficients pay that would move them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.regression.equations.factors import triangular
from dynident.routes.signs.magnitudes import Magnitudes

#: Coefficients may make this many times the joint's torque by themselves before they pay as much as a row of noise: it keeps directions
#: that the motion does not show from explaining anything.
LARGEST_SHARE = 1e3
#: Rows are counted with at least this share of the joint's RMS as noise: a model is never exact, whatever the sensors are.
MODEL_ERROR = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class SignCost:
    """cost(s) = total - ‖A s‖² for signs s (S,) of the segments.

    A : (rank, S)         Each segment's share of the explained torque, in units of the noise.
    energies : (S,)       ‖b‖² of each segment.
    joints : (S,)         Joint of each segment.
    levels : (n,)         Noise that the joints' rows were divided by [N·m | N].
    R : (rank, rank)      Triangular factor of the whitened rows: R π = A s.
    """

    A: Array
    energies: Array
    joints: IntArray
    levels: Array
    R: Array

    @property
    def total(self) -> float:
        """‖b‖² of all segments, the cost of a model that explains nothing."""
        return float(self.energies.sum())

    @cached_property
    def Q(self) -> Array:
        """(S, S) = Aᵀ A."""
        return self.A.T @ self.A

    def cost(self, signs: Array) -> Array:
        """Cost of sign vectors (..., S)."""
        return self.total - np.sum((signs @ self.A.T) ** 2, axis=-1)

    def coefficients(self, signs: Array) -> Array:
        """(b,) the least-squares coefficients of a sign vector (S,)."""
        return np.asarray(np.linalg.solve(self.R, self.A @ signs), dtype=float)

    def flip_costs(self, signs: Array) -> Array:
        """(S,) by how much flipping one segment alone raises the cost; negative where it lowers it."""
        return 4.0 * (signs * (self.A @ signs @ self.A) - np.sum(self.A**2, axis=0))

    def certificate(self, signs: Array) -> float:
        """λ_min(Diag(s∘Qs) - Q) over the largest of Q's own: not negative only where no sign vector at all costs less.

        For any s', s'ᵀ Q s' <= s'ᵀ Diag(s∘Qs) s' = sᵀ Q s then, because s'ᵀ D s' = tr D for signs.
        """
        smallest = float(np.linalg.eigvalsh(np.diag(signs * (self.Q @ signs)) - self.Q)[0])
        return smallest / max(float(np.linalg.norm(self.A, 2)) ** 2, np.finfo(float).tiny)


def sign_cost(magnitudes: Magnitudes, levels: Array) -> SignCost:
    """The cost of signs of the segments. levels : (n,) what counts as noise of each joint [N·m | N]."""
    joints = np.array([segment.joint for segment in magnitudes.segments], dtype=np.int64)
    R = whitened_factor(magnitudes, levels)
    A = np.asarray(np.linalg.solve(R.T, magnitudes.moments / levels[joints] ** 2), dtype=float)
    return SignCost(A=A, energies=magnitudes.energies / levels[joints] ** 2, joints=joints, levels=levels, R=R)


def whitened_factor(magnitudes: Magnitudes, levels: Array) -> Array:
    """(rank, rank) triangular factor of all rows over their noise, with a row per coefficient that forbids absurd ones."""
    rank = magnitudes.base.rank
    blocks: list[Array] = []
    for group, factor, level in zip(magnitudes.groups, magnitudes.factors, levels, strict=True):
        block = np.zeros((len(factor), rank))
        block[:, group.columns] = factor / level
        blocks.append(block)
    sizes = np.linalg.norm(np.concatenate(blocks), axis=0)
    # a coefficient that makes all the torque by itself is about ‖b‖ / ‖column‖
    strength = float(np.linalg.norm(magnitudes.b[magnitudes.working] / levels))
    ridge = np.maximum(sizes, 1e-9 * float(sizes.max())) / (LARGEST_SHARE * max(strength, 1.0))
    return triangular([*blocks, np.diag(ridge)])


def search_levels(magnitudes: Magnitudes) -> Array:
    """(n,) what counts as noise before any model is fitted [N·m | N]."""
    return np.maximum(magnitudes.noise, MODEL_ERROR * np.sqrt(np.mean(magnitudes.b**2, axis=0)))
