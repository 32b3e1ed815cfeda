"""Where a robot stands before and after its motions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits, require_usable
from dynident.motions.limits.margins import position_range, standing_margins
from dynident.motions.limits.standing import RefusedPositions
from dynident.motions.moves.moves import holds
from dynident.robots.robot import Robot

#: Positions that are tried where neither a described home nor the middle of the ranges will do.
_TRIED = 512


class HomeSource(StrEnum):
    """Where a home position came from."""

    GIVEN = "as it was asked for"
    DESCRIBED = "the home of the robot's description"
    MIDDLE = "the middle of the joint ranges"
    NEAREST = "the position nearest to the middle of the joint ranges that keeps all limits"
    MOTION = "where the motion gets under way, because no other position was found from which it can be reached"


@dataclass(frozen=True, kw_only=True, eq=False)
class Home:
    """q : (n,) where the robot stands [rad | m]; source : why there."""

    q: Array
    source: HomeSource

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{self.source}: {', '.join(f'{value:.4g}' for value in self.q)}"


def find_home(robot: Robot, limits: Limits, collision: CollisionModel | None, given: ArrayLike | None = None) -> Home:
    """The given position, that of the description, or the nearest one to the middle of the ranges at which the robot may stand.

    LimitError names the limit that a given position breaks, or that leaves no position at all.
    """
    require_usable(robot, limits, given)
    if given is not None:
        q = np.asarray(given, dtype=float)
        broken = next((margin for margin in standing_margins(robot, limits, q, collision) if not holds(margin)), None)
        if broken is not None:
            message = f"is broken by {-broken.margin:.3g} {broken.unit} where the robot is to stand; give another position"
            raise LimitError(broken.title, message)
        return Home(q=q, source=HomeSource.GIVEN)
    refused = RefusedPositions()
    for home in _candidates(robot, limits):
        margins = standing_margins(robot, limits, home.q, collision)
        broken_here = [margin for margin in margins if not holds(margin)]
        if not broken_here:
            return home
        refused.add(margins, broken_here)
    raise refused.error(limits.torque_bound(robot))


def may_stand(robot: Robot, limits: Limits, collision: CollisionModel | None, q: Array) -> bool:
    """Whether standing still at q (n,) keeps every limit."""
    return all(map(holds, standing_margins(robot, limits, q, collision)))


def _candidates(robot: Robot, limits: Limits) -> Iterator[Home]:
    if robot.home is not None:
        yield Home(q=robot.home, source=HomeSource.DESCRIBED)
    low, high = position_range(limits)
    middle = (low + high) / 2.0
    yield Home(q=middle, source=HomeSource.MIDDLE)
    qmc: Any = import_module("scipy.stats").qmc  # imported here: `import dynident` stays light
    unit = np.asarray(qmc.Halton(robot.n, scramble=False).random(_TRIED), dtype=float) - 0.5
    for place in unit[np.argsort(np.linalg.norm(unit, axis=1), kind="stable")]:
        yield Home(q=middle + place * (high - low), source=HomeSource.NEAREST)
