"""Thresholds: Rice's formula on a process whose maxima are known, quiet parts of a log with contacts, what parameters add."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

from dynident import regression
from dynident.dynamics.friction import linear
from dynident.errors import InputError, ValueRangeError
from dynident.regression import build_problem
from dynident.validation.monitoring import contact_monitor, find_contacts
from dynident.validation.monitoring.calibrate import _rare_level
from tests.browser.arm import arm, log
from tests.facts import about, raises

RECORDED = replace(log(arm(), seconds=48.0), ddq=None)


def maxima(rng: np.random.Generator, stretches: int) -> np.ndarray:
    """(stretches, 1) of |x|, a Gaussian process of standard deviation 1 behind two filters of 25 1/s, at 250 Hz, for a second each."""
    a = np.exp(-0.1)
    x = lfilter([1.0], [1.0, -2.0 * a, a * a], rng.normal(size=250 * (stretches + 1)))[250:]
    return np.abs(x / x.std()).reshape(stretches, 250).max(axis=1)[:, None]


def test_the_level_is_exceeded_as_rarely_as_it_says():
    rng = np.random.default_rng(0)
    seen, others = maxima(rng, 400), maxima(rng, 10_000)
    for robust in (False, True):
        level = _rare_level(seen, 500.0, robust=robust)
        assert 5 <= (others > level).sum() <= 30  # 20 are asked for, and with its standard error the level is a little higher


def test_few_stretches_tell_it_nearly_as_well():
    rng = np.random.default_rng(1)
    levels = np.array([_rare_level(part, 5e5, robust=False)[0] for part in np.split(maxima(rng, 1600), 40)])
    # Rice: upcrossings of both signs, 25 / (2 π) per second each, so exp(-u² / 2) · 25 / π = 1 / 5e5
    expected = np.sqrt(2.0 * np.log(25.0 / np.pi * 5e5))
    assert expected < levels.mean() < 1.1 * expected
    assert levels.std() < 0.12 * expected


@pytest.fixture(scope="module")
def estimate():
    return regression.estimate(build_problem(arm(), RECORDED.part(0, 0.34), friction=linear(), cutoff=8.0, rate=32.0))


@pytest.fixture(scope="module")
def free():
    return RECORDED.part(0.34, 0.67)


def test_free_motion_has_no_contacts_and_a_torque_from_outside_has(estimate, free):
    monitor = contact_monitor(estimate, free)
    assert monitor.calibration.seconds == pytest.approx(15.5, abs=1.0)
    assert np.all((monitor.usual_threshold > 2.0 * monitor.calibration.rms) & np.isfinite(monitor.usual_threshold))
    other = RECORDED.part(0.67, 1)
    assert find_contacts(monitor, other).events == ()
    effort = other.effort.copy()
    effort[800:900, 2] -= 3.0 * (monitor.usual_threshold[2] + monitor.rest_allowance[2])
    (event,) = find_contacts(monitor, replace(other, effort=effort)).events
    assert event.joint == event.link.replace("link", "joint") == arm().joint_names[2]


def test_rarer_false_alarms_and_a_faster_observer_have_higher_levels(estimate, free):
    usual = contact_monitor(estimate, free)
    assert np.all(contact_monitor(estimate, free, false_alarms=0.001).usual_threshold > usual.usual_threshold)
    assert contact_monitor(estimate, free, gain=100.0).usual_threshold.sum() > 1.2 * usual.usual_threshold.sum()


def test_a_log_with_contacts_in_it_gives_thresholds_by_its_quiet_parts(estimate, free):
    effort = free.effort.copy()
    effort[400:500] += 30.0
    effort[1000:1060] -= 30.0
    touched = replace(free, effort=effort)
    clean = contact_monitor(estimate, free, contacts_possible=True)
    robust = contact_monitor(estimate, touched, contacts_possible=True)
    naive = contact_monitor(estimate, touched)
    assert np.all(robust.usual_threshold < 2.0 * clean.usual_threshold)
    assert np.all(naive.usual_threshold > 3.0 * clean.usual_threshold)
    assert len(find_contacts(robust, touched).events) == 2
    assert about(robust.notes, "themselves")


def test_what_the_parameters_leave_open_elsewhere_raises_the_level(estimate, free):
    known = contact_monitor(estimate, free)
    vague = contact_monitor(replace(estimate, covariance=1e6 * estimate.covariance), free)
    assert np.all(vague.usual_threshold >= known.usual_threshold)
    np.testing.assert_allclose(vague.calibration.spread, 1e3 * known.calibration.spread, rtol=0.02, atol=1e-9)
    assert np.any(vague.usual_threshold > 2.0 * known.usual_threshold)


def test_what_tells_too_little_is_refused(estimate, free):
    with raises(InputError, "short", "thresholds"):
        contact_monitor(estimate, free.part(0, 0.2))
    with raises(ValueRangeError, name="false_alarms"):
        contact_monitor(estimate, free, false_alarms=0.0)
