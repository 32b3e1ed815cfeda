"""The kernels against Pinocchio and figaroh on the Panda: one process, one thread."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin

import dynident
from benchmarks.timing import Timing, race

PEER = Path(__file__).with_name("peer_figaroh.py")
PEER_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"


def study(repeats: int = 9) -> str:
    """Run everything and return the section for RESULTS.md."""
    robot = dynident.load_robot("panda")
    p = robot.parameters
    model = _pinocchio_panda(robot)
    data = model.createData()
    q, dq, ddq = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 100_000, 7))
    few = q[:10_000]

    def streamed() -> None:
        for _ in dynident.dynamics.iterate_regressor_blocks(robot, q, dq, ddq):
            pass

    def pinocchio_regressor() -> None:
        for row in zip(q, dq, ddq, strict=True):
            pin.computeJointTorqueRegressor(model, data, *row)

    def pinocchio_rnea() -> None:
        for row in zip(q, dq, ddq, strict=True):
            pin.rnea(model, data, *row)

    regressor = race({"ours": streamed, "pinocchio": pinocchio_regressor}, repeats=repeats)
    inverse = race({"ours": lambda: dynident.dynamics.inverse_dynamics(robot, p, q, dq, ddq), "pinocchio": pinocchio_rnea}, repeats=repeats)
    stack = race(
        {
            "ours": lambda: dynident.dynamics.inertia_gravity_regressor(robot, few),
            "regressors": lambda: _stack_from_regressors(model, data, few),
            "jacobians": lambda: _stack_from_jacobians(model, data, few),
            "write": lambda: np.empty((len(few), 35, 70)).fill(0.0),
        },
        repeats=repeats,
    )
    write = race({"write": lambda: np.empty((len(q), 7, 70)).fill(0.0)}, repeats=repeats)["write"]
    figaroh = _figaroh(len(q) // 10, repeats)
    fastest = min(("regressors", "jacobians"), key=lambda name: stack[name].wall)
    rows = [
        _row("torque regressor, streamed, N = 100 000", regressor["ours"], "Pinocchio loop", regressor["pinocchio"], len(q), 25),
        _row("the same", regressor["ours"], "figaroh 1.0.2 (timed at N = 10 000)", figaroh, len(q), 30),
        _row("inertia_gravity_regressor, N = 10 000", stack["ours"], f"Pinocchio, from its {fastest}", stack[fastest], len(few), 16),
        _row("inverse_dynamics, N = 100 000", inverse["ours"], "Pinocchio rnea loop", inverse["pinocchio"], len(q), 10),
    ]
    slower = "jacobians" if fastest == "regressors" else "regressors"
    return "\n".join(
        [
            "## Dynamics kernels",
            "",
            f"Panda, one thread, medians of {repeats} repeats in turn. Times per sample, wall (CPU).",
            "",
            "| work | dynident | peer | time | ratio | asked |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            f"Writing the torque regressor's 3920 bytes per sample to fresh memory, without computing anything, takes "
            f"{_micro(write, len(q))}; streaming never does. The inertia stack's 19 600 bytes take {_micro(stack['write'], len(few))}, "
            f"the least that any way to it can take; ours takes {stack['ours'].wall / stack['write'].wall:.2f} times that.",
            f"Pinocchio's other way to the inertia stack (from its {slower}) takes {_micro(stack[slower], len(few))}.",
        ]
    )


def _row(work: str, ours: Timing, peer: str, theirs: Timing, samples: int, asked: float) -> str:
    return f"| {work} | {_micro(ours, samples)} | {peer} | {_micro(theirs, samples)} | **{theirs / ours:.1f}x** | {asked}x |"


def _micro(timing: Timing, samples: int) -> str:
    return f"{timing.wall / samples * 1e6:.3f} ({timing.cpu / samples * 1e6:.3f}) µs"


def _pinocchio_panda(robot: dynident.Robot) -> pin.Model:
    from tests.oracles.machines import pinocchio_model

    return pinocchio_model(robot)[0]


def _stack_from_regressors(model: pin.Model, data: pin.Data, q: np.ndarray) -> np.ndarray:
    """Eight torque regressors at rest: gravity, and a unit acceleration of each joint without gravity."""
    n = model.nv
    units, still = np.eye(n), np.zeros(n)
    rows, columns = np.tril_indices(n)
    weightless = pin.Model(model)
    weightless.gravity = pin.Motion.Zero()
    out = np.empty((len(q), len(rows) + n, 10 * n))
    inertia = np.empty((n, n, 10 * n))
    for s, position in enumerate(q):
        for k in range(n):
            inertia[k] = pin.computeJointTorqueRegressor(weightless, data, position, still, units[k])
        out[s, : len(rows)] = inertia[rows, columns]
        out[s, len(rows) :] = pin.computeJointTorqueRegressor(model, data, position, still, still)
    return out


def _stack_from_jacobians(model: pin.Model, data: pin.Data, q: np.ndarray) -> np.ndarray:
    """Pinocchio's local joint Jacobians, then the closed form of the rows in NumPy over all samples at once."""
    n = model.nv
    J = np.empty((n, len(q), 6, n))
    pull = np.empty((n, len(q), 3))
    for s, position in enumerate(q):
        pin.computeJointJacobians(model, data, position)
        for i in range(n):
            J[i, s] = pin.getJointJacobian(model, data, i + 1, pin.LOCAL)
            pull[i, s] = data.oMi[i + 1].rotation.T @ -model.gravity.linear
    rows, columns = np.tril_indices(n)
    out = np.zeros((len(q), len(rows) + n, 10 * n))
    for i in range(n):
        v, u = J[i, :, :3].swapaxes(1, 2), J[i, :, 3:].swapaxes(1, 2)
        for row, (k, j) in enumerate(zip(rows, columns, strict=True)):
            if k <= i:
                _inertia_entries(u[:, j], v[:, j], u[:, k], v[:, k], out[:, row, 10 * i : 10 * i + 10])
        for k in range(i + 1):
            _inertia_entries(u[:, k], v[:, k], 0.0 * pull[i], pull[i], out[:, len(rows) + k, 10 * i : 10 * i + 10])
    return out


def _inertia_entries(u: np.ndarray, v: np.ndarray, y: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    out[:, 0] = np.sum(v * w, axis=1)
    out[:, 1:4] = np.cross(v, y) + np.cross(w, u)
    for slot, (a, b) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
        out[:, 4 + slot] = u[:, a] * y[:, b] + (u[:, b] * y[:, a] if a != b else 0.0)


def _figaroh(samples: int, repeats: int) -> Timing:
    """figaroh has pins of its own, so it runs in its own environment, right after ours; scaled to 100 000 samples."""
    run = subprocess.run([PEER_PYTHON, PEER, str(samples), str(min(repeats, 3))], capture_output=True, text=True, check=True)
    taken = json.loads(run.stdout.strip().splitlines()[-1])
    return Timing(taken["wall"] / samples * 100_000, taken["cpu"] / samples * 100_000)
