# pyright: basic, reportMissingImports=false
"""The capsules of the library's Panda against the vendor's own meshes: never much smaller, and not much more in the way.

They were fitted to these meshes, so that the bounds guard against a change of the capsules; they are no independent proof.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynident.core.arrays import Array
from dynident.robots import Robot, load_robot
from dynident.robots.geometry.meshes import Mesh, ShapeReader
from dynident.robots.kinematics import link_poses
from dynident.robots.link_shapes import LinkShape, ShapeKind
from dynident.robots.solids import Solid, robot_solids

MESHES = Path(str(pin.__file__)).parents[4] / "share" / "example-robot-data" / "robots" / "panda_description" / "meshes"
pytestmark = pytest.mark.skipif(not MESHES.is_dir(), reason="the Panda's meshes (example-robot-data) are not installed")
LINKS = range(8)  # 0 is the base


def vertices(link: int, kind: str) -> Array:
    name = f"{kind}/link{link}.{'dae' if kind == 'visual' else 'stl'}"
    mesh = ShapeReader().read(LinkShape(kind=ShapeKind.MESH, size=(1.0, 1.0, 1.0), text=str(MESHES / name)))
    assert isinstance(mesh, Mesh), mesh
    return mesh.vertices


@pytest.fixture(scope="module")
def panda() -> Robot:
    return load_robot("panda")


def outside(points: Array, solids: list[Solid]) -> Array:
    """(k,) distance of every point from the union of capsules."""
    found = np.full(len(points), np.inf)
    for solid in solids:
        start, along = solid.points[0], solid.points[-1] - solid.points[0]
        share = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        found = np.minimum(found, np.linalg.norm(points - start - share[:, None] * along, axis=1) - solid.radius)
    return found


@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_no_housing_of_the_panda_is_outside_of_its_capsules(panda: Robot, kind: str) -> None:
    solids = robot_solids(panda).solids
    worst = [outside(vertices(link, kind), [solid for solid in solids if solid.body == link - 1]).max() for link in LINKS]
    assert max(worst) < 0.006  # 4.8 mm, at the foot; the clearance that is kept is 20 mm


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """(N,) between segments ab and cd, each (N, 3) (Ericson, Real-Time Collision Detection, 5.1.9)."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = (np.einsum("ni,ni->n", x, y) for x, y in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    slant = uu * vv - uv * uv
    s = np.clip(np.divide(uv * vw - vv * uw, slant, out=np.zeros_like(slant), where=slant > 1e-12), 0.0, 1.0)
    t = np.clip((uv * s + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
    s = np.clip((uv * t - uw) / np.maximum(uu, 1e-12), 0.0, 1.0)
    return np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)


def test_the_capsules_block_little_more_than_the_meshes_and_miss_nothing(panda: Robot) -> None:
    coal = pytest.importorskip("coal")
    N = 2000
    low, high = panda.position_limits.T
    q = np.random.default_rng(1).uniform(low, high, (N, panda.n))
    poses = np.concatenate([np.tile(np.eye(4), (N, 1, 1, 1)), link_poses(panda, q)], axis=1)
    found = robot_solids(panda)
    names = ["base", *panda.link_names]
    pairs = [(i, j) for i, j in product(LINKS, LINKS) if j > i + 1 and tuple(sorted((names[i], names[j]))) not in found.ignored]
    assert len(pairs) == 20  # the 21 that are no neighbours but the forearm and the flange

    hulls = []
    for link in LINKS:
        corners = coal.StdVec_Vec3s()
        corners.extend(vertices(link, "collision"))
        hulls.append(coal.Convex.convexHull(corners, False, "Qt"))
    placed = [[coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in poses[:, link]] for link in LINKS]
    request, result = coal.DistanceRequest(), coal.DistanceResult()

    def mesh_distance(i: int, j: int, n: int) -> float:
        result.clear()
        return coal.distance(hulls[i], placed[i][n], hulls[j], placed[j][n], request, result)

    def at(point: Array, link: int) -> Array:
        return poses[:, link, :3, :3] @ point + poses[:, link, :3, 3]

    meshes = np.min([[mesh_distance(i, j, n) for n in range(N)] for i, j in pairs], axis=0)
    capsules = np.full(N, np.inf)
    for i, j in pairs:
        for x, y in product(*([solid for solid in found.solids if solid.body == link - 1] for link in (i, j))):
            ends = (at(x.points[0], i), at(x.points[-1], i), at(y.points[0], j), at(y.points[-1], j))
            capsules = np.minimum(capsules, segment_distance(*ends) - x.radius - y.radius)

    clearance = 0.02
    assert np.mean(meshes <= clearance) > 0.03  # the comparison sees collisions
    assert meshes[capsules > clearance].min() > 0.005  # the forearm's hull fills what the forearm leaves open
    assert np.mean((meshes > clearance) & (capsules <= clearance)) < 0.012  # 0.9 %
    near = (meshes > 0.0) & (meshes < 0.05)  # where it matters, distances are alike
    assert abs(np.median(capsules[near] - meshes[near])) < 0.015


def test_the_flange_of_the_panda_never_touches_its_forearm(panda: Robot) -> None:
    """What the library file says of links 5 and 7, whose capsules come near each other: with the real surfaces, over all of joint 6."""
    coal = pytest.importorskip("coal")
    forearm, flange = (coal.MeshLoader().load(str(MESHES / f"visual/link{link}.dae"), np.ones(3)) for link in (5, 7))
    q = np.zeros(7)
    found = []
    low, high = panda.position_limits.T
    for q[5], q[6] in product(np.linspace(low[5], high[5], 7), np.linspace(low[6], high[6], 5)):
        poses = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in link_poses(panda, q)[[4, 6]]]
        found.append(coal.distance(forearm, poses[0], flange, poses[1], coal.DistanceRequest(), coal.DistanceResult()))
    assert min(found) > 0.005
