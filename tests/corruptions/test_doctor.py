"""The doctor on some cases of `python -m benchmarks.run doctor`: a small arm that is quickly examined, and a large one now and then."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.doctor import Case, Outcome, examine
from benchmarks.doctor_logs import CONDITIONS, Conditions, Log, virtual_log
from benchmarks.faults import FAULTS

BY_NAME = {fault.name: fault for fault in FAULTS}
SINGLE: tuple[tuple[str, Any], ...] = (
    ("sign", ("effort", "one")),
    ("sign", ("effort", "all")),
    ("mounting", "sideways"),
    ("order", "reversed"),
    ("degrees", ("q", "dq", "ddq")),
    ("effort unit", 1000.0),
)
PAIRS: tuple[tuple[tuple[str, Any], tuple[str, Any]], ...] = (
    (("mounting", "sideways"), ("effort unit", 1000.0)),
    (("sign", ("effort", "one")), ("degrees", ("q", "dq", "ddq"))),
)


@pytest.fixture(scope="module")
def log() -> Log:
    return virtual_log("spatial_3r", 0, Conditions(channels=("dq", "ddq")))


def outcome(log: Log, *chosen: tuple[str, Any]) -> Outcome:
    return examine(Case(log=log, chosen=tuple((BY_NAME[name], size) for name, size in chosen), seed=1))


@pytest.mark.parametrize(("name", "size"), SINGLE)
def test_a_fault_is_named_and_mended(log: Log, name: str, size: Any) -> None:
    found = outcome(log, (name, size))
    assert found.found == (True,), found.told
    assert found.wrong == ()
    assert found.restored is not False


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_faults_are_named_and_mended(log: Log, one: tuple[str, Any], other: tuple[str, Any]) -> None:
    found = outcome(log, one, other)
    assert found.found == (True, True), found.told
    assert found.restored is not False


@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
def test_nothing_is_said_of_a_log_without_a_fault(conditions: Conditions) -> None:
    found = outcome(virtual_log("spatial_3r", 1, conditions))
    assert found.wrong == (), found.told
