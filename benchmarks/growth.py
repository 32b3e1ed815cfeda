"""Cost as the work grows: time and memory of an identification for longer logs, longer chains and larger trees, as a table and a figure.

`python -m benchmarks.run growth`. Every run is a process of its own, so that its peak memory can be told:
`python -m benchmarks.growth joints 15`. The figure is docs/images/growth.svg.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.identification import generated, run_job
from dynident import Robot, load_robot
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.regression import identify

FIGURE = Path(__file__).parents[1] / "docs" / "images" / "growth.svg"
SAMPLES = 20_000
BRANCH = 7
CASES = {
    "samples": (10_000, 100_000, 1_000_000, 10_000_000),
    "filtered": (10_000, 100_000, 1_000_000, 10_000_000),
    "joints": (3, 7, 15, 30),
    "links": (7, 15, 30, 60),
}
TITLES = {
    "samples": "samples, Panda",
    "joints": f"joints of a chain, {SAMPLES // 1000} 000 samples",
    "links": f"links of a tree, {SAMPLES // 1000} 000 samples",
}


class Cost(NamedTuple):
    """CPU time [s], peak memory above that of the log [MB], coefficients."""

    seconds: float
    megabytes: float
    rank: int


def study() -> str:
    """Run everything, draw the figure, and return the section for RESULTS.md."""
    costs = {kind: [_measure(kind, size) for size in sizes] for kind, sizes in CASES.items()}
    FIGURE.write_text(_draw(costs), encoding="utf-8")
    lines = ["| what grows | size | coefficients | CPU time [s] | memory [MB] |", "|---|---|---|---|---|"]
    for kind, sizes in CASES.items():
        name = "samples, 5 Hz filter" if kind == "filtered" else TITLES[kind]
        for size, cost in zip(sizes, costs[kind], strict=True):
            spaced = f"{size:,}".replace(",", " ")
            lines.append(f"| {name} | {spaced} | {cost.rank} | {cost.seconds:.3g} | {cost.megabytes:.0f} |")
    head = (
        "Log in memory to coefficients with standard deviations, linear friction, one thread; memory is the peak beyond what the process "
        f"had with the log. Chains and trees have revolute joints with axes anywhere, and the tree's branches are of {BRANCH} joints."
    )
    return "\n".join(["## Growth", "", head, "", *lines, "", "The figure in the documentation is drawn from these numbers."])


def _measure(kind: str, size: int) -> Cost:
    told = run_job([sys.executable, "-m", "benchmarks.growth", kind, str(size)])
    return Cost(told["seconds"], told["megabytes"], int(told["rank"]))


def _robot(kind: str, size: int) -> Robot:
    """A chain of so many joints, or a tree of so many links in branches from one base."""
    from tests.oracles.machines import random_tree

    parents = [i - 1 if kind == "joints" or i % BRANCH else -1 for i in range(size)]
    return random_tree(np.random.default_rng(0), parents=tuple(parents))


def _log(kind: str, size: int) -> tuple[Robot, Dataset]:
    if kind in ("samples", "filtered"):
        return load_robot("panda"), generated(size)
    from tests.oracles.logs import harmonics

    robot, rng = _robot(kind, size), np.random.default_rng(0)
    t, q, dq, ddq = harmonics(robot, SAMPLES, 1000.0, rng)
    q, dq, ddq = (np.ascontiguousarray(values) for values in (q, dq, ddq))
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + 0.2 * dq + 0.1 * rng.normal(size=q.shape)
    return robot, Dataset(time=t, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque")


def _main(kind: str, size: int) -> None:
    cutoff = 5.0 if kind == "filtered" else None
    identify(load_robot("panda"), generated(25_000), friction=linear(), cutoff=cutoff)
    robot, data = _log(kind, size)
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    start = time.process_time()
    rank = len(identify(robot, data, friction=linear(), cutoff=cutoff).values)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "megabytes": _memory("VmHWM") - before, "rank": rank}))


def _memory(name: str) -> float:
    """A figure of /proc/self/status [MB]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024.0


#: Width and height of a panel, and where it begins [pixels].
_PANEL, _LEFT, _TOP, _GAP = (250, 170), 62, 56, (72, 64)
_COLOURS = {"samples": "#0072b2", "filtered": "#c75300", "joints": "#0072b2", "links": "#0072b2"}


def _draw(costs: dict[str, list[Cost]]) -> str:
    """Six panels, time above memory, both axes logarithmic."""
    width = _LEFT + 3 * _PANEL[0] + 2 * _GAP[0] + 20
    height = _TOP + 2 * _PANEL[1] + _GAP[1] + 48
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#1b1f24">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for column, (kind, title) in enumerate(TITLES.items()):
        drawn = ("samples", "filtered") if kind == "samples" else (kind,)
        for row, (field, unit) in enumerate((("seconds", "CPU time [s]"), ("megabytes", "memory [MB]"))):
            left, top = _LEFT + column * (_PANEL[0] + _GAP[0]), _TOP + row * (_PANEL[1] + _GAP[1])
            curves = {name: (CASES[name], [max(getattr(cost, field), 0.1 * row) for cost in costs[name]]) for name in drawn}
            parts += _panel(left, top, curves, title if row else "", unit)
    for x, (name, words) in zip((_LEFT, _LEFT + 130), (("samples", "as recorded"), ("filtered", "5 Hz filter")), strict=True):
        parts.append(f'<circle cx="{x}" cy="16" r="4" fill="{_COLOURS[name]}"/><text x="{x + 9}" y="20">{words}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: int, top: int, curves: dict[str, tuple[tuple[int, ...], list[float]]], title: str, unit: str) -> list[str]:
    width, height = _PANEL
    sizes = next(iter(curves.values()))[0]
    everything = np.log10(np.concatenate([values for _, values in curves.values()]))
    low, high = np.floor(everything.min()), max(np.ceil(everything.max()), np.floor(everything.min()) + 1.0)
    first, last = np.log10(sizes[0]), np.log10(sizes[-1])

    def place(size: float, value: float) -> tuple[float, float]:
        x = left + width * (0.06 + 0.88 * (np.log10(size) - first) / (last - first))
        return float(x), float(top + height * (1.0 - (np.log10(value) - low) / (high - low)))

    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#b9c0c9"/>']
    for power in range(int(low), int(high) + 1):
        y = place(sizes[0], 10.0**power)[1]
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e7eb"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for size in sizes:
        label = f"1e{round(np.log10(size))}" if size >= 1000 else f"{size}"
        parts.append(f'<text x="{place(size, 1.0)[0]:.1f}" y="{top + height + 17}" text-anchor="middle">{label}</text>')
    for name, (own, values) in curves.items():
        points = [place(size, value) for size, value in zip(own, values, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[name]}"/>' for x, y in points]
    parts.append(f'<text x="{left}" y="{top - 8}" fill="#59626d">{unit}</text>')
    if title:
        parts.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">{title}</text>')
    return parts


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
