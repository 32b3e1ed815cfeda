"""Designed motions of real arms keep them whole, by the judgement of Pinocchio and coal on the meshes of their makers."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.errors import InputError
from dynident.motions import Limits, Trajectory, design_trajectory, drive_design, robot_limits
from dynident.motions.limits.collision import CollisionModel
from dynident.robots import Robot, load
from dynident.robots.solids import robot_solids
from tests.facts import raises
from tests.oracles.safety import ABOVE, APART, RATE, ROBOTS, SHARE, Judge

PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"
#: URDF and SRDF: arms with a hand or a gripper but for the UR10 and the xArm.
ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "kinova": ("kinova_description/robots/kinova.urdf", "kinova_description/srdf/kinova.srdf"),
    "ur5": ("ur_description/urdf/ur5_gripper.urdf", "ur_description/srdf/ur5_gripper.srdf"),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", None),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "xarm_description/srdf/xarm7.srdf"),
    "z1": ("z1_description/urdf/z1.urdf", "z1_description/srdf/z1.srdf"),
}


def design_drive(robot: Robot, limits: Limits | None = None, **search: float) -> Trajectory:
    """From rest to rest, as `dynident excite` writes it."""
    design = drive_design(design_trajectory(robot, friction=linear(), limits=limits, **search))
    assert design.drive is not None
    return design.drive.trajectory


def require_safe(name: str, robot: Robot, limits: Limits, motion: Trajectory) -> None:
    urdf, srdf = ARMS[name]
    judge = Judge(ROBOTS / urdf, robot.joint_names, None if srdf is None else ROBOTS / srdf)
    q = motion.sample(np.arange(0.0, motion.duration + 0.5 / RATE, 1.0 / RATE)).q
    distances = judge.least_distances(q)
    assert len(distances) >= 10
    near = {pair: distance for pair, distance in distances.items() if distance < (ABOVE if "floor" in pair else APART)}
    assert near == {}
    shares = judge.largest_shares(q, limits.acceleration)
    assert shares["acceleration"] < 1.001  # what differences add
    assert max(shares["velocity"], shares["effort"]) < 0.901  # nine tenths of what the URDF allows
    assert judge.position_margin(q) > 0.0199
    assert np.abs(np.diff(q, axis=0)[[0, -1]]).max() * RATE < 1e-4


@pytest.mark.parametrize("name", ARMS)
def test_a_short_design_keeps_an_arm_whole(name: str) -> None:
    robot = load_robot(ROBOTS / ARMS[name][0])
    limits = replace(robot_limits(robot), acceleration=np.full(robot.n, 3.0))  # of which no URDF says anything
    require_safe(name, robot, limits, design_drive(robot, limits, duration=6.0, starts=1, iterations=8))


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_the_default_design_keeps_an_arm_whole(name: str) -> None:
    robot = load_robot(ROBOTS / ARMS[name][0])
    require_safe(name, robot, robot_limits(robot), design_drive(robot))


def test_the_oracle_sees_links_that_touch_and_a_floor_that_is_hit() -> None:
    robot = load_robot(PANDA)
    low, high = robot.position_limits.T
    anywhere = np.random.default_rng(0).uniform(low, high, (100, robot.n))
    distances = Judge(PANDA, robot.joint_names, ROBOTS / "panda_description" / "srdf" / "panda.srdf").least_distances(anywhere)
    assert min(distance for pair, distance in distances.items() if "floor" not in pair) < 0.0
    assert min(distance for pair, distance in distances.items() if "floor" in pair) < 0.0


def collision_content(robot: Robot) -> tuple[object, ...]:
    model, reason = CollisionModel.of_robot(robot)
    assert model is not None, reason
    points = np.concatenate([solid.points for solid in robot_solids(robot).solids])
    return model.names, model.source, points.tobytes()


def test_an_arm_has_its_shapes_as_a_xacro_from_the_standard_input_and_in_another_folder(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("xacro")
    expected = collision_content(load_robot(PANDA))
    text, place = PANDA.read_text(), {"example-robot-data": SHARE / "example-robot-data"}
    macros = text.replace("<link", '<xacro:property name="unused" value="1"/>\n<link', 1)
    shutil.copy(ROBOTS / "panda_description" / "srdf" / "panda.srdf", tmp_path)
    (tmp_path / "panda.urdf").write_text(text)
    (tmp_path / "panda.xacro").write_text(macros)
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "panda.urdf").write_text(macros)
    shutil.copy(tmp_path / "panda.srdf", tmp_path / "macros")
    for file in ("panda.urdf", "panda.xacro", "macros/panda.urdf"):
        assert collision_content(load_robot(tmp_path / file, packages=place)) == expected
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(SHARE))  # which needs no word about packages
    assert collision_content(load_robot("macros/panda.urdf")) == expected
    load._standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert collision_content(load_robot("-", packages=place)) == expected
    load._standard_input.cache_clear()


def test_an_arm_whose_description_has_no_shapes_is_refused(tmp_path: Path) -> None:
    tree = ElementTree.parse(PANDA)  # noqa: S314 (of a test package)
    for link in tree.getroot().iter("link"):
        for shape in [*link.findall("collision"), *link.findall("visual")]:
            link.remove(shape)
    tree.write(tmp_path / "panda.urdf")
    robot = load_robot(tmp_path / "panda.urdf")
    with raises(InputError, remedy={"unchecked": True}):
        design_trajectory(robot, friction=linear())
    assert design_trajectory(robot, friction=linear(), duration=5.0, starts=1, iterations=1, unchecked=True).unchecked != ""
