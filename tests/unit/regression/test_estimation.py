"""Estimators against their closed forms: weights, priors, dropping, exact data, and logs that don't excite everything."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from dynident import Robot, load_robot, regression
from dynident.data import ControllerSamples, Dataset
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.dynamics.friction import linear
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.errors import DynidentError
from dynident.regression import EstimateStatus, Huber, Prior, base_parameters, build_problem, identify, residuals
from tests.facts import carries, raises
from tests.oracles.logs import generated_log, written_out


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


@pytest.fixture(scope="module")
def panda() -> Robot:
    return load_robot("panda")


def test_weight_three_is_every_row_three_times(arm: Robot) -> None:
    data = generated_log(arm, noise=0.1).dataset
    problem = build_problem(arm, data, friction=None, cutoff=None)
    thrice = build_problem(arm, Dataset.concatenate([data, data, data]), friction=None, cutoff=None)
    weighted = problem.stack(np.sqrt([3.0, 1.0, 3.0]))
    mixed = replace(thrice, factors=(thrice.factors[0], problem.factors[1], thrice.factors[2]))
    repeated = mixed.stack(np.ones(3))
    np.testing.assert_allclose(weighted.T @ weighted, repeated.T @ repeated, rtol=1e-11, atol=1e-9)


def test_the_same_log_twice_changes_no_value_and_shrinks_std_by_root_two(arm: Robot) -> None:
    data = generated_log(arm, noise=0.1, samples=3000).dataset
    once = identify(arm, data, noise="uniform", friction=None, cutoff=None)
    twice = identify(arm, Dataset.concatenate([data, data]), noise="uniform", friction=None, cutoff=None)
    np.testing.assert_allclose(twice.values, once.values, atol=1e-11)
    np.testing.assert_allclose(twice.std * np.sqrt(2.0), once.std, rtol=2e-3)


class TestPrior:
    """Ridge: the prior is one more row per coefficient, value ± std."""

    def test_equals_augmented_rows(self, arm: Robot) -> None:
        log = generated_log(arm, noise=0.3, samples=200)
        problem = build_problem(arm, log.dataset, friction=None, cutoff=None)
        rng = np.random.default_rng(0)
        prior = Prior(values=rng.normal(size=problem.base.rank), std=rng.uniform(0.01, 1.0, problem.base.rank))
        estimate = regression.estimate(problem, prior=prior, noise="uniform")
        level = np.asarray(estimate.summary.noise_levels)[0]
        Y, z = written_out(problem.base, log.dataset)
        A = np.concatenate([Y.reshape(-1, problem.base.rank) / level, np.diag(1 / prior.std)])
        values, *_ = np.linalg.lstsq(A, np.concatenate([z.ravel() / level, prior.values / prior.std]), rcond=None)
        np.testing.assert_allclose(estimate.values, values, atol=1e-5)
        np.testing.assert_allclose(estimate.std, np.sqrt(np.diag(np.linalg.inv(A.T @ A))), rtol=1e-5)

    def test_tiny_std_pins_the_value(self, arm: Robot) -> None:
        problem = build_problem(arm, generated_log(arm, noise=0.1).dataset, friction=None, cutoff=None)
        std = np.full(problem.base.rank, np.inf)
        std[4] = 1e-9
        estimate = regression.estimate(problem, prior=Prior(values=np.full(problem.base.rank, 0.7), std=std), drop_above_percent=None)
        assert estimate.values[4] == pytest.approx(0.7, abs=1e-8)
        assert estimate.std[4] == pytest.approx(1e-9, rel=1e-3)

    def test_huge_std_changes_nothing(self, arm: Robot) -> None:
        problem = build_problem(arm, generated_log(arm, noise=0.1).dataset, friction=None, cutoff=None)
        prior = Prior(values=np.full(problem.base.rank, 1e3), std=np.full(problem.base.rank, 1e9))
        plain, ridge = (
            regression.estimate(problem, drop_above_percent=None),
            regression.estimate(problem, prior=prior, drop_above_percent=None),
        )
        np.testing.assert_allclose(ridge.values, plain.values, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ridge.std, plain.std, rtol=1e-5)

    def test_decides_what_the_data_leave_open(self, arm: Robot) -> None:
        """Joint 3 stands still: its viscous friction comes from the prior, with the prior's std, and nothing else moves."""
        log = still_joint(arm, 2, noise=0.05)
        problem = build_problem(arm, log, friction=linear(), cutoff=None)
        b = problem.base.rank
        prior = Prior(values=np.full(b, 0.25), std=np.full(b, 1e3))
        estimate = regression.estimate(problem, prior=prior, drop_above_percent=None)
        i = problem.base.names.index("fv3")
        assert estimate.kept[i]
        assert estimate.values[i] == pytest.approx(0.25)
        assert estimate.std[i] == pytest.approx(1e3)
        assert estimate.summary.rank < b
        np.testing.assert_allclose(
            residuals(problem, estimate.values).squares, regression.estimate(problem, drop_above_percent=None).residuals.squares, rtol=1e-6
        )

    def test_counts_in_filtered_data_too(self, arm: Robot) -> None:
        data = generated_log(arm, noise=0.1, samples=6000, rate=500.0).dataset
        problem = build_problem(arm, data, cutoff=5.0, friction=None)
        std = np.full(problem.base.rank, np.inf)
        std[4] = 1e-6
        estimate = regression.estimate(problem, prior=Prior(values=np.zeros(problem.base.rank), std=std), drop_above_percent=None)
        assert estimate.std[4] == pytest.approx(1e-6, rel=1e-2)

    def test_bad_ones_are_refused(self, arm: Robot) -> None:
        problem = build_problem(arm, generated_log(arm, noise=0.1).dataset, friction=None, cutoff=None)
        with raises(DynidentError, "(15,)", name="prior.values", shape=(3,)):
            regression.estimate(problem, prior=Prior(values=np.zeros(3), std=np.ones(15)))
        with raises(DynidentError, "positive", name="prior.std"):
            regression.estimate(problem, prior=Prior(values=np.zeros(15), std=np.zeros(15)))


class TestDropping:
    def test_nothing_is_dropped_when_not_asked(self, panda: Robot) -> None:
        estimate = identify(panda, generated_log(panda, noise=5.0).dataset, drop_above_percent=None, friction=None, cutoff=None)
        assert estimate.kept.all()
        assert estimate.dropped == ()

    def test_all_that_is_left_is_below_the_threshold(self, panda: Robot) -> None:
        estimate = identify(panda, generated_log(panda, noise=1.0).dataset, drop_above_percent=10.0, friction=None, cutoff=None)
        assert 0 < estimate.kept.sum() < 43
        assert np.all(estimate.relative_std_percent[estimate.kept] <= 10.0)
        assert np.all(np.diag(estimate.covariance)[~estimate.kept] == 0.0)

    def test_each_says_why_with_its_numbers(self, panda: Robot) -> None:
        estimate = identify(panda, generated_log(panda, noise=1.0).dataset, friction=None, cutoff=None, drop_above_percent=30.0)
        first = estimate.dropped[0]
        assert carries(first.reason, "30 %")
        relative = 100 * first.std / abs(first.value)
        assert f"{relative:.0f} %" in first.reason
        assert relative == pytest.approx(estimate.relative_std_percent[first.index])
        full = identify(panda, generated_log(panda, noise=1.0).dataset, drop_above_percent=None, friction=None, cutoff=None)
        assert first.index == int(np.argmax(full.relative_std_percent))
        assert (first.value, first.std) == pytest.approx((full.values[first.index], full.std[first.index]))

    def test_one_always_stays(self, arm: Robot) -> None:
        rng = np.random.default_rng(0)
        data = generated_log(arm, samples=200).dataset
        noise_alone = replace(data, effort=rng.normal(size=data.q.shape))
        assert identify(arm, noise_alone, drop_above_percent=1e-6, friction=None, cutoff=None).kept.sum() == 1


def still_joint(robot: Robot, joint: int, *, noise: float = 0.0, seed: int = 0) -> Dataset:
    data = generated_log(robot, friction=linear(), seed=seed).dataset
    q, dq, ddq = data.q.copy(), data.dq.copy(), data.ddq.copy()
    q[:, joint], dq[:, joint], ddq[:, joint] = 0.3, 0.0, 0.0
    own = np.tile([0.2, 0.3, 0.1], (robot.n, 1))
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + friction_torque(linear(), own, Motion(q, dq, ddq))
    effort = effort + noise * np.random.default_rng(seed).normal(size=q.shape)
    return replace(data, q=q, dq=dq, ddq=ddq, effort=effort)


class TestUnexcitingLog:
    """A log in which a joint stands still is no error: it identifies what it can, and names what it can't."""

    @pytest.mark.parametrize("joint", range(7))
    def test_predicts_similar_motion(self, panda: Robot, joint: int) -> None:
        estimate = identify(panda, still_joint(panda, joint, seed=1), friction=linear(), drop_above_percent=None, cutoff=None)
        other = still_joint(panda, joint, seed=2)
        np.testing.assert_allclose(estimate.predict(other), other.effort, atol=1e-7)

    def test_names_what_it_does_not_determine(self, panda: Robot) -> None:
        estimate = identify(panda, still_joint(panda, 4), friction=linear(), drop_above_percent=None, cutoff=None)
        open_ones = [estimate.base.names[item.index] for item in estimate.dropped]
        assert {"fv5", "fc5"} <= set(open_ones)
        assert all(item.std == float("inf") for item in estimate.dropped)
        note = next(note for note in estimate.notes if carries(note, "don't", "determine"))
        assert all(name in note for name in open_ones)
        assert estimate.summary.rank == 64 - len(open_ones)
        assert estimate.kept.sum() == estimate.summary.rank

    def test_rank_is_that_of_the_rows(self, panda: Robot) -> None:
        data = still_joint(panda, 4)
        estimate = identify(panda, data, friction=linear(), drop_above_percent=None, cutoff=None)
        Y, _ = written_out(estimate.base, data)
        Y = Y.reshape(-1, estimate.base.rank)
        lengths = np.linalg.norm(Y, axis=0)
        scaled = Y / np.where(lengths > 0, lengths, 1.0)
        assert estimate.summary.rank == np.linalg.matrix_rank(scaled, rtol=1e-8)

    def test_noise_does_not_break_it(self, panda: Robot) -> None:
        estimate = identify(panda, still_joint(panda, 4, noise=0.1), friction=linear(), noise="per_group", cutoff=None)
        assert np.all(np.isfinite(estimate.values))
        assert estimate.residuals.relative_percent < 5.0

    def test_a_robot_that_never_moves_determines_gravity_alone(self, panda: Robot) -> None:
        data = generated_log(panda).dataset
        still = replace(data, q=data.q * 0 + 0.3, dq=data.dq * 0, ddq=data.ddq * 0, effort=np.tile(data.effort[0], (data.samples, 1)))
        estimate = identify(panda, still, drop_above_percent=None, friction=None, cutoff=None)
        assert estimate.summary.rank == 6
        np.testing.assert_allclose(estimate.predict(still)[:, 1:], still.effort[:, 1:], atol=1e-9)


class TestExactData:
    """Without noise only rounding is left: below 1e-11 of the coefficients' norm."""

    @pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "spatial_3r"])
    def test_classical_route(self, name: str) -> None:
        robot = load_robot(name)
        log = generated_log(robot, friction=linear(), samples=2000)
        estimate = identify(robot, log.dataset, friction=linear(), drop_above_percent=None, cutoff=None)
        assert relative_error(estimate.values, estimate.base.coefficients(log.standard)) < 1e-11

    def test_classical_route_filtered(self, panda: Robot) -> None:
        log = generated_log(panda, friction=linear(), samples=10_000, rate=500.0)
        estimate = identify(panda, log.dataset, friction=linear(), cutoff=5.0, drop_above_percent=None)
        assert relative_error(estimate.values, estimate.base.coefficients(log.standard)) < 1e-11

    @pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "spatial_3r"])
    @pytest.mark.parametrize("equations", ["controller", "inertia", "gravity"])
    def test_controller_route(self, name: str, equations: str) -> None:
        robot = load_robot(name)
        q = np.random.default_rng(0).uniform(-2, 2, (200, robot.n))
        samples = ControllerSamples(q=q, M=mass_matrix(robot, robot.parameters, q), g=gravity(robot, robot.parameters, q))
        estimate = identify(robot, samples, equations=equations, drop_above_percent=None)
        assert relative_error(estimate.values, estimate.base.coefficients(robot.parameters)) < 1e-11

    def test_every_coefficient_by_itself(self, panda: Robot) -> None:
        q = np.random.default_rng(0).uniform(-2, 2, (1000, 7))
        samples = ControllerSamples(q=q, M=mass_matrix(panda, panda.parameters, q), g=gravity(panda, panda.parameters, q))
        estimate = identify(panda, samples, drop_above_percent=None)
        truth = estimate.base.coefficients(panda.parameters)
        assert np.max(np.abs(estimate.values / truth - 1.0)) < 1e-10

    def test_nothing_is_dropped_and_the_noise_is_rounding(self, panda: Robot) -> None:
        log = generated_log(panda, friction=linear(), samples=2000)
        estimate = identify(panda, log.dataset, friction=linear(), cutoff=None)
        assert estimate.kept.all()
        assert estimate.residuals.relative_percent < 1e-11

    @pytest.mark.parametrize("noise", ["uniform", "per_group"])
    def test_of_a_wrong_model_is_not_exact(self, panda: Robot, noise: str) -> None:
        log = generated_log(panda, friction=linear(), samples=2000)
        estimate = identify(panda, log.dataset, noise=noise, drop_above_percent=None, friction=None, cutoff=None)
        assert estimate.residuals.relative_percent > 0.1


def relative_error(values: np.ndarray, truth: np.ndarray) -> float:
    return float(np.linalg.norm(values - truth) / np.linalg.norm(truth))


def test_unknown_noise_model_names_those_known(arm: Robot) -> None:
    problem = build_problem(arm, generated_log(arm).dataset, friction=None, cutoff=None)
    with raises(DynidentError, name="student", known=("uniform", "per_group")):
        regression.estimate(problem, noise="student")


def test_all_masked_but_too_little(arm: Robot) -> None:
    data = generated_log(arm).dataset
    mask = np.zeros(data.q.shape, dtype=bool)
    mask[:4] = True
    with raises(DynidentError, 12, 15, name="data"):
        build_problem(arm, replace(data, mask=mask), friction=None, cutoff=None)


def test_identify_is_build_then_fit(arm: Robot) -> None:
    data = generated_log(arm, noise=0.1).dataset
    problem = build_problem(arm, data, friction=linear(), known={"J3yz": 0.0}, cutoff=None)
    one, two = identify(arm, data, friction=linear(), known={"J3yz": 0.0}, cutoff=None), regression.estimate(problem)
    np.testing.assert_array_equal(one.values, two.values)
    assert one.base.known == {"J3yz": 0.0}


def test_base_of_the_problem_is_that_of_the_robot(arm: Robot) -> None:
    problem = build_problem(arm, generated_log(arm).dataset, friction=linear(), cutoff=None)
    assert problem.base.names == base_parameters(arm, friction=linear()).names


class TestStatus:
    """The status says how the fit ended, in a sentence; iterations that did not settle are not passed off as answers."""

    def test_a_rich_log_determines_everything(self, arm: Robot) -> None:
        estimate = identify(arm, generated_log(arm, noise=1e-3).dataset, noise="per_group", drop_above_percent=None, cutoff=None)
        assert estimate.status is EstimateStatus.COMPLETE
        assert estimate.status.value[1:] in str(estimate)

    def test_dropped_and_undetermined_ones_differ(self, arm: Robot) -> None:
        log = generated_log(arm, noise=1.0, samples=300)
        dropped = identify(arm, log.dataset, drop_above_percent=5.0, cutoff=None)
        assert dropped.status is EstimateStatus.DROPPED
        still = replace(log.dataset, q=0.0 * log.dataset.q, dq=0.0 * log.dataset.q)
        assert identify(arm, still, noise="uniform", cutoff=None).status is EstimateStatus.UNDETERMINED

    def test_weights_that_do_not_settle_say_so(self, arm: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
        log = generated_log(arm, noise=0.1, samples=300)
        problem = build_problem(arm, log.dataset, cutoff=None)
        assert regression.estimate(problem, noise="per_group").status is not EstimateStatus.WEIGHTS_UNSETTLED
        monkeypatch.setattr(import_module("dynident.regression.solution"), "ITERATIONS", 2)
        estimate = regression.estimate(problem, noise="per_group")
        assert estimate.status is EstimateStatus.WEIGHTS_UNSETTLED
        assert carries(" ".join(estimate.notes), "noise", "settle", 2)
        assert (
            regression.estimate(problem, noise="uniform").status is not EstimateStatus.WEIGHTS_UNSETTLED
        )  # which has no weights to settle

    def test_a_loss_that_does_not_settle_says_so(self, arm: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
        problem = build_problem(arm, generated_log(arm, noise=0.1, samples=300).dataset, cutoff=None)
        monkeypatch.setattr(import_module("dynident.regression.estimation"), "ITERATIONS", 1)
        estimate = regression.estimate(problem, loss=Huber())
        assert estimate.status is EstimateStatus.LOSS_UNSETTLED
        assert carries(" ".join(estimate.notes), "huber", "settle", 1)

    def test_exact_data_have_no_noise_level_to_settle_at(self, arm: Robot) -> None:
        estimate = identify(arm, generated_log(arm).dataset, noise="per_group", drop_above_percent=None, cutoff=None)
        assert estimate.status is EstimateStatus.COMPLETE
