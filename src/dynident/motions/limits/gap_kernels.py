"""Compiled: where a robot's solids are, how far they are from each other and from planes, and how far they can travel.

A solid is known here by a capsule that holds it: the points within a radius of a segment. The distance between segments follows Ericson,
Real-Time Collision Detection (2005), section 5.1.9. All compiled code of this room stands in this one file because the cache of compiled
code only notices changes of the file itself. The readable form of everything here is gap_reference.py.
"""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.compiled import compiler

_compile = compiler(nogil=True, error_model="numpy")

#: A segment shorter than this is a point [m²].
_POINT = 1e-18


@_compile
def place(tree, constants, q, bodies, ends, poses, screws, segments):
    """Fill poses (N, n + 1, 3, 4), the base last; screws (N, n, 6), angular and linear at the base's origin; segments (N, S, 2, 3)."""
    N, n = q.shape
    for s in range(N):
        for r in range(3):
            for c in range(4):
                poses[s, n, r, c] = 1.0 if r == c else 0.0
        for i in range(n):
            k, parent = constants[i], tree[i] if tree[i] >= 0 else n
            x, cosine, sine = q[s, i], np.cos(q[s, i]), np.sin(q[s, i])
            P, T = poses[s, parent], poses[s, i]
            for c in range(4):
                a = 9 if c == 3 else c
                step = 1 if c == 3 else 3
                local0 = k[a] + cosine * k[12 + a] + sine * k[24 + a]
                local1 = k[a + step] + cosine * k[12 + a + step] + sine * k[24 + a + step]
                local2 = k[a + 2 * step] + cosine * k[12 + a + 2 * step] + sine * k[24 + a + 2 * step]
                if c == 3:
                    local0, local1, local2 = local0 + x * k[36], local1 + x * k[37], local2 + x * k[38]
                for r in range(3):
                    T[r, c] = P[r, 0] * local0 + P[r, 1] * local1 + P[r, 2] * local2
                    if c == 3:
                        T[r, c] += P[r, 3]
            w, v = screws[s, i, :3], screws[s, i, 3:]
            for r in range(3):
                w[r] = T[r, 0] * k[39] + T[r, 1] * k[40] + T[r, 2] * k[41]
                v[r] = T[r, 0] * k[42] + T[r, 1] * k[43] + T[r, 2] * k[44]
            v[0] -= w[1] * T[2, 3] - w[2] * T[1, 3]
            v[1] -= w[2] * T[0, 3] - w[0] * T[2, 3]
            v[2] -= w[0] * T[1, 3] - w[1] * T[0, 3]
        for i in range(len(bodies)):
            T = poses[s, bodies[i] if bodies[i] >= 0 else n]
            for e in range(2):
                for r in range(3):
                    segments[s, i, e, r] = (
                        T[r, 0] * ends[i, e, 0] + T[r, 1] * ends[i, e, 1] + T[r, 2] * ends[i, e, 2] + T[r, 3]
                    )  # fmt: skip


@_compile
def _clip(x):
    return min(max(x, 0.0), 1.0)


@_compile
def _nearest(A, B):
    """Places (0 to 1) of the nearest points along two segments (2, 3)."""
    ux, uy, uz = A[1, 0] - A[0, 0], A[1, 1] - A[0, 1], A[1, 2] - A[0, 2]
    vx, vy, vz = B[1, 0] - B[0, 0], B[1, 1] - B[0, 1], B[1, 2] - B[0, 2]
    rx, ry, rz = A[0, 0] - B[0, 0], A[0, 1] - B[0, 1], A[0, 2] - B[0, 2]
    a, e = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    f = vx * rx + vy * ry + vz * rz
    c = ux * rx + uy * ry + uz * rz
    s = t = 0.0
    if a <= _POINT and e <= _POINT:
        pass
    elif a <= _POINT:
        t = _clip(f / e)
    elif e <= _POINT:
        s = _clip(-c / a)
    else:
        b = ux * vx + uy * vy + uz * vz
        denominator = a * e - b * b
        if denominator > 1e-12 * a * e:
            s = _clip((b * f - c * e) / denominator)
        t = (b * s + f) / e
        if t < 0.0:
            t = 0.0
            s = _clip(-c / a)
        elif t > 1.0:
            t = 1.0
            s = _clip((b - c) / a)
    return s, t


@_compile
def _between(A, s, B, t, r):
    """Coordinate r of the way from a place on one segment to one on the other."""
    return B[0, r] + t * (B[1, r] - B[0, r]) - A[0, r] - s * (A[1, r] - A[0, r])


@_compile
def _between_segments(A, B):
    """Least distance between two segments (2, 3)."""
    s, t = _nearest(A, B)
    x, y, z = _between(A, s, B, t, 0), _between(A, s, B, t, 1), _between(A, s, B, t, 2)
    return np.sqrt(x * x + y * y + z * z)


@_compile
def _above_plane(A, plane):
    """Least height of a segment (2, 3) over a plane: normal (3,) and offset."""
    height = np.inf
    for e in range(len(A)):
        height = min(height, plane[0] * A[e, 0] + plane[1] * A[e, 1] + plane[2] * A[e, 2])
    return height - plane[3]


@_compile
def _distance(segments, radii, a, b, plane):
    if b < 0:
        return _above_plane(segments[a], plane) - radii[a]
    return _between_segments(segments[a], segments[b]) - radii[a] - radii[b]


@_compile
def gap_distances(segments, radii, first, second, planes, enough, out):
    """Fill out (N, K) with the distances of every gap; a lower bound above enough (K,), from balls around the capsules, will do."""
    S = segments.shape[1]
    middles, reach = np.empty((S, 3)), np.empty(S)
    for s in range(len(segments)):
        for i in range(S):
            A, length = segments[s, i], 0.0
            for r in range(3):
                middles[i, r] = 0.5 * (A[0, r] + A[1, r])
                length += (A[1, r] - A[0, r]) ** 2
            reach[i] = radii[i] + 0.5 * np.sqrt(length)
        for k in range(len(first)):
            a, b = first[k], second[k]
            if b >= 0:
                far = enough[k] + reach[a] + reach[b]
                x, y, z = middles[a, 0] - middles[b, 0], middles[a, 1] - middles[b, 1], middles[a, 2] - middles[b, 2]
                square = x * x + y * y + z * z
                if far >= 0.0 and square > far * far:
                    out[s, k] = np.sqrt(square) - reach[a] - reach[b]
                    continue
            out[s, k] = _distance(segments[s], radii, a, b, planes[k])


@_compile
def some_distances(segments, radii, first, second, planes, rows, gaps, out):
    """Fill out (k,) with the distance of gap gaps[i] at position rows[i]."""
    for i in range(len(rows)):
        k = gaps[i]
        out[i] = _distance(segments[rows[i]], radii, first[k], second[k], planes[k])


@_compile
def _speed(screw, x, y, z, normal):
    """Speed of a point along a direction per unit of a joint's velocity."""
    w, v = screw[:3], screw[3:]
    return (
        normal[0] * (w[1] * z - w[2] * y + v[0]) + normal[1] * (w[2] * x - w[0] * z + v[1]) + normal[2] * (w[0] * y - w[1] * x + v[2])
    )  # fmt: skip


@_compile
def gap_gradients(segments, screws, first, second, planes, moved, rows, gaps, out):
    """Fill out (k, n) with the derivatives of gap gaps[i] at position rows[i]: the speeds of the nearest points along their line."""
    normal = np.empty(3)
    for i in range(len(rows)):
        k = gaps[i]
        a, b, S = first[k], second[k], segments[rows[i]]
        A = S[a]
        out[i] = 0.0
        s = t = 0.0
        if b < 0:
            normal[:] = planes[k, :3]
            s = 0.0 if _above_plane(A[:1], planes[k]) <= _above_plane(A[1:], planes[k]) else 1.0
        else:
            s, t = _nearest(A, S[b])
            for r in range(3):
                normal[r] = -_between(A, s, S[b], t, r)
            length = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
            if length == 0.0:
                continue
            normal /= length
        x, y, z = A[0, 0] + s * (A[1, 0] - A[0, 0]), A[0, 1] + s * (A[1, 1] - A[0, 1]), A[0, 2] + s * (A[1, 2] - A[0, 2])
        for j in range(out.shape[1]):
            if moved[a, j] and (b < 0 or not moved[b, j]):
                out[i, j] = _speed(screws[rows[i], j], x, y, z, normal)
            elif b >= 0 and moved[b, j] and not moved[a, j]:  # what moves both changes nothing
                B = S[b]
                u, v, w = B[0, 0] + t * (B[1, 0] - B[0, 0]), B[0, 1] + t * (B[1, 1] - B[0, 1]), B[0, 2] + t * (B[1, 2] - B[0, 2])
                out[i, j] = -_speed(screws[rows[i], j], u, v, w, normal)


@_compile
def _lever(screw, A, radius):
    """Largest speed of a point of a capsule per unit of a joint's velocity."""
    w, v = screw[:3], screw[3:]
    largest = 0.0
    for e in range(2):
        x = w[1] * A[e, 2] - w[2] * A[e, 1] + v[0]
        y = w[2] * A[e, 0] - w[0] * A[e, 2] + v[1]
        z = w[0] * A[e, 1] - w[1] * A[e, 0] + v[2]
        largest = max(largest, x * x + y * y + z * z)
    return np.sqrt(largest) + radius * np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])


@_compile
def gap_travel(segments, screws, radii, first, second, paths, tilts, half, rows, gaps, out):
    """Fill out (k,) with how much gap gaps[i] can change when every joint moves by at most half[rows[i]] (n,) from where it is placed."""
    for i in range(len(rows)):
        s, k = rows[i], gaps[i]
        a, b, path = first[k], second[k], paths[k]
        total = 0.0
        length = 0
        while length < len(path) and path[length] >= 0:
            total += half[s, path[length]] * tilts[k, path[length]] * _lever(screws[s, path[length]], segments[s, a], radii[a])
            length += 1
        best = total
        if b >= 0:  # joints from the far end on are charged to the other solid, one after another
            for at in range(length - 1, -1, -1):
                j = path[at]
                lever = _lever(screws[s, j], segments[s, a], radii[a])
                other = _lever(screws[s, j], segments[s, b], radii[b])
                total += half[s, j] * (other - lever)
                best = min(best, total)
        out[i] = best
