"""A robot a million times as heavy or a thousand times as long is the same robot: every answer goes with the size, no verdict does.

What is known of the world does not scale, and is left out here on purpose: that links of a 1 m arm don't weigh tons (`check`), and that
an arm without a description is 10 cm wide where its reach is between 0.4 and 1.25 m.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dynident import check_robot, identify_payload, load_robot, recover_signs, repair, retrieve
from dynident.data import EffortKind
from dynident.dynamics.friction import linear
from dynident.links.retrieve import retrieval_problem
from dynident.links.sampling import draw_posterior
from dynident.links.solve import solve_retrieval
from dynident.links.solvers.solver import SolverOptions
from dynident.motions.design.assumptions import assume
from dynident.motions.design.criterion import KINDS, Criterion, mean_information
from dynident.motions.design.precision import precision_of
from dynident.motions.design.task import Task
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters, identify
from dynident.regression.equations.sizes import unit_powers
from dynident.robots import Robot
from dynident.robots.kinematics import arm_reach, length_unit
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import carries
from tests.logs import synthetic_log
from tests.similarity import Similarity

ROBOT = load_robot("spatial_3r")
LOG = synthetic_log(ROBOT, noise=0.02, samples=800)
AS_IT_IS = Similarity(1.0, 1.0)
SIZES = [Similarity(a, b) for a, b in [(4.0**10, 1.0), (4.0**-10, 1.0), (4.0**10, 4.0**5), (4.0**-10, 4.0**-5)]]
sized = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"mass {size.mass:.0e} length {size.length:.0e}")


@cache
def estimated(size: Similarity):
    return identify(size.robot(ROBOT), size.log(ROBOT, LOG), cutoff=5.0 / size.time)


@cache
def retrieved(size: Similarity):
    return retrieve(estimated(size))


def without_numbers(notes) -> list[str]:
    """The sentences, and not what the sizes of links are in them; nor that kilograms look like grams, which does depend on the size."""
    return [re.sub(r"[-+.\de]*\d", "#", note) for note in notes if not carries(note, "description", "prior")]


def without_links(robot: Robot) -> Robot:
    return replace(robot, links=tuple(replace(link, parameters=None, pieces=()) for link in robot.links))


def assert_same_ranges(one, other, factors):
    widths = [item.high - item.low for item in other.ranges]
    for end in ("low", "high"):
        mine, theirs = (np.array([getattr(item, end) for item in result.ranges]) for result in (one, other))
        np.testing.assert_allclose(mine / factors, theirs, rtol=0.0, atol=1e-3 * np.max(widths))
        assert np.all(np.abs(mine / factors - theirs) <= 1e-3 * np.array(widths))
    assert [item.determined_by for item in one.ranges] == [item.determined_by for item in other.ranges]


@sized
def test_identification_changes_no_digit(size):
    here, there = estimated(AS_IT_IS), estimated(size)
    factors = size.columns(there.base.units)
    assert there.base.names == here.base.names
    np.testing.assert_array_equal(there.values / factors, here.values)
    np.testing.assert_array_equal(there.std / factors, here.std)
    assert there.notes == here.notes
    assert there.condition_number == pytest.approx(here.condition_number, rel=1e-12)


@sized
def test_links_ranges_and_certificates(size):
    here, there = retrieved(AS_IT_IS), retrieved(size)
    factors = size.columns(there.base.columns.units)
    # x* is the optimum of a convex function with ‖A x - b‖² in it, so that ‖A (x - x*)‖² <= φ(x) - φ(x*), which is at most the gap
    apart = here.problem.goal.A @ (there.x / factors - here.x)
    rounding = np.sqrt(np.finfo(float).eps * here.objective)
    assert np.linalg.norm(apart) <= np.sqrt(here.gap) + np.sqrt(there.gap) + rounding
    assert (there.status, there.violations) == (here.status, here.violations)
    assert there.objective == pytest.approx(here.objective, rel=1e-6)
    assert there.objective - there.lower_bound <= 1e-6 * there.objective
    assert_same_ranges(there, here, factors[: len(there.ranges)])
    assert without_numbers(there.notes) == without_numbers(here.notes)


def test_links_of_a_robot_without_a_description_whatever_its_mass():
    """Where the density of water, which an ordinary arm is likely to have, says nothing: tons in the size of an arm, and milligrams."""
    tons, milligrams = Similarity(4.0**10, 1.0), Similarity(4.0**-10, 1.0)
    heavy, light = (retrieve(identify(without_links(s.robot(ROBOT)), s.log(ROBOT, LOG), cutoff=5.0 / s.time)) for s in (tons, milligrams))
    units = heavy.base.columns.units
    factors = milligrams.columns(units) / tons.columns(units)
    np.testing.assert_allclose(light.x / milligrams.columns(units), heavy.x / tons.columns(units), rtol=1e-5, atol=1e-6)
    assert_same_ranges(light, heavy, factors[: len(light.ranges)])


def test_links_of_a_robot_of_millimetres_without_a_description():
    hand, grain = Similarity(1.0, 4.0**-2), Similarity(4.0**-10, 4.0**-5)
    assert arm_reach(hand.robot(ROBOT)) < 0.4
    one, other = (retrieve(identify(without_links(s.robot(ROBOT)), s.log(ROBOT, LOG), cutoff=5.0 / s.time)) for s in (hand, grain))
    units = one.base.columns.units
    np.testing.assert_allclose(other.x / grain.columns(units), one.x / hand.columns(units), rtol=1e-5, atol=1e-6)


def test_the_mass_of_a_robot_of_millimetres_without_a_description():
    robot, size = load_robot("planar_2r"), Similarity(1.0, 4.0**-5)
    log = size.log(robot, synthetic_log(robot, noise=0.02, samples=800))
    links = retrieve(identify(without_links(size.robot(robot)), log, cutoff=5.0 / size.time))
    np.testing.assert_allclose(links.parameters[:, 0], robot.parameters[:, 0], rtol=0.2)


@pytest.mark.parametrize("solver", ["barrier"])
@pytest.mark.parametrize("size", [SIZES[2], SIZES[3]], ids=["large", "small"])
def test_other_solvers(size, solver):
    options = SolverOptions(starts=1, seed=0)
    there = solve_retrieval(retrieval_problem(estimated(size)), solver=solver, options=options)
    np.testing.assert_allclose(there.x / size.columns(there.base.columns.units), retrieved(AS_IT_IS).x, rtol=1e-2, atol=1e-4)


def test_samples_of_the_posterior():
    size = SIZES[3]
    here, there = (draw_posterior(retrieval_problem(estimated(s)), 200, seed=1).x for s in (AS_IT_IS, size))
    spread = here.std(axis=0)
    moved = there.mean(axis=0) / size.columns(estimated(size).base.columns.units) - here.mean(axis=0)
    assert np.all(np.abs(moved) < 0.5 * spread), "other random numbers, the same distribution"


@sized
def test_checks_and_repairs(size):
    links = ROBOT.parameters.copy()
    links[-1, 4] *= 5.0
    links[0, 9] *= -1.0
    wrong = ROBOT.with_parameters(links)
    here, there = check_robot(wrong), check_robot(size.robot(wrong))
    assert [link.verdict for link in there.links] == [link.verdict for link in here.links]
    assert not there.passed
    margins = [[link.margin for link in found.links] for found in (there, here)]
    np.testing.assert_allclose(np.array(margins[0]) / size.links[-1], margins[1], rtol=1e-12)
    mine, theirs = repair(size.robot(wrong)), repair(wrong)
    for one, other in zip(mine.links, theirs.links, strict=True):
        np.testing.assert_allclose(one.after / size.links, other.after, rtol=1e-6, atol=1e-9)
    assert (mine.moved, mine.impossible, len(mine.changed)) == (theirs.moved, theirs.impossible, len(theirs.changed))


@cache
def carried(size: Similarity):
    links = ROBOT.parameters.copy()
    links[-1] += change_of_frame(ROBOT.tool) @ from_com(1.5, [0.02, -0.03, 0.07], np.diag([0.004, 0.005, 0.003]))
    loaded = synthetic_log(ROBOT.with_parameters(links), noise=0.02, samples=800, seed=2)
    return identify_payload(estimated(size), size.log(ROBOT, loaded), cutoff=5.0 / size.time)


@sized
def test_payloads(size):
    here, there = carried(AS_IT_IS), carried(size)
    np.testing.assert_allclose(there.parameters / size.links, here.parameters, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(there.covariance / np.outer(size.links, size.links), here.covariance, rtol=1e-6, atol=1e-12)
    assert (there.status, there.told.tolist()) == (here.status, here.told.tolist())
    assert without_numbers(there.notes) == without_numbers(here.notes)


@cache
def signed(size: Similarity):
    log = size.log(ROBOT, LOG)
    return recover_signs(size.robot(ROBOT), replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE))


@pytest.mark.parametrize("size", [replace(size, same_times=True) for size in SIZES[2:]], ids=["large", "small"])
def test_signs(size):
    here, there = signed(AS_IT_IS), signed(size)
    assert there.verdict is here.verdict
    np.testing.assert_array_equal(np.sign(there.signed.effort), np.sign(here.signed.effort))
    assert there.notes == here.notes


@sized
def test_criteria_and_predicted_precision_of_excitation(size):
    (here, rounding), (there, _) = (_planned(each) for each in (AS_IT_IS, size))
    np.testing.assert_allclose(there, here, rtol=0.0, atol=rounding)


def _planned(size: Similarity) -> tuple[np.ndarray, float]:
    """Logarithms of what is planned, and how far rounding can move them.

    They follow from the inverses of three matrices of b rows: the information before the run, of the run, and after it. The inverse of
    one with the condition number κ is known to b ε κ of itself (Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter
    14), where κ counts every coefficient in its own size.
    """
    base, log = base_parameters(size.robot(ROBOT), friction=linear()), size.log(ROBOT, LOG)
    motion = SampledMotion(log.q, log.dq, log.ddq)
    # the noise that is assumed otherwise has that of encoders in it, which does not grow with the robot
    noise = 1e-3 * np.sqrt(np.mean(log.effort**2, axis=0))
    known = assume(base, Task(motion=motion, source="log"), torque_noise=noise, cutoff=5.0 / size.time)
    task, factors = mean_information(base, motion, known.noise**-2), size.columns(base.units)
    plan = {"base": base, "information": known.prior, "noise": known.noise, "samples": 100.0, "task": task}
    criteria = {kind: Criterion(kind=kind, **plan) for kind in KINDS}
    values = {kind: criterion.value(motion) for kind, criterion in criteria.items()}
    values["d_optimal"] -= float(np.log(factors).mean())  # a volume, whose unit is that of all coefficients
    values["condition"] = float(np.log(values["condition"]))
    precision = precision_of(base, 100.0 * task, known)
    inverted = [known.prior, task, criteria["v_optimal"].information_after(motion)]
    rounding = base.rank * np.finfo(float).eps * sum(_condition(matrix) for matrix in inverted)
    return np.array([*values.values(), *np.log(precision.std / factors), np.log(precision.relative_error)]), rounding


def _condition(matrix: np.ndarray) -> float:
    size = np.sqrt(np.diag(matrix))
    return float(np.linalg.cond(matrix / np.outer(size, size)))


def test_units_say_how_parameters_grow():
    size = Similarity(3.0, 4.0)
    for unit in ("kg", "kg·m", "kg·m²", "N·m", "N·m·s/rad", "N", "N·s/m"):
        mass, length = unit_powers(unit)
        assert 3.0**mass * 4.0**length == pytest.approx(size.columns((unit,))[0]), unit
    assert unit_powers("N·m/(N·m)") == unit_powers("") == (0.0, 0.0)


def test_arms_are_measured_in_metres():
    assert all(length_unit(load_robot(name)) == 1.0 for name in ("panda", "kuka_lwr4", "planar_2r", "spatial_3r", "pendulum_1r"))
    assert length_unit(Similarity(1.0, 4.0**-5).robot(ROBOT)) == 4.0**-5
