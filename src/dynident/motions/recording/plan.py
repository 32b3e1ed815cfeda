"""What is going to be driven and recorded, checked and shown before anything moves."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.results import Tabular
from dynident.core.sizes import check_count
from dynident.data.dataset import Dataset
from dynident.errors import InputError, ValueRangeError
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits, require_usable
from dynident.motions.limits.margins import missing_limits, standing_margins
from dynident.motions.moves.moves import MOVE_SPEED, refuse_broken
from dynident.motions.recording.paths import DrivenPath, slow_moves, trajectory_path
from dynident.robots.robot import Robot

#: Farther from a start than this it must be approached first [rad | m]; a motion takes up less by itself.
START_TOLERANCE = 0.01
#: So long the robot stands at a configuration before its controller is asked [s].
SETTLE = 0.5
_MOVE = "move to "


@dataclass(frozen=True, kw_only=True, eq=False)
class Passage:
    """One thing to record.

    start : (n,)          Where it begins.
    path : DrivenPath     The motion that is kept, or None to stand there and ask the controller.
    via : tuple of (n,)   Where the robot comes by from the passage before.
    """

    name: str
    start: Array
    path: DrivenPath | None = None
    via: tuple[Array, ...] = ()

    @property
    def end(self) -> Array:
        """(n,) where the robot stands afterwards."""
        return self.start if self.path is None else self.path.q[-1]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RecordingPlan(Tabular):
    """What will be driven.

    Attributes
    ----------
    robot : Robot
        The robot.
    kind
        What is recorded.
    passages : tuple of Passage
        In order; between them the robot moves slowly.
    standing : (n,) array
        Where the robot stands now.
    move_limits : Limits
        Of the moves between passages, slow.
    rate : float
        Cycles per second of the robot [Hz].
    commanded : str
        SHA-256 of the positions that are commanded.
    notes : tuple of str
        What a user of the plan should know.
    collision : CollisionModel or None
        The robot's solids; None where they are not known.
    """

    robot: Robot
    kind: Literal["trajectory", "configurations"]
    passages: tuple[Passage, ...]
    standing: Array
    move_limits: Limits
    rate: float
    commanded: str
    notes: tuple[str, ...] = ()
    collision: CollisionModel | None = None

    def move(self, start: Array, passage: Passage) -> DrivenPath:
        """The slow move from a position (n,) to where a passage begins; it ends with a while of standing where the controller is asked."""
        hold = SETTLE if passage.path is None else 0.0
        ends = (start, *passage.via, passage.start)
        return slow_moves(self.robot, ends, limits=self.move_limits, rate=self.rate, hold=hold, collision=self.collision)

    def from_standing(self, standing: Array, done: Collection[str] = ()) -> RecordingPlan:
        """What is left when passages of these names are done, from another position (n,)."""
        return replace(self, passages=tuple(passage for passage in self.passages if passage.name not in done), standing=standing)

    @property
    def distance(self) -> str:
        """How far the robot stands from the first start, in words, of the joint that is farthest away."""
        away = np.abs(self.passages[0].start - self.standing)
        joint = self.robot.joints[int(away.argmax())]
        return f"{away.max():.3g} {joint.units.position} of joint {joint.name!r}"

    @property
    def needs_approach(self) -> bool:
        """Whether a trajectory begins elsewhere than where the robot stands; to configurations it moves anyway."""
        return self.kind == "trajectory" and bool(np.abs(self.passages[0].start - self.standing).max() > START_TOLERANCE)

    @staticmethod
    def is_move(name: str) -> bool:
        """Whether a path of this name is a move between passages, which is not recorded."""
        return name.startswith(_MOVE)

    @cached_property
    def paths(self) -> tuple[tuple[str, DrivenPath], ...]:
        """All motions in order, by name; LimitError when there is no way to one of them."""
        paths: list[tuple[str, DrivenPath]] = []
        here = self.standing
        for passage in self.passages:
            if self.kind == "configurations" or np.abs(passage.start - here).max() > START_TOLERANCE:
                paths.append((f"{_MOVE}{passage.name}", self.move(here, passage)))
            if passage.path is not None:
                paths.append((passage.name, passage.path))
            here = passage.end
        return tuple(paths)


def plan_trajectory(
    robot: Robot, trajectory: Dataset, standing: Array, *, limits: Limits, rate: float, speed: float = 1.0, repeats: int = 1
) -> RecordingPlan:
    """Drive a trajectory `repeats` times.

    Parameters
    ----------
    robot
        The robot.
    trajectory
        The trajectory.
    standing : (n,) array
        Where the robot stands;.
    limits
        Of the robot;.
    rate
        Its cycles per second [Hz].
    speed
        Share of the velocity limits that may be used.
    repeats
        How often it is driven.

    Returns
    -------
    RecordingPlan
        For `record`.

    Raises
    ------
    LimitError
        When it breaks a limit, or a velocity limit times `speed`.
    """
    if repeats < 1:
        raise ValueRangeError("repeats", f"is {repeats}; at least 1 was expected")
    check_count("repeats", repeats * trajectory.duration * rate, each=10 * robot.n, remedy="record in several files")
    slow = min(speed, MOVE_SPEED)
    move_limits, limits, collision, notes = _prepare(robot, limits, slow, speed)
    path = trajectory_path(robot, trajectory, limits=limits, rate=rate, collision=collision)
    passages = tuple(Passage(name=f"repetition {k + 1}", start=path.q[0], path=path) for k in range(repeats))
    plan = RecordingPlan(
        robot=robot,
        kind="trajectory",
        passages=passages,
        standing=standing,
        move_limits=move_limits,
        rate=rate,
        commanded=hashlib.sha256(np.ascontiguousarray(path.q).tobytes()).hexdigest(),
        notes=notes,
        collision=collision,
    )
    _refuse_outside(plan)
    if not plan.paths:  # plans a way to every start; LimitError where there is none
        raise InputError("the plan has no motion", remedy="give a trajectory with at least two samples")
    return plan


def plan_configurations(
    robot: Robot,
    q: Array,
    standing: Array,
    *,
    limits: Limits,
    rate: float,
    speed: float = MOVE_SPEED,
    stops: IntArray | None = None,
) -> RecordingPlan:
    """Stand at configurations one after another and ask the controller.

    Parameters
    ----------
    robot
        The robot.
    q : (N, n) array
        The configurations [rad | m].
    standing : (n,) array
        Where the robot stands now [rad | m].
    limits
        Those of the robot.
    rate
        Its cycles per second [Hz].
    speed
        Share of the velocity limits at which it moves.
    stops : (N,) array
        Where the robot is to stand, other than 0; it comes by the others on its way. By default everywhere.

    Returns
    -------
    RecordingPlan
        For `record`.

    Raises
    ------
    LimitError
        When one breaks a limit.

    Notes
    -----
    One to which no way is found is left out, with a note.
    """
    if q.ndim != 2 or q.shape[1] != robot.n or len(q) == 0:
        raise InputError(f"the configurations have shape {q.shape}; (N, {robot.n}) = (configurations, joints) was expected")
    move_limits, limits, collision, notes = _prepare(robot, limits, speed, speed)
    for k, configuration in enumerate(q, start=1):
        refuse_broken(standing_margins(robot, limits, configuration, collision), f"configuration {k}")
    plan = RecordingPlan(
        robot=robot,
        kind="configurations",
        passages=tuple(_passages(q, np.ones(len(q), dtype=np.int64) if stops is None else stops)),
        standing=standing,
        move_limits=move_limits,
        rate=rate,
        commanded=hashlib.sha256(np.ascontiguousarray(q).tobytes()).hexdigest(),
        notes=notes,
        collision=collision,
    )
    _refuse_outside(plan)
    return _leave_out_unreachable(plan)


def _passages(q: Array, stops: IntArray) -> Iterator[Passage]:
    """A passage per stop, with the positions before it that are only passed; those where the robot has stood are not."""
    via: list[Array] = []
    here, number = q[0], 0
    for position, stop in zip(q, stops, strict=True):
        if stop:
            number += 1
            yield Passage(name=f"configuration {number}", start=position, via=tuple(via) if number > 1 else ())
            here, via = position, []
        elif not np.array_equal(position, here):
            via.append(position)


def _leave_out_unreachable(plan: RecordingPlan) -> RecordingPlan:
    """The plan without configurations to which no way was found, and a note on them; LimitError where none is left."""
    reached: list[Passage] = []
    barred: dict[str, LimitError] = {}
    here = plan.standing
    for passage in plan.passages:
        try:
            plan.move(here, passage)
        except LimitError as error:
            barred[passage.name] = error
            continue
        reached.append(passage)
        here = passage.start
    if not reached:
        raise next(iter(barred.values()))
    if not barred:
        return plan
    numbers = ", ".join(name.removeprefix("configuration ") for name in barred)
    worst = Counter(error.limit for error in barred.values()).most_common(1)[0][0]
    note = f"{len(barred)} configurations are left out, because no way to them was found that keeps the {worst}: number {numbers}"
    return replace(plan, passages=tuple(reached), notes=(*plan.notes, note))


def _prepare(robot: Robot, limits: Limits, *speeds: float) -> tuple[Limits, Limits, CollisionModel | None, tuple[str, ...]]:
    """The limits with each share of the velocities, the geometry where it is to be looked at, and what can't be checked."""
    for speed in speeds:
        if not 0.0 < speed <= 1.0:
            raise ValueRangeError("speed", f"is {speed:g}; a share of the velocity limits, above 0 and at most 1, was expected")
    require_usable(robot, limits)
    collision, _ = CollisionModel.of_robot(robot)
    notes = (*missing_limits(robot, limits), *(collision.notes if collision else ()))
    of_moves, of_motion = (replace(limits, velocity=limits.velocity * speed) for speed in speeds)
    return of_moves, of_motion, collision, notes


def _refuse_outside(plan: RecordingPlan) -> None:
    """LimitError where the robot stands beyond its limits."""
    for joint, position, (low, high) in zip(plan.robot.joints, plan.standing, plan.move_limits.position, strict=True):
        if not low - START_TOLERANCE <= position <= high + START_TOLERANCE:
            limit = f"position limit of joint {joint.name!r}"
            raise LimitError(limit, f"({low:.4g} to {high:.4g}) is broken where the robot stands, {position:.4g}; jog it back")
