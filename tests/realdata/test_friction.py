"""Friction of recorded logs: what is chosen predicts better, and never worse than linear friction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident import Robot, identify, load_dataset, load_robot
from dynident.data import Dataset
from dynident.regression import Estimate, refit_friction
from dynident.validation import cross_validate, validate
from tests.facts import carries


@pytest.fixture(scope="module")
def log(shared_data: Path) -> Dataset:
    return load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz")


@pytest.fixture(scope="module")
def panda(log: Dataset) -> tuple[Estimate, Estimate]:
    robot = load_robot("panda")
    return identify(robot, log), identify(robot, log, friction="auto")


@pytest.fixture(scope="module")
def kuka(shared_data: Path) -> tuple[Robot, Dataset, Dataset]:
    folder = shared_data / "kuka_lwr4"
    first, second = (load_dataset(folder / f"measurements_{number}.npz") for number in (1, 2))
    return load_robot(folder / "kuka_lwr4.urdf"), first, second


def test_the_chosen_model_of_the_panda_predicts_better(panda):
    linear, chosen = (cross_validate(estimate) for estimate in panda)
    before, after = (np.sqrt(np.mean(found.rms_per_joint**2, axis=0)) for found in (linear, chosen))
    assert int(np.sum(after < before)) >= 5
    assert chosen.mean_percent < 0.9 * linear.mean_percent


def test_held_out_too_when_it_was_chosen_without_that_part(log):
    robot = load_robot("panda")
    train, test = log.part(0.0, 0.7), log.part(0.7, 1.0)
    before, after = (validate(identify(robot, train, friction=friction), test).coefficients for friction in ("default", "auto"))
    assert int(np.sum(after.rms < before.rms)) >= 5
    assert after.overall_percent < before.overall_percent


def test_cables_that_pull_back_are_what_is_found(panda):
    choice = panda[1].choice
    names = {trial.joint: trial.model.name for trial in choice.chosen}
    assert [joint for joint, name in names.items() if "spring" in name] == ["panda_joint3", "panda_joint4", "panda_joint6"]
    rejected = [trial for trial in choice.trials if carries(trial.impossible, "inertia", "accelerate")]
    assert rejected
    assert not any(trial.chosen for trial in rejected)


def test_the_kuka_is_predicted_no_worse_than_with_linear_friction(kuka):
    robot, first, second = kuka
    linear, chosen = (identify(robot, first, friction=friction) for friction in ("default", "auto"))
    assert validate(chosen, second).coefficients.overall_percent <= validate(linear, second).coefficients.overall_percent
    assert cross_validate(chosen).mean_percent <= cross_validate(linear).mean_percent


def test_the_repeated_motion_of_the_kuka_has_the_friction_of_the_first(kuka):
    robot, first, second = kuka
    found = refit_friction(identify(robot, first), second)
    assert found.changed == ()
    assert all(change.error_after <= change.error_before for change in found.changes)
