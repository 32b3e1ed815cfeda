"""Samples that a recorder lost or spoilt without a word: the estimate stays, or a note names them; and the doctor does.

The full study is `python -m benchmarks.run silent`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.silent import KINDS, SHARES, Case, cases, compare, measure, spoil
from dynident import Estimate, identify, regression
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.diagnosis import doctor
from dynident.regression import Huber, Squared
from dynident.regression.problem import problem_on_base
from tests.browser.arm import arm, log

#: Which signals a fault of each kind is named in.
SIGNALS = {kind: ("effort",) if "effort" in kind else ("q",) for kind in KINDS}


@cache
def case() -> Case:
    return Case(robot=arm(), log=log(arm(), seconds=16.0))


@cache
def intact() -> Estimate:
    return identify(case().robot, case().log)


def test_the_intact_log_has_no_faults():
    assert intact().summary.processing.faulty == ()
    assert intact().summary.loss == "squared"


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_estimate_stays_or_the_fault_is_named(kind, share):
    spoilt = identify(case().robot, spoil(case(), kind, share, np.random.default_rng(1)))
    outcome = compare(intact(), spoilt)
    assert outcome.good
    # held positions are masked for all joints, and at 10 % of each of six joints little is left
    assert outcome.apart < (2.5 if share < 0.1 else 5.0)
    if share >= 0.01:
        named = {count.signal for count in spoilt.summary.processing.faulty if count.left_out}
        assert named & set(SIGNALS[kind])
        told = [note for note in spoilt.notes if note.startswith("of 3200 samples of the ")]
        assert told


def test_left_as_they_are_they_would_be_believed(monkeypatch):
    """What the search for faults is for: one torque in ten that is 0 moves coefficients by many standard deviations."""
    monkeypatch.setattr("dynident.regression.problem.leave_out_faults", lambda data, *_, **__: (data, ()))
    spoilt = identify(case().robot, spoil(case(), "single efforts 0", 0.1, np.random.default_rng(1)), loss=Squared())
    outcome = compare(intact(), spoilt)
    assert not outcome.good
    assert outcome.grown > 5.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_doctor_names_them(kind):
    found = doctor(case().robot, spoil(case(), kind, 0.01, np.random.default_rng(1)))
    named = [finding for finding in found.findings if finding.name == "faulty samples"]
    assert len(named) == 1
    assert not found.sure, "nothing else is wrong with this log"
    assert named[0].evidence


def test_the_doctor_is_silent_about_the_intact_log():
    assert "faulty samples" not in [finding.name for finding in doctor(case().robot, case().log).findings]


def test_a_robust_loss_is_used_where_residuals_are_far_beyond_noise_and_said():
    """A bump of a tenth of a second is as smooth as a motion, so that no search for faulty samples finds it."""
    effort = np.array(case().log.effort)
    effort[:, 1] += 20.0 * np.exp(-(((case().log.time - 7.0) / 0.05) ** 2))
    data = replace(case().log, effort=effort)
    assert leave_out_faults(data)[0] is data
    robust, plain = identify(case().robot, data), identify(case().robot, data, loss=Squared())
    assert (robust.summary.loss, plain.summary.loss) == ("huber", "squared")
    assert sum("Huber's loss" in note for note in robust.notes) == 1
    apart = [np.linalg.norm((estimate.values - intact().values) / intact().std) for estimate in (robust, plain)]
    assert apart[0] < 0.3 * apart[1]
    assert compare(intact(), robust).apart < 2.0


def test_without_gross_errors_the_default_is_least_squares_to_the_last_bit():
    problem = problem_on_base(intact().base, case().log, cutoff=5.0)
    by_default, squared = regression.estimate(problem), regression.estimate(problem, loss=Squared())
    np.testing.assert_array_equal(by_default.values, squared.values)
    np.testing.assert_array_equal(by_default.covariance, squared.covariance)
    assert not np.array_equal(regression.estimate(problem, loss=Huber()).values, squared.values)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", cases())
def test_the_study(name, kind):
    assert all(outcome.good for share in SHARES for outcome in measure(name, kind, share))
