"""Designed trajectories: condition numbers in a given time against random restarts of the same time, every limit checked.

The Panda, UR5 and KUKA LWR IV+ for 20 s with 5 harmonics, the robots' limits with 0.02 rad to spare, 90 % of velocity, acceleration and
torque; linear friction. The baseline draws random Fourier series, scales each up to its limits, and keeps the best.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin

import dynident
from dynident.excitation import check_trajectory, design_trajectory, robot_limits
from dynident.excitation.design import _prepared, _series
from dynident.friction import linear
from dynident.regression import base_parameters

BUDGET = 60.0
SEEDS = (0, 1, 2)
WORKERS = 2
UR5 = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots" / "ur_description" / "urdf" / "ur5_robot.urdf"


def study(budget: float = BUDGET, seeds: tuple[int, ...] = SEEDS) -> str:
    """Run everything and return the section for RESULTS.md."""
    rows = [_row("Panda", "panda", budget, seeds, "34 in 60 s; 32 best of three")]
    rows += [
        _row(name, source, budget, seeds[:1], "2x better than random") for name, source in (("UR5", UR5), ("KUKA LWR IV+", "kuka_lwr4"))
    ]
    lines = [
        "## Exciting trajectories",
        "",
        f"20 s, 5 harmonics, linear friction; {budget:g} s on {WORKERS} processes for each number. Condition number of the stacked base",
        "regressor, without scaling; every limit holds at 5 kHz. `smallest reserve` is the least unused share of any limit.",
        "",
        "| robot | columns | dynident, per seed | random restarts, same time | ratio | smallest reserve | asked |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]
    return "\n".join(lines)


def _row(name: str, source: str | Path, budget: float, seeds: tuple[int, ...], asked: str) -> str:
    robot = dynident.load_robot(source)
    limits = robot_limits(robot, clearance=None)
    found, reserve = [], np.inf
    for seed in seeds:
        with ProcessPoolExecutor(WORKERS) as pool:
            design = design_trajectory(robot, friction=linear(), limits=limits, seed=seed, budget=budget, executor=pool)
        report = check_trajectory(design.trajectory, robot, limits, rate=5000.0)
        assert report.holds
        reserve = min(reserve, *(1.0 - margin.share for margin in report.margins))
        found.append(design.condition_number)
    with ProcessPoolExecutor(WORKERS) as pool:
        jobs = list(pool.map(partial(_random_restarts, source, budget), range(WORKERS)))
    chance = min(jobs)
    rank = base_parameters(robot, friction=linear()).rank
    numbers = ", ".join(f"{value:.2f}" for value in found)
    return f"| {name} | {rank} | **{numbers}** | {chance:.1f} | **{chance / max(found):.1f}x** | {reserve:.2%} | {asked} |"


def _random_restarts(source: str | Path, budget: float, seed: int) -> float:
    """The best of random series, each as large as its limits allow, until the time is over."""
    robot = dynident.load_robot(source)
    search = _prepared(robot, linear(), robot_limits(robot, clearance=None), None, False, _series(20.0, 5, None), "condition", seed)
    rng, best, end = np.random.default_rng(seed), np.inf, time.monotonic() + budget
    while time.monotonic() < end:
        centre = search.parametrisation.standing_still(search.centres[int(rng.integers(len(search.centres)))])
        best = min(best, search.repaired(centre + rng.normal(size=centre.shape), centre).value)
    return best
