"""A note where another law of friction would halve the error, and none where it would not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.dynamics.friction import linear
from dynident.regression.friction.richer import best_law
from tests.facts import about
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")


def sticky_log(strength: float, noise: float = 0.05):
    log = synthetic_log(samples=3000, noise=noise)
    return replace(log, effort=log.effort + strength * np.exp(-((log.dq / 0.05) ** 2)) * np.sign(log.dq) * [0.0, 1.0])


def test_a_law_that_halves_the_error_is_named_and_a_choice_does_it():
    log = sticky_log(4.0)
    plain = identify(ROBOT, log, friction=linear(), cutoff=None)
    assert about(plain.notes, "another", "friction", "joint2", "stribeck", "auto")
    chosen = identify(ROBOT, log, friction="auto", cutoff=None)
    assert chosen.residuals.relative_percent < 0.5 * plain.residuals.relative_percent
    assert not about(chosen.notes, "another", "law")


@pytest.mark.parametrize("strength", [0.0, 0.1])
def test_a_law_that_gains_little_is_not(strength):
    assert not about(identify(ROBOT, sticky_log(strength), friction=linear(), cutoff=None).notes, "another", "law")


def test_of_noise_no_law_explains_anything():
    """Linear friction leaves √(1 - 3/N), and no other law less, to within the chance of 40 laws."""
    log = synthetic_log(samples=2000, noise=1.0)
    problem = identify(ROBOT, log, friction=linear(), cutoff=None).require_problem()
    noise = np.random.default_rng(3).normal(size=len(log.time))
    assert best_law(noise, problem.rows, 0).rms == pytest.approx(np.std(noise), rel=5e-3)


def test_a_law_of_its_own_is_found_whole():
    log = synthetic_log(samples=2000)
    problem = identify(ROBOT, log, friction=linear(), cutoff=None).require_problem()
    found = best_law(0.3 * log.q[:, 1] + 0.2 * np.sign(log.dq[:, 1]), problem.rows, 1)
    assert found.name == "viscous+coulomb+offset+spring"
    assert found.rms < 1e-6


def test_a_log_whose_rows_are_too_many_is_identified_without_the_note():
    log = synthetic_log(samples=30_000, noise=0.3)
    sticky = replace(log, effort=log.effort + 4.0 * np.exp(-((log.dq / 0.05) ** 2)) * np.sign(log.dq) * [0.0, 1.0])
    assert not about(identify(ROBOT, sticky, friction=linear(), cutoff=None).notes, "another", "law")
