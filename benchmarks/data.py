"""Data as people have them: memory that a long log takes, and what weights per recording gain.

`python -m benchmarks.run data`, or the rows of a million samples alone by `python -m benchmarks.data`. The logs are Fourier motions of the
Panda at 1 kHz with noise; files of some GB are made in the temporary folder (TMPDIR), read by `dynident identify` or `dynident doctor` in a
process of its own, and removed.
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
_BYTES = {".csv": 285, ".parquet": 176}  # of a sample, about
MILLION = 1_000_000
SEEDS = 12
ROWS = 100_000


def study() -> str:
    return "\n\n".join(["## Data", memory_of_a_million(), _memory(), _recordings()])


def _memory() -> str:
    lines = ["| file | samples | size [GB] | peak memory [GB] | time [s] |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".parquet"):
            for size in SIZES:
                file = Path(folder) / f"log{suffix}"
                samples = write_log(file, 1e9 * size)
                start = time.perf_counter()
                peak = _peak("identify", "panda", file, "-o", Path(folder) / "run")
                took = time.perf_counter() - start
                lines.append(f"| {suffix} | {samples} | {file.stat().st_size / 1e9:.2f} | {peak:.2f} | {took:.0f} |")
                file.unlink()
    return "Peak resident memory of `dynident identify panda FILE`:\n\n" + "\n".join(lines)


def memory_of_a_million() -> str:
    """Of a log as it should be, of one in degrees with a reversed effort, and of one with gaps, uneven stamps and lost values."""
    lines = ["| file | log | doctor [GB] | identify [GB] |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".csv", ".parquet"):
            clean = Path(folder) / f"clean{suffix}"
            write_log(clean, MILLION * _BYTES[suffix])
            table = csv.read_csv(clean) if suffix == ".csv" else parquet.read_table(clean)
            for name, spoil in SPOILED.items() if suffix == ".parquet" else [("clean", SPOILED["clean"])]:
                file = Path(folder) / f"log{suffix}"
                spoiled = pa.table(spoil({column: table.column(column).to_numpy().copy() for column in table.column_names}))
                (csv.write_csv if suffix == ".csv" else parquet.write_table)(spoiled, file)
                run = Path(folder) / f"{name}{suffix}.run"
                peaks = _peak("doctor", "panda", file), _peak("identify", "panda", file, "-o", run, "--ignore-doctor")
                lines.append(f"| {suffix} | {name} | {peaks[0]:.2f} | {peaks[1]:.2f} |")
                file.unlink()
    commands = "`dynident doctor panda FILE` and `dynident identify panda FILE --ignore-doctor`"
    head = f"Peak resident memory of {commands} for logs of a million samples (time, q, dq and tau of 7 joints):"
    return head + "\n\n" + "\n".join(lines)


def _in_degrees(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    turned = {name: np.degrees(values) if name.startswith(("q", "dq")) else values for name, values in columns.items()}
    return turned | {"tau3": -columns["tau3"]}


def _with_gaps(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = columns | {"time": columns["time"] + rng.uniform(0.0, 4e-4, MILLION)}
    for j in range(7):
        columns[f"tau{j + 1}"][rng.integers(0, MILLION, 50)] = 0.0
    kept = np.ones(MILLION, dtype=bool)
    kept[300_000:300_500] = kept[700_000:700_700] = False
    return {name: values[kept] for name, values in columns.items()}


SPOILED = {
    "clean": lambda columns: columns,
    "in degrees, one effort reversed": _in_degrees,
    "gaps, uneven stamps, lost values": _with_gaps,
    "gaps, uneven stamps, lost values, no velocities": lambda columns: {
        name: values for name, values in _with_gaps(columns).items() if not name.startswith("dq")
    },
}


def _peak(*words: str | Path) -> float:
    """Peak memory [GB] of a process that does a command; Linux tells it of the program alone, without what this process had before."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom dynident.cli.app import run\n"
        "try:\n    run(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print('peak', Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    finished = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return 1024.0 * int(finished.stdout.rsplit("peak", 1)[1]) / 1e9


def write_log(file: Path, size: float) -> int:
    """Write a log of about so many bytes, some samples at a time; the number of samples."""
    robot, rng = load_robot("panda"), np.random.default_rng(0)
    samples = int(size / _BYTES[file.suffix])
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


if __name__ == "__main__":
    print(memory_of_a_million())
