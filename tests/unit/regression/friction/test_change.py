"""Friction before and after a refit: no alarm where nothing changed, one where Coulomb friction grew, for laws with and without shapes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dynident import identify
from dynident.dynamics.friction import friction_model, linear
from dynident.regression import Estimate, refit_friction
from dynident.regression.friction.curves import friction_curve
from dynident.runs import Stage
from dynident.runs.stages import StageContent
from tests.elbow_arm import controller_samples, described, draw_friction, elbow_arm, record, wear
from tests.facts import carries

LAWS = {"linear": linear(), "sigmoid": friction_model("sigmoid")}


@cache
def identified(law: str, seed: int) -> Estimate:
    arm = elbow_arm(seed)
    return identify(described(arm), record(arm, draw_friction(law, seed), 500 + seed), friction=LAWS[law])


def compare(law: str, before: Estimate, arm_seed: int, seed: int) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The joints that are said to have changed where none has and where one is worn, and that joint."""
    arm, friction, joint = elbow_arm(arm_seed), draw_friction(law, arm_seed), seed % 6
    same = refit_friction(before, record(arm, friction, seed))
    worn = refit_friction(before, record(arm, wear(friction, law, joint), 200 + seed))
    return same.changed, worn.changed, arm.joint_names[joint]


@pytest.mark.parametrize("law", LAWS)
def test_an_alarm_where_friction_changed_and_none_where_it_did_not(law):
    before = identified(law, 0)
    for seed in (0, 3):
        same, worn, joint = compare(law, before, 0, seed)
        assert same == ()
        assert worn == (joint,)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_no_alarm_in_twenty_unchanged_logs_and_one_in_twenty_worn_ones(law):
    for arm_seed in range(5):
        before = identified(law, arm_seed)
        for seed in range(4 * arm_seed, 4 * arm_seed + 4):
            same, worn, joint = compare(law, before, arm_seed, seed)
            assert same == (), seed
            assert joint in worn, seed


@pytest.mark.parametrize("law", LAWS)
def test_what_noise_makes_of_the_change_is_what_is_expected_of_it(law):
    arm, before = elbow_arm(0), identified(law, 0)
    squares = [
        change.deviations**2 for seed in range(4) for change in refit_friction(before, record(arm, draw_friction(law), seed)).changes
    ]
    # of 24 squares, four of each joint, which share the error of the friction before and are correlated by a quarter, the mean is 1 with a
    # variance of 2/24 (1 + 3/4): the bounds are two standard deviations
    assert 0.24 < np.mean(squares) < 1.76


def test_slopes_of_the_curve_are_those_of_the_refitted_friction():
    estimate = identified("sigmoid", 0)
    speeds, step = np.array([-0.7, -0.1, 0.05, 0.4]), 1e-4
    curve = friction_curve(estimate, 2, speeds)
    place = estimate.base.names.index("fsig3")
    moved = replace(estimate, values=estimate.values + step * (np.arange(estimate.base.rank) == place))
    np.testing.assert_allclose((friction_curve(moved, 2, speeds).torque - curve.torque) / step, curve.slopes[:, place], rtol=1e-6)
    own = [i for i, shape in enumerate(estimate.shapes) if shape.joint == "a3"]
    assert np.all(curve.slopes[:, [estimate.base.rank + i for i in own]] != 0.0)
    assert np.count_nonzero(curve.slopes.any(axis=0)) == 1 + len(own)


def test_the_covariance_of_the_shapes_belongs_to_that_of_the_coefficients():
    estimate = identified("sigmoid", 0)
    whole = estimate.whole_covariance
    assert whole.shape == (estimate.base.rank + 12,) * 2
    np.testing.assert_allclose(whole, whole.T)
    assert np.linalg.eigvalsh(whole / np.sqrt(np.outer(np.diag(whole), np.diag(whole))))[0] > -1e-9
    np.testing.assert_allclose(np.sqrt(np.diag(whole)[estimate.base.rank :]), [shape.std for shape in estimate.shapes])


@pytest.mark.parametrize("law", LAWS)
def test_links_of_a_controller_have_no_friction_to_compare_with(law):
    arm, friction = elbow_arm(0), draw_friction(law)
    links = identify(described(arm), controller_samples(arm))
    found = refit_friction(links, record(arm, friction, 0), model=LAWS[law])
    assert (found.changed, found.uncompared != "") == ((), True)
    assert carries(found.sentence, "Nothing", "M and g", "friction")
    change = found.changes[0]
    assert (change.before, change.rms, change.percent, change.deviations, change.chance, change.changed) == (None,) * 6
    assert change.error_after < change.error_before
    json.dumps(Stage.FRICTION.make_document(StageContent(result=found)), allow_nan=False)


def test_without_a_word_about_the_filter_python_takes_the_one_that_is_usual_for_the_log():
    arm, friction = elbow_arm(0), draw_friction("sigmoid")
    links = identify(described(arm), controller_samples(arm))
    found = refit_friction(links, record(arm, friction, 0), model=LAWS["sigmoid"])
    assert found.estimate.summary.processing.cutoff_hz == 5.0
    assert found.estimate.residuals.relative_percent < 1.0
    parameters = found.estimate.friction_parameters
    assert parameters is not None
    np.testing.assert_allclose(parameters, friction[1], rtol=0.02)


def test_the_filter_is_that_of_the_identification_where_there_was_one():
    arm, friction = elbow_arm(0), draw_friction("linear")
    before = identify(described(arm), record(arm, friction, 500), cutoff=8.0, rate=25.0)
    done = refit_friction(before, record(arm, friction, 0)).estimate.summary.processing
    assert (done.cutoff_hz, done.rate_hz) == pytest.approx((8.0, 25.0))
    slower = refit_friction(before, record(arm, friction, 0, rate=25.0)).estimate.summary.processing
    assert slower.cutoff_hz == pytest.approx(6.25)


def test_a_run_of_an_older_version_is_not_compared():
    arm, before = elbow_arm(0), identified("sigmoid", 0)
    found = refit_friction(replace(before, shape_covariance=None), record(arm, draw_friction("sigmoid"), 0))
    assert carries(found.uncompared, "identify", "again")


def test_friction_that_was_fitted_again_can_be_compared_again():
    arm, before, friction = elbow_arm(0), identified("linear", 0), draw_friction("linear")
    worn = refit_friction(before, record(arm, wear(friction, "linear", 1), 0)).estimate
    assert refit_friction(worn, record(arm, wear(friction, "linear", 1), 1)).changed == ()
    assert refit_friction(worn, record(arm, friction, 2)).changed == ("a2",)
