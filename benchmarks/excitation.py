"""Designed trajectories: condition numbers in a given time against random restarts of the same time, every limit checked.

The Panda, UR5 and KUKA LWR IV+ for 20 s with 5 harmonics, the robots' limits with 0.02 rad to spare, 90 % of velocity, acceleration and
torque; linear friction. The baseline draws random Fourier series, makes every joint as large as its limits allow, and keeps the best.
Then what it costs to keep links apart and above the floor: the same starts with and without.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin

import dynident
from dynident.dynamics.friction import linear
from dynident.motions import LimitReport, Limits, check_trajectory, design_trajectory, robot_limits
from dynident.motions.design.criterion import base_regressor
from dynident.motions.design.problem import build_search
from dynident.regression import base_parameters
from dynident.robots import Robot

BUDGET = 60.0
STARTS = 4
SEEDS = (0, 1, 2)
WORKERS = 2
UR5 = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots" / "ur_description" / "urdf" / "ur5_robot.urdf"


def study(budget: float = BUDGET, seeds: tuple[int, ...] = SEEDS) -> str:
    """Run everything and return the section for RESULTS.md."""
    robots = {"Panda": "panda", "UR5": UR5, "KUKA LWR IV+": "kuka_lwr4"}
    asked = {"Panda": "34 in 60 s; 32 best of three"}
    rows = [_row(name, source, budget, seeds, asked.get(name, "2x better than random")) for name, source in robots.items()]
    lines = [
        "## Exciting trajectories",
        "",
        f"20 s, 5 harmonics, linear friction; {budget:g} s on {WORKERS} processes for each number. Condition number of the stacked base",
        "regressor, without scaling; every limit holds at 5 kHz. `smallest reserve` is the least unused share of any limit.",
        "The ratio is the best of all random restarts over the worst of ours.",
        "",
        "| robot | columns | dynident, per seed | random restarts, same time | ratio | smallest reserve | asked |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        *cost_of_distances(robots, starts=STARTS),
    ]
    return "\n".join(lines)


def cost_of_distances(robots: dict[str, str | Path], starts: int, iterations: int = 300) -> list[str]:
    """What it costs to keep links 2 cm apart and above the floor: the same starts and iterations with and without."""
    lines = [
        f"Links 2 cm apart and above the floor, and without that, from the same {starts} starts (the value is the best of them); processor",
        "time per evaluation of the objective, and of the whole design with its proof along the whole motion, in one process.",
        "",
        "| robot | limits | condition | d_optimal | evaluation [ms] | design [s] | least distance of links, and height [mm] |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, source in robots.items():
        robot = dynident.load_robot(source)
        for words, limits in (("without", robot_limits(robot, clearance=None, floor=None)), ("with", robot_limits(robot))):
            began = time.process_time()
            designs = [
                design_trajectory(robot, friction=linear(), limits=limits, criterion=kind, starts=starts, iterations=iterations)
                for kind in ("condition", "d_optimal")
            ]
            spent = (time.process_time() - began) / len(designs)
            kept = [min(m.distance for d in designs for m in d.report.margins if m.name == part) for part in _kept(designs[0].report)]
            values = " | ".join(f"{design.value:.3f}" for design in designs)
            distances = ", ".join(f"{1e3 * value:.1f}" for value in kept) or "not looked at"
            lines.append(f"| {name} | {words} | {values} | {_evaluation(robot, limits):.2f} | {spent:.0f} | {distances} |")
    return lines


def _kept(report: LimitReport) -> list[str]:
    return [margin.name for margin in report.margins if not np.isnan(margin.distance)]


def _evaluation(robot: Robot, limits: Limits) -> float:
    """Median processor time of the objective at the motions that random starts begin with [ms]."""
    search = build_search(robot, limits=limits, friction=linear(), criterion="d_optimal")
    rng, times = np.random.default_rng(0), []
    for centre in search.centres[:20]:
        still = search.parametrisation.standing_still(centre)
        x = search.repair(still + 0.3 * rng.normal(size=still.shape), still).x
        began = time.process_time()
        for _ in range(5):
            search.objective(still + 1.1 * (x - still), 4.0, 100.0)
        times.append((time.process_time() - began) / 5)
    return 1e3 * float(np.median(times))


def _row(name: str, source: str | Path, budget: float, seeds: tuple[int, ...], asked: str) -> str:
    robot = dynident.load_robot(source)
    limits = robot_limits(robot, clearance=None, floor=None)
    found, reserve = [], np.inf
    for seed in seeds:
        with ProcessPoolExecutor(WORKERS) as pool:
            design = design_trajectory(
                robot, friction=linear(), limits=limits, criterion="condition", seed=seed, budget=budget, executor=pool
            )
        report = check_trajectory(design.trajectory, robot, limits, rate=5000.0)
        assert report.holds
        reserve = min(reserve, *(1.0 - margin.share for margin in report.margins))
        found.append(design.condition_number)
    chance, draws = _random_restarts(source, budget, seeds)
    rank = base_parameters(robot, friction=linear()).rank
    ours, theirs = (", ".join(f"{value:.2f}" for value in values) for values in (found, chance))
    ratio = min(chance) / max(found)
    return f"| {name} | {rank} | **{ours}** | {theirs} ({draws:,} draws) | **{ratio:.1f}x** | {reserve:.2%} | {asked} |"


def _random_restarts(source: str | Path, budget: float, seeds: tuple[int, ...]) -> tuple[list[float], int]:
    """For each seed the best of all workers, and the number of draws in all."""
    best, draws = [], 0
    for seed in seeds:
        with ProcessPoolExecutor(WORKERS) as pool:
            jobs = list(pool.map(partial(_draw, source, budget), [(seed, worker) for worker in range(WORKERS)]))
        best.append(min(value for value, _ in jobs))
        draws += sum(count for _, count in jobs)
    return best, draws


def _draw(source: str | Path, budget: float, seed: tuple[int, int]) -> tuple[float, int]:
    """Random series, each as large as its limits allow, until the time is over.

    A draw costs one motion, one regressor and its eigenvalues at the search's own sampling: its scale follows from the peaks.
    Only one that would be the best so far is made to keep all limits at the fine sampling, and counts with that value.
    """
    robot = dynident.load_robot(source)
    limits = robot_limits(robot, clearance=None, floor=None)
    search = build_search(robot, limits=limits, friction=linear(), criterion="condition")
    base, series = search.criterion.base, search.parametrisation
    rng, best, count, end = np.random.default_rng(seed), np.inf, 0, time.monotonic() + budget
    while time.monotonic() < end:
        count += 1
        q0 = rng.uniform(np.maximum(limits.position[:, 0], -np.pi), np.minimum(limits.position[:, 1], np.pi))
        centre = series.standing_still(q0)
        x = rng.normal(size=(2 * series.harmonics + 1, robot.n))
        x[-1] = 0.0
        # each joint as large as its own limits allow: what would be best for one number per trajectory is worse
        motion = series.motion(centre + x.ravel())
        room = np.minimum(limits.position[:, 1] - q0, q0 - limits.position[:, 0])
        shares = [room / np.abs(motion.q - q0).max(axis=0), limits.velocity / np.abs(motion.dq).max(axis=0)]
        shares.append(limits.acceleration / np.abs(motion.ddq).max(axis=0))
        scaled = centre + (x * np.minimum.reduce(shares)).ravel()
        rows = base_regressor(base, series.motion(scaled)).reshape(base.rank, -1)
        lam = np.linalg.eigvalsh(rows @ rows.T)
        if lam[0] > 0.0 and np.sqrt(lam[-1] / lam[0]) < best:
            best = min(best, search.repair(scaled, centre).value)
    return best, count
