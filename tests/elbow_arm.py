"""An elbow arm of six joints that is in no library, drawn by a seed: its links and friction, its logs, and the M and g of its controller.

What a user has of it is its DH table (`described`). Positions are measured to 1e-4 rad, torques to 0.2 % of the joint's limit, and nothing
else is recorded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.data import ControllerSamples, Dataset, EffortKind
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.dynamics.friction import FrictionModel, Motion, PerJoint, Sigmoid, friction_torque, linear
from dynident.robots.formats.dh import dh_pose, frame_name
from dynident.robots.parameters import from_com
from dynident.robots.robot import Joint, Link, Robot

EFFORT = np.array([150.0, 150.0, 100.0, 40.0, 40.0, 20.0])
POSITION_NOISE, EFFORT_NOISE = 1e-4, 0.002
#: Which parameter of each law is Coulomb friction: the level that friction reaches whatever the speed.
COULOMB = {"linear": 1, "sigmoid": 0}


def elbow_arm(seed: int = 0) -> Robot:
    rng = np.random.default_rng(seed)
    a, d = (0.1, 0.5, 0.1, 0.0, 0.0, 0.0), (0.4, 0.0, 0.05, 0.5, 0.0, 0.1)
    alpha = (np.pi / 2, 0.0, np.pi / 2, -np.pi / 2, np.pi / 2, 0.0)
    masses = np.array([9.0, 7.0, 5.0, 2.5, 2.0, 0.8]) * rng.uniform(0.8, 1.2, 6)
    joints: list[Joint] = []
    links: list[Link] = []
    for i, row in enumerate(zip(a, alpha, d, strict=True)):
        size = 0.15 if i < 3 else 0.07
        half = 0.4 * size * rng.normal(size=(3, 3))
        second = masses[i] * (half @ half.T + (0.2 * size) ** 2 * np.eye(3))
        body = from_com(masses[i], 0.5 * size * rng.normal(size=3), np.trace(second) * np.eye(3) - second)
        joints.append(Joint(name=f"a{i + 1}", parent=i - 1, position=(-2.5, 2.5), velocity=2.5, effort=EFFORT[i]))
        pose = dh_pose("standard", *row, 0.0)
        links.append(Link(name=f"l{i + 1}", frame=frame_name("standard", i + 1), placement=pose, parameters=body))
    return Robot(name="elbow", joints=tuple(joints), links=tuple(links))


def described(arm: Robot) -> Robot:
    """What the user knows: the same without its links' masses and inertias."""
    return replace(arm, links=tuple(replace(link, parameters=None, pieces=()) for link in arm.links))


def draw_friction(law: str, seed: int = 0) -> tuple[FrictionModel, np.ndarray]:
    """The friction of all joints, "linear" of eq. (24) or "sigmoid" of eq. (25), and its parameters (6, k)."""
    rng, size = np.random.default_rng(100 + seed), EFFORT / 150.0
    if law == "linear":
        factors = np.column_stack([3.0 * rng.uniform(0.5, 1.5, 6), 4.0 * rng.uniform(0.5, 1.5, 6), 0.5 * rng.uniform(-1.0, 1.0, 6)])
        return linear(), size[:, None] * factors
    steepness, shift = rng.uniform(5.0, 15.0, 6), rng.uniform(-0.05, 0.05, 6)
    models = tuple(Sigmoid(*pair) for pair in zip(steepness.tolist(), shift.tolist(), strict=True))
    return PerJoint(models), (8.0 * size * rng.uniform(0.5, 1.5, 6))[:, None]


def record(
    arm: Robot, friction: tuple[FrictionModel, np.ndarray], seed: int, *, rate: float = 100.0, seconds: float = 30.0, fastest: float = 1.5
) -> Dataset:
    """A Fourier motion of its own for every seed, joints up to 0.6 to 1 times `fastest` [rad/s]."""
    rng = np.random.default_rng(1000 + seed)
    time = np.arange(int(seconds * rate)) / rate
    omega = 2.0 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    angle = time[:, None, None] * omega + rng.uniform(0.0, 2.0 * np.pi, (5, 6))
    amplitude = rng.uniform(0.3, 1.0, (5, 6))
    amplitude *= rng.uniform(0.6, 1.0, 6) * fastest / np.abs(np.sum(amplitude * np.cos(angle), axis=1)).max(axis=0)
    q = rng.uniform(-0.5, 0.5, 6) + np.sum(amplitude / omega * np.sin(angle), axis=1)
    dq, ddq = np.sum(amplitude * np.cos(angle), axis=1), -np.sum(amplitude * omega * np.sin(angle), axis=1)
    rigid = inverse_dynamics(arm, arm.parameters, q, dq, ddq)
    effort = rigid + friction_torque(*friction, Motion(q, dq, ddq, rigid)) + EFFORT_NOISE * EFFORT * rng.normal(size=q.shape)
    measured = q + POSITION_NOISE * rng.normal(size=q.shape)
    names, source = arm.joint_names, f"log {seed}"
    return Dataset(time=time, q=measured, effort=effort, effort_kind=EffortKind.TORQUE, joint_names=names, source=source)


def controller_samples(arm: Robot, seed: int = 0, samples: int = 300) -> ControllerSamples:
    """M and g at random configurations; the recorded positions are off by their noise."""
    rng = np.random.default_rng(2000 + seed)
    q = rng.uniform(-2.5, 2.5, (samples, arm.n))
    M, g = mass_matrix(arm, arm.parameters, q), gravity(arm, arm.parameters, q)
    return ControllerSamples(q=q + POSITION_NOISE * rng.normal(size=q.shape), M=M, g=g, source="M and g")


def wear(friction: tuple[FrictionModel, np.ndarray], law: str, joint: int, factor: float = 1.3) -> tuple[FrictionModel, np.ndarray]:
    """The same friction with the Coulomb friction of one joint, from 0, times a factor."""
    model, parameters = friction
    worn = parameters.copy()
    worn[joint, COULOMB[law]] *= factor
    return model, worn
