"""Distances: against closed forms and an optimisation; their derivatives and bounds; which pairs count; what the limits make of them."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls

from dynident import load_robot
from dynident.motions import Box, QuinticTrajectory, check_trajectory, robot_limits
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.gaps import Gaps, SolidModel, join_gaps
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


@pytest.fixture
def sliding(tmp_path: Path):
    """The same with a second joint that slides outwards, and a third that turns on its end."""
    second = '<joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>'
    third = '<joint name="j3" type="revolute"><parent link="two"/><child link="three"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>'
    limit = '<limit lower="-3" upper="3" velocity="2" effort="50"/></joint>'
    text = FOLDING.replace(second, second.replace("revolute", "prismatic").replace("0 0 1", "1 0 0"))
    text = text.replace("</robot>", '<link name="three">{inertial}{box}</link>' + third + limit + "</robot>")
    file = tmp_path / "sliding.urdf"
    file.write_text(text.format(box=BOX, inertial=INERTIAL))
    robot = load_robot(file)
    assert [joint.type.value for joint in robot.joints] == ["revolute", "prismatic", "revolute"]
    return robot


@pytest.fixture
def branched(tmp_path: Path):
    """Two arms of two joints on one turning body, whose joints alternate in the file."""
    joint = (
        '<link name="{1}">{{inertial}}{{box}}</link><joint name="to_{1}" type="revolute"><parent link="{0}"/><child link="{1}"/>'
        '<origin xyz="0.2 {2} 0" rpy="0.3 0 {2}"/><axis xyz="0 {3} 1"/><limit lower="-2" upper="2" velocity="2" effort="50"/></joint>'
    )
    rows = [("base", "body", 0, 0), ("body", "a1", 0.3, 0), ("body", "b1", -0.3, 0), ("a1", "a2", 0.1, 1), ("b1", "b2", 0.1, 1)]
    text = '<robot name="branched"><link name="base">{box}</link>' + "".join(joint.format(*row) for row in rows) + "</robot>"
    file = tmp_path / "branched.urdf"
    file.write_text(text.format(box=BOX, inertial=INERTIAL))
    return load_robot(file)


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


def still(*solids: tuple[np.ndarray, float], plane: np.ndarray | None = None) -> Gaps:
    """The gap of two solids, corners and radii, that stand on the base, or of one and a plane."""
    on_base = tuple(Solid(body=-1, points=np.asarray(points, dtype=float), radius=radius, name="") for points, radius in solids)
    row = (0, 1, np.zeros(4), 0.0, "", "") if plane is None else (0, -1, plane, 0.0, "", "")
    return join_gaps(SolidModel(robot=PANDA, solids=on_base), [row])


def distance(*solids: tuple[np.ndarray, float], plane: np.ndarray | None = None) -> float:
    return float(still(*solids, plane=plane).margins(np.zeros((1, 7)))[0, 0])


def box(half, centre=(0.0, 0.0, 0.0)) -> np.ndarray:
    return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half + centre


def rotations(rng, count) -> np.ndarray:
    Q = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    return Q * np.linalg.det(Q)[:, None, None]


def between_segments(A, B) -> float:
    """In closed form: the least of where both lines are nearest, if that is on both segments, and of the ends against the other segment."""
    u, v, r = A[1] - A[0], B[1] - B[0], A[0] - B[0]
    distances = []
    if (determinant := (u @ u) * (v @ v) - (u @ v) ** 2) > 1e-12 * (u @ u) * (v @ v):
        s, t = ((u @ v) * (v @ r) - (u @ r) * (v @ v)) / determinant, ((u @ u) * (v @ r) - (u @ v) * (u @ r)) / determinant
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            distances.append(np.linalg.norm(r + s * u - t * v))
    for ends, (start, end) in ((A, B), (B, A)):
        along = end - start
        for point in ends:
            share = np.clip((point - start) @ along / (along @ along), 0.0, 1.0) if along @ along > 0.0 else 0.0
            distances.append(np.linalg.norm(point - start - share * along))
    return float(min(distances))


def test_distances_of_balls_are_those_of_their_centres():
    rng = np.random.default_rng(0)
    for a, b in rng.normal(size=(20, 2, 1, 3)):
        assert distance((a, 0.3), (b, 0.2)) == pytest.approx(np.linalg.norm(a - b) - 0.5, abs=1e-12)


@pytest.mark.parametrize("kind", ["any", "points", "parallel", "crossing", "collinear"])
def test_distances_of_capsules_are_those_of_their_segments(kind):
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(2, 30, 2, 3))
    if kind == "points":
        A[:, 1] = A[:, 0]
    elif kind == "parallel":
        B[:, 1] = B[:, 0] + rng.normal(size=(30, 1)) * (A[:, 1] - A[:, 0])
    elif kind == "crossing":
        B[:, 1] = A.mean(axis=1) + 0.5 * (A.mean(axis=1) - B[:, 0])
    elif kind == "collinear":
        s = np.sort(rng.normal(size=(30, 4)), axis=1)
        line = A[:, 1] - A[:, 0]
        A, B = (A[:, :1] + s[:, k : k + 2, None] * line[:, None] for k in (0, 2))
    for a, b in zip(A, B, strict=True):
        assert distance((a, 0.1), (b, 0.05)) == pytest.approx(between_segments(a, b) - 0.15, abs=1e-7)


def test_distances_of_the_panda_s_capsules_are_those_of_their_segments():
    gaps, q = model_of(PANDA).gaps(robot_limits(PANDA)), random_positions(PANDA, 20)
    poses = np.concatenate([link_poses(PANDA, q), np.broadcast_to(np.eye(4), (20, 1, 4, 4))], axis=1)
    solids = gaps.model.solids
    placed = [poses[:, None, s.body, :3, :3] @ s.points[[0, -1], :, None] + poses[:, None, s.body, :3, 3:] for s in solids]
    for k, (a, b) in enumerate(zip(gaps.first, gaps.second, strict=True)):
        if b >= 0:
            apart = [between_segments(*ends) for ends in zip(placed[a][..., 0], placed[b][..., 0], strict=True)]
        else:
            apart = (placed[a][..., 0] @ gaps.planes[k, :3]).min(axis=1) - gaps.planes[k, 3]
        expected = np.array(apart) - solids[a].radius - (solids[b].radius if b >= 0 else 0.0) - gaps.wanted[k]
        np.testing.assert_allclose(gaps.margins(q)[:, k], expected, atol=1e-9)


def test_distances_of_boxes_are_those_of_their_sides():
    rng = np.random.default_rng(1)
    for centre in rng.normal(size=(30, 3)):
        half = rng.uniform(0.05, 0.3, (2, 3))
        apart = np.abs(centre) - half.sum(axis=0)
        expected = np.linalg.norm(np.maximum(apart, 0.0)) if np.any(apart > 0.0) else apart.max()
        assert distance((box(half[0]), 0.02), (box(half[1], centre), 0.0)) == pytest.approx(expected - 0.02, abs=2e-6)


@pytest.mark.parametrize("count", [(1, 12), (2, 2), (4, 1), (8, 8), (30, 40)])
def test_distances_of_hulls_are_those_of_the_nearest_weighted_corners(count):
    """Least squares over weights that are not negative; that they sum to one is a row with a large weight."""
    rng, apart = np.random.default_rng(sum(count)), 0
    for R, shift in zip(rotations(rng, 30), 0.3 * rng.normal(size=(30, 3)), strict=True):
        A, B = (0.1 * rng.normal(size=(k, 3)) for k in count)
        B = B @ R.T + shift
        sums = 1e3 * np.repeat(np.eye(2), count, axis=1)
        rows = np.vstack([np.hstack([A.T, -B.T]), sums])
        expected = nnls(rows, np.array([0.0, 0.0, 0.0, 1e3, 1e3]))[1]
        found = distance((A, 0.02), (B, 0.02))
        apart += expected > 1e-3
        assert found == pytest.approx(expected - 0.04, abs=5e-6) if expected > 1e-3 else found <= -0.04 + 1e-3
    assert apart > 10


@pytest.mark.parametrize("count", [1, 2, 3, 4, 30])
def test_distances_from_planes_are_those_of_the_lowest_corner(count):
    rng = np.random.default_rng(count)
    for R in rotations(rng, 20):
        points, normal, offset = rng.normal(size=(count, 3)), R[2], 0.3
        expected = (points @ normal).min() - offset - 0.05
        assert distance((points, 0.05), plane=np.append(normal, offset)) == pytest.approx(expected, abs=1e-3 if count == 3 else 1e-9)


@pytest.mark.parametrize("shapes", ["panda", "hulls"])
def test_gradients_are_derivatives(shapes):
    gaps = model_of(PANDA).gaps(robot_limits(PANDA)) if shapes == "panda" else all_pairs(hulls_on(PANDA))
    q, h = random_positions(PANDA, 20), 1e-6 if shapes == "panda" else 1e-3
    near = gaps.near(q, 0.1)
    margins = gaps.margins(q)
    rows, of = np.nonzero(margins < 0.1)
    np.testing.assert_array_equal([near.rows, near.gaps], [rows, of])
    np.testing.assert_allclose(near.margins, margins[rows, of], atol=1e-12)
    moved = [(gaps.margins(q + h * e) - gaps.margins(q - h * e))[near.rows, near.gaps] / (2 * h) for e in np.eye(7)]
    assert len(near.rows) > 20
    difference = np.abs(near.gradients - np.array(moved).T).max(axis=1)
    assert np.quantile(difference, 0.9) < (1e-8 if shapes == "panda" else 2e-3)  # a hull's nearest corner may change within the step
    assert shapes == "hulls" or difference.max() < 1e-8


def test_a_branched_robot_has_the_distances_and_gradients_of_its_links(branched):
    names = [joint.name for joint in branched.joints]
    assert {branched.joints[names.index(name)].parent for name in ("to_a1", "to_b1")} == {names.index("to_body")}
    balls = [Solid(body=body, points=np.array([[0.3, 0.0, 0.0]]), radius=0.1, name=str(body)) for body in (-1, 0, 1, 2, 3, 4)]
    model = SolidModel(robot=branched, solids=tuple(balls))
    gaps = join_gaps(model, [(a, b, np.zeros(4), 0.0, "pairs", "") for a in range(6) for b in range(a)])
    q, h = random_positions(branched, 30), 1e-6
    place = np.concatenate([np.broadcast_to(np.eye(4), (30, 1, 4, 4)), link_poses(branched, q)], axis=1)
    centres = place[..., :3, :3] @ [0.3, 0.0, 0.0] + place[..., :3, 3]
    expected = np.linalg.norm(centres[:, gaps.first] - centres[:, gaps.second], axis=2) - 0.2
    np.testing.assert_allclose(gaps.margins(q), expected, atol=1e-12)
    near = gaps.near(q, np.inf)
    moved = [(gaps.margins(q + h * e) - gaps.margins(q - h * e))[near.rows, near.gaps] / (2 * h) for e in np.eye(5)]
    assert len(near.rows) == expected.size
    np.testing.assert_allclose(near.gradients, np.array(moved).T, atol=1e-7)


def test_nothing_is_near_where_all_is_far():
    gaps = still((np.zeros((1, 3)), 0.1), (np.ones((1, 3)), 0.1))
    near = gaps.near(np.zeros((3, 7)), 0.5)
    assert (len(near.rows), len(near.gaps), near.margins.shape, near.gradients.shape) == (0, 0, (0,), (0, 7))


def test_rows_below_are_all_with_a_margin_below():
    gaps = all_pairs(hulls_on(PANDA))
    q = random_positions(PANDA, 200)
    margins = gaps.margins(q)
    for below in (-0.05, 0.0, 0.1):
        rows = gaps.rows_below(q, below)
        assert set(np.flatnonzero(np.any(margins < below, axis=1))) <= set(rows)
        assert set(rows) <= set(np.flatnonzero(np.any(margins + gaps.wanted < np.maximum(below + gaps.wanted, 0.0) + 1e-4, axis=1)))


def test_rows_below_miss_none_by_rounding():
    every, q = all_pairs(hulls_on(PANDA)), random_positions(PANDA, 30)
    for k in range(len(every)):
        gap = every.select(np.arange(len(every)) == k)
        margins = gap.margins(q)[:, 0]
        apart = np.flatnonzero(margins + gap.wanted > 1e-3)
        assert [gap.rows_below(q[[row]], margins[row] + 1e-9).tolist() for row in apart] == [[0]] * len(apart)


def test_a_distance_does_not_depend_on_those_before():
    gaps, q = all_pairs(hulls_on(PANDA)), random_positions(PANDA, 50)
    once = gaps.margins(q)
    np.testing.assert_array_equal(gaps.margins(q[::-1])[::-1], once)
    np.testing.assert_array_equal(np.concatenate([gaps.margins(row[None]) for row in q]), once)


def test_threads_do_not_disturb_each_other():
    gaps, q = all_pairs(hulls_on(PANDA)), random_positions(PANDA, 400)
    parts = np.array_split(q, 8)
    with ThreadPoolExecutor(4) as pool:
        found = np.concatenate(list(pool.map(gaps.margins, parts)))
    np.testing.assert_array_equal(found, gaps.margins(q))


@pytest.mark.parametrize("shapes", ["panda", "hulls", "sliding", "branched"])
def test_no_point_is_farther_from_an_axis_than_the_reach_of_its_joint(shapes, sliding, branched):
    robot = {"sliding": sliding, "branched": branched}.get(shapes, PANDA)
    model = hulls_on(PANDA) if shapes == "hulls" else model_of(robot).model
    q = random_positions(robot, 300)
    reaches, poses = model.reaches(np.abs(q).max(axis=0)), link_poses(robot, q)
    assert np.all(reaches[[joint.type.value == "prismatic" for joint in robot.joints]] == 1.0)
    used = []
    for j, joint in enumerate(robot.joints):
        before = np.broadcast_to(joint.placement, (300, 4, 4)) if joint.parent < 0 else poses[:, joint.parent] @ joint.placement
        for s, solid in enumerate(model.solids):
            if joint.type.value != "prismatic":
                place = np.broadcast_to(np.eye(4), (300, 4, 4)) if solid.body < 0 else poses[:, solid.body]
                arms = [place[:, :3, :3] @ point + place[:, :3, 3] - before[:, :3, 3] for point in solid.points]
                farthest = np.linalg.norm(np.cross(before[:, :3, :3] @ joint.axis, arms), axis=-1).max() + solid.radius
                assert farthest <= reaches[j, s] + 1e-9
                used.append(farthest / max(reaches[j, s], 1e-9))
    assert max(used) > 0.9  # of a point on the axis it is 0


@pytest.mark.parametrize("shapes", ["panda", "hulls", "sliding", "branched"])
def test_no_distance_changes_more_than_its_joints_allow(shapes, sliding, branched):
    robot = {"sliding": sliding, "branched": branched}.get(shapes, PANDA)
    gaps = all_pairs(hulls_on(PANDA)) if shapes == "hulls" else model_of(robot).gaps(robot_limits(robot, floor=-1.0))
    rng = np.random.default_rng(5)
    q = random_positions(robot, 60)
    half = rng.uniform(0.0, 0.3, q.shape) * rng.integers(0, 2, q.shape)
    L = gaps.lipschitz(np.abs(q).max(axis=0) + 0.3)
    assert np.all(np.abs((near := gaps.near(q, 10.0)).gradients) <= L[near.gaps] + 1e-9)
    before, allowed = gaps.margins(q), half @ L.T
    largest = np.zeros_like(before)
    for _ in range(20):
        change = np.abs(gaps.margins(q + half * rng.choice([-1.0, -0.5, 0.5, 1.0], q.shape)) - before)
        largest = np.maximum(largest, change)
        assert np.all(largest <= allowed + 1e-5)
    assert (largest[allowed > 0.0] / allowed[allowed > 0.0]).max() > 0.8  # some are nearly reached


def test_joints_that_change_no_distance_don_t_count():
    gaps = model_of(PANDA).gaps(robot_limits(PANDA))
    first_joint = gaps.lipschitz(np.zeros(7))[:, 0]
    for k in range(len(gaps)):
        is_floor, at_base = gaps.second[k] < 0, gaps.places[k].startswith("base")
        assert (first_joint[k] == pytest.approx(0.0, abs=1e-12)) == (is_floor or not at_base)


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


def test_flat_hulls_and_rods_are_thickened_a_little():
    square, ball = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), np.array([[0.5, 0.5, 5.0]])
    assert 4.9 - 1e-3 <= distance((square, 0.0), (ball, 0.1)) <= 4.9
    rod = np.linspace([0.0, 0.0, 0.0], [1.0, 1.0, 0.0], 5) + 1e-6 * np.eye(3)[[0, 1, 2, 0, 1]]
    assert 4.9 - 1e-3 <= distance((rod, 0.0), (ball, 0.1)) <= 4.9
