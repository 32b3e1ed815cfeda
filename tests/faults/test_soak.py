"""A process that identifies one log after the other keeps its memory and its file handles."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soak import Usage, growth, run_rounds

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory and open files are read from /proc")


def assert_flat(found: list[Usage], allowed: float) -> None:
    assert len({usage.files for usage in found[1:]}) == 1, "every file is closed again"
    assert growth(found) <= allowed


def test_a_few_rounds():
    assert_flat(run_rounds(24), allowed=2.0)


@pytest.mark.slow
def test_five_hundred_rounds():
    assert_flat(run_rounds(500), allowed=5.0)
