"""Friction fitted again to a new log: what changed is found, what did not is not, and the links stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.dynamics.friction import linear
from dynident.errors import InputError
from dynident.regression import Estimate, refit_friction
from dynident.reports.regression import change_table
from tests.facts import about, carries, raises
from tests.logs import synthetic_samples
from tests.unit.regression.friction.friction_logs import friction_log

OLD = np.array([[0.4, 0.7, 0.1], [0.2, 0.5, -0.2], [0.1, 0.3, 0.05]])
WORN = OLD * np.array([[1.0], [1.5], [1.0]])


@pytest.fixture(scope="module")
def before() -> Estimate:
    return identify(load_robot("spatial_3r"), friction_log(linear(), OLD, noise=0.1))


def test_the_joint_whose_friction_changed_is_named(before: Estimate):
    found = refit_friction(before, friction_log(linear(), WORN, noise=0.1, seed=5))
    assert found.changed == ("joint2",)
    change = found.changes[1]
    assert change.percent == pytest.approx(50.0, abs=5.0)
    assert change.error_after < change.error_before
    np.testing.assert_allclose(found.estimate.friction_parameters, WORN, atol=0.02)
    assert carries(found.sentence, "joint2", "changed", "noise")


@pytest.mark.parametrize("seed", [3, 4, 5, 6])
def test_no_change_is_found_where_there_is_none(before: Estimate, seed: int):
    found = refit_friction(before, friction_log(linear(), OLD, noise=0.1, seed=seed))
    assert found.changed == ()
    assert carries(found.sentence, "no", "joint", "changed", "noise")


def test_the_links_stay(before: Estimate):
    found = refit_friction(before, friction_log(linear(), WORN, noise=0.1, seed=5))
    np.testing.assert_allclose(found.estimate.link_part, before.link_part)
    q = np.array([[0.1, 0.5, -0.3]])
    np.testing.assert_allclose(found.estimate.gravity(q), before.gravity(q))


def test_friction_comes_to_links_from_a_controller():
    robot = load_robot("spatial_3r")
    found = refit_friction(identify(robot, synthetic_samples()), friction_log(linear(), OLD))
    np.testing.assert_allclose(found.estimate.friction_parameters, OLD, atol=1e-4)
    assert found.changed == ()
    assert found.uncompared


def test_another_model_can_be_asked_for_or_chosen(before: Estimate):
    log = friction_log(linear(), WORN, noise=0.1, seed=5)
    chosen = refit_friction(before, log, model="auto")
    assert chosen.estimate.choice is not None
    assert chosen.changed == ("joint2",)
    assert carries(str(chosen), "Friction", "tried")


def test_tables_have_values_with_deviations_and_differences_in_them(before: Estimate):
    text = str(refit_friction(before, friction_log(linear(), WORN, noise=0.1, seed=5)))
    assert carries(text, "changed", "noise")
    assert "difference [std]" in text
    assert text.count("fc") == 3


def test_a_model_with_columns_of_its_own_is_refused(before: Estimate):
    log = friction_log(linear(), OLD, noise=0.1)
    own = identify(load_robot("spatial_3r"), log, extra={"mine": np.cos(log.q)})
    with raises(InputError, "columns", "own"):
        refit_friction(own, replace(log, source="another"))


def test_a_log_with_a_payload_is_not_taken_for_one_of_friction_alone(before: Estimate):
    robot = load_robot("spatial_3r")
    links = robot.parameters * np.array([[1.0], [1.0], [3.0]])
    loaded = refit_friction(before, friction_log(linear(), OLD, robot.with_parameters(links), noise=0.1, seed=5))
    assert any(carries(note, "more", "friction", "changed") for note in loaded.estimate.notes)
    worn = refit_friction(before, friction_log(linear(), WORN, noise=0.1, seed=5))
    assert not about(worn.estimate.notes, "more", "friction")


def test_a_joint_that_stands_still_is_named(before: Estimate):
    log = friction_log(linear(), OLD, noise=0.1, seed=5)
    still = [np.where(np.arange(3) == 2, hold, values) for values, hold in ((log.q, 0.3), (log.dq, 0.0), (log.ddq, 0.0))]
    with raises(InputError, "joint3", "friction"):
        refit_friction(before, replace(log, q=still[0], dq=still[1], ddq=still[2]))


def test_the_log_of_the_links_shows_no_change_and_that_is_said(before: Estimate):
    again = refit_friction(before, friction_log(linear(), OLD, noise=0.1))
    assert again.changed == ()
    assert carries(again.estimate.notes[0], "100 %", "samples", "identified")
    assert not any("-0.0" in text for line in change_table(again).lines for text in line.texts)
    new = refit_friction(before, friction_log(linear(), OLD, noise=0.1, seed=5))
    assert not about(new.estimate.notes, "samples", "identified")


def test_links_of_which_only_gravity_is_known_are_refused():
    robot = load_robot("spatial_3r")
    with raises(InputError, "inertia", "friction", "both"):
        refit_friction(identify(robot, synthetic_samples(), equations="gravity"), friction_log(linear(), OLD))
