"""The readable form of gap_kernels, in NumPy: the same functions, by other formulas where there are some."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray


def place(tree: IntArray, constants: Array, q: Array, bodies: IntArray, ends: Array, poses: Array, screws: Array, segments: Array) -> None:
    """Fill poses (N, n + 1, 3, 4), the base last; screws (N, n, 6), angular and linear at the base's origin; segments (N, S, 2, 3)."""
    poses[:, -1] = np.eye(4)[:3]
    for i, k in enumerate(constants):
        terms = k[:12] + np.cos(q[:, i, None]) * k[12:24] + np.sin(q[:, i, None]) * k[24:36]
        local = np.concatenate([terms[:, :9].reshape(-1, 3, 3), (terms[:, 9:] + q[:, i, None] * k[36:39])[:, :, None]], axis=2)
        parent = poses[:, tree[i]]
        poses[:, i] = parent[:, :, :3] @ local
        poses[:, i, :, 3] += parent[:, :, 3]
        w, v = poses[:, i, :, :3] @ k[39:42], poses[:, i, :, :3] @ k[42:45]
        screws[:, i, :3], screws[:, i, 3:] = w, v - np.cross(w, poses[:, i, :, 3])
    of_solids = poses[:, bodies]
    segments[...] = np.einsum("Nsij,sej->Nsei", of_solids[..., :3], ends) + of_solids[:, :, None, :, 3]


def gap_distances(segments: Array, radii: Array, first: IntArray, second: IntArray, planes: Array, enough: Array, out: Array) -> None:
    """Fill out (N, K) with the distances of every gap. enough : of no use here."""
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        if b < 0:
            out[:, k] = (segments[:, a] @ planes[k, :3]).min(axis=1) - planes[k, 3] - radii[a]
        else:
            near, far = nearest_points(segments[:, a], segments[:, b])
            out[:, k] = np.linalg.norm(far - near, axis=1) - radii[a] - radii[b]


def some_distances(
    segments: Array, radii: Array, first: IntArray, second: IntArray, planes: Array, rows: IntArray, gaps: IntArray, out: Array
) -> None:
    """Fill out (k,) with the distance of gap gaps[i] at position rows[i]."""
    every = np.empty((len(segments), len(first)))
    gap_distances(segments, radii, first, second, planes, np.full(len(first), np.inf), every)
    out[:] = every[rows, gaps]


def nearest_points(A: Array, B: Array) -> tuple[Array, Array]:
    """(N, 3) the nearest points of segments A and B (N, 2, 3).

    The squared distance is convex in the places (s, t) along both, so its least value over the unit square is where its gradient is zero,
    if that is inside, or else on one of the four edges, which are points against segments.
    """
    u, v, r = A[:, 1] - A[:, 0], B[:, 1] - B[:, 0], A[:, 0] - B[:, 0]
    a, b, e = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
    c, f = (u * r).sum(1), (v * r).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        candidates = [((b * f - c * e) / (a * e - b * b), (a * f - b * c) / (a * e - b * b))]
        candidates += [(np.full_like(a, s), (b * s + f) / e) for s in (0.0, 1.0)]
        candidates += [((b * t - c) / a, np.full_like(a, t)) for t in (0.0, 1.0)]
    inside = [np.isfinite(s) & np.isfinite(t) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0) for s, t in candidates[:1]]
    S = np.array([np.clip(np.nan_to_num(s, posinf=0.0, neginf=0.0), 0.0, 1.0) for s, _ in candidates])
    T = np.array([np.clip(np.nan_to_num(t, posinf=0.0, neginf=0.0), 0.0, 1.0) for _, t in candidates])
    between = r + S[..., None] * u - T[..., None] * v
    distance = (between**2).sum(axis=2)
    distance[0][~inside[0]] = np.inf
    best = distance.argmin(axis=0), np.arange(len(A))
    return A[:, 0] + S[best][:, None] * u, B[:, 0] + T[best][:, None] * v


def gap_gradients(
    segments: Array,
    screws: Array,
    first: IntArray,
    second: IntArray,
    planes: Array,
    moved: BoolArray,
    rows: IntArray,
    gaps: IntArray,
    out: Array,
) -> None:
    """Fill out (k, n) with the derivatives of gap gaps[i] at position rows[i]: the speeds of the nearest points along their line."""
    A, b, normal = segments[rows, first[gaps]], second[gaps], planes[gaps, :3]
    point, other = nearest_points(A, segments[rows, b])
    low = np.einsum("kei,ki->ke", A, normal).argmin(axis=1)
    is_plane = (b < 0)[:, None]
    point = np.where(is_plane, A[np.arange(len(A)), low], point)
    apart = point - other
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    normal = np.where(is_plane, normal, apart / np.where(length > 0.0, length, 1.0))
    out[:] = point_speeds(screws[rows], point, normal, moved[first[gaps]])
    out -= point_speeds(screws[rows], other, normal, moved[b] & ~is_plane)


def point_speeds(screws: Array, points: Array, normals: Array, moved: BoolArray) -> Array:
    """(k, n) speeds of points (k, 3) along directions (k, 3) per unit of each joint's velocity, screws (k, n, 6), if it moves them."""
    speeds = np.cross(screws[..., :3], points[:, None]) + screws[..., 3:]
    return np.where(moved, np.einsum("kji,ki->kj", speeds, normals), 0.0)


def gap_travel(
    segments: Array,
    screws: Array,
    radii: Array,
    first: IntArray,
    second: IntArray,
    paths: IntArray,
    tilts: Array,
    half: Array,
    rows: IntArray,
    gaps: IntArray,
    out: Array,
) -> None:
    """Fill out (k,) with how much gap gaps[i] can change when every joint moves by at most half[rows[i]] (n,) from where it is placed."""
    for i, (s, k) in enumerate(zip(rows, gaps, strict=True)):
        path = paths[k][paths[k] >= 0]
        levers = half[s, path] * tilts[k, path] * _levers(screws[s, path], segments[s, first[k]], float(radii[first[k]]))
        if second[k] < 0:
            out[i] = levers.sum()
            continue
        other = half[s, path] * _levers(screws[s, path], segments[s, second[k]], float(radii[second[k]]))
        out[i] = min(levers[:cut].sum() + other[cut:].sum() for cut in range(len(path) + 1))


def _levers(screws: Array, segment: Array, radius: float) -> Array:
    """(j,) largest speed of a point of a capsule per unit of each joint's velocity."""
    w, v = screws[:, None, :3], screws[:, None, 3:]
    speeds = np.linalg.norm(np.cross(w, segment) + v, axis=2).max(axis=1)
    return np.asarray(speeds + radius * np.linalg.norm(screws[:, :3], axis=1), dtype=float)
