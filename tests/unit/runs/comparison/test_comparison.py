"""Runs beside each other: closed forms of two, a fleet with a worn joint and a payload, and what can't be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident.core.documents import to_json
from dynident.core.files import json_text
from dynident.errors import InputError
from dynident.reports.comparison import comparison_page
from dynident.runs.comparison import compare_runs
from dynident.runs.comparison.documents import ComparisonDocument, sentences
from dynident.runs.comparison.quantities import FRICTION
from tests.facts import about, carries, raises
from tests.schemas import validator
from tests.unit.runs.comparison.fleets import compared, estimate_of


@pytest.fixture(scope="module")
def fleet():
    runs = [compared(seed) for seed in range(10)]
    runs[3], runs[6] = compared(3, worn=1), compared(6, payload=0.6)
    return compare_runs(runs)


def test_robots_that_are_off_come_first_and_are_named_with_their_fault(fleet):
    assert {fleet.names[r] for r in fleet.runs_beyond} == {"robot 3", "robot 6"}
    assert set(fleet.order[:2]) == {3, 6}
    told = sentences(fleet)
    assert len(told) == 2
    (worn,) = [text for text in told if text.startswith("robot 3")]
    (loaded,) = [text for text in told if text.startswith("robot 6")]
    assert carries(worn, "friction", "joint2")
    assert carries(loaded, "link2")


def test_a_fleet_without_faults_has_none():
    found = compare_runs([compared(seed) for seed in range(10)])
    assert found.runs_beyond == ()
    assert sentences(found) == ["No run differs from the median of 10 runs by more than chance."]


def test_the_second_of_two_runs_is_compared_with_the_first():
    found = compare_runs([compared(0), compared(1)])
    first, second = estimate_of(0), estimate_of(1)
    names = [item.name for item in found.quantities]
    for k, name in enumerate(first.base.names):
        q = names.index(name)
        z = (second.values[k] - first.values[k]) / np.hypot(first.std[k], second.std[k])
        assert found.deviations[:, q] == pytest.approx([0.0, z])
    assert found.reference == "robot 0"


def test_friction_at_a_speed_is_viscous_and_coulomb_friction_together():
    found = compare_runs([compared(0), compared(1)])
    estimate = estimate_of(0)
    for j in range(2):
        (q,) = [q for q, item in enumerate(found.quantities) if item.name == f"friction {j + 1}"]
        speed = float(found.quantities[q].expression.split(" at ")[1].split()[0])
        places = [estimate.base.names.index(f"{name}{j + 1}") for name in ("fv", "fc")]
        row = np.array([speed, 1.0])
        assert found.values[0, q] == pytest.approx(row @ estimate.values[places])
        assert found.std[0, q] == pytest.approx(np.sqrt(row @ estimate.covariance[np.ix_(places, places)] @ row))
        assert found.quantities[q].part == FRICTION


def test_two_models_of_one_log_share_what_both_have_and_a_note_says_that_they_share_the_data():
    found = compare_runs([compared(0), compared(0, friction="viscous")])
    names = {item.name for item in found.quantities}
    assert "fv1" in names
    assert "fc1" not in names
    assert "friction 1" in names, "whatever the law, friction at a speed can be compared"
    assert about(found.notes, "samples")
    assert about(found.notes, "coefficients", "alone")


def test_names_tell_runs_apart():
    run = compared(0)
    assert compare_runs([run, run, run]).names == ("robot 0", "robot 0 (2)", "robot 0 (3)")


def test_one_run_and_robots_with_other_joints_are_refused():
    with raises(InputError, 1):
        compare_runs([compared(0)])
    other = replace(compared(1), estimate=_pendulum())
    with raises(InputError, 2, "'pendulum_1r'", 1):
        compare_runs([compared(0), other])


def _pendulum():
    from dynident import identify, load_robot
    from tests.logs import synthetic_log

    return identify(load_robot("pendulum_1r"), synthetic_log("pendulum_1r", samples=400, noise=0.01), cutoff=None)


def test_document_and_page_have_every_run_and_text_is_escaped(fleet):
    document = to_json(ComparisonDocument.of(fleet))
    validator("comparison.json").validate(document)
    assert [run["run"] for run in document["runs"]] == [fleet.names[r] for r in fleet.order]
    assert len(document["runs"][0]["deviations"]) == len(document["quantities"])
    json_text(document)
    runs = list(fleet.runs)
    runs[0] = replace(runs[0], name="<b>robot</b>")
    html = comparison_page(replace(fleet, runs=tuple(runs))).html
    assert "<b>robot" not in html
    assert all(fleet.names[r] in html for r in range(1, 10))
    assert carries(html, 2, 10)
