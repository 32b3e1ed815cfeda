"""A change of frame is a group action, and Pinocchio agrees about order and transport."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.errors import ShapeError
from dynident.robots.kinematics import inverse_pose, pose_from_xyz_rpy
from dynident.robots.parameters import change_of_frame, consistency_margin, from_com, from_pinocchio, to_com, to_pinocchio
from tests.facts import raises

seeds = st.integers(0, 2**32 - 1)


def random_pose(rng: np.random.Generator) -> np.ndarray:
    return pose_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))


def random_body(rng: np.random.Generator) -> np.ndarray:
    A = rng.normal(size=(3, 3))
    second = A @ A.T + 0.1 * np.eye(3)
    return from_com(rng.uniform(0.1, 5.0), rng.normal(size=3), np.trace(second) * np.eye(3) - second)


@given(seeds)
def test_composing_poses_multiplies_the_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = random_pose(rng), random_pose(rng)
    np.testing.assert_allclose(change_of_frame(first @ second), change_of_frame(first) @ change_of_frame(second), rtol=0, atol=1e-10)
    np.testing.assert_allclose(change_of_frame(inverse_pose(first)) @ change_of_frame(first), np.eye(10), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(change_of_frame(np.eye(4)), np.eye(10))


@given(seeds)
def test_mass_centre_and_principal_inertias_move_as_they_should(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, T = random_body(rng), random_pose(rng)
    m, c, I_c = to_com(body)
    m_new, c_new, I_new = to_com(change_of_frame(T) @ body)
    R = T[:3, :3]
    assert m_new == pytest.approx(m)
    np.testing.assert_allclose(c_new, R @ c + T[:3, 3], atol=1e-10)
    np.testing.assert_allclose(I_new, R @ I_c @ R.T, atol=1e-9)
    assert consistency_margin(change_of_frame(T) @ body) == pytest.approx(consistency_margin(body), abs=1e-9)


@given(seeds)
def test_pinocchio_order_and_transport(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, T = random_body(rng), random_pose(rng)
    m, c, I_c = to_com(body)
    inertia = pin.Inertia(float(m), c, I_c)
    np.testing.assert_allclose(from_pinocchio(inertia.toDynamicParameters()), body, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(to_pinocchio(body), inertia.toDynamicParameters(), rtol=1e-12, atol=1e-12)
    moved = inertia.se3Action(pin.SE3(T[:3, :3], T[:3, 3]))
    np.testing.assert_allclose(change_of_frame(T) @ body, from_pinocchio(moved.toDynamicParameters()), rtol=1e-9, atol=1e-9)


def test_orders_are_inverse_on_any_leading_shape() -> None:
    values = np.arange(60.0).reshape(2, 3, 10)
    np.testing.assert_array_equal(from_pinocchio(to_pinocchio(values)), values)
    assert from_pinocchio(np.arange(10.0)).tolist() == [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


def test_batched_poses() -> None:
    rng = np.random.default_rng(0)
    poses = np.stack([random_pose(rng) for _ in range(3)])
    stacked = change_of_frame(poses)
    assert stacked.shape == (3, 10, 10)
    np.testing.assert_allclose(stacked[1], change_of_frame(poses[1]), atol=1e-14)


def test_a_wrong_shape_is_named() -> None:
    with raises(ShapeError, name="pose_old_in_new", shape=(3, 3)):
        change_of_frame(np.eye(3))
