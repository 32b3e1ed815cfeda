"""The published sigmoids of the Panda (eq. 25), recovered from a virtual one."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.friction import PUBLISHED, SIGMOID, errors_of, true_friction
from dynident import load_robot
from dynident.regression import Estimate, build_problem, fit_friction
from tests.facts import about
from tests.unit.regression.friction.friction_logs import friction_log


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    model, parameters = true_friction()
    log = friction_log(model, parameters, "panda", seconds=60.0, fastest=1.6, noise=0.02)
    return fit_friction(build_problem(load_robot("panda"), log), SIGMOID)


def test_they_are_recovered_on_every_joint(estimate: Estimate):
    largest = np.abs(errors_of(estimate)).max(axis=0)
    assert largest[0] < 1.0
    assert largest[1] < 7.0


def test_shift_and_offset_are_told_apart(estimate: Estimate):
    shifts = np.array([(shape.value, shape.std) for shape in estimate.shapes if shape.name == "shift"], dtype=float)
    assert np.all(np.abs(shifts[:, 0] - PUBLISHED[:, 2]) < 4.0 * shifts[:, 1])


def test_the_twin_with_both_signs_turned_is_not_returned(estimate: Estimate):
    parameters = estimate.friction_parameters
    assert parameters is not None
    assert np.all(parameters[:, 0] > 0.0)
    assert all(shape.value > 0.0 for shape in estimate.shapes if shape.name == "steepness")


def test_below_their_bend_only_the_product_is_known():
    model, parameters = true_friction()
    slow = friction_log(model, parameters, "panda", seconds=60.0, fastest=0.1, noise=0.1)
    found = fit_friction(build_problem(load_robot("panda"), slow), SIGMOID)
    assert about(found.notes, "product", "fsig (φ1)", "steepness (φ2)")
