"""The least distances along a whole motion, between its samples too, as bounds that are proven.

Between two samples a motion is the cubic through their positions and velocities (what a robot's interpolator makes of them, and at a
thousand samples per second the same as a smooth motion to 1e-9 rad). It stays between its Bézier points, so no joint is farther from the
middle than they are, which is about its speed times half the interval; `Gaps.lipschitz` says how much a distance can change by that.
Where this is not enough the interval is cut in halves (de Casteljau), until the bound is near a distance that the motion has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.motions.limits.gaps import Gaps

#: How far below the least margin the bound may lie [m], and as a share of a margin that is large.
TOLERANCE, SHARE = 2e-4, 0.02
#: Intervals are first looked at together for about this long [s]: links at 2 m/s then travel 2 cm, as much as they keep from each other.
_BLOCK = 0.02
#: Halvings after which a bound is taken as it is.
_DEPTH = 30


class LeastMargin(NamedTuple):
    """Of one limit: a lower bound of the margin along the whole motion [m], and the gap and time [s] where it is least."""

    limit: str
    margin: float
    gap: int
    time: float


def least_margins(gaps: Gaps, time: Array, q: Array, dq: Array, *, enough: float = np.inf) -> list[LeastMargin]:
    """The least margin of every limit along the motion through samples q, dq (N, n) at `time` (N,).

    Exact to TOLERANCE, or SHARE where that is more, and never above the true one; of hulls, coal's own tolerance of 1e-6 m comes on top.
    enough : margins above it need not be known more exactly; once one below it is found, the others need not be known either.
    """
    if len(gaps) == 0:
        return []
    if len(q) == 1:
        search = _Search(gaps, enough, np.zeros((len(gaps), gaps.model.robot.n)))
        search.look(q, np.zeros_like(q), time)
        return search.least()
    step = np.diff(time)[:, None]
    curve = np.stack([q[:-1], q[:-1] + step / 3.0 * dq[:-1], q[1:] - step / 3.0 * dq[1:], q[1:]], axis=1)
    search = _Search(gaps, enough, gaps.lipschitz(np.abs(curve).max(axis=(0, 1))))
    count = max(1, round(_BLOCK / float(np.median(step))))
    starts = np.arange(0, len(curve), count)
    middles = np.minimum(starts + (count + 1) // 2, len(curve))
    low, high = (reduce.reduceat(part, starts, axis=0) for reduce, part in ((np.minimum, curve.min(1)), (np.maximum, curve.max(1))))
    open_blocks = search.look(q[middles], np.maximum(q[middles] - low, high - q[middles]), time[middles])
    inside = (starts[open_blocks][:, None] + np.arange(count)).ravel()
    pieces = inside[inside < len(curve)]
    search.halve(curve[pieces], time[pieces], time[pieces + 1])
    return search.least()


class _Search:
    """Branch and bound: what is known of every limit so far. lipschitz : (K, n) that of the gaps."""

    def __init__(self, gaps: Gaps, enough: float, lipschitz: Array) -> None:
        self._gaps, self._enough, self._lipschitz = gaps, enough, lipschitz
        groups = len(gaps.names)
        self._least, self._bound = np.full(groups, np.inf), np.full(groups, np.inf)
        self._where, self._when = np.zeros(groups, dtype=np.int64), np.zeros(groups)

    def least(self) -> list[LeastMargin]:
        bounds = np.minimum(self._bound, self._least).tolist()
        rows = zip(self._gaps.names, bounds, self._where.tolist(), self._when.tolist(), strict=True)
        return [LeastMargin(*row) for row in rows]

    def look(self, q: Array, half: Array, time: Array, *, last: bool = False) -> IntArray:
        """Look at pieces of the motion: positions on it (m, n), how far its joints go from there (m, n), and the time (m,) [s].

        Returns those that have to be looked at more closely, unless this is the last look.
        """
        travel = half @ self._lipschitz.T
        rows, thresholds = np.arange(len(q)), self._thresholds
        if np.all(thresholds < np.inf):
            rows = self._gaps.rows_below(q, thresholds[self._gaps.group] + travel.max(axis=0))
            if len(rows) < len(q):
                self._bound = np.minimum(self._bound, thresholds)
        margins = self._gaps.margins(q[rows])
        lower = margins - travel[rows]
        is_open = np.zeros(len(rows), dtype=np.bool_)
        for g in range(len(self._least)):
            mine = np.flatnonzero(self._gaps.group == g)
            self._note(g, mine, margins[:, mine], time[rows])
            is_open |= np.any(lower[:, mine] < self._thresholds[g], axis=1)
        is_open &= not (last or (self._enough < np.inf and bool(np.any(self._least < self._enough))))
        for g in range(len(self._least)):
            closed = lower[~is_open][:, self._gaps.group == g]
            self._bound[g] = min(self._bound[g], closed.min(initial=np.inf))
        return rows[is_open]

    def halve(self, curve: Array, start: Array, end: Array) -> None:
        """Look at pieces with Bézier points (m, 4, n), and at their halves as long as that is needed."""
        for depth in range(_DEPTH):
            if len(curve) == 0:
                return
            middle = (curve[:, 0] + 3.0 * curve[:, 1] + 3.0 * curve[:, 2] + curve[:, 3]) / 8.0
            half, middles = np.abs(curve - middle[:, None]).max(axis=1), 0.5 * (start + end)
            kept = self.look(middle, half, middles, last=depth == _DEPTH - 1)
            curve = np.concatenate(_split(curve[kept]))
            start, end = np.concatenate([start[kept], middles[kept]]), np.concatenate([middles[kept], end[kept]])

    @property
    def _thresholds(self) -> Array:
        """(G,) bounds of margins that need not be higher."""
        seen = np.minimum(self._least, np.finfo(float).max)  # infinite before the first look
        near_enough = np.where(self._least < np.inf, seen - np.maximum(TOLERANCE, SHARE * np.abs(seen)), np.inf)
        return np.minimum(self._enough, near_enough)

    def _note(self, group: int, gaps: IntArray, margins: Array, time: Array) -> None:
        """Margins (m, k) that the motion has at (m,)."""
        if margins.size and margins.min() < self._least[group]:
            row, gap = np.unravel_index(int(margins.argmin()), margins.shape)
            self._least[group], self._where[group], self._when[group] = margins[row, gap], gaps[gap], time[row]


def _split(curve: Array) -> tuple[Array, Array]:
    """The Bézier points of both halves of cubics (m, 4, n)."""
    a, b, c, d = (curve[:, k] for k in range(4))
    ab, bc, cd = (a + b) / 2.0, (b + c) / 2.0, (c + d) / 2.0
    abc, bcd = (ab + bc) / 2.0, (bc + cd) / 2.0
    middle = (abc + bcd) / 2.0
    return np.stack([a, ab, abc, middle], axis=1), np.stack([middle, bcd, cd, d], axis=1)
