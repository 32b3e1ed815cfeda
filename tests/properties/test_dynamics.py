"""Identities that hold for every robot and every state, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynident
from dynident import Robot
from dynident.robots.parameters import change_of_frame
from tests.oracles.machines import random_tree, states

seeds = st.integers(0, 2**32 - 1)


@st.composite
def trees(draw: st.DrawFn) -> Robot:
    """Trees of one to six bodies in any topological order, some joints prismatic, gravity anywhere."""
    n = draw(st.integers(1, 6))
    parents = tuple(draw(st.integers(-1, i - 1)) for i in range(n))
    prismatic = tuple(i for i in range(n) if draw(st.booleans()))
    rng = np.random.default_rng(draw(seeds))
    return random_tree(rng, parents=parents, prismatic=prismatic).with_gravity(rng.normal(size=3) * 5)


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-11) -> bool:
    return bool(np.max(np.abs(a - b)) <= tolerance * (1.0 + np.max(np.abs(b))))


@given(trees(), seeds)
@settings(max_examples=40)
def test_regressor_times_parameters_is_inverse_dynamics(robot: Robot, seed: int) -> None:
    q, dq, ddq = states(robot, 5, seed)
    Y = dynident.dynamics.torque_regressor(robot, q, dq, ddq)
    assert close(Y @ robot.parameters.ravel(), dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq))


@given(trees(), seeds, st.floats(-3, 3))
@settings(max_examples=25)
def test_inverse_dynamics_is_linear_in_the_parameters(robot: Robot, seed: int, scale: float) -> None:
    q, dq, ddq = states(robot, 5, seed)
    other = np.random.default_rng(seed).normal(size=(robot.n, 10))
    combined = dynident.dynamics.inverse_dynamics(robot, robot.parameters + scale * other, q, dq, ddq)
    separate = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq) + scale * dynident.dynamics.inverse_dynamics(
        robot, other, q, dq, ddq
    )
    assert close(combined, separate)


@given(trees(), seeds)
@settings(max_examples=25)
def test_lagrangian_form_is_newton_euler(robot: Robot, seed: int) -> None:
    q, dq, ddq = states(robot, 5, seed)
    p = robot.parameters
    M, C = dynident.dynamics.mass_matrix(robot, p, q), dynident.dynamics.coriolis_matrix(robot, p, q, dq)
    lagrange = np.einsum("Njk,Nk->Nj", M, ddq) + np.einsum("Njk,Nk->Nj", C, dq) + dynident.dynamics.gravity(robot, p, q)
    assert close(lagrange, dynident.dynamics.inverse_dynamics(robot, p, q, dq, ddq))
    assert close(np.einsum("Njk,Nk->Nj", C, dq), dynident.dynamics.coriolis_vector(robot, p, q, dq))


@given(trees(), seeds)
@settings(max_examples=25)
def test_inertia_gravity_regressor_gives_the_stack(robot: Robot, seed: int) -> None:
    q, _, _ = states(robot, 5, seed)
    p = robot.parameters
    stack = dynident.dynamics.inertia_gravity_regressor(robot, q) @ p.ravel()
    rows, columns = np.tril_indices(robot.n)
    M = dynident.dynamics.mass_matrix(robot, p, q)
    assert close(stack, np.concatenate([M[:, rows, columns], dynident.dynamics.gravity(robot, p, q)], axis=1))


@given(trees(), seeds)
@settings(max_examples=25)
def test_mass_matrix_is_symmetric_positive_definite(robot: Robot, seed: int) -> None:
    q, _, _ = states(robot, 5, seed)
    M = dynident.dynamics.mass_matrix(robot, robot.parameters, q)
    assert close(M, M.swapaxes(1, 2), tolerance=1e-15)
    assert np.linalg.eigvalsh(M).min() > 0.0


@given(trees(), seeds)
@settings(max_examples=25)
def test_mass_rate_minus_twice_coriolis_is_skew(robot: Robot, seed: int) -> None:
    """Ṁ by central differences along dq; the step balances truncation h² against rounding 1e-16/h."""
    q, dq, _ = states(robot, 5, seed)
    p, h = robot.parameters, 1e-5
    rate = (dynident.dynamics.mass_matrix(robot, p, q + h * dq) - dynident.dynamics.mass_matrix(robot, p, q - h * dq)) / (2 * h)
    S = rate - 2.0 * dynident.dynamics.coriolis_matrix(robot, p, q, dq)
    assert close(S, -S.swapaxes(1, 2), tolerance=1e-7)


@given(trees(), seeds)
@settings(max_examples=25)
def test_power_balance(robot: Robot, seed: int) -> None:
    """dE/dt = dqᵀ τ along the motion, dE/dt by central differences."""
    q, dq, ddq = states(robot, 5, seed)
    p, h = robot.parameters, 1e-5

    def energy(t: float) -> np.ndarray:
        position, velocity = q + t * dq + 0.5 * t * t * ddq, dq + t * ddq
        return dynident.dynamics.kinetic_energy(robot, p, position, velocity) + dynident.dynamics.potential_energy(robot, p, position)

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert close(rate, np.sum(dq * dynident.dynamics.inverse_dynamics(robot, p, q, dq, ddq), axis=1), tolerance=1e-7)


@given(trees(), seeds)
@settings(max_examples=25)
def test_forward_dynamics_inverts_inverse_dynamics(robot: Robot, seed: int) -> None:
    q, dq, ddq = states(robot, 5, seed)
    effort = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    # errors grow with the mass matrix' condition number
    worst = np.linalg.cond(dynident.dynamics.mass_matrix(robot, robot.parameters, q)).max()
    assert close(dynident.dynamics.forward_dynamics(robot, robot.parameters, q, dq, effort), ddq, tolerance=1e-14 * worst + 1e-12)


@given(trees(), seeds)
@settings(max_examples=25)
def test_change_of_frame_leaves_torques_unchanged(robot: Robot, seed: int) -> None:
    """Other parameter frames on the same bodies, with the parameters moved along."""
    other = _with_parameter_frames_of(robot, random_tree(np.random.default_rng(seed), parents=tuple(robot.parents)))
    q, dq, ddq = states(robot, 5, seed)
    before = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    assert close(dynident.dynamics.inverse_dynamics(other, other.parameters, q, dq, ddq), before)


def _with_parameter_frames_of(robot: Robot, donor: Robot) -> Robot:
    joints, links = [], []
    for joint, link, given_link in zip(robot.joints, robot.links, donor.links, strict=True):
        old_in_new = np.linalg.inv(given_link.placement) @ link.placement
        parameters = change_of_frame(old_in_new) @ link.parameters
        links.append(dynident.robots.Link(name=link.name, frame="moved", placement=given_link.placement, parameters=parameters))
        moved = joint.placement
        if joint.parent >= 0:
            moved = np.linalg.inv(donor.links[joint.parent].placement) @ robot.links[joint.parent].placement @ joint.placement
        joints.append(dynident.robots.Joint(name=joint.name, type=joint.type, parent=joint.parent, placement=moved, axis=joint.axis))
    return Robot(name="moved", joints=tuple(joints), links=tuple(links), gravity=robot.gravity)


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "spatial_3r"])
def test_standard_and_modified_dh_describe_one_robot(name: str, tmp_path) -> None:
    robot = dynident.load_robot(name)
    q, dq, ddq = states(robot, 20)
    before = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    for convention in ("standard", "modified"):
        file = tmp_path / f"{convention}.yaml"
        file.write_text(robot.to_dh_yaml(convention=convention))
        other = dynident.load_robot(file)
        assert all(convention in frame for frame in other.frame_names)
        assert close(dynident.dynamics.inverse_dynamics(other, other.parameters, q, dq, ddq), before)
