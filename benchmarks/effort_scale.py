"""By which factor efforts differ from what the description's links need: on logs as they should be, and on logs in another unit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.trust import KINDS, cases
from benchmarks.virtual_arms import ROBOTS, draw_arm, record_pair
from dynident import Dataset, Robot, load_dataset, load_robot
from dynident.errors import DynidentError
from dynident.regression import identify
from dynident.regression.effort_scale import effort_scale

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEEDS = range(30, 33)
FACTORS = {"as recorded": 1.0, "kgf·cm": 10.197, "currents": 1.0 / 16.0}


def study() -> str:
    head = ["| log | beside | arms | factor, median | least | largest |", "|---|---|---|---|---|---|"]
    rows = [*_virtual(), *_recorded()]
    return "\n".join(
        ["## The scale of efforts", "", "Both ends of `dynident.regression.effort_scale`, least and largest.", "", *head, *rows]
    )


def _virtual() -> list[str]:
    found: dict[str, list[tuple[float, float]]] = {"nominal links": [], "uniform links": []}
    for case in cases(seeds=SEEDS):
        rng = np.random.default_rng([case.seed, ROBOTS.index(case.robot), KINDS.index((case.errors, case.motion))])
        arm = draw_arm(case.robot, case.errors, rng)
        log, _ = record_pair(arm, case.motion, rng)
        found["uniform links"] += _scales(_without_inertia(arm.described), log)
        if arm.described.parameters is not None:
            found["nominal links"] += _scales(arm.described, log)
    return [_row("virtual, all kinds of errors", name, scales) for name, scales in found.items()]


def _recorded() -> list[str]:
    kuka, panda = DATA / "kuka_lwr4", DATA / "panda_gaz2019" / "trajectory_1.npz"
    logs = {"KUKA LWR 4+": (kuka / "kuka_lwr4.urdf", kuka / "measurements_1.npz"), "Panda": ("panda", panda)}
    rows: list[str] = []
    for name, (description, file) in logs.items() if panda.exists() else ():
        robot, log = load_robot(description), load_dataset(file)
        for unit, factor in FACTORS.items():
            scaled = replace(log, effort=factor * log.effort)
            rows += [_row(f"{name}, {unit}", "nominal links", _scales(robot, scaled))]
            rows += [_row(f"{name}, {unit}", "uniform links", _scales(_without_inertia(robot), scaled))]
    return rows


def _without_inertia(robot: Robot) -> Robot:
    return robot if robot.parameters is None else replace(robot, links=tuple(replace(x, parameters=None, pieces=()) for x in robot.links))


def _scales(robot: Robot, log: Dataset) -> list[tuple[float, float]]:
    try:
        scale = effort_scale(identify(robot, log))
    except DynidentError:
        return []
    return [] if scale is None else [scale]


def _row(log: str, beside: str, scales: list[tuple[float, float]]) -> str:
    low, high = np.array(scales).T
    return f"| {log} | {beside} | {len(scales)} | {np.median(np.sqrt(low * high)):.3g} | {low.min():.3g} | {high.max():.3g} |"
