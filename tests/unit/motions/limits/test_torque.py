"""The torque that a motion may need: a bound that is reached, friction in it, its gradient, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.errors import FileError
from dynident.motions import LimitError, SinusoidTrajectory, check_trajectory, design_trajectory, read_limits, robot_limits
from dynident.motions.design.criterion import Sensitivity, motion_gradient
from dynident.motions.limits.penalty import Penalty
from dynident.motions.limits.torque import COULOMB, VISCOUS, NominalTorque, described_friction, exact_torque, nominal_torque
from dynident.motions.trajectories.trajectory import SampledMotion
from tests.facts import about, carries, raises

PANDA, PLANAR, LIBRARY_PENDULUM = load_robot("panda"), load_robot("planar_2r"), load_robot("pendulum_1r")
#: Without limits, as many descriptions are.
PENDULUM = replace(LIBRARY_PENDULUM, joints=tuple(replace(joint, velocity=np.inf, effort=np.inf) for joint in LIBRARY_PENDULUM.joints))


def random_motion(robot, count=40, seed=0) -> SampledMotion:
    return SampledMotion(*np.random.default_rng(seed).normal(size=(3, count, robot.n)))


def without_friction(robot, factor: float) -> NominalTorque:
    return replace(exact_torque(robot), factor=factor)


def test_links_within_the_factor_stay_within_the_bound_and_reach_it():
    motion, rng = random_motion(PANDA), np.random.default_rng(1)
    found = without_friction(PANDA, 1.7).torques(PANDA, motion)
    for scale in 1.7 ** rng.uniform(-1.0, 1.0, (30, 7)):
        tau = inverse_dynamics(PANDA, PANDA.parameters * scale[:, None], *motion)
        assert np.all(tau <= found.upper + 1e-9)
        assert np.all(tau >= found.lower - 1e-9)
    alone = np.array([inverse_dynamics(PANDA, PANDA.parameters * (np.arange(7) == l)[:, None], *motion) for l in range(7)])
    for sample, joint in ((0, 1), (7, 3), (20, 0), (33, 5)):
        scale = np.where(alone[:, sample, joint] > 0.0, 1.7, 1.0 / 1.7)
        for scaled, bound in ((scale, found.upper), (1.0 / scale, found.lower)):
            tau = inverse_dynamics(PANDA, PANDA.parameters * scaled[:, None], *motion)
            assert tau[sample, joint] == pytest.approx(bound[sample, joint], rel=1e-9)


def test_a_factor_of_one_is_the_inverse_dynamics():
    motion = random_motion(PANDA)
    found = exact_torque(PANDA).torques(PANDA, motion)
    tau = inverse_dynamics(PANDA, PANDA.parameters, *motion)
    np.testing.assert_allclose(found.lower, tau, atol=1e-10)
    np.testing.assert_allclose(found.upper, tau, atol=1e-10)
    np.testing.assert_allclose(found.largest, np.abs(tau), atol=1e-10)


@pytest.mark.parametrize(("velocity", "ahead", "behind"), [(2.0, 0.5 + 2 * 0.3, 0.5), (-2.0, 0.5, 0.5 + 2 * 0.3), (0.0, 0.5, 0.5)])
def test_friction_adds_against_the_motion_and_never_relieves(velocity, ahead, behind):
    bound = NominalTorque(factor=2.0, coulomb=np.array([0.5]), viscous=np.array([0.3]))
    motion = SampledMotion(np.array([[0.4]]), np.array([[velocity]]), np.zeros((1, 1)))
    rigid = without_friction(PENDULUM, 2.0).torques(PENDULUM, motion)
    found = bound.torques(PENDULUM, motion)
    assert found.upper - rigid.upper == pytest.approx(ahead)
    assert rigid.lower - found.lower == pytest.approx(behind)


def test_the_friction_of_an_ordinary_joint_is_a_share_of_its_limit():
    bound = nominal_torque(PANDA)
    np.testing.assert_allclose(bound.coulomb, COULOMB * PANDA.effort_limits)
    np.testing.assert_allclose(bound.viscous * PANDA.velocity_limits, VISCOUS * PANDA.effort_limits)
    without = nominal_torque(PENDULUM, effort=[10.0])
    assert (without.coulomb[0], without.viscous[0]) == (pytest.approx(10.0 * (COULOMB + VISCOUS)), 0.0)
    assert nominal_torque(PENDULUM).coulomb[0] == 0.0


def test_the_gradient_of_the_bound_is_its_derivative():
    bound, rng = nominal_torque(PANDA, factor=1.6), np.random.default_rng(3)
    motion = random_motion(PANDA, 25)
    w_lower, w_upper = rng.normal(size=(2, 25, 7))

    def scalar(at: SampledMotion) -> float:
        found = bound.torques(PANDA, at)
        return float((w_lower * found.lower + w_upper * found.upper).sum())

    rigid, by_friction = bound.torques(PANDA, motion).pull_back(w_lower, w_upper)
    gradient = motion_gradient(PANDA, motion, Sensitivity(rigid, None), None)
    for part in range(3):
        direction, h = rng.normal(size=(25, 7)), 1e-6
        ahead, behind = (motion._replace(**{("q", "dq", "ddq")[part]: motion[part] + s * h * direction}) for s in (1.0, -1.0))
        expected = (scalar(ahead) - scalar(behind)) / (2 * h)
        assert float(((gradient[part] + by_friction[part]) * direction).sum()) == pytest.approx(expected, rel=1e-5)


def test_the_penalty_of_torques_has_its_gradient():
    limits = replace(robot_limits(PANDA, effort_scale=0.2), velocity=np.full(7, 9.0), acceleration=np.full(7, np.inf))
    penalty = Penalty(robot=PANDA, limits=replace(limits, position=np.tile([-9.0, 9.0], (7, 1)), clearance=None))
    motion = random_motion(PANDA, 20, seed=5)
    value, by_motion, rigid = penalty.evaluate(motion)
    assert value > 0.0
    gradient = motion_gradient(PANDA, motion, Sensitivity(rigid, None), None)
    rng = np.random.default_rng(0)
    for part in ("q", "dq", "ddq"):
        direction, h = rng.normal(size=(20, 7)), 1e-6
        ahead, behind = (penalty.evaluate(motion._replace(**{part: getattr(motion, part) + s * h * direction}))[0] for s in (1.0, -1.0))
        found = ((getattr(gradient, part) + getattr(by_motion, part)) * direction).sum()
        assert float(found) == pytest.approx((ahead - behind) / (2 * h), rel=2e-5)


def test_a_check_says_what_the_torques_are():
    swing = SinusoidTrajectory(joints=PLANAR.joint_names, amplitude=[0.2, 0.2], period=[2.0, 3.0], start=[1.5, 0.0], duration=6.0)
    report = check_trajectory(swing, PLANAR, robot_limits(PLANAR), rate=100.0)
    assert about(report.notes, "worst", "factor", 2, "5% + 16%")
    exact = check_trajectory(swing, PLANAR, robot_limits(PLANAR, torque_factor=1.0), rate=100.0)
    shares = [next(m.share for m in found.margins if m.name == "effort") for found in (report, exact)]
    assert shares[0] > 1.2 * shares[1]


def test_standing_that_takes_too_much_names_joint_and_remedy():
    weak = replace(PLANAR, joints=tuple(replace(joint, position=(-0.3, 0.3), effort=45.0) for joint in PLANAR.joints))
    with raises(LimitError, 23.6, "factor", 2, limit="effort limit at joint1", remedy={"torque_factor": 1.3, "after": "RUN"}):
        design_trajectory(weak, friction=linear(), starts=1)
    limits = robot_limits(weak, torque_factor=1.1)
    assert design_trajectory(weak, friction=linear(), limits=limits, starts=1, iterations=2).report.holds


def test_a_limits_file_has_a_factor(tmp_path):
    file = tmp_path / "limits.yaml"
    file.write_text("torque_factor: 1.3\neffort: 7\nvelocity: 2\n")
    torque = read_limits(file, PENDULUM).torque
    assert (torque.factor, torque.coulomb[0], torque.viscous[0]) == (1.3, pytest.approx(7 * COULOMB), pytest.approx(7 * VISCOUS / 2))
    file.write_text("torque_factor: 0.5\n")
    with raises(FileError, "torque_factor", 0.5, 1):
        read_limits(file, PENDULUM)


JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" velocity="2" effort="50"/>{dynamics}</joint>"""
LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>'


def test_friction_of_a_urdf_is_read_where_it_can_be_believed(tmp_path: Path):
    said = ['<dynamics damping="2" friction="1.5"/>', '<dynamics damping="0.003" friction="0"/>', '<dynamics damping="20"/>', ""]
    links = [LINK.format(f"l{k}") for k in range(5)]
    joints = [JOINT.format(name=f"j{k}", parent=f"l{k}", child=f"l{k + 1}", dynamics=text) for k, text in enumerate(said)]
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="arm">{"".join(links + joints)}</robot>')
    arm = load_robot(file)
    np.testing.assert_allclose(described_friction(arm), [[1.5, 2.0], [np.nan] * 2, [np.nan] * 2, [np.nan] * 2])
    bound = nominal_torque(arm)
    np.testing.assert_allclose(bound.coulomb, [1.5, 2.5, 2.5, 2.5])
    np.testing.assert_allclose(bound.viscous, [2.0, 4.0, 4.0, 4.0])
    assert carries(bound.statement, "friction", "description")
    file.unlink()
    np.testing.assert_array_equal(nominal_torque(arm).viscous, bound.viscous)  # the robot is whole without its file
