"""`dynident convert`: every format becomes another, and the torques stay."""

from pathlib import Path

import numpy as np
import pytest

from dynident import Robot, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.robots.kinematics import link_poses
from dynident.robots.solids import robot_solids


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".yaml"])
def test_a_robot_keeps_its_torques(dynident, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"copy{suffix}"
    done = dynident("convert", "panda", "-o", str(target))
    assert done.returncode == 0
    assert f"Written: {target}" in done.stdout.replace("\n", "")
    robot, copy = load_robot("panda"), load_robot(target)
    states = np.random.default_rng(0).normal(size=(3, 10, 7))
    expected = inverse_dynamics(robot, robot.parameters, *states)
    np.testing.assert_allclose(inverse_dynamics(copy, copy.parameters, *states), expected, atol=1e-10)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".yaml"])
def test_a_robot_keeps_its_capsules_and_their_places(dynident, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"copy{suffix}"
    assert dynident("convert", "spatial_3r", "-o", str(target)).returncode == 0
    q = np.array([0.3, -0.8, 1.1])

    def placed(robot: Robot) -> list[tuple]:
        poses = np.concatenate([np.eye(4)[None], link_poses(robot, q)])
        at = [(solid, poses[solid.body + 1]) for solid in robot_solids(robot).solids]
        return sorted((solid.radius, *np.sort(np.round(solid.points @ T[:3, :3].T + T[:3, 3], 9), axis=0).ravel()) for solid, T in at)

    assert placed(load_robot(target)) == placed(load_robot("spatial_3r"))


def test_a_table_becomes_a_urdf_and_comes_back(dynident, tmp_path: Path) -> None:
    table = tmp_path / "arm.csv"
    table.write_text("theta,d,a,alpha,convention\n0,0.3,0,-pi/2,standard\n0.1,0,0.4,0,standard\n")
    assert dynident("convert", str(table), "-o", str(tmp_path / "arm.urdf")).returncode == 0
    assert dynident("convert", str(tmp_path / "arm.urdf"), "-o", str(tmp_path / "arm.yaml")).returncode == 0
    assert load_robot(tmp_path / "arm.yaml").joints[0].velocity == np.inf
    refused = dynident("convert", str(table), "-o", str(tmp_path / "arm.xml"))
    assert refused.returncode == 2
    assert "gives no inertia for link1, link2, and MuJoCo needs one" in refused.stderr


@pytest.mark.parametrize("suffix", [".yaml", ".xml"])
def test_what_the_new_format_lacks_is_a_note(dynident, tmp_path: Path, suffix: str) -> None:
    inertial = '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics friction="1"/></joint>'
    text = f'<robot name="r"><link name="a"/><link name="b">{inertial}{ball}</link>{joint}</robot>'
    (tmp_path / "r.urdf").write_text(text)
    finished = dynident("convert", str(tmp_path / "r.urdf"), "-o", str(tmp_path / f"copy{suffix}"))
    assert finished.returncode == 0
    words = " ".join(finished.stdout.split())
    copy = load_robot(tmp_path / f"copy{suffix}")
    kept = [shape.kind.value for shape in copy.links[0].pieces[0].shapes]
    assert kept == ([] if suffix == ".yaml" else ["capsule"])
    assert ("shapes" in words) == (suffix == ".yaml")
    assert copy.joints[0].friction == (1.0, 0.0)


def test_an_unknown_suffix(dynident, tmp_path: Path) -> None:
    refused = dynident("convert", "panda", "-o", str(tmp_path / "panda.step"))
    assert refused.returncode == 2
    assert "unknown suffix '.step'" in refused.stderr
