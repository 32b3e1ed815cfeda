"""Ways around what bars the straight one: two trees grow from both ends towards each other (RRT-Connect; Kuffner and LaValle, ICRA 2000).

Points that are not needed are taken out again, for a robot stands at each of them. The same ends give the same way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynident.core.arrays import Array

#: Farthest that a tree grows at once, as a share of the joints' ranges.
_STRIDE = 0.3


def find_detour(
    start: Array, end: Array, *, low: Array, high: Array, is_free: Callable[[Array, Array], bool], tries: int
) -> list[Array] | None:
    """Positions (n,) from start to end between which the straight ways are free; None where so many tries find none.

    low, high : (n,) the joints' ranges. is_free : whether the straight way from one position to another is, in this direction.
    """
    rng = np.random.default_rng(0)
    scale = np.where(high > low, high - low, 1.0)
    trees = [_Tree(start, scale), _Tree(end, scale)]
    for attempt in range(tries):
        tree, other = trees if attempt % 2 == 0 else trees[::-1]
        spread = 0.2 + 0.8 * (attempt + 1) / tries  # near the middle of both ends first
        target = np.clip((start + end) / 2.0 + spread * scale * rng.uniform(-1.0, 1.0, len(start)), low, high)
        near = tree.nearest(target)
        new = tree.towards(near, target)
        onwards = tree is trees[0]  # ways are looked at in the direction in which they are driven, for torques depend on it
        if not (is_free(tree.points[near], new) if onwards else is_free(new, tree.points[near])):
            continue
        tree.add(new, near)
        place, meeting = len(tree.points) - 1, other.nearest(new)
        if is_free(new, other.points[meeting]) if onwards else is_free(other.points[meeting], new):
            first, second = (place, meeting) if onwards else (meeting, place)
            return _shorten([*trees[0].path(first), *trees[1].path(second)[::-1]], is_free)
    return None


class _Tree:
    """Positions that can be reached from the first, each with the one that it is reached from."""

    def __init__(self, root: Array, scale: Array) -> None:
        self.points, self._parents, self._scale = [root], [0], scale

    def nearest(self, target: Array) -> int:
        return int(np.argmin(np.linalg.norm((np.array(self.points) - target) / self._scale, axis=1)))

    def towards(self, near: int, target: Array) -> Array:
        step = target - self.points[near]
        return self.points[near] + step * min(1.0, _STRIDE / max(float(np.abs(step / self._scale).max()), 1e-12))

    def add(self, point: Array, parent: int) -> None:
        self.points.append(point)
        self._parents.append(parent)

    def path(self, place: int) -> list[Array]:
        """From the first position to this one."""
        points = [self.points[place]]
        while place != 0:
            place = self._parents[place]
            points.append(self.points[place])
        return points[::-1]


def _shorten(path: list[Array], is_free: Callable[[Array, Array], bool]) -> list[Array]:
    """From each position straight to the last one to which that is free."""
    kept, here = [path[0]], 0
    while here < len(path) - 1:
        here = next(k for k in range(len(path) - 1, here, -1) if k == here + 1 or is_free(path[here], path[k]))
        kept.append(path[here])
    return kept
