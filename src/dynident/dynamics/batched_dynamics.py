"""The dynamics of a robot, batched over samples: checks the input, then calls the compiled kernels or the reference.

Every function takes positions q as (N, n) or, for one sample, (n,), and returns with the same leading shape.
`parameters` are the links' linear parameters in their named frames, (n, 10) or stacked (10 n,). DYNIDENT_KERNELS=reference
in the environment selects the readable NumPy implementation; the default, numba, compiles on first use and keeps
the compiled code on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, IntArray, check_samples, freeze
from dynident.errors import ShapeError, UnknownNameError, ValueRangeError
from dynident.robots.kinematics import link_poses, skew
from dynident.robots.parameters import PARAMETERS_PER_LINK, link_rows
from dynident.robots.robot import JointType, Robot

_KERNELS = ("numba", "reference")

#: Largest joint angle whose sine the kernels compute to full precision [rad].
LARGEST_ANGLE = 1e6


class RegressorBlock(NamedTuple):
    """Some consecutive samples of a torque regressor.

    Attributes
    ----------
    start : int
        Index of the first sample.
    matrix : (n, 10 n, samples) array
        matrix[j, :, s] is joint j's row of sample start + s. The memory is reused for the next block.
    """

    start: int
    matrix: Array


class Momentum(NamedTuple):
    """The generalised momentum of a robot, and how it changes by itself; (N, n) each.

    Attributes
    ----------
    value
        M(q) dq [N·m·s | N·s].
    drift
        C(q, dq)ᵀ dq - g(q) [N·m | N], so that d(value)/dt = effort + drift; Cᵀ dq is the slope of the kinetic energy over q.
    """

    value: Array
    drift: Array


def inverse_dynamics(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
    """Joint efforts (N, n) [N·m | N] that produce the motion: τ = M(q) ddq + C(q, dq) dq + g(q).

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].
    ddq : (N, n) or (n,) array_like
        Joint accelerations [rad/s² | m/s²].

    Returns
    -------
    (N, n) or (n,) array
        Joint efforts [N·m | N].
    """
    (Q, dQ, ddQ), shape = _samples(robot, q=q, dq=dq, ddq=ddq)
    p = link_rows(parameters, robot.link_names)
    return _backend().inverse_dynamics(robot, p, Q, dQ, ddQ, gravity=robot.gravity).reshape(shape)


def gravity(robot: Robot, parameters: ArrayLike, q: ArrayLike) -> Array:
    """Gravity efforts g(q), (N, n) [N·m | N].

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].

    Returns
    -------
    (N, n) or (n,) array
        g(q) [N·m | N].
    """
    (Q,), shape = _samples(robot, q=q)
    still = np.zeros_like(Q)
    p = link_rows(parameters, robot.link_names)
    return _backend().inverse_dynamics(robot, p, Q, still, still, gravity=robot.gravity).reshape(shape)


def coriolis_vector(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike) -> Array:
    """Coriolis and centrifugal efforts c(q, dq) = C(q, dq) dq, (N, n) [N·m | N].

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].

    Returns
    -------
    (N, n) or (n,) array
        c(q, dq) [N·m | N].
    """
    (Q, dQ), shape = _samples(robot, q=q, dq=dq)
    weightless = np.zeros(3)
    p = link_rows(parameters, robot.link_names)
    return _backend().inverse_dynamics(robot, p, Q, dQ, np.zeros_like(Q), gravity=weightless).reshape(shape)


def mass_matrix(robot: Robot, parameters: ArrayLike, q: ArrayLike) -> Array:
    """Joint-space inertia matrix M(q), (N, n, n), symmetric; positive definite for consistent parameters.

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].

    Returns
    -------
    (N, n, n) or (n, n) array
        M(q) [kg·m² | kg].
    """
    (Q,), shape = _samples(robot, q=q)
    return _backend().mass_matrix(robot, link_rows(parameters, robot.link_names), Q).reshape(*shape, robot.n)


def coriolis_matrix(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike) -> Array:
    """The Coriolis matrix C(q, dq) of the Christoffel symbols, (N, n, n): C dq = c and Ṁ - 2 C is skew-symmetric.

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].

    Returns
    -------
    (N, n, n) or (n, n) array
        C(q, dq) [N·m·s | N·s].
    """
    (Q, dQ), shape = _samples(robot, q=q, dq=dq)
    return _backend().coriolis_matrix(robot, link_rows(parameters, robot.link_names), Q, dQ).reshape(*shape, robot.n)


def momentum(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike) -> Momentum:
    """Generalised momentum and its drift, by one recursion over velocities and weights: no acceleration, M or C is formed.

    De Luca, Ferrajoli, "A modified Newton-Euler method for dynamic computations in robot fault detection and control", ICRA 2009.

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].

    Returns
    -------
    Momentum
        Momentum and drift, (N, n) or (n,) each.
    """
    (Q, dQ), shape = _samples(robot, q=q, dq=dq)
    value, drift = _backend().momentum(robot, link_rows(parameters, robot.link_names), Q, dQ)
    return Momentum(value.reshape(shape), drift.reshape(shape))


def joint_wrenches(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
    """Force and moment that each joint transmits along a motion, by the Newton-Euler recursion.

    Bearings, flanges and structural loads depend on all six numbers; the actuator feels one of them. Friction, rotors and forces at
    the tool are not included.

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,)
        Linear parameters of the links in the robot's named frames. All of them matter: links with the same base parameters need the
        same efforts, but other wrenches.
    q, dq, ddq : (N, n) or (n,)
        Positions, velocities and accelerations of the joints [rad, rad/s, rad/s² | m, m/s, m/s²].

    Returns
    -------
    (N, n, 6) or (n, 6)
        fx, fy, fz [N], mx, my, mz [N·m] of each joint: what the link before the joint exerts on the link after it; the reaction is the
        negative. Both are in the joint's frame, which moves with the link after the joint, and the moment is about its origin, which
        lies on the axis. At q = 0 its pose in the parameter frame of the link before is `joint.placement`; `link.placement` is the
        pose of the parameter frame of the link after in it. (Pinocchio's `data.f` after `rnea` is the same.)

    Notes
    -----
    With u the joint's axis, u·m of a revolute joint and u·f of a prismatic one are `inverse_dynamics`. At rest all joints before a
    link carry its weight: the force is -m g, which points up.

    Examples
    --------
    >>> from dynident import load_robot
    >>> from dynident.dynamics import joint_wrenches
    >>> arm = load_robot("planar_2r")  # stretched out horizontally at q = 0; y of its joint frames points up
    >>> joint_wrenches(arm, arm.parameters, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)[0]  # 7 kg, of which 3 kg are at 0.75 m
    array([ 0.   , 68.647,  0.   ,  0.   ,  0.   , 31.872])
    """
    (Q, dQ, ddQ), shape = _samples(robot, q=q, dq=dq, ddq=ddq)
    wrenches = _backend().link_wrenches(robot, link_rows(parameters, robot.link_names), Q, dQ, ddQ)
    out = np.empty_like(wrenches)
    for j, link in enumerate(robot.links):  # from the link's frame into that of the joint: f = R f', m = R m' + p × R f'
        R, p = link.placement[:3, :3], link.placement[:3, 3]
        into_joint = np.block([[np.zeros((3, 3)), R], [R, skew(p) @ R]])
        out[:, j] = wrenches[:, j] @ into_joint.T
    return out.reshape(*shape, 6)


def forward_dynamics(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike, effort: ArrayLike) -> Array:
    """Joint accelerations (N, n) [rad/s² | m/s²] under the given efforts: M⁻¹ (τ - c - g).

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].
    effort : (N, n) or (n,) array_like
        Joint torques or forces [N·m | N].

    Returns
    -------
    (N, n) or (n,) array
        Joint accelerations [rad/s² | m/s²].
    """
    (Q, dQ, tau), shape = _samples(robot, q=q, dq=dq, effort=effort)
    p = link_rows(parameters, robot.link_names)
    bias: Array = _backend().inverse_dynamics(robot, p, Q, dQ, np.zeros_like(Q), gravity=robot.gravity)
    M: Array = _backend().mass_matrix(robot, p, Q)
    try:
        ddq = np.linalg.solve(M, (tau - bias)[..., None])
    except np.linalg.LinAlgError:
        raise ValueRangeError("parameters", "give a singular mass matrix, so no acceleration follows; check for massless links") from None
    return np.asarray(ddq, dtype=float).reshape(shape)


def kinetic_energy(robot: Robot, parameters: ArrayLike, q: ArrayLike, dq: ArrayLike) -> Array:
    """Kinetic energy ½ dqᵀ M dq, (N,) [J].

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].

    Returns
    -------
    (N,) array or float
        Energy [J].
    """
    (Q, dQ), shape = _samples(robot, q=q, dq=dq)
    M = _backend().mass_matrix(robot, link_rows(parameters, robot.link_names), Q)
    return 0.5 * np.einsum("Nj,Njk,Nk->N", dQ, M, dQ).reshape(shape[:-1])


def potential_energy(robot: Robot, parameters: ArrayLike, q: ArrayLike) -> Array:
    """Potential energy of gravity -Σ gᵀ(m p + R mc), (N,) [J]; zero with all mass in the base frame's origin.

    Parameters
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) or (10 n,) array_like
        Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].

    Returns
    -------
    (N,) array or float
        Energy [J].
    """
    (Q,), shape = _samples(robot, q=q)
    p = link_rows(parameters, robot.link_names)
    poses = link_poses(robot, Q)
    moments = p[:, 0, None] * poses[..., :3, 3] + np.einsum("Niab,ib->Nia", poses[..., :3, :3], p[:, 1:4])
    return -np.einsum("Nia,a->N", moments, robot.gravity).reshape(shape[:-1])


def torque_regressor(robot: Robot, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
    """Y (N, n, 10 n) with Y @ parameters = inverse_dynamics; see iterate_regressor_blocks for logs that are long.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].
    ddq : (N, n) or (n,) array_like
        Joint accelerations [rad/s² | m/s²].

    Returns
    -------
    (N, n, 10 n) or (n, 10 n) array
        Y.
    """
    (Q, dQ, ddQ), shape = _samples(robot, q=q, dq=dq, ddq=ddq)
    return _backend().torque_regressor(robot, Q, dQ, ddQ).reshape(*shape, PARAMETERS_PER_LINK * robot.n)


def iterate_regressor_blocks(robot: Robot, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Iterator[RegressorBlock]:
    """The torque regressor in blocks that stay in cache, for callers that never want the whole matrix.

    Copy what must outlive the next step: the blocks share one buffer.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].
    dq : (N, n) or (n,) array_like
        Joint velocities [rad/s | m/s].
    ddq : (N, n) or (n,) array_like
        Joint accelerations [rad/s² | m/s²].

    Yields
    ------
    RegressorBlock
        Some consecutive samples, in order.
    """
    (Q, dQ, ddQ), _ = _samples(robot, q=q, dq=dq, ddq=ddq)
    for start, matrix in _backend().iterate_regressor_blocks(robot, Q, dQ, ddQ):
        yield RegressorBlock(start, matrix)


def regressor_gradient(robot: Robot, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, weights: Array) -> tuple[Array, Array, Array]:
    """Derivatives of Σ weights · Y, the weighted sum of all entries of the torque regressor, by the motion.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : (N, n) array_like
        Joint positions [rad | m].
    dq : (N, n) array_like
        Joint velocities [rad/s | m/s].
    ddq : (N, n) array_like
        Joint accelerations [rad/s² | m/s²].
    weights : (n, 10 n, N) array
        Weights, in the order of `iterate_regressor_blocks`.

    Returns
    -------
    tuple of three (N, n) arrays
        Derivatives by q, dq and ddq.
    """
    (Q, dQ, ddQ), _ = _samples(robot, q=q, dq=dq, ddq=ddq)
    if weights.shape != (expected := (robot.n, PARAMETERS_PER_LINK * robot.n, len(Q))):
        raise ShapeError("weights", weights.shape, f"{expected} = (joints, parameters, samples)")
    by_q, by_dq, by_ddq = _backend().regressor_gradient(robot, Q, dQ, ddQ, weights)
    return by_q, by_dq, by_ddq


class RegressorLines:
    """Chosen entries of torque regressors, written as lines over samples to where they are needed; one for each thread.

    Parameters
    ----------
    robot : Robot
        The robot.
    places : (n, 10 n) array
        Line of each entry; negative where it is not wanted.
    sums : (n,) array
        Line of each joint where entries times `known` are summed up; zero where that is None.
    known : (10 n,) array or None
        Known parameters of the links.
    """

    def __init__(self, robot: Robot, places: IntArray, sums: IntArray, known: Array | None = None) -> None:
        self._robot = robot
        self._writer = _backend().LineWriter(robot, places, np.zeros(0) if known is None else known, sums)

    def iterate(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike, out: Array) -> Iterator[slice]:
        """Fill out (lines, width) with some samples after the others; each time, which ones. Other lines are not touched.

        The width is a multiple of 40. Columns after the last sample hold anything.
        """
        motion = tuple(map(freeze, _samples(self._robot, q=q, dq=dq, ddq=ddq)[0]))
        for start in range(0, len(motion[0]), out.shape[1]):
            self._writer.write(*motion, start, out)
            yield slice(start, min(start + out.shape[1], len(motion[0])))


def inertia_gravity_regressor(robot: Robot, q: ArrayLike) -> Array:
    """Y_s (N, n (n + 1) / 2 + n, 10 n) with Y_s @ parameters = (inertia stack, gravity): eqs. (17) to (20) of the Panda paper.

    The inertia stack is the lower triangle of M row by row: M11, M21, M22, M31, ...

    Parameters
    ----------
    robot : Robot
        The robot.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].

    Returns
    -------
    (N, n (n + 1) / 2 + n, 10 n) array
        Y_s; without its first axis for one sample.
    """
    (Q,), shape = _samples(robot, q=q)
    Y = _backend().inertia_gravity_regressor(robot, Q)
    return Y.reshape(*shape[:-1], *Y.shape[1:])


def _backend() -> ModuleType:
    name = os.environ.get("DYNIDENT_KERNELS", "numba")
    if name not in _KERNELS:
        raise UnknownNameError("kernels (environment variable DYNIDENT_KERNELS)", name, _KERNELS)
    if name == "reference":
        from dynident.dynamics import lagrangian_dynamics as backend
    else:
        from dynident.dynamics import numba_dynamics as backend
    return backend


def _samples(robot: Robot, **arrays: ArrayLike) -> tuple[list[Array], tuple[int, ...]]:
    """The arrays as (N, n), contiguous and checked, and the shape they came in."""
    first = ""
    shape: tuple[int, ...] = ()
    samples: list[Array] = []
    for name, values in arrays.items():
        array = check_samples(name, values, robot.n)
        if samples and array.shape != shape:
            raise ShapeError(name, array.shape, f"{shape}, the shape of {first}")
        first, shape = first or name, array.shape
        samples.append(array.reshape(-1, robot.n))
    _check_angles(robot, samples[0])
    return samples, shape


def _check_angles(robot: Robot, q: Array) -> None:
    if len(q) == 0 or max(q.max(), -q.min()) <= LARGEST_ANGLE:
        return
    for index, joint in enumerate(robot.joints):
        largest = np.abs(q[:, index]).max()
        if joint.type is not JointType.PRISMATIC and largest > LARGEST_ANGLE:
            raise ValueRangeError("q", f"of joint {joint.name!r} reaches {largest:.3g} rad; angles must be radians (encoder counts?)")
