"""A prior for robots without a nominal model: links as uniform as possible, homogeneous bodies that fill their boxes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.convex import Bounds, TotalMass
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.feasibility.objective import NominalPrior, uniform_bodies
from dynident.robots.robot import Robot

#: Around the line between a link's joints where nothing else tells its size [m]: the half width of a slender arm.
_HALF_WIDTH = 0.05
#: Where no total mass is given [kg/m³]: motors, gears and hollow castings weigh about as much as water.
_DENSITY = 1000.0


def uniform_prior(
    robot: Robot, constraints: FeasibleSet, *, boxes: Mapping[int, Array] | None = None, weight: float = 1e-8, fixed: bool = False
) -> NominalPrior:
    """The prior toward homogeneous boxes.

    boxes : (2, 3) [m] by link number from 0, where the shapes are known. Else the bounds on the centre of mass are the box,
        and without those the span between the link's joints, 5 cm wider on every side.
    The masses share the middle of the total mass in proportion to the volumes; without one, the density is that of water.
    """
    found = np.array([_box(robot, i, constraints, boxes or {}) for i in range(robot.n)])
    volumes = np.prod(found[:, 1] - found[:, 0], axis=1)
    totals = [item for item in constraints.flattened if isinstance(item, TotalMass) and np.isfinite(item.low + item.high)]
    density = 0.5 * (totals[0].low + totals[0].high) / float(volumes.sum()) if totals else _DENSITY
    nominal = uniform_bodies(found, density * volumes)
    return NominalPrior(nominal=nominal, weight=weight, fixed=fixed, toward="uniform links")


def _box(robot: Robot, i: int, constraints: FeasibleSet, boxes: Mapping[int, Array]) -> Array:
    if i in boxes:
        return _thick(boxes[i])
    bounds = {item.name: item for item in constraints.flattened if isinstance(item, Bounds)}
    own = [bounds.get(f"c{i + 1}{axis}") for axis in "xyz"]
    limits = np.array([[item.low, item.high] for item in own if item is not None]).reshape(-1, 2)
    if len(limits) == 3 and np.all(np.isfinite(limits)):
        return _thick(limits.T)
    link = robot.links[i]
    points = [-link.placement[:3, :3].T @ link.placement[:3, 3]]
    points += [joint.placement[:3, 3] for joint in robot.joints if joint.parent == i]
    if i == robot.n - 1:
        points.append(robot.tool[:3, 3])
    return np.array([np.min(points, axis=0) - _HALF_WIDTH, np.max(points, axis=0) + _HALF_WIDTH])


def _thick(box: Array) -> Array:
    """A box with a volume, so that its pseudo-inertia is positive definite: at least a millimetre thick."""
    middle, half = box.mean(axis=0), np.maximum(0.5 * (box[1] - box[0]), 5e-4)
    return np.array([middle - half, middle + half])
