"""One and two joints against their textbook equations, derived here by SymPy from the energies."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import numpy as np
import sympy as sp

import dynident
from dynident.robots.parameters import to_com


def test_pendulum_of_the_report() -> None:
    """u = g m d sin q + (I + m d²) ddq, with the report's g m d = 24.525 and I + m d² = 1.67085."""
    robot = dynident.load_robot("pendulum_1r")
    q, dq, ddq = np.random.default_rng(0).uniform(-3, 3, (3, 50, 1))
    effort = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    np.testing.assert_allclose(effort, 24.525 * np.sin(q) + 1.67085 * ddq, rtol=1e-12, atol=1e-12)


def test_planar_2r_from_lagrange() -> None:
    """Lagrange's equations of the planar arm, symbolically, at random states."""
    robot = dynident.load_robot("planar_2r")
    q, dq, ddq = np.random.default_rng(1).uniform(-3, 3, (3, 20, 2))
    mass, com, inertia = to_com(robot.parameters)
    t = sp.Symbol("t")
    angles = [sp.Function(f"q{i}")(t) for i in range(2)]
    poses = _planar_poses(robot, angles)
    energy = sp.Integer(0)
    for i, pose in enumerate(poses):
        position = (pose * sp.Matrix([*com[i], 1]))[:3, 0]
        spin = sum(angles[: i + 1]).diff(t)
        energy += sp.Rational(1, 2) * (mass[i] * position.diff(t).dot(position.diff(t)) + inertia[i][2, 2] * spin**2)
        energy += mass[i] * sp.Matrix(robot.gravity).dot(position)  # L = T - V with V = -m g·r
    effort = [energy.diff(angle.diff(t)).diff(t) - energy.diff(angle) for angle in angles]
    rates = {angle.diff(t, order): sp.Symbol(f"{'d' * order}q{i}") for i, angle in enumerate(angles) for order in (2, 1)}
    plain = {angle: sp.Symbol(f"q{i}") for i, angle in enumerate(angles)}
    order = [sp.Symbol(f"{'d' * k}q{i}") for k in range(3) for i in range(2)]
    function = sp.lambdify(order, [e.subs(rates).subs(plain) for e in effort])
    expected = np.array([function(*state) for state in np.hstack([q, dq, ddq])])
    np.testing.assert_allclose(dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq), expected, rtol=1e-11, atol=1e-11)


def _planar_poses(robot: dynident.Robot, angles: list) -> list:
    poses, pose = [], sp.eye(4)
    for joint, link, angle in zip(robot.joints, robot.links, angles, strict=True):
        np.testing.assert_allclose(joint.axis, [0, 0, 1])  # this closed form is for parallel z axes
        turn = sp.Matrix([[sp.cos(angle), -sp.sin(angle), 0, 0], [sp.sin(angle), sp.cos(angle), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        pose = pose * sp.Matrix(joint.placement) * turn * sp.Matrix(link.placement)
        poses.append(pose)
    return poses
