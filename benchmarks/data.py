"""Data as people have them: memory that a long log takes, and what weights per recording gain.

`python -m benchmarks.run data`. The logs are Fourier motions of the Panda at 1 kHz with noise; files of some GB are made in the temporary
folder (TMPDIR), read by `dynident identify` in a process of its own, and removed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from dynident import load_robot, regression
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.regression import build_problem
from tests.logs import synthetic_log

SIZES = (0.3, 2.0)  # GB
SEEDS = 12
ROWS = 100_000


def study() -> str:
    return "\n\n".join(["## Data", _memory(), _recordings()])


def _memory() -> str:
    lines = ["| file | samples | size [GB] | peak memory [GB] | time [s] |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".parquet"):
            for size in SIZES:
                file = Path(folder) / f"log{suffix}"
                samples = write_log(file, 1e9 * size)
                start = time.perf_counter()
                peak = _identify(file, Path(folder) / "run")
                took = time.perf_counter() - start
                lines.append(f"| {suffix} | {samples} | {file.stat().st_size / 1e9:.2f} | {peak:.2f} | {took:.0f} |")
                file.unlink()
    return "Peak resident memory of `dynident identify panda FILE`:\n\n" + "\n".join(lines)


def _identify(file: Path, run: Path) -> float:
    """Peak memory [GB] of a process that reads the file and identifies the robot."""
    program = (
        "import resource, sys\nfrom dynident.cli.app import run\n"
        "run(['identify', 'panda', *sys.argv[1:]])\n"
        "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    finished = subprocess.run([sys.executable, "-c", program, file, "-o", run], capture_output=True, text=True, check=True)
    return int(finished.stdout.rsplit("peak", 1)[1]) * (1.0 if sys.platform == "darwin" else 1024.0) / 1e9


def write_log(file: Path, size: float) -> int:
    """Write a log of about so many bytes, some samples at a time; the number of samples."""
    robot, rng = load_robot("panda"), np.random.default_rng(0)
    samples = int(size / (285 if file.suffix == ".csv" else 176))
    amplitude, phase = rng.uniform(0.05, 0.25, (5, robot.n)), rng.uniform(0.0, 2.0 * np.pi, (5, robot.n))
    omega, centre = 2.0 * np.pi * rng.uniform(0.05, 0.4, (5, 1)), robot.position_limits.mean(axis=1)
    names = ["time", *(f"{name}{j + 1}" for name in ("q", "dq", "tau") for j in range(robot.n))]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with csv.CSVWriter(file, schema) if file.suffix == ".csv" else parquet.ParquetWriter(file, schema) as writer:
        for start in range(0, samples, ROWS):
            t = np.arange(start, min(start + ROWS, samples)) / 1000.0
            angle = t[:, None, None] * omega + phase
            q = centre + np.sum(amplitude * np.sin(angle), axis=1)
            dq = np.sum(amplitude * omega * np.cos(angle), axis=1)
            ddq = -np.sum(amplitude * omega**2 * np.sin(angle), axis=1)
            tau = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + 0.5 * dq + 0.3 * np.sign(dq) + 0.1
            values = np.column_stack([t, np.round(q, 10), np.round(dq, 10), np.round(tau + 0.2 * rng.normal(size=q.shape), 9)])
            writer.write_table(pa.table(list(values.T), schema=schema))
    return samples


def _recordings() -> str:
    lines = ["| noise of the two [N·m] | together | each by its own noise | the first alone | within 2 std [%] |", "|---|---|---|---|---|"]
    robot = load_robot("planar_2r")
    for noises in ((0.5, 0.5), (0.2, 1.0), (0.1, 2.0)):
        errors: dict[str, list[float]] = {"pooled": [], "own": [], "alone": []}
        deviations: list[np.ndarray] = []
        for seed in range(SEEDS):
            logs = [synthetic_log(robot, samples=2000, noise=noise, seed=10 * seed + k) for k, noise in enumerate(noises)]
            clean = [synthetic_log(robot, samples=2000, seed=10 * seed + k) for k in range(2)]
            problem, exact = (
                build_problem(robot, Dataset.concatenate(logs)),
                regression.estimate(build_problem(robot, Dataset.concatenate(clean))).values,
            )
            own = regression.estimate(problem)
            found = {
                "own": own,
                "pooled": regression.estimate(replace(problem, parts=())),
                "alone": regression.estimate(build_problem(robot, logs[0])),
            }
            for name, estimate in found.items():
                relative = (estimate.values - exact) / np.maximum(np.abs(exact), 0.05)
                errors[name].append(100.0 * float(np.sqrt(np.mean(relative**2))))
            deviations.append(np.abs(own.values - exact) / own.std)
        pooled, weighted, alone = (f"{np.median(errors[name]):.1f} %" for name in ("pooled", "own", "alone"))
        within = 100.0 * float(np.mean(np.concatenate(deviations) < 2.0))
        lines.append(f"| {noises[0]} and {noises[1]} | {pooled} | {weighted} | {alone} | {within:.0f} |")
    head = f"Error of the coefficients of two virtual logs of planar_2r, RMS, median of {SEEDS} pairs:"
    return head + "\n\n" + "\n".join(lines)
