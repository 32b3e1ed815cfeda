# pyright: basic
"""The robot in MuJoCo, built from our own description: same joints, same order, same parameters, torque-driven.

A rigid joint is one MuJoCo joint. An elastic joint is two on the same axis, in the same body: the motor's angle θ and the
deflection δ = q - θ, with the spring and damper on δ and the rotor's inertia as the armature of θ. Kinetic energy is then
½ B θ̇² + ½ q̇ᵀ M(q) q̇, which is Spong's model (the rotor's own motion with the arm is neglected).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray, IntArray, per_joint
from dynident.core.native_output import silence_mujoco
from dynident.dynamics import mass_matrix
from dynident.errors import InputError, import_optional
from dynident.motions.simulation.payload import check_bodies, loaded_parameters
from dynident.motions.simulation.virtual_controller import random_configurations
from dynident.robots.formats.mjcf_inertial import FULL_INERTIA
from dynident.robots.kinematics import length_unit
from dynident.robots.parameters import change_of_frame, link_inertia
from dynident.robots.robot import Joint, JointType, Link, Robot

# MuJoCo refuses moving bodies without mass and inertia. A compound joint's inner links and point masses get this much,
# a billionth of what matters [kg, kg·m²]; less on a robot that is lighter or smaller than an arm.
_LEAST_MASS, _LEAST_INERTIA = 1e-9, 1e-11

#: Damping of a joint's spring where none is given, as a share of the critical one.
_DAMPING_RATIO = 0.05


@dataclass(frozen=True, kw_only=True)
class Elasticity:
    """Springs between motors and links.

    Attributes
    ----------
    stiffness
        Number or (n,) [N·m/rad | N/m]; infinite is a rigid joint.
    motor_inertia
        Number or (n,) Of the rotor, seen through the gear [kg·m² | kg]; by default as much as the joint moves, in the mean over
        configurations within its limits.
    damping
        Number or (n,) Beside the spring [N·m·s/rad | N·s/m]; by default 5 % of critical for the rotor on its spring.
    """

    stiffness: float | tuple[float, ...]
    motor_inertia: float | tuple[float, ...] | None = None
    damping: float | tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Plant:
    """A compiled MuJoCo model and how its degrees of freedom are the robot's.

    Attributes
    ----------
    robot : Robot
        What was compiled.
    parameters : (n, 10) array
        Linear parameters of the links.
    model : Any
        MuJoCo's compiled model.
    motors : (n,) array
        The degree of freedom that each joint's motor drives.
    springs : (n,) array
        That of each joint's deflection; -1 where the joint is rigid.
    inertia : (n,) array
        Of the motors: rotor inertia of elastic joints, and armature.
    """

    robot: Robot
    parameters: Array
    model: Any
    motors: IntArray
    springs: IntArray
    inertia: Array

    def link_side(self, motor_and_spring: Array) -> Array:
        """(n,) positions, velocities or accelerations of the links from those of the degrees of freedom."""
        values = motor_and_spring[self.motors]
        if self._elastic is not None:
            values[self._elastic] += motor_and_spring[self.springs[self._elastic]]
        return values

    @cached_property
    def _elastic(self) -> BoolArray | None:
        """(n,) which joints have a spring; None where none has."""
        elastic = self.springs >= 0
        return elastic if np.any(elastic) else None


def build_plant(
    robot: Robot, parameters: ArrayLike | None = None, *, elasticity: Elasticity | None = None, armature: ArrayLike = 0.0
) -> Plant:
    """Compile the robot, with the given or its nominal parameters (n, 10), for MuJoCo's RK4.

    Parameters
    ----------
    robot
        The robot.
    parameters : (n, 10) array_like
        Linear parameters of the links; by default the nominal ones.
    elasticity
        Springs in the joints; None where they are rigid.
    armature
        Number or (n,) Inertia added to each motor: M(q) + diag(armature) for rigid joints [kg·m² | kg].

    Returns
    -------
    Plant
        The compiled model.
    """
    mujoco = import_optional("mujoco", "simulating a robot")
    p = loaded_parameters(robot, parameters)
    check_bodies(robot, p)
    extra = per_joint("armature", armature, robot.n, sign="nonnegative")
    stiffness, rotor, damping = _springs(robot, p, elasticity)
    spec = mujoco.MjSpec()
    spec.option.gravity = robot.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    # after a divergence MuJoCo would start over from zero, without a word to us
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    spec.compiler.balanceinertia = False
    share = min(1.0, float(p[:, 0].max())) * min(1.0, length_unit(robot) ** 2)
    bodies: list[Any] = []
    motors: list[int] = []
    springs: list[int] = []
    for j, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        parent = spec.worldbody if joint.parent < 0 else bodies[joint.parent]
        body = _add_body(mujoco, parent, robot, joint, link, p[j], share)
        kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.type is JointType.PRISMATIC else mujoco.mjtJoint.mjJNT_HINGE
        elastic = np.isfinite(stiffness[j])
        body.add_joint(name=joint.name, type=kind, axis=joint.axis, armature=rotor[j] + extra[j])
        if elastic:
            body.add_joint(name=f"{joint.name} deflection", type=kind, axis=joint.axis)
        bodies.append(body)
    try:
        with silence_mujoco(mujoco):
            model = spec.compile()
    except ValueError as error:  # a link without mass that moves by itself, mostly
        reason = " ".join(str(error).split()).removeprefix("Error: ").rstrip(".")
        remedy = "give every link that moves by itself a mass and an inertia"
        raise InputError(f"MuJoCo can't simulate this robot: {reason}", remedy=remedy) from None
    for j, joint in enumerate(robot.joints):  # MuJoCo may sort the bodies of a tree, so ask by name
        motors.append(int(model.joint(joint.name).dofadr[0]))
        springs.append(int(model.joint(f"{joint.name} deflection").dofadr[0]) if np.isfinite(stiffness[j]) else -1)
        if springs[-1] >= 0:
            model.jnt_stiffness[springs[-1]], model.dof_damping[springs[-1]] = stiffness[j], damping[j]
    return Plant(
        robot=robot,
        parameters=p,
        model=model,
        motors=np.array(motors),
        springs=np.array(springs),
        inertia=rotor + extra,
    )


def _add_body(mujoco: Any, parent: Any, robot: Robot, joint: Joint, link: Link, parameters: Array, share: float) -> Any:
    parent_frame = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
    pose = parent_frame @ joint.placement
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, pose[:3, :3].ravel())
    body = parent.add_body(name=link.name, pos=pose[:3, 3], quat=quaternion)
    mass, com, inertia = _inertial(change_of_frame(link.placement) @ parameters, share)
    body.mass, body.ipos, body.explicitinertial = mass, com, True
    body.fullinertia = [inertia[place] for place in FULL_INERTIA]
    return body


def _inertial(parameters: Array, share: float) -> tuple[float, Array, Array]:
    """Mass, centre of mass and barycentric inertia, lifted by as little as MuJoCo needs. share : of what links of an arm get."""
    mass, com, inertia = link_inertia(parameters)
    principal = np.linalg.eigvalsh(inertia)
    slack = min(principal[0], principal[0] + principal[1] - principal[2])
    # a multiple of 1 lifts the eigenvalues and the triangle inequality alike
    return mass or share * _LEAST_MASS, com, inertia + max(0.0, share * _LEAST_INERTIA - slack) * np.eye(3)


def _springs(robot: Robot, p: Array, elasticity: Elasticity | None) -> tuple[Array, Array, Array]:
    """Stiffness (infinite where rigid), motor inertia and damping, (n,) each."""
    if elasticity is None:
        return np.full(robot.n, np.inf), np.zeros(robot.n), np.zeros(robot.n)
    stiffness = per_joint("stiffness", elasticity.stiffness, robot.n, sign="positive", infinite=True)
    rigid = np.isinf(stiffness)
    if elasticity.motor_inertia is None:
        rotor = _moved_inertia(robot, p)
    else:
        rotor = per_joint("motor_inertia", elasticity.motor_inertia, robot.n, sign="positive")
    if elasticity.damping is None:
        damping = _DAMPING_RATIO * 2.0 * np.sqrt(np.where(rigid, 0.0, stiffness) * rotor)
    else:
        damping = per_joint("damping", elasticity.damping, robot.n, sign="nonnegative")
    return stiffness, np.where(rigid, 0.0, rotor), damping


def _moved_inertia(robot: Robot, p: Array) -> Array:
    """(n,) mean of M_jj over configurations within the limits."""
    M = mass_matrix(robot, p, random_configurations(robot, 200))
    return np.mean(np.diagonal(M, axis1=1, axis2=2), axis=0)
