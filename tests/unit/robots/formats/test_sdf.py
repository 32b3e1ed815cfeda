"""SDF: the same arm as in a URDF, poses in other frames, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from dynident.dynamics import inverse_dynamics
from dynident.errors import FileError, UnsupportedRobotError
from dynident.robots import load_robot
from tests.facts import raises

INERTIA = "<inertia><ixx>0.3</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0.03</iyz></inertia>"
INERTIAL = f"<inertial><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><mass>2</mass>{INERTIA}</inertial>"
AXIS = "<axis><xyz>0 0.6 0.8</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit></axis>"
#: Link frames that are not at their joints.
ARM = f"""<sdf version="1.9"><model name="arm">
<link name="floor"/>
<link name="a"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>{INERTIAL}</link>
<link name="b"><pose relative_to="elbow">0.05 0 0.1 0 0.3 0</pose>{INERTIAL}</link>
<joint name="base" type="revolute"><parent>floor</parent><child>a</child><pose>0 0 -0.1 0.2 0 0</pose>{AXIS}</joint>
<joint name="elbow" type="prismatic"><parent>a</parent><child>b</child><pose relative_to="a">0.3 0 0 0 0 0.4</pose>{AXIS}</joint>
</model></sdf>"""
URDF_INERTIAL = (
    '<inertial><origin xyz="{0}" rpy="{1}"/><mass value="2"/>'
    '<inertia ixx="0.3" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>'
)


def write(folder: Path, text: str, name: str = "arm.sdf") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_the_torques_are_those_of_the_same_arm_as_urdf(tmp_path: Path) -> None:
    """The link's own frame sits elsewhere than its joint: a URDF says so with a fixed joint behind the moving one."""
    from dynident.robots.kinematics import inverse_pose, pose_from_xyz_rpy, xyz_rpy_from_pose

    def origin(pose: np.ndarray) -> str:
        xyz, rpy = (" ".join(repr(float(x)) for x in part) for part in xyz_rpy_from_pose(pose))
        return f'<origin xyz="{xyz}" rpy="{rpy}"/>'

    a = pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    base = a @ pose_from_xyz_rpy([0, 0, -0.1], [0.2, 0, 0])
    elbow = a @ pose_from_xyz_rpy([0.3, 0, 0], [0, 0, 0.4])
    b_in_elbow = pose_from_xyz_rpy([0.05, 0, 0.1], [0, 0.3, 0])
    limit, axis = '<limit lower="-1" upper="2" effort="3" velocity="4"/>', '<axis xyz="0 0.6 0.8"/>'
    links = "".join(f'<link name="{n}"/>' for n in ("floor", "a_joint", "b_joint"))
    links += "".join(f'<link name="{n}">{URDF_INERTIAL.format("0.1 0.2 0.3", "0.4 0.5 0.6")}</link>' for n in "ab")

    def joint(name: str, kind: str, parent: str, child: str, pose: np.ndarray) -> str:
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        return f'<joint name="{name}" type="{kind}">{ends}{origin(pose)}{axis}{limit}</joint>'

    joints = joint("base", "revolute", "floor", "a_joint", base) + joint("fa", "fixed", "a_joint", "a", inverse_pose(base) @ a)
    joints += joint("elbow", "prismatic", "a_joint", "b_joint", inverse_pose(base) @ elbow) + joint(
        "fb", "fixed", "b_joint", "b", b_in_elbow
    )
    urdf = load_robot(write(tmp_path, f'<robot name="arm">{links}{joints}</robot>', "arm.urdf"))
    sdf = load_robot(write(tmp_path, ARM))
    assert sdf.joint_names == ("base", "elbow")
    assert [joint.position for joint in sdf.joints] == [(-1.0, 2.0)] * 2
    assert (sdf.joints[0].effort, sdf.joints[0].velocity) == (3.0, 4.0)
    states = np.random.default_rng(0).normal(size=(3, 20, 2))
    expected = inverse_dynamics(urdf, urdf.parameters, *states)
    np.testing.assert_allclose(inverse_dynamics(sdf, sdf.parameters, *states), expected, atol=1e-12)


def test_a_frame_carries_what_is_placed_in_it(tmp_path: Path) -> None:
    framed = ARM.replace("<pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>", '<pose relative_to="mark"/>').replace(
        "</model>", '<frame name="mark"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose></frame></model>'
    )
    first, second = load_robot(write(tmp_path, ARM)), load_robot(write(tmp_path, framed))
    np.testing.assert_allclose(first.joints[0].placement, second.joints[0].placement, atol=1e-15)


def test_an_axis_can_be_given_in_another_frame(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, ARM.replace("<xyz>", '<xyz expressed_in="__model__">', 1)))
    pose = robot.joints[0].placement
    np.testing.assert_allclose(pose[:3, :3] @ robot.joints[0].axis, [0, 0.6, 0.8], atol=1e-15)


def test_a_world_gives_gravity_and_is_the_base(tmp_path: Path) -> None:
    text = ARM.replace("<model", "<world name='w'><gravity>0 -9.8 0</gravity><model").replace("</model>", "</model></world>")
    text = text.replace('<link name="floor"/>', "").replace("<parent>floor</parent>", "<parent>world</parent>")
    robot = load_robot(write(tmp_path, text))
    assert robot.gravity.tolist() == [0.0, -9.8, 0.0]
    assert robot.base_sources == ("world",)


def test_frames_may_be_given_in_one_another_to_any_depth(tmp_path: Path) -> None:
    frames = "".join(f'<frame name="f{i}"><pose relative_to="f{i + 1}">0.001 0 0 0 0 0</pose></frame>' for i in range(2000))
    text = ARM.replace('<link name="floor"/>', f'<frame name="f2000"/>{frames}<link name="floor"><pose relative_to="f0"/></link>')
    plain, moved = (load_robot(write(tmp_path, arm)) for arm in (ARM, text))
    offset = plain.joints[0].placement[:3, 3] - moved.joints[0].placement[:3, 3]
    np.testing.assert_allclose(offset, (2.0, 0.0, 0.0), atol=1e-12)


def test_limits_that_stand_for_none(tmp_path: Path) -> None:
    text = ARM.replace("<lower>-1</lower><upper>2</upper>", "<lower>-1e16</lower><upper>1e16</upper>", 1)
    assert load_robot(write(tmp_path, text)).joints[0].position == (-np.inf, np.inf)


def test_negative_limits_of_effort_and_velocity_stand_for_none(tmp_path: Path) -> None:
    text = ARM.replace("<effort>3</effort>", "<effort>-1</effort>").replace("<velocity>4</velocity>", "<velocity>-1</velocity>")
    assert text != ARM
    robot = load_robot(write(tmp_path, text))
    assert (robot.effort_limits.tolist(), robot.velocity_limits.tolist()) == ([np.inf] * 2, [np.inf] * 2)
    assert robot.joints[0].position == (-1.0, 2.0)


def test_a_spring_is_left_out_with_a_note(tmp_path: Path) -> None:
    axis = AXIS.replace("<limit>", "<dynamics><spring_stiffness>3</spring_stiffness></dynamics><limit>")
    (note,) = load_robot(write(tmp_path, ARM.replace(AXIS, axis, 1))).notes
    assert "base" in note


def test_friction_and_shapes_are_those_of_the_axis_and_the_link(tmp_path: Path) -> None:
    text = ARM.replace("</limit>", "</limit><dynamics><damping>2</damping><friction>0.5</friction></dynamics>", 1)
    assert [joint.friction for joint in load_robot(write(tmp_path, text)).joints] == [(0.5, 2.0), None]


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (
            "</model>",
            '</model><model name="other"><joint name="x" type="fixed"/></model>',
            ("<model>", "arm", "other"),
        ),
        ("</model>", "<include><uri>x</uri></include></model>", ("<include>",)),
        ('type="revolute"', 'type="hinge"', ("joint 'base'", "hinge", "revolute")),
        ("<child>b</child>", "<child>c</child>", ("joint 'elbow'", "link 'c'")),
        ('relative_to="a"', 'relative_to="elbow"', ("elbow > elbow",)),
        ('relative_to="a"', 'relative_to="moon"', ("moon",)),
        ("<mass>2</mass>", "<mass>heavy</mass>", ("link 'a'", "heavy", "finite")),
        ("<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>", "<pose>0.1 0.2</pose>", ("link 'a'", "0.1 0.2", 6)),
        ("<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>", '<pose degrees="true">1 2 3 4 5 6</pose>', ("link 'a'", "degrees", "quaternion")),
        ("<pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>", "<pose>0 0 2e9 0 0 0</pose>", ("link 'a'", "2e+09")),
        ("<mass>2</mass>", f"<mass>{'9' * 400}</mass>", ("link 'a'", "mass", "finite")),
        ("<parent>floor</parent>", "<parent>world</parent>", ("floor", "world", "one")),
        (AXIS, "", ("joint 'base'", "revolute", "<axis>")),
        ("</limit>", '</limit><mimic joint="elbow"><multiplier>two</multiplier></mimic>', ("joint 'base'", "two", "finite")),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, old: str, new: str, facts: tuple[str | float, ...]) -> None:
    with raises(FileError, *facts) as caught:
        load_robot(write(tmp_path, ARM.replace(old, new, 1)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_ball_joint_is_refused_where_it_carries_the_arm(tmp_path: Path) -> None:
    file = write(tmp_path, ARM.replace('type="revolute"', 'type="ball"'))
    with raises(UnsupportedRobotError, "base", "ball", remedy={"base": "a", "lock": {"base": 0.0}}):
        load_robot(file)
    assert load_robot(file, base="a").joint_names == ("elbow",)
