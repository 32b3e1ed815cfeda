"""The doctor on some development cases of its study, of a small arm that is quickly examined."""

from __future__ import annotations

import pytest

from benchmarks.doctor import INTRODUCTION, Outcome, Plan, examine, plans, report, run
from benchmarks.doctor_logs import HELD_OUT_LOGS, HELD_OUT_SEED

SINGLE = (
    "mounting",
    "degrees",
    "order swapped",
    "torque reversed",
    "position reversed",
    "effort unit",
    "clock x20",
    "velocity unit",
    "garbage accelerations",
    "gaps",
)


def test_a_clean_log_has_no_sure_finding() -> None:
    assert examine(Plan(log="spatial_3r")).wrong == ()


@pytest.mark.parametrize("name", SINGLE)
def test_a_fault_comes_first(name: str) -> None:
    outcome = examine(Plan(log="spatial_3r", faults=((name, 0),), seed=6_100_000))
    assert outcome.error == ""
    assert outcome.right, outcome.answers
    assert outcome.wrong == ()
    assert outcome.restored or outcome.clean is None or not outcome.surely


def test_two_faults_come_first() -> None:
    outcome = examine(Plan(log="spatial_3r", faults=(("torque reversed", 0), ("effort unit", 1)), seed=6_100_001))
    assert outcome.right, outcome.answers


def test_the_study_has_the_numbers_that_it_says(tmp_path: object) -> None:
    chosen = plans(HELD_OUT_LOGS, HELD_OUT_SEED)
    assert [sum(len(plan.faults) == faults for plan in chosen) for faults in (0, 1, 2)] == [8, 248, 32]
    assert len({plan.key for plan in chosen}) == len(chosen)


def test_an_interrupted_study_goes_on_where_it_stopped(tmp_path, monkeypatch) -> None:
    examined: list[str] = []

    def fake(plan: Plan, known: object = ()) -> Outcome:
        examined.append(plan.key)
        return Outcome(key=plan.key, kinds=tuple(name for name, _ in plan.faults), answers=("x",), right=True)

    monkeypatch.setattr("benchmarks.doctor.examine", fake)
    chosen = [Plan(log="spatial_3r"), Plan(log="spatial_3r", faults=(("gaps", 0),)), Plan(log="ur10")]
    first = run(chosen[:2], tmp_path / "outcomes.jsonl")
    assert run(chosen, tmp_path / "outcomes.jsonl")[:2] == first
    assert examined == [plan.key for plan in chosen]
    assert INTRODUCTION in report(first)
