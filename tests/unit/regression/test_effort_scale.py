"""Efforts of another unit show as one factor beside the links of the description, whatever else is wrong with these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.result import RetrievalStatus
from dynident.regression.effort_scale import effort_scale
from tests.facts import about
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")


def scaled(factor: float, robot=ROBOT, noise: float = 0.3):
    log = synthetic_log(noise=noise)
    return identify(robot, replace(log, effort=factor * log.effort), cutoff=None, ignore_doctor=True)


@pytest.mark.parametrize("factor", [1.0, 1.0 / 16.0, 10.2])
def test_the_factor_is_found(factor):
    assert effort_scale(scaled(factor, noise=0.0)) == pytest.approx((factor, factor), rel=1e-6)


def test_noise_leaves_the_factor_between_two_values():
    scale = effort_scale(scaled(1.0, noise=20.0))
    assert scale is not None
    low, high = scale
    assert low == pytest.approx(1.0, rel=0.01)  # ten times its standard deviation
    assert high > 1.02 * low


def test_links_that_explain_nothing_tell_no_factor():
    estimate = scaled(1.0)
    turned = replace(estimate.base, robot=ROBOT.with_parameters(-ROBOT.parameters))
    assert effort_scale(replace(estimate, base=turned)) is None


@pytest.mark.parametrize(("factor", "doubted"), [(0.5, False), (1.0, False), (2.0, False), (1.0 / 16.0, True), (10.2, True)])
def test_a_factor_beyond_three_is_doubted_by_every_later_stage(factor, doubted):
    estimate = scaled(factor)
    assert bool(about(estimate.doubts, "efforts", "unit", "masses")) is doubted
    links = solve_retrieval(retrieval_problem(estimate))
    assert (links.status is RetrievalStatus.DOUBTFUL) is doubted
    assert set(estimate.doubts) <= set(links.doubts)


def test_beside_uniform_links_only_a_large_factor_is_doubted():
    bare = replace(ROBOT, links=tuple(replace(link, parameters=None, pieces=()) for link in ROBOT.links))
    assert bare.parameters is None
    middle = float(np.mean(effort_scale(scaled(1.0, bare))))
    for factor, doubted in ((1.0, False), (3.0, False), (0.3, False), (20.0, True), (0.05, True)):
        assert bool(about(scaled(factor / middle, bare).doubts, "efforts", "unit")) is doubted
