"""Building problems: compression, preparation of logs, merging, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import Robot, load_robot, regression
from dynident.data import ControllerSamples, Dataset
from dynident.dynamics import gravity, mass_matrix
from dynident.dynamics.friction import Viscous, linear
from dynident.errors import DynidentError
from dynident.regression import Huber, base_parameters, build_problem, identify
from dynident.regression.equations.factors import compress, triangular
from tests.facts import about, raises
from tests.oracles.logs import generated_log


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


class TestCompression:
    def test_block_by_block_is_one_qr(self) -> None:
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(1000, 12))
        factor = np.zeros((12, 12), order="F")
        for start, stop in ((0, 5), (5, 300), (300, 301), (301, 1000)):
            factor = compress(factor, rows[start:stop].T.copy())
        R = np.linalg.qr(rows, mode="r")
        np.testing.assert_allclose(np.abs(np.triu(factor)), np.abs(R), rtol=1e-10)
        assert np.array_equal(factor, np.triu(factor))

    def test_fewer_rows_than_columns(self) -> None:
        rows = np.random.default_rng(0).normal(size=(3, 8))
        factor = compress(np.zeros((8, 8), order="F"), rows.T.copy())
        np.testing.assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-12)
        R = triangular([rows])
        assert R.shape == (8, 8)
        np.testing.assert_allclose(R.T @ R, rows.T @ rows, atol=1e-12)

    def test_keeps_the_digits_that_normal_equations_lose(self) -> None:
        """At condition 1e9 a solution through QR keeps about seven digits, one through YᵀY none."""
        rng = np.random.default_rng(0)
        U, V = np.linalg.qr(rng.normal(size=(5000, 10)))[0], np.linalg.qr(rng.normal(size=(10, 10)))[0]
        Y = (U * np.logspace(0, -9, 10)) @ V
        truth = rng.normal(size=10)
        table = np.column_stack([Y, Y @ truth])
        factor = np.zeros((11, 11), order="F")
        for start in range(0, 5000, 500):
            factor = compress(factor, table[start : start + 500].T.copy())
        by_qr = np.linalg.solve(np.triu(factor)[:10, :10], factor[:10, 10])
        by_gram = np.linalg.lstsq(Y.T @ Y, Y.T @ (Y @ truth), rcond=0)[0]
        assert np.linalg.norm(by_qr - truth) < 1e-5 * np.linalg.norm(truth)
        assert np.linalg.norm(by_gram - truth) > 1e-3 * np.linalg.norm(truth)

    def test_a_joint_only_has_the_columns_that_it_moves(self) -> None:
        panda = load_robot("panda")
        problem = build_problem(panda, generated_log(panda, friction=linear()).dataset, friction=linear(), cutoff=None)
        last = [problem.base.names[i] for i in problem.groups[6].columns]
        assert all(name.endswith("7") or name[1:].startswith(("7", "c7")) for name in last)
        assert len(problem.groups[0].columns) == 43 + 3


class TestMerging:
    def test_order_does_not_matter(self, arm: Robot) -> None:
        one, two = (build_problem(arm, generated_log(arm, noise=0.1, seed=seed).dataset, friction=None, cutoff=None) for seed in (0, 1))
        a, b = regression.estimate(one.merge(two), drop_above_percent=None), regression.estimate(two.merge(one), drop_above_percent=None)
        np.testing.assert_allclose(a.values, b.values, atol=1e-11)

    def test_robust_fits_see_both_logs(self, arm: Robot) -> None:
        logs = [generated_log(arm, noise=0.1, seed=seed).dataset for seed in (0, 1)]
        merged = build_problem(arm, logs[0], friction=None, cutoff=None).merge(build_problem(arm, logs[1], friction=None, cutoff=None))
        joined = build_problem(arm, Dataset.concatenate(logs), friction=None, cutoff=None)
        a, b = (regression.estimate(problem, loss=Huber(), drop_above_percent=None) for problem in (merged, joined))
        np.testing.assert_allclose(a.values, b.values, atol=1e-9)

    def test_another_friction_model_is_refused(self, arm: Robot) -> None:
        data = generated_log(arm).dataset
        with raises(DynidentError, "different", "base"):
            build_problem(arm, data, friction=None, cutoff=None).merge(build_problem(arm, data, friction=Viscous(), cutoff=None))

    def test_another_robot_with_the_same_names_is_refused(self) -> None:
        """Another Panda, whose links are longer: the same leading parameters stand for other sums."""
        panda = load_robot("panda")
        joints = list(panda.joints)
        longer = joints[2].placement.copy()
        longer[:3, 3] *= 1.1
        joints[2] = replace(joints[2], placement=longer)
        other = replace(panda, joints=tuple(joints))
        assert base_parameters(other).names == base_parameters(panda).names
        with raises(DynidentError, "different", "base"):
            build_problem(panda, generated_log(panda).dataset, friction=None, cutoff=None).merge(
                build_problem(other, generated_log(other).dataset, friction=None, cutoff=None)
            )

    def test_other_known_values_are_refused(self, arm: Robot) -> None:
        data = generated_log(arm).dataset
        with raises(DynidentError, "different", "known"):
            build_problem(arm, data, known={"J3yz": 0.0}, friction=None, cutoff=None).merge(
                build_problem(arm, data, known={"J3yz": 1.0}, friction=None, cutoff=None)
            )


class TestPreparation:
    def test_missing_derivatives_are_taken(self, arm: Robot) -> None:
        log = generated_log(arm, friction=linear(), samples=12_000, rate=1000.0)
        bare = replace(log.dataset, dq=None, ddq=None)
        problem = build_problem(arm, bare, friction=linear(), cutoff=5.0)
        assert problem.processing.differentiated == ("dq", "ddq")
        values = regression.estimate(problem, drop_above_percent=None).values
        truth = problem.base.coefficients(log.standard)
        assert np.linalg.norm(values - truth) < 1e-3 * np.linalg.norm(truth)

    def test_a_jittery_clock_is_resampled(self, arm: Robot) -> None:
        log = generated_log(arm, friction=linear(), samples=12_000, rate=1000.0)
        rng = np.random.default_rng(0)
        kept = np.sort(rng.choice(12_000, 10_000, replace=False))
        data = log.dataset.take(kept, starts=(0,), step="jitter")
        problem = build_problem(arm, data, friction=linear(), cutoff=5.0)
        assert problem.processing.resampled_to_hz == pytest.approx(1000.0)
        values = regression.estimate(problem, drop_above_percent=None).values
        truth = problem.base.coefficients(log.standard)
        assert np.linalg.norm(values - truth) < 1e-3 * np.linalg.norm(truth)

    def test_without_filter_a_jittery_clock_may_stay(self, arm: Robot) -> None:
        log = generated_log(arm, samples=2000)
        data = log.dataset.take(np.sort(np.random.default_rng(0).choice(2000, 1500, replace=False)), starts=(0,))
        estimate = identify(arm, data, drop_above_percent=None, friction=None, cutoff=None)
        np.testing.assert_allclose(estimate.values, estimate.base.coefficients(log.standard), atol=1e-10)

    def test_default_rate_is_four_times_the_cutoff(self, arm: Robot) -> None:
        problem = build_problem(arm, generated_log(arm, samples=6000, rate=500.0).dataset, cutoff=5.0, friction=None)
        assert problem.processing.rate_hz == pytest.approx(20.0)
        assert problem.processing.cutoff_hz == 5.0

    def test_short_segments_are_left_out(self, arm: Robot) -> None:
        data = generated_log(arm, samples=6000, rate=500.0).dataset
        whole = build_problem(arm, data, cutoff=5.0, friction=None)
        cut = build_problem(arm, replace(data, starts=(0, 5900)), cutoff=5.0, friction=None)
        assert 0 < cut.counts[0] < whole.counts[0]


class TestRefusals:
    def test_wrong_number_of_joints(self, arm: Robot) -> None:
        panda = load_robot("panda")
        with raises(DynidentError, 3, "panda", 7):
            build_problem(panda, generated_log(arm).dataset, friction=None, cutoff=None)

    def test_no_effort(self, arm: Robot) -> None:
        with raises(DynidentError, "effort", remedy={"columns": {"effort": "tau*"}}):
            build_problem(arm, replace(generated_log(arm).dataset, effort=None), friction=None, cutoff=None)

    def test_currents(self, arm: Robot) -> None:
        with raises(DynidentError, "current", "torque", remedy={"effort_gains": "14.9,-12.1", "identify_gains": ...}):
            build_problem(arm, replace(generated_log(arm).dataset, effort_kind="current"), friction=None, cutoff=None)

    @pytest.mark.parametrize(("kind", "what"), [("magnitude", "torque"), ("current_magnitude", "current")])
    def test_magnitudes_name_what_recovers_their_signs(self, arm: Robot, kind: str, what: str) -> None:
        data = generated_log(arm).dataset
        unsigned = replace(data, effort=np.abs(data.effort), effort_kind=kind)
        with raises(DynidentError, "magnitude", what, remedy={"recover_signs": ...}):
            build_problem(arm, unsigned, friction=None, cutoff=None)
        assert about(build_problem(arm, replace(unsigned, effort_kind="torque")).notes, "magnitudes")
        assert not any("magnitudes" in note for note in build_problem(arm, data).notes)

    def test_rate_without_cutoff(self, arm: Robot) -> None:
        with raises(DynidentError, name="rate", remedy={"cutoff": 5.0}):
            build_problem(arm, generated_log(arm).dataset, rate=20.0, friction=None, cutoff=None)

    def test_too_short_a_log(self, arm: Robot) -> None:
        with raises(DynidentError, 9, 15, name="data"):
            build_problem(arm, generated_log(arm, samples=3).dataset, friction=None, cutoff=None)
        with raises(DynidentError, 0, 15, name="data"):
            build_problem(arm, generated_log(arm, samples=100).dataset, cutoff=5.0, friction=None)

    def test_extra_columns_of_another_shape(self, arm: Robot) -> None:
        with raises(DynidentError, "(1000, 3)", name="extra column 'spring'", shape=(1000,)):
            build_problem(arm, generated_log(arm).dataset, extra={"spring": np.zeros(1000)}, friction=None, cutoff=None)
        with raises(DynidentError, "NaN", name="extra column 'spring'"):
            build_problem(arm, generated_log(arm).dataset, extra={"spring": np.full((1000, 3), np.nan)}, friction=None, cutoff=None)

    def test_equations_that_the_samples_lack(self, arm: Robot) -> None:
        q = np.random.default_rng(0).normal(size=(50, 3))
        samples = ControllerSamples(q=q, g=gravity(arm, arm.parameters, q))
        with raises(DynidentError, "inertia", "gravity"):
            build_problem(arm, samples, equations="inertia")

    def test_filtering_controller_samples(self, arm: Robot) -> None:
        q = np.random.default_rng(0).normal(size=(50, 3))
        samples = ControllerSamples(q=q, M=mass_matrix(arm, arm.parameters, q))
        with raises(DynidentError, "static", name="cutoff"):
            build_problem(arm, samples, cutoff=5.0)


def test_uninformative_rows_are_found_not_listed() -> None:
    """Upright, the first gravity row is zero; tilted, it isn't, and it counts."""
    panda = load_robot("panda")
    q = np.random.default_rng(0).uniform(-2, 2, (100, 7))
    for robot, first in ((panda, "g2"), (panda.with_gravity([1.0, 2.0, -9.0]), "g1")):
        samples = ControllerSamples(q=q, g=gravity(robot, robot.parameters, q))
        assert build_problem(robot, samples).groups[0].name == first
