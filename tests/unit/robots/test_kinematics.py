"""Pose helpers against their definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dynident
from dynident.errors import ShapeError, ValueRangeError
from dynident.robots import JointType, Robot, load_robot
from dynident.robots.check import check_robot
from dynident.robots.kinematics import (
    axis_rotation,
    inverse_pose,
    link_poses,
    pose_from_xyz_rpy,
    rotation_x,
    rotation_z,
    xyz_rpy_from_pose,
)
from tests.facts import carries, raises
from tests.oracles.machines import random_tree

angles = st.floats(-3.1, 3.1)


@given(st.tuples(angles, angles, angles))
def test_rpy_is_urdfs(rpy: tuple[float, float, float]) -> None:
    pose = pose_from_xyz_rpy([1, 2, 3], rpy)
    np.testing.assert_allclose(pose[:3, :3], pin.rpy.rpyToMatrix(*rpy), atol=1e-14)
    assert pose[:3, 3].tolist() == [1, 2, 3]


@given(st.tuples(angles, st.one_of(angles, st.sampled_from([np.pi / 2, -np.pi / 2])), angles))
def test_rpy_comes_back(rpy: tuple[float, float, float]) -> None:
    pose = pose_from_xyz_rpy([0.1, -0.2, 0.3], rpy)
    np.testing.assert_allclose(pose_from_xyz_rpy(*xyz_rpy_from_pose(pose)), pose, atol=1e-12)


@given(angles)
def test_rotation_about_an_axis_is_the_exponential(angle: float) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    np.testing.assert_allclose(axis_rotation(axis, angle)[:3, :3], pin.exp3(axis * angle), atol=1e-13)


def test_quarter_turns_are_exact() -> None:
    assert rotation_x(np.pi / 2).tolist() == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert rotation_z(np.pi).tolist() == [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_inverse_of_stacked_poses() -> None:
    rng = np.random.default_rng(1)
    poses = np.stack([pose_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3)) for _ in range(4)])
    np.testing.assert_allclose(inverse_pose(poses) @ poses, np.broadcast_to(np.eye(4), (4, 4, 4)), atol=1e-14)


def test_quarter_turns_are_exact_in_a_batch_too() -> None:
    turns = axis_rotation(np.array([0.0, 0.0, 1.0]), [0.0, np.pi / 2, np.pi, -np.pi / 2])
    assert turns[:, :2, 0].tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1]]


def test_a_batch_of_link_poses_is_its_samples_one_by_one() -> None:
    robot = random_tree(np.random.default_rng(0), parents=(-1, 0, 0, -1, 2), prismatic=(1, 3))
    q = np.random.default_rng(1).uniform(-2, 2, (6, robot.n))
    batch = link_poses(robot, q)
    assert batch.shape == (6, 5, 4, 4)
    np.testing.assert_allclose(batch, [link_poses(robot, position) for position in q], rtol=0, atol=1e-15)
    assert link_poses(robot, q[0]).shape == (5, 4, 4)
    assert link_poses(robot, np.zeros((0, robot.n))).shape == (0, 5, 4, 4)


def test_link_poses_are_the_product_of_placements_and_motions() -> None:
    robot = random_tree(np.random.default_rng(2), parents=(-1, 0, 0, -1, 2), prismatic=(1, 3))
    q = np.random.default_rng(3).uniform(-2, 2, robot.n)
    for body, pose in enumerate(link_poses(robot, q)):
        expected = np.eye(4)
        for i in robot.ancestors(body):
            joint = robot.joints[i]
            motion = pin.SE3.Identity()
            if joint.type is JointType.PRISMATIC:
                motion.translation = q[i] * joint.axis
            else:
                motion.rotation = pin.exp3(q[i] * joint.axis)
            expected = expected @ joint.placement @ motion.homogeneous @ robot.links[i].placement
        np.testing.assert_allclose(pose, expected, atol=1e-13)


@pytest.mark.parametrize("shape", [(3,), (7, 3), (2, 2, 7), ()])
def test_link_poses_check_the_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError) as caught:
        link_poses(load_robot("panda"), np.zeros(shape))
    assert caught.value.shape == shape
    assert caught.value.expected == "(samples, 7) = (samples, joints), or (7,) for one sample"


def test_link_poses_refuse_what_is_not_finite() -> None:
    with raises(ValueRangeError, "NaN", name="q"):
        link_poses(load_robot("panda"), [0, 0, np.nan, 0, 0, 0, 0])


def test_the_names_at_the_top_are_these() -> None:
    assert dynident.check_robot is check_robot


def test_right_angles_that_a_file_has_rounded_are_right_again(tmp_path: Path) -> None:
    """1.5708 instead of π/2 would add base parameters that no data can tell; the dynamics keep the file's numbers."""
    from dynident.regression.equations.base import base_parameters
    from dynident.robots.kinematics import rounded_joints, with_right_angles

    panda = load_robot("panda")
    exact = tmp_path / "exact.urdf"
    exact.write_text(urdf_of(panda, digits=16))
    rounded = tmp_path / "rounded.urdf"
    rounded.write_text(urdf_of(panda, digits=4))
    robot = load_robot(rounded)
    assert len(rounded_joints(robot)) == 6
    assert carries(robot.notes[-1], "0.001°", "right")
    assert load_robot(exact).notes == ()
    assert base_parameters(robot).rank == base_parameters(load_robot(exact)).rank == 43
    q = np.random.default_rng(0).normal(size=7)
    np.testing.assert_allclose(link_poses(with_right_angles(robot), q), link_poses(load_robot(exact), q), atol=1e-12)
    assert np.abs(link_poses(robot, q) - link_poses(load_robot(exact), q)).max() > 1e-7


def urdf_of(robot: Robot, digits: int) -> str:
    from dynident.robots.kinematics import xyz_rpy_from_pose

    parts, parent = ["<link name='l0'/>"], "l0"
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True), start=1):
        xyz, rpy = (" ".join(repr(round(float(value), digits)) for value in values) for values in xyz_rpy_from_pose(joint.placement))
        parts.append(f"<link name='{link.name}'/><joint name='j{i}' type='continuous'><origin xyz='{xyz}' rpy='{rpy}'/><axis xyz='0 0 1'/>")
        parts.append(f"<parent link='{parent}'/><child link='{link.name}'/></joint>")
        parent = link.name
    return f"<robot name='r'>{''.join(parts)}</robot>"
