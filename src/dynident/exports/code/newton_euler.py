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
from dynident.exports.code.graph import (
    Graph,
    Matrix,
    Node,
    Vector,
    cross,
    dot,
    matvec,
    plus,
    rotate_inertia,
    scale,
    skew,
    steiner,
    transposed_matvec,
)
from dynident.parameters import PARAMETERS_PER_LINK
from dynident.robots.kinematics import joint_constants
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
            force = plus(scale(masses[i], slide), cross(turn, moments[i]))
            moment = plus(matvec(inertias[i], turn), cross(moments[i], slide))
            j = i
            while j >= 0:
                M[i][j] = M[j][i] = dot(self.turn[j], moment) + dot(self.slide[j], force)
                force = matvec(self.R[j], force)
                moment = plus(matvec(self.R[j], moment), cross(self.p[j], force))
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
            w, v = transposed_matvec(self.R[i], w), transposed_matvec(self.R[i], plus(v, cross(w, self.p[i])))
            carried.append((w, v))
            velocities.append((plus(w, scale(dq[i], self.turn[i])), plus(v, scale(dq[i], self.slide[i]))))
            before = self._constants(-self.robot.gravity) if joint.parent < 0 else pulls[joint.parent]
            pulls.append(transposed_matvec(self.R[i], before))
        momenta = [_link_momentum(*velocity, row) for velocity, row in zip(velocities, rows, strict=True)]
        masses, moments = [row[0] for row in rows], [row[1:4] for row in rows]
        value, drift = list[Node](), list[Node]()
        for i in reversed(range(n)):
            (H, L), (w, v), turn, slide = momenta[i], carried[i], self.turn[i], self.slide[i]
            value.append(dot(turn, H) + dot(slide, L))
            turned = dot(cross(w, turn), H) + dot(plus(cross(w, slide), cross(v, turn)), L)
            weight = dot(turn, cross(moments[i], pulls[i])) + masses[i] * dot(slide, pulls[i])
            drift.append(turned - weight)
            parent = self.robot.joints[i].parent
            if parent >= 0:
                L = matvec(self.R[i], L)
                H = plus(matvec(self.R[i], H), cross(self.p[i], L))
                momenta[parent] = plus(momenta[parent][0], H), plus(momenta[parent][1], L)
                moments[parent] = plus(moments[parent], matvec(self.R[i], moments[i]), scale(masses[i], self.p[i]))
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
        tip = plus(p_last, matvec(R_last, self._constants(self.robot.tool[:3, 3])))
        for j in self.robot.ancestors(n - 1):
            R, p = poses[j]
            turn = matvec(R, self.turn[j])
            moved = plus(matvec(R, self.slide[j]), cross(turn, [x - y for x, y in zip(tip, p, strict=True)]))
            for k in range(3):
                J[k][j], J[3 + k][j] = moved[k], turn[k]
        return [entry for row in J for entry in row]

    def _add_joint(self, q: Node, constants: Array) -> None:
        """A link's pose in its parent is affine in (1, cos q, sin q, q): see `joint_constants`."""
        row: list[float] = constants.tolist()
        turns = any(row[12:36])
        c, s = (self.graph.call("cos", q), self.graph.call("sin", q)) if turns else (self.graph.node(1.0), self.graph.node(0.0))
        pose = [self.graph.node(row[k]) + row[12 + k] * c + row[24 + k] * s for k in range(12)]
        self.R.append([pose[0:3], pose[3:6], pose[6:9]])
        self.p.append([pose[9 + k] + row[36 + k] * q for k in range(3)])
        self.turn.append([self.graph.node(x) for x in row[39:42]])
        self.slide.append([self.graph.node(x) for x in row[42:45]])

    def _newton_euler(self, dq: Vector, ddq: Vector, gravity: Array) -> list[Node]:
        motions = self._motions(dq, ddq, gravity)
        wrenches = [_wrench(motion, self._constants(row)) for motion, row in zip(motions, self.parameters, strict=True)]
        torques: list[Node] = []
        for i in reversed(range(self.robot.n)):
            force, moment = wrenches[i]
            torques.append(dot(self.turn[i], moment) + dot(self.slide[i], force))
            parent = self.robot.joints[i].parent
            if parent >= 0:
                force = matvec(self.R[i], force)
                moment = plus(matvec(self.R[i], moment), cross(self.p[i], force))
                wrenches[parent] = plus(wrenches[parent][0], force), plus(wrenches[parent][1], moment)
        return torques[::-1]

    def _motions(self, dq: Vector, ddq: Vector, gravity: Array) -> list[LinkMotion]:
        """Of every link, from the base, which accelerates upward where gravity pulls down."""
        zero = self._constants(np.zeros(3))
        base = LinkMotion(zero, zero, [zero, zero, zero], self._constants(-gravity))
        motions: list[LinkMotion] = []
        for i, joint in enumerate(self.robot.joints):
            before = base if joint.parent < 0 else motions[joint.parent]
            R, turn, slide = self.R[i], self.turn[i], self.slide[i]
            carried = transposed_matvec(R, before.w)
            spin = scale(dq[i], turn)
            w = plus(carried, spin)
            dw = plus(transposed_matvec(R, before.dw), scale(ddq[i], turn), cross(carried, spin))
            a = transposed_matvec(R, plus(before.a, matvec(before.U, self.p[i])))
            # the origin moves in the turning parent (Coriolis), and on its own around and along the axis
            a = plus(a, scale(dq[i], cross(plus(carried, carried, spin), slide)), scale(ddq[i], slide))
            motions.append(LinkMotion(w, dw, _spread(w, dw), a))
        return motions

    def _composites(self) -> tuple[list[Node], list[Vector], list[Matrix]]:
        """Mass, first moment and inertia about the origin of each link with all that hangs on it."""
        rows = [self._constants(row) for row in self.parameters]
        masses = [row[0] for row in rows]
        moments = [row[1:4] for row in rows]
        inertias = [[[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]] for J in (row[4:] for row in rows)]
        for i in reversed(range(self.robot.n)):
            parent = self.robot.joints[i].parent
            if parent >= 0:
                turned = matvec(self.R[i], moments[i])
                moved = steiner(rotate_inertia(self.R[i], inertias[i]), masses[i], turned, self.p[i])
                inertias[parent] = [plus(x, y) for x, y in zip(inertias[parent], moved, strict=True)]
                moments[parent] = plus(moments[parent], turned, scale(masses[i], self.p[i]))
                masses[parent] = masses[parent] + masses[i]
        return masses, moments, inertias

    def _jacobian_columns(self, i: int, before: list[dict[int, tuple[Vector, Vector]]]) -> dict[int, tuple[Vector, Vector]]:
        """Angular and linear velocity of link i, in its frame, per unit velocity of each joint that moves it."""
        parent, columns = self.robot.joints[i].parent, dict[int, tuple[Vector, Vector]]()
        for j, (turn, slide) in before[parent].items() if parent >= 0 else ():
            columns[j] = transposed_matvec(self.R[i], turn), transposed_matvec(self.R[i], plus(slide, cross(turn, self.p[i])))
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
            columns = [matvec(R, [row[k] for row in self.R[i]]) for k in range(3)]
            poses.append(([[column[k] for column in columns] for k in range(3)], plus(p, matvec(R, self.p[i]))))
        return poses

    def inputs(self, name: str) -> Vector:
        """(n,) the elements of an argument of the generated code."""
        return [self.graph.input(f"{name}[{i}]") for i in range(self.robot.n)]

    def _still(self) -> Vector:
        return [self.graph.node(0.0)] * self.robot.n

    def _constants(self, values: Array | Sequence[float]) -> Vector:
        return [self.graph.node(float(value)) for value in values]


def _spread(w: Vector, dw: Vector) -> Matrix:
    """U = [ẇ]× + [w]×[w]×."""
    x, y, z = w
    xx, yy, zz = x * x, y * y, z * z
    products = [[-(yy + zz), x * y, x * z], [x * y, -(xx + zz), y * z], [x * z, y * z, -(xx + yy)]]
    return [plus(row, turn) for row, turn in zip(products, skew(dw), strict=True)]


def _wrench(motion: LinkMotion, parameters: Vector) -> tuple[Vector, Vector]:
    """Force, and moment about the origin, that move a link as it moves."""
    mass, moment = parameters[0], parameters[1:4]
    force = plus(scale(mass, motion.a), matvec(motion.U, moment))
    return force, plus(_inertia_moment(motion, parameters[4:]), cross(moment, motion.a))


def _link_momentum(w: Vector, v: Vector, parameters: Vector) -> tuple[Vector, Vector]:
    """Angular momentum about the origin, and linear momentum, of a link that turns with w while its origin moves with v."""
    mass, moment = parameters[0], parameters[1:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return plus(matvec(J, w), cross(moment, v)), plus(scale(mass, v), cross(w, moment))


def _inertia_moment(motion: LinkMotion, J: Vector) -> Vector:
    """∫ r × (U r) dm = J ẇ + w × J w, written with U so that each element of J is multiplied once per row."""
    (wx, wy, wz), (x, y, z), U = motion.w, motion.dw, motion.U
    Jxx, Jxy, Jxz, Jyy, Jyz, Jzz = J
    return [
        Jxx * x + (Jzz - Jyy) * (wy * wz) - Jxy * U[2][0] + Jxz * U[1][0] + Jyz * (U[1][1] - U[2][2]),
        Jyy * y + (Jxx - Jzz) * (wx * wz) - Jyz * U[0][1] + Jxy * U[2][1] + Jxz * (U[2][2] - U[0][0]),
        Jzz * z + (Jyy - Jxx) * (wx * wy) - Jxz * U[1][2] + Jyz * U[0][2] + Jxy * (U[0][0] - U[1][1]),
    ]


def _regressor_entries(motion: LinkMotion, turn: Vector, slide: Vector) -> list[Node]:
    """(10,) power of each parameter's wrench on a joint's motion of the link."""
    (wx, wy, wz), (x, y, z), U = motion.w, motion.dw, motion.U
    tx, ty, tz = turn
    pull = cross(motion.a, turn)  # turn · (e × a) is e · (a × turn)
    return [
        dot(slide, motion.a),
        *(dot(slide, [row[k] for row in U]) + pull[k] for k in range(3)),
        tx * x + ty * (wx * wz) - tz * (wx * wy),
        ty * U[2][1] - tx * U[2][0] + tz * (U[0][0] - U[1][1]),
        tx * U[1][0] - tz * U[1][2] + ty * (U[2][2] - U[0][0]),
        ty * y - tx * (wy * wz) + tz * (wx * wy),
        tz * U[0][2] - ty * U[0][1] + tx * (U[1][1] - U[2][2]),
        tz * z + tx * (wy * wz) - ty * (wx * wz),
    ]
