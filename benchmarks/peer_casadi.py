"""The Panda's inverse dynamics as CasADi generates it: reads joint constants, parameters and gravity as JSON, prints C."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import casadi as ca


def main() -> None:
    given = json.loads(sys.stdin.read())
    n = len(given["constants"])
    q, dq, ddq = (ca.SX.sym(name, n) for name in ("q", "dq", "ddq"))
    tau = ca.cse(_newton_euler(given, q, dq, ddq))
    function = ca.Function("casadi_inverse_dynamics", [q, dq, ddq], [tau])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.c"
        generator = ca.CodeGenerator(file.name)
        generator.add(function)
        generator.generate(f"{folder}/")
        print(file.read_text())


def _newton_euler(given: dict, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    """For a serial chain of revolute joints whose parameter frames sit on their axes, as the Panda's do."""
    n = len(given["constants"])
    w, dw, a = ca.SX(3, 1), ca.SX(3, 1), ca.sparsify(ca.SX([-x for x in given["gravity"]]))
    rotations, positions, axes, forces, moments = [], [], [], [], []
    for i, (row, m) in enumerate(zip(given["constants"], given["parameters"], strict=True)):
        c, s = ca.cos(q[i]), ca.sin(q[i])
        pose = [row[k] + row[12 + k] * c + row[24 + k] * s for k in range(12)]
        R = ca.sparsify(ca.vertcat(*(ca.horzcat(*pose[3 * k : 3 * k + 3]) for k in range(3))))
        p, axis = ca.sparsify(ca.vertcat(*pose[9:])), ca.sparsify(ca.SX(row[39:42]))
        carried = R.T @ w
        a = R.T @ (a + ca.cross(dw, p) + ca.cross(w, ca.cross(w, p)))
        dw = R.T @ dw + axis * ddq[i] + ca.cross(carried, axis * dq[i])
        w = carried + axis * dq[i]
        h, J = ca.SX(m[1:4]), ca.SX([[m[4], m[5], m[6]], [m[5], m[7], m[8]], [m[6], m[8], m[9]]])
        forces.append(m[0] * a + ca.cross(dw, h) + ca.cross(w, ca.cross(w, h)))
        moments.append(J @ dw + ca.cross(w, J @ w) + ca.cross(h, a))
        rotations.append(R)
        positions.append(p)
        axes.append(axis)
    tau, f, t = [], ca.SX(3, 1), ca.SX(3, 1)
    for i in reversed(range(n)):
        f, t = f + forces[i], t + moments[i]
        tau.append(ca.dot(axes[i], t))
        f = rotations[i] @ f
        t = rotations[i] @ t + ca.cross(positions[i], f)
    return ca.vertcat(*reversed(tau))


if __name__ == "__main__":
    main()
