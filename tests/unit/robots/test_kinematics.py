"""Pose helpers against their definitions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.errors import ShapeError
from dynident.robots import load_robot
from dynident.robots.kinematics import (
    axis_rotation,
    inverse_pose,
    link_poses,
    pose_from_xyz_rpy,
    rotation_x,
    rotation_z,
    xyz_rpy_from_pose,
)

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


def test_link_poses_check_the_shape() -> None:
    with pytest.raises(ShapeError, match=r"q has shape \(3,\); expected \(7,\)"):
        link_poses(load_robot("panda"), np.zeros(3))
