"""Motors that turn several joints: their rotors and friction act on all of these, as the gears say."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.core.records import read_record, write_record
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import (
    Armature,
    Coulomb,
    Coupled,
    FrictionModel,
    Motion,
    Offset,
    PerJoint,
    Viscous,
    combine,
    couple,
    friction_model,
    friction_torque,
    linear,
    smooth,
)
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.exports import ExportModel, export
from dynident.exports.friction import JointAttributes, express_friction
from dynident.motions.simulation.simulated_friction import SimulatedFriction
from dynident.regression import identify
from tests.facts import about, raises
from tests.logs import synthetic_log

#: Motor 3 also turns with joints 1 and 2.
GEARS = np.array([[40.0, 0.0, 0.0], [0.0, -50.0, 0.0], [16.0, -8.0, 32.0]])
MODEL = combine(Viscous(), Coulomb(), Offset(), Armature())


def motion(samples: int = 50, seed: int = 0) -> Motion:
    return Motion(*np.random.default_rng(seed).normal(size=(3, samples, 3)))


def joint_parameters(viscous: np.ndarray, coulomb: np.ndarray, rotors: np.ndarray) -> np.ndarray:
    """(3, 7) fv, fc, fo, Ia of joints and fvm, fcm, Iam of motor 3, of what the motors themselves have."""
    theta = np.zeros((3, 7))
    theta[:, 0], theta[:, 3] = GEARS.T**2 @ viscous, GEARS.T**2 @ rotors
    theta[:2, 1] = np.abs(np.diag(GEARS)[:2]) * coulomb[:2]
    theta[2, 4:] = 32.0**2 * viscous[2], 32.0 * coulomb[2], 32.0**2 * rotors[2]
    return theta


def test_joint_torques_are_those_of_the_motors_through_the_gears() -> None:
    """Rᵀ (J θ̈ + f θ̇ + c sign θ̇) with θ = R q."""
    at, rng = motion(), np.random.default_rng(1)
    viscous, coulomb, rotors = rng.uniform(0.1, 1.0, (3, 3))
    speed, acceleration = at.dq @ GEARS.T, at.ddq @ GEARS.T
    expected = (rotors * acceleration + viscous * speed + coulomb * np.sign(speed)) @ GEARS
    found = friction_torque(Coupled(MODEL, GEARS), joint_parameters(viscous, coulomb, rotors), at)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_power_is_dissipated_and_parameters_are_not_negative() -> None:
    at, model = motion(), Coupled(combine(Viscous(), Coulomb()), GEARS)
    theta = np.delete(joint_parameters(*np.random.default_rng(2).uniform(0.1, 1.0, (3, 3))), (2, 3, 6), axis=1)
    assert np.all(np.sum(friction_torque(model, theta, at) * at.dq, axis=1) >= 0.0)
    assert model.nonnegative == (True,) * 4


def test_only_the_motor_that_turns_several_joints_has_parameters_of_its_own() -> None:
    model = Coupled(MODEL, GEARS)
    assert model.parameter_names == ("fv", "fc", "fo", "Ia", "fvm", "fcm", "Iam")
    assert model.of_joint(0).parameter_names == ("fv", "fc", "fo", "Ia")
    assert model.of_joint(2).parameter_names == ("fv", "fc", "fo", "Ia", "fvm", "fcm", "Iam")
    assert model.shared[0] == (2, "fvm", (0, 1, 2))


def test_gears_without_coupling_change_nothing() -> None:
    assert couple(MODEL, np.diag([30.0, 20.0, 10.0])) is MODEL
    assert couple(Offset(), GEARS).parameter_names == ("fo",)  # an offset of a motor is one of the joints
    again = couple(couple(MODEL, GEARS), GEARS)
    assert again.parameter_names == Coupled(MODEL, GEARS).parameter_names


def test_every_joint_may_have_its_own_model() -> None:
    model = Coupled(PerJoint((Viscous(), MODEL, combine(Viscous(), Armature()))), GEARS)
    assert {shared.name for shared in model.shared} == {"fvm", "Iam"}
    assert model.columns(motion()).shape == (50, 3, len(model.parameters))


def test_smoothing_keeps_the_torque_of_the_motor() -> None:
    theta = joint_parameters(*np.random.default_rng(2).uniform(0.1, 1.0, (3, 3)))
    model = Coupled(MODEL, GEARS)
    softened, at = smooth(model, 1e-9), motion()
    np.testing.assert_allclose(friction_torque(softened, theta, at), friction_torque(model, theta, at), rtol=1e-9)
    slow = Motion.steady(np.outer([-1e-7, 0.0, 1e-7], [1.0, -1.0, 0.5]))
    steps = np.diff(friction_torque(smooth(model, 0.01), theta, slow), axis=0)
    assert np.abs(steps).max() < 1e-3
    assert smooth(softened).parameter_names == model.parameter_names


def test_it_comes_back_from_a_file(tmp_path) -> None:
    model = Coupled(MODEL, GEARS)
    write_record(tmp_path / "model", model)
    again = read_record(tmp_path / "model", FrictionModel, remedy="")
    theta = np.random.default_rng(3).normal(size=(3, 7))
    np.testing.assert_array_equal(friction_torque(again, theta, motion()), friction_torque(model, theta, motion()))


def test_identification_finds_the_motors_own_friction() -> None:
    log = synthetic_log("spatial_3r", samples=2000)
    rigid = log.effort - friction_torque(linear(), np.tile((0.4, 0.7, 0.1), (3, 1)), Motion(log.q, log.dq, log.ddq))
    theta = joint_parameters(*(1e-3 * np.random.default_rng(4).uniform(0.1, 1.0, (3, 3))))
    gearbox = Coupled(MODEL, GEARS)
    effort = rigid + friction_torque(gearbox, theta, Motion(log.q, log.dq, log.ddq))
    data = log.after("", effort=effort, gears=GEARS)
    estimate = identify(_robot(), data, cutoff=None)  # rotors and coupling by default, because the gears are known
    found = dict(zip(estimate.base.columns.names, estimate.standard, strict=True))
    for place, name in enumerate(("fvm3", "fcm3", "Iam3")):
        assert found[name] == pytest.approx(theta[2, 4 + place], rel=1e-6)
    assert found["fv1"] == pytest.approx(theta[0, 0], rel=1e-6)
    assert estimate.residuals.relative_percent < 1e-6
    np.testing.assert_allclose(estimate.predict(data), effort, atol=1e-8)


def test_known_motor_parameters_leave_the_problem_in_all_their_joints() -> None:
    log = synthetic_log("spatial_3r", samples=1000)
    theta = joint_parameters(*(1e-3 * np.random.default_rng(5).uniform(0.1, 1.0, (3, 3))))
    robot = _robot()
    rigid = inverse_dynamics(robot, robot.parameters, log.q, log.dq, log.ddq)
    effort = rigid + friction_torque(Coupled(MODEL, GEARS), theta, Motion(log.q, log.dq, log.ddq))
    data = log.after("", effort=effort, gears=GEARS)
    known = {"fvm3": theta[2, 4], "fcm3": theta[2, 5], "Iam3": theta[2, 6]}
    estimate = identify(robot, data, cutoff=None, known=known)
    assert "Iam3" not in estimate.base.names
    assert estimate.residuals.relative_percent < 1e-6


@pytest.mark.parametrize("target", ["python", "c"])
def test_code_has_it_too(target: str) -> None:
    robot = _robot()
    theta = np.zeros((3, 7))
    theta[:, :4], theta[2, 4:] = 0.3, (0.2, 0.1, 0.05)
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Coupled(MODEL, GEARS), friction_parameters=theta)
    comparison = export(model, target).comparison
    assert comparison is None or comparison.relative < 1e-12


def test_a_description_file_has_no_place_for_it() -> None:
    robot = _robot()
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Coupled(MODEL, GEARS), friction_parameters=np.ones((3, 7)))
    notes = express_friction(model, JointAttributes("MJCF", ("damping", "frictionloss"), ("armature",))).notes
    assert about(notes, "attribute", "motor")


def test_what_can_t_be_is_said() -> None:
    with raises(ShapeError, name="gears", shape=(2, 3)):
        Coupled(MODEL, np.ones((2, 3)))
    with raises(ValueRangeError, 2, name="gears"):
        Coupled(MODEL, np.array([[1.0, 1.0], [1.0, 0.0]]))
    with raises(InputError, "motors", "simulation"):
        SimulatedFriction.of(_robot(), Coupled(MODEL, GEARS), np.zeros((3, 7)))


def _robot():
    from dynident import load_robot

    return load_robot("spatial_3r")


def test_the_registry_knows_its_parts() -> None:
    assert couple(friction_model("viscous+armature"), GEARS).parameter_names == ("fv", "Ia", "fvm", "Iam")
