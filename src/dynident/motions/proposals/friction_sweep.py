"""One joint after the other at several constant speeds, there and back, the others at rest: the friction curve, point by point.

At a constant speed nothing accelerates, and gravity is the same there and back at the same position: half of the difference of the torques
is the friction at that speed. A stroke is

    rest → rise over T_r → constant speed v → fall over T_r → rest

whose velocity rises as v (3 u² - 2 u³), u = t / T_r: a way of v T_r / 2, an acceleration of at most 1.5 v / T_r and a jerk of 6 v / T_r².
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array, check_positive
from dynident.core.fields import read_fields
from dynident.core.texts import count_text
from dynident.data.dataset import Dataset
from dynident.errors import Remedy
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import position_range, standing_margins
from dynident.motions.moves.moves import holds, move_acceleration, slow_limits
from dynident.motions.proposals.proposal import MotionKind, ProposedMotion, inner_limits, path_limits
from dynident.motions.trajectories.piecewise import SampledTrajectory, quintic_time
from dynident.robots.robot import Robot

#: Speeds of a joint where none are given, as shares of the fastest that it may have, and how long each is held at most [s].
SPEEDS, HOLD = tuple(float(f"{share:.2g}") for share in np.geomspace(0.02, 1.0, 6)), 2.0
#: A joint's range is looked for in steps of this share of what its limits leave, and at most so far from where it stands [rad | m].
_STEP, _FARTHEST = 0.01, np.pi
#: Share of the velocity limits at which a joint goes from stroke to stroke.
_MOVE_SPEED = 0.5
#: Share of a stroke at the fastest speed that is driven at constant speed.
_CONSTANT = 0.5


def propose_friction_sweep(
    robot: Robot,
    *,
    limits: Limits,
    home: Array,
    collision: CollisionModel | None = None,
    speeds: Mapping[str, Array] | None = None,
    hold: float = HOLD,
) -> ProposedMotion:
    """Strokes at every speed, forward and back, about the middle of the range that each joint has while the others are at home.

    Parameters
    ----------
    limits, home, collision
        What has to be kept, where the robot stands (n,) [rad | m], and its solids.
    speeds : mapping of joint names to arrays, optional
        Speeds [rad/s | m/s] of the joints that are to be swept; by default six from 2 % to 100 % of the fastest for all joints.
    hold : float
        Longest time at constant speed [s]; a stroke is as long as that takes, or as the range.

    Raises
    ------
    LimitError
        Where a joint has no room, or not enough for a speed that was given.
    """
    check_positive("hold", hold, "s")
    limits = inner_limits(limits)
    asked = dict.fromkeys(robot.joint_names) if speeds is None else dict(speeds)
    times, points = [0.0], [np.stack([home, np.zeros(robot.n), np.zeros(robot.n)])]
    ranges: list[str] = []

    def go(j: int, duration: float, q: float, dq: float = 0.0) -> None:
        state = points[-1].copy()
        state[:, j] = q, dq, 0.0
        times.append(times[-1] + duration)
        points.append(state)

    def move(j: int, q: float) -> None:
        way = abs(q - float(points[-1][0, j]))
        if way > 0.0:
            slow = slow_limits(limits, _MOVE_SPEED)
            go(j, float(quintic_time(np.array([way]), slow.velocity[[j]], move_acceleration(slow)[[j]], slow.jerk[[j]])), q)

    for name, given in asked.items():
        j = robot.joint_index(name)
        low, high = _free_range(robot, limits, collision, home, j)
        chosen = _speeds(robot, limits, j, high - low, given)
        middle, units = (low + high) / 2.0, robot.joints[j].units
        for speed in chosen:
            rise = _rise(limits, j, speed)
            half = min(high - low, speed * (hold + rise)) / 2.0
            move(j, middle - half)
            for direction in (1.0, -1.0):
                first = middle - direction * half
                ramp = speed * rise / 2.0
                go(j, rise, first + direction * ramp, direction * speed)
                go(j, (2.0 * half - 2.0 * ramp) / speed, first + direction * (2.0 * half - ramp), direction * speed)
                go(j, rise, first + direction * 2.0 * half)
        move(j, float(home[j]))
        ranges.append(f"{name} {chosen[0]:.3g} to {chosen[-1]:.3g} {units.velocity} in {low:.3g} to {high:.3g} {units.position}")
    q, dq, ddq = np.stack(points, axis=1)
    motion = SampledTrajectory(joints=robot.joint_names, times=np.array(times), q=q, dq=dq, ddq=ddq)
    count = max(len(SPEEDS) if given is None else len(given) for given in asked.values())
    which = "every joint" if len(asked) == robot.n else f"{len(asked)} of {robot.n} joints"
    description = f"a friction sweep of {which} at {count_text(count, 'speed')} in both directions"
    return ProposedMotion(motion, description, (f"speeds and ranges: {'; '.join(ranges)}",))


def _free_range(robot: Robot, limits: Limits, collision: CollisionModel | None, home: Array, j: int) -> tuple[float, float]:
    """How far joint j may go to both sides while the others stand at home."""
    low, high = (float(ends[j]) for ends in position_range(limits))
    stand = float(home[j])
    low, high = max(low, stand - _FARTHEST), min(high, stand + _FARTHEST)
    step, at_rest = _STEP * (high - low), path_limits(limits)

    def reach(direction: float, room: float) -> float:
        """How far it may go; one step less where something bars the way, for what comes closer between the steps."""
        q = home.copy()
        steps = int(room / step)
        for k in range(1, steps + 1):
            q[j] = stand + direction * k * step
            if not all(map(holds, standing_margins(robot, at_rest, q, collision))):
                return max(k - 2, 0) * step
        return steps * step

    low, high = stand - reach(-1.0, stand - low), stand + reach(1.0, high - stand)
    if high - low < 2.0 * step:
        raise LimitError(
            f"range of joint {robot.joint_names[j]!r}",
            "is barred on both sides where the robot stands",
            remedy=Remedy("stand elsewhere before the motion ({home})", home="Q1,Q2,..."),
        )
    return low, high


def _rise(limits: Limits, j: int, speed: float) -> float:
    """How long the joint needs to get to a speed [s]."""
    return max(1.5 * speed / float(move_acceleration(limits)[j]), float(np.sqrt(6.0 * speed / limits.jerk[j])))


def _speeds(robot: Robot, limits: Limits, j: int, room: float, given: Array | None) -> Array:
    """(k,) increasing speeds that the joint can reach, and hold for a while, within its room [rad/s | m/s]."""
    fastest = float(limits.velocity[j])
    while (needed := fastest * _rise(limits, j, fastest)) > (1.0 - _CONSTANT) * room:
        fastest *= max(0.5, ((1.0 - _CONSTANT) * room / needed) ** 0.5 * (1.0 - 1e-9))
    if given is None:
        return fastest * np.array(SPEEDS)
    if (most := float(np.max(given))) > fastest * (1.0 + 1e-9):
        joint = robot.joints[j]
        raise LimitError(
            f"speed of joint {joint.name!r}",
            f"is {most:.3g} {joint.units.velocity}; within the limits, and with {room:.3g} {joint.units.position} of room where the robot "
            f"stands, at most {fastest:.3g} can be held",
        )
    return np.sort(given)


def _read(file: Path, robot: Robot, samples: Callable[[Path], Dataset]) -> dict[str, Any]:
    """speeds: a list for all joints, or {joint: list}; hold: a number."""
    fields = read_fields(file)
    fields.only((), ("speeds", "hold"))
    parameters: dict[str, Any] = {}
    if fields.has("speeds"):
        if isinstance(fields.values["speeds"], dict):
            section = fields.section("speeds")
            parameters["speeds"] = {robot.joint_names[robot.joint_index(name)]: section.numbers(name) for name in section.values}
        else:
            parameters["speeds"] = dict.fromkeys(robot.joint_names, fields.numbers("speeds"))
        if not parameters["speeds"] or any(np.any(values <= 0.0) for values in parameters["speeds"].values()):
            raise fields.error("speeds", "must be positive, for at least one joint; each is driven in both directions")
    if fields.has("hold"):
        parameters["hold"] = fields.positive("hold")
    return parameters


FRICTION_SWEEP = MotionKind(
    name="friction-sweep",
    about="one joint after the other at constant speeds, there and back; FILE: YAML with speeds and hold, else they are chosen",
    propose=propose_friction_sweep,
    read=_read,
)
