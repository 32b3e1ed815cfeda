"""What a design promises, against closed forms and against what the virtual robot gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dynident
from dynident import load_robot
from dynident.data import Dataset
from dynident.dynamics import mass_matrix
from dynident.dynamics.friction import linear
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.motions import Box, LimitError, Repeated, design_trajectory, robot_limits
from dynident.motions.design.assumptions import (
    INDEPENDENT_PER_HZ,
    NOISE_SHARE,
    VELOCITY_DENSITY,
    assume,
    believed_links,
    prior_information,
    velocity_noise,
)
from dynident.motions.design.criterion import base_regressor
from dynident.motions.design.precision import deviations, expected_std, precision_of, predict_precision, run_information
from dynident.motions.design.task import Task, random_task, task_of
from dynident.motions.limits.limits import frame_positions
from dynident.motions.limits.margins import motion_margins
from dynident.motions.simulation import simulate
from dynident.motions.simulation.sensors import effort_scale, realistic
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters
from dynident.regression.prepare import parallel_filter
from dynident.robots.parameters.link_metric import link_metric
from tests.facts import carries, raises

PLANAR, PANDA = load_robot("planar_2r"), load_robot("panda")
BASE = base_parameters(PLANAR, friction=linear())
TASK = random_task(PLANAR, robot_limits(PLANAR))


@pytest.fixture(scope="module")
def design():
    return design_trajectory(PLANAR, friction=linear(), duration=10.0, starts=1, iterations=30)


def test_a_filter_leaves_so_many_independent_samples():
    """White noise of variance s² at rate R has the information R / s² per second; filtered, it is r / (s² Σ h²) with the same r for all."""
    for cutoff, rate in ((5.0, 1000.0), (10.0, 500.0)):
        taps = parallel_filter(rate, cutoff).taps
        assert rate * float((taps**2).sum()) == pytest.approx(INDEPENDENT_PER_HZ * cutoff, rel=0.01)


def test_noise_is_told_or_a_share_of_the_effort_limits():
    velocities = velocity_noise(PLANAR, believed_links(PLANAR)[0], TASK, 5.0)
    np.testing.assert_allclose(assume(BASE, TASK).noise, np.hypot(NOISE_SHARE * PLANAR.effort_limits, velocities))
    told = assume(BASE, TASK, torque_noise=[0.3, 0.1])
    np.testing.assert_array_equal(told.noise, [0.3, 0.1])
    assert told.noise_source == "as given"
    assert not told.notes
    assert carries(assume(BASE, TASK).notes[0], "sensors")
    np.testing.assert_array_equal(assume(BASE, TASK, torque_noise=0.2).noise, [0.2, 0.2])
    limitless = replace(PLANAR, joints=tuple(replace(joint, effort=np.inf) for joint in PLANAR.joints))
    found = assume(base_parameters(limitless, friction=linear()), TASK)
    np.testing.assert_allclose(found.noise, np.hypot(NOISE_SHARE * 5.0 * found.torque, velocities))
    assert carries(found.noise_source, "torque", "task")
    with raises(ShapeError, name="torque_noise", shape=(3,)):
        assume(BASE, TASK, torque_noise=[1.0, 2.0, 3.0])
    with raises(ValueRangeError, name="cutoff"):
        assume(BASE, TASK, cutoff=0.0)


def test_noise_of_velocities_is_that_of_their_filtered_derivative_times_the_mass():
    rate, cutoff = 1000.0, 5.0
    taps = np.gradient(parallel_filter(rate, cutoff).taps, 1.0 / rate)  # of velocities to filtered accelerations
    acceleration = np.sqrt((taps**2).sum() * rate * VELOCITY_DENSITY)
    q = TASK.motion.q[:: max(1, len(TASK.motion.q) // 200)]
    M = mass_matrix(PLANAR, PLANAR.parameters, q)
    drawn = M @ (acceleration * np.random.default_rng(0).normal(size=(2000, 1, 2, 1)))
    expected = np.sqrt((drawn[..., 0] ** 2).mean(axis=(0, 1)))
    np.testing.assert_allclose(velocity_noise(PLANAR, PLANAR.parameters, TASK, cutoff), expected, rtol=0.05)


def test_the_residuals_of_the_virtual_robot_are_the_noise_that_is_assumed(design):
    motion = design.trajectory.sample(np.arange(-0.85, 10.85, 0.01))
    time = np.arange(len(motion.q)) / 100.0
    reference = Dataset(time=time, q=motion.q, dq=motion.dq, ddq=motion.ddq, joint_names=PLANAR.joint_names)
    log = simulate(PLANAR, reference, friction="linear", noise="realistic", check_limits=False).log
    residuals = dynident.identify(PLANAR, log, friction=linear()).residuals
    left = np.sqrt(residuals.squares / residuals.counts)
    np.testing.assert_allclose(left, design.assumptions.noise, rtol=0.15)


def test_the_prior_is_that_of_links_and_friction_seen_through_the_grouping():
    links, factors = believed_links(PLANAR)
    np.testing.assert_array_equal(links, PLANAR.parameters)
    std = np.linspace(0.5, 2.0, 6)
    sigma = np.zeros((26, 26))
    for i, link in enumerate(links):
        A = link_metric(link, "entropic")  # weight one for a factor of two
        sigma[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = np.linalg.inv(A.T @ A)
    sigma[20:, 20:] = np.diag(std**2)
    covariance = BASE.grouping @ sigma @ BASE.grouping.T
    information = prior_information(BASE, links, factors, std)
    np.testing.assert_allclose(information @ covariance, np.eye(BASE.rank), atol=1e-6)


def test_links_that_no_description_tells_are_known_less():
    bare = replace(PLANAR, links=tuple(replace(link, parameters=None, pieces=()) for link in PLANAR.links))
    assert bare.parameters is None
    links, factors = believed_links(bare)
    assert np.all(links[:, 0] > 0.0)
    assert np.all(factors > believed_links(PLANAR)[1])
    base = base_parameters(bare, friction=linear())
    told, guessed = (prior_information(base, links, np.full(2, factor), np.ones(6)) for factor in (2.0, 4.0))
    ratio = deviations(guessed) / deviations(told)
    links_first = base.columns.is_link[base.independent]
    np.testing.assert_allclose(ratio[links_first], 2.0, rtol=1e-6)  # log 4 / log 2
    np.testing.assert_allclose(ratio[~links_first], 1.0, rtol=1e-6)
    assert np.all(np.isfinite(assume(base, TASK).prior))


def test_random_motions_keep_the_limits_and_are_always_the_same():
    limits = robot_limits(PANDA, effort_scale=0.6, floor=-0.1)
    task = random_task(PANDA, limits)
    for part in zip(*(np.split(values, 24) for values in task.motion), strict=True):
        margins = motion_margins(PANDA, limits, np.arange(len(part[0])) * 5.0 / len(part[0]), SampledMotion(*part), None)
        assert all(margin.margin > -1e-9 for margin in margins)
    assert np.abs(task.motion.dq).max(axis=0).min() > 0.3 * limits.velocity.min()
    np.testing.assert_array_equal(task.motion.q, random_task(PANDA, limits).motion.q)
    assert not np.array_equal(task.motion.q, random_task(PANDA, limits, seed=1).motion.q)


def test_where_chance_finds_no_place_motions_are_about_one_that_is_known():
    place = np.array([0.6, 0.4])
    tool = frame_positions(PLANAR, place[None])[0, -1]
    limits = robot_limits(PLANAR, boxes=(Box(lower=tool - 0.04, upper=tool + 0.04, frames=("tool",)),))
    with pytest.raises(LimitError):
        random_task(PLANAR, limits)
    task = random_task(PLANAR, limits, allowed=place[None])
    assert 0.0 < np.abs(task.motion.q - place).max() < 0.1


def test_the_task_of_a_file_has_the_derivatives_of_its_positions():
    time = np.arange(0.0, 10.0, 0.01)
    q = np.stack([np.sin(time), 0.5 * np.cos(2.0 * time)], axis=1)
    task = task_of(PLANAR, Dataset(time=time, q=q, joint_names=PLANAR.joint_names, source="moves.csv"))
    assert task.source == "moves.csv"
    inside = slice(100, -100)
    np.testing.assert_allclose(task.motion.dq[inside, 0], np.cos(time)[inside], atol=2e-3)
    np.testing.assert_allclose(task.motion.ddq[inside, 1], -2.0 * np.cos(2.0 * time)[inside], atol=5e-3)
    with raises(InputError, "not", "move"):
        task_of(PLANAR, Dataset(time=time, q=0.0 * q, dq=0.0 * q, ddq=0.0 * q))
    with raises(InputError, 3, 2):
        task_of(PLANAR, Dataset(time=time, q=np.zeros((len(time), 3))))


def test_the_error_of_a_torque_is_that_of_coefficients_drawn_from_what_is_known(design):
    precision, assumptions = design.precision, design.assumptions
    covariance = np.linalg.inv(precision.information + assumptions.prior)
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(BASE.rank), covariance, size=1000)
    wrong = np.tensordot(draws, base_regressor(BASE, assumptions.task.motion), axes=1)
    np.testing.assert_allclose(precision.torque_error, np.sqrt((wrong**2).mean(axis=(0, 2))), rtol=0.05)
    np.testing.assert_allclose(precision.relative_error, np.hypot(*precision.torque_error) / np.hypot(*precision.torque))


def test_what_is_known_grows_with_runs(design):
    again = replace(design.assumptions, before=design.precision.information)
    twice = predict_precision(BASE, design.trajectory, again)
    np.testing.assert_allclose(twice.std, design.std / np.sqrt(2.0), rtol=1e-9)
    assert twice.known[0] >= design.precision.known[0]
    assert twice.relative_error < design.precision.relative_error
    five = Repeated(trajectory=design.trajectory, repeats=6, warm_up=1, cool_down=1)
    options = {"torque_noise": 0.1, "rate": 9.0}
    np.testing.assert_allclose(
        deviations(run_information(BASE, five, **options)), expected_std(BASE, design.trajectory, **options) / 2.0, rtol=0.01
    )


def test_without_data_only_the_prior_is_known(design):
    nothing = precision_of(BASE, np.zeros((BASE.rank, BASE.rank)), design.assumptions)
    assert np.all(np.isinf(nothing.std))
    assert nothing.known[0] == 0
    assert 0.05 < nothing.relative_error < 2.0


def test_deviations_do_not_depend_on_units():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(5, 9))
    information, units = half @ half.T, 10.0 ** np.array([-6.0, 6.0, 0.0, 3.0, -3.0])
    expected = np.sqrt(np.diag(np.linalg.inv(information)))
    np.testing.assert_allclose(deviations(information * np.outer(units, units)), expected / units, rtol=1e-9)


def test_promised_deviations_come_true_on_the_virtual_robot(design):
    """The robot drives the period, and a little more at both ends, which the filter takes; sensors have realistic noise."""
    time = np.arange(-0.85, 10.85, 0.01)
    motion = design.trajectory.sample(time)
    reference = Dataset(time=time - time[0], q=motion.q, dq=motion.dq, ddq=motion.ddq, joint_names=PLANAR.joint_names)
    truth = simulate(PLANAR, reference, friction="linear", check_limits=False).truth
    sensors = realistic(effort_scale(PLANAR, truth.effort))
    true = BASE.coefficients(np.concatenate([truth.parameters.ravel(), truth.joint_friction.parameters.ravel()]))
    found, own = [], []
    for seed in range(10):
        log = sensors.record(truth.time, truth.q, truth.dq, truth.effort, seed=seed, joint_names=PLANAR.joint_names, source="virtual")
        estimate = dynident.identify(PLANAR, log, friction=linear(), drop_above_percent=None)
        found.append(estimate.values)
        own.append(estimate.std)
    error = np.sqrt(np.mean((np.array(found) - true) ** 2, axis=0))
    assert 0.7 < np.median(error / design.std) < 1.25  # noise of accelerations lies above the frequencies of the motion
    assert 0.7 < np.median(np.array(own) / design.std) < 1.25


def test_a_motion_that_is_given_is_the_task():
    still = np.zeros((50, 2))
    moving = SampledMotion(np.linspace(-1.0, 1.0, 100).reshape(50, 2), still, still)
    design = design_trajectory(PLANAR, friction=linear(), task=Task(motion=moving, source="postures"), starts=1, iterations=3, rate=50.0)
    assert "postures" in str(design)
    assert np.all(np.isfinite(design.precision.torque_error))
    assert expected_std(BASE, design.trajectory, torque_noise=0.1).shape == (BASE.rank,)
