"""Faults are what they say they are: they change what they name, come back when they are drawn again, and leave the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.doctor_logs import CONDITIONS, Conditions, Log, virtual_log
from benchmarks.faults import FAULTS, Fault, apply_faults

CASES = [pytest.param(fault, size, id=f"{fault.name} {size}") for fault in FAULTS for size in fault.sizes]
CHANNELS = ("time", "q", "dq", "ddq", "effort")


@pytest.fixture(scope="module")
def log() -> Log:
    return virtual_log("spatial_3r", 0, Conditions(channels=("dq", "ddq"), seconds=10.0))


@pytest.mark.parametrize(("fault", "size"), CASES)
def test_a_fault_changes_the_log_or_what_is_said_of_it(log: Log, fault: Fault, size: Any) -> None:
    assert fault.suits(log) is ("telling joint" not in fault.needs)  # of this arm, turned links take up the zero of any joint
    found, (remedy,) = apply_faults(log, ((fault, size),), seed=1)
    moved = not np.array_equal(found.robot.gravity, log.robot.gravity)
    assert moved or changed_channels(found, log)
    assert remedy.fault in {item.name for item in FAULTS}
    for joint in remedy.joints:
        assert 0 <= joint < log.robot.n
    for moment in remedy.times:
        assert found.data.time[0] < moment < found.data.time[-1]


@pytest.mark.parametrize(("fault", "size"), CASES)
def test_it_is_the_same_whenever_it_is_drawn(log: Log, fault: Fault, size: Any) -> None:
    first, second = (apply_faults(log, ((fault, size),), seed=3)[0] for _ in range(2))
    assert changed_channels(first, second) == []


def changed_channels(found: Log, log: Log) -> list[str]:
    """Channels that are not the same, absent ones included."""
    return [name for name in CHANNELS if not np.array_equal(*(np.asarray(getattr(item.data, name)) for item in (found, log)))]


@pytest.mark.parametrize(
    ("name", "size", "channels"),
    [
        ("sign", ("effort", "one"), ["effort"]),
        ("sign", ("motion", "all"), ["q", "dq", "ddq"]),
        ("degrees", ("dq",), ["dq"]),
        ("clock", 20.0, ["time"]),
        ("garbage accelerations", "noise", ["ddq"]),
        ("mounting", "sideways", []),
    ],
)
def test_nothing_else_is_changed(log: Log, name: str, size: Any, channels: list[str]) -> None:
    fault = next(item for item in FAULTS if item.name == name)
    found, _ = apply_faults(log, ((fault, size),), seed=1)
    assert changed_channels(found, log) == channels
    assert all(np.array_equal(getattr(found.true_data, channel), getattr(log.data, channel)) for channel in CHANNELS)


def test_a_virtual_log_is_the_same_whenever_it_is_drawn_and_another_by_another_seed() -> None:
    first, second, other = (virtual_log("ur5", seed, CONDITIONS[2]) for seed in (5, 5, 6))
    assert changed_channels(first, second) == []
    assert changed_channels(first, other) == ["time", "q", "dq", "effort"]


def test_pairs_are_applied_in_the_order_in_which_faults_happen(log: Log) -> None:
    sign, payload = (next(item for item in FAULTS if item.name == name) for name in ("sign", "payload"))
    chosen = ((sign, ("effort", "all")), (payload, 0.25))
    found, remedies = apply_faults(log, chosen, seed=1)
    assert [remedy.fault for remedy in remedies] == ["payload", "sign"]
    assert found.data.effort is not None
    assert found.true_data.effort is not None
    np.testing.assert_array_equal(found.data.effort, -found.true_data.effort)
