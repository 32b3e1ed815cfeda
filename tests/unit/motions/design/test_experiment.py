"""How long an experiment must be: the goal, drives that reach it, and trajectories for what others leave open."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.errors import InputError, ValueRangeError
from dynident.motions import design_experiment, design_trajectory, robot_limits
from dynident.motions.design.goal import make_goal
from dynident.motions.design.precision import precision_of, run_information
from dynident.motions.documents import ExperimentDocument
from tests.facts import carries, raises

PLANAR, PANDA = load_robot("planar_2r"), load_robot("panda")
DESIGN = partial(
    design_trajectory,
    PLANAR,
    friction=linear(),
    limits=robot_limits(PLANAR, torque_factor=1.2),
    duration=10.0,
    starts=1,
    iterations=10,
    rate=50.0,
    torque_noise=2.0,
)


@pytest.fixture(scope="module")
def first():
    return DESIGN(seed=0)


def after_drives(design, drives: float):
    told = run_information(design.base, design.trajectory, torque_noise=design.assumptions.noise, rate=design.assumptions.rate)
    return precision_of(design.base, drives * told, design.assumptions)


def test_a_precision_is_about_the_coefficients_that_matter(first):
    goal = make_goal(first.base, first.assumptions, precision=0.02)
    assert [name for name, counts in zip(first.base.names, goal.matters, strict=True) if counts] == ["J1zz", "J2zz", "mc1x", "mc2x"]
    found = after_drives(first, 1.0)
    shares = found.std[goal.matters] / np.abs(found.nominal[goal.matters])
    assert goal.excess(found) == pytest.approx(shares.max() / 0.02)
    assert goal.excess(found) <= goal.distance(found) <= goal.excess(found) * 4 ** (1 / 8)


def test_the_focus_is_the_sum_of_relative_variances(first):
    goal = make_goal(first.base, first.assumptions, precision=0.02)
    nothing = precision_of(first.base, 0.0 * first.precision.information, first.assumptions)
    W = goal.focus(nothing)
    C = np.diag(np.random.default_rng(0).uniform(0.1, 1.0, first.base.rank))
    relative = np.diag(C)[goal.matters] / first.assumptions.values[goal.matters] ** 2
    assert np.trace(W @ C) == pytest.approx(relative.sum())
    assert make_goal(first.base, first.assumptions, torque_error=0.01).focus(nothing) is None
    ratios = goal.ratios(first.precision)
    weighted = np.trace(goal.focus(first.precision) @ C)
    assert weighted == pytest.approx((relative * (ratios[goal.matters] / ratios.max()) ** 2).sum())


def test_one_trajectory_is_driven_as_often_as_it_takes_and_no_more(first):
    asked = 0.99 * make_goal(first.base, first.assumptions, precision=1.0).excess(after_drives(first, 3.0))
    experiment = design_experiment(lambda **_: first, precision=asked, most=1)
    assert experiment.repeats == (4,)
    assert (experiment.duration, experiment.alone) == (40.0, 40.0)
    assert experiment.reached
    excesses = [experiment.goal.excess(step.precision) for step in experiment.steps]
    assert excesses[2] > 1.0 >= excesses[3]
    np.testing.assert_allclose(excesses[3], excesses[0] / 2.0, rtol=1e-6)


def test_a_torque_error_is_reached(first):
    asked = 0.9 * first.precision.relative_error
    experiment = design_experiment(DESIGN, torque_error=asked)
    assert experiment.reached
    assert experiment.steps[-1].precision.relative_error <= asked
    assert all(step.precision.relative_error > asked for step in experiment.steps[:-1])


def test_more_trajectories_are_taken_where_they_make_it_shorter(first):
    asked = 0.3 * make_goal(first.base, first.assumptions, precision=1.0).excess(after_drives(first, 1.0))
    experiment = design_experiment(DESIGN, precision=asked, most=3)
    assert experiment.reached
    assert experiment.duration <= experiment.alone
    assert len(experiment.designs) == 1 or experiment.duration <= 0.85 * experiment.alone
    document = ExperimentDocument.of(experiment)
    assert len(document.trajectories) == len(experiment.designs)
    assert document.over_time[-1].time == experiment.duration
    assert experiment.figures()[0].label == "Precision over time: worst coefficient that matters"


def test_what_is_not_reached_is_said():
    experiment = design_experiment(DESIGN, precision=1e-5, longest=20.0, most=1)
    assert not experiment.reached
    assert experiment.repeats == (2,)
    text = str(experiment)
    assert carries(text, "Not", "20 s")
    assert carries(text, "0.001 %", "not", "known")
    assert np.isinf(experiment.alone)


@pytest.mark.parametrize(
    ("options", "error", "facts"),
    [
        ({}, InputError, ("precision",)),
        ({"precision": -0.1}, ValueRangeError, ("precision", -0.1)),
        ({"torque_error": 0.1, "longest": 5.0}, ValueRangeError, (5, 10)),
        ({"torque_error": 0.1, "most": 0}, ValueRangeError, (0, 1)),
    ],
)
def test_what_can_not_be_asked_for_is_refused(options, error, facts):
    with raises(error, *facts):
        design_experiment(DESIGN, **options)


def test_a_second_trajectory_halves_the_worst_deviation_twice_as_fast_as_driving_the_first_again():
    """Driving again takes three more drives for it; the virtual robot's word on the same is in the benchmarks."""
    design = partial(design_trajectory, PANDA, friction=linear(), limits=robot_limits(PANDA, clearance=None), starts=1, iterations=60)
    first = design(seed=0)
    goal = make_goal(first.base, first.assumptions, precision=0.05)
    again = precision_of(first.base, 4.0 * first.precision.information, first.assumptions)
    assert goal.excess(again) == pytest.approx(0.5 * goal.excess(first.precision))
    second = design(
        seed=1,
        before=first.precision.information,
        focus=lambda base, known: make_goal(base, known, precision=0.05).focus(precision_of(base, known.before, known)),
    )
    added = second.precision.information - first.precision.information
    both = precision_of(first.base, first.precision.information + 1.5 * added, first.assumptions)
    assert goal.excess(both) <= 0.5 * goal.excess(first.precision)
