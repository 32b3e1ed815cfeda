"""The faults of the doctor's study are what they say, and what undoes them is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.doctor_judge import wrong_parts
from benchmarks.doctor_logs import DEVELOPMENT, DEVELOPMENT_SEED, base_log, virtual_log
from benchmarks.faults import GAIN, KINDS, Case, Kind, make_case
from dynident.errors import FileError

CASES = [pytest.param(kind, size, id=f"{kind.name} {size}") for kind in KINDS for size in kind.sizes]
CHANNELS = ("time", "q", "dq", "ddq", "effort")


def fault(kind: Kind, size: Any, seed: int = 1) -> Case:
    try:
        return make_case(base_log("spatial_3r"), [(kind, size)], seed)
    except FileError as error:
        pytest.skip(f"the reader refuses the file: {error}")


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_a_fault_changes_the_log_and_the_truth_is_right(kind: Kind, size: Any) -> None:
    case = fault(kind, size)
    assert wrong_parts(case, [kind], case.true_robot, case.true_data) == set()
    restorable = not kind.words or kind.gain > GAIN or kind.name == "rounded stamps"  # of 125 Hz, whose rate a correction restores
    assert bool(wrong_parts(case, [kind], case.robot, case.data)) is restorable
    assert changed_channels(case, make_case(case.log, [], 0)) or not np.array_equal(case.robot.gravity, case.true_robot.gravity)


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_a_fault_is_the_same_whenever_it_is_drawn(kind: Kind, size: Any) -> None:
    assert changed_channels(fault(kind, size), fault(kind, size)) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_eight_logs_have_equal_numbers_of_every_size(kind: Kind) -> None:
    assert 8 % len(kind.sizes) == 0


def test_a_virtual_log_is_the_same_whenever_it_is_drawn_and_another_by_another_seed() -> None:
    recipe = DEVELOPMENT["spatial_3r"]
    first, second, other = (virtual_log("spatial_3r", recipe, DEVELOPMENT_SEED + more) for more in (0, 0, 1))
    assert np.array_equal(first.data.q, second.data.q)
    assert not np.array_equal(first.data.q, other.data.q)


def changed_channels(case: Case, other: Case) -> list[str]:
    """Channels that are not the same, absent ones included."""
    return [name for name in CHANNELS if not np.array_equal(*(np.asarray(getattr(item.data, name)) for item in (case, other)))]
