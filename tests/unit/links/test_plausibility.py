"""Links that a person would not believe: they fail, or their verdict is lowered, and the reason is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.links import FeasibleSet, Objective, PhysicalConsistency, RetrievalStatus, build_retrieval, retrieval_problem
from dynident.links.objective import one_step, two_step
from dynident.links.plausibility import DISTANCE, Misfit, doubts, explains_badly, find_misfit, find_reversed
from dynident.links.solve import MisfitError, solve_retrieval
from dynident.regression import base_parameters, identify, residuals
from dynident.robots import library_names
from tests.facts import about, carries, raises
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")


@pytest.fixture(scope="module")
def log():
    return synthetic_log(noise=0.1)


def links_of(log):
    return solve_retrieval(retrieval_problem(identify(ROBOT, log, cutoff=None)))


def test_the_error_of_the_links_stands_beside_that_of_the_coefficients(log):
    estimate = identify(ROBOT, log, cutoff=None)
    found = solve_retrieval(retrieval_problem(estimate))
    fitted, links = found.training or (0.0, 0.0)
    assert fitted == estimate.residuals.relative_percent
    assert fitted <= links < 1.2 * fitted
    assert carries(str(found), f"{links:.3g} %")


def test_reversed_efforts_are_a_failure_that_names_what_costs_most(log):
    with raises(MisfitError, "signs", "units", "effort") as caught:
        links_of(replace(log, effort=-log.effort))
    fitted, links = caught.value.best.training or (0.0, 0.0)
    assert links > 10.0 * fitted
    assert caught.value.costliest in {"physical consistency", "the prior"}


@pytest.fixture(scope="module")
def wrist_log():
    return synthetic_log("spatial_3r", noise=0.02)


def turn_round(log, *joints):
    effort = log.effort.copy()
    effort[:, list(joints)] *= -1.0
    return replace(log, effort=effort)


@pytest.mark.parametrize("joints", [(), (0,), (1,), (2,), (0, 2)])
def test_efforts_of_the_other_sign_are_named(wrist_log, joints):
    robot = load_robot("spatial_3r")
    problem = retrieval_problem(identify(robot, turn_round(wrist_log, *joints), cutoff=None))
    assert set(find_reversed(problem)) == set(joints)
    if not joints:
        assert find_misfit(problem, problem.relaxed.x) is None
        return
    with raises(MisfitError, "sign") as caught:
        solve_retrieval(problem)
    assert caught.value.misfit.signs == tuple(-1 if j in joints else 1 for j in range(3))
    assert f"effort_signs='{','.join(str(sign) for sign in caught.value.misfit.signs)}'" in str(caught.value)


def test_signs_that_were_given_are_part_of_the_remedy(wrist_log):
    estimate = identify(load_robot("spatial_3r"), turn_round(wrist_log, 2), cutoff=None)
    steps = replace(estimate.problem.processing, read=replace(estimate.problem.processing.read, effort_signs=[1.0, -1.0, -1.0]))
    estimate = replace(estimate, problem=replace(estimate.problem, processing=steps))
    with raises(MisfitError, remedy={"effort_signs": "1,-1,1"}):
        solve_retrieval(retrieval_problem(estimate))


def test_signs_are_only_asked_for_in_units_of_the_noise(wrist_log):
    estimate = identify(load_robot("spatial_3r"), turn_round(wrist_log, 2), cutoff=None)
    assert find_reversed(retrieval_problem(estimate, objective=one_step(estimate.problem))) == ()
    assert find_reversed(retrieval_problem(estimate, objective=two_step(estimate))) == ()


def test_a_joint_that_links_explain_worse_is_worth_a_note(wrist_log):
    problem = retrieval_problem(identify(load_robot("spatial_3r"), wrist_log, cutoff=None))
    spoilt = problem.relaxed.x.copy()
    for name, amount in (("fc1", 3.0), ("fc3", 0.3)):
        spoilt[problem.base.columns.index(name)] += amount
    after = residuals(problem.data, problem.base.coefficients(spoilt))
    # coefficients that explain joint 3 twice as well, and the others as they are
    fitted = replace(problem.fitted, squares=after.squares * np.array([1.0, 1.0, 0.2]))
    misfit = find_misfit(replace(problem, fitted=fitted), spoilt)
    assert misfit is not None
    assert (misfit.failed, list(misfit.joints), misfit.reversed) == (False, ["joint3"], ())
    before, left = misfit.joints["joint3"]
    assert left == pytest.approx(before / np.sqrt(0.2))
    assert carries(str(misfit), "effort", "joint3", "links")


def test_coefficients_that_can_explain_anything_are_no_measure(wrist_log):
    """As few independent equations as coefficients leave no residual, whatever the links are."""
    problem = retrieval_problem(identify(load_robot("spatial_3r"), wrist_log, cutoff=None))
    spoilt = problem.relaxed.x.copy()
    spoilt[problem.base.columns.index("fc1")] += 3.0
    assert find_misfit(problem, spoilt).failed
    rank = problem.base.rank
    for independent, failed in ((100.0 * rank, True), (1.0001 * rank, False), (0.5 * rank, False)):
        fewer = replace(problem, objective=replace(problem.objective, noise=independent))
        misfit = find_misfit(fewer, spoilt)
        assert (misfit is not None and misfit.failed) is failed


@pytest.mark.parametrize("name", library_names())
def test_no_library_robot_is_doubtful(name):
    robot = load_robot(name)
    assert list(doubts(base_parameters(robot), robot.parameters)) == []


def test_a_unit_that_is_wrong_lowers_the_verdict(log):
    found = links_of(replace(log, effort=10.0 * log.effort))
    assert found.status is RetrievalStatus.DOUBTFUL
    assert about(found.doubts, "wrong")


def test_a_centre_of_mass_or_an_inertia_beyond_the_link_is_said():
    base = base_parameters(ROBOT)
    away, wide = ROBOT.parameters.copy(), ROBOT.parameters.copy()
    away[1, 1] += 5.0 * away[1, 0]
    away[1, 4:] += 26.0 * away[1, 0] * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    wide[0, 4:] += 30.0 * wide[0, 0] * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    assert about(doubts(base, away), "centre", "link2", "outside")
    assert about(doubts(base, wide), "inertia", "link1", "larger")


#: An arm whose last link ends in no frame: where it reaches, only its shape says.
NO_FLANGE = """<robot name="arm">
  <link name="base"/>
  <link name="upper_arm"><inertial><origin xyz="0.15 0 0"/><mass value="3"/><inertia {inertia}/></inertial></link>
  <link name="forearm">
    <inertial><origin xyz="0.13 0 0"/><mass value="2"/><inertia {inertia}/></inertial>
    {shape}
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper_arm"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper_arm"/><child link="forearm"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""


@pytest.mark.parametrize(
    ("shape", "doubtful"), [("", True), ('<origin xyz="0.12 0 0"/><geometry><box size="0.24 0.1 0.1"/></geometry>', False)]
)
def test_a_link_reaches_as_far_as_its_shape(tmp_path, shape, doubtful):
    file = tmp_path / "arm.urdf"
    inertia = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    file.write_text(NO_FLANGE.format(inertia=inertia, shape=f"<collision>{shape}</collision>" if shape else ""))
    robot = load_robot(file)
    told = list(doubts(base_parameters(robot), robot.parameters))
    assert bool(about(told, "centre", "forearm")) is doubtful


def test_a_misfit_must_be_clear():
    assert explains_badly(1.0, 21.0)
    assert not explains_badly(1e-9, 0.5)  # exact data, and less than a percent
    assert not explains_badly(3.0, 5.0)


def test_problems_without_data_are_not_judged_by_them():
    base = base_parameters(ROBOT)
    x = ROBOT.parameters.ravel()
    goal = Objective(name="distance", A=base.grouping, b=base.grouping @ x)
    assert solve_retrieval(build_retrieval(base, goal, FeasibleSet((PhysicalConsistency(),)))).training is None


def test_a_misfit_of_many_joints_is_one_sentence_the_worst_joint_first():
    misfit = Misfit(failed=True, joints={"a": (2.0, 28.0), "b": (5.0, 101.0)}, reversed=("a", "b"), signs=(-1, -1))
    assert carries(str(misfit), "effort", "b", "101 %", "5 %", "a", "28 and 2 %", "all", "joints")
    assert str(misfit).index("101 %") < str(misfit).index("28 and 2 %")
    assert carries(str(Misfit(failed=True, joints={}, reversed=("a",), signs=(-1, 1))), "effort", "a")


def test_a_plain_distance_to_uncertain_coefficients_is_not_blamed_on_the_robot():
    """A second of motion: the nearest consistent links explain little, and those that fit the data themselves explain them."""
    estimate = identify(load_robot("spatial_3r"), synthetic_log("spatial_3r", samples=100, noise=0.02), cutoff=None)
    with raises(MisfitError, costliest="the distance to the coefficients") as caught:
        solve_retrieval(retrieval_problem(estimate, objective=two_step(estimate, weights="none"), prior=None))
    assert caught.value.costliest == DISTANCE
    assert "covariance" in caught.value.remedy
    assert "mounting" not in str(caught.value)
    solve_retrieval(retrieval_problem(estimate, objective=one_step(estimate.problem), prior=None))
