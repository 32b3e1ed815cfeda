"""A motion judged by Pinocchio and coal alone, on the shapes of its URDF: distances, the floor, the joints' limits, rest at both ends."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import coal
import numpy as np
import pinocchio as pin

SHARE = Path(pin.__file__).parents[4] / "share"
ROBOTS = SHARE / "example-robot-data" / "robots"
#: Least distance of links, and of links from the floor [m].
APART, ABOVE = 0.010, 0.015
#: Samples per second at which a motion is judged [Hz].
RATE = 1000.0
#: Reasons of an SRDF for which a pair cannot touch.
_BELIEVED = ("Never", "Adjacent")
#: A distance that varies less than this over random positions is changed by no joint [m].
_CONSTANT = 1e-6
_FLOOR = "floor"


class Judge:
    """A URDF in Pinocchio, with the joints that a design leaves out locked at zero, and the pairs of shapes that have to stay apart.

    These are all but those of one body, of neighbours in the tree, those that the SRDF gives a reason for, and those whose distance
    no joint changes.
    """

    def __init__(self, urdf: Path, joints: tuple[str, ...], srdf: Path | None = None) -> None:
        whole = pin.buildModelFromUrdf(str(urdf))
        shapes = pin.buildGeomFromUrdf(whole, str(urdf), pin.GeometryType.COLLISION, package_dirs=[str(SHARE)])
        locked = [i for i, name in enumerate(whole.names) if i and name not in joints]
        self.model, self.shapes = pin.buildReducedModel(whole, shapes, locked, pin.neutral(whole)) if locked else (whole, shapes)
        assert set(self.model.names[1:]) == set(joints)
        self._order = [joints.index(name) for name in self.model.names[1:]]
        self._exact = [shape.geometry for shape in self.shapes.geometryObjects]
        for shape in self.shapes.geometryObjects:
            if hasattr(shape.geometry, "buildConvexHull"):
                shape.geometry.buildConvexHull(True, "Qt")
                shape.geometry = shape.geometry.convex
        self._links = [shape.name.rpartition("_")[0] for shape in self.shapes.geometryObjects]
        self._add_pairs(set() if srdf is None else _believed_pairs(srdf))

    def least_distances(self, q: np.ndarray) -> dict[tuple[str, str], float]:
        """The least distance of every pair of links, or of a link and "floor", along a motion q (N, n) [m]."""
        least: dict[tuple[str, str], float] = {}
        hulls = self._hull_distances(q)
        for k, pair in enumerate(self.shapes.collisionPairs):
            names = (self._links[pair.first], self._links[pair.second])
            distances = hulls[:, k]
            if names[1] != _FLOOR:
                distances = np.array([self._distance(pair, q[i]) for i in np.flatnonzero(distances < APART)] or [distances.min()])
            least[names] = min(float(distances.min()), least.get(names, np.inf))
        return least

    def largest_shares(self, q: np.ndarray, acceleration: np.ndarray) -> dict[str, float]:
        """The largest share of any velocity, acceleration and effort limit: differences of q (N, n) at RATE, and Pinocchio's torque."""
        q = q[:, self._order]
        dq, ddq = (q[2:] - q[:-2]) * RATE / 2.0, (q[2:] - 2.0 * q[1:-1] + q[:-2]) * RATE**2
        data = self.model.createData()
        rows = zip(self._states(q[1:-1]), dq, ddq, strict=True)
        torques = np.array([pin.rnea(self.model, data, *row).copy() for row in rows])
        limits = {"velocity": (dq, self.model.velocityLimit), "effort": (torques, self.model.effortLimit)}
        limits["acceleration"] = ddq, acceleration[self._order]
        return {name: float((np.abs(values) / limit).max()) for name, (values, limit) in limits.items()}

    def position_margin(self, q: np.ndarray) -> float:
        """What q (N, n) leaves of the joints' ranges at least [rad | m]."""
        joints = [(joint.idx_q, values) for joint, values in zip(self.model.joints[1:], q.T[self._order], strict=True) if joint.nq == 1]
        low, high = self.model.lowerPositionLimit, self.model.upperPositionLimit
        return min(float(min(values.min() - low[i], high[i] - values.max())) for i, values in joints)

    def _states(self, q: np.ndarray) -> np.ndarray:
        """(N, nq) of positions in Pinocchio's order: cosine and sine of joints without limits."""
        columns: list[np.ndarray] = []
        for joint, values in zip(self.model.joints[1:], q.T, strict=True):
            columns += [np.cos(values), np.sin(values)] if joint.nq == 2 else [values]
        return np.column_stack(columns)

    def _hull_distances(self, q: np.ndarray) -> np.ndarray:
        """(N, pairs) distances of the convex hulls of the shapes [m]: never more than those of the shapes."""
        data, geometry = self.model.createData(), self.shapes.createData()
        out = np.empty((len(q), len(self.shapes.collisionPairs)))
        for row, state in zip(out, self._states(q[:, self._order]), strict=True):
            pin.updateGeometryPlacements(self.model, data, self.shapes, geometry, state)
            pin.computeDistances(self.shapes, geometry)
            row[:] = [result.min_distance for result in geometry.distanceResults]
        return out

    def _distance(self, pair: pin.CollisionPair, q: np.ndarray) -> float:
        """Of two shapes as the URDF has them [m]: of meshes, the distance of their triangles."""
        data, geometry = self.model.createData(), self.shapes.createData()
        pin.updateGeometryPlacements(self.model, data, self.shapes, geometry, self._states(q[None, self._order])[0])
        places = [coal.Transform3s(geometry.oMg[i].rotation, geometry.oMg[i].translation) for i in (pair.first, pair.second)]
        first, second = self._exact[pair.first], self._exact[pair.second]
        return coal.distance(first, places[0], second, places[1], coal.DistanceRequest(), coal.DistanceResult())

    def _add_pairs(self, believed: set[tuple[str, str]]) -> None:
        objects = list(self.shapes.geometryObjects)
        floor = self.shapes.addGeometryObject(
            pin.GeometryObject(_FLOOR, 0, pin.SE3.Identity(), coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0))
        )
        self._links.append(_FLOOR)
        for a, b in combinations(range(len(objects)), 2):
            parent, child = sorted((objects[a].parentJoint, objects[b].parentJoint))
            near = parent == child or self.model.parents[child] == parent
            if not near and tuple(sorted((self._links[a], self._links[b]))) not in believed:
                self.shapes.addCollisionPair(pin.CollisionPair(a, b))
        for a, shape in enumerate(objects):
            if shape.parentJoint:
                self.shapes.addCollisionPair(pin.CollisionPair(a, floor))
        anywhere = self._hull_distances(np.random.default_rng(0).uniform(-2.0, 2.0, (50, len(self._order))))
        constant = np.ptp(anywhere, axis=0) < _CONSTANT
        for pair in [pair for pair, is_constant in zip(self.shapes.collisionPairs, constant, strict=True) if is_constant]:
            self.shapes.removeCollisionPair(pair)


def _believed_pairs(srdf: Path) -> set[tuple[str, str]]:
    pairs = ElementTree.parse(srdf).getroot().findall("disable_collisions")  # noqa: S314 (of a test package)
    names = [sorted((pair.attrib["link1"], pair.attrib["link2"])) for pair in pairs if pair.get("reason") in _BELIEVED]
    return {(first, second) for first, second in names}
