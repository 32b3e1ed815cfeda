"""Distances: compiled, in NumPy and by coal; their derivatives; which pairs count; and what the limits make of them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.arrays import freeze
from dynident.motions import Box, QuinticTrajectory, check_trajectory, robot_limits
from dynident.motions.limits import gap_kernels, gap_reference, hull_kernels
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.gaps import SolidModel, join_gaps
from dynident.motions.limits.hulls import HullEngine, enclosing_capsule
from dynident.robots import link_poses
from dynident.robots.solids import Solid
from tests.facts import carries

#: Three boxes in a row on hinges: the outer one can fold back onto the base.
FOLDING = """<robot name="folding"><link name="base">{box}</link>
<link name="one">{inertial}{box}</link><link name="two">{inertial}{box}</link>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="2" effort="50"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="2" effort="50"/></joint></robot>"""
BOX = '<collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.05 0.05"/></geometry></collision>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'


PANDA = load_robot("panda")


@pytest.fixture
def folding(tmp_path: Path) -> Path:
    file = tmp_path / "folding.urdf"
    file.write_text(FOLDING.format(box=BOX, inertial=INERTIAL))
    return file


def model_of(robot) -> CollisionModel:
    model, note = CollisionModel.of_robot(robot)
    assert model is not None
    assert note == ""
    return model


def random_positions(robot, count, seed=0) -> np.ndarray:
    low, high = robot.drawn_range.T
    return np.random.default_rng(seed).uniform(low, high, (count, robot.n))


def hulls_on(robot, *, seed=0) -> SolidModel:
    """A ball, a capsule and a hull with rounded corners on different links."""
    rng = np.random.default_rng(seed)
    points = {-1: 8, 1: 1, 3: 2, 5: 12, 6: 2}
    solids = [
        Solid(body=body, points=0.08 * rng.normal(size=(count, 3)), radius=0.03, name=f"solid{body}") for body, count in points.items()
    ]
    return SolidModel(robot=robot, solids=tuple(solids))


def all_pairs(model: SolidModel):
    rows = [(a, b, np.zeros(4), 0.01, "pairs", "") for a in range(5) for b in range(a)]
    plane = np.array([0.6, 0.0, 0.8, -0.2])
    return join_gaps(model, [*rows, *((a, -1, plane, 0.02, "planes", "") for a in range(1, 5))])


@pytest.mark.parametrize("robot", ["panda", "planar_2r"])
def test_compiled_distances_are_those_of_numpy_and_of_coal(robot, monkeypatch):
    machine = load_robot(robot)
    model = model_of(machine)
    gaps, q = model.gaps(robot_limits(machine)), random_positions(machine, 100)
    compiled, at = gaps.margins(q), model.model.place(q)
    for enough in (0.05, -0.03):
        rough = gaps.margins(q, enough)
        assert np.all(rough <= compiled + 1e-12)
        np.testing.assert_array_equal(rough[rough < enough], compiled[compiled < enough])
    np.testing.assert_allclose(at.poses[:, :-1], link_poses(machine, q)[:, :, :3], atol=1e-12)
    rows, pairs = np.nonzero(np.broadcast_to(gaps.second >= 0, compiled.shape))
    by_coal = [gaps._contact(at, row, pair)[0] for row, pair in zip(rows, pairs, strict=True)]
    np.testing.assert_allclose(by_coal, compiled[rows, pairs], atol=1e-9)
    np.testing.assert_allclose(gaps.exact(at, rows, pairs), compiled[rows, pairs], atol=1e-9)
    monkeypatch.setenv("DYNIDENT_KERNELS", "reference")
    np.testing.assert_allclose(gaps.margins(q), compiled, atol=1e-12)


@pytest.mark.parametrize("kind", ["any", "points", "parallel", "crossing", "collinear"])
def test_distances_of_segments_in_special_positions(kind):
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(2, 50, 2, 3))
    if kind == "points":
        A[:, 1] = A[:, 0]
    elif kind == "parallel":
        B[:, 1] = B[:, 0] + rng.normal(size=(50, 1)) * (A[:, 1] - A[:, 0])
    elif kind == "crossing":
        B[:, 1] = A.mean(axis=1) + 0.5 * (A.mean(axis=1) - B[:, 0])
    elif kind == "collinear":
        s = np.sort(rng.normal(size=(50, 4)), axis=1)
        line = A[:, 1] - A[:, 0]
        A, B = (A[:, :1] + s[:, k : k + 2, None] * line[:, None] for k in (0, 2))
    found = []
    first, second, radii, planes = (freeze(np.array(values)) for values in ([0], [1], [0.0, 0.0], [[0.0] * 4]))
    for kernels in (gap_kernels, gap_reference):
        out = np.empty((50, 1))
        kernels.gap_distances(np.stack([A, B], axis=1), radii, first, second, planes, freeze(np.array([np.inf])), out)
        found.append(out[:, 0])
    s, t = np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2)
    points = [E[:, :1] + x.ravel()[None, :, None] * (E[:, 1:] - E[:, :1]) for E, x in ((A, s), (B, t))]
    on_grid = np.linalg.norm(points[0] - points[1], axis=2).min(axis=1)
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    assert np.all(found[0] <= on_grid + 1e-12)
    np.testing.assert_allclose(found[0], on_grid, atol=0.04)


@pytest.mark.parametrize("kernels", ["numba", "reference"])
@pytest.mark.parametrize("shapes", ["panda", "hulls"])
def test_gradients_are_derivatives(shapes, kernels, monkeypatch):
    monkeypatch.setenv("DYNIDENT_KERNELS", kernels)
    gaps = model_of(PANDA).gaps(robot_limits(PANDA)) if shapes == "panda" else all_pairs(hulls_on(PANDA))
    q, h = random_positions(PANDA, 20), 1e-6 if shapes == "panda" else 1e-4
    near = gaps.near(q, 0.1)
    moved = [(gaps.margins(q + h * e) - gaps.margins(q - h * e))[near.rows, near.gaps] / (2 * h) for e in np.eye(7)]
    assert len(near.rows) > 20
    difference = np.abs(near.gradients - np.array(moved).T).max(axis=1)
    assert np.quantile(difference, 0.9) < 1e-4  # a hull's nearest corner may change within the step
    assert shapes == "hulls" or difference.max() < 1e-8


@pytest.mark.parametrize("count", [(1, 12), (2, 2), (4, 1), (8, 8), (30, 40)])
@pytest.mark.parametrize("turned", [False, True])
def test_distances_of_hulls_are_those_of_coal(count, turned):
    rng = np.random.default_rng(sum(count))
    boxes = [np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-0.5, 0.5)]) * 0.1 for _ in range(2)]
    points = boxes if count == (8, 8) else [0.1 * rng.normal(size=(k, 3)) for k in count]
    solids = tuple(Solid(body=body, points=at, radius=0.02, name="") for body, at in zip((-1, 0), points, strict=True))
    poses = np.zeros((300, 2, 3, 4))
    poses[..., :3] = np.eye(3)
    if turned:
        Q = np.linalg.qr(rng.normal(size=(300, 3, 3)))[0]
        poses[:, 0, :, :3] = Q * np.linalg.det(Q)[:, None, None]
    poses[:, 0, :, 3] = 0.3 * rng.normal(size=(300, 3))
    distances, own, other = np.empty(300), np.empty((300, 3)), np.empty((300, 3))
    corners, starts = np.concatenate(points), np.cumsum([0, *(len(at) for at in points)])
    shape = (corners, starts, np.array([0.02, 0.02]), np.array([-1, 0]), np.array([0]), np.array([1]), np.zeros((1, 4)))
    rows, gaps = np.arange(300), np.zeros(300, dtype=np.int64)
    hull_kernels.hull_distances(poses, *map(freeze, shape), freeze(rows), freeze(gaps), distances, own, other)
    engine = HullEngine(solids)
    expected = np.array([engine.contact(0, 1, pose[1], pose[0]).distance for pose in poses])
    apart = ~np.isnan(distances)
    np.testing.assert_allclose(distances[apart], expected[apart], atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(other - own, axis=1)[apart] - 0.04, expected[apart], atol=1e-7)
    assert np.all(expected[~apart] <= -0.04 + 1e-6)
    assert apart.sum() > 150


def test_capsules_hold_their_solids_and_give_lower_bounds():
    model = hulls_on(PANDA)
    for solid in model.solids:
        ends, radius = enclosing_capsule(solid)
        u = ends[1] - ends[0]
        s = np.clip((solid.points - ends[0]) @ u / max(u @ u, 1e-30), 0.0, 1.0)
        assert np.all(np.linalg.norm(solid.points - ends[0] - s[:, None] * u, axis=1) + solid.radius <= radius + 1e-12)
    gaps, q = all_pairs(model), random_positions(PANDA, 50)
    exact, bounds = gaps.margins(q), gaps.margins(q, enough=-np.inf)
    assert np.all(bounds <= exact + 1e-9)
    some = gaps.margins(q, enough=0.05)
    np.testing.assert_array_equal(some[some < 0.05], exact[exact < 0.05])


@pytest.mark.parametrize("kernels", ["numba", "reference"])
@pytest.mark.parametrize("hulls", [False, True])
def test_no_distance_changes_more_than_its_joints_allow(hulls, kernels, monkeypatch):
    monkeypatch.setenv("DYNIDENT_KERNELS", kernels)
    gaps = all_pairs(hulls_on(PANDA)) if hulls else model_of(PANDA).gaps(robot_limits(PANDA))
    rng = np.random.default_rng(5)
    q = random_positions(PANDA, 60)
    half = rng.uniform(0.0, 0.3, q.shape) * rng.integers(0, 2, q.shape)
    rows, of = np.repeat(np.arange(60), len(gaps)), np.tile(np.arange(len(gaps)), 60)
    allowed = gaps.travel(gaps.model.place(q), half, rows, of).reshape(60, -1)
    before = gaps.margins(q)
    largest = np.zeros_like(before)
    for _ in range(40):
        change = np.abs(gaps.margins(q + half * rng.choice([-1.0, -0.5, 0.5, 1.0], q.shape)) - before)
        largest = np.maximum(largest, np.where(before > 0.0, change, 0.0))
        assert np.all(largest <= allowed + 1e-9)
    used = (largest / np.where(allowed > 0.0, allowed, np.inf))[before > 0.0]
    assert used.max() > 0.8  # the bound is nearly reached


def test_joints_that_change_no_distance_don_t_count():
    gaps = model_of(PANDA).gaps(robot_limits(PANDA))
    at, one = gaps.model.place(np.zeros((1, 7))), np.array([0])
    for k in range(len(gaps)):
        still = gaps.travel(at, np.eye(7)[[0]], one, np.array([k]))[0]
        is_floor, at_base = gaps.second[k] < 0, gaps.places[k].startswith("base")
        assert (still == pytest.approx(0.0, abs=1e-12)) == (is_floor or not at_base)


def test_boxes_of_a_urdf_have_their_distances_and_neighbours_are_ignored(folding):
    robot = load_robot(folding)
    model = model_of(robot)
    assert len(model.pairs) == 1
    gaps = model.gaps(robot_limits(robot, clearance=0.0, floor=None))
    np.testing.assert_allclose(gaps.margins(np.array([[0.0, 0.0]])), 0.5)  # from x = 0.3 to x = 0.8


def test_self_collision_is_found(folding):
    robot = load_robot(folding)
    limits = robot_limits(robot, clearance=0.01, floor=None)
    folded = QuinticTrajectory(joints=("j1", "j2"), start=[0.0, 0.0], end=[2.3, 2.4], duration=4.0)
    report = check_trajectory(folded, robot, limits, rate=500.0)
    assert [margin.name for margin in report.broken] == ["self-collision"]
    assert report.broken[0].where == "base and two"
    stretched = replace(folded, end=np.array([0.5, 0.5]))
    report = check_trajectory(stretched, robot, limits, rate=500.0)
    assert report.holds
    assert report.margins[-1].distance == pytest.approx(report.margins[-1].margin + 0.01)
    assert carries(str(report), "least")


def test_pairs_that_the_srdf_names_are_not_kept_apart(folding):
    pair = '<robot name="folding"><disable_collisions link1="two" link2="base" reason="{}"/></robot>'
    (folding.parent / "folding.srdf").write_text(pair.format("Never"))
    assert model_of(load_robot(folding)).pairs == ()
    (folding.parent / "folding.srdf").write_text(pair.format("Default"))
    assert len(model_of(load_robot(folding)).pairs) == 1


def test_the_floor_is_for_links_that_can_go_down():
    gaps = model_of(PANDA).gaps(robot_limits(PANDA))
    on_floor = {place for place, limit in zip(gaps.places, gaps.limits, strict=True) if limit == "floor"}
    assert {"panda_link3", "panda_link5", "tool"} & on_floor or {"link3", "link5", "tool"} <= on_floor
    assert not {"base", "link0", "link1"} & on_floor


def test_a_box_is_for_the_links_that_it_names():
    box = Box(lower=[-np.inf, -1.0, 0.0], upper=[np.inf, 1.0, np.inf], frames=(PANDA.link_names[2], "tool"), name="cell")
    model = model_of(PANDA)
    gaps = model.gaps(robot_limits(PANDA, boxes=(box,), floor=None, clearance=None))
    solids = sum(solid.body == 2 for solid in model.model.solids)
    assert gaps.limits == ("cell",) * (3 * (solids + 1))
    outside = gaps.margins(random_positions(PANDA, 50))[:, -3:]
    tool = (link_poses(PANDA, random_positions(PANDA, 50))[:, -1] @ PANDA.tool)[:, :3, 3]
    np.testing.assert_allclose(np.sort(outside, axis=1), np.sort(np.column_stack([tool[:, 1] + 1, 1 - tool[:, 1], tool[:, 2]]), axis=1))


def test_solids_travel_between_processes_with_their_engine():
    model = hulls_on(PANDA)
    gaps, q = all_pairs(model), random_positions(PANDA, 5)
    before = gaps.margins(q)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(gaps)).margins(q), before)  # noqa: S301


def test_flat_hulls_count_as_the_capsule_that_holds_them():
    square = Solid(body=-1, points=np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), radius=0.0, name="plate")
    ball = Solid(body=0, points=np.zeros((1, 3)), radius=0.1, name="ball")
    ends, radius = enclosing_capsule(square)
    away = np.column_stack([np.eye(3), [0.5, 0.5, 5.0]])
    found = HullEngine((square, ball)).contact(0, 1, np.eye(4)[:3], away).distance
    assert 5.0 - 0.1 - radius - 1e-9 <= found <= 4.9
    assert ends.shape == (2, 3)
