"""Choosing a friction model per joint: the simplest that predicts as well as the best, and none that can't be."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.data import Dataset
from dynident.dynamics.friction import Armature, FrictionModel, Offset, PerJoint, SmoothCoulomb, Viscous, combine, linear
from dynident.errors import InputError
from dynident.regression import base_parameters, build_problem, choose_friction
from dynident.regression.friction.choice import FrictionChoice, Trial
from dynident.regression.friction.choose import one_standard_error
from tests.facts import carries, raises
from tests.logs import synthetic_samples
from tests.unit.regression.friction.friction_logs import friction_log

LINEAR = np.array([[0.4, 0.7, 0.1], [0.2, 0.5, -0.2], [0.1, 0.3, 0.05]])
SMOOTH = combine(Viscous(), SmoothCoulomb(0.3), Offset())


def trial(model: FrictionModel, *errors: float, squares: float | None = None, impossible: str = "") -> Trial:
    """squares : of the whole log, 100 less per number that the model has unless it is said."""
    found = Trial(joint="a", unit="N·m", model=model, parameters={}, errors=np.array(errors), independent=100.0, impossible=impossible)
    return replace(found, squares=1000.0 - 100.0 * found.size if squares is None else squares)


def names(choice: FrictionChoice) -> list[str]:
    return [item.model.name for item in choice.chosen]


def test_a_model_that_is_better_on_every_block_is_taken():
    simple, better = trial(linear(), 1.0, 2.0, 3.0, 4.0), trial(SMOOTH, 0.8, 1.7, 2.7, 3.8)
    assert one_standard_error([simple, better]) is better


def test_a_gain_within_its_standard_error_is_none():
    simple, better = trial(linear(), 1.0, 2.0, 3.0, 4.0), trial(SMOOTH, 0.1, 2.3, 2.8, 4.1)
    assert better.rms < simple.rms
    assert one_standard_error([simple, better]) is simple


def test_blocks_that_are_hard_for_both_do_not_hide_a_gain():
    """The errors of the blocks differ a thousandfold, the gain is a hundredth of each mean: unpaired it would drown."""
    hard = np.array([1.0, 10.0, 100.0, 1000.0])
    simple, better = trial(linear(), *hard), trial(SMOOTH, *(hard - 5.0 * np.array([0.1, 1.0, 1.0, 1.1])))
    assert one_standard_error([simple, better]) is better


def test_what_explains_no_more_of_the_whole_log_than_noise_would_is_not_taken():
    simple, lucky = trial(linear(), 1.0, 2.0, 3.0, 4.0), trial(SMOOTH, 0.8, 1.7, 2.7, 3.8, squares=698.0)
    assert lucky.chance(simple) == pytest.approx(0.16, abs=0.01)  # of F(1, 96) beyond 2
    assert one_standard_error([simple, lucky]) is simple


def test_what_can_not_be_is_not_taken_however_well_it_predicts():
    simple, wrong = trial(linear(), 1.0, 2.0), trial(SMOOTH, 0.1, 0.2, impossible="gives energy back")
    assert one_standard_error([simple, wrong]) is simple


def test_of_equals_the_simplest_is_taken():
    bigger = combine(Viscous(), SmoothCoulomb(0.3), Offset(), Armature())
    best, simpler, worse = trial(bigger, 0.50, 0.61), trial(SMOOTH, 0.52, 0.60), trial(linear(), 1.0, 1.1)
    assert one_standard_error([worse, best, simpler]) is simpler


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_linear_friction_stays_linear(seed: int):
    problem = build_problem(load_robot("spatial_3r"), friction_log(linear(), LINEAR, noise=0.1, seed=seed))
    assert names(choose_friction(problem)) == ["viscous+coulomb+offset"] * 3


def test_a_joint_whose_friction_is_smooth_is_found():
    truth = PerJoint((linear(), SMOOTH, linear()))
    parameters = np.zeros((3, len(truth.parameters)))
    for j in range(3):
        for name, value in zip(truth.of_joint(j).parameter_names, LINEAR[j], strict=True):
            parameters[j, truth.parameter_names.index(name)] = value
    problem = build_problem(load_robot("spatial_3r"), friction_log(truth, parameters, noise=0.02))
    choice = choose_friction(problem)
    assert [SmoothCoulomb.name in name for name in names(choice)] == [False, True, False]
    assert choice.after[1] < 0.8 * choice.before[1]


def test_rotors_are_found_where_links_do_not_explain_them():
    robot, truth = load_robot("spatial_3r"), combine(linear(), Armature())
    log = friction_log(truth, np.column_stack([LINEAR, [0.5, 0.5, 0.5]]), noise=0.02)
    choice = choose_friction(build_problem(robot, log, friction=linear()))
    tried = {item.joint for item in choice.trials if "armature" in item.model.name}
    separate = base_parameters(robot, friction=truth).names
    assert tried == {f"joint{j}" for j in (1, 2, 3) if f"Ia{j}" in separate}
    assert all("armature" in item.model.name for item in choice.chosen if item.joint in tried)


def test_rotors_that_a_problem_has_already_stay_in_all_joints():
    robot, truth = load_robot("spatial_3r"), combine(linear(), Armature())
    log = friction_log(truth, np.column_stack([LINEAR, [0.5, 0.5, 0.5]]), noise=0.02)
    choice = choose_friction(build_problem(robot, log, friction=truth))
    assert names(choice) == ["viscous+coulomb+offset+armature"] * 3
    assert not any(item.model.parameter_names.count("Ia") > 1 for item in choice.trials)


def test_a_choice_prints_why_and_survives_a_file(tmp_path):
    from dynident.runs import read_estimate, write_result

    estimate = identify(load_robot("spatial_3r"), friction_log(linear(), LINEAR, noise=0.1), friction="auto")
    assert estimate.choice is not None
    document = write_result(tmp_path, estimate)
    again = read_estimate(tmp_path).choice
    assert again is not None
    assert again.records() == estimate.choice.records() == json.loads(json.dumps(document["friction_choice"]["trials"]))
    text = str(estimate)
    assert carries(text, "Friction", "tried")
    assert carries(text, "predicts", "noise")
    assert text.count("chosen") >= 3


def test_a_block_that_a_mask_empties_counts_for_no_model():
    """A joint of which one recording has no rows is chosen by the others."""
    logs = [friction_log(linear(), LINEAR, noise=0.1, seed=seed) for seed in range(8)]
    mask = np.ones(logs[0].q.shape, dtype=bool)
    mask[:, 1] = False
    robot = load_robot("spatial_3r")
    problem = build_problem(robot, Dataset.concatenate([replace(logs[0], mask=mask), *logs[1:]]), friction=linear())
    choice = choose_friction(problem)
    assert np.all(np.isfinite(choice.before))
    assert np.all(np.isfinite(choice.after))
    assert choice.before[1] == pytest.approx(np.sqrt(np.mean(choice.of_joint("joint2")[0].errors)), rel=0.1)


def test_a_choice_needs_a_log_and_no_prior():
    with raises(InputError, "log", "controller"):
        identify(load_robot("spatial_3r"), synthetic_samples(), friction="auto")
