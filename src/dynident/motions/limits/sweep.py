"""The least distances along a whole motion, between its samples too, as bounds that are proven.

Between two samples a motion is the cubic through their positions and velocities (what a robot's interpolator makes of them, and at a
thousand samples per second the same as a smooth motion to 1e-9 rad). It stays between its Bézier points, so no joint is farther from the
middle than they are; `Gaps.travel` says how much a distance can change by that. Where this is not enough the interval is cut in halves
(de Casteljau), until the bound is near a distance that the motion has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.motions.limits.gaps import Gaps, Placement

#: How far below the least margin the bound may lie [m], and as a share of a margin that is large.
TOLERANCE, SHARE = 2e-4, 0.02
#: Intervals are first looked at together for about this long [s].
_BLOCK = 0.02
#: Halvings after which a bound is taken as it is.
_DEPTH = 30
#: Gaps of solids with corners that are looked at first, to know what is small.
_FIRST = 32


class LeastMargin(NamedTuple):
    """Of one limit: a lower bound of the margin along the whole motion [m], and the gap and time [s] where it is least."""

    limit: str
    margin: float
    gap: int
    time: float


class _Pieces(NamedTuple):
    """Pieces of a motion: positions on it (m, n), how far its joints go from there (m, n), and the time (m,) [s]."""

    q: Array
    half: Array
    time: Array


def least_margins(gaps: Gaps, time: Array, q: Array, dq: Array, *, enough: float = np.inf) -> list[LeastMargin]:
    """The least margin of every limit along the motion through samples q, dq (N, n) at `time` (N,).

    Exact to TOLERANCE, or SHARE where that is more, and never above the true one.
    enough : margins above it need not be known more exactly; once one below it is found, the others need not be known either.
    """
    if len(gaps) == 0:
        return []
    search = _Search(gaps, enough)
    if len(q) == 1:
        search.look(_Pieces(q, np.zeros_like(q), time), *_all_of(1, len(gaps)))
        return search.found()
    step = np.diff(time)[:, None]
    curve = np.stack([q[:-1], q[:-1] + step / 3.0 * dq[:-1], q[1:] - step / 3.0 * dq[1:], q[1:]], axis=1)
    count = max(1, round(_BLOCK / float(np.median(step))))
    starts = np.arange(0, len(curve), count)
    middles = np.minimum(starts + (count + 1) // 2, len(curve))
    low, high = (reduce.reduceat(part, starts, axis=0) for reduce, part in ((np.minimum, curve.min(1)), (np.maximum, curve.max(1))))
    half = np.maximum(q[middles] - low, high - q[middles])
    rows, of = search.look(_Pieces(q[middles], half, time[middles]), *_all_of(len(starts), len(gaps)))
    inside = np.arange(count)[None] + starts[rows][:, None]
    valid = inside < len(curve)
    pieces, rows = np.unique(inside[valid], return_inverse=True)
    search.halve(curve[pieces], time[pieces], time[pieces + 1], rows.ravel(), np.repeat(of, valid.sum(axis=1)))
    return search.found()


def _all_of(rows: int, gaps: int) -> tuple[IntArray, IntArray]:
    return np.repeat(np.arange(rows), gaps), np.tile(np.arange(gaps), rows)


class _Search:
    """Branch and bound: what is known of every limit so far."""

    def __init__(self, gaps: Gaps, enough: float) -> None:
        self._gaps, self._enough = gaps, enough
        groups = len(gaps.names)
        self._least, self._bound = np.full(groups, np.inf), np.full(groups, np.inf)
        self._where, self._when = np.zeros(groups, dtype=np.int64), np.zeros(groups)

    def found(self) -> list[LeastMargin]:
        bounds = np.minimum(self._bound, self._least).tolist()
        rows = zip(self._gaps.names, bounds, self._where.tolist(), self._when.tolist(), strict=True)
        return [LeastMargin(*row) for row in rows]

    def look(self, pieces: _Pieces, rows: IntArray, of: IntArray, *, last: bool = False) -> tuple[IntArray, IntArray]:
        """Look at gaps `of` (k,) in pieces `rows` (k,); those that have to be looked at more closely, unless this is the last look."""
        at = self._gaps.model.place(pieces.q)
        margins = self._gaps.capsule_margins(at, rows, of)
        lower = margins - self._gaps.travel(at, pieces.half, rows, of)
        corners = self._gaps.is_hull[of]
        self._note(pieces, rows[~corners], of[~corners], margins[~corners])
        if corners.any():
            self._look_at_corners(at, pieces, rows, of, margins, lower, np.flatnonzero(corners))
        is_open = (lower < self._threshold(of)) & (not last)
        np.minimum.at(self._bound, self._gaps.group[of[~is_open]], lower[~is_open])
        if np.any(self._least < self._enough) and self._enough < np.inf:
            is_open[:] = False
        return rows[is_open], of[is_open]

    def halve(self, curve: Array, start: Array, end: Array, rows: IntArray, of: IntArray) -> None:
        """Look at pieces with Bézier points (m, 4, n), and at their halves as long as that is needed."""
        for depth in range(_DEPTH):
            if len(rows) == 0:
                return
            middle = (curve[:, 0] + 3.0 * curve[:, 1] + 3.0 * curve[:, 2] + curve[:, 3]) / 8.0
            half = np.abs(curve - middle[:, None]).max(axis=1)
            rows, of = self.look(_Pieces(middle, half, 0.5 * (start + end)), rows, of, last=depth == _DEPTH - 1)
            kept, rows = np.unique(rows, return_inverse=True)
            curve, start, end = curve[kept], start[kept], end[kept]
            left, right = _split(curve)
            middles = 0.5 * (start + end)
            curve, rows, of = np.concatenate([left, right]), np.concatenate([rows, rows + len(kept)]), np.tile(of, 2)
            start, end = np.concatenate([start, middles]), np.concatenate([middles, end])

    def _threshold(self, of: IntArray) -> Array:
        seen = np.minimum(self._least, np.finfo(float).max)  # infinite before the first look
        near_enough = seen - np.maximum(TOLERANCE, SHARE * np.abs(seen))
        return np.minimum(self._enough, near_enough[self._gaps.group[of]])

    def _look_at_corners(
        self, at: Placement, pieces: _Pieces, rows: IntArray, of: IntArray, margins: Array, lower: Array, places: IntArray
    ) -> None:
        """Exact margins for solids with corners where their capsules don't say enough; first of those that look smallest."""
        nearest = places[np.argsort(margins[places], kind="stable")[:_FIRST]]
        for candidates in (nearest, np.setdiff1d(places, nearest)):
            chosen = candidates[lower[candidates] < self._threshold(of[candidates])]
            exact = self._gaps.exact(at, rows[chosen], of[chosen])
            lower[chosen] += exact - margins[chosen]
            margins[chosen] = exact
            self._note(pieces, rows[chosen], of[chosen], exact)

    def _note(self, pieces: _Pieces, rows: IntArray, of: IntArray, margins: Array) -> None:
        """Margins that the motion has."""
        for g in range(len(self._least)):
            mine = np.flatnonzero(self._gaps.group[of] == g)
            if len(mine) and margins[mine].min() < self._least[g]:
                i = mine[margins[mine].argmin()]
                self._least[g], self._where[g], self._when[g] = margins[i], of[i], pieces.time[rows[i]]


def _split(curve: Array) -> tuple[Array, Array]:
    """The Bézier points of both halves of cubics (m, 4, n)."""
    a, b, c, d = (curve[:, k] for k in range(4))
    ab, bc, cd = (a + b) / 2.0, (b + c) / 2.0, (c + d) / 2.0
    abc, bcd = (ab + bc) / 2.0, (bc + cd) / 2.0
    middle = (abc + bcd) / 2.0
    return np.stack([a, ab, abc, middle], axis=1), np.stack([middle, bcd, cd, d], axis=1)
