"""DH tables in CSV, as arrays, and as robots of the Robotics Toolbox."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import gravity, mass_matrix
from dynident.errors import FileError, InputError, ShapeError, UnknownNameError, ValueRangeError
from dynident.robots import from_dh_table, from_toolbox, link_poses
from dynident.robots.formats.dh import dh_pose
from dynident.robots.kinematics import rotation_z, translation
from tests.facts import carries, raises

TABLE = np.array([[0.1, 0.3, 0.0, -np.pi / 2], [0.0, 0.2, 0.4, 0.0], [0.5, 0.0, 0.05, np.pi / 2]])
CSV = """theta, d, a, alpha, convention, type, lower, upper, effort
0.1, 0.3, 0, -pi/2, {0}, R, -90deg, 90deg, 87
0, 0.2, 0.4, 0, , P, 0, 0.3,
0.5, 0, 0.05, 90deg, {0}, revolute, , , 12
"""


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_table_is_the_product_of_its_rows(convention: str) -> None:
    robot = from_dh_table(TABLE, convention, prismatic=[2])
    q = np.array([0.7, 0.2, -0.4])
    expected = np.eye(4)
    for (theta, d, a, alpha), position, slides in zip(TABLE, q, (False, True, False), strict=True):
        motion = translation([0.0, 0.0, position]) if slides else rotation_z(position)
        pose = dh_pose(convention, a, alpha, d, theta)
        expected = expected @ (pose @ motion if convention == "modified" else motion @ pose)
    np.testing.assert_allclose(link_poses(robot, q)[-1], expected, atol=1e-15)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_csv_file_is_the_same_robot(tmp_path: Path, convention: str) -> None:
    file = tmp_path / "arm.csv"
    file.write_text(CSV.format(convention))
    robot, same = load_robot(file), from_dh_table(TABLE, convention, prismatic=[2], limits=[[-np.pi / 2, np.pi / 2], [0, 0.3], [-9, 9]])
    q = np.array([0.7, 0.2, -0.4])
    np.testing.assert_allclose(link_poses(robot, q), link_poses(same, q), atol=1e-15)
    assert robot.name == "arm"
    assert [joint.effort for joint in robot.joints] == [87.0, np.inf, 12.0]
    assert [joint.position for joint in robot.joints][:2] == [joint.position for joint in same.joints][:2]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ("rows",)),
        ("theta,d,a,alpha\n0,0,0,0\n", ("column", "convention", "theta")),
        ("theta,d,a,alpha,convention,colour\n0,0,0,0,standard,red\n", ("column", "colour")),
        ("theta,d,a,alpha,convention\n0,0,0,0,craig\n", ("convention", "craig", "standard", "modified")),
        ("theta,d,a,alpha,convention\n0,0,0,0,\n", (1, "convention", "not")),
        ("theta,d,a,alpha,convention\n0,0,0,x,standard\n", (1, "alpha", "x", 0.333)),
        ("theta,d,a,alpha,convention,type\n0,0,0,0,standard,screw\n", (1, "type", "screw")),
        ("theta,d,a,alpha,convention\n0,,0,0,standard\n", (1, "d")),
    ],
)
def test_bad_tables_are_one_sentence(tmp_path: Path, text: str, facts: tuple[str | float, ...]) -> None:
    file = tmp_path / "arm.csv"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        load_robot(file)
    assert carries(str(caught.value), *facts)


def test_bad_arguments() -> None:
    with raises(UnknownNameError, "DH", name="craig"):
        from_dh_table(TABLE, "craig")
    with raises(ShapeError, "(joints, 4)", name="table", shape=(3, 3)):
        from_dh_table(TABLE[:, :3], "standard")
    with raises(ValueRangeError, 4, 1, 3, name="prismatic"):
        from_dh_table(TABLE, "standard", prismatic=[4])


def toolbox_link(theta: float = 0.0, d: float = 0.0, **more: object) -> SimpleNamespace:
    usual = {
        "a": 0.3,
        "alpha": 0.0,
        "offset": 0.0,
        "sigma": 0,
        "mdh": 0,
        "qlim": [-1.0, 1.0],
        "m": 0.0,
        "r": np.zeros(3),
        "I": np.zeros((3, 3)),
    }
    return SimpleNamespace(**usual | {"theta": theta, "d": d} | more)


def test_a_robot_of_the_toolbox_has_its_inertias_and_gravity() -> None:
    """A planar 2R arm in a vertical plane: M and g in closed form."""
    l1, m1, m2, r1, r2, I1, I2 = 0.3, 2.0, 1.0, 0.1, 0.05, 0.02, 0.01
    links = [
        toolbox_link(a=l1, m=m1, r=[r1 - l1, 0, 0], I=np.diag([0, 0, I1])),
        toolbox_link(a=0.2, offset=0.4, m=m2, r=[r2 - 0.2, 0, 0], I=np.diag([0, 0, I2])),
    ]
    robot = from_toolbox(SimpleNamespace(name="two R", links=links, base=np.eye(4), tool=np.eye(4), gravity=[0, -9.81, 0]))
    q = np.array([[0.3, 0.5]])
    first, second = q[0, 0], q[0, 1] + 0.4
    coupled = m2 * l1 * r2 * np.cos(second)
    M22 = I2 + m2 * r2**2
    M12 = M22 + coupled
    M11 = I1 + m1 * r1**2 + I2 + m2 * (l1**2 + r2**2) + 2 * coupled
    np.testing.assert_allclose(mass_matrix(robot, robot.parameters, q)[0], [[M11, M12], [M12, M22]], atol=1e-14)
    g2 = m2 * 9.81 * r2 * np.cos(first + second)
    g1 = 9.81 * (m1 * r1 + m2 * l1) * np.cos(first) + g2
    np.testing.assert_allclose(gravity(robot, robot.parameters, q)[0], [g1, g2], atol=1e-13)
    assert robot.joints[0].position == (-1.0, 1.0)
    assert robot.name == "two_R"


def test_a_sliding_joint_of_the_toolbox() -> None:
    link = toolbox_link(theta=0.3, sigma=1, offset=0.1, mdh=1)
    robot = from_toolbox(SimpleNamespace(name="slide", links=[link], base=np.eye(4), tool=np.eye(4), gravity=[0, 0, -9.81]))
    np.testing.assert_allclose(link_poses(robot, [0.2])[0], dh_pose("modified", 0.3, 0.0, 0.3, 0.3), atol=1e-15)


def test_something_else_is_no_toolbox_robot() -> None:
    with raises(InputError, "DHRobot"):
        from_toolbox(object())
    with raises(InputError, "DH", "both"):
        from_toolbox(
            SimpleNamespace(name="a", links=[toolbox_link(), toolbox_link(mdh=1)], base=np.eye(4), tool=np.eye(4), gravity=[0, 0, -9.81])
        )
