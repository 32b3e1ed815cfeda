"""Standing positions as a sequence that a robot can drive: from home to each of them and back, in a short order, along free ways.

The order is a round trip: each time the nearest position next, then pairs of ways are exchanged while that shortens it (2-opt; Croes, Oper.
Res. 6(6), 1958). The cost of a way is the time of the straight move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data.dataset import Dataset
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.moves.moves import move_acceleration, plan_move, slow_limits
from dynident.motions.trajectories.piecewise import WaypointTrajectory, quintic_time
from dynident.motions.trajectories.trajectory import Trajectory, trajectory_dataset
from dynident.robots.robot import Robot

#: So long the robot stands at each position [s].
STAND = 1.0
#: Rounds of exchanges at most.
_ROUNDS = 50
#: Other positions that are tried in place of one to which there is no way.
_REPLACEMENTS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class Sequence:
    """A drive from home to N positions and back.

    way : WaypointTrajectory   All of it; at each position it stands for a while.
    stops : (K,) int           Of each point of the way: 1, 2, ... where the robot comes to stand at a position, else 0.
    replaced : int             Positions to which there was no way, and in whose place others are visited.
    """

    way: WaypointTrajectory
    stops: IntArray
    replaced: int = 0

    @property
    def positions(self) -> Array:
        """(N, n) in the order in which they are visited."""
        return self.way.points[self.stops > 0]

    @property
    def via(self) -> int:
        """How many points are there only because a straight way was barred."""
        return int(np.sum(self.stops == 0)) - int(np.sum(self.stops > 0)) - 2

    def dataset(self) -> Dataset:
        """The points as a file can hold them: at rest at each, so that the quintic between two is the move. period : the stops."""
        still = np.zeros_like(self.way.points)
        return Dataset(
            time=self.way.times,
            q=self.way.points,
            dq=still,
            ddq=still,
            joint_names=self.way.joints,
            period=self.stops,
            source="standing positions",
        )

    def samples(self, rate: float) -> Dataset:
        """The whole drive at `rate` [Hz], with the same marks where the robot stands."""
        log = trajectory_dataset(_whole(self.way, rate), rate)
        place = np.searchsorted(self.way.times * (log.time[-1] / self.way.duration), log.time + 1e-9, side="right") - 1
        return log.after("", period=self.stops[np.clip(place, 0, len(self.stops) - 1)])


def plan_sequence(
    robot: Robot,
    positions: Array,
    *,
    limits: Limits,
    home: Array,
    collision: CollisionModel | None = None,
    others: Array | None = None,
    stand: float = STAND,
    progress: Callable[[float], None] | None = None,
) -> Sequence:
    """Positions (N, n) in a short order, each reached straight or by way of third positions, from home (n,) and back.

    others : (M, n) positions to visit in place of those to which there is no way; LimitError where none of them will do.
    """
    slow = slow_limits(limits)
    move = partial(plan_move, robot, limits=slow, collision=collision)
    order = order_positions(positions, home, slow)
    spare = [] if others is None else list(others)
    points, times, stops, replaced = [home], [0.0], [0], 0

    def go(way: WaypointTrajectory) -> None:
        points.extend(way.points[1:])
        times.extend(times[-1] + way.times[1:])
        stops.extend([0] * (len(way.times) - 1))

    for number, index in enumerate(order, start=1):
        try:
            go(move(points[-1], positions[index]))
        except LimitError as error:
            go(_replace(move, points[-1], spare, error))
            replaced += 1
        stops[-1] = number
        points.append(points[-1])
        times.append(times[-1] + stand)
        stops.append(0)
        if progress is not None:
            progress(number / len(order))
    for way in _go_back(move, np.array(points)):
        go(way)
    way = WaypointTrajectory(joints=robot.joint_names, times=np.array(times), points=np.array(points))
    return Sequence(way=way, stops=np.array(stops, dtype=np.int64), replaced=replaced)


def order_positions(positions: Array, home: Array, limits: Limits) -> list[int]:
    """Indices of positions (N, n) in a short round trip from home (n,), by the times of straight moves within the limits."""
    places = np.concatenate([home[None], positions])
    allowed = limits.velocity, move_acceleration(limits), limits.jerk
    cost = np.array([quintic_time(np.abs(places - place), *allowed) for place in places])
    tour = _nearest(cost)
    for _ in range(_ROUNDS):
        if not _exchange(tour, cost):
            break
    return [int(place) - 1 for place in tour[1:]]


def _nearest(cost: Array) -> IntArray:
    """A tour from place 0 that goes to the nearest place that is left."""
    left = np.ones(len(cost), dtype=bool)
    tour = [0]
    left[0] = False
    while left.any():
        tour.append(int(np.where(left, cost[tour[-1]], np.inf).argmin()))
        left[tour[-1]] = False
    return np.array(tour, dtype=np.int64)


def _exchange(tour: IntArray, cost: Array) -> bool:
    """Turn stretches of the tour around, in place, wherever that shortens it; whether one was found."""
    improved = False
    for i in range(len(tour) - 1):
        after = np.append(tour[1:], tour[0])
        a, b = tour[i], after[i]
        c, d = tour[i + 1 :], after[i + 1 :]
        gains = cost[a, b] + cost[c, d] - cost[a, c] - cost[b, d]
        k = int(gains.argmax())
        if gains[k] > 1e-9:
            tour[i + 1 : i + 2 + k] = tour[i + 1 : i + 2 + k][::-1].copy()
            improved = True
    return improved


def _replace(move: Callable[[Array, Array], WaypointTrajectory], here: Array, spare: list[Array], error: LimitError) -> WaypointTrajectory:
    """The way to the first of the others that can be reached, which is then spare no more."""
    for place, other in enumerate(spare[:_REPLACEMENTS]):
        try:
            way = move(here, other)
        except LimitError:
            continue
        del spare[place]
        return way
    raise error


def _go_back(move: Callable[[Array, Array], WaypointTrajectory], points: Array) -> list[WaypointTrajectory]:
    """The way home from the last point; where there is none, back along the way that led there until there is one."""
    moves: list[WaypointTrajectory] = []
    for here, before in zip(points[:0:-1], points[-2::-1], strict=True):
        if np.array_equal(here, before):
            continue
        try:
            return [*moves, move(here, points[0])]
        except LimitError:
            moves.append(move(here, before))
    return moves


def _whole(way: WaypointTrajectory, rate: float) -> Trajectory:
    """A little slower, so that it ends on a sample."""
    return way.stretch(np.ceil(way.duration * rate) / rate)
