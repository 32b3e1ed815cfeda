"""Friction of links opposes the motion at every speed of the log, by whichever route they came."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.dynamics.friction import friction_model, linear
from dynident.links import one_step, retrieval_problem, solve_retrieval, two_step
from dynident.links.constraints.terms import violations
from dynident.links.new_friction import with_new_friction
from dynident.links.shared_links import Sharer, share_links
from dynident.regression import refit_friction
from dynident.routes.signs.feasible import hypothesis_goal, physical_terms
from dynident.routes.signs.prepare import prepare_magnitudes
from dynident.runs import read_estimate, read_parameters, write_result
from tests.facts import carries
from tests.logs import FRICTION, synthetic_log

ROBOT = load_robot("planar_2r")
#: Coulomb friction and its slope, per joint: that of joint 2 would drive it beyond 2 rad/s, as an unmodelled effect may make it look.
COULOMB, VISCOUS = np.array([0.7, 0.4]), np.array([0.4, -0.2])


def driving_log(seed: int = 1):
    log = synthetic_log(noise=0.3, seed=seed)
    fv, fc, _ = FRICTION
    effort = log.effort + (VISCOUS - fv) * log.dq + (COULOMB - fc) * np.sign(log.dq)
    return replace(log, effort=effort)


@pytest.fixture(scope="module")
def estimate():
    found = identify(ROBOT, driving_log(), cutoff=None)
    assert np.abs(driving_log().dq[:, 1]).max() > 2.2
    assert found.friction_parameters[1, 0] == pytest.approx(-0.2, abs=0.05)  # the coefficients may say so
    assert any("fv2" in note and "negative" in note for note in found.notes)  # and that is noted
    return found


def braking(links, log):
    """(n,) friction just above standstill, and at the largest speed, without the offset."""
    fv, fc, _ = links.friction_parameters.T
    return fc, fc + fv * np.abs(log.dq).max(axis=0)


def check(links, log):
    slow, fast = braking(links, log)
    assert np.all(slow >= -1e-6)
    assert np.all(fast >= -1e-6)
    assert links.friction_parameters[1, 0] < 0.0  # no more is asked for than that
    assert slow[0] == pytest.approx(COULOMB[0], abs=0.1)


def test_most_probable_links(estimate):
    check(solve_retrieval(retrieval_problem(estimate)), driving_log())


@pytest.mark.parametrize("objective", [two_step, lambda estimate: one_step(estimate.problem)], ids=["two steps", "one step"])
def test_links_of_the_papers_objectives(estimate, objective):
    check(solve_retrieval(retrieval_problem(estimate, objective=objective(estimate))), driving_log())


def test_links_that_a_fleet_shares(estimate):
    other = identify(ROBOT, driving_log(2), cutoff=None)
    shared = share_links([Sharer(name="a", digest="a", estimate=estimate), Sharer(name="b", digest="b", estimate=other)])
    check(solve_retrieval(retrieval_problem(estimate, prior=shared.prior_for(estimate, "a"))), driving_log())


def test_links_with_friction_that_was_fitted_again():
    links = solve_retrieval(retrieval_problem(identify(ROBOT, synthetic_log(noise=0.3), cutoff=None)))
    new = driving_log(3)
    again = with_new_friction(links, refit_friction(identify(ROBOT, synthetic_log(noise=0.3), cutoff=None), new).estimate)
    check(again, new)
    assert sum("joint2" in note and carries(note, "opposes") for note in again.notes) == 1
    np.testing.assert_allclose(again.reached.max(axis=1), np.abs(new.dq).max(axis=0))


def test_hypotheses_of_signs(estimate):
    unsigned = replace(driving_log(), effort=np.abs(driving_log().effort))
    magnitudes = prepare_magnitudes(ROBOT, unsigned, friction=linear())
    goal = hypothesis_goal(magnitudes.base, np.eye(magnitudes.base.rank), np.ones(magnitudes.base.rank))
    terms = physical_terms(magnitudes, goal)
    columns = magnitudes.base.columns
    for theta, broken in (((-0.1, 0.5, 3.0), False), ((-0.2, 0.4, 3.0), True), ((0.4, -0.1, 3.0), True)):
        x = columns.join(ROBOT.parameters, np.array([(0.4, 0.7, 0.1), theta]))
        assert any("against the motion" in item.name for item in violations(terms, x)) == broken


@pytest.mark.parametrize("speeds", ["known", "unknown"])
def test_rotor_inertia_is_not_negative(speeds):
    log = synthetic_log(noise=0.3)
    shrunk = replace(log, effort=log.effort - 0.02 * log.ddq)
    estimate = identify(ROBOT, shrunk, friction=friction_model("linear+armature"), cutoff=None)
    if speeds == "unknown":  # as in runs of versions that did not keep them
        estimate = replace(estimate, reached=None)
    links = solve_retrieval(retrieval_problem(estimate))
    assert np.all(links.friction_parameters[:, [0, 1, 3]] >= -1e-7)
    problem = replace(estimate.problem, reached=estimate.reached)
    again = with_new_friction(links, replace(estimate, problem=problem))
    assert np.all(again.friction_parameters[:, 3] >= -1e-7)


def test_without_consistency_nothing_is_asked_for(estimate):
    links = solve_retrieval(retrieval_problem(estimate, consistency=False))
    assert braking(links, driving_log())[1][1] < -0.05


def test_a_run_keeps_the_speeds(estimate, tmp_path):
    document = write_result(tmp_path, estimate)
    assert document["reached_speeds"] == dict(zip(ROBOT.joint_names, estimate.reached.tolist(), strict=True))
    write_result(tmp_path, solve_retrieval(retrieval_problem(estimate)))
    for stored in (read_estimate(tmp_path), read_estimate(tmp_path).problem, read_parameters(tmp_path)):
        np.testing.assert_array_equal(stored.reached, estimate.reached)
