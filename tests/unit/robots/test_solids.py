"""Solids of links: exact or larger for every form, from the first source that has them, never without a word about what is missing."""

from pathlib import Path

import numpy as np
import pytest

from dynident.errors import FileError, InputError, ValueRangeError
from dynident.motions.limits.collision import CollisionModel
from dynident.robots import library_names, load_robot
from dynident.robots.geometry.forms import primitive_hull
from dynident.robots.geometry.meshes import thin_hull
from dynident.robots.kinematics import link_poses
from dynident.robots.link_shapes import LinkShape
from dynident.robots.solids import Origin, Solid, robot_solids, thickness
from tests.facts import carries, raises


def directions(count: int, seed: int = 0) -> np.ndarray:
    u = np.random.default_rng(seed).normal(size=(count, 3))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def support(solid, u: np.ndarray) -> np.ndarray:
    """How far a rounded hull reaches along every direction: what contains it reaches as far along all of them."""
    return (u @ solid.points.T).max(axis=1) + solid.radius


@pytest.mark.parametrize(
    ("kind", "size", "reach", "excess"),
    [
        ("box", (0.2, 0.4, 0.6), lambda u: np.abs(u) @ [0.1, 0.2, 0.3], 1e-12),
        ("capsule", (0.3, 0.0), lambda u: np.full(len(u), 0.3), 1e-12),
        ("capsule", (0.1, 0.8), lambda u: 0.4 * np.abs(u[:, 2]) + 0.1, 1e-12),
        ("cylinder", (0.1, 0.8), lambda u: 0.4 * np.abs(u[:, 2]) + 0.1 * np.hypot(u[:, 0], u[:, 1]), 0.002),
        ("ellipsoid", (0.1, 0.2, 0.3), lambda u: np.linalg.norm(u * [0.1, 0.2, 0.3], axis=1), 0.012),
    ],
)
def test_a_forms_hull_contains_it_and_little_more(kind, size, reach, excess) -> None:
    u = np.vstack([directions(2000), np.eye(3), -np.eye(3)])
    more = support(primitive_hull(LinkShape(kind=kind, size=size)), u) - reach(u)
    assert more.min() > -1e-12
    assert more.max() <= excess


def test_a_meshs_hull_contains_every_vertex() -> None:
    rng = np.random.default_rng(1)
    vertices = directions(400, 2) * [0.1, 0.06, 0.2] + 0.0005 * rng.normal(size=(400, 3))
    hull = thin_hull(vertices)
    assert len(hull.points) <= 64
    assert 0.0 < hull.radius < 0.008
    u = directions(5000, 3)
    assert np.all(support(hull, u) >= (u @ vertices.T).max(axis=1) - 1e-12)
    assert {tuple(corner) for corner in hull.points} <= {tuple(vertex) for vertex in vertices}  # only the radius is more


def test_a_mesh_of_few_corners_is_its_corners() -> None:
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
    hull = thin_hull(np.vstack([corners, [[0.5, 0.5, 0.5], [0.5, 1.0, 3.0]]]))
    assert hull.radius == 0.0
    np.testing.assert_array_equal(np.unique(hull.points, axis=0), np.unique(corners, axis=0))


def test_a_flat_mesh_is_the_box_around_it() -> None:
    points, radius = thin_hull(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
    assert radius == 0.0
    np.testing.assert_array_equal(points, [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]])


URDF = """<robot name="r">
<link name="a"><visual><geometry><box size="9 9 9"/></geometry></visual>
  <collision><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/><geometry><box size="0.2 0.4 1"/></geometry></collision></link>
<link name="b">{b}</link><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
BALL = '<{role}><geometry><sphere radius="{radius}"/></geometry></{role}>'
LOST = '<{role}><geometry><mesh filename="package://p/absent.stl"/></geometry></{role}>'


def urdf(folder: Path, b: str = "", name: str = "r") -> Path:
    file = folder / f"{name}.urdf"
    file.write_text(URDF.format(b=b))
    return file


def test_collision_shapes_come_before_visual_ones(tmp_path: Path) -> None:
    both = BALL.format(role="visual", radius=0.3) + BALL.format(role="collision", radius=0.1)
    found = robot_solids(load_robot(urdf(tmp_path, both)))
    assert [(solid.body, solid.name, solid.radius, solid.origin) for solid in found.solids] == [
        (-1, "a", 0.0, Origin.COLLISION),
        (0, "b", 0.1, Origin.COLLISION),
    ]
    assert carries(found.source, "collision")
    assert found.notes == ()
    low, high = found.solids[0].points.min(axis=0), found.solids[0].points.max(axis=0)
    np.testing.assert_allclose([low, high], [[-0.5, -0.2, 0.4], [0.5, 0.2, 0.6]], atol=1e-12)


def test_a_link_without_collision_shapes_has_its_visual_ones(tmp_path: Path) -> None:
    found = robot_solids(load_robot(urdf(tmp_path, BALL.format(role="visual", radius=0.3))))
    assert [solid.origin for solid in found.solids] == [Origin.COLLISION, Origin.VISUAL]
    assert carries(found.source, "collision", "visual")


def test_a_collision_mesh_that_is_absent_is_the_visual_shape_and_a_note(tmp_path: Path) -> None:
    found = robot_solids(load_robot(urdf(tmp_path, LOST.format(role="collision") + BALL.format(role="visual", radius=0.3))))
    assert found.solids[1].radius == 0.3
    assert found.notes == ("mesh 'package://p/absent.stl' was not found", "visual shapes stand for the collision shapes of b")


def test_a_link_whose_meshes_are_absent_is_a_capsule_and_a_note_that_names_it(tmp_path: Path) -> None:
    robot = load_robot(urdf(tmp_path, LOST.format(role="collision") + LOST.format(role="visual")))
    found = robot_solids(robot)
    assert [solid.origin for solid in found.solids] == [Origin.COLLISION, Origin.KINEMATIC]
    np.testing.assert_array_equal(found.solids[1].points, [[0, 0, 0], [0.3, 0, 0]])
    assert carries(found.notes[-1], "capsules", "b", f"{thickness(robot):.3g} m")
    assert carries(found.source, "capsules", f"{thickness(robot):.3g} m")


def test_collisions_are_not_known_where_meshes_are_absent_though_other_links_have_shapes(tmp_path: Path) -> None:
    """As of an arm whose gripper has boxes, and whose package is not there."""
    robot = load_robot(urdf(tmp_path, LOST.format(role="collision") + LOST.format(role="visual")))
    assert {solid.origin for solid in robot_solids(robot).solids} == {Origin.COLLISION, Origin.KINEMATIC}
    model, reason = CollisionModel.of_robot(robot)
    assert model is None
    assert carries(reason, "package://p/absent.stl")
    whole = load_robot(urdf(tmp_path, LOST.format(role="collision") + BALL.format(role="visual", radius=0.3)))
    assert CollisionModel.of_robot(whole)[0] is not None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("garbage", "mesh 'x.stl' can't be read (Could not load resource x.stl"),
        (
            "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n",
            "is no number",
        ),
    ],
)
def test_a_mesh_that_is_none_is_a_note(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "x.stl").write_text(content)
    found = robot_solids(load_robot(urdf(tmp_path, '<collision><geometry><mesh filename="x.stl"/></geometry></collision>')))
    assert words in found.notes[0]
    assert found.solids[1].origin is Origin.KINEMATIC


def test_a_negative_length_is_one_sentence_with_its_link(tmp_path: Path) -> None:
    robot = load_robot(urdf(tmp_path, BALL.format(role="collision", radius=-0.1)))
    with raises(InputError, "<sphere>", -0.1, "link 'b'"):
        robot_solids(robot)


def test_a_cylinder_with_balls_at_its_ends_is_one_capsule(tmp_path: Path) -> None:
    shapes = [("0 0 0", 'cylinder radius="0.1" length="0.6"'), ("0 0 0.3", 'sphere radius="0.1"'), ("0 0 -0.3", 'sphere radius="0.1"')]
    shapes += [("1 0 0", 'sphere radius="0.1"')]
    text = "".join(f'<collision><origin xyz="{xyz}"/><geometry><{form}/></geometry></collision>' for xyz, form in shapes)
    _, ball, capsule = robot_solids(load_robot(urdf(tmp_path, text))).solids
    np.testing.assert_array_equal(ball.points, [[1, 0, 0]])
    np.testing.assert_allclose(capsule.points, [[0, 0, -0.3], [0, 0, 0.3]])
    assert capsule.radius == 0.1


@pytest.mark.parametrize("place", ["r.srdf", "other.srdf", "../srdf/r.srdf", "../config/any.srdf"])
def test_an_srdf_beside_the_urdf_says_which_links_may_touch(tmp_path: Path, place: str) -> None:
    (tmp_path / "urdf").mkdir()
    file = tmp_path / "urdf" / place
    file.parent.resolve().mkdir(exist_ok=True)
    file.resolve().write_text('<robot name="r"><disable_collisions link1="c" link2="a" reason="Never"/></robot>')
    robot = load_robot(urdf(tmp_path / "urdf", BALL.format(role="collision", radius=0.1)))
    assert robot_solids(robot).ignored == {("a", "c")}


@pytest.mark.parametrize("reason", ["Default", "Always", "User", ""])
def test_pairs_that_an_srdf_switches_off_for_another_reason_are_checked(tmp_path: Path, reason: str) -> None:
    """ "Default" means that they touch in the assistant's default pose; the vendor's SRDF of a Panda says so of hand and forearm."""
    pair = '<disable_collisions link1="c" link2="a" reason="{}"/><disable_collisions link1="b" link2="a" reason="Adjacent"/>'
    (tmp_path / "r.srdf").write_text(f'<robot name="r">{pair.format(reason)}</robot>')
    solids = robot_solids(load_robot(urdf(tmp_path, BALL.format(role="collision", radius=0.1))))
    assert solids.ignored == {("a", "b")}
    assert any("r.srdf" in note and "a and c" in note for note in solids.notes)


def test_an_srdf_of_another_robot_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "x.srdf").write_text('<robot name="x"><disable_collisions link1="c" link2="a"/></robot>')
    assert robot_solids(load_robot(urdf(tmp_path))).ignored == frozenset()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('<robot name="r"><disable_collisions link1="a"/></robot>', ("link1", "link2", "<disable_collisions> 1")),
        ("<moveit/>", ("<moveit>", "<robot>", "SRDF")),
        ("<robot", ("XML", "line 1")),
        ('<!DOCTYPE r [<!ENTITY x "y">]><robot name="r"/>', ("DOCTYPE", "ENTITY")),
    ],
)
def test_a_bad_srdf_is_a_note_and_all_pairs_are_checked(tmp_path: Path, text: str, facts: tuple[str, ...]) -> None:
    (tmp_path / "r.srdf").write_text(text)
    solids = robot_solids(load_robot(urdf(tmp_path)))
    assert solids.ignored == frozenset()
    assert carries(solids.notes[-1], "r.srdf", "all", *facts)


SDF = """<sdf version="1.9"><model name="m"><link name="a"/>
<link name="b"><pose>0 0 1 0 0 0</pose>
  <collision name="x"><pose relative_to="f">0.5 0 0 0 0 0</pose>
    <geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry></collision>
  <collision name="y"><pose>0 0 0.2 0 0 0</pose>
    <geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
  <collision name="z"><geometry><polyline/></geometry></collision></link>
<frame name="f" attached_to="b"><pose>0 0 3 0 0 0</pose></frame>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>0 0 -0.25 0 0 0</pose>
  <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


def test_an_sdfs_shapes_are_placed_on_their_bodies(tmp_path: Path) -> None:
    file = tmp_path / "m.sdf"
    file.write_text(SDF)
    found = robot_solids(load_robot(file))
    first, second, third = found.solids
    # the parameter frame is at the joint, a quarter below the link's own; f is 3 above the link
    np.testing.assert_allclose(first.points, [[0.5, 0.0, 3.05], [0.5, 0.0, 3.45]])
    assert second.points[:, 2].mean() == pytest.approx(0.45)
    assert (third.body, third.origin) == (0, Origin.KINEMATIC)
    assert carries(found.notes[0], "<polyline>", "b")


MJCF = """<mujoco><asset><mesh name="m" file="absent.stl"/></asset><contact><exclude body1="b" body2="a"/></contact><worldbody>
<geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1"><joint name="j" pos="0 0 0.5"/><geom type="capsule" size="0.1 0.4"/>
<geom type="box" size="2 2 2" contype="0" conaffinity="0" mass="0"/><body name="b" pos="1 0 0"><joint name="k"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></body></worldbody></mujoco>"""


def test_an_mjcfs_geoms_and_excluded_pairs_are_read_without_its_meshes(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "m.xml"
    file.write_text(MJCF)
    found = robot_solids(load_robot(file))
    assert [(solid.body, solid.name, solid.origin) for solid in found.solids] == [(0, "a", Origin.COLLISION), (1, "b", Origin.KINEMATIC)]
    np.testing.assert_allclose(found.solids[0].points, [[0, 0, -0.9], [0, 0, -0.1]])  # the frame is at the joint's anchor
    assert found.ignored == {("a", "b")}
    assert carries(found.notes[0], "absent.stl")


def test_a_robot_without_shapes_has_capsules_between_its_joints_with_a_stated_thickness(tmp_path: Path) -> None:
    table = "theta, d, a, alpha, convention\n0, 0.3, 0, 0, modified\n0, 0, 0.4, 0, modified\n"
    (tmp_path / "t.csv").write_text(table)
    robot = load_robot(tmp_path / "t.csv")
    found = robot_solids(robot)
    assert [(solid.body, len(solid.points)) for solid in found.solids] == [(-1, 2), (0, 2), (1, 1)]
    assert {solid.radius for solid in found.solids} == {0.04 * 0.7}
    assert carries(found.source, "capsules", "0.028 m")
    assert carries(found.notes[0], "no", "shapes")


DH = """convention: standard
base: {xyz: [0, 0, 1]}
floor: -0.4
joints:
  - {name: j1, type: revolute, a: 0, alpha: pi/2, d: 0.3, theta: 0.2}
  - {name: j2, type: revolute, a: 0.4, alpha: 0, d: 0.1, theta: 0, link: hand}
capsules:
  base: [{from: [0, 0, 0.05], radius: 0.2}]
  hand: [{from: [-0.4, 0, 0], to: [0, 0, 0], radius: 0.05}, {from: [0, 0, 0.1], radius: 0.1}]
apart: [[hand, base]]
"""


def in_base(robot, q) -> list[tuple[np.ndarray, float]]:
    poses = np.concatenate([np.eye(4)[None], link_poses(robot, q)])
    return [(s.points @ poses[s.body + 1][:3, :3].T + poses[s.body + 1][:3, 3], s.radius) for s in robot_solids(robot).solids]


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_capsules_of_a_dh_file_stay_where_they_are_in_either_convention(tmp_path: Path, convention: str) -> None:
    file, again = tmp_path / "r.yaml", tmp_path / "again.yaml"
    file.write_text(DH)
    robot = load_robot(file)
    again.write_text(robot.to_dh_yaml(convention=convention))
    other = load_robot(again)
    assert robot.floor == other.floor == -0.4
    assert robot_solids(robot).ignored == robot_solids(other).ignored == {("base", "hand")}
    assert robot_solids(robot).source == "capsules of the description"
    q = np.array([0.7, -1.1])
    for (points, radius), (points_again, radius_again) in zip(in_base(robot, q), in_base(other, q), strict=True):
        np.testing.assert_allclose(points, points_again, atol=1e-12)
        assert radius == radius_again


def test_capsules_of_a_dh_file_follow_a_joint_that_is_locked(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(DH)
    locked = in_base(load_robot(file, lock={"j2": 0.5}), np.array([0.3]))
    for (points, radius), (points_free, radius_free) in zip(locked, in_base(load_robot(file), np.array([0.3, 0.5])), strict=True):
        np.testing.assert_allclose(points, points_free, atol=1e-12)
        assert radius == radius_free
    assert load_robot(file, lock={"j2": 0.5}).floor == -0.4
    assert robot_solids(load_robot(file, lock={"j2": 0.5})).ignored == {("base", "hand")}


@pytest.mark.parametrize("name", library_names())
def test_library_robots_have_capsules_on_every_link_and_stand_on_their_floor(name: str) -> None:
    robot = load_robot(name)
    found = robot_solids(robot)
    assert found.notes == ()
    assert carries(found.source, "capsules")
    assert {solid.body for solid in found.solids} >= set(range(robot.n))
    assert robot.floor == {"kuka_lwr4": -0.3105, "pendulum_1r": -1.2, "planar_2r": -1.2}.get(name, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("radius: 0.2", "radius: 0", ("capsules.base[0].radius", 0)),
        ("from: [0, 0, 0.05]", "to: [0, 0, 0.05]", ("capsules.base[0]", "from")),
        ("to: [0, 0, 0]", "to: [0, 0]", ("capsules.hand[0].to", 2, 3)),
        ("hand: [{", "arm: [{", ("capsules", "arm", "link1")),
        ("  base: [{from: [0, 0, 0.05], radius: 0.2}]", "  base: 3", ("capsules.base", "list", 3)),
        ("floor: -0.4", "floor: low", ("floor", "low", "number")),
        ("[[hand, base]]", "[[hand, foot]]", ("apart[0]", "['hand', 'foot']", "link1")),
        ("[[hand, base]]", "[hand, base]", ("apart[0]", "hand")),
        ("[[hand, base]]", "[[hand, hand]]", ("apart[0]", "['hand', 'hand']")),
    ],
)
def test_a_bad_capsule_is_one_sentence_with_its_place(tmp_path: Path, old: str, new: str, facts: tuple[str | float, ...]) -> None:
    file = tmp_path / "r.yaml"
    assert old in DH
    file.write_text(DH.replace(old, new))
    with pytest.raises(FileError) as error:
        load_robot(file)
    assert carries(str(error.value), *facts)


def test_a_solid_needs_points() -> None:
    with raises(ValueRangeError, name="solid of 'x'"):
        Solid(body=0, points=np.zeros((0, 3)), radius=0.1, name="x")
