"""The readable oracle: Lagrangian dynamics from body Jacobians, in NumPy. Same functions as numba_dynamics.py.

With J_i (6, n) the Jacobian of link i in its own frame (angular rows first) and G_i (6, 6) its spatial inertia,

    M = Σ_i J_iᵀ G_i J_i,      C_jk = ½ Σ_l (∂M_jk/∂q_l + ∂M_jl/∂q_k - ∂M_kl/∂q_j) dq_l,      τ = M ddq + C dq + g.

Column j of J_i changes with q_l as the bracket [S_j, S_l] when joint l comes after joint j on the way to link i, and
not at all otherwise: that gives ∂M/∂q in closed form. G_i is linear in the link's ten parameters, so the regressors
are the same formulas for ten unit parameters. Nothing here is shared with the compiled kernels, which use
Newton-Euler; it is slow and uses memory freely.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.robots.kinematics import link_poses, skew
from dynident.robots.parameters import PARAMETERS_PER_LINK, inertia_matrix
from dynident.robots.robot import JointType, Robot

_CHUNK = 128
#: Step of differences in q [rad | m]: entries are trigonometric with frequencies of at most 2, so the error is below 1e-8 of their size.
_STEP = 1e-4


def inverse_dynamics(robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array, *, gravity: Array) -> Array:
    tau = np.zeros_like(q)
    for i in range(robot.n):
        G = spatial_inertia(parameters[i])
        J, dJ = _jacobian(robot, i, q), _jacobian_derivative(robot, i, q)
        M, dM = _inertia(J, dJ, G)
        acceleration = _gravity_acceleration(robot, i, q, gravity)
        tau += np.einsum("Njk,Nk->Nj", M, ddq) + np.einsum("Njk,Nk->Nj", _christoffel(dM, dq), dq)
        tau += np.einsum("Naj,ab,Nb->Nj", J, G, acceleration)
    return tau


def link_wrenches(robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array) -> Array:
    """Newton and Euler for each link, F = G V' + V ×* G V, then the sum over all links after a joint, about one point of the base."""
    poses = link_poses(robot, q)
    R, p = poses[..., :3, :3], poses[..., :3, 3]
    moment, force = np.zeros((2, len(q), robot.n, 3))
    for i in range(robot.n):
        G, J, dJ = spatial_inertia(parameters[i]), _jacobian(robot, i, q), _jacobian_derivative(robot, i, q)
        V = np.einsum("Naj,Nj->Na", J, dq)
        rate = np.einsum("Naj,Nj->Na", J, ddq) + np.einsum("Najl,Nj,Nl->Na", dJ, dq, dq)
        H, change = V @ G, (rate + _gravity_acceleration(robot, i, q, robot.gravity)) @ G
        turned = np.cross(V[:, :3], H[:, :3]) + np.cross(V[:, 3:], H[:, 3:])
        f = np.einsum("Nab,Nb->Na", R[:, i], change[:, 3:] + np.cross(V[:, :3], H[:, 3:]))
        m = np.einsum("Nab,Nb->Na", R[:, i], change[:, :3] + turned) + np.cross(p[:, i], f)
        for j in robot.ancestors(i):
            force[:, j] += f
            moment[:, j] += m
    about_origins = moment - np.cross(p, force)
    return np.concatenate([np.einsum("Njba,Njb->Nja", R, values) for values in (about_origins, force)], axis=2)


def momentum(robot: Robot, parameters: Array, q: Array, dq: Array) -> tuple[Array, Array]:
    still = np.zeros_like(q)
    value = np.einsum("Njk,Nk->Nj", mass_matrix(robot, parameters, q), dq)
    rate = np.einsum("Nkj,Nk->Nj", coriolis_matrix(robot, parameters, q, dq), dq)
    return value, rate - inverse_dynamics(robot, parameters, q, still, still, gravity=robot.gravity)


def mass_matrix(robot: Robot, parameters: Array, q: Array) -> Array:
    M = np.zeros((len(q), robot.n, robot.n))
    for i in range(robot.n):
        J = _jacobian(robot, i, q)
        M += J.swapaxes(1, 2) @ spatial_inertia(parameters[i]) @ J
    return M


def coriolis_matrix(robot: Robot, parameters: Array, q: Array, dq: Array) -> Array:
    C = np.zeros((len(q), robot.n, robot.n))
    for i in range(robot.n):
        _, dM = _inertia(_jacobian(robot, i, q), _jacobian_derivative(robot, i, q), spatial_inertia(parameters[i]))
        C += _christoffel(dM, dq)
    return C


def inertia_gravity_regressor(robot: Robot, q: Array) -> Array:
    n = robot.n
    rows, columns = np.tril_indices(n)
    Y = np.zeros((len(q), n * (n + 1) // 2 + n, PARAMETERS_PER_LINK * n))
    for i in range(n):
        J = _jacobian(robot, i, q)
        acceleration = _gravity_acceleration(robot, i, q, robot.gravity)
        for slot, unit in enumerate(np.eye(PARAMETERS_PER_LINK)):
            G = spatial_inertia(unit)
            M = J.swapaxes(1, 2) @ G @ J
            column = PARAMETERS_PER_LINK * i + slot
            Y[:, :-n, column] = M[:, rows, columns]
            Y[:, -n:, column] = np.einsum("Naj,ab,Nb->Nj", J, G, acceleration)
    return Y


def torque_regressor(robot: Robot, q: Array, dq: Array, ddq: Array) -> Array:
    Y = np.zeros((len(q), robot.n, PARAMETERS_PER_LINK * robot.n))
    for i in range(robot.n):
        J, dJ = _jacobian(robot, i, q), _jacobian_derivative(robot, i, q)
        acceleration = _gravity_acceleration(robot, i, q, robot.gravity)
        for slot, unit in enumerate(np.eye(PARAMETERS_PER_LINK)):
            G = spatial_inertia(unit)
            M, dM = _inertia(J, dJ, G)
            tau = np.einsum("Njk,Nk->Nj", M, ddq) + np.einsum("Njk,Nk->Nj", _christoffel(dM, dq), dq)
            Y[:, :, PARAMETERS_PER_LINK * i + slot] = tau + np.einsum("Naj,ab,Nb->Nj", J, G, acceleration)
    return Y


def iterate_regressor_blocks(robot: Robot, q: Array, dq: Array, ddq: Array) -> Iterator[tuple[int, Array]]:
    for start in range(0, len(q), _CHUNK):
        part = slice(start, start + _CHUNK)
        yield start, np.ascontiguousarray(torque_regressor(robot, q[part], dq[part], ddq[part]).transpose(1, 2, 0))


def regressor_gradient(robot: Robot, q: Array, dq: Array, ddq: Array, weights: Array) -> Array:
    """Central differences: Y is linear in ddq and quadratic in dq, so that those are exact with any step."""
    motion, out = [q, dq, ddq], np.empty((3, *q.shape))
    for part, step in enumerate((_STEP, 1.0, 1.0)):
        for j, unit in enumerate(np.eye(robot.n)):
            above, below = ([values + h * unit * (k == part) for k, values in enumerate(motion)] for h in (step, -step))
            difference = torque_regressor(robot, *above) - torque_regressor(robot, *below)
            out[part, :, j] = np.einsum("Njc,jcN->N", difference, weights) / (2.0 * step)
    return out


class ReferenceLineWriter:
    """Writes chosen entries of a torque regressor as lines, one sample after another."""

    def __init__(self, robot: Robot, places: IntArray, known: Array, sums: IntArray) -> None:
        self._robot, self._places, self._known, self._sums = robot, places, known, sums

    def write(self, q: Array, dq: Array, ddq: Array, start: int, out: Array) -> None:
        part = slice(start, min(start + out.shape[1], len(q)))
        Y = torque_regressor(self._robot, q[part], dq[part], ddq[part])
        lines = out[:, : len(Y)]
        lines[self._sums] = (Y @ self._known).T if len(self._known) else 0.0
        chosen = self._places >= 0
        lines[self._places[chosen]] = Y.transpose(1, 2, 0)[chosen]


LineWriter = ReferenceLineWriter  # as `batched_dynamics` calls it in either of its backends


def spatial_inertia(parameters: Array) -> Array:
    """(6, 6) G with momentum = G (ω, v) about the frame's origin, of one link's parameters (10,)."""
    m, mc = parameters[0], parameters[1:4]
    across = skew(mc)
    return np.block([[inertia_matrix(parameters), across], [across.T, m * np.eye(3)]])


def _jacobian(robot: Robot, body: int, q: Array) -> Array:
    """(N, 6, n) Jacobian of a link in its own frame: velocity (ω, v of the origin) = J dq."""
    poses = link_poses(robot, q)
    R, p = poses[:, body, :3, :3], poses[:, body, :3, 3]
    J = np.zeros((len(q), 6, robot.n))
    for j in robot.ancestors(body):
        joint = robot.joints[j]
        # a joint's axis doesn't move with the joint itself, so its frame at rest gives axis and anchor in the base frame
        before = joint.placement if joint.parent < 0 else poses[:, joint.parent] @ joint.placement
        frame = np.broadcast_to(before, (len(q), 4, 4))
        axis = frame[:, :3, :3] @ joint.axis
        if joint.type is JointType.PRISMATIC:
            J[:, 3:, j] = np.einsum("Nba,Nb->Na", R, axis)
        else:
            J[:, :3, j] = np.einsum("Nba,Nb->Na", R, axis)
            J[:, 3:, j] = np.einsum("Nba,Nb->Na", R, np.cross(axis, p - frame[:, :3, 3]))
    return J


def _jacobian_derivative(robot: Robot, body: int, q: Array) -> Array:
    """(N, 6, n, n) dJ[..., j, l] = ∂J_j/∂q_l = [S_j, S_l] when j comes before l on the way to the link."""
    J = _jacobian(robot, body, q)
    dJ = np.zeros((len(q), 6, robot.n, robot.n))
    path = robot.ancestors(body)
    for position, j in enumerate(path):
        for later in path[position + 1 :]:
            u, v, y, w = J[:, :3, j], J[:, 3:, j], J[:, :3, later], J[:, 3:, later]
            dJ[:, :3, j, later] = np.cross(u, y)
            dJ[:, 3:, j, later] = np.cross(u, w) + np.cross(v, y)
    return dJ


def _inertia(J: Array, dJ: Array, G: Array) -> tuple[Array, Array]:
    """M (N, n, n) and dM[..., j, k, l] = ∂M_jk/∂q_l of one link."""
    GJ = G @ J
    half = np.einsum("Najl,Nak->Njkl", dJ, GJ)
    return J.swapaxes(1, 2) @ GJ, half + half.swapaxes(1, 2)


def _christoffel(dM: Array, dq: Array) -> Array:
    symbols = dM + dM.swapaxes(2, 3) - dM.transpose(0, 3, 1, 2)
    return 0.5 * np.einsum("Njkl,Nl->Njk", symbols, dq)


def _gravity_acceleration(robot: Robot, body: int, q: Array, gravity: Array) -> Array:
    """(N, 6) gravity as an upward acceleration of the link, in its frame: (0, -Rᵀ g)."""
    R = link_poses(robot, q)[:, body, :3, :3]
    return np.concatenate([np.zeros((len(q), 3)), -np.einsum("Nba,b->Na", R, gravity)], axis=1)
