"""A description without limits is enough for the dynamics, in every format; what needs a limit asks for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident import Robot, check_robot, load_robot, repair
from dynident.dynamics import inverse_dynamics
from dynident.errors import ValueRangeError
from dynident.exports import convert
from dynident.motions import design_trajectory
from dynident.motions.limits.limits import LimitError
from dynident.regression.equations.base import base_parameters
from tests.facts import about, raises

INERTIA = "<inertia ixx='.02' ixy='0' ixz='0' iyy='.02' iyz='0' izz='.01'/>"
BODY = f"<inertial><origin xyz='0.01 0.02 0.1'/><mass value='2'/>{INERTIA}</inertial>"


def urdf(limit: str, kind: str = "revolute") -> str:
    return f"""<robot name="r"><link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>
      <joint name="j1" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>{limit}</joint>
      <joint name="j2" type="{kind}"><parent link="b"/><child link="c"/><origin xyz="0 0 .3"/><axis xyz="1 0 0"/>{limit}</joint></robot>"""


def sdf_body(name: str, height: float) -> str:
    tensor = "".join(f"<{key}>{value}</{key}>" for key, value in zip(("ixx", "iyy", "izz"), (0.02, 0.02, 0.01), strict=True))
    rest = "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>"
    inertial = f"<inertial><pose>0.01 0.02 0.1 0 0 0</pose><mass>2</mass><inertia>{tensor}{rest}</inertia></inertial>"
    return f"<link name='{name}'><pose>0 0 {height} 0 0 0</pose>{inertial}</link>"


def sdf(limit: str) -> str:
    joints = "".join(
        f"<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child><axis><xyz>{axis}</xyz>{limit}</axis></joint>"
        for name, parent, child, axis in (("j1", "a", "b", "0 1 0"), ("j2", "b", "c", "1 0 0"))
    )
    return f"<sdf version='1.9'><model name='r'><link name='a'/>{sdf_body('b', 0.0)}{sdf_body('c', 0.3)}{joints}</model></sdf>"


MJCF = """<mujoco><option gravity="0 0 -9.80665"/><worldbody><body name="b"><joint name="j1" axis="0 1 0"/>
  <inertial pos="0.01 0.02 0.1" mass="2" diaginertia=".02 .02 .01"/>
  <body name="c" pos="0 0 .3"><joint name="j2" axis="1 0 0"/><inertial pos="0.01 0.02 0.1" mass="2" diaginertia=".02 .02 .01"/></body>
</body></worldbody></mujoco>"""

WITHOUT = {
    "none.urdf": urdf(""),
    "empty.urdf": urdf("<limit/>"),
    "effort.urdf": urdf('<limit effort="30" velocity="2"/>'),
    "position.urdf": urdf('<limit lower="-1" upper="1"/>'),
    "still.urdf": urdf('<limit lower="0" upper="0" effort="0" velocity="0"/>'),
    "none.sdf": sdf(""),
    "empty.sdf": sdf("<limit/>"),
    "effort.sdf": sdf("<limit><effort>30</effort></limit>"),
    "none.xml": MJCF,
}


def read(folder: Path, name: str, text: str) -> Robot:
    (folder / name).write_text(text)
    return load_robot(folder / name)


@pytest.mark.parametrize("name", [*WITHOUT, "none.yaml"])
def test_dynamics_need_no_limits(tmp_path: Path, name: str) -> None:
    full = read(tmp_path, "full.urdf", urdf('<limit lower="-2" upper="2" effort="30" velocity="2"/>'))
    text = WITHOUT.get(name) or convert(read(tmp_path, "none.urdf", urdf("")), "none.yaml")[0]
    robot = read(tmp_path, name, text)
    q, dq, ddq = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 20, 2))
    assert base_parameters(robot).rank == base_parameters(full).rank == 10
    torques, expected = inverse_dynamics(robot, robot.parameters, q, dq, ddq), inverse_dynamics(full, full.parameters, q, dq, ddq)
    np.testing.assert_allclose(torques, expected, atol=1e-12)
    assert check_robot(robot).passed
    assert repair(robot).changed == ()
    for suffix in (".urdf", ".xml", ".yaml"):
        copy = read(tmp_path, f"copy{suffix}", convert(robot, f"copy{suffix}")[0])
        assert base_parameters(copy).rank == 10


@pytest.mark.parametrize("limit", ["", "<limit/>", '<limit effort="30" velocity="2"/>', '<limit lower="-1" upper="1"/>'])
def test_what_a_urdf_lacks_is_unlimited_with_a_note(tmp_path: Path, limit: str) -> None:
    robot = read(tmp_path, "r.urdf", urdf(limit))
    for joint in robot.joints:
        assert joint.position == ((-1.0, 1.0) if "lower" in limit else (-np.inf, np.inf))
        assert joint.effort == (30.0 if "effort" in limit else np.inf)
    assert about(robot.notes, "j1", "j2", "<limit>")


def test_one_end_of_a_range_stands_for_zero_at_the_other(tmp_path: Path) -> None:
    robot = read(tmp_path, "r.urdf", urdf('<limit upper="1" effort="30" velocity="2"/>'))
    assert [joint.position for joint in robot.joints] == [(0.0, 1.0)] * 2
    assert robot.notes == ()


def test_a_joint_that_can_not_move_is_refused_where_it_is_to_move(tmp_path: Path) -> None:
    robot = read(tmp_path, "r.urdf", urdf('<limit lower="0" upper="0" effort="30" velocity="2"/>'))
    assert about(check_robot(robot).warnings, "j1", 0)
    with raises(LimitError, "j1", limit="position limit of joint 'j1'"):
        design_trajectory(robot, friction=None, unchecked=True)


@pytest.mark.parametrize("name", ["none.urdf", "none.sdf", "none.xml"])
def test_a_motion_asks_for_the_velocity_limits_that_it_needs(tmp_path: Path, name: str) -> None:
    with raises(ValueRangeError, "velocity", "j1"):
        design_trajectory(read(tmp_path, name, WITHOUT[name]), friction=None, unchecked=True)
