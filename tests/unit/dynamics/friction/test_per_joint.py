"""A friction model per joint: each joint as if it were alone, and through everything that a model goes through."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import yaml

from dynident import Dataset, load_robot
from dynident.core.records import read_record, write_record
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import (
    Armature,
    Coulomb,
    FrictionModel,
    Motion,
    Parameter,
    PerJoint,
    SmoothCoulomb,
    Symmetry,
    Viscous,
    combine,
    friction_torque,
    linear,
    smooth,
)
from dynident.errors import ShapeError, ValueRangeError
from dynident.exports import ExportModel, export
from dynident.links import FrictionNonnegative, retrieve
from dynident.links.constraints.convex import Dissipative
from dynident.links.friction_prior import friction_std
from dynident.motions.simulation import SimulatedFriction, simulate
from dynident.regression import base_parameters, identify
from dynident.runs import read_estimate, write_result
from tests.facts import about, raises
from tests.unit.motions.simulation.motions import fourier_motion

MODELS = (linear(), combine(Viscous(), SmoothCoulomb(0.1)), SmoothCoulomb(0.4))
MIXED = PerJoint(MODELS)
THETA = np.array([[0.4, 0.9, -0.1], [0.2, 0.8, 0.0], [0.0, 0.5, 0.0]])


@pytest.fixture
def motion() -> Motion:
    return Motion(*np.random.default_rng(0).normal(size=(5, 40, 3)))


def test_every_joint_is_as_its_own_model_says(motion):
    torque = friction_torque(MIXED, THETA, motion)
    for j, model in enumerate(MODELS):
        own = [[MIXED.values_of(j, THETA[j])[name] for name in model.parameter_names]]
        alone = friction_torque(model, own, Motion(*(values[:, j : j + 1] for values in motion)))
        np.testing.assert_allclose(torque[:, j : j + 1], alone, atol=1e-15)


def test_parameters_are_the_union_and_what_a_joint_lacks_is_zero(motion):
    assert MIXED.parameter_names == ("fv", "fc", "fo")
    assert MIXED.name == "viscous+coulomb+offset | viscous+smooth_coulomb | smooth_coulomb"
    assert (MIXED.joints, MIXED.dissipative, MIXED.symmetry) == (3, False, Symmetry.NONE)
    assert MIXED.nonnegative == (True, True, False)
    columns = MIXED.columns(motion)
    assert not np.any(columns[:, 1:, 2])
    assert not np.any(columns[:, 2, 0])


def test_its_parts_are_the_whole(motion):
    total = sum(friction_torque(part, own, motion) for part, own in MIXED.split(THETA))
    np.testing.assert_allclose(total, friction_torque(MIXED, THETA, motion), atol=1e-14)


def test_one_model_for_all_is_that_model(motion):
    same = PerJoint((linear(),) * 3)
    np.testing.assert_array_equal(same.columns(motion), linear().columns(motion))
    assert (same.name, same.symmetry, same.nonnegative) == (linear().name, linear().symmetry, linear().nonnegative)


def test_smoothed_it_is_the_smoothed_models(motion):
    smoothed = smooth(MIXED, 0.05)
    expected = PerJoint(tuple(smooth(model, 0.05) for model in MODELS[:2]) + MODELS[2:])
    for slot in range(2):
        np.testing.assert_allclose(smoothed.columns(motion)[..., slot], expected.columns(motion)[..., slot], atol=1e-14)
    assert smoothed.of_joint(0) == smooth(linear(), 0.05)


def test_files_bring_it_back(tmp_path):
    write_record(tmp_path / "model", MIXED)
    assert read_record(tmp_path / "model", FrictionModel, remedy="") == MIXED


def test_it_must_be_for_as_many_joints_as_there_are(motion):
    with raises(ShapeError, "(N, 2)", name="velocity", shape=(40, 3)):
        PerJoint(MODELS[:2]).columns(motion)
    with raises(ValueRangeError, 2, "panda", 7, name="friction"):
        base_parameters(load_robot("panda"), friction=PerJoint(MODELS[:2]))


def test_models_that_can_not_stand_together_are_refused():
    class Other(FrictionModel):
        name = "other"
        parameters = (Parameter(name="fv"),)  # in another unit than viscous friction

        def terms(self, motion):
            return (motion.dq,)

    with raises(ValueRangeError, "empty", name="models"):
        PerJoint(())
    with raises(ValueRangeError, "joint", name="models"):
        PerJoint((MIXED,))
    with raises(ValueRangeError, "fv", "N·m·s/rad", "N·m", name="models"):
        PerJoint((Viscous(), Other()))


ROBOT = load_robot("spatial_3r")


@pytest.fixture(scope="module")
def log() -> Dataset:
    rng = np.random.default_rng(5)
    q, dq, ddq = rng.uniform(-1.5, 1.5, (3, 800, 3))
    effort = inverse_dynamics(ROBOT, ROBOT.parameters, q, dq, ddq) + friction_torque(MIXED, THETA, Motion(q, dq, ddq))
    return Dataset(time=0.01 * np.arange(800), q=q, dq=dq, ddq=ddq, effort=effort + 1e-5 * rng.normal(size=q.shape), effort_kind="torque")


def test_an_identification_has_no_unknown_for_what_a_joint_lacks(log, tmp_path):
    estimate = identify(ROBOT, log, friction=MIXED, cutoff=None, fit_shapes=False)
    columns = estimate.base.columns
    assert columns.names[columns.friction_slice] == ("fv1", "fc1", "fo1", "fv2", "fc2", "fc3")
    assert columns.of_joint(2) == {1: columns.index("fc3")}
    np.testing.assert_allclose(estimate.friction_parameters, THETA, atol=1e-4)
    standard = columns.join(ROBOT.parameters, THETA)
    np.testing.assert_array_equal(columns.friction(standard), THETA)
    np.testing.assert_allclose(estimate.values, estimate.base.coefficients(standard), atol=1e-4)
    np.testing.assert_allclose(estimate.predict(log), log.effort, atol=1e-3)
    table = str(estimate)
    assert any(line.split()[-3:] == ["–", "0.5000", "–"] for line in table.splitlines())
    write_result(tmp_path, estimate)
    again = read_estimate(tmp_path)
    assert again.base.friction == MIXED
    np.testing.assert_array_equal(again.friction_parameters, estimate.friction_parameters)


def test_links_are_retrieved_with_it(log):
    estimate = identify(ROBOT, log, friction=MIXED, cutoff=None, fit_shapes=False)
    assert np.isfinite(friction_std(estimate)).all()
    links = retrieve(estimate)
    assert links.feasible
    np.testing.assert_allclose(links.friction_parameters, THETA, atol=1e-3)
    assert ("–", "0.5000") in {pair for line in str(links).splitlines() for pair in pairwise(line.split())}


def test_constraints_are_on_the_columns_that_are_there():
    base = base_parameters(ROBOT, friction=MIXED)
    names = [block.name for block in FrictionNonnegative().terms(ROBOT, base.columns).blocks]
    assert names == ["fv1 >= 0", "fc1 >= 0", "fv2 >= 0", "fc2 >= 0", "fc3 >= 0"]
    blocks = Dissipative(MIXED, np.ones((3, 2))).terms(ROBOT, base.columns).blocks
    touched = [{base.columns.names[k] for k in block.indices} for block in blocks]
    assert touched == [{"fv1", "fc1"}, {"fv1", "fc1"}, {"fv2", "fc2"}, {"fv2", "fc2"}, {"fc3"}]


@pytest.mark.parametrize("target", ["python", "c"])
def test_generated_code_computes_it(target):
    if target == "c" and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    other = PerJoint((Coulomb(), SmoothCoulomb(0.2), combine(SmoothCoulomb(0.3), Armature())))  # two columns of one name
    theta = np.array([[0.5, 0.0], [0.7, 0.0], [0.2, 0.1]])
    model = ExportModel(robot=ROBOT, parameters=ROBOT.parameters, friction=other, friction_parameters=theta)
    comparison = export(model, target).comparison
    assert comparison is not None
    assert comparison.relative < 1e-12


def test_other_programs_get_each_joints_own_numbers():
    model = ExportModel(robot=ROBOT, parameters=ROBOT.parameters, friction=MIXED, friction_parameters=THETA)
    text = export(model, "csv").files["spatial_3r.csv"].decode()
    assert text.splitlines()[3].endswith("joint3,,0.5,")
    assert about(export(model, "csv").notes, "shape", "constants")
    friction = yaml.safe_load(export(model, "yaml").main)["friction"]
    assert friction["joints"]["joint3"] == {"fc": 0.5}
    assert friction["shapes"] == {"joint1": {}, "joint2": {"threshold": 0.1}, "joint3": {"threshold": 0.4}}


def test_it_can_be_simulated():
    pytest.importorskip("mujoco")
    truth = simulate(ROBOT, fourier_motion(ROBOT, duration=0.5), friction=MIXED, friction_parameters=THETA).truth
    expected = friction_torque(smooth(MIXED), THETA, Motion(truth.q, truth.dq, truth.ddq))
    np.testing.assert_allclose(truth.friction, expected, atol=1e-12)
    np.testing.assert_allclose(truth.effort, truth.rigid + truth.friction, atol=1e-8)


def test_the_tangent_of_a_simulation_is_that_of_each_joint():
    friction = SimulatedFriction.of(ROBOT, MIXED, THETA)
    v = np.array([0.01, -0.3, 0.5])
    here, _ = friction.tangent(Motion.steady(v))
    np.testing.assert_allclose(here, friction.torque(Motion.steady(v[None]))[0], atol=1e-9)
    assert replace(friction, parameters=0.0 * THETA).tangent(Motion.steady(v))[0] == pytest.approx(0.0)
