"""A motion that is proposed for a robot, before it is planned from rest to rest, and what a kind of motion is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dynident.core.arrays import Array
from dynident.data.dataset import Dataset
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import LimitMargin, iterate_margins
from dynident.motions.limits.standing import standing_positions
from dynident.motions.moves.moves import holds, plan_move
from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory
from dynident.robots.robot import Robot

#: Share of a limit that a chosen motion leaves for what peaks between the samples.
_RESERVE = 1e-3


@runtime_checkable
class Stretchable(Trajectory, Protocol):
    """A trajectory whose path can be driven in another time."""

    def stretch(self, duration: float) -> Stretchable:
        """The same path in `duration` [s]."""
        ...


class ProposedMotion(NamedTuple):
    """A motion, what it is in a few words, and what a reader should know of how it was chosen."""

    trajectory: Stretchable
    description: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MotionKind:
    """A motion that can be asked for by its name.

    about : str      What it is, for help.
    propose : of a robot, its `limits`, where it stands (`home`, (n,)) and further keywords to a ProposedMotion.
    read : a file with its parameters, the robot, and what reads samples of a motion from a file, to keywords of `propose`.
    takes : tuple of str   Further keywords that it has, beside those of its file: "duration", "start".
    """

    name: str
    about: str
    propose: Callable[..., ProposedMotion]
    read: Callable[[Path, Robot, Callable[[Path], Dataset]], dict[str, Any]]
    takes: tuple[str, ...] = ()


def inner_limits(limits: Limits) -> Limits:
    """Those that a motion is chosen for: a little less of velocity, acceleration, torque and jerk, so that it need not be slowed down."""
    share = 1.0 - _RESERVE
    names = ("velocity", "acceleration", "effort", "jerk")
    return replace(limits, **{name: share * getattr(limits, name) for name in names})


def path_limits(limits: Limits) -> Limits:
    """Those that a path keeps or breaks at any pace: positions and distances, and torques at rest."""
    free = np.full_like(limits.velocity, np.inf)
    return replace(limits, velocity=free, acceleration=free, jerk=free)


def broken_on_path(
    robot: Robot, limits: Limits, time: Array, motion: SampledMotion, collision: CollisionModel | None
) -> LimitMargin | None:
    """The first limit that the path of a motion breaks however slowly it is driven; None where it keeps them."""
    still = np.zeros_like(motion.q)
    margins = iterate_margins(robot, path_limits(limits), time, SampledMotion(motion.q, still, still), collision, enough=0.0)
    return next((margin for margin in margins if not holds(margin)), None)


def tried_centres(robot: Robot, limits: Limits, collision: CollisionModel | None, home: Array, most: int) -> Array:
    """(k, n) positions to move about: home, then the nearest others that a straight move from there reaches, the same each time."""
    try:
        others = standing_positions(robot, limits, collision, np.random.default_rng(0), None)
    except LimitError:
        return home[None]
    centres = [home]
    for centre in others[np.argsort(np.abs(others - home).max(axis=1), kind="stable")]:
        try:
            plan_move(robot, home, centre, limits=limits, collision=collision, detours=False)
        except LimitError:
            continue
        centres.append(centre)
        if len(centres) == most:
            break
    return np.array(centres)
