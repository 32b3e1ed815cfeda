# pyright: basic
"""Dynamics of one robot with nothing but NumPy. This module is the source of the exported Python modules: the data between
the two marks are replaced by those of the exported robot, and everything after them is copied as it is."""

from __future__ import annotations

# data begin
import numpy as np

NAME = "pendulum"
JOINTS = ("joint1",)
PARENTS = (-1,)
PRISMATIC = (False,)
GRAVITY = np.array([0.0, 0.0, -9.80665])
PLACEMENTS = np.eye(4)[None]
AXES = np.array([[0.0, 1.0, 0.0]])
LINK_PLACEMENTS = np.eye(4)[None]
TOOL = np.eye(4)
PARAMETERS = np.array([[1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.25]])


def friction(q, dq, ddq):
    """Friction torques (..., n), to be added to inverse_dynamics."""
    q, dq, ddq = (np.asarray(values, dtype=float) for values in (q, dq, ddq))
    return 0.0 * q + 0.0 * dq + 0.0 * ddq


# data end


def inverse_dynamics(q, dq, ddq, parameters=PARAMETERS, gravity=GRAVITY):
    """Torques of the links (..., n): M(q) ddq + C(q, dq) dq + g(q), without friction.

    q, dq, ddq : (..., n)   Positions, velocities, accelerations; any number of samples at once.
    parameters : (n, 10)    m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz of each link, J about its frame's origin.
    """
    q, dq, ddq = (np.asarray(values, dtype=float) for values in (q, dq, ddq))
    poses, turns, slides = _joints(q)
    motions, wrenches = [], []
    for i, parent in enumerate(PARENTS):
        R, p = poses[i][..., :3, :3], poses[i][..., :3, 3]
        if parent < 0:
            zero = np.zeros_like(p)
            w, dw, a = zero, zero, zero - gravity
        else:
            w, dw, a = motions[parent]
        a = a + np.cross(dw, p) + np.cross(w, np.cross(w, p))
        carried, dw, a = _turn_back(R, w), _turn_back(R, dw), _turn_back(R, a)
        relative, rate = turns[i] * dq[..., i, None], dq[..., i, None]
        dw = dw + turns[i] * ddq[..., i, None] + np.cross(carried, relative)
        a = a + np.cross(2.0 * carried + relative, slides[i]) * rate + slides[i] * ddq[..., i, None]
        motions.append((carried + relative, dw, a))
        wrenches.append(_wrench(parameters[i], *motions[i]))
    torques = np.empty_like(q)
    for i in reversed(range(len(PARENTS))):
        force, moment = wrenches[i]
        torques[..., i] = moment @ turns[i] + force @ slides[i]
        if PARENTS[i] >= 0:
            R, p = poses[i][..., :3, :3], poses[i][..., :3, 3]
            force, moment = _turn(R, force), _turn(R, moment)
            before = wrenches[PARENTS[i]]
            wrenches[PARENTS[i]] = before[0] + force, before[1] + moment + np.cross(p, force)
    return torques


def gravity_vector(q):
    """Torques that hold the robot against gravity, (..., n)."""
    still = np.zeros_like(np.asarray(q, dtype=float))
    return inverse_dynamics(q, still, still)


def coriolis_vector(q, dq):
    """Coriolis and centrifugal torques C(q, dq) dq, (..., n)."""
    return inverse_dynamics(q, dq, np.zeros_like(np.asarray(q, dtype=float)), gravity=np.zeros(3))


def mass_matrix(q):
    """Inertia matrix M(q), (..., n, n): column j is the torque of a unit acceleration of joint j."""
    q = np.asarray(q, dtype=float)
    still = np.zeros_like(q)
    units = np.eye(len(PARENTS))
    return np.stack([inverse_dynamics(q, still, still + unit, gravity=np.zeros(3)) for unit in units], axis=-1)


def regressor(q, dq, ddq):
    """Y (..., n, 10 n): Y times the links' parameters is inverse_dynamics, which is linear in them."""
    units = np.eye(PARAMETERS.size).reshape(-1, *PARAMETERS.shape)
    return np.stack([inverse_dynamics(q, dq, ddq, parameters=unit) for unit in units], axis=-1)


def jacobian(q):
    """(..., 6, n) of the tool frame in base axes: three linear rows (of its origin), then three angular rows."""
    q = np.asarray(q, dtype=float)
    poses, turns, slides = _joints(q)
    world = []
    for i, parent in enumerate(PARENTS):
        world.append(poses[i] if parent < 0 else world[parent] @ poses[i])
    tip = (world[-1] @ TOOL)[..., :3, 3]
    J = np.zeros((*q.shape[:-1], 6, len(PARENTS)))
    j = len(PARENTS) - 1
    while j >= 0:
        R, p = world[j][..., :3, :3], world[j][..., :3, 3]
        turn = R @ turns[j]
        J[..., :3, j], J[..., 3:, j] = R @ slides[j] + np.cross(turn, tip - p), turn
        j = PARENTS[j]
    return J


def _joints(q):
    """Of every joint: pose of its link in the parent (..., 4, 4), and its axis as angular and linear velocity in the link."""
    poses, turns, slides = [], [], []
    for i, axis in enumerate(AXES):
        R, p = LINK_PLACEMENTS[i][:3, :3], LINK_PLACEMENTS[i][:3, 3]
        motion = np.zeros((*q.shape[:-1], 4, 4))
        motion[...] = np.eye(4)
        if PRISMATIC[i]:
            motion[..., :3, 3] = q[..., i, None] * axis
            turn, slide = np.zeros(3), R.T @ axis
        else:
            x, y, z = axis
            K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            c, s = np.cos(q[..., i, None, None]), np.sin(q[..., i, None, None])
            motion[..., :3, :3] = c * np.eye(3) + s * K + (1.0 - c) * np.outer(axis, axis)
            turn, slide = R.T @ axis, R.T @ np.cross(axis, p)
        poses.append(PLACEMENTS[i] @ motion @ LINK_PLACEMENTS[i])
        turns.append(turn)
        slides.append(slide)
    return poses, turns, slides


def _wrench(parameters, w, dw, a):
    """Force, and moment about the link's origin."""
    m, mc = parameters[0], parameters[1:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    force = m * a + np.cross(dw, mc) + np.cross(w, np.cross(w, mc))
    return force, dw @ J + np.cross(w, w @ J) + np.cross(mc, a)


def _turn(R, vector):
    return np.einsum("...ab,...b->...a", R, vector)


def _turn_back(R, vector):
    return np.einsum("...ab,...a->...b", R, vector)
