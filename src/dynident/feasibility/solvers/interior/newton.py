"""Newton's method for t ‖A x - b‖² - Σ log det F_k(x): one least-squares problem per step, no normal equations.

With F = L Lᵀ and G_i = L⁻¹ F_i L⁻ᵀ, the gradient of -log det F is -tr G_i and its Hessian tr G_i G_j = vec G_i · vec G_j.
Both come from the rows vec G_i with residual vec 1, so that the Newton step is the solution of

    minimise ‖√(2t) (A d - (b - A x))‖² + Σ ‖vec G d - vec 1‖² + ‖(d - (anchor - x)) / spread‖²

and QR gives it without squaring the condition number, which grows without end where the optimum lies on the boundary.
F(x + α d) = L (1 + α S) Lᵀ makes the search along the step a function of the eigenvalues of S alone: exact, and free.
The last term bounds the directions that neither data nor constraints bound, along which log det grows without end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.feasibility.constraints.lmi import Batch

#: Half the squared Newton decrement below which a point counts as centred; one more step then squares it.
CENTRED = 0.1
_STEPS = 60
_SQRT2 = float(np.sqrt(2.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Cone:
    """Matrix inequalities of one size in the variables y. constant : (B, k, k); tensor : (B, k, k, d)."""

    constant: Array
    tensor: Array

    @staticmethod
    def of(batch: Batch, origin: Array, basis: Array, relief: float = 0.0) -> Cone:
        """The blocks of a batch at origin + basis y, each eased by `relief`."""
        constant = batch.constant + batch.tensor @ origin + relief * np.eye(batch.blocks[0].size)
        return Cone(constant=constant, tensor=batch.tensor @ basis)

    @property
    def size(self) -> int:
        return self.constant.shape[1]

    @property
    def degree(self) -> int:
        return self.constant.shape[0] * self.size

    def values(self, y: Array) -> Array:
        return self.constant + self.tensor @ y

    def with_slack(self) -> Cone:
        """F(y) - s 1 ⪰ 0 in the variables (y, s)."""
        slack = np.broadcast_to(-np.eye(self.size)[None, :, :, None], (*self.constant.shape, 1))
        return Cone(constant=self.constant, tensor=np.concatenate([self.tensor, slack], axis=3))

    @cached_property
    def _triangle(self) -> tuple[IntArray, IntArray, Array]:
        rows, columns = np.triu_indices(self.size)
        return rows.astype(np.int64), columns.astype(np.int64), np.where(rows == columns, 1.0, _SQRT2)

    def rows(self, y: Array) -> tuple[Array, Array, Array]:
        """vec G (m, d), vec 1 (m,), and the L⁻¹ (B, k, k) that they come from; LinAlgError outside of the interior."""
        inverse = np.asarray(np.linalg.inv(np.linalg.cholesky(self.values(y))), dtype=float)
        blocks, k, _, d = self.tensor.shape
        left = (inverse @ self.tensor.reshape(blocks, k, k * d)).reshape(blocks, k, k, d)
        both = (inverse @ left.swapaxes(1, 2).reshape(blocks, k, k * d)).reshape(blocks, k, k, d)
        rows, columns, weight = self._triangle
        G = (both[:, rows, columns] * weight[:, None]).reshape(-1, d)
        return G, np.tile((rows == columns).astype(float), blocks), inverse

    def stretch(self, inverse: Array, d: Array) -> Array:
        """(B k,) eigenvalues of S = L⁻¹ (Σ d_i F_i) L⁻ᵀ."""
        S = inverse @ (self.tensor @ d) @ inverse.swapaxes(1, 2)
        return np.asarray(np.linalg.eigvalsh(0.5 * (S + S.swapaxes(1, 2))), dtype=float).ravel()


class Soft(Protocol):
    """Further squares ‖r(y)‖² in the objective, for what has no barrier."""

    def residuals(self, y: Array) -> Array: ...

    def jacobian(self, y: Array) -> Array: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Interior:
    """What is minimised over the interior of the cones.

    A, b : (r, d), (r,)   The objective ‖A y - b‖².
    moving : y -> cones   Convex conditions that imply those that are not, tight at y: taken anew at every step, so
                          that a step on them is one on the true barrier (convex-concave procedure).
    soft : Soft           Further squares, linearised at every step (Gauss-Newton).
    """

    A: Array
    b: Array
    cones: tuple[Cone, ...]
    anchor: Array
    spread: Array
    moving: Callable[[Array], tuple[Cone, ...]] | None = None
    soft: Soft | None = None

    def cones_at(self, y: Array) -> tuple[Cone, ...]:
        """All cones, the moving ones as they are at y."""
        return self.cones if self.moving is None else (*self.cones, *self.moving(y))

    @property
    def degree(self) -> int:
        return sum(cone.degree for cone in self.cones_at(self.anchor))

    def objective(self, y: Array) -> float:
        """‖A y - b‖², the soft squares included."""
        value = float(np.sum((self.A @ y - self.b) ** 2))
        return value if self.soft is None else value + float(np.sum(self.soft.residuals(y) ** 2))


def centre(interior: Interior, y: Array, t: float) -> tuple[Array, bool]:
    """Newton's method from the interior point y; the last point, and whether it is centred."""
    for _ in range(_STEPS):
        step = _step(interior, y, t)
        if step is None:
            return y, False
        d, decrement, length = step
        if 0.5 * decrement**2 < CENTRED:
            return y + min(length, 1.0) * d, True
        if length == 0.0:
            return y, False
        y = y + length * d
    return y, False


def _step(interior: Interior, y: Array, t: float) -> tuple[Array, float, float] | None:
    """Newton direction, its decrement and the length of the step; None where rounding has used up the interior."""
    cones = interior.cones_at(y)
    try:
        parts = [cone.rows(y) for cone in cones]
    except np.linalg.LinAlgError:
        return None
    root = float(np.sqrt(2.0 * t))
    J, r = interior.A, interior.b - interior.A @ y
    if interior.soft is not None:
        J, r = np.concatenate([J, interior.soft.jacobian(y)]), np.concatenate([r, -interior.soft.residuals(y)])
    rows = np.concatenate([root * J, *(part[0] for part in parts), np.diag(1.0 / interior.spread)])
    right = np.concatenate([root * r, *(part[1] for part in parts), (interior.anchor - y) / interior.spread])
    scale = np.linalg.norm(rows, axis=0)
    R: Array = np.asarray(np.linalg.qr(np.column_stack([rows / scale, right]), mode="r"), dtype=float)
    size = len(y)
    d = np.asarray(np.linalg.solve(R[:size, :size], R[:size, size]) / scale, dtype=float)
    decrement = float(np.linalg.norm(R[:size, size]))
    stretch = np.concatenate([cone.stretch(part[2], d) for cone, part in zip(cones, parts, strict=True)])
    # the quadratic part along the step: ½ a α² - g α, from the rows of the objective and of the anchor
    quadratic = np.concatenate([root * (J @ d), d / interior.spread])
    pull = np.concatenate([root * r, (interior.anchor - y) / interior.spread])
    length = _search(stretch, float(quadratic @ quadratic), float(quadratic @ pull))
    if interior.soft is not None:
        length = _backtrack(interior, y, d, length, t, stretch)
    return d, decrement, length


def _search(stretch: Array, curvature: float, slope: float) -> float:
    """The minimiser over α of ½ curvature α² - slope α - Σ log(1 + α stretch), by Newton's method kept in a bracket."""
    lowest = float(stretch.min(initial=0.0))
    low, high = 0.0, np.inf if lowest >= 0.0 else -1.0 / lowest
    alpha = min(1.0, 0.9 * high)
    for _ in range(40):
        ratio = stretch / (1.0 + alpha * stretch)
        first = curvature * alpha - slope - float(ratio.sum())
        low, high = (alpha, high) if first < 0.0 else (low, alpha)
        following = alpha - first / (curvature + float(ratio @ ratio))
        if not low < following < high:
            following = 0.5 * (low + high) if np.isfinite(high) else 2.0 * alpha
        if abs(following - alpha) <= 1e-3 * alpha:
            return following
        alpha = following
    return alpha


def _backtrack(interior: Interior, y: Array, d: Array, length: float, t: float, stretch: Array) -> float:
    """Shorten the step until the true objective falls too; the soft rows were only linearised."""

    def merit(alpha: float) -> float:
        at = y + alpha * d
        drift = (at - interior.anchor) / interior.spread
        return t * interior.objective(at) - float(np.sum(np.log1p(alpha * stretch))) + 0.5 * float(drift @ drift)

    here = merit(0.0)
    for _ in range(30):
        if merit(length) < here:
            return length
        length *= 0.4
    return 0.0


def least_margin(cones: Sequence[Cone], y: Array) -> float:
    """The smallest eigenvalue of any F(y)."""
    return min((float(np.linalg.eigvalsh(cone.values(y)).min()) for cone in cones), default=np.inf)
