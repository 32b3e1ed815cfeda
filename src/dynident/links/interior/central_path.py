"""From any point into the interior, and along the central path to the optimum (Boyd, Vandenberghe 2004, chapter 11)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.links.interior.newton import Interior, centre, least_margin

#: The path ends where what is left to gain is below this share of the objective.
GAP = 1e-7
#: ... or of the squared norm of what is fitted, for objectives that vanish.
SMALLEST = 1e-15
_GROWTH = 12.0
_STEEPEST = 1e17


def enter(interior: Interior, y: Array) -> tuple[Array, float]:
    """A point where every F(y) ⪰ s 1, and that s: the first with s > 0 that is centred, else the largest s there is.

    Minimises (s - 1)² over F(y) - s 1 ⪰ 0, starting as deep below as y needs it; a negative s proves, to rounding,
    that the (convex) conditions have no common point.
    """
    s = min(least_margin(interior.domain_at(y), y), 1.0)
    if s > 0.0:
        return y, s
    moving = interior.moving
    lifted = Interior(
        A=np.append(np.zeros((1, len(y))), [[1.0]], axis=1),
        b=np.ones(1),
        cones=tuple(cone.with_slack() for cone in replace(interior, moving=None).domain_at(y)),
        anchor=np.append(y, 0.0),
        spread=np.append(np.minimum(interior.spread, 1e3), 1e3),
        moving=None if moving is None else lambda point: tuple(cone.with_slack() for cone in moving(point[:-1])),
    )
    point = np.append(y, s - 0.1 * abs(s) - 1e-3)
    t = 1.0
    while t <= 1e14:
        point, centred = centre(lifted, point, t)
        if point[-1] > 0.0 and centred:
            break
        t *= _GROWTH
        if not centred and t > 1e10:
            break
    y = point[:-1]
    return y, least_margin(interior.domain_at(y), y)


def follow(interior: Interior, y: Array, *, gap: float = GAP) -> tuple[Array, float]:
    """The end of the central path from the interior point y, and the steepness t that was reached."""
    degree, floor = interior.degree, SMALLEST * float(interior.b @ interior.b)
    t = max(degree, 1) / max(interior.objective(y), floor, np.finfo(float).tiny)
    best, reached = y, t
    while t < _STEEPEST:
        y, centred = centre(interior, y, t)
        if interior.objective(y) <= interior.objective(best):
            best, reached = y, t
        # on the path the objective exceeds the optimum by at most degree / t
        if degree / t <= max(gap * interior.objective(y), floor) or not centred:
            break
        t *= _GROWTH
    return best, reached


def push(interior: Interior, y: Array, direction: Array, distance: float) -> Array:
    """Far along a direction, but inside: what the constraints allow of the given distance."""
    row = direction / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
    cones = replace(interior, moving=None).domain_at(y)
    there = replace(interior, A=row[None, :], b=np.array([float(row @ y) + distance]), anchor=y, cones=cones, bodies=None, nu=0.0)
    return follow(there, y, gap=1e-2)[0]


def wander(interior: Interior, y: Array, rng: np.random.Generator, moves: int = 15) -> Array:
    """A random interior point: hit-and-run (Smith 1984), each line drawn from the local ellipsoid of the barrier so that
    thin sets are crossed as fast as wide ones (Kannan, Narayanan 2012)."""
    before = y
    for _ in range(moves):
        cones = interior.domain_at(y)
        try:
            parts = [cone.rows(y) for cone in cones]
        except np.linalg.LinAlgError:  # so close to the boundary that rounding hides the inside: end one move earlier
            return before
        R = np.linalg.qr(np.concatenate([*(part[0] for part in parts), np.diag(1.0 / interior.spread)]), mode="r")
        d = np.asarray(np.linalg.solve(R, rng.normal(size=len(y))), dtype=float)
        stretch = np.concatenate([cone.stretch(part[2], d) for cone, part in zip(cones, parts, strict=True)])
        # without an end to the line, at most a few times the size of the ellipsoid
        low, high = -1.0 / max(float(stretch.max(initial=0.0)), 0.1), 1.0 / max(-float(stretch.min(initial=0.0)), 0.1)
        before, y = y, y + 0.9 * rng.uniform(low, high) * d
    return y


def anchored(interior: Interior, y: Array) -> Interior:
    """The same with its anchor at y: of points that are equally good, the path then ends near y."""
    return replace(interior, anchor=y)
