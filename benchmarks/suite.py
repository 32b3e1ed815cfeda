"""What the project's own commands cost: the starts of the command, and the tests by folder.

Processor time, of all processes that belong to it: it hardly depends on what else the machine does, and two cores share it.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
COMMAND = Path(sys.executable).parent / "dynident"
STARTS = (["--version"], ["--help"], ["check", "--help"], ["identify", "--help"], ["retrieve", "--help"], ["check", "panda"])
REPEATS = 5


def study() -> str:
    return f"## The suite\n\n{_starts()}\n\n{_tests()}"


def _starts() -> str:
    lines = ["| command | CPU time [s] |", "|---|---|"]
    for words in STARTS:
        least = min(_cpu_time([COMMAND, *words])[0] for _ in range(REPEATS))
        lines.append(f"| `dynident {' '.join(words)}` | {least:.2f} |")
    return "\n".join(lines)


def _tests() -> str:
    """Each folder in a process of its own, as few things as possible shared."""
    folders = sorted(path.name for path in (REPOSITORY / "tests").iterdir() if any(path.glob("**/test_*.py")))
    lines = ["| tests | number | CPU time [s] |", "|---|---|---|"]
    total, all_tests = 0.0, 0
    for name in folders:
        took, printed = _cpu_time([sys.executable, "-m", "pytest", "-q", "-m", "not slow", f"tests/{name}"])
        passed = re.search(r"(\d+) passed", printed)
        number = int(passed[1]) if passed else 0
        total, all_tests = total + took, all_tests + number
        lines.append(f"| `{name}/` | {number} | {took:.0f} |")
    return "\n".join([*lines, f"| all | {all_tests} | {total:.0f} |"])


def _cpu_time(command: list[str | Path]) -> tuple[float, str]:
    """CPU time [s] of a command with all of its processes, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as printed:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, cwd=REPOSITORY, env=environment, stdout=printed, stderr=subprocess.STDOUT, check=True)
        printed.seek(0)
        text = printed.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text
