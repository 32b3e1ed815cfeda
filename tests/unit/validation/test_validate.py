"""Validation: identities of its errors, bands that cover, folds that partition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, regression
from dynident.data import Dataset, decimate, low_pass, mask_standstill, resample
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.errors import InputError
from dynident.links import FeasibleSet, PhysicalConsistency, build_retrieval, prior_to_robot, retrieval_problem, solve_retrieval, two_step
from dynident.regression import build_problem, residuals
from dynident.regression.problem import problem_on_base
from dynident.validation import validate
from tests.facts import about, carries, raises
from tests.logs import synthetic_log, synthetic_samples


def noisy(seed: int = 2, noise: float = 0.3, samples: int = 3000) -> Dataset:
    return synthetic_log(noise=noise, samples=samples, seed=seed)


@pytest.fixture(scope="module")
def filtered():
    robot = load_robot("planar_2r")
    return identify(robot, noisy().part(0, 0.7), friction=linear(), cutoff=6.0, rate=25.0)


def test_a_perfect_model_has_no_error():
    log = synthetic_log()
    found = validate(identify(load_robot("planar_2r"), log, friction=linear(), drop_above_percent=None, cutoff=None), synthetic_log(seed=9))
    assert found.coefficients.overall_percent < 1e-7
    np.testing.assert_allclose(found.coefficients.r_squared, 1.0, atol=1e-12)
    np.testing.assert_allclose(found.coefficients.rms, 0.0, atol=1e-7)


def test_the_nominal_model_of_data_made_with_it_is_perfect_but_for_friction():
    """The log is made with the description's links, so that what is left without friction is friction."""
    log = synthetic_log(seed=9)
    found = validate(identify(load_robot("planar_2r"), synthetic_log(), friction=linear(), drop_above_percent=None, cutoff=None), log)
    assert found.nominal is not None
    assert found.nominal.overall_percent < 1e-7
    robot = load_robot("planar_2r")
    friction = log.effort - inverse_dynamics(robot, robot.parameters, log.q, log.dq, log.ddq)
    for item in found.models:
        expected = 0.0 if item.friction else np.sqrt(np.mean(friction**2, axis=0))
        np.testing.assert_allclose(item.rms, expected, atol=1e-6)


def test_errors_are_those_of_the_regression(filtered):
    """The same rows, filter and masks: residuals() of the compressed problem is the reference."""
    mask = np.ones((900, 2), dtype=bool)
    mask[200:320, 0] = False
    held_out = replace(noisy().part(0.7, 1), mask=mask)
    found = validate(filtered, held_out)
    expected = residuals(problem_on_base(filtered.base, held_out, cutoff=6.0, rate=25.0), filtered.values)
    np.testing.assert_allclose(found.coefficients.rms, expected.rms_per_group, rtol=1e-9)
    np.testing.assert_allclose(found.coefficients.relative_percent, expected.relative_percent_per_group, rtol=1e-9)
    assert found.coefficients.overall_percent == pytest.approx(expected.relative_percent, rel=1e-9)
    assert [len(item.time) for item in found.series] == expected.counts.tolist()


def test_no_filter_can_be_asked_for(filtered):
    log = noisy().part(0.7, 1)
    assert [len(item.time) for item in validate(filtered, log, cutoff=None).series] == [log.samples] * 2
    assert len(validate(filtered, log).series[0].time) < log.samples


def test_newton_euler_and_lagrangian_form_agree(filtered):
    """Link parameters that reproduce the coefficients exactly predict the same, through another algorithm."""

    class Representative:
        parameters = filtered.link_part
        friction_parameters = filtered.friction_parameters
        covariance = None
        doubts = ()

    found = validate(filtered, noisy().part(0.7, 1), links=Representative())
    for item in found.series:
        scale = np.abs(item.measured).max()
        np.testing.assert_allclose(item.predicted["links"], item.predicted["coefficients"], atol=1e-10 * scale)
        np.testing.assert_allclose(item.predicted["links_rigid"], item.predicted["coefficients_rigid"], atol=1e-10 * scale)


def test_retrieved_links_are_validated_too(filtered):
    problem = build_retrieval(
        filtered.base, two_step(filtered), FeasibleSet((PhysicalConsistency(),)), prior=prior_to_robot(filtered.base.robot)
    )
    found = validate(filtered, noisy().part(0.7, 1), links=solve_retrieval(problem))
    assert found.links is not None
    assert found.links.overall_percent < 2.0 * found.coefficients.overall_percent
    assert [(item.model, item.friction) for item in found.models] == [
        (model, friction) for model in ("coefficients", "links", "nominal") for friction in (True, False)
    ]


def test_known_parameters_are_part_of_the_prediction():
    robot = load_robot("planar_2r")
    estimate = identify(
        robot,
        synthetic_log(),
        friction=linear(),
        known={"fv1": 0.4, "m2": float(robot.parameters[1, 0])},
        drop_above_percent=None,
        cutoff=None,
    )
    assert validate(estimate, synthetic_log(seed=4)).coefficients.overall_percent < 1e-7


def test_the_controller_s_coefficients_predict_torques():
    """M and g determine the torque of any motion; without friction in the log they do so exactly."""
    estimate = identify(load_robot("spatial_3r"), synthetic_samples(), drop_above_percent=None)
    robot, log = load_robot("spatial_3r"), synthetic_log("spatial_3r")
    exact = replace(log, effort=inverse_dynamics(robot, robot.parameters, log.q, log.dq, log.ddq))
    found = validate(estimate, exact)
    assert found.coefficients.overall_percent < 1e-6
    assert found.band.noise == {}
    assert found.coverage_percent is None
    gravity_only = identify(robot, synthetic_samples(), equations="gravity")
    with raises(InputError, "gravity", "only"):
        validate(gravity_only, exact)
    with raises(InputError, "validate_samples"):
        validate(estimate, synthetic_samples())


def test_the_band_of_the_prediction_covers_the_truth():
    """Over many logs, the noiseless torque of another motion is within 1.96 standard deviations 95 % of the time."""
    robot = load_robot("planar_2r")
    truth = synthetic_log(seed=50, samples=300)
    inside: list[float] = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        log = synthetic_log(seed=1, samples=400)
        problem = build_problem(
            robot, replace(log, effort=log.effort + rng.normal(0, 0.5, log.effort.shape)), friction=linear(), cutoff=None
        )
        found = validate(regression.estimate(problem, drop_above_percent=None), truth)
        inside += [float(np.mean(np.abs(item.error("coefficients")) <= 1.96 * item.std["coefficients"])) for item in found.series]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.025)


def test_band_and_noise_cover_the_measured_torque(filtered):
    found = validate(filtered, noisy().part(0.7, 1))
    assert found.coverage_percent is not None
    np.testing.assert_allclose(found.coverage_percent, 95.0, atol=3.5)


def test_worst_moments_are_the_largest_errors(filtered):
    log = noisy(noise=0.0).part(0.7, 1)
    effort = log.effort.copy()
    effort[:, 1] += 20.0 * np.exp(-(((log.time - log.time[450]) / 0.05) ** 2))  # a push; a single value would be left out
    found = validate(filtered, replace(log, effort=effort))
    worst = max(found.worst, key=lambda moment: abs(moment.error))
    assert worst.joint == found.joints[1]
    assert worst.time == pytest.approx(log.time[450], abs=0.05)
    times = [moment.time for moment in found.worst if moment.joint == found.joints[0]]
    assert len(times) == 3
    assert np.min(np.abs(np.diff(sorted(times)))) >= 1.0


def test_a_joint_without_variation_has_no_r_squared(filtered):
    log = noisy().part(0.7, 1)
    found = validate(filtered, replace(log, effort=np.stack([log.effort[:, 0], np.full(log.samples, 2.0)], axis=1)))
    assert np.isnan(found.coefficients.r_squared[1])
    assert np.isfinite(found.coefficients.r_squared[0])


def test_a_log_without_accelerations_is_filtered_where_the_run_was_not():
    estimate = identify(load_robot("planar_2r"), synthetic_log(), friction=linear(), drop_above_percent=None, cutoff=None)
    found = validate(estimate, replace(synthetic_log(seed=3), ddq=None))
    assert found.summary.processing.cutoff_hz == 5.0
    assert carries(found.notes[0], "5 Hz")
    assert found.coefficients.overall_percent < 1.0


def seen_by(fitted: Dataset, judged: Dataset) -> float | None:
    return validate(identify(load_robot("planar_2r"), fitted, friction=linear(), cutoff=6.0, rate=25.0), judged).seen


def test_data_of_the_fit_are_recognised_whatever_was_done_to_them():
    log = noisy()
    first, last = log.part(0, 0.7), log.part(0.7, 1)
    assert seen_by(first, last) == 0.0
    assert seen_by(first, log.part(0.5, 1)) == pytest.approx(0.4)
    assert seen_by(log, last) == 1.0
    assert seen_by(first, noisy(seed=3)) == 0.0
    assert seen_by(Dataset.concatenate([noisy(seed=3), log]), replace(last, source="renamed")) == 1.0
    assert seen_by(first, low_pass(first, 20.0)) == 1.0
    assert seen_by(resample(first, 90.0), decimate(first, 2)) == pytest.approx(1.0, abs=1e-3)
    assert seen_by(mask_standstill(first, 1e-3), first) > 0.99
    copy = Dataset(time=log.time, q=log.q, dq=log.dq, ddq=log.ddq, effort=log.effort, effort_kind="torque", source="another name")
    assert seen_by(first, copy.part(0.35, 1)) == pytest.approx(0.35 / 0.65, abs=1e-3)


def test_what_a_mask_hides_was_not_seen():
    log = noisy()
    mask = np.ones((log.samples, 2), dtype=bool)
    mask[log.samples // 2 :] = False
    assert seen_by(replace(log, mask=mask), log.part(0.5, 1)) == 0.0
    assert seen_by(replace(log, mask=mask), log) == pytest.approx(0.5)


def test_it_says_whether_the_data_were_seen(filtered):
    log = noisy()
    assert not about(validate(filtered, log.part(0.7, 1)).notes, "new", "data")
    assert carries(validate(filtered, log.part(0, 0.5)).notes[0], "100.0%", "samples")
    found = validate(replace(filtered, provenance=None), log.part(0.7, 1))
    assert (found.seen, found.on_new_data) == (None, None)
    assert carries(found.notes[0], "not", "known")


def test_it_prints_its_tables(filtered):
    text = str(validate(filtered, noisy().part(0.7, 1), folds=3))
    for words in ("Errors per joint", "R²", "Worst moments", "Cross-validation", "no friction", "Relative error"):
        assert words in text


class TestTheModelToUse:
    """Links where they predict about as well as the coefficients; what predicts clearly better otherwise."""

    @pytest.mark.parametrize(
        ("coefficients", "links", "nominal", "use"),
        [
            (2.0, 2.2, 6.0, "the link parameters"),
            (3.7, 1.6, 6.0, "the link parameters"),
            (2.0, 188.0, 6.0, "the coefficients"),
            (9.0, 8.0, 2.0, "the nominal links with the identified friction"),
            (2.0, None, 6.0, "the coefficients"),
        ],
    )
    def test_it_is_the_one_that_predicts(self, filtered, coefficients, links, nominal, use):
        validation = validate(filtered, noisy().part(0.7, 1))
        wanted = {"coefficients": coefficients, "links": links, "nominal": nominal}
        models = tuple(
            replace(validation.coefficients, model=name, overall_percent=value) for name, value in wanted.items() if value is not None
        )
        predicted = [dict.fromkeys(wanted, item.predicted["coefficients"]) for item in validation.series]
        series = tuple(replace(item, predicted=each) for item, each in zip(validation.series, predicted, strict=True))
        judged = replace(validation, models=models, series=series)
        assert judged.advice.startswith(f"Use {use}: ")
        assert judged.advice in str(judged)


@pytest.mark.parametrize("factor", [1.0, 10.2, 1.0 / 16.0])
def test_what_earlier_stages_doubt_is_not_recommended(factor):
    """Efforts in kgf·cm, or currents, are predicted as well as torques, with links that no such arm has."""
    log = noisy()
    wrong = replace(log, effort=factor * log.effort)
    estimate = identify(load_robot("planar_2r"), wrong.part(0, 0.7), friction=linear(), cutoff=6.0, rate=25.0, ignore_doctor=True)
    links = solve_retrieval(retrieval_problem(estimate))
    judged = validate(estimate, wrong.part(0.7, 1), links=links)
    assert judged.links.overall_percent < 10.0
    if factor == 1.0:
        assert judged.doubts == judged.summary.link_doubts == ()
        assert judged.recommended is judged.links
    else:
        assert judged.doubts == estimate.doubts != ()
        assert judged.doubts[0] in judged.advice
        assert judged.doubts[0] in str(judged)
    doubt = "link2 is too heavy"
    doubted = validate(estimate, wrong.part(0.7, 1), links=replace(links, doubts=(doubt,)))
    assert doubted.recommended is doubted.coefficients
    assert doubt in doubted.advice


def test_magnitudes_are_compared_with_the_magnitude_of_the_prediction(filtered):
    held_out = noisy().part(0.7, 1)
    unsigned = replace(held_out, effort=np.abs(held_out.effort), effort_kind="magnitude", dq=None, ddq=None)
    signed, found = validate(filtered, held_out), validate(filtered, unsigned)
    assert found.coefficients.overall_percent == pytest.approx(signed.coefficients.overall_percent, rel=0.1)
    assert about(found.notes, "no", "signs")
    assert not about(signed.notes, "no", "signs")
    amperes = validate(filtered, replace(unsigned, effort_kind="current_magnitude"))
    assert [any("|current|" in note for note in item.notes) for item in (amperes, found)] == [True, False]
    doubled = validate(filtered, replace(unsigned, effort=2.0 * unsigned.effort))
    assert doubled.coefficients.overall_percent == pytest.approx(50.0, abs=2.0)


def test_a_joint_whose_friction_has_changed_is_named_though_all_joints_together_look_fine(filtered):
    """A small joint hardly shows in the error over all joints, and so neither in the first word of the verdict."""
    log = noisy().part(0.7, 1)
    fine, loud = validate(filtered, log), 60.0 * np.sign(np.sin(np.arange(log.samples)[:, None] / 40.0)) * [0.0, 1.0]
    assert not any("95 % bands" in note for note in fine.notes)
    assert fine.judgement == fine.recommended.grade.value
    changed = validate(filtered, replace(log, effort=log.effort + loud))
    assert changed.coverage_percent[1] < 50.0 < changed.coverage_percent[0]
    told = next(note for note in changed.notes if "95 % bands" in note)
    assert f"({changed.joints[1]} {changed.coverage_percent[1]:.0f} %)" in told
    percent = changed.coefficients.relative_percent
    found = replace(changed.coefficients, overall_percent=1.0, overall_ratio=1.0, ratio=np.array([1.0, 9.0]))
    judged = replace(changed, models=(found,))
    assert carries(judged.judgement, "well", changed.joints[1], f"({percent[1]:.0f} %)", "badly")
