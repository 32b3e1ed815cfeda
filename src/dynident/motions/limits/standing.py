"""Where a robot may stand still, and the limit to blame where it may stand nowhere.

A limit that no position keeps, whatever the others ask for, is to blame. Where every limit alone is kept somewhere, it is the one that most
often stands alone against a position that keeps all others.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.texts import listing
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import LENGTH_RESERVE, LimitMargin, position_range, standing_margins
from dynident.motions.limits.torque import TorqueBound
from dynident.robots.robot import Robot

#: Positions that are tried, and that are enough.
_TRIED, _WANTED = 512, 32
#: Positions keep this share of their range from its ends, so that there is room to move.
_INNER = 0.15


def standing_positions(
    robot: Robot, limits: Limits, collision: CollisionModel | None, rng: np.random.Generator, start: Array | None
) -> Array:
    """(k, n) positions at which standing still keeps every limit; the prescribed start alone when there is one.

    LimitError names the limit that excludes the start, or all that was tried.
    """
    qmc: Any = import_module("scipy.stats").qmc  # imported here: `import dynident` stays light

    low, high = position_range(limits)
    inner = _INNER * (high - low)
    tried = qmc.scale(qmc.Halton(robot.n, rng=rng).random(_TRIED), low + inner, high - inner) if start is None else start[None]
    positions: list[Array] = []
    refused = RefusedPositions()
    for q in tried:
        margins = standing_margins(robot, limits, q, collision)
        broken = [m for m in margins if m.margin < (LENGTH_RESERVE if np.isnan(m.share) else 0.0)]
        if broken:
            refused.add(margins, broken)
        else:
            positions.append(q)
        if len(positions) == _WANTED:
            break
    if not positions:
        raise refused.error(limits.torque_bound(robot), at_start=start is not None)
    return np.array(positions)


class RefusedPositions:
    """Positions at which a robot may not stand, with all margins there."""

    def __init__(self) -> None:
        self._rows: list[tuple[dict[str, LimitMargin], frozenset[str]]] = []

    def add(self, margins: list[LimitMargin], broken: list[LimitMargin]) -> None:
        self._rows.append(({margin.name: margin for margin in margins}, frozenset(margin.name for margin in broken)))

    def binding(self) -> tuple[LimitMargin, ...]:
        """The limits to blame, each as in the position that comes nearest to keeping it."""
        never = set(self._rows[0][1]).intersection(*(broken for _, broken in self._rows))
        if never:
            return tuple(self._best(name) for name in self._rows[0][0] if name in never)
        alone = [next(iter(broken)) for _, broken in self._rows if len(broken) == 1]
        counts = Counter(alone or [name for _, broken in self._rows for name in sorted(broken)])
        return (self._best(counts.most_common(1)[0][0], alone=bool(alone)),)

    def _best(self, name: str, *, alone: bool = False) -> LimitMargin:
        """The largest margin of a limit where it is broken; of positions that break no other limit, where `alone`."""
        rows = (margins[name] for margins, broken in self._rows if name in broken and (len(broken) == 1 or not alone))
        return max(rows, key=lambda margin: margin.margin)

    def error(self, torque: TorqueBound | None, *, at_start: bool = False) -> LimitError:
        """The binding limit, and how to loosen it."""
        first, *others = self.binding()
        missing = f"by {-first.margin:.3g} {first.unit}"
        if at_start:
            place = f"{missing} when the robot stands still at the start"
        elif all(first.name in broken for _, broken in self._rows):
            place = (
                f"{missing} or more in each of {len(self._rows)} positions in which the robot could stand, whatever the other limits allow"
            )
        else:
            place = f"{missing} or more in every position that keeps the other limits, of {len(self._rows)} that were tried"
        if others:
            place += f", and so is the {listing([margin.title for margin in others], 4)}"
        also = tuple(margin.title for margin in others)
        if first.name == "effort" and torque is not None:
            return LimitError(first.title, f"is broken {place} ({torque.statement})", remedy=torque.remedy, also=also)
        return LimitError(first.title, f"is broken {place}; {'move the start or loosen the limit' if at_start else 'loosen it'}", also=also)
