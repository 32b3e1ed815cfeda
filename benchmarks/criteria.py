"""What trajectories are designed for, and what that gives: the three criteria on virtual robots, and promises against what came out.

Each design is driven by the virtual robot (servo, friction, realistic sensors) and identified with the defaults. What counts is the
error of all torques, friction included, in motions that no design has seen: other random ones, and moves from point to point.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import dynident
from benchmarks.excitation import UR5
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.motions import Design, QuinticTrajectory, design_trajectory, fastest_quintic, robot_limits
from dynident.motions.design.criterion import KINDS, Kind, base_regressor
from dynident.motions.design.precision import KNOWN
from dynident.motions.design.task import random_task
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.margins import motion_margins, standing_positions
from dynident.motions.simulation import simulate
from dynident.motions.simulation.sensors import effort_scale, realistic
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots import Robot

ROBOTS = (("Panda", "panda"), ("KUKA LWR IV+", "kuka_lwr4"), ("UR5", UR5))
SEEDS, STARTS, NOISES, WORKERS = (0, 1), 2, 6, 2
#: Beyond both ends of the period, for the filter [s].
EDGE = 0.85
#: Of the motions that no design has seen.
OTHER = 1000
#: Samples per second of the reference [Hz].
RATE = 100.0


@dataclass(frozen=True)
class Outcome:
    """Of one design. known : coefficients known to 30 % by the estimate's own deviations. ratios : (b,) RMS error over that promised."""

    kind: Kind
    condition_number: float
    predicted: float
    random: float
    moves: float
    known: float
    of: int
    ratios: np.ndarray
    own: np.ndarray


def study(robots: tuple[tuple[str, str | Path], ...] = ROBOTS, seeds: tuple[int, ...] = SEEDS) -> str:
    """Run everything and return the section for RESULTS.md."""
    jobs = [(source, kind, seed) for _, source in robots for kind in KINDS for seed in seeds]
    with ProcessPoolExecutor(WORKERS) as pool:
        outcomes = dict(zip(jobs, pool.map(_outcome, *zip(*jobs, strict=True)), strict=True))
    rows = [_row(name, kind, [outcomes[source, kind, seed] for seed in seeds]) for name, source in robots for kind in KINDS]
    return "\n".join(
        [
            "## What trajectories are designed for",
            "",
            f"20 s, 5 harmonics, the default limits; seeds {', '.join(map(str, seeds))}, {STARTS} starts of each. The virtual robot drives",
            f"each design with {NOISES} draws of realistic noise; identified with the defaults, nothing dropped. Errors are of torques,",
            "friction included, relative to them, in motions that no design has seen; `known` counts coefficients of links whose",
            "deviation by the estimate itself is below 30 % of their value. `error` and `std` are the RMS error over the noise draws and",
            "the estimate's own standard deviation, each over what the design promised, in the median over coefficients and seeds (asked:",
            "0.8 to 1.25). `condition` is what figaroh (splines, IPOPT) and FloBaRoID (Fourier series, global and local search) minimise,",
            "here in this search with these limits; neither program was run.",
            "",
            "| robot | criterion | condition number | promised | random motions | point to point | known | error | std |",
            "|---|---|---|---|---|---|---|---|---|",
            *rows,
        ]
    )


def _row(name: str, kind: Kind, found: list[Outcome]) -> str:
    def joined(values: list[float], form: str, unit: str = "") -> str:
        return ", ".join(f"{value:{form}}" for value in values) + unit

    cells = [
        name,
        kind,
        joined([item.condition_number for item in found], ".0f"),
        joined([100.0 * item.predicted for item in found], ".3f", " %"),
        joined([100.0 * item.random for item in found], ".3f", " %"),
        joined([100.0 * item.moves for item in found], ".3f", " %"),
        joined([item.known for item in found], ".0f") + f" of {found[0].of}",
        f"{np.median([item.ratios for item in found]):.2f}",
        f"{np.median([item.own for item in found]):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _outcome(source: str | Path, kind: Kind, seed: int) -> Outcome:
    robot = dynident.load_robot(source)
    design = design_trajectory(robot, friction=linear(), criterion=kind, seed=seed, starts=STARTS)
    truth, values, deviations = _identify(robot, design)
    base, errors = design.base, values - truth
    links = base.columns.is_link[base.independent] & (truth != 0.0)
    known = (deviations[:, links] <= KNOWN * np.abs(truth[links])).sum(axis=1)
    collision = CollisionModel.of_robot(robot)[0]
    others = (random_task(robot, robot_limits(robot), collision, seed=OTHER).motion, point_to_point(robot, collision))
    return Outcome(
        kind=kind,
        condition_number=design.condition_number,
        predicted=design.precision.relative_error,
        random=_torque_error(design, truth, errors, others[0]),
        moves=_torque_error(design, truth, errors, others[1]),
        known=float(np.median(known)),
        of=int(links.sum()),
        ratios=np.sqrt((errors**2).mean(axis=0)) / design.std,
        own=np.median(deviations, axis=0) / design.std,
    )


def _identify(robot: Robot, design: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The true coefficients (b,), and (noises, b) the estimated ones with their deviations."""
    time = np.arange(-EDGE, design.trajectory.duration + EDGE, 1.0 / RATE)
    motion = design.trajectory.sample(time)
    reference = Dataset(time=time - time[0], q=motion.q, dq=motion.dq, ddq=motion.ddq, joint_names=robot.joint_names)
    truth = simulate(robot, reference, friction=linear(), check_limits=False).truth
    sensors = realistic(effort_scale(robot, truth.effort))
    estimates = []
    for seed in range(NOISES):
        log = sensors.record(truth.time, truth.q, truth.dq, truth.effort, seed=seed, joint_names=robot.joint_names, source="virtual")
        estimates.append(dynident.identify(robot, log, friction=linear(), drop_above_percent=None))
    assert truth.joint_friction is not None
    standard = np.concatenate([truth.parameters.ravel(), truth.joint_friction.parameters.ravel()])
    return design.base.coefficients(standard), np.array([item.values for item in estimates]), np.array([item.std for item in estimates])


def _torque_error(design: Design, truth: np.ndarray, errors: np.ndarray, motion: SampledMotion) -> float:
    """RMS over noise draws and samples, all joints together, as a share of the torque's."""
    Y = base_regressor(design.base, motion)
    wrong = np.tensordot(errors, Y, axes=1)
    return float(np.sqrt(np.mean(wrong**2) / np.mean(np.tensordot(truth, Y, axes=1) ** 2)))


def point_to_point(robot: Robot, collision: CollisionModel | None, samples: int = 40) -> SampledMotion:
    """Moves between random positions, straight in joint space, as fast as half the limits allow; those that keep all limits."""
    limits = robot_limits(robot, velocity_scale=0.5, acceleration_scale=0.5)
    stops = standing_positions(robot, limits, collision, np.random.default_rng(OTHER), None)
    found: list[SampledMotion] = []
    for start, end in pairwise(stops):
        move: QuinticTrajectory = fastest_quintic(robot.joint_names, start, end, velocity=limits.velocity, acceleration=limits.acceleration)
        time = np.linspace(0.0, move.duration, samples)
        if all(margin.holds for margin in motion_margins(robot, limits, time, move.sample(time), collision)):
            found.append(move.sample(time))
    return SampledMotion(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


if __name__ == "__main__":
    chosen = tuple(pair for pair in ROBOTS if pair[0] in sys.argv[1:]) or ROBOTS
    print(study(chosen))
