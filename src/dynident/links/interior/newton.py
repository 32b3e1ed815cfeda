"""Newton's method for t (‖A x - b‖² + ν Σ (tr S - log det S)) - Σ log det F_k: a least-squares problem per step, no normal equations.

With F = L Lᵀ and G_i = L⁻¹ F_i L⁻ᵀ, the gradient of -log det F is -tr G_i and its Hessian tr G_i G_j = vec G_i · vec G_j.
Both come from the rows vec G_i with residual vec 1, so that the Newton step is the solution of

    minimise ‖√(2t) (A d - (b - A x))‖² + t ν Σ ‖vec G_S d - vec (1 - LᵀL)‖² + Σ ‖vec G d - vec 1‖² + ‖(d - (anchor - x)) / spread‖²

and QR gives it without squaring the condition number, which grows without end where the optimum lies on the boundary.
F(x + α d) = L (1 + α S) Lᵀ makes the search along the step a function of the eigenvalues of S alone: exact, and free.
The last term bounds the directions that neither data nor constraints bound, along which log det grows without end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.linear_algebra import nearest_within
from dynident.links.constraints.lmi import Batch

#: Half the squared Newton decrement below which a point counts as centred; one more step then squares it.
CENTRED = 0.1
#: ... and at which a minimum is exact for all that follows: to a millionth of a standard deviation.
EXACT = 1e-12
#: Eigenvalues below this, of bodies that are the identity where they are nominal, are rounding.
THIN = 1e-11
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

    def rows(self, y: Array, *, entropic: bool = False) -> tuple[Array, Array, Array]:
        """vec G (m, d), vec 1 or vec (1 - LᵀL) (m,), and the L⁻¹ (B, k, k) that they come from; LinAlgError outside of the interior.

        entropic : of tr F - log det F, and not of -log det F.
        """
        L = np.linalg.cholesky(self.values(y))
        inverse = np.asarray(np.linalg.inv(L), dtype=float)
        blocks, k, _, d = self.tensor.shape
        left = (inverse @ self.tensor.reshape(blocks, k, k * d)).reshape(blocks, k, k, d)
        both = (inverse @ left.swapaxes(1, 2).reshape(blocks, k, k * d)).reshape(blocks, k, k, d)
        rows, columns, weight = self._triangle
        G = (both[:, rows, columns] * weight[:, None]).reshape(-1, d)
        target = np.broadcast_to(np.eye(k), L.shape) - (L.swapaxes(1, 2) @ L if entropic else 0.0)
        return G, (target[:, rows, columns] * weight).ravel(), inverse

    def entropy(self, y: Array) -> float:
        """Σ tr F - log det F - k, which is zero where every F is the identity and infinite outside of the interior."""
        F = self.values(y)
        try:
            L = np.linalg.cholesky(F)
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.trace(F, axis1=1, axis2=2).sum() - 2.0 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum() - self.degree)

    def stretch(self, inverse: Array, d: Array) -> Array:
        """(B k,) eigenvalues of S = L⁻¹ (Σ d_i F_i) L⁻ᵀ."""
        S = inverse @ (self.tensor @ d) @ inverse.swapaxes(1, 2)
        return np.asarray(np.linalg.eigvalsh(0.5 * (S + S.swapaxes(1, 2))), dtype=float).ravel()

    def entropy_gradient(self, y: Array) -> Array:
        """(d,) tr Fᵢ - tr F⁻¹ Fᵢ."""
        return np.einsum("bkl,bklp->p", np.eye(self.size) - np.linalg.inv(self.values(y)), self.tensor)


class Soft(Protocol):
    """Further squares ‖r(y)‖² in the objective, for what has no barrier."""

    def residuals(self, y: Array) -> Array: ...

    def jacobian(self, y: Array) -> Array: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Interior:
    """What is minimised over the interior of the cones.

    A, b : (r, d), (r,)   The squares ‖A y - b‖² of the objective.
    bodies, nu            The S(y) of its entropy ν Σ (tr S - log det S - 4), where it has one.
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
    bodies: Cone | None = None
    nu: float = 0.0

    def cones_at(self, y: Array) -> tuple[Cone, ...]:
        """All cones, the moving ones as they are at y."""
        return self.cones if self.moving is None else (*self.cones, *self.moving(y))

    def domain_at(self, y: Array) -> tuple[Cone, ...]:
        """All cones, and the bodies of the entropy."""
        return self.cones_at(y) if self.bodies is None else (*self.cones_at(y), self.bodies)

    @property
    def degree(self) -> int:
        return sum(cone.degree for cone in self.cones_at(self.anchor))

    def curvature(self, y: Array) -> Array:
        """Rows (m, d) with rowsᵀ rows half the Hessian of the objective at y, the soft squares left out."""
        if self.bodies is None:
            return self.A
        return np.concatenate([self.A, np.sqrt(0.5 * self.nu) * self.bodies.rows(y)[0]])

    def objective(self, y: Array) -> float:
        """‖A y - b‖², the entropy and the soft squares included."""
        value = float(np.sum((self.A @ y - self.b) ** 2))
        value += 0.0 if self.bodies is None else self.nu * self.bodies.entropy(y)
        return value if self.soft is None else value + float(np.sum(self.soft.residuals(y) ** 2))


def centre(interior: Interior, y: Array, t: float, *, within: float = CENTRED) -> tuple[Array, bool]:
    """Newton's method from the interior point y; the last point, and whether it is centred: half the squared decrement below `within`."""
    for _ in range(_STEPS):
        step = _step(interior, y, t)
        if step is None:
            return y, False
        d, decrement, length, _ = step
        if 0.5 * decrement**2 < within:
            return y + min(length, 1.0) * d, True
        if length == 0.0:
            return y, False
        y = y + length * d
    return y, False


def descend_within(interior: Interior, y: Array, G: Array, h: Array) -> tuple[Array, Array]:
    """The minimum of the objective over G y >= h from a point within, and the multipliers (m,): Newton's method with a quadratic program of
    the half-spaces at every step. The cones are left out."""
    interior, multipliers = replace(interior, cones=(), moving=None), np.zeros(len(h))
    for _ in range(_STEPS):
        step = _step(interior, y, 1.0, (G, h - G @ y))
        if step is None:
            break
        d, decrement, length, held = step
        moved = y + min(length, 1.0) * d
        if least_margin(interior.domain_at(moved), moved) <= THIN:
            break
        y, multipliers = moved, held
        if 0.5 * decrement**2 < EXACT:
            break
    return y, multipliers


def _step(interior: Interior, y: Array, t: float, within: tuple[Array, Array] | None = None) -> tuple[Array, float, float, Array] | None:
    """Newton direction, its decrement, the length of the step and multipliers of half-spaces G d >= h that it is within; None where
    rounding has used up the interior."""
    cones = interior.domain_at(y)
    weights = [1.0] * len(cones)
    try:
        parts = [cone.rows(y, entropic=cone is interior.bodies) for cone in cones]
    except np.linalg.LinAlgError:
        return None
    root = float(np.sqrt(2.0 * t))
    if interior.bodies is not None:
        weights[-1] = t * interior.nu
    J, r = interior.A, interior.b - interior.A @ y
    if interior.soft is not None:
        J, r = np.concatenate([J, interior.soft.jacobian(y)]), np.concatenate([r, -interior.soft.residuals(y)])
    scaled = [(np.sqrt(weight) * part[0], np.sqrt(weight) * part[1]) for weight, part in zip(weights, parts, strict=True)]
    rows = np.concatenate([root * J, *(part[0] for part in scaled), np.diag(1.0 / interior.spread)])
    right = np.concatenate([root * r, *(part[1] for part in scaled), (interior.anchor - y) / interior.spread])
    scale = np.linalg.norm(rows, axis=0)
    R: Array = np.asarray(np.linalg.qr(np.column_stack([rows / scale, right]), mode="r"), dtype=float)
    size = len(y)
    G, h = within or (np.zeros((0, size)), np.zeros(0))
    d, multipliers = nearest_within(R[:size, :size], R[:size, size], G / scale, h)
    decrement, d = float(np.linalg.norm(R[:size, :size] @ d)), d / scale
    stretches = [cone.stretch(part[2], d) for cone, part in zip(cones, parts, strict=True)]
    stretch = np.concatenate([np.empty(0), *stretches])
    weight = np.concatenate([np.empty(0), *(np.full(len(ratios), factor) for ratios, factor in zip(stretches, weights, strict=True))])
    # the quadratic part along the step: ½ a α² - g α, from the rows of the objective and of the anchor
    quadratic = np.concatenate([root * (J @ d), d / interior.spread])
    pull = np.concatenate([root * r, (interior.anchor - y) / interior.spread])
    slope = float(quadratic @ pull)
    if interior.bodies is not None:
        slope -= weights[-1] * float(np.trace(interior.bodies.tensor @ d, axis1=1, axis2=2).sum())
    length = _search(stretch, weight, float(quadratic @ quadratic), slope)
    if interior.soft is not None:
        length = _backtrack(interior, y, d, length, t, np.concatenate([np.empty(0), *stretches[: len(interior.cones_at(y))]]))
    return d, decrement, length, multipliers


def _search(stretch: Array, weight: Array, curvature: float, slope: float) -> float:
    """The minimiser over α of ½ curvature α² - slope α - Σ weight log(1 + α stretch), by Newton's method kept in a bracket."""
    lowest = float(stretch.min(initial=0.0))
    low, high = 0.0, np.inf if lowest >= 0.0 else -1.0 / lowest
    alpha = min(1.0, 0.9 * high)
    for _ in range(40):
        ratio = stretch / (1.0 + alpha * stretch)
        first = curvature * alpha - slope - float(weight @ ratio)
        low, high = (alpha, high) if first < 0.0 else (low, alpha)
        following = alpha - first / (curvature + float(weight @ ratio**2))
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
