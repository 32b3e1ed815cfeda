"""A process that identifies one log after the other keeps its memory and its file handles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.soak import Usage, growth

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory and open files are read from /proc")


def run_rounds(rounds: int) -> list[Usage]:
    """In a process of its own, whose allocator gives back at once what is freed: what is left is in use, and no fragments."""
    command = [sys.executable, "-m", "benchmarks.soak", str(rounds)]
    own = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=1800, check=True, cwd=Path(__file__).parents[2], env=os.environ | own
    )
    return [Usage(*row) for row in json.loads(done.stdout)]


def assert_flat(found: list[Usage], allowed: float) -> None:
    assert len({usage.files for usage in found[1:]}) == 1, "every file is closed again"
    assert growth(found) <= allowed


def test_a_few_rounds():
    assert_flat(run_rounds(24), allowed=2.0)


@pytest.mark.slow
def test_five_hundred_rounds():
    assert_flat(run_rounds(500), allowed=5.0)
