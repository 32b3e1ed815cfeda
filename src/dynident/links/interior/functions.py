"""Constraints that are nothing but functions: augmented Lagrangian, and tracing their boundary where they have no slope.

The augmented Lagrangian (Nocedal, Wright 2006, section 17.3) adds ½ μ max(0, h + λ/μ)² for each condition h <= 0,
differentiated numerically. A function of if and else that only says yes or no has no slope; but along the axes from a
point inside, its boundary is met at distances d_i, and the plane through those points, Σ y_i / d_i = 1, is a local
stand-in for it that a convex solver can treat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.links.constraints.terms import Nonconvex
from dynident.links.interior.central_path import follow, push, wander
from dynident.links.interior.newton import Cone, Interior, least_margin
from dynident.links.interior.reduced import Reduced

_ROUNDS = 25
_TRACES = 20
#: Conditions are met with this to spare, so that rounding can't break them.
SPARE = 1e-8
_DIFFERENCE = 1e-7
#: How far along an axis a boundary is looked for, in multiples of the distance to it; farther axes hardly tilt the plane.
_FAR = 200.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Multipliers:
    """The squares of an augmented Lagrangian: ½ charge max(0, h + weights / charge)²."""

    functions: Functions
    weights: Array
    charge: float

    def residuals(self, y: Array) -> Array:
        return np.sqrt(0.5 * self.charge) * np.maximum(0.0, self._shifted(y))

    def jacobian(self, y: Array) -> Array:
        active = self._shifted(y) > 0.0
        J = self.functions.jacobian(y) if np.any(active) else np.zeros((len(active), len(y)))
        J[~active] = 0.0
        return np.sqrt(0.5 * self.charge) * J

    def _shifted(self, y: Array) -> Array:
        return self.functions.values(y) + SPARE + self.weights / self.charge


class Functions:
    """All single conditions of a problem's functions, of the free variables y."""

    def __init__(self, reduced: Reduced, y: Array) -> None:
        self.reduced = reduced
        self.widths = [len(self._parts(item, reduced.x(y))) for item in reduced.functions]

    def values(self, y: Array) -> Array:
        """Every h(x), positive where violated; a function that returns another number of values than at first counts by its worst."""
        x = self.reduced.x(y)
        pieces: list[Array] = []
        for item, width in zip(self.reduced.functions, self.widths, strict=True):
            parts = self._parts(item, x)
            pieces.append(parts if len(parts) == width else np.full(width, parts.max()))
        return np.concatenate(pieces)

    def jacobian(self, y: Array) -> Array:
        here = self.values(y)
        J = np.empty((len(here), len(y)))
        for i, step in enumerate(_DIFFERENCE * np.maximum(1.0, np.abs(y))):
            moved = y.copy()
            moved[i] += step
            J[:, i] = (self.values(moved) - here) / step
        return J

    def hold(self, y: Array) -> bool:
        return bool(np.all(self.values(y) <= 0.0))

    @staticmethod
    def _parts(item: Nonconvex, x: Array) -> Array:
        return item.parts(x) if item.parts is not None else np.array([item.violation(x)])


def satisfy(reduced: Reduced, interior: Interior, start: Array, relaxed: Array, rng: np.random.Generator) -> Array:
    """A good point that satisfies the functions too, from an interior start and the optimum without them."""
    functions = Functions(reduced, relaxed)
    h = functions.values(relaxed)
    if np.all(h <= 0.0):
        return relaxed
    y = relaxed
    if np.all(np.any(functions.jacobian(relaxed)[h > 0.0] != 0.0, axis=1)):
        y = augmented_lagrangian(functions, interior, start, relaxed)
    if functions.hold(y):
        return y
    inside = _inside(functions, interior, start, rng)
    return y if inside is None else trace(functions, interior, inside, relaxed)


def augmented_lagrangian(functions: Functions, interior: Interior, start: Array, relaxed: Array) -> Array:
    """The best point found that satisfies the functions, else the last one."""
    h = np.maximum(functions.values(relaxed), 0.0)
    scale = max(interior.objective(relaxed), 1e-9 * float(interior.b @ interior.b), np.finfo(float).tiny)
    charge = 10.0 * scale / max(float(h.max()), 1e-6) ** 2
    weights = np.zeros(len(h))
    y, best, last = start, None, np.inf
    for _ in range(_ROUNDS):
        y, _ = follow(replace(interior, soft=Multipliers(functions=functions, weights=weights, charge=charge)), start)
        h, objective = functions.values(y), interior.objective(y)
        worst = float(np.max(h))
        if worst <= 0.0:
            settled = best is not None and abs(objective - interior.objective(best)) <= 1e-6 * objective
            best = y if best is None or objective < interior.objective(best) else best
            if settled or not np.any(weights):
                break
        weights = np.maximum(0.0, weights + charge * (h + SPARE))
        if worst > 0.25 * last:
            charge *= 10.0
        last = max(worst, 0.0)
    return y if best is None else best


def trace(functions: Functions, interior: Interior, inside: Array, relaxed: Array) -> Array:
    """From a point where the functions hold toward the optimum without them, along planes that stand for their boundaries."""
    best, target, spread = _between(functions.hold, inside, relaxed), relaxed, interior.spread
    for _ in range(_TRACES):
        broken = np.flatnonzero(functions.values(target) > 0.0)
        planes = [_plane(interior, lambda y, j=int(j): bool(functions.values(y)[j] <= 0.0), inside, target) for j in broken]
        local = replace(interior, cones=(*interior.cones, _half_spaces(planes)), anchor=inside, spread=spread)
        target, _ = follow(local, inside)
        point = _between(functions.hold, inside, target)
        gained = interior.objective(best) - interior.objective(point)
        if gained > 0.0:
            best = point
        if 0.0 <= gained <= 1e-6 * interior.objective(best):
            break
        # nearer to the best point the planes of a curved boundary fit better
        inside, spread = best + 0.5 * (inside - best), 0.7 * spread
        target = relaxed if functions.hold(target) else target
    return best


def _inside(functions: Functions, interior: Interior, start: Array, rng: np.random.Generator) -> Array | None:
    """An interior point at which the functions hold: by random walk, and by pushing single parameters up and down.

    A walk alone would not do: in many dimensions nearly all of a set's volume lies near its middle.
    """
    y, basis = start, functions.reduced.basis
    for parameter in rng.permutation(2 * len(basis)):
        if functions.hold(y):
            return y
        y = wander(interior, y, rng, moves=1)
        row, sign = basis[parameter // 2], 1.0 - 2.0 * (parameter % 2)
        pushed = push(interior, start, sign * row, 2.0 * max(1.0, abs(float(row @ start))))
        if functions.hold(pushed):
            # away from the edge that the constraints have there, as far as the functions allow
            return 0.5 * (pushed + _between(functions.hold, pushed, start))
    return None


def _between(allowed: Callable[[Array], bool], inside: Array, outside: Array) -> Array:
    """The last allowed point on the way from inside to outside, by bisection."""
    if allowed(outside):
        return outside
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if allowed(inside + middle * (outside - inside)) else (low, middle)
    return inside + low * (outside - inside)


def _plane(interior: Interior, allowed: Callable[[Array], bool], inside: Array, outside: Array) -> tuple[Array, float]:
    """a and c with a·y <= c the half-space that stands for a boundary near the way from inside to outside."""
    edge = _between(allowed, inside, outside)
    near = edge + 0.02 * (inside - edge)
    a, far = np.zeros(len(near)), _FAR * float(np.max(np.abs(near - edge)))
    for i in range(len(near)):
        for sign in (1.0, -1.0):
            tip = near.copy()
            tip[i] += sign * far
            # a function is only asked about consistent parameters: it may not be made for others
            while least_margin(interior.cones, tip) < 0.0 and abs(tip[i] - near[i]) > 1e-9:
                tip[i] = 0.5 * (tip[i] + near[i])
            if not allowed(tip):
                distance = max(abs(float(_between(allowed, near, tip)[i] - near[i])), 1e-12)
                a[i] = sign / distance if 1.0 / distance > abs(a[i]) else a[i]
    return a, float(a @ near) + 1.0


def _half_spaces(planes: Sequence[tuple[Array, float]]) -> Cone:
    normals, limits = np.array([a for a, _ in planes]), np.array([c for _, c in planes])
    return Cone(constant=limits[:, None, None], tensor=-normals[:, None, None, :])
