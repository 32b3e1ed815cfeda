"""Positions where the robot may stand still: what every trajectory can shrink to, and the proof that limits are not impossible."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.excitation.limits.collision import CollisionModel
from dynident.excitation.limits.limits import LimitError, Limits
from dynident.excitation.limits.margins import LimitMargin, standing_margins
from dynident.robots.robot import Robot

#: Positions that are tried, and that are enough.
_TRIED, _WANTED = 512, 32
#: Positions keep this share of their range from its ends, so that there is room to move.
_INNER = 0.15


def standing_positions(
    robot: Robot,
    limits: Limits,
    collision: CollisionModel | None,
    rng: np.random.Generator,
    start: Array | None,
) -> Array:
    """(k, n) positions at which standing still keeps every limit; the prescribed start alone when there is one.

    LimitError names the limit that excludes the start, or most of what was tried.
    """
    qmc: Any = import_module("scipy.stats").qmc  # imported here: `import dynident` stays light

    low, high = position_range(limits)
    inner = _INNER * (high - low)
    tried = qmc.scale(qmc.Halton(robot.n, rng=rng).random(_TRIED), low + inner, high - inner) if start is None else start[None]
    found: list[Array] = []
    blocked: Counter[str] = Counter()
    worst: dict[str, LimitMargin] = {}
    for q in tried:
        margins = standing_margins(robot, limits, q, collision)
        broken = [m for m in margins if m.margin < (2e-5 if np.isnan(m.share) else 0.0)]
        if not broken:
            found.append(q)
        for margin in broken:
            blocked[margin.name] += 1
            worst[margin.name] = max(margin, worst.get(margin.name, margin), key=lambda m: m.margin)
        if len(found) == _WANTED:
            break
    if not found:
        name, _ = blocked.most_common(1)[0]
        raise _impossible(worst[name], start is not None)
    return np.array(found)


def position_range(limits: Limits) -> tuple[Array, Array]:
    """(n,) lowest and highest positions; one turn for joints without limits."""
    return np.clip(limits.position[:, 0], -np.pi * 2, None), np.clip(limits.position[:, 1], None, np.pi * 2)


def _impossible(margin: LimitMargin, at_start: bool) -> LimitError:
    where = f"{margin.name} limit at {margin.where}" if margin.where else f"{margin.name} limit"
    missing = f"by {-margin.margin:.3g} {margin.unit}"
    if at_start:
        return LimitError(where, f"is broken {missing} when the robot stands still at the start; move the start or loosen the limit")
    return LimitError(where, f"is broken {missing} or more wherever the robot stands still; loosen it")
