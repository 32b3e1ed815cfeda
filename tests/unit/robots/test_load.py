"""What a path or a name leads to, and the library's robots against the numbers that they come from."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from dynident.dynamics import inverse_dynamics
from dynident.errors import FileError, MissingFileError, UnknownNameError
from dynident.robots import library_names, load_robot
from dynident.robots import load as load_module
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import consistency_margin, from_com
from tests.facts import raises


def test_the_library_lists_its_robots() -> None:
    assert library_names() == ("kuka_lwr4", "panda", "pendulum_1r", "planar_2r", "spatial_3r")


@pytest.mark.parametrize("name", library_names())
def test_library_robots_are_complete(name: str) -> None:
    robot = load_robot(name)
    assert robot.name == name
    assert robot.source == f"library robot {name}"
    assert robot.notes
    assert robot.parameters is not None
    assert robot.parameters.shape == (robot.n, 10)


@pytest.mark.parametrize("name", [name for name in library_names() if name != "kuka_lwr4"])
def test_library_robots_are_physically_consistent(name: str) -> None:
    assert (consistency_margin(load_robot(name).parameters) > 0).all()


def test_the_published_kuka_is_not_consistent() -> None:
    assert (consistency_margin(load_robot("kuka_lwr4").parameters) > 0).tolist() == [False, False, False, True, False, False, False]


def test_gravity_can_be_given() -> None:
    assert load_robot("panda", gravity=[0, 9.81, 0]).gravity.tolist() == [0, 9.81, 0]


def test_the_panda_is_where_its_documentation_puts_it() -> None:
    robot = load_robot("panda")
    flange = link_poses(robot, np.zeros(7))[-1] @ robot.tool
    np.testing.assert_allclose(flange[:3, 3], [0.088, 0, 0.333 + 0.316 + 0.384 - 0.107], atol=1e-15)
    np.testing.assert_allclose(flange[:3, :3], np.diag([1, -1, -1]), atol=1e-15)
    assert robot.effort_limits.tolist() == [87, 87, 87, 87, 12, 12, 12]


def test_the_pendulum_is_the_reports_formula() -> None:
    robot = load_robot("pendulum_1r")
    q, dq, ddq = np.random.default_rng(0).uniform(-3, 3, (3, 20, 1))
    torque = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    np.testing.assert_allclose(torque, 24.525 * np.sin(q) + 1.67085 * ddq, rtol=0, atol=1e-12)


def test_the_planar_arm_is_the_textbooks_formula() -> None:
    robot = load_robot("planar_2r")
    q, dq, ddq = np.random.default_rng(1).uniform(-3, 3, (3, 20, 2))
    g, l, c, m1, m2, I1, I2 = 9.80665, 0.5, 0.25, 4.0, 3.0, 0.085, 0.064
    h = m2 * l * c * np.sin(q[:, 1])
    m22 = I2 + m2 * c**2
    m12 = m22 + m2 * l * c * np.cos(q[:, 1])
    m11 = I1 + m1 * c**2 + m2 * l**2 + m22 + 2 * m2 * l * c * np.cos(q[:, 1])
    g2 = m2 * g * c * np.cos(q[:, 0] + q[:, 1])
    g1 = (m1 * c + m2 * l) * g * np.cos(q[:, 0]) + g2
    tau1 = m11 * ddq[:, 0] + m12 * ddq[:, 1] - h * (2 * dq[:, 0] * dq[:, 1] + dq[:, 1] ** 2) + g1
    tau2 = m12 * ddq[:, 0] + m22 * ddq[:, 1] + h * dq[:, 0] ** 2 + g2
    np.testing.assert_allclose(inverse_dynamics(robot, robot.parameters, q, dq, ddq), np.column_stack([tau1, tau2]), atol=1e-11)


def test_the_spatial_arm_has_the_reports_coefficients() -> None:
    robot = load_robot("spatial_3r")
    expected = from_com(1.125, [-0.15, 0, -0.06], np.diag([4.6879e-4, 8.6715e-3, 8.6715e-3]))
    np.testing.assert_allclose(robot.links[1].parameters, expected, rtol=1e-15)
    # stretched out, the first axis carries no gravity, the others g (m2 (L2 - b) + m3 L2) = 3.8626875 and 0.73575
    torque = inverse_dynamics(robot, robot.parameters, np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
    np.testing.assert_allclose(torque, [[0, 3.8626875 + 0.73575, 0.73575]], atol=1e-12)


def test_a_name_that_nothing_has() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_robot("pandda")
    assert caught.value.known == library_names()
    assert "panda" in str(caught.value)


@pytest.mark.parametrize("path", ["absent.urdf", "folder/absent", Path("absent.yaml")])
def test_a_missing_file_lists_the_library_too(path: str | Path) -> None:
    with raises(MissingFileError, "kuka_lwr4", "panda") as caught:
        load_robot(path)
    assert caught.value.file == str(path)


def test_a_folder_and_an_unknown_suffix(tmp_path: Path) -> None:
    with raises(FileError, "folder", ".urdf", ".xacro", ".sdf", ".world", ".xml"):
        load_robot(tmp_path)
    file = tmp_path / "robot.step"
    file.write_text("<sdf/>")
    with raises(FileError, ".step", ".urdf", ".xacro", ".sdf", ".world"):
        load_robot(file)


def test_a_path_object_is_always_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with raises(MissingFileError, "panda"):
        load_robot(Path("panda"))


def test_suffixes_are_read_in_any_case(tmp_path: Path) -> None:
    library = Path(load_module.__file__).with_name("library")
    shutil.copy(library / "panda.yaml", tmp_path / "PANDA.YML")
    robot = load_robot(tmp_path / "PANDA.YML")
    assert robot.joint_names == load_robot("panda").joint_names
    assert robot.source == str(tmp_path / "PANDA.YML")
