"""Long running: hundreds of identifications one after the other in one process, with memory and open files after each.

One round is what a service would do with a log: read it, identify, retrieve links, write the run, read it again, draw the report. Every
round has another log. `python -m benchmarks.soak 40` prints what is in use after each round as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynident import identify, load_dataset, load_robot, load_run, report, retrieve, save_run, write_dataset
from tests.logs import synthetic_log

ROUNDS = 500
SAMPLES = 400


class Usage(NamedTuple):
    """memory : resident [MB]; files : open file handles; seconds : of CPU since the start."""

    memory: float
    files: int
    seconds: float


def soak(rounds: int, folder: Path) -> list[Usage]:
    """What is in use after each round."""
    robot, found = load_robot("planar_2r"), list[Usage]()
    log, run = folder / "log.npz", folder / "run"
    for number in range(rounds):
        write_dataset(synthetic_log(robot, samples=SAMPLES, noise=0.02, seed=number), log)
        estimate = identify(robot, load_dataset(log), cutoff=None)
        save_run(run, estimate, parameters=retrieve(estimate))
        report(load_run(run)).save(folder / "report.html")
        found.append(_usage())
    return found


def growth(found: list[Usage]) -> float:
    """How much more memory the last quarter of the rounds has than the second one, medians [MB]."""
    quarter = len(found) // 4
    memory = np.array([item.memory for item in found])
    return float(np.median(memory[-quarter:]) - np.median(memory[quarter : 2 * quarter]))


def run_rounds(rounds: int) -> list[Usage]:
    """In a process of its own, whose allocator gives back at once what is freed: what is left is in use, and no fragments."""
    command = [sys.executable, "-m", "benchmarks.soak", str(rounds)]
    own = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1], env=os.environ | own)
    return [Usage(*row) for row in json.loads(done.stdout)]


def study() -> str:
    return describe(run_rounds(ROUNDS))


def describe(found: list[Usage]) -> str:
    """What was in use after some of the rounds, as a table."""
    rounds = len(found)
    shown = [1, rounds // 20, rounds // 4, rounds // 2, rounds]
    return "\n".join(
        [
            "## Long running",
            "",
            f"{rounds} rounds in one process, each with another log of planar_2r ({SAMPLES} samples): read, identify, retrieve with all "
            "ranges, write the run, read it again, write the report.",
            "",
            "| after round | memory in use [MB] | open files | CPU [s] |",
            "|---|---|---|---|",
            *(f"| {k} | {found[k - 1].memory:.1f} | {found[k - 1].files} | {found[k - 1].seconds:.1f} |" for k in shown),
            "",
            f"From the second to the last quarter of the rounds memory grew by {growth(found):.1f} MB (medians).",
        ]
    )


def _usage() -> Usage:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    files = len(list(Path("/proc/self/fd").iterdir()))
    return Usage(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, files, time.process_time())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(soak(int(sys.argv[1]), Path(place))))
