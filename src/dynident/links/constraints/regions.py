"""Regions for a link's centre of mass c = mc / m that are convex in (m, mc): hulls, ellipsoids, cylinders.

‖E (c - centre)‖ <= 1 becomes the second-order cone ‖E (mc - centre · m)‖ <= m once multiplied by the mass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.errors import ShapeError, ValueRangeError
from dynident.links.constraints.lmi import linear, second_order
from dynident.links.constraints.terms import Terms, link_index
from dynident.regression.equations.columns import Columns
from dynident.robots.kinematics import arm_reach
from dynident.robots.robot import Robot

#: No place on a robot is farther from another [m].
_FARTHEST = 1e6


@dataclass(frozen=True, eq=False)
class ComInHull:
    """The centre of mass of a link inside the convex hull of points (k, 3) [m].

    Attributes
    ----------
    link : int or str
        Number from 1, or name.
    points : (k, 3) array
        In the link's parameter frame [m].
    """

    link: int | str
    points: ArrayLike

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        from scipy.spatial import ConvexHull

        points = np.asarray(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
            raise ShapeError("points", points.shape, "(k, 3) with k >= 4")
        i = link_index(self.link, robot)
        m, *mc = columns.of_link(i)[:4]
        faces = np.unique(np.round(ConvexHull(points).equations, 12), axis=0)
        name = f"centre of mass of {robot.link_names[i]} inside its hull"
        return Terms(
            blocks=tuple(
                linear(name, {**{k: -float(v) for k, v in zip(mc, f[:3], strict=True)}, m: -float(f[3])}, 0.0, "kg·m") for f in faces
            )
        )


@dataclass(frozen=True, eq=False)
class ComInEllipsoid:
    """The centre of mass of a link within ‖shape (c - centre)‖ <= 1, shape (k, 3) [1/m]; a sphere has shape 1 / radius.

    Attributes
    ----------
    link : int or str
        Number from 1, or name.
    centre : (3,) array
        In the link's parameter frame [m].
    shape : (k, 3) array
        Of the ellipsoid [1/m].
    """

    link: int | str
    centre: ArrayLike
    shape: ArrayLike

    @staticmethod
    def sphere(link: int | str, centre: ArrayLike, radius: float) -> ComInEllipsoid:
        return ComInEllipsoid(link, centre, np.eye(3) / radius)

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        i = link_index(self.link, robot)
        E, centre = np.asarray(self.shape, dtype=float), np.asarray(self.centre, dtype=float)
        m, *mc = columns.of_link(i)[:4]
        rows = [{**dict(zip(mc, map(float, e), strict=True)), m: -float(e @ centre)} for e in E]
        name = f"centre of mass of {robot.link_names[i]} inside its ellipsoid"
        return Terms(blocks=(second_order(name, rows, {m: 1.0}),))


@dataclass(frozen=True, eq=False)
class ComInCylinder:
    """The centre of mass of a link inside a cylinder around the segment from `start` to `end` (3,) [m].

    Attributes
    ----------
    link : int or str
        Number from 1, or name.
    start : (3,) array
        One end of the axis in the link's parameter frame [m].
    end : (3,) array
        The other end [m].
    radius : float
        Of the cylinder [m].
    """

    link: int | str
    start: ArrayLike
    end: ArrayLike
    radius: float

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        i = link_index(self.link, robot)
        start, end = np.asarray(self.start, dtype=float), np.asarray(self.end, dtype=float)
        if not np.abs(end - start).max() < _FARTHEST:
            raise ValueRangeError("cylinder", f"has ends that are {_FARTHEST:g} m apart or more; check them")
        length = float(np.linalg.norm(end - start))
        if not (length > 0 and self.radius > 0):
            raise ValueRangeError("cylinder", "needs two different ends and a positive radius")
        axis = (end - start) / length
        across = (np.eye(3) - np.outer(axis, axis)) / self.radius
        round_part = ComInEllipsoid(self.link, start, across).terms(robot, columns)
        name = f"centre of mass of {robot.link_names[i]} between the ends of its cylinder"
        m, *mc = columns.of_link(i)[:4]
        along = dict(zip(mc, map(float, axis), strict=True))
        caps = (
            linear(name, along | {m: -float(axis @ start)}, 0.0, "kg·m"),
            linear(name, {k: -v for k, v in along.items()} | {m: float(axis @ end)}, 0.0, "kg·m"),
        )
        return Terms.joined([round_part, Terms(blocks=caps)])


@dataclass(frozen=True)
class ComWithinReach:
    """No link's centre of mass is farther from its frame than the whole arm is long.

    Far wider than any link, it only keeps the centre of a link whose mass the data don't fix from running away.
    """

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        reach = arm_reach(robot)
        if reach == 0.0:
            return Terms()
        spheres = [ComInEllipsoid.sphere(number, np.zeros(3), reach).terms(robot, columns) for number in range(1, robot.n + 1)]
        return Terms.joined(
            Terms(blocks=tuple(replace(block, name=f"centre of mass of {name} within the arm's reach") for block in sphere.blocks))
            for name, sphere in zip(robot.link_names, spheres, strict=True)
        )
