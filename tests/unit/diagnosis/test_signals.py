"""Checks of signals and of what is left: what was put into a log is found where it was put, and as large as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset, Reading
from dynident.diagnosis import Confidence, Finding, doctor
from dynident.diagnosis.correction import Correction
from tests.facts import carries
from tests.logs import synthetic_log

ROBOT = load_robot("spatial_3r")
LOG = synthetic_log("spatial_3r", noise=0.1)


def only(log, name: str) -> Finding:
    (finding,) = doctor(ROBOT, log, checks=[name]).findings
    return finding


def values(finding: Finding, what: str) -> list[float]:
    return [item.value for item in finding.evidence if item.what.startswith(what)]


def test_a_clipped_effort_and_where_it_is():
    limit = 0.6 * np.abs(LOG.effort[:, 1]).max()
    effort = LOG.effort.copy()
    effort[:, 1] = np.clip(effort[:, 1], -limit, limit)
    finding = only(replace(LOG, effort=effort), "saturation")
    assert finding.joints == (ROBOT.joint_names[1],)
    assert values(finding, "limit") == pytest.approx([limit])
    mask = finding.correction.apply(ROBOT, replace(LOG, effort=effort))[1].mask
    assert not mask[np.abs(effort[:, 1]) == limit].any()


def test_an_effort_that_clips_below_its_mean_alone():
    effort = LOG.effort + np.array([0.0, 2.0 * np.abs(LOG.effort[:, 1]).max(), 0.0])
    lowest = effort[:, 1].mean() - 0.25 * np.ptp(effort[:, 1])
    clipped = effort.copy()
    clipped[:, 1] = np.maximum(effort[:, 1], lowest)
    finding = only(replace(LOG, effort=clipped), "saturation")
    mask = finding.correction.apply(ROBOT, replace(LOG, effort=clipped))[1].mask
    assert values(finding, "limit") == pytest.approx([lowest])
    assert not mask[clipped[:, 1] == lowest].any()
    assert np.mean(clipped[~mask[:, 1], 1] == lowest) > 0.7


def test_stamps_that_were_rounded_are_said():
    rows = np.arange(LOG.samples)
    rounded = replace(LOG, time=np.round(rows / 500.0, 2))
    assert only(rounded, "jitter").confidence is Confidence.MEDIUM
    assert rounded.rate == pytest.approx(500.0)


def test_a_joint_that_leaps_alone_is_named_and_its_longest_part_used():
    q = LOG.q.copy()
    q[LOG.time > 9.995, 1] += 0.3
    slipped = replace(LOG, q=q)
    finding = only(slipped, "leaps")
    assert finding.joints == (ROBOT.joint_names[1],)
    assert values(finding, "leap at") == pytest.approx([9.995], abs=0.02)
    mask = finding.correction.apply(ROBOT, slipped)[1].mask
    assert not mask[LOG.time > 10.0].any()
    assert mask[LOG.time < 9.8].all()


def test_steps_of_positions():
    finding = only(replace(LOG, q=0.01 * np.round(LOG.q / 0.01)), "quantisation")
    assert values(finding, "step of joint2") == pytest.approx([0.01])


def test_positions_of_motors_are_those_of_the_joints_times_the_gears():
    motors = replace(LOG, q=100.0 * LOG.q, dq=100.0 * LOG.dq, ddq=100.0 * LOG.ddq, effort=LOG.effort / 100.0)
    finding = only(motors, "motor side")
    assert values(finding, "span of") == pytest.approx(100.0 * np.ptp(LOG.q, axis=0))
    assert carries(finding.advice, "positions", "divided", "torques", "multiplied")


def test_gaps_and_leaps():
    kept = np.flatnonzero(np.abs(LOG.time - 6.0) > 0.25)
    gap = LOG.take(kept, starts=(0,))
    assert values(only(gap, "gaps"), "gap at") == pytest.approx([6.0], abs=0.02)
    counted = replace(gap, time=np.arange(gap.samples) / 100.0)
    finding = only(counted, "leaps")
    assert values(finding, "leap at") == pytest.approx([5.75], abs=0.02)
    assert finding.correction.options.without[0][0] < 5.75 < finding.correction.options.without[0][1]


def test_a_leap_of_a_clock_that_is_far_too_slow_leaves_out_the_samples_beside_it():
    gap = LOG.take(np.flatnonzero(np.abs(LOG.time - 6.0) > 0.25), starts=(0,))
    slow = replace(gap, time=10.0 * np.arange(gap.samples))
    corrected = only(slow, "leaps").correction.apply(ROBOT, slow)[1]
    assert 2 <= np.count_nonzero(~corrected.mask[:, 0]) <= 4


def test_rows_that_repeat_and_rows_between():
    held = np.arange(LOG.samples) // 4 * 4
    repeated = replace(LOG, q=LOG.q[held], dq=LOG.dq[held], ddq=LOG.ddq[held], effort=LOG.effort[held])
    assert values(only(repeated, "repeated samples"), "rows per sample") == pytest.approx([4.0], rel=0.02)
    effort = np.column_stack([np.interp(LOG.time, LOG.time[::4], column[::4]) for column in LOG.effort.T])
    assert values(only(replace(LOG, effort=effort), "interpolated samples"), "rows per sample") == pytest.approx([4.0], rel=0.1)


def test_stamps_that_waver_although_samples_don_t():
    late = replace(LOG, time=LOG.time + 0.008 * np.random.default_rng(0).random(LOG.samples))
    assert only(late, "jitter").correction.recipe == {"sampling_rate": 100.0}


def test_samples_that_are_uneven_with_the_right_stamps_are_no_jitter():
    rng = np.random.default_rng(0)
    uneven = np.cumsum(0.01 * rng.uniform(0.6, 1.4, LOG.samples))
    q = np.column_stack([np.interp(uneven, LOG.time, column) for column in LOG.q.T])
    inside = uneven < LOG.time[-1]
    log = replace(LOG, dq=None, ddq=None).take(np.flatnonzero(inside), starts=(0,))
    assert doctor(ROBOT, replace(log, time=uneven[inside], q=q[inside]), checks=["jitter"]).findings == ()


def test_a_robot_that_stands_still_for_a_third_of_the_log():
    """By the rule by which identification and signs tell rest; a joint that never moves, but for its noise, changes nothing."""
    path = np.concatenate([np.arange(500), np.full(500, 500), np.arange(500, 1000)])
    q = LOG.q[path] + 1e-6 * np.random.default_rng(0).normal(size=(1500, 3))
    q[:, 2] -= LOG.q[path, 2]
    finding = only(replace(LOG, time=np.arange(1500) / 100.0, q=q, dq=None, ddq=None), "standstill")
    assert values(finding, "share") == pytest.approx([1.0 / 3.0], abs=0.02)
    assert finding.correction.options.without == pytest.approx(np.array([(5.0, 10.0)]), abs=0.1)


def test_pushes_are_found_where_they_were():
    push = 8.0 * np.exp(-(((LOG.time - 7.0) / 0.2) ** 2))
    finding = only(replace(LOG, effort=LOG.effort + push[:, None]), "contact")
    assert finding.confidence is Confidence.HIGH
    (interval,) = finding.correction.options.without
    assert interval[0] < 7.0 < interval[1]
    assert interval[1] - interval[0] < 2.0


def test_a_push_in_the_second_of_two_logs_leaves_the_first_as_it_is():
    other = synthetic_log("spatial_3r", noise=0.1, seed=2)
    push = 8.0 * np.exp(-(((other.time - 7.0) / 0.2) ** 2))
    pushed = Dataset(time=other.time, q=other.q, dq=other.dq, ddq=other.ddq, effort=other.effort + push[:, None], effort_kind="torque")
    both = Dataset.concatenate([LOG, pushed])
    correction = only(both, "contact").correction
    ((start, stop),) = correction.options.without["#2"]
    assert start < 7.0 < stop
    assert list(correction.recipe["without"]) == ["#2"]
    mask = correction.apply(ROBOT, both)[1].mask
    assert mask is not None
    left_out = np.array([not row.any() for row in mask])
    assert not left_out[: LOG.samples].any()
    np.testing.assert_array_equal(left_out[LOG.samples :], (other.time >= start) & (other.time <= stop))


def test_friction_that_falls():
    passed = LOG.time / LOG.time[-1]
    friction = 0.4 * LOG.dq + 0.7 * np.sign(LOG.dq)
    finding = only(replace(LOG, effort=LOG.effort + (1.0 - passed)[:, None] * friction), "changing friction")
    assert values(finding, "change of the friction") == pytest.approx([-67.0], abs=15.0)


def test_a_motion_of_one_joint_tells_too_little():
    still = np.array([1.0, 0.0, 0.0])
    log = replace(LOG, q=LOG.q * still, dq=LOG.dq * still, ddq=LOG.ddq * still)
    assert set(only(log, "excitation").joints) == set(ROBOT.joint_names[1:])


def test_corrections_one_after_the_other_are_one():
    numbers = [f"joint{j}" for j in (3, 1, 2)]
    first = Reading(signs=[1.0, -1.0, 1.0], effort_signs=[1.0], offsets=[0.1, 0.2, 0.3], joints=numbers, effort_joints=numbers[::-1])
    second = Reading(signs=[-1.0, 1.0, 1.0], effort_gains=[2.0, 3.0, 4.0], offsets=[1.0, 0.0, 0.0], joints=numbers)
    first, second = Correction.of(3, first), Correction.of(3, second)
    _, twice = second.apply(*first.apply(ROBOT, LOG))
    _, once = first.then(second).apply(ROBOT, LOG)
    for name in ("time", "q", "dq", "effort"):
        np.testing.assert_allclose(getattr(once, name), getattr(twice, name), atol=1e-12)
