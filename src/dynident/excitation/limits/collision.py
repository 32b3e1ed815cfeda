# pyright: basic
"""Distances between a robot's own links, from the collision geometry of its URDF (Pinocchio and coal).

Meshes count as their convex hulls: that errs on the safe side, and makes distances and penetration depths cheap and
well defined. Pairs on one body or on neighbouring bodies are left out, and so are pairs that overlap at almost every
position, where the description's shapes and not the robot touch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.robots.packages import package_folders
from dynident.robots.robot import JointType, Robot

#: Pairs that overlap at more than this share of random positions are left out.
ALWAYS = 0.95
_RANDOM_POSITIONS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class CollisionModel:
    """A robot's geometry, posed by its joint positions. reach : largest distance of its parts from the first joint [m]."""

    robot: Robot
    names: tuple[str, ...]
    reach: float
    engine: Any = field(repr=False)

    @staticmethod
    def of_robot(robot: Robot) -> tuple[CollisionModel | None, str]:
        """The robot's collision geometry, or None and a sentence that says why there is none."""
        source = Path(robot.source)
        if source.suffix.lower() not in (".urdf", ".xml") or not source.is_file():
            return None, "self-collision was not checked: it needs the geometry of a URDF file"
        return _from_urdf(robot, source)

    def pair_name(self, pair: int) -> str:
        return self.names[pair] if pair >= 0 else ""

    def distances(self, q: Array, enough: float) -> tuple[Array, IntArray]:
        """(N,) least distance between links [m], negative when they overlap, and (N,) the pair.

        Exact where it is below `enough`. Elsewhere it may be a lower bound that is at least `enough`, and the pair -1: no
        point moves by more than reach · Σ|Δq| between two positions, so most samples of a fine trajectory need no look.
        """
        N = len(q)
        found, pair = np.full(N, np.inf), np.full(N, -1, dtype=np.int64)
        travelled = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(q, axis=0)).sum(axis=1) * self.reach)])
        i = 0
        while i < N:
            found[i], pair[i] = self._distance(q[i])
            stop = int(np.searchsorted(travelled, travelled[i] + found[i] - enough, side="right")) if found[i] > enough else i + 1
            stop = max(stop, i + 1)
            found[i + 1 : stop] = found[i] - (travelled[i + 1 : stop] - travelled[i])
            i = stop
        return found, pair

    def closest(self, q: Array) -> tuple[float, int, int]:
        """The least distance over all samples [m], its sample and its pair; exact."""
        coarse = np.unique(np.linspace(0, len(q) - 1, min(len(q), 100)).astype(int))
        best = min(self._distance(q[i])[0] for i in coarse)
        found, pair = self.distances(q, best + 1e-9)
        known = np.where(pair >= 0, found, np.inf)
        i = int(known.argmin())
        return float(known[i]), i, int(pair[i])

    def close_pairs(self, q: Array, enough: float) -> tuple[IntArray, Array, Array]:
        """Every pair below `enough` at every sample: (k,) samples, (k,) distances [m], (k, n) their derivatives by q."""
        samples: list[int] = []
        distances: list[float] = []
        gradients: list[Array] = []
        near, _ = self.distances(q, enough)
        for i in np.flatnonzero(near < enough):
            self._distance(q[i])
            origins, axes = self._axes()
            for pair, result in enumerate(self.engine[3].distanceResults):
                if result.min_distance < enough:
                    samples.append(int(i))
                    distances.append(float(result.min_distance))
                    gradients.append(self._derivative(pair, result, origins, axes))
        return np.array(samples, dtype=np.int64), np.array(distances), np.array(gradients).reshape(-1, self.robot.n)

    def _axes(self) -> tuple[Array, Array]:
        """(n, 3) origin and axis of every joint in the base frame, for the position that was last looked at."""
        poses = [self.engine[1].oMi[j + 1] for j in range(self.robot.n)]
        axes = [pose.rotation @ joint.axis for pose, joint in zip(poses, self.robot.joints, strict=True)]
        return np.array([pose.translation for pose in poses]), np.array(axes)

    def _derivative(self, pair: int, result: Any, origins: Array, axes: Array) -> Array:
        """∂distance/∂q = nᵀ (v₂ - v₁): the speeds of the nearest points along the line between them."""
        geometry = self.engine[2]
        ends = geometry.collisionPairs[pair]
        speeds = [
            self._point_speeds(geometry.geometryObjects[end].parentJoint - 1, point, origins, axes)
            for end, point in ((ends.first, result.getNearestPoint1()), (ends.second, result.getNearestPoint2()))
        ]
        return (speeds[1] - speeds[0]) @ result.normal

    def _point_speeds(self, body: int, point: Array, origins: Array, axes: Array) -> Array:
        """(n, 3) velocity of a point of a body per unit of each joint's velocity; zero for joints that don't move it."""
        speeds = np.zeros((self.robot.n, 3))
        for j in self.robot.ancestors(body):
            sliding = self.robot.joints[j].type is JointType.PRISMATIC
            speeds[j] = axes[j] if sliding else np.cross(axes[j], point - origins[j])
        return speeds

    def _distance(self, q: Array) -> tuple[float, int]:
        import pinocchio as pin  # pyright: ignore[reportMissingImports]

        model, data, geometry, distances = self.engine
        pin.updateGeometryPlacements(model, data, geometry, distances, q)
        pair = pin.computeDistances(geometry, distances)
        return float(distances.distanceResults[pair].min_distance), int(pair)

    def __getstate__(self) -> dict[str, Any]:
        """Pinocchio's geometry doesn't travel between processes; it is read again where it arrives."""
        return {"robot": self.robot}

    def __setstate__(self, state: dict[str, Any]) -> None:
        again, _ = CollisionModel.of_robot(state["robot"])
        self.__dict__.update(again.__dict__ if again is not None else {})


def _from_urdf(robot: Robot, source: Path) -> tuple[CollisionModel | None, str]:
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    try:
        described = pin.buildModelFromUrdf(str(source))
        shapes = pin.buildGeomFromUrdf(
            described, str(source), pin.GeometryType.COLLISION, package_dirs=[str(folder) for folder in package_folders(source)]
        )
    except (RuntimeError, ValueError) as error:
        return None, f"self-collision was not checked: {' '.join(str(error).split()) or 'the geometry can not be read'}"
    model, joint_ids = _kinematics(robot)
    geometry, bodies = pin.GeometryModel(), []
    for shape in shapes.geometryObjects:
        place = _place(robot, described.frames[shape.parentFrame].name)
        if place is None:
            continue
        body, in_body = place
        in_link = described.frames[shape.parentFrame].placement.actInv(shape.placement)
        joint, before = (0, np.eye(4)) if body < 0 else (joint_ids[body], robot.links[body].placement)
        placement = pin.SE3(before @ in_body) * in_link
        geometry.addGeometryObject(pin.GeometryObject(shape.name, joint, placement, _convex(shape)))
        bodies.append(body)
    _add_pairs(robot, geometry, bodies)
    if len(geometry.collisionPairs) == 0:
        return None, "self-collision was not checked: the URDF has no collision geometry on links that are apart"
    return _without_constant_overlaps(robot, model, geometry), ""


def _kinematics(robot: Robot) -> tuple[Any, list[int]]:
    """Our tree in Pinocchio, joints in our order: locked joints are already part of it."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model, ids = pin.Model(), []
    for joint in robot.joints:
        before = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
        make = pin.JointModelPrismaticUnaligned if joint.type is JointType.PRISMATIC else pin.JointModelRevoluteUnaligned
        parent = 0 if joint.parent < 0 else ids[joint.parent]
        ids.append(model.addJoint(parent, make(joint.axis), pin.SE3(before @ joint.placement), joint.name))
    return model, ids


def _place(robot: Robot, link: str) -> tuple[int, Array] | None:
    """The body that a source link belongs to (-1 is the base) and its pose in the body's parameter frame."""
    for piece in robot.base_pieces:
        if piece.name == link:
            return -1, piece.placement
    for i, body in enumerate(robot.links):
        for piece in body.pieces:
            if piece.name == link:
                return i, piece.placement
    return None


def _convex(shape: Any) -> Any:
    """The shape itself, or its hull when it is a mesh."""
    if not hasattr(shape.geometry, "buildConvexHull"):
        return shape.geometry
    shape.geometry.buildConvexHull(True, "Qt")
    return shape.geometry.convex


def _add_pairs(robot: Robot, geometry: Any, bodies: list[int]) -> None:
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    for a, b in combinations(range(len(bodies)), 2):
        low, high = sorted((bodies[a], bodies[b]))
        neighbours = low == high or robot.joints[high].parent == low
        if not neighbours:
            geometry.addCollisionPair(pin.CollisionPair(a, b))


def _without_constant_overlaps(robot: Robot, model: Any, geometry: Any) -> CollisionModel:
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    data, distances = model.createData(), geometry.createData()
    overlaps = np.zeros(len(geometry.collisionPairs))
    low, high = robot.drawn_range.T
    for q in np.random.default_rng(0).uniform(low, high, (_RANDOM_POSITIONS, robot.n)):
        pin.updateGeometryPlacements(model, data, geometry, distances, q)
        pin.computeDistances(geometry, distances)
        overlaps += [result.min_distance < 0.0 for result in distances.distanceResults]
    for pair, count in zip(list(geometry.collisionPairs), overlaps, strict=True):
        if count > ALWAYS * _RANDOM_POSITIONS:
            geometry.removeCollisionPair(pair)
    objects = geometry.geometryObjects
    names = tuple(f"{objects[pair.first].name} and {objects[pair.second].name}" for pair in geometry.collisionPairs)
    return CollisionModel(robot=robot, names=names, reach=_reach(robot, objects), engine=(model, data, geometry, geometry.createData()))


def _reach(robot: Robot, objects: Any) -> float:
    """A bound on how far any part can be from any joint axis: all offsets of the chain and the size of the largest part [m]."""
    offsets = sum(
        float(np.linalg.norm(joint.placement[:3, 3]) + np.linalg.norm(link.placement[:3, 3]))
        for joint, link in zip(robot.joints, robot.links, strict=True)
    )
    slides = sum(float(np.abs(joint.position).max()) for joint in robot.joints if joint.type is JointType.PRISMATIC)
    sizes = []
    for item in objects:
        item.geometry.computeLocalAABB()
        sizes.append(
            float(np.linalg.norm(item.placement.translation))
            + float(item.geometry.aabb_radius)
            + float(np.linalg.norm(item.geometry.aabb_center))
        )
    return offsets + slides + max(sizes)
