"""Compiled: nearest points of convex hulls, by the algorithm of Gilbert, Johnson and Keerthi (IEEE J. Robotics Autom. 4(2), 1988).

The difference of two hulls is convex, and its point v nearest to the origin is their distance. A few corners of it are kept, v is their
nearest point, and the corner of the difference that lies farthest against v is added, until there is none beyond v. v · w / |v| of the last
such corner w is a lower bound of the distance, and what is returned. The nearest point of a triangle follows Ericson, Real-Time Collision
Detection (2005), section 5.1.5. coal is the oracle of the tests, and answers where hulls overlap.
"""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.compiled import compiler

_compile = compiler(nogil=True, error_model="numpy")

_ITERATIONS = 50
#: Relative gap between the distance and its lower bound that is exact enough, and the square of a distance that is none [m²].
_EXACT, _TOUCHING = 1e-9, 1e-16


@_compile
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_compile
def _farthest(points, x, y, z):
    """Index of the point that lies farthest in a direction."""
    best, index = -np.inf, 0
    for i in range(len(points)):
        along = points[i, 0] * x + points[i, 1] * y + points[i, 2] * z
        if along > best:
            best, index = along, i
    return index


@_compile
def _on_segment(a, b, weights):
    """Weights of the point of a segment that is nearest to the origin."""
    length = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2
    t = min(max((_dot(a, a) - _dot(a, b)) / length, 0.0), 1.0) if length > 0.0 else 0.0
    weights[0], weights[1] = 1.0 - t, t


@_compile
def _on_triangle(a, b, c, weights):
    """Weights of the point of a triangle that is nearest to the origin."""
    aa, bb, cc, ab, ac, bc = _dot(a, a), _dot(b, b), _dot(c, c), _dot(a, b), _dot(a, c), _dot(b, c)
    d1, d2, d3, d4, d5, d6 = aa - ab, aa - ac, ab - bb, ab - bc, ac - bc, ac - cc
    weights[:3] = 0.0
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        weights[0] = 1.0
    elif d3 >= 0.0 and d4 <= d3:
        weights[1] = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        weights[2] = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        weights[1] = d1 / (d1 - d3)
        weights[0] = 1.0 - weights[1]
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        weights[2] = d2 / (d2 - d6)
        weights[0] = 1.0 - weights[2]
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        weights[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        weights[1] = 1.0 - weights[2]
    else:
        weights[1], weights[2] = vb / (va + vb + vc), vc / (va + vb + vc)
        weights[0] = 1.0 - weights[1] - weights[2]


@_compile
def _beyond(a, b, c, d):
    """Whether the origin and d are on different sides of the plane of a, b, c."""
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(nx * a[0] + ny * a[1] + nz * a[2])
    other = nx * (d[0] - a[0]) + ny * (d[1] - a[1]) + nz * (d[2] - a[2])
    return origin * other <= 0.0


@_compile
def _reduce(W, of_a, of_b, count, weights, v, scratch):
    """Keep the corners that hold the point nearest to the origin, and fill v with it; how many are left, 4 when the origin is inside."""
    if count == 1:
        weights[0] = 1.0
    elif count == 2:
        _on_segment(W[0], W[1], weights)
    elif count == 3:
        _on_triangle(W[0], W[1], W[2], weights)
    else:
        best = np.inf
        for leave in range(4):
            i, j, k = (1 if leave == 0 else 0), (2 if leave <= 1 else 1), (3 if leave <= 2 else 2)
            if not _beyond(W[i], W[j], W[k], W[leave]):
                continue
            _on_triangle(W[i], W[j], W[k], scratch)
            x, y, z = (
                scratch[0] * W[i, 0] + scratch[1] * W[j, 0] + scratch[2] * W[k, 0],
                scratch[0] * W[i, 1] + scratch[1] * W[j, 1] + scratch[2] * W[k, 1],
                scratch[0] * W[i, 2] + scratch[1] * W[j, 2] + scratch[2] * W[k, 2],
            )
            square = x * x + y * y + z * z
            if square < best:
                best = square
                weights[leave] = 0.0
                weights[i], weights[j], weights[k] = scratch[0], scratch[1], scratch[2]
        if best == np.inf:
            return 4
    left = 0
    v[:] = 0.0
    for i in range(count):
        if weights[i] > 0.0:
            for r in range(3):
                W[left, r] = W[i, r]
                v[r] += weights[i] * W[i, r]
            of_a[left], of_b[left], weights[left] = of_a[i], of_b[i], weights[i]
            left += 1
    return left


@_compile
def _distance(A, B, own, other, W, of_a, of_b, weights, v, scratch):
    """Distance between the hulls of points A and B (k, 3), nan where they overlap; fills their nearest points."""
    v[:] = A[0] - B[0]
    count, bound = 0, 0.0
    for _ in range(_ITERATIONS):
        square = _dot(v, v)
        if square <= _TOUCHING:
            return np.nan
        i, j = _farthest(A, -v[0], -v[1], -v[2]), _farthest(B, v[0], v[1], v[2])
        along = v[0] * (A[i, 0] - B[j, 0]) + v[1] * (A[i, 1] - B[j, 1]) + v[2] * (A[i, 2] - B[j, 2])
        bound = max(bound, along / np.sqrt(square))
        if count > 0 and square - along <= _EXACT * square:
            break
        for k in range(count):
            if of_a[k] == i and of_b[k] == j:
                along = square
        if count > 0 and along == square:  # no new corner: rounding
            break
        for r in range(3):
            W[count, r] = A[i, r] - B[j, r]
        of_a[count], of_b[count] = i, j
        count = _reduce(W, of_a, of_b, count + 1, weights, v, scratch)
        if count == 4:
            return np.nan
    own[:] = 0.0
    other[:] = 0.0
    for k in range(count):
        for r in range(3):
            own[r] += weights[k] * A[of_a[k], r]
            other[r] += weights[k] * B[of_b[k], r]
    return bound


@_compile
def _transform(pose, points, out):
    for i in range(len(points)):
        for r in range(3):
            out[i, r] = pose[r, 0] * points[i, 0] + pose[r, 1] * points[i, 1] + pose[r, 2] * points[i, 2] + pose[r, 3]


@_compile
def hull_distances(poses, corners, starts, radii, bodies, first, second, planes, rows, gaps, distances, own, other):
    """Fill distances (k,) and nearest corners (k, 3) of gap gaps[i] at position rows[i]; nan where hulls overlap without their radii."""
    W, weights, v, scratch = np.empty((4, 3)), np.empty(4), np.empty(3), np.empty(3)
    of_a, of_b = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int64)
    A, B = np.empty_like(corners), np.empty_like(corners)
    base = poses.shape[1] - 1
    for n in range(len(rows)):
        k = gaps[n]
        a, b = first[k], second[k]
        size = starts[a + 1] - starts[a]
        _transform(poses[rows[n], bodies[a] if bodies[a] >= 0 else base], corners[starts[a] : starts[a + 1]], A)
        if b < 0:
            i = _farthest(A[:size], -planes[k, 0], -planes[k, 1], -planes[k, 2])
            own[n] = A[i]
            other[n] = A[i]
            distances[n] = _dot(planes[k], A[i]) - planes[k, 3] - radii[a]
            continue
        many = starts[b + 1] - starts[b]
        _transform(poses[rows[n], bodies[b] if bodies[b] >= 0 else base], corners[starts[b] : starts[b + 1]], B)
        distance = _distance(A[:size], B[:many], own[n], other[n], W, of_a, of_b, weights, v, scratch)
        distances[n] = distance - radii[a] - radii[b]
