"""Faults that were put into a log are named with what mends them, alone and in pairs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynident import Dataset, load_robot
from dynident.data import shift_effort
from dynident.diagnosis import Diagnosis, doctor
from dynident.diagnosis.excerpt import take_excerpt
from dynident.diagnosis.finding import Confidence, Finding
from dynident.dynamics import gravity, inverse_dynamics
from dynident.reports.diagnosis import diagnosis_report
from tests.current_logs import UR10
from tests.logs import synthetic_log

ROBOT = load_robot("spatial_3r")
LOG = synthetic_log("spatial_3r", noise=0.1)
DEGREES = 180.0 / np.pi


def scaled(**factors: Any) -> Dataset:
    return replace(LOG, **{name: getattr(LOG, name) * factor for name, factor in factors.items()})


def named(log: Dataset, robot: Any = ROBOT) -> dict[str, Any]:
    """{finding: recipe} of what is sure."""
    return {finding.name: finding.correction.recipe for finding in doctor(robot, log).sure if finding.correction}


@pytest.mark.parametrize(
    ("log", "finding", "recipe"),
    [
        (scaled(effort=[1, -1, 1]), "effort sign", {"effort_signs": [1, -1, 1]}),
        (scaled(effort=-1), "effort sign", {"effort_signs": -1}),
        (scaled(q=[1, 1, -1], dq=[1, 1, -1], ddq=[1, 1, -1]), "position sign", {"signs": [1, 1, -1], "effort_signs": 1}),
        (scaled(effort=1000.0), "effort unit", {"units": {"effort": "mNm"}}),
        (
            scaled(q=DEGREES, dq=DEGREES, ddq=DEGREES),
            "position unit",
            {"units": {"q": "deg", "dq": "deg/s", "ddq": "deg/s^2"}},
        ),
        (scaled(q=DEGREES), "position unit", {"units": {"q": "deg", "dq": "rad/s", "ddq": "rad/s^2"}}),
        (scaled(dq=DEGREES), "velocity", {"units": {"dq": "deg/s"}}),
        (scaled(time=20.0), "time base", {"sampling_rate": 100.0}),
        (scaled(time=1000.0), "time base", {"units": {"time": "ms"}}),
        (replace(LOG, time=0.05 * LOG.time, dq=None, ddq=None), "time base", {"sampling_rate": 100.0}),
        (replace(LOG, dq=LOG.dq[:, ::-1]), "velocity", {"columns": {"dq": "none"}}),
        (replace(LOG, ddq=np.random.default_rng(1).normal(size=LOG.q.shape)), "acceleration", {"columns": {"ddq": "none"}}),
        (
            replace(LOG.select([1, 2, 0]), joint_names=LOG.joint_names),
            "joint order",
            {"joints": ["joint3", "joint1", "joint2"]},
        ),
        (replace(LOG, effort=LOG.effort[:, [1, 0, 2]]), "joint order", {"effort_joints": ["joint2", "joint1", "joint3"]}),
    ],
)
def test_a_fault_is_named_with_its_remedy(log, finding, recipe):
    assert named(log) == {finding: recipe}


@pytest.mark.parametrize("direction", [[9.81, 0.0, 0.0], [0.0, 0.0, 9.81], [0.0, -6.94, -6.94]])
def test_gravity_is_found_that_was_said_to_be_elsewhere(direction):
    (finding,) = doctor(ROBOT.with_gravity(direction), LOG).sure
    assert finding.name == "gravity"
    assert finding.correction.gravity == pytest.approx(ROBOT.gravity, abs=0.3)


def test_gravity_is_sure_although_wrists_carry_too_little_to_tell():
    robot = load_robot(UR10)
    log = synthetic_log(robot)
    bare = replace(log, effort=inverse_dynamics(robot, robot.parameters, log.q, log.dq, log.ddq))  # without the friction of the wrists
    (finding,) = doctor(robot.with_gravity([-9.81, 0.0, 0.0]), bare).sure
    assert finding.name == "gravity"
    assert finding.correction.gravity == pytest.approx(robot.gravity, abs=0.3)
    assert "(0, 0, -9.81)" in finding.sentence


def test_gravity_that_was_compensated():
    bare = replace(LOG, effort=LOG.effort - gravity(ROBOT, ROBOT.parameters, LOG.q))
    (finding,) = doctor(ROBOT, bare).sure
    assert finding.name == "gravity compensated"
    assert not finding.correction.gravity.any()


def test_gains_of_currents():
    gains = np.array([14.0, 9.0, 21.0])
    (finding,) = doctor(ROBOT, scaled(effort=1.0 / gains)).sure
    assert finding.name == "effort gains"
    assert finding.correction.options.effort_gains == pytest.approx(gains, rel=0.05)


def test_one_gain_of_all_currents_although_a_wrist_can_not_tell_its_own():
    panda, log = load_robot("panda"), synthetic_log("panda", noise=0.1)
    (finding,) = doctor(panda, replace(log, effort=log.effort / 10.0)).sure
    assert finding.name == "effort gains"
    assert finding.correction.options.effort_gains == pytest.approx(np.full(7, 10.0), rel=0.1)


@pytest.mark.parametrize("seconds", [0.03, -0.02])
def test_a_delay_is_measured(seconds):
    (finding,) = doctor(ROBOT, shift_effort(LOG, -seconds)).sure
    assert finding.name == "delay"
    assert finding.correction.options.delay == pytest.approx([seconds], abs=2e-3)


def test_a_delay_is_measured_beside_what_else_is_wrong():
    late = shift_effort(scaled(effort=[1, -1, 1]), -0.02)
    sign, delay = doctor(ROBOT, late).sure
    assert (sign.name, delay.name) == ("effort sign", "delay")
    assert delay.correction.options.delay == pytest.approx([0.02], abs=2e-3)


def test_a_delay_says_how_well_it_is_known_and_what_it_costs_to_ignore_it():
    (finding,) = (finding for finding in doctor(ROBOT, shift_effort(LOG, -0.01)).findings if finding.name == "delay")
    told = {item.what: item.value for item in finding.evidence}
    assert told["delay"] == pytest.approx(10.0, abs=3.0 * told["standard deviation"])
    assert told["unexplained with the correction"] < told["unexplained"]


def test_a_slow_log_is_no_better_evidence_than_a_short_one_of_as_many_periods():
    slow, slower = (take_excerpt(scaled(time=times)) for times in (10.0, 20.0))
    assert slow.independent == pytest.approx(slower.independent, rel=0.01)
    assert slow.independent < 4.0 * slow.time[-1]


def test_a_lost_zero_of_a_panda():
    panda, log = load_robot("panda"), synthetic_log("panda", noise=0.1)
    (finding,) = doctor(panda, replace(log, q=log.q + 0.15 * np.eye(7)[1])).sure
    assert finding.name == "joint zero"
    assert finding.joints == ("panda_joint2",)
    assert np.ravel(finding.correction.options.offsets)[1] == pytest.approx(-0.15, abs=0.01)
    assert list(finding.correction.arguments) == ["offsets"]  # an option says it, no YAML is needed


@pytest.mark.parametrize(
    ("spoil", "robot", "names"),
    [
        (lambda log: replace(log, effort=log.effort * [1, -1, 1], time=10.0 * log.time), ROBOT, {"effort sign", "time base"}),
        (lambda log: replace(log, effort=log.effort * [-1, 1, 1]), ROBOT.with_gravity([0.0, 9.81, 0.0]), {"effort sign", "gravity"}),
        (
            lambda log: replace(log.select([1, 0, 2]), joint_names=log.joint_names, effort=1000.0 * log.effort[:, [1, 0, 2]]),
            ROBOT,
            {"joint order", "effort unit"},
        ),
    ],
)
def test_pairs_are_told_apart(spoil: Callable[[Dataset], Dataset], robot, names):
    found = doctor(robot, spoil(LOG))
    assert {finding.name for finding in found.sure} == names
    assert_restored(found)


def assert_restored(found: Diagnosis) -> None:
    robot, data = found.corrected()
    assert robot.gravity == pytest.approx(ROBOT.gravity, abs=1e-2)
    assert data.rate == pytest.approx(LOG.rate)
    for name in ("q", "effort"):
        np.testing.assert_allclose(getattr(data, name), getattr(LOG, name), atol=1e-9)


def test_columns_are_those_of_the_file_where_it_has_more_and_others_in_front():
    names = ("gripper", *ROBOT.joint_names)
    wide = Dataset(
        time=LOG.time,
        q=np.column_stack([np.zeros(LOG.samples), LOG.q]),
        effort=np.column_stack([np.zeros(LOG.samples), LOG.effort * [1, 1, -1]]),
        joint_names=names,
        effort_kind="torque",
    )
    found = doctor(ROBOT, wide)
    assert found.correction.recipe == {"effort_signs": [1, 1, -1]}
    assert found.in_file.recipe == {"effort_signs": [1, 1, 1, -1]}


def test_a_finding_of_every_joint_names_them_in_one_word():
    found = doctor(ROBOT, replace(LOG, ddq=np.random.default_rng(1).normal(size=LOG.q.shape)))
    (row,) = diagnosis_report(found).tables[0].lines
    assert row.texts[3] == "all"


def test_the_sure_ones_come_first(monkeypatch):
    low, sure = (Finding(name=level.name, sentence="so", confidence=level) for level in (Confidence.LOW, Confidence.HIGH))
    monkeypatch.setattr(sys.modules["dynident.diagnosis.diagnose"], "judge", lambda search, checks: [low, sure])
    assert doctor(ROBOT, LOG).findings[:2] == (sure, low)


def test_links_do_not_take_up_a_unit_of_the_efforts():
    findings = doctor(ROBOT, scaled(effort=1.0 / 0.0980665)).findings
    assert findings[0].name == "effort unit"
    assert findings[0].correction.recipe == {"units": {"effort": "kgfcm"}}
    assert findings[0].confidence is not Confidence.LOW


def test_a_payload_is_one_of_the_explanations():
    ball = np.zeros((3, 10))
    ball[2] = 3.0 * np.array([1.0, *ROBOT.tool[:3, 3], *(1e-2 * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0]))])
    finding = doctor(ROBOT, replace(LOG, effort=LOG.effort + inverse_dynamics(ROBOT, ball, LOG.q, LOG.dq, LOG.ddq))).findings[0]
    assert finding.name == "payload"
    assert finding.correction is None
    assert finding.evidence[0].value == pytest.approx(3.0, rel=0.3)
