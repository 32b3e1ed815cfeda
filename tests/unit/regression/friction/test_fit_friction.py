"""Shapes of friction: recovered exactly from exact data, with deviations that hold on noisy ones, and doubts that are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, regression
from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.dynamics.friction import Offset, PerJoint, SmoothCoulomb, Viscous, combine
from dynident.regression import Estimate, build_problem, fit_friction
from dynident.regression.friction.fitted import known_together
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone
from dynident.regression.friction.joint_rows import joint_rows
from dynident.regression.problem import rows_in_time
from dynident.regression.solution import Prior
from dynident.regression.uncertainty.losses import Huber, Squared
from tests.facts import about, carries
from tests.unit.regression.friction.friction_logs import friction_log

THRESHOLDS = (0.05, 0.3, 0.12)
PARAMETERS = np.array([[0.4, 0.7, 0.1], [0.2, 0.5, -0.2], [0.1, 0.3, 0.05]])
MODEL = combine(Viscous(), SmoothCoulomb(), Offset())
TRUTH = PerJoint(tuple(combine(Viscous(), SmoothCoulomb(threshold), Offset()) for threshold in THRESHOLDS))


def thresholds(estimate: Estimate) -> Array:
    return np.array([shape.value for shape in estimate.shapes])


def test_exact_data_give_the_shapes_back():
    problem = build_problem(load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS))
    estimate = fit_friction(problem, MODEL)
    np.testing.assert_allclose(thresholds(estimate), THRESHOLDS, rtol=1e-5)
    np.testing.assert_allclose(estimate.friction_parameters, PARAMETERS, rtol=1e-4)
    assert estimate.residuals.relative_percent < 1e-3
    assert isinstance(estimate.base.friction, PerJoint)
    assert [(shape.joint, shape.name, shape.unit) for shape in estimate.shapes] == [(f"joint{j}", "threshold", "rad/s") for j in (1, 2, 3)]


def test_the_answer_does_not_depend_on_where_the_search_begins():
    problem = build_problem(load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05))
    begins = [combine(Viscous(), SmoothCoulomb(start), Offset()) for start in (0.9, 2e-3)]
    first, second = (fit_friction(problem, model, seed=seed) for seed, model in enumerate(begins))
    np.testing.assert_allclose(thresholds(first), thresholds(second), rtol=1e-3)


def test_the_same_seed_gives_the_same_answer():
    problem = build_problem(load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05))
    np.testing.assert_array_equal(fit_friction(problem, MODEL).values, fit_friction(problem, MODEL).values)


def test_fitted_shapes_explain_more_than_any_nearby():
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05)
    best = fit_friction(build_problem(robot, log), MODEL)

    def cost(scale: float) -> float:
        model = PerJoint(tuple(combine(Viscous(), SmoothCoulomb(value * scale), Offset()) for value in thresholds(best)))
        found = regression.estimate(build_problem(robot, log, friction=model))
        return float(np.sum(found.residuals.squares / np.square(best.summary.noise_levels)))

    assert cost(1.0) < min(cost(0.9), cost(1.1))


def test_deviations_of_shapes_are_as_large_as_their_errors():
    robot, scores = load_robot("spatial_3r"), list[Array]()
    for seed in range(6):
        estimate = fit_friction(build_problem(robot, friction_log(TRUTH, PARAMETERS, noise=0.3, seed=seed)), MODEL)
        scores.append((thresholds(estimate) - THRESHOLDS) / np.array([shape.std for shape in estimate.shapes]))
    # 18 scores of standard deviation 1: their RMS is within 0.6 and 1.5 in 99 of 100 cases
    assert 0.6 < float(np.sqrt(np.mean(np.square(scores)))) < 1.5


def test_deviations_of_the_others_include_what_the_shapes_leave_open():
    problem = build_problem(load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.3, fastest=0.4))
    estimate = fit_friction(problem, MODEL)
    assert estimate.problem is not None
    fixed = regression.estimate(estimate.problem)
    coulomb = [estimate.base.names.index(f"fc{j}") for j in (1, 2, 3)]
    np.testing.assert_allclose(estimate.values, fixed.values)
    assert np.all(estimate.noise_std[coulomb] > fixed.noise_std[coulomb])


def test_deviations_know_the_loss_of_the_fit(monkeypatch):
    """Of bursts of gross errors Huber's loss makes little, and so must the deviations; by squares they are many times as large."""
    monkeypatch.setattr("dynident.regression.problem.leave_out_faults", lambda data, *_, **__: (data, ()))  # the bursts are some
    log, rng = friction_log(TRUTH, PARAMETERS, noise=0.05, seed=3), np.random.default_rng(0)
    effort = log.effort.copy()
    for start in rng.integers(0, log.samples - 40, 12):
        effort[start : start + 20] += rng.choice([-60.0, 60.0], 3)
    problem = build_problem(load_robot("spatial_3r"), replace(log, effort=effort), cutoff=20.0)
    robust, squared = (fit_friction(problem, MODEL, loss=loss) for loss in (Huber(), Squared()))
    coulomb = [robust.base.names.index(f"fc{j}") for j in (1, 2, 3)]
    assert np.all(robust.std[coulomb] < 0.2 * squared.std[coulomb])


def test_deviations_know_the_prior_of_the_fit():
    problem = build_problem(load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.3))
    plain = fit_friction(problem, MODEL)
    std = np.full(plain.base.rank, np.inf)
    known = plain.base.names.index("fc2")
    std[known] = 2e-5
    found = fit_friction(problem, MODEL, prior=Prior(values=plain.values, std=std))
    assert found.std[known] == pytest.approx(2e-5, rel=0.1)
    assert plain.std[known] > 1e-3


def test_parameters_that_only_show_as_a_product_are_named():
    slow = friction_log(TRUTH, PARAMETERS, noise=0.05, fastest=0.03)
    estimate = fit_friction(build_problem(load_robot("spatial_3r"), slow), combine(SmoothCoulomb(), Offset()))
    assert about(estimate.notes, "fc", "threshold", "joint2", "ratio")


def test_known_together_tells_products_from_ratios_and_leaves_the_rest_alone():
    values = np.array([2.0, 5.0])
    relative = np.array([[0.25, -0.249], [-0.249, 0.25]])
    assert list(known_together("elbow", ("a", "b"), values, relative * np.outer(values, values))) == [
        "the product of a and b of elbow (to 4.5 %)"
    ]
    assert "ratio" in next(known_together("elbow", ("a", "b"), values, np.abs(relative) * np.outer(values, values)))
    assert not list(known_together("elbow", ("a", "b"), values, np.diag(np.diag(relative)) * np.outer(values, values)))
    assert not list(known_together("elbow", ("a", "b"), values, 1e-3 * relative * np.outer(values, values)))


def test_a_shape_at_the_end_of_its_range_has_no_deviation_and_a_note():
    jump = PerJoint(tuple(combine(Viscous(), SmoothCoulomb(1e-4), Offset()) for _ in range(3)))
    estimate = fit_friction(build_problem(load_robot("spatial_3r"), friction_log(jump, PARAMETERS, noise=0.02)), MODEL)
    ends = [shape for shape in estimate.shapes if shape.at_bound]
    assert all(shape.std is None for shape in ends)
    assert all(shape.value < 0.01 for shape in estimate.shapes)


def test_identify_fits_the_shapes_of_a_named_model_unless_told_not_to():
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS)
    np.testing.assert_allclose(thresholds(identify(robot, log, friction=MODEL)), THRESHOLDS, rtol=1e-5)
    kept = identify(robot, log, friction=MODEL, fit_shapes=False)
    assert kept.shapes == ()
    assert kept.base.friction == MODEL


def test_a_model_without_shapes_is_fitted_as_ever():
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05)
    np.testing.assert_array_equal(identify(robot, log).values, regression.estimate(build_problem(robot, log)).values)


def test_friction_alone_is_what_known_links_leave_over():
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS)
    assert robot.parameters is not None
    known = RigidModel(links=robot.parameters, covariance=np.zeros((30, 30)))
    estimate = fit_friction_alone(build_problem(robot, log), MODEL, known)
    np.testing.assert_allclose(thresholds(estimate), THRESHOLDS, rtol=1e-5)
    np.testing.assert_allclose(estimate.friction_parameters, PARAMETERS, rtol=1e-4)
    np.testing.assert_allclose(estimate.gravity(log.q[:5]), identify(robot, log, friction=TRUTH).gravity(log.q[:5]), atol=1e-4)


def test_the_links_uncertainty_goes_into_that_of_the_friction():
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05)
    problem = build_problem(robot, log)
    known = RigidModel.of(identify(robot, friction_log(TRUTH, PARAMETERS, noise=0.05, seed=7)))
    unsure, sure = (fit_friction_alone(problem, MODEL, item) for item in (known, replace(known, covariance=0.0 * known.covariance)))
    own = [unsure.base.names.index(f"fo{j}") for j in (1, 2, 3)]
    np.testing.assert_allclose(unsure.values, sure.values)
    assert np.all(unsure.std[own] > sure.std[own])


@pytest.mark.parametrize("form", ["together", "alone"])
def test_estimates_with_shapes_survive_a_run_folder(tmp_path, form: str):
    from dynident.runs import read_estimate, write_result

    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.05)
    problem = build_problem(robot, log)
    estimate = (
        fit_friction(problem, MODEL)
        if form == "together"
        else fit_friction_alone(problem, MODEL, RigidModel.of(regression.estimate(problem)))
    )
    document = write_result(tmp_path, estimate)
    again = read_estimate(tmp_path)
    assert again.shapes == estimate.shapes
    assert again.base.friction == estimate.base.friction
    assert document["friction_shapes"][0]["name"] == "threshold"
    assert carries(str(again), "Shapes")


def test_recordings_of_unequal_noise_are_fitted_together():
    robot = load_robot("spatial_3r")
    quiet, loud = (friction_log(TRUTH, PARAMETERS, noise=noise, seed=seed, seconds=30.0) for seed, noise in enumerate((0.02, 1.0)))
    both = replace(Dataset.concatenate([quiet, loud]), source="both")
    estimate = fit_friction(build_problem(robot, both), MODEL)
    errors = np.abs(thresholds(estimate) - THRESHOLDS)
    assert np.all(errors < 4.0 * np.array([shape.std for shape in estimate.shapes]))
    assert estimate.problem is not None
    for rows in joint_rows(estimate.problem):
        own = estimate.base.friction.of_joint(rows.joint)
        table = np.concatenate(rows_in_time(estimate.problem)[rows.joint], axis=1)
        np.testing.assert_allclose(rows.columns(own), table[-1 - len(own.parameters) : -1], atol=1e-12)


def test_joints_with_different_models_have_the_deviations_of_their_own():
    """The order of parameters in a table of all joints is not that of each joint's model."""
    robot, log = load_robot("spatial_3r"), friction_log(TRUTH, PARAMETERS, noise=0.3)
    problem, turned = build_problem(robot, log), combine(Offset(), SmoothCoulomb(), Viscous())
    mixed, plain = fit_friction(problem, PerJoint((MODEL, turned, MODEL))), fit_friction(problem, MODEL)
    for one, other in zip(mixed.shapes, plain.shapes, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-3)
        assert one.std == pytest.approx(other.std, rel=1e-2)
