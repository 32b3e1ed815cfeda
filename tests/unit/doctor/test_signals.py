"""Checks of signals and of what is left: what was put into a log is found where it was put, and as large as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.doctor import Confidence, Finding, diagnose
from dynident.doctor.correction import Correction
from tests.facts import carries
from tests.logs import synthetic_log

ROBOT = load_robot("spatial_3r")
LOG = synthetic_log("spatial_3r", noise=0.1)


def only(log, name: str) -> Finding:
    (finding,) = diagnose(ROBOT, log, checks=[name]).findings
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
    assert finding.correction.without[0][0] < 5.75 < finding.correction.without[0][1]


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
    assert only(late, "jitter").correction.recipe == {"rate": 100.0}


def test_samples_that_are_uneven_with_the_right_stamps_are_no_jitter():
    rng = np.random.default_rng(0)
    uneven = np.cumsum(0.01 * rng.uniform(0.6, 1.4, LOG.samples))
    q = np.column_stack([np.interp(uneven, LOG.time, column) for column in LOG.q.T])
    inside = uneven < LOG.time[-1]
    log = replace(LOG, dq=None, ddq=None).take(np.flatnonzero(inside), starts=(0,))
    assert diagnose(ROBOT, replace(log, time=uneven[inside], q=q[inside]), checks=["jitter"]).findings == ()


def test_pushes_are_found_where_they_were():
    push = 8.0 * np.exp(-(((LOG.time - 7.0) / 0.2) ** 2))
    finding = only(replace(LOG, effort=LOG.effort + push[:, None]), "contact")
    assert finding.confidence is Confidence.HIGH
    (interval,) = finding.correction.without
    assert interval[0] < 7.0 < interval[1]
    assert interval[1] - interval[0] < 2.0


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
    first = Correction(signs=np.array([1.0, -1.0, 1.0]), offsets=np.array([0.1, 0.2, 0.3]), order=(2, 0, 1), effort_order=(1, 0, 2))
    second = Correction(
        signs=np.array([-1.0, 1.0, 1.0]), effort_gains=np.array([2.0, 3.0, 4.0]), offsets=np.array([1.0, 0.0, 0.0]), order=(1, 0, 2)
    )
    _, twice = second.apply(*first.apply(ROBOT, LOG))
    _, once = first.then(second).apply(ROBOT, LOG)
    for name in ("time", "q", "dq", "effort"):
        np.testing.assert_allclose(getattr(once, name), getattr(twice, name), atol=1e-12)
