"""The dynamics of one robot as expressions: Newton-Euler with all that is known about the robot folded in.

With a the acceleration of a link's origin (gravity included), w its angular velocity and U = [ẇ]× + [w]×[w]×, a point r of
the link accelerates by a + U r. Force and moment about the origin are then linear in the ten parameters,

    f = m a + U mc,        n = mc × a + ∫ r × (U r) dm,

and share the products in U (Khalil, Kleinfinger, IEEE J. Robotics and Automation 3(6), 1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.exports.code.graph import Graph, Matrix, Node, Vector, rotate_inertia, skew, steiner, total
from dynident.robots.kinematics import joint_constants
from dynident.robots.parameters import PARAMETERS_PER_LINK
from dynident.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """How a link moves, in its own frame: w angular velocity, dw its rate, U as above, a acceleration of the origin."""

    w: Vector
    dw: Vector
    U: Matrix
    a: Vector


class Dynamics:
    """Expressions of the dynamics of a robot with these parameters (n, 10).

    Inputs are q[i], dq[i], ddq[i]; R[i], p[i] place link i in its parent, turn[i], slide[i] are the axis of its joint.
    """

    def __init__(self, robot: Robot, parameters: Array) -> None:
        self.robot, self.parameters = robot, parameters
        self.graph = Graph()
        self.R: list[Matrix] = []
        self.p: list[Vector] = []
        self.turn: list[Vector] = []
        self.slide: list[Vector] = []
        for i, row in enumerate(joint_constants(robot)):
            self._add_joint(self.graph.input(f"q[{i}]"), row)

    def inverse_dynamics(self) -> list[Node]:
        """(n,) rigid-body torques."""
        return self._newton_euler(self.inputs("dq"), self.inputs("ddq"), self.robot.gravity)

    def gravity_vector(self) -> list[Node]:
        return self._newton_euler(self._still(), self._still(), self.robot.gravity)

    def coriolis_vector(self) -> list[Node]:
        return self._newton_euler(self.inputs("dq"), self._still(), np.zeros(3))

    def mass_matrix(self) -> list[Node]:
        """(n n,) row by row, from the inertia of everything that each joint moves (Featherstone's composite rigid bodies)."""
        n, zero = self.robot.n, self.graph.node(0.0)
        M = [[zero] * n for _ in range(n)]
        masses, moments, inertias = self._composites()
        for i in range(n):
            turn, slide = self.turn[i], self.slide[i]
            force = masses[i] * slide + np.cross(turn, moments[i])
            moment = inertias[i] @ turn + np.cross(moments[i], slide)
            j = i
            while j >= 0:
                M[i][j] = M[j][i] = self.turn[j] @ moment + self.slide[j] @ force
                force = self.R[j] @ force
                moment = self.R[j] @ moment + np.cross(self.p[j], force)
                j = self.robot.joints[j].parent
        return [M[i][j] for i in range(n) for j in range(n)]

    def momentum(self) -> tuple[list[Node], list[Node]]:
        """(n,) M dq and (n,) Cᵀ dq - g, from velocities and weights alone.

        With H_i, L_i the angular and linear momentum of link i and all that hangs on it, joint i has the share turn · H + slide · L of
        both, and Cᵀ dq is that share for the axis as the motion of the parent turns it (De Luca, Ferrajoli, ICRA 2009).
        """
        n, zero = self.robot.n, self._constants(np.zeros(3))
        dq, rows = self.inputs("dq"), [self._constants(row) for row in self.parameters]
        carried: list[tuple[Vector, Vector]] = []
        velocities: list[tuple[Vector, Vector]] = []
        pulls: list[Vector] = []
        for i, joint in enumerate(self.robot.joints):
            w, v = (zero, zero) if joint.parent < 0 else velocities[joint.parent]
            w, v = self.R[i].T @ w, self.R[i].T @ (v + np.cross(w, self.p[i]))
            carried.append((w, v))
            velocities.append((w + dq[i] * self.turn[i], v + dq[i] * self.slide[i]))
            before = self._constants(-self.robot.gravity) if joint.parent < 0 else pulls[joint.parent]
            pulls.append(self.R[i].T @ before)
        momenta = [_link_momentum(*velocity, row) for velocity, row in zip(velocities, rows, strict=True)]
        masses, moments = [row[0] for row in rows], [row[1:4] for row in rows]
        value, drift = list[Node](), list[Node]()
        for i in reversed(range(n)):
            (H, L), (w, v), turn, slide = momenta[i], carried[i], self.turn[i], self.slide[i]
            value.append(turn @ H + slide @ L)
            turned = np.cross(w, turn) @ H + (np.cross(w, slide) + np.cross(v, turn)) @ L
            weight = turn @ np.cross(moments[i], pulls[i]) + masses[i] * (slide @ pulls[i])
            drift.append(turned - weight)
            parent = self.robot.joints[i].parent
            if parent >= 0:
                L = self.R[i] @ L
                H = self.R[i] @ H + np.cross(self.p[i], L)
                momenta[parent] = momenta[parent][0] + H, momenta[parent][1] + L
                moments[parent] = total(moments[parent], self.R[i] @ moments[i], masses[i] * self.p[i])
                masses[parent] = masses[parent] + masses[i]
        return value[::-1], drift[::-1]

    def regressor(self) -> list[Node]:
        """(n 10 n,) row by row: inverse_dynamics = regressor @ parameters."""
        n, zero = self.robot.n, self.graph.node(0.0)
        Y = [[zero] * (PARAMETERS_PER_LINK * n) for _ in range(n)]
        motions = self._motions(self.inputs("dq"), self.inputs("ddq"), self.robot.gravity)
        columns: list[dict[int, tuple[Vector, Vector]]] = []
        for i, motion in enumerate(motions):
            columns.append(self._jacobian_columns(i, columns))
            for j, (turn, slide) in columns[i].items():
                Y[j][PARAMETERS_PER_LINK * i : PARAMETERS_PER_LINK * (i + 1)] = _regressor_entries(motion, turn, slide)
        return [entry for row in Y for entry in row]

    def jacobian(self) -> list[Node]:
        """(6 n,) row by row, of the tool frame in base axes: linear velocity of its origin, then angular velocity."""
        n, zero = self.robot.n, self.graph.node(0.0)
        J = [[zero] * n for _ in range(6)]
        poses = self._poses()
        R_last, p_last = poses[n - 1]
        tip = p_last + R_last @ self._constants(self.robot.tool[:3, 3])
        for j in self.robot.ancestors(n - 1):
            R, p = poses[j]
            turn = R @ self.turn[j]
            moved = R @ self.slide[j] + np.cross(turn, tip - p)
            for k in range(3):
                J[k][j], J[3 + k][j] = moved[k], turn[k]
        return [entry for row in J for entry in row]

    def _add_joint(self, q: Node, constants: Array) -> None:
        """A link's pose in its parent is affine in (1, cos q, sin q, q): see `joint_constants`."""
        row: list[float] = constants.tolist()
        turns = any(row[12:36])
        c, s = (self.graph.call("cos", q), self.graph.call("sin", q)) if turns else (self.graph.node(1.0), self.graph.node(0.0))
        pose = np.array([self.graph.node(row[k]) + row[12 + k] * c + row[24 + k] * s for k in range(12)], dtype=object)
        self.R.append(pose[:9].reshape(3, 3))
        self.p.append(np.array([pose[9 + k] + row[36 + k] * q for k in range(3)], dtype=object))
        self.turn.append(self._constants(row[39:42]))
        self.slide.append(self._constants(row[42:45]))

    def _newton_euler(self, dq: Vector, ddq: Vector, gravity: Array) -> list[Node]:
        motions = self._motions(dq, ddq, gravity)
        wrenches = [_wrench(motion, self._constants(row)) for motion, row in zip(motions, self.parameters, strict=True)]
        torques: list[Node] = []
        for i in reversed(range(self.robot.n)):
            force, moment = wrenches[i]
            torques.append(self.turn[i] @ moment + self.slide[i] @ force)
            parent = self.robot.joints[i].parent
            if parent >= 0:
                force = self.R[i] @ force
                moment = self.R[i] @ moment + np.cross(self.p[i], force)
                wrenches[parent] = wrenches[parent][0] + force, wrenches[parent][1] + moment
        return torques[::-1]

    def _motions(self, dq: Vector, ddq: Vector, gravity: Array) -> list[LinkMotion]:
        """Of every link, from the base, which accelerates upward where gravity pulls down."""
        zero = self._constants(np.zeros(3))
        base = LinkMotion(zero, zero, np.array([zero, zero, zero]), self._constants(-gravity))
        motions: list[LinkMotion] = []
        for i, joint in enumerate(self.robot.joints):
            before = base if joint.parent < 0 else motions[joint.parent]
            R, turn, slide = self.R[i], self.turn[i], self.slide[i]
            carried = R.T @ before.w
            spin: Vector = dq[i] * turn
            w = carried + spin
            dw = total(R.T @ before.dw, ddq[i] * turn, np.cross(carried, spin))
            a = R.T @ (before.a + before.U @ self.p[i])
            # the origin moves in the turning parent (Coriolis), and on its own around and along the axis
            a = total(a, dq[i] * np.cross(total(carried, carried, spin), slide), ddq[i] * slide)
            motions.append(LinkMotion(w, dw, _spread(w, dw), a))
        return motions

    def _composites(self) -> tuple[list[Node], list[Vector], list[Matrix]]:
        """Mass, first moment and inertia about the origin of each link with all that hangs on it."""
        rows = [self._constants(row) for row in self.parameters]
        masses = [row[0] for row in rows]
        moments = [row[1:4] for row in rows]
        inertias = [_tensor(row[4:]) for row in rows]
        for i in reversed(range(self.robot.n)):
            parent = self.robot.joints[i].parent
            if parent >= 0:
                turned = self.R[i] @ moments[i]
                moved = steiner(rotate_inertia(self.R[i], inertias[i]), masses[i], turned, self.p[i])
                inertias[parent] = inertias[parent] + moved
                moments[parent] = total(moments[parent], turned, masses[i] * self.p[i])
                masses[parent] = masses[parent] + masses[i]
        return masses, moments, inertias

    def _jacobian_columns(self, i: int, before: list[dict[int, tuple[Vector, Vector]]]) -> dict[int, tuple[Vector, Vector]]:
        """Angular and linear velocity of link i, in its frame, per unit velocity of each joint that moves it."""
        parent, columns = self.robot.joints[i].parent, dict[int, tuple[Vector, Vector]]()
        for j, (turn, slide) in before[parent].items() if parent >= 0 else ():
            columns[j] = self.R[i].T @ turn, self.R[i].T @ (slide + np.cross(turn, self.p[i]))
        columns[i] = self.turn[i], self.slide[i]
        return columns

    def _poses(self) -> list[tuple[Matrix, Vector]]:
        """Of every link in the base frame."""
        poses: list[tuple[Matrix, Vector]] = []
        for i, joint in enumerate(self.robot.joints):
            if joint.parent < 0:
                poses.append((self.R[i], self.p[i]))
                continue
            R, p = poses[joint.parent]
            poses.append((np.stack([R @ column for column in self.R[i].T], axis=1), p + R @ self.p[i]))
        return poses

    def inputs(self, name: str) -> Vector:
        """(n,) the elements of an argument of the generated code."""
        return np.array([self.graph.input(f"{name}[{i}]") for i in range(self.robot.n)], dtype=object)

    def _still(self) -> Vector:
        return self._constants(np.zeros(self.robot.n))

    def _constants(self, values: Array | Sequence[float]) -> Vector:
        return np.array([self.graph.node(float(value)) for value in values], dtype=object)


def _spread(w: Vector, dw: Vector) -> Matrix:
    """U = [ẇ]× + [w]×[w]×."""
    x, y, z = w
    xx, yy, zz = x * x, y * y, z * z
    products = [[-(yy + zz), x * y, x * z], [x * y, -(xx + zz), y * z], [x * z, y * z, -(xx + yy)]]
    return np.array(products, dtype=object) + skew(dw)


def _wrench(motion: LinkMotion, parameters: Vector) -> tuple[Vector, Vector]:
    """Force, and moment about the origin, that move a link as it moves."""
    mass, moment = parameters[0], parameters[1:4]
    force = mass * motion.a + motion.U @ moment
    return force, _inertia_moment(motion, parameters[4:]) + np.cross(moment, motion.a)


def _link_momentum(w: Vector, v: Vector, parameters: Vector) -> tuple[Vector, Vector]:
    """Angular momentum about the origin, and linear momentum, of a link that turns with w while its origin moves with v."""
    mass, moment = parameters[0], parameters[1:4]
    return _tensor(parameters[4:]) @ w + np.cross(moment, v), mass * v + np.cross(w, moment)


def _tensor(elements: Vector) -> Matrix:
    xx, xy, xz, yy, yz, zz = elements
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=object)


def _inertia_moment(motion: LinkMotion, J: Vector) -> Vector:
    """∫ r × (U r) dm = J ẇ + w × J w, written with U so that each element of J is multiplied once per row."""
    (wx, wy, wz), (x, y, z), U = motion.w, motion.dw, motion.U
    Jxx, Jxy, Jxz, Jyy, Jyz, Jzz = J
    rows = [
        Jxx * x + (Jzz - Jyy) * (wy * wz) - Jxy * U[2, 0] + Jxz * U[1, 0] + Jyz * (U[1, 1] - U[2, 2]),
        Jyy * y + (Jxx - Jzz) * (wx * wz) - Jyz * U[0, 1] + Jxy * U[2, 1] + Jxz * (U[2, 2] - U[0, 0]),
        Jzz * z + (Jyy - Jxx) * (wx * wy) - Jxz * U[1, 2] + Jyz * U[0, 2] + Jxy * (U[0, 0] - U[1, 1]),
    ]
    return np.array(rows, dtype=object)


def _regressor_entries(motion: LinkMotion, turn: Vector, slide: Vector) -> list[Node]:
    """(10,) power of each parameter's wrench on a joint's motion of the link."""
    (wx, wy, wz), (x, y, z), U = motion.w, motion.dw, motion.U
    tx, ty, tz = turn
    pull = np.cross(motion.a, turn)  # turn · (e × a) is e · (a × turn)
    return [
        slide @ motion.a,
        *(slide @ U[:, k] + pull[k] for k in range(3)),
        tx * x + ty * (wx * wz) - tz * (wx * wy),
        ty * U[2, 1] - tx * U[2, 0] + tz * (U[0, 0] - U[1, 1]),
        tx * U[1, 0] - tz * U[1, 2] + ty * (U[2, 2] - U[0, 0]),
        ty * y - tx * (wy * wz) + tz * (wx * wy),
        tz * U[0, 2] - ty * U[0, 1] + tx * (U[1, 1] - U[2, 2]),
        tz * z + tx * (wy * wz) - ty * (wx * wz),
    ]
