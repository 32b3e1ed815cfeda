"""The commands of a page, in this process or as installed; with the exit code that the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from glob import glob
from pathlib import Path

#: Compiles the C of the pages.
COMPILER = "gcc"


def run_command(line: str, run: Callable[..., subprocess.CompletedProcess[str]]) -> str:
    """Runs a line of a page in the folder where this process is, and returns what it printed.

    The line is a dynident command, or compiles a program, or starts one that was compiled. One that is meant to fail says so:
    `dynident check bad.urdf  # exits with 1`.
    """
    program, *words = shlex.split(line, comments=True)
    failing = re.search(r"# exits with (\d)", line)
    expected = int(failing[1]) if failing else 0
    if program == "dynident":
        finished = run(Path(), *words)
    else:
        assert program == COMPILER or program.startswith("./"), f"{line}: no such command is run; leave the language of the block out"
        words = [path for word in words for path in sorted(glob(word)) or [word]]  # as a shell does
        finished = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    printed = finished.stdout + finished.stderr
    assert finished.returncode == expected, f"{line}\n{printed}"
    return printed
