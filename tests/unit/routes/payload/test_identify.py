"""A payload from a loaded log and an identified arm: near the truth, as certain as it says, and refused in words where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.payload import SimulatedPanda, hard_cases, make_case, solve_case
from dynident import regression
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Armature, combine, linear
from dynident.dynamics.friction.model import FrictionModel, Parameter, Symmetry
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.regression import base_parameters, build_problem, identify
from dynident.robots import load_robot
from dynident.robots.kinematics import axis_rotation
from dynident.robots.parameters import change_of_frame, consistency_margin, from_com
from dynident.routes.payload import Declared, PayloadStatus, identify_payload, load_difference
from dynident.routes.payload.difference import _changed_friction, payload_columns
from tests.facts import about, carries, raises
from tests.logs import synthetic_log, synthetic_samples

BODY = from_com(1.5, [0.02, -0.03, 0.07], np.diag([0.004, 0.005, 0.003]))


@pytest.fixture(scope="module")
def case():
    return make_case("panda", 1.5, 3)


@pytest.fixture(scope="module")
def arm(case):
    return identify(case.robot, case.unloaded)


@pytest.fixture(scope="module")
def found(case, arm):
    return identify_payload(arm, case.loaded)


def exact_log(robot, body=None, *, seed, noise=0.0, link=-1, pose=None):
    """Friction of `synthetic_log`, and a body on the flange."""
    links = robot.parameters.copy()
    if body is not None:
        links[link] += change_of_frame(robot.tool if pose is None else pose) @ body
    return synthetic_log(robot.with_parameters(links), noise=noise, seed=seed, samples=2000)


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4"])
def test_without_noise_the_ten_parameters_come_back(name):
    robot = load_robot(name)
    arm = identify(robot, exact_log(robot, seed=1, noise=1e-7), cutoff=None)
    alone = regression.estimate(build_problem(robot, exact_log(robot, BODY, seed=2, noise=1e-7), cutoff=None))
    told = load_difference(arm, alone, robot.n - 1, robot.tool)
    assert told.directions.shape == (10, 10)
    np.testing.assert_allclose(np.linalg.solve(told.directions, told.values), BODY, atol=2e-6)
    assert told.strain == pytest.approx(1.0, abs=0.6)


@pytest.mark.parametrize(("name", "mass_told"), [("pendulum_1r", False), ("planar_2r", True), ("spatial_3r", True), ("panda", True)])
def test_logs_without_any_noise_are_no_trouble(name, mass_told):
    robot = load_robot(name)
    found = identify_payload(identify(robot, exact_log(robot, seed=1)), exact_log(robot, BODY, seed=2))
    assert (found.evidence.mass is not None) == mass_told, "of a pendulum only its first moments and its inertia show"
    if mass_told:
        assert found.mass == pytest.approx(1.5, rel=1e-6)
    assert found.evidence.strain <= 1.0
    assert abs(found.mass - 1.5) < 4.0 * found.std[0] + 1e-6


def test_the_difference_is_the_least_squares_fit_of_both_logs_at_once(case, arm):
    alone = regression.estimate(build_problem(case.robot, case.loaded))
    told = load_difference(arm, alone, 6, case.robot.tool)
    base, friction = arm.base, np.flatnonzero(arm.base.independent >= 70)
    G, F = payload_columns(base, 6, case.robot.tool), np.eye(base.rank)[:, friction]
    blocks, sides = [], []
    for estimate, own in ((arm, np.zeros((base.rank, 31))), (alone, np.column_stack([F, G]))):
        weights = 1.0 / np.array(estimate.summary.noise_levels) / np.sqrt(estimate.summary.inflation)
        stacked = estimate.problem.stack(weights)
        blocks.append(stacked[:, :-1] @ np.column_stack([np.eye(base.rank), own]))
        sides.append(stacked[:, -1])
    rows = np.concatenate(blocks)
    scale = np.linalg.norm(rows, axis=0)
    solution = np.linalg.lstsq(rows / scale, np.concatenate(sides), rcond=1e-12)[0] / scale
    np.testing.assert_allclose(np.linalg.solve(told.directions, told.values), solution[-10:], rtol=1e-5, atol=1e-8)


def test_mass_and_centre_are_near_and_the_intervals_hold_them(case, found):
    assert found.mass == pytest.approx(1.5, rel=0.01)
    np.testing.assert_allclose(found.com, case.truth[1:4] / 1.5, atol=0.002)
    low, high = found.intervals.T
    assert np.all(low <= found.values)
    assert np.all(found.values <= high)
    assert low[0] <= 1.5 <= high[0]
    assert consistency_margin(found.parameters) > 0.0
    assert found.told[:4].all()
    assert found.status in (PayloadStatus.TOLD, PayloadStatus.INERTIA_OPEN)


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "ur5", "dh_arm"])
def test_intervals_of_a_small_payload_hold_the_truth(name):
    outcomes = [solve_case(make_case(name, 0.1, seed)) for seed in range(3)]
    inside = np.array([outcome.inside for outcome in outcomes])
    assert inside[:, :4].mean() >= 0.75  # of twelve that are right in 95 % of the cases, fewer than nine are once in 450 times
    assert np.sqrt(np.mean([outcome.z[:4] ** 2 for outcome in outcomes])) < 2.0
    assert all(outcome.found.told[0] for outcome in outcomes)


def test_the_arms_uncertainty_is_part_of_the_payloads(case, arm, found):
    assert arm.problem is not None
    short = identify(case.robot, case.unloaded.part(0.0, 0.2))  # which leaves the arm less certain than the loaded log is
    assert identify_payload(short, case.loaded).std[0] > 1.2 * found.std[0]
    certain = replace(arm, covariance=1e-6 * arm.covariance, blocks=None)
    assert identify_payload(certain, case.loaded).std[0] < 0.95 * found.std[0]


def test_friction_that_has_changed_is_fitted_again():
    usual, warm = make_case("panda", 1.5, 3), make_case("panda", 1.5, 3, warm=0.1)
    refitted, held = solve_case(warm), solve_case(warm, refit_friction=False)
    assert abs(refitted.z[0]) < 3.0
    assert refitted.found.evidence.strain < 2.0
    assert held.found.evidence.strain > 5.0
    assert held.found.std[0] > 2.0 * solve_case(usual, refit_friction=False).found.std[0], "what doesn't fit makes it uncertain"
    assert about(held.found.notes, "payload", "noise", "times")
    assert solve_case(usual, refit_friction=False).found.std[0] < solve_case(usual).found.std[0]


class Spring(FrictionModel):
    """torque = ks · q"""

    name = "spring"
    parameters = (Parameter(name="ks"),)
    symmetry = Symmetry.EVEN

    def terms(self, motion):
        return (motion.q,)


def test_rotors_and_springs_are_not_friction_that_changes():
    base = base_parameters(load_robot("panda"), friction=combine(*linear().models, Armature(), Spring()))
    free = [base.names[place] for place in _changed_friction(base, base, refit=True)]
    assert {name.rstrip("1234567") for name in free} == {"fv", "fc", "fo"}
    assert len(free) == 21
    assert len(_changed_friction(base, base, refit=False)) == 0
    of_controller = base_parameters(load_robot("panda"), equations="controller")
    assert {base.names[place] for place in _changed_friction(base, of_controller, refit=False)} > set(free), "it knows no friction to hold"


def test_friction_that_differs_from_joint_to_joint():
    robot = load_robot("spatial_3r")
    friction = PerJoint((linear(), combine(*linear().models, Armature()), linear()))
    arm = identify(robot, exact_log(robot, seed=1, noise=0.01), friction=friction)
    found = identify_payload(arm, exact_log(robot, BODY, seed=2, noise=0.01))
    assert found.mass == pytest.approx(1.5, abs=5.0 * found.std[0])


def test_turning_the_tool_frame_turns_the_payload(case, found):
    turn = axis_rotation(np.array([0.0, 0.6, 0.8]), 0.7)
    turned = replace(case.robot, tool=case.robot.tool @ turn)
    other = identify_payload(identify(turned, case.unloaded), case.loaded)
    np.testing.assert_allclose(change_of_frame(turn) @ other.parameters, found.parameters, rtol=1e-4, atol=1e-7)
    assert other.std[0] == pytest.approx(found.std[0], rel=1e-4)
    np.testing.assert_allclose(other.link_parameters, found.link_parameters, rtol=1e-4, atol=1e-7)


def test_a_declared_centre_in_another_frame_is_recognised(case, arm, found):
    elsewhere = tuple(axis_rotation(np.array([0.0, 0.0, 1.0]), np.pi / 2)[:3, :3] @ found.com)
    notes = identify_payload(arm, case.loaded, declared=Declared(mass=1.5, com=elsewhere)).notes
    assert about(notes, "orientation", "tool")
    notes = identify_payload(arm, case.loaded, declared=Declared(mass=1.5, com=tuple(found.com))).notes
    assert not about(notes, "tool")


def test_known_values_of_the_bare_arm_are_not_taken_for_the_payloads():
    robot = load_robot("panda")
    unloaded, loaded = exact_log(robot, seed=1, noise=0.01), exact_log(robot, BODY, seed=2, noise=0.01)
    mass = float(robot.parameters[6, 0])
    known = identify_payload(identify(robot, unloaded, known={"m7": mass, "mc7z": float(robot.parameters[6, 3])}), loaded)
    assert known.mass == pytest.approx(1.5, abs=5.0 * known.std[0])
    assert known.std[0] < 0.01
    np.testing.assert_allclose(known.com, BODY[1:4] / 1.5, atol=0.002)


def test_an_arm_that_was_identified_from_its_controller_will_do():
    robot = load_robot("spatial_3r")
    arm = identify(robot, synthetic_samples("spatial_3r", noise=1e-4))
    found = identify_payload(arm, exact_log(robot, BODY, seed=2, noise=0.01))
    assert found.mass == pytest.approx(1.5, abs=5.0 * found.std[0])
    assert found.evidence.refit_friction


def test_dropped_coefficients_do_not_bend_the_payload(case):
    dropped = identify(case.robot, case.unloaded, drop_above_percent=30.0)
    assert dropped.dropped
    found = identify_payload(dropped, case.loaded)
    assert abs(found.mass - 1.5) < 4.0 * found.std[0]


def test_a_payload_on_another_link_is_in_that_links_frame():
    robot = load_robot("panda")
    body = from_com(2.0, [0.01, 0.02, 0.03], 0.01 * np.eye(3))
    loaded = exact_log(robot, body, seed=2, noise=0.01, link=4, pose=np.eye(4))
    arm = identify(robot, exact_log(robot, seed=1, noise=0.01))
    found = identify_payload(arm, loaded, link="link5")
    assert found.link == "link5"
    assert found.mass == pytest.approx(2.0, rel=0.02)
    np.testing.assert_allclose(found.com, [0.01, 0.02, 0.03], atol=0.005)
    with raises(UnknownNameError, "link1", name="hand"):
        identify_payload(arm, loaded, link="hand")


def test_efforts_are_those_of_the_inverse_dynamics(case, arm):
    robot = case.robot
    log = exact_log(robot, BODY, seed=2, noise=0.01)
    found = identify_payload(identify(robot, exact_log(robot, seed=1, noise=0.01), cutoff=None), log, cutoff=None)
    links = np.zeros((7, 10))
    links[6] = found.link_parameters
    expected = inverse_dynamics(robot, links, log.q, log.dq, log.ddq)
    np.testing.assert_allclose(found.effort, expected[::2].T, atol=1e-9)
    assert found.declared_effort_error is None


def test_what_was_declared_is_compared(case, arm, found):
    told = identify_payload(arm, case.loaded, declared=Declared(mass=1.4, com=(0.0, 0.0, 0.05)))
    text = str(told)
    assert carries(text, "declared")
    assert f"{(1.4 - told.mass) / told.std[0]:+.1f}" in text
    right = replace(told, declared=Declared(mass=told.mass, com=tuple(told.com)))
    assert np.abs(right.declared_effort_error).max() < 1e-9
    none = replace(told, declared=Declared(mass=0.0))
    assert np.abs(none.declared_effort_error).max() > 1.0
    assert not carries(str(found), "declared")


@pytest.mark.parametrize(("mass", "com"), [(-1.0, (0, 0, 0)), (np.nan, (0, 0, 0)), (1.0, (0, 0)), (1.0, (0, 0, np.inf))])
def test_what_nobody_can_declare(mass, com):
    with raises(ValueRangeError, "declared", "finite"):
        Declared(mass=mass, com=com)


def test_no_payload_is_said_to_be_none():
    found = solve_case(hard_cases()["no payload"]).found
    assert found.status is PayloadStatus.NONE
    assert found.intervals[0, 0] == 0.0
    (note,) = about(found.notes, "weighs", "less")
    assert float(note.split("less than ")[1].split(" kg")[0]) < 0.02
    assert np.isinf(found.intervals[1]).all(), "the centre of nothing is anywhere"
    assert "open" in str(found)


@pytest.mark.parametrize(
    ("which", "facts"),
    [
        ("swapped", (1.5, 0.003, "kg", "less", "swapped")),
        ("the same log twice", ("all", "samples", "loaded", "payload")),
        (
            "of another arm with seven joints",
            ("no", "payload", "virtual", "panda_joint2", "mounting"),
        ),
        ("efforts of joint 4 with the other sign", ("no", "payload", "panda_joint4", "mounting")),
    ],
)
def test_a_log_that_can_not_be_is_refused_in_words(which, facts):
    with raises(InputError, *facts):
        solve_case(hard_cases()[which])


def test_an_arm_with_other_joints_is_refused_in_words(arm):
    with raises(InputError, 2, "panda", 7):
        identify_payload(arm, synthetic_log("planar_2r"))


def test_an_estimate_without_its_data_is_refused_in_words(arm, case):
    with raises(InputError, "arm", "data", "identify"):
        identify_payload(replace(arm, problem=None), case.loaded)


def test_a_wrist_that_never_tilts_leaves_the_mass_open():
    found = solve_case(hard_cases()["1.5 kg, only joint 1 moves"]).found
    assert found.status is PayloadStatus.MASS_OPEN
    assert about(found.notes, "wrist", "0°")


def test_a_slow_log_tells_the_mass_and_not_the_inertia():
    slow, usual = hard_cases()["1.5 kg, slow: 0.05 rad/s"], make_case("panda", 1.5, 3)
    found = solve_case(slow).found
    assert not found.told[4:].any()
    assert abs(found.mass - 1.5) < 3.0 * found.std[0]
    assert found.std[0] > 5.0 * solve_case(usual).found.std[0]
    assert about(found.notes, "open", "inertia", "xx")
    assert about(found.notes, "slow")


def test_a_mounting_with_gravity_sideways_is_as_good():
    robot = load_robot("panda").with_gravity([6.0, 3.0, -7.0])
    arm = identify(robot, exact_log(robot, seed=1, noise=0.02))
    found = identify_payload(arm, exact_log(robot, BODY, seed=2, noise=0.02))
    assert found.mass == pytest.approx(1.5, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_simulated_panda_with_the_noise_of_a_real_one(seed):
    panda = SimulatedPanda(seed=seed, seconds=12.0)
    arm = panda.arm()
    heavy, light = panda.carry(arm, 1.5), panda.carry(arm, 0.1)
    assert abs(heavy.mass_error) < 1.0
    assert heavy.com_error < 2.0
    assert heavy.inside[0]
    assert light.inside[0]
