"""Standard deviations on recorded logs: parts of a log differ by as much as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.deviations import agreement, halves, interleaved, recorded_logs

LOGS = ("Panda", "KUKA LWR4+, log 1", "KUKA LWR4+, log 2", "TX40")


@pytest.mark.parametrize("split", [halves, interleaved])
@pytest.mark.parametrize("name", LOGS)
def test_parts_of_a_log_agree_within_their_standard_deviations(shared_data: Path, name: str, split) -> None:
    """Root mean square of differences over standard deviations; the 95 % intervals of both parts together hold nine of ten or more."""
    (found,) = [agreement(split(robot, log)) for own, robot, log in recorded_logs(shared_data) if own == name]
    assert 0.7 <= found.larger <= 1.5
    assert found.larger <= found.noise
    assert found.inside >= 0.9


def test_these_are_all_logs(shared_data: Path) -> None:
    assert tuple(name for name, _, _ in recorded_logs(shared_data)) == LOGS
