"""A controller's M and g and a log in one estimate, and whether one contradicts the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dynident
from dynident.dynamics.friction import friction_model, linear
from dynident.errors import InputError
from dynident.regression import build_problem, estimate
from dynident.regression.both_routes import check_vendor_model
from dynident.regression.equations.base import base_parameters, expressed_in, join_bases, link_grouping
from dynident.regression.vendor_model import CoefficientVerdict
from tests.draws import Arm, Scores, draw_log, draw_samples, make_arm
from tests.facts import raises


@pytest.fixture(scope="module")
def arm() -> Arm:
    return make_arm("six")


def identify_both(arm: Arm, seed: int, *, scale: float = 1.0, samples: int = 100, **options):
    data = [draw_samples(arm, seed, samples=samples), draw_log(arm, seed, duration=20.0, scale=scale)]
    return dynident.identify(arm.robot, data, **{"friction": linear(), **options})


def test_estimates_from_both_are_as_certain_as_they_say(arm: Arm) -> None:
    found = [identify_both(arm, seed) for seed in range(700, 720)]
    scores = Scores(np.array([(item.values - arm.coefficients(item)) / item.std for item in found]), found[0].base.names)
    assert 0.85 <= scores.pooled <= 1.15
    # links as certain as by M and g, friction more certain than by the log alone
    log = dynident.identify(arm.robot, draw_log(arm, 719, duration=20.0), friction=linear())
    controller = dynident.identify(arm.robot, draw_samples(arm, 719, samples=100))
    assert np.median(found[-1].noise_std[:36] / controller.std) < 1.02
    ratios = found[-1].std[36:] / log.std[36:]
    assert np.median(ratios) < 0.95
    assert ratios.min() < 0.2  # offsets, which a log confuses with gravity
    # a true model is contradicted in 4 % of 160 draws; more than 3 of 20 would be a chance of 1 in 100
    assert sum(item.vendor_model.contradicted for item in found) <= 3


def test_a_true_model_agrees_and_a_wrong_one_is_contradicted(arm: Arm) -> None:
    agreeing, wrong = identify_both(arm, 730), identify_both(arm, 730, scale=1.05)
    assert not agreeing.vendor_model.contradicted
    assert agreeing.vendor_model.freedom == 36
    assert agreeing.vendor_model.probability > 0.01
    assert not agreeing.vendor_model.of(CoefficientVerdict.CONTRADICTED)
    assert len(agreeing.vendor_model.of(CoefficientVerdict.AGREES)) > 25
    assert wrong.vendor_model.contradicted
    assert wrong.vendor_model.probability < 1e-6
    named = {item.name: item for item in wrong.vendor_model.coefficients}
    heavy = named["mc2x"]  # 5 % of the largest gravity coefficient
    assert heavy.verdict is CoefficientVerdict.CONTRADICTED
    assert heavy.log == pytest.approx(1.05 * heavy.controller, rel=0.01)
    assert heavy.difference == pytest.approx((heavy.log - heavy.controller) / np.hypot(heavy.log_std, heavy.controller_std))
    assert wrong.notes[: len(wrong.vendor_model.notes)] == wrong.vendor_model.notes != ()
    assert agreeing.vendor_model.notes == ()


def test_what_one_payload_changes_is_contradicted_and_little_else(arm: Arm) -> None:
    """A tool that the controller does not know: a point mass at the last joint's frame changes gravity of the wrist."""
    links = arm.links.copy()
    links[-1, 0] += 0.5
    loaded = replace(arm, links=links)
    data = [draw_samples(arm, 740, samples=100), draw_log(loaded, 740, duration=20.0)]
    found = dynident.identify(arm.robot, data, friction=linear()).vendor_model
    grouping = base_parameters(arm.robot, equations="controller").grouping[:, 50]  # of m6
    for item, share in zip(found.coefficients, grouping, strict=True):
        if item.verdict is CoefficientVerdict.CONTRADICTED:
            assert share != 0.0
            assert item.log - item.controller == pytest.approx(0.5 * share, abs=4.0 * item.log_std)
    assert len(found.of(CoefficientVerdict.CONTRADICTED)) >= 3


def test_the_covariance_is_that_of_weighted_least_squares_on_all_rows(arm: Arm) -> None:
    """The coefficients of M and g as a prior with their covariance, by the textbook's formula."""
    log = estimate(build_problem(arm.robot, draw_log(arm, 750, duration=20.0), friction=linear()))
    controller = dynident.identify(arm.robot, draw_samples(arm, 750, samples=100))
    both = identify_both(arm, 750)
    rows = both.problem.stack_groups(1.0 / np.asarray(both.summary.noise_levels))
    A, moment = rows[:, :-1].T @ rows[:, :-1], rows[:, :-1].T @ rows[:, -1]
    spread = np.maximum(np.sqrt(np.diag(controller.covariance)), 1e-6 * np.abs(controller.values))
    precision = np.linalg.inv(controller.covariance + np.diag(spread**2 - np.diag(controller.covariance)))
    A[:36, :36] += precision
    moment[:36] += precision @ controller.values
    assert np.abs(both.values - np.linalg.solve(A, moment)).max() < 0.05 * log.std.min()


def test_only_gravity_of_the_controller(arm: Arm) -> None:
    found = identify_both(arm, 760, equations="gravity")
    assert len(found.vendor_model.coefficients) == base_parameters(arm.robot, equations="gravity").rank
    assert found.base.rank == 36 + 18
    assert not found.vendor_model.contradicted


def test_rotors_are_apart_from_the_links_that_m_knows(arm: Arm) -> None:
    """A log sees the first link's inertia and its rotor's in their sum; M is that of the links alone, and tells them apart."""
    model = friction_model("viscous+coulomb+offset+armature")
    with_rotors, links = base_parameters(arm.robot, friction=model), base_parameters(arm.robot, equations="controller")
    joined = join_bases(with_rotors, links)
    assert joined.rank == with_rotors.rank + 2  # the axes of joints 2 and 3 are parallel
    assert {"Ia1", "Ia2"} <= set(joined.names) - set(with_rotors.names)
    assert expressed_in(joined, link_grouping(joined, links))[1].all()
    assert expressed_in(joined, with_rotors.grouping)[1].all()
    assert join_bases(base_parameters(arm.robot, friction=linear()), links).grouping.shape == (54, 60 + 18)

    log = draw_log(arm, 770, duration=20.0)
    inertia = np.linspace(1.0, 0.1, 6)
    ddq = np.gradient(log.dq, log.time, axis=0)
    data = [draw_samples(arm, 770, samples=100), replace(log, effort=log.effort + inertia * ddq)]
    found = dynident.identify(arm.robot, data, friction=model)
    values = dict(zip(found.base.names, found.values.tolist(), strict=True))
    np.testing.assert_allclose([values[f"Ia{j}"] for j in range(1, 7)], inertia, rtol=0.02)
    first = next(item for item in found.vendor_model.coefficients if item.name == "J1yy")
    assert first.verdict is CoefficientVerdict.UNTESTABLE  # the log alone has it with the rotor
    assert first.log is None
    assert not found.vendor_model.contradicted


def test_what_a_log_does_not_determine_is_not_testable(arm: Arm) -> None:
    """All but the last two joints locked: of what their motion shows nothing is told."""
    log = draw_log(arm, 780, duration=20.0)
    still = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    truth = dynident.dynamics.inverse_dynamics(
        arm.robot, arm.links, log.q * still, log.dq * still, np.gradient(log.dq, log.time, axis=0) * still
    )
    fv, fc, fo = arm.friction.T
    effort = truth + (fv * log.dq + fc * np.sign(log.dq)) * still + fo * still
    effort = effort + 0.002 * arm.robot.effort_limits * np.random.default_rng(0).normal(size=effort.shape)
    held = replace(log, q=log.q * still, dq=log.dq * still, effort=effort)
    controller = dynident.identify(arm.robot, draw_samples(arm, 780, samples=100))
    alone = dynident.identify(arm.robot, held, friction=linear())
    found = check_vendor_model(alone, controller)
    assert not found.of(CoefficientVerdict.CONTRADICTED)
    assert found.freedom < 36
    assert {"J1yy", "J2xy", "J2zz"} <= {item.name for item in found.of(CoefficientVerdict.UNTESTABLE)}
    assert len(found.of(CoefficientVerdict.AGREES)) >= 3


def test_other_data_are_refused(arm: Arm) -> None:
    with raises(InputError, "Dataset", "ControllerSamples"):
        dynident.identify(arm.robot, [])
    with raises(InputError, "Dataset", "ControllerSamples"):
        dynident.identify(arm.robot, ["log.npz"])


def test_samples_do_not_count_twice(arm: Arm) -> None:
    problem = identify_both(arm, 730).problem
    with raises(InputError, "controller's", "twice"):
        problem.merge(problem)


def test_several_logs_and_samples_in_a_list(arm: Arm) -> None:
    log, samples = draw_log(arm, 790, duration=20.0), draw_samples(arm, 790, samples=100)
    parts = [log.part(0.0, 0.5), samples.part(0.0, 0.5), log.part(0.5, 1.0), samples.part(0.5, 1.0)]
    found = dynident.identify(arm.robot, parts, friction=linear())
    assert found.problem.controller.samples == 100
    assert not found.vendor_model.contradicted
