"""The commands of a page, in this process or as installed; with the exit code that the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path


def run_command(line: str, run: Callable[..., subprocess.CompletedProcess[str]]) -> str:
    """Runs a line of a page in the folder where this process is, and returns what it printed.

    The line is a dynident command. One that is meant to fail says so: `dynident check bad.urdf  # exits with 1`.
    """
    words = shlex.split(line, comments=True)
    assert words[0] == "dynident", f"{line}: only dynident commands are run; leave the language of other blocks out"
    failing = re.search(r"# exits with (\d)", line)
    expected = int(failing[1]) if failing else 0
    finished = run(Path(), *words[1:])
    printed = finished.stdout + finished.stderr
    assert finished.returncode == expected, f"{line}\n{printed}"
    return printed
