"""Robot descriptions as they are: how many are read, whether their dynamics are Pinocchio's, and how little a repair changes.

`python -m benchmarks.run descriptions`. The files are those of the package example-robot-data; the broken ones of the last table are
its arms with an inertia made impossible, one or two links at a time.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from dynident import Robot, check_robot, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.errors import DynidentError, UnsupportedRobotError
from dynident.links.repairs.repair import Repair, repair
from dynident.links.repairs.writing import repaired_text, with_inertials
from dynident.robots.parameters import from_com, to_com
from tests.oracles.test_zoo import FILES, torque_of_pinocchio

ARMS = ("ur5_robot", "ur10_robot", "panda", "kinova", "xarm7", "z1", "talos_left_arm", "bravo7_no_ee", "so101", "ur3_gripper")
SEEDS = 6


@dataclass(frozen=True)
class Mended:
    """A repaired file. same : it gives the torques of the file before."""

    name: str
    wrong: int
    repair: Repair
    passes: bool
    in_mujoco: str
    same: bool
    seconds: float


def study() -> str:
    return "\n\n".join(["## Robot descriptions", _reading(), _repairs(), _broken()])


def _reading() -> str:
    outcomes: Counter[str] = Counter()
    worst, locked = 0.0, 0
    for file in FILES:
        try:
            robot = load_robot(file)
        except UnsupportedRobotError:
            outcomes["nothing moves"] += 1
            continue
        except DynidentError:
            outcomes["not a whole robot"] += 1
            continue
        outcomes["read"] += 1
        locked += "joints of a gripper are locked" in " ".join(robot.notes)
        worst = max(worst, _disagreement(file, robot))
    return (
        f"{len(FILES)} URDF files: {outcomes['read']} read, {outcomes['nothing moves']} without a joint that moves, "
        f"{outcomes['not a whole robot']} that lack links or joints. {locked} have a gripper or hand that was locked by itself. Largest "
        f"difference of a torque to Pinocchio, as a share of the largest of the robot: {worst:.1e}."
    )


def _disagreement(file: Path, robot: Robot) -> float:
    parameters = np.array([np.zeros(10) if link.parameters is None else link.parameters for link in robot.links])
    q, dq, ddq = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 1, robot.n))
    expected = torque_of_pinocchio(pin.buildModelFromUrdf(str(file)), robot, q[0], dq[0], ddq[0])
    size = float(np.abs(expected).max())
    return float(np.abs(inverse_dynamics(robot, parameters, q, dq, ddq)[0] - expected).max()) / size if size > 0.0 else 0.0


def _repairs() -> str:
    found: list[Mended] = []
    for file in FILES:
        try:
            robot = load_robot(file)
        except DynidentError:
            continue
        if not check_robot(robot).passed:
            found.append(_mend(file.name, file, robot))
    return _table("Inconsistent files as they are shipped", found)


def _broken() -> str:
    """Arms with one or two links made impossible."""
    found: list[Mended] = []
    files = {file.stem: file for file in FILES}
    for name in ARMS:
        clean = load_robot(files[name])
        moving = [piece for link in clean.links for piece in link.pieces if piece.parameters is not None and piece.parameters[0] > 0.0]
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            chosen = [moving[i] for i in rng.choice(len(moving), 1 + seed % 2, replace=False)]
            file = Path("/tmp") / f"dynident-{name}-{seed}.urdf"  # noqa: S108
            content = {piece.name: _spoil(np.asarray(piece.parameters), rng) for piece in chosen}
            file.write_bytes(with_inertials(file, files[name].read_bytes(), content))
            robot = load_robot(file)
            if not check_robot(robot).passed:
                found.append(_mend(f"{name} {seed}", file, robot))
            file.unlink()
    return _summary("Arms with one or two links made impossible", found)


def _spoil(own: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The link with a principal inertia beyond the sum of the others, as a guess or a typing error makes it."""
    mass, com, inertia = to_com(own)
    values, axes = np.linalg.eigh(inertia)
    values[rng.integers(3)] += rng.uniform(1.2, 3.0) * values.sum()
    return from_com(float(mass), com, (axes * values) @ axes.T)


def _mend(name: str, file: Path, robot: Robot) -> Mended:
    began = time.process_time()
    result = repair(robot)
    seconds = time.process_time() - began
    out = file.with_name(f"repaired-{file.name}") if file.parent == Path("/tmp") else Path("/tmp/dynident-repaired.urdf")  # noqa: S108
    out.write_bytes(repaired_text(result, out) if file.suffix == ".urdf" else b"")
    again = load_robot(out)
    wrong = sum(1 for link in result.links if link.before[0] <= 0.0 or link.margins[0] < -1e-9 * abs(np.abs(link.before[4:]).max()))
    passes, in_mujoco = check_robot(again).passed, _mujoco(out.read_text())
    out.unlink()
    q, dq, ddq = np.random.default_rng(2).normal(size=(3, 20, robot.n))
    zeros = np.zeros(10)
    torques = [
        inverse_dynamics(item, np.array([zeros if link.parameters is None else link.parameters for link in item.links]), q, dq, ddq)
        for item in (robot, again)
    ]
    same = bool(np.abs(torques[1] - torques[0]).max() <= 1e-8 * np.abs(torques[0]).max())
    return Mended(name, max(wrong, 1), result, passes, in_mujoco, same, seconds)


def _mujoco(text: str) -> str:
    import mujoco

    bare = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)
    try:
        mujoco.MjModel.from_xml_string(bare)
    except ValueError as error:
        return " ".join(str(error).split())[:60]
    return "loads"


def _table(title: str, found: list[Mended]) -> str:
    lines = [
        "| file | links | wrong | changed | dynamics | mass [kg] | check | MuJoCo | CPU [s] |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for item in found:
        before, after = item.repair.masses
        dynamics = "kept" if item.same else "changed (proven needed)" if item.repair.impossible else "changed"
        lines.append(
            f"| {item.name} | {len(item.repair.links)} | {item.wrong} | {len(item.repair.changed)} | {dynamics} | "
            f"{before:.4g} to {after:.4g} | {'passes' if item.passes else 'FAILS'} | {item.in_mujoco} | {item.seconds:.1f} |"
        )
    return _summary(title, found) + "\n\n" + "\n".join(lines)


def _summary(title: str, found: list[Mended]) -> str:
    ratios = [len(item.repair.changed) / item.wrong for item in found]
    kept, proven = sum(item.same for item in found), sum(item.repair.impossible and not item.same for item in found)
    loads = sum(item.in_mujoco == "loads" for item in found)
    return (
        f"### {title}\n\n{len(found)} files: {np.median(ratios):.2g} changed links per wrong link in the median (mean "
        f"{np.mean(ratios):.2g}, most {max(ratios):.2g}). Dynamics kept in {kept}, of the others proven impossible in {proven}. "
        f"{sum(item.passes for item in found)} pass `check`, {loads} load in MuJoCo."
    )
