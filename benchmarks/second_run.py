"""A second run: a trajectory designed for what the first left open against driving the first again, on the virtual Panda.

The first trajectory is driven and identified; what its data told is known to the design of the second. Then everything is driven with
realistic noise and identified with the defaults: the first alone, two and four times, and the first with the second.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dynident
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.motions import Design, design_trajectory, earlier_run
from dynident.motions.design.goal import make_goal
from dynident.motions.design.precision import precision_of
from dynident.motions.simulation import simulate
from dynident.motions.simulation.sensors import effort_scale, realistic
from dynident.motions.simulation.truth import Truth
from dynident.robots import Robot

SEEDS, STARTS, NOISES = (0, 1), 4, 8
#: Beyond both ends of the period, for the filter [s]; samples per second of the reference [Hz].
EDGE, RATE = 0.85, 100.0
#: What is asked for, which only weighs the coefficients that matter.
PRECISION = 0.05


@dataclass(frozen=True)
class Outcome:
    """Worst relative deviations of the coefficients that matter, by the estimates themselves, and RMS errors of that which is worst first.

    Each in the order: the first trajectory once, twice, four times, and the first with the second.
    """

    matter: int
    promised: float
    worst: np.ndarray
    name: str
    errors: np.ndarray


def study(seeds: tuple[int, ...] = SEEDS, robot: str | Path = "panda", starts: int = STARTS) -> str:
    """Run everything and return the section for RESULTS.md."""
    rows = []
    for seed in seeds:
        found = compare(dynident.load_robot(robot), seed=seed, starts=starts)
        worst = " | ".join(f"{100.0 * value:.1f} %" for value in found.worst)
        errors = " | ".join(f"{100.0 * value:.1f} %" for value in found.errors)
        rows.append(
            f"| {seed} | {found.matter} | deviation | {worst} | {100.0 * found.promised:.1f} % | {found.worst[0] / found.worst[3]:.1f} |"
        )
        rows.append(f"| | | error of {found.name} | {errors} | | {found.errors[0] / found.errors[3]:.1f} |")
    return "\n".join(
        [
            "## A second run",
            "",
            f"The virtual Panda, 20 s each, {starts} starts of each design, {NOISES} draws of realistic noise; the second trajectory is",
            "designed after the first has been driven and identified. `deviation` is the largest relative standard deviation by the",
            "estimates of the coefficients that matter (a hundredth of a joint's torque), in the median over the draws; `error` the RMS",
            "error over the draws of the coefficient that is worst after the first run, relative to its value. Driving again halves them",
            "with three more drives; asked is that a second trajectory halves the worst at least twice as fast, so within one and a half.",
            "",
            "| seed | matter | | first | twice | four times | first and second | promised | times better |",
            "|---|---|---|---|---|---|---|---|---|",
            *rows,
        ]
    )


def compare(robot: Robot, *, seed: int, starts: int, iterations: int = 300) -> Outcome:
    """Design, drive and identify."""
    first = design_trajectory(robot, friction=linear(), seed=seed, starts=starts, iterations=iterations)
    truths = [_drive(robot, first)]
    run = earlier_run(_identify(robot, [(truths[0], 0)]), source="the first run")
    second = design_trajectory(
        robot,
        friction=linear(),
        seed=seed + 1,
        starts=starts,
        iterations=iterations,
        after=run,
        focus=lambda base, known: make_goal(base, known, precision=PRECISION).focus(precision_of(base, known.before, known)),
    )
    truths.append(_drive(robot, second))
    goal = make_goal(first.base, first.assumptions, precision=PRECISION)
    true = _true_coefficients(first, truths[0])
    plans = ((0,), (0, 0), (0, 0, 0, 0), (0, 1))
    stds, errors = [], []
    for plan in plans:
        estimates = [_identify(robot, [(truths[k], 100 * draw + i) for i, k in enumerate(plan)]) for draw in range(NOISES)]
        stds.append(np.median([estimate.std for estimate in estimates], axis=0))
        errors.append(np.sqrt(np.mean([(estimate.values - true) ** 2 for estimate in estimates], axis=0)))
    relative = np.array(stds)[:, goal.matters] / np.abs(true[goal.matters])
    worst = int(np.flatnonzero(goal.matters)[relative[0].argmax()])
    promised = second.precision.std[goal.matters] / np.abs(true[goal.matters])
    return Outcome(
        matter=int(goal.matters.sum()),
        promised=float(promised.max()),
        worst=relative.max(axis=1),
        name=first.base.names[worst],
        errors=np.array(errors)[:, worst] / abs(true[worst]),
    )


def _drive(robot: Robot, design: Design) -> Truth:
    """The virtual robot along a period, and a little more at both ends."""
    time = np.arange(-EDGE, design.trajectory.duration + EDGE, 1.0 / RATE)
    motion = design.trajectory.sample(time)
    reference = Dataset(time=time - time[0], q=motion.q, dq=motion.dq, ddq=motion.ddq, joint_names=robot.joint_names)
    return simulate(robot, reference, friction=linear(), check_limits=False).truth


def _identify(robot: Robot, drives: list[tuple[Truth, int]]) -> dynident.Estimate:
    """Of several drives, each with its own draw of the noise."""
    logs = []
    for truth, seed in drives:
        sensors = realistic(effort_scale(robot, truth.effort))
        logs.append(sensors.record(truth.time, truth.q, truth.dq, truth.effort, seed=seed, joint_names=robot.joint_names, source="virtual"))
    return dynident.identify(robot, Dataset.concatenate(logs), friction=linear(), drop_above_percent=None)


def _true_coefficients(design: Design, truth: Truth) -> np.ndarray:
    assert truth.joint_friction is not None
    return design.base.coefficients(np.concatenate([truth.parameters.ravel(), truth.joint_friction.parameters.ravel()]))


if __name__ == "__main__":
    print(study(tuple(int(word) for word in sys.argv[1:]) or SEEDS))
