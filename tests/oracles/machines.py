"""Robots for the oracle tests, and the same robots built in Pinocchio and MuJoCo from our own description."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from dynident import Robot, load_robot
from dynident.robots import Joint, JointType, Link
from dynident.robots.parameters import change_of_frame, from_com, to_com, to_pinocchio

_EXAMPLES = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"

NAMES = ("panda", "kuka_lwr4", "panda_urdf", "ur5_urdf", "branched_tree", "prismatic")


def machine(name: str, seed: int = 0) -> Robot:
    """A robot with consistent parameters and gravity in a random direction."""
    rng = np.random.default_rng(seed)
    if name == "panda_urdf":
        robot = load_robot(_EXAMPLES / "panda_description/urdf/panda.urdf", lock={"panda_finger_joint*": 0.02})
    elif name == "ur5_urdf":
        robot = load_robot(_EXAMPLES / "ur_description/urdf/ur5_robot.urdf")
    elif name == "branched_tree":
        robot = random_tree(rng, parents=(-1, 0, 1, 2, 1, 4, 5, -1, 7), prismatic=(3, 6))
    elif name == "prismatic":
        robot = random_tree(rng, parents=(-1, 0, 1, 2, 3), prismatic=(0, 2, 3))
    else:
        robot = load_robot(name)
    if name == "kuka_lwr4":  # its published parameters are not consistent, which MuJoCo refuses
        robot = robot.with_parameters([_random_parameters(rng) for _ in range(robot.n)])
    return robot.with_gravity(9.8 * _direction(rng))


def random_tree(rng: np.random.Generator, *, parents: tuple[int, ...], prismatic: tuple[int, ...] = ()) -> Robot:
    """A tree with arbitrary axes, placements and parameter frames."""
    joints = [
        Joint(
            name=f"joint{i}",
            type=JointType.PRISMATIC if i in prismatic else JointType.REVOLUTE,
            parent=parent,
            placement=_random_pose(rng),
            axis=_direction(rng),
        )
        for i, parent in enumerate(parents)
    ]
    links = [
        Link(name=f"link{i}", frame=f"frame {i}", placement=_random_pose(rng), parameters=_random_parameters(rng))
        for i in range(len(parents))
    ]
    return Robot(name="tree", joints=tuple(joints), links=tuple(links))


def states(robot: Robot, samples: int = 101, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q, dq, ddq; an odd number of samples, so that the last tile is not full."""
    q, dq, ddq = np.random.default_rng(seed).uniform(-2.5, 2.5, (3, samples, robot.n))
    return q, dq, ddq


def pinocchio_model(robot: Robot) -> tuple[pin.Model, np.ndarray]:
    """The robot in Pinocchio, whose joint frames are the joint frames of ours, and for each joint Pinocchio's index.

    Pinocchio has one angle per joint here (no RUBZ joints), and its joints come in our order.
    """
    model = pin.Model()
    model.gravity = pin.Motion(robot.gravity, np.zeros(3))
    ids: list[int] = []
    for joint, link in zip(robot.joints, robot.links, strict=True):
        # Pinocchio places a joint in the parent's *joint* frame
        parent_frame = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
        make = pin.JointModelPrismaticUnaligned if joint.type is JointType.PRISMATIC else pin.JointModelRevoluteUnaligned
        placement = pin.SE3(parent_frame @ joint.placement)
        index = model.addJoint(0 if joint.parent < 0 else ids[joint.parent], make(joint.axis), placement, joint.name)
        in_joint_frame = to_pinocchio(change_of_frame(link.placement) @ link.parameters)
        model.appendBodyToJoint(index, pin.Inertia.FromDynamicParameters(in_joint_frame), pin.SE3.Identity())
        ids.append(index)
    return model, np.array(ids)


def mujoco_model(robot: Robot) -> mujoco.MjModel:
    """The robot in MuJoCo, with its joints in our order."""
    spec = mujoco.MjSpec()
    spec.option.gravity = robot.gravity
    spec.compiler.balanceinertia = False
    bodies: list = []
    for joint, link in zip(robot.joints, robot.links, strict=True):
        parent_frame = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
        pose = parent_frame @ joint.placement
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, pose[:3, :3].ravel())
        mass, com, inertia = to_com(change_of_frame(link.placement) @ link.parameters)
        body = (spec.worldbody if joint.parent < 0 else bodies[joint.parent]).add_body(name=link.name, pos=pose[:3, 3], quat=quaternion)
        body.mass, body.ipos, body.explicitinertial = float(mass), com, True
        body.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.type is JointType.PRISMATIC else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(name=joint.name, type=kind, axis=joint.axis)
        bodies.append(body)
    return spec.compile()


def _direction(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def _random_pose(rng: np.random.Generator) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = pin.exp3(rng.uniform(-2, 2, 3))
    pose[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    return pose


def _random_parameters(rng: np.random.Generator) -> np.ndarray:
    """Ten consistent parameters: a cloud of point masses."""
    masses, points = rng.uniform(0.1, 1.0, 6), rng.uniform(-0.3, 0.3, (6, 3))
    mass = masses.sum()
    com = masses @ points / mass
    arms = points - com
    inertia = np.einsum(
        "k,kab->ab", masses, np.einsum("ka,ka->k", arms, arms)[:, None, None] * np.eye(3) - arms[:, :, None] * arms[:, None, :]
    )
    return from_com(mass, com, inertia)
