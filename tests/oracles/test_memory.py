"""A log that is larger than memory may be: peak memory of reading and building the regression hardly grows with the log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tests.logs import synthetic_log

#: Files and arrays count as large at a thirtieth of their usual sizes, for logs that are as much shorter than one of 2 GB.
SCALE = 30
#: By how much memory may grow with the longer log [MB]: half of what its further numbers, accelerations included, would take by themselves.
ALLOWED = 0.5 * (66 - 22) * 7000 * 29 * 8 / 1e6

_PROGRAM = """
import json, sys
from pathlib import Path
from dynident import load_robot
from dynident.core import large_arrays
from dynident.data import load_dataset
from dynident.data.formats import reader
from dynident.regression import build_problem

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1e3

reader.LARGE //= {scale}
large_arrays.LARGEST_IN_MEMORY //= {scale}
large_arrays._BLOCK //= {scale}
robot = load_robot("panda")
first = build_problem(robot, load_dataset(sys.argv[1]))
before = peak()
Path("/proc/self/clear_refs").write_text("5")
problem = build_problem(robot, load_dataset(sys.argv[2]))
print(json.dumps([peak() - before, problem.samples, problem.factors[0].tolist()]))
"""


def write(file: Path, repeats: int) -> Path:
    log = synthetic_log("panda", samples=7000, rate=1000.0, noise=0.1)
    columns = {"time": np.arange(7000 * repeats) / 1000.0}
    for name, values in (("q", log.q), ("dq", log.dq), ("tau", log.effort)):
        columns |= {f"{name}{j + 1}": np.tile(values[:, j], repeats) for j in range(log.n)}
    if file.suffix == ".csv":
        csv.write_csv(pa.table(columns), file)
    else:
        parquet.write_table(pa.table(columns), file, row_group_size=2**20 // SCALE)  # of the usual size
    return file


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_log_of_three_times_the_length_needs_little_more_memory(suffix, tmp_path):
    small, large = write(tmp_path / f"small{suffix}", 22), write(tmp_path / f"large{suffix}", 66)
    program = _PROGRAM.format(scale=SCALE)
    finished = subprocess.run([sys.executable, "-c", program, small, large], capture_output=True, text=True, check=True)
    growth, samples, factor = json.loads(finished.stdout)
    assert samples == 462_000
    assert np.all(np.isfinite(factor))
    assert growth < ALLOWED
