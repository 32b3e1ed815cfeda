"""A designed motion of the Panda against the hulls of its maker's meshes, which the design has never seen."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.motions import design_trajectory

SHARE = Path(pin.__file__).parents[4] / "share"
URDF = SHARE / "example-robot-data" / "robots" / "panda_description" / "urdf" / "panda.urdf"
pytestmark = pytest.mark.skipif(not URDF.is_file(), reason="the Panda's meshes (example-robot-data) are not installed")

#: Flange and forearm: the forearm's hull fills the hollow in which the flange turns, the links themselves stay apart at all positions.
HOLLOW = {"panda_link5_0", "panda_link7_0"}


def test_a_designed_motion_keeps_the_maker_s_links_apart_and_above_the_floor():
    trajectory = design_trajectory(load_robot("panda"), friction=linear(), criterion="d_optimal", starts=1, iterations=15).trajectory
    model = pin.buildModelFromUrdf(str(URDF))
    shapes = pin.buildGeomFromUrdf(model, str(URDF), pin.GeometryType.COLLISION, package_dirs=[str(SHARE)])
    for shape in shapes.geometryObjects:
        if hasattr(shape.geometry, "buildConvexHull"):
            shape.geometry.buildConvexHull(True, "Qt")
            shape.geometry = shape.geometry.convex
    arm = [i for i, shape in enumerate(shapes.geometryObjects) if "panda_link" in shape.name]
    assert len(arm) >= 8
    for a, b in combinations(arm, 2):
        first, second = (shapes.geometryObjects[i] for i in (a, b))
        if abs(first.parentJoint - second.parentJoint) > 1 and {first.name, second.name} != HOLLOW:
            shapes.addCollisionPair(pin.CollisionPair(a, b))
    data, distances = model.createData(), shapes.createData()
    least, lowest = np.inf, np.inf
    for q in trajectory.sample(np.linspace(0.0, trajectory.duration, 500)).q:
        pin.updateGeometryPlacements(model, data, shapes, distances, np.concatenate([q, np.zeros(model.nq - 7)]))
        pin.computeDistances(shapes, distances)
        least = min(least, *(result.min_distance for result in distances.distanceResults))
        for i in arm:
            if shapes.geometryObjects[i].parentJoint >= 2:  # the base and the first link stand on the floor
                place, corners = distances.oMg[i], np.array(shapes.geometryObjects[i].geometry.points())
                lowest = min(lowest, float((corners @ place.rotation[2]).min() + place.translation[2]))
    assert least > 0.005  # capsules may be up to 1 cm smaller than the links at corners, and keep 2 cm
    assert lowest > 0.005
