"""What every registered friction model promises. A new line in the registry is enough to be tested here.

First the model alone; then everything that the package does with one, by nothing but what the model says about itself.
"""

from __future__ import annotations

import ast
import shutil
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import dynident
from dynident import Dataset, Robot, load_robot
from dynident.core.records import read_record, write_record
from dynident.data import EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import (
    FRICTION_MODELS,
    FrictionModel,
    Motion,
    Symmetry,
    friction_model,
    friction_torque,
    smooth,
)
from dynident.dynamics.friction.dissipation import opposing_inequalities
from dynident.dynamics.friction.model import label
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.exports import EXPORTERS, ExportModel, export
from dynident.exports.code.c99 import CLibrary
from dynident.exports.formats import mjcf, urdf
from dynident.exports.target import Request
from dynident.links import FrictionNonnegative
from dynident.links.constraints.terms import violations
from dynident.motions import robot_limits
from dynident.motions.design.problem import build_search
from dynident.motions.simulation import simulate, typical_friction
from dynident.regression import base_parameters, identify
from dynident.reports.html import typeset
from dynident.robots import JointType
from tests.unit.motions.simulation.motions import fourier_motion

N, JOINTS = 60, 3
GCC = shutil.which("gcc")


@pytest.fixture(params=sorted(FRICTION_MODELS))
def model(request: pytest.FixtureRequest) -> FrictionModel:
    return FRICTION_MODELS[request.param]()


@pytest.fixture
def motion() -> Motion:
    """Fast, slow and reversing motion, with samples at rest; loaded both ways, colder and warmer than the reference."""
    rng = np.random.default_rng(2)
    dq = rng.normal(size=(N, JOINTS)) * np.logspace(-4, 0.5, N)[:, None]
    dq[::10] = 0.0
    ddq, q, load, temperature = rng.normal(size=(4, N, JOINTS)) * np.array([1.0, 1.0, 20.0, 10.0])[:, None, None]
    return Motion(q, dq, ddq, load, 25.0 + temperature)


def _parameters(model: FrictionModel, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 2.0, size=(JOINTS, len(model.parameter_names)))


def test_it_is_a_friction_model_of_its_registered_name(request, model):
    assert isinstance(model, FrictionModel)
    registered = request.node.callspec.params["model"]
    assert friction_model(registered) == model
    assert registered in (model.name, "linear")


def test_every_parameter_has_a_name_and_a_unit(model):
    names = model.parameter_names
    assert len(names) == len(model.parameters) == len(model.nonnegative) >= 1
    assert len(set(names)) == len(names)
    assert all(name.isascii() and name.isalpha() for name in names)  # fv of joint 3 is fv3
    turning, sliding = model.units_of(JointType.REVOLUTE), model.units_of(JointType.PRISMATIC)
    assert turning == model.units_of(JointType.CONTINUOUS)
    assert all(a and b and a != b for a, b in zip(turning, sliding, strict=True))
    assert not any("rad" in unit or "N·m" in unit for unit in sliding)


def test_a_model_is_its_parts(model, motion):
    theta = _parameters(model)
    assert all(part.parts == (part,) for part in model.parts)
    split = model.split(theta)
    np.testing.assert_array_equal(np.hstack([own for _, own in split]), theta)
    total = sum(friction_torque(part, own, motion) for part, own in split)
    np.testing.assert_allclose(total, friction_torque(model, theta, motion), atol=1e-12)


def test_shapes_are_the_fields_of_the_model(model):
    for part in model.parts:
        assert [shape.name for shape in part.shapes] == [field.name for field in fields(part)]
        for shape in part.shapes:
            assert getattr(part, shape.name) == shape.default
            assert shape.lower < shape.default < shape.upper
            for value in (shape.lower, shape.upper):
                assert getattr(replace(part, **{shape.name: value}), shape.name) == value


def test_files_bring_it_back(model, tmp_path):
    write_record(tmp_path / "model", model)
    assert read_record(tmp_path / "model", FrictionModel, remedy="") == model


def test_columns_have_one_slice_per_parameter(model, motion):
    columns = model.columns(motion)
    assert columns.shape == (N, JOINTS, len(model.parameter_names))
    assert columns.dtype == np.float64
    assert np.all(np.isfinite(columns))


def test_columns_depend_on_the_motion_of_their_own_sample_and_joint(model, motion):
    def alone(i: int, j: int) -> np.ndarray:
        return model.columns(Motion(*(values[i : i + 1, j : j + 1] for values in motion)))[0, 0]

    np.testing.assert_array_equal(model.columns(motion), [[alone(i, j) for j in range(JOINTS)] for i in range(N)])


def test_torque_is_columns_times_parameters(model, motion):
    theta, columns = _parameters(model), model.columns(motion)
    expected = np.stack([columns[:, j, :] @ theta[j] for j in range(JOINTS)], axis=1)
    np.testing.assert_allclose(friction_torque(model, theta, motion), expected, rtol=1e-14)


def test_torque_is_linear_and_zero_for_zero_parameters(model, motion):
    first, second = _parameters(model, 1), _parameters(model, 2)
    mixed = friction_torque(model, 2.0 * first - 3.0 * second, motion)
    np.testing.assert_allclose(
        mixed, 2.0 * friction_torque(model, first, motion) - 3.0 * friction_torque(model, second, motion), atol=1e-12
    )
    assert not np.any(friction_torque(model, 0.0 * first, motion))


def test_parameters_can_be_told_apart(model, motion):
    for joint in range(JOINTS):
        assert np.linalg.matrix_rank(model.columns(motion)[:, joint, :]) == len(model.parameter_names)


def test_declared_symmetry(model, motion):
    forwards, backwards = model.columns(motion), model.columns(motion._replace(dq=-motion.dq, ddq=-motion.ddq))
    is_odd, is_even = np.allclose(backwards, -forwards), np.allclose(backwards, forwards)
    assert is_odd == (model.symmetry is Symmetry.ODD)
    assert is_even == (model.symmetry is Symmetry.EVEN)


def test_declared_dissipation(model, motion):
    power = friction_torque(model, _parameters(model), motion) * motion.dq
    assert bool(np.all(power >= 0.0)) == model.dissipative
    if model.dissipative:  # then all are held positive but those of which the model says otherwise
        assert all(flag or parameter.nonnegative is False for flag, parameter in zip(model.nonnegative, model.parameters, strict=True))


@pytest.mark.parametrize("reached", [(1.3, 0.7), (0.0, 1.3)], ids=["both ways", "one way"])
def test_the_rule_that_it_opposes_the_motion(model, reached):
    """Inequalities hold exactly where the friction brakes at every speed up to the largest, beside what stays when the motion is reversed;
    one way, where moreover no parameter is negative that can't be. What shows at no constant speed is not negative either way."""
    inequalities = list(opposing_inequalities(model, np.array([reached])))
    speeds = np.linspace(-1.3, 1.3, 400)[:, None]
    columns = model.columns(Motion.steady(speeds))[:, 0]
    columns[:, [symmetry is Symmetry.EVEN for symmetry in model.symmetries]] = 0.0
    hidden = ~np.any(columns, axis=0)
    alone = np.array(model.nonnegative) & (hidden | (min(reached) == 0.0))
    outcomes = set()
    for seed in range(60):
        theta = np.random.default_rng(seed).normal(size=len(model.parameters))
        brakes = bool(np.all(columns @ theta * speeds[:, 0] >= 0.0) and np.all(theta[alone] >= 0.0))
        assert all(np.sum(item.factors * theta) >= 0.0 for item in inequalities) == brakes
        outcomes.add(brakes)
    assert outcomes == ({True, False} if inequalities else {True})  # of springs, offsets and the like nothing is asked


def test_nothing_is_written_into_the_motion(model, motion):
    for array in motion:
        array.setflags(write=False)
    model.columns(motion)


@pytest.mark.parametrize(
    ("dq", "ddq"),
    [(np.zeros(5), np.zeros(5)), (np.zeros((5, 2)), np.zeros((5, 3))), (np.zeros((5, 2)), np.zeros((4, 2))), (0.0, 0.0)],
    ids=["one axis", "joints differ", "samples differ", "scalars"],
)
def test_wrong_shapes_are_shape_errors(model, dq, ddq):
    with pytest.raises(ShapeError, match="expected"):
        model.columns(Motion.steady(dq)._replace(ddq=ddq))


def test_wrong_number_of_parameters_is_a_shape_error(model, motion):
    with pytest.raises(ShapeError) as caught:
        friction_torque(model, np.ones((JOINTS, len(model.parameter_names) + 1)), motion)
    assert caught.value.name == "parameters"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("which", ["velocity", "acceleration", "position", "load", "temperature"])
def test_nan_and_infinity_are_refused(model, motion, which, bad):
    field = {"velocity": "dq", "acceleration": "ddq", "position": "q"}.get(which, which)
    getattr(motion, field)[3, 1] = bad
    if field in ("q", "dq", "ddq", *model.needs):
        with pytest.raises(ValueRangeError, match=which):
            model.columns(motion)
    else:
        assert np.all(np.isfinite(model.columns(motion)))


@pytest.mark.parametrize("name", ["load", "temperature"])
def test_it_says_what_it_needs(model, motion, name):
    without = motion._replace(**{name: None})
    if name in model.needs:
        with pytest.raises(InputError, match=f"needs the {name}") as caught:
            model.columns(without)
        assert caught.value.remedy
    else:
        np.testing.assert_array_equal(model.columns(without), model.columns(motion))


def test_its_jump_at_rest_depends_on_what_it_needs_alone(model, motion):
    def jump(at: Motion) -> np.ndarray:
        above, below = (model.columns(at._replace(dq=np.full_like(at.dq, side))) for side in (1e-300, -1e-300))
        return above - below

    others = {name: np.roll(getattr(motion, name), 1, axis=0) for name in ("q", "ddq")}
    np.testing.assert_allclose(jump(motion._replace(**others)), jump(motion), atol=1e-12)


@pytest.fixture(scope="module")
def robot() -> Robot:
    """One joint that turns and one that slides."""
    planar = load_robot("planar_2r")
    first, second = planar.joints
    return replace(planar, joints=(first, replace(second, type=JointType.PRISMATIC)))


@pytest.fixture
def exported(model, robot) -> ExportModel:
    theta = np.random.default_rng(4).uniform(0.1, 2.0, (2, len(model.parameters)))
    return ExportModel(robot=robot, parameters=robot.parameters, friction=model, friction_parameters=theta)


def test_its_smooth_version_has_no_jump_and_is_the_model_at_speed(model):
    smoothed = smooth(model, 0.05)
    around = np.linspace(-1e-4, 1e-4, 41)[:, None]
    slowly = Motion.steady(around)._replace(ddq=np.ones_like(around), load=np.ones_like(around))
    near = smoothed.columns(slowly)[:, 0]
    assert np.abs(np.diff(near, axis=0)).max() < 1e-3  # rest itself is among the points
    kink = 5e-6 if model.name == "asymmetric_viscous" else 0.0  # two slopes, one step of the points apart
    assert np.abs(np.diff(near, n=2, axis=0)).max() < kink + 1e-7
    fast = np.array([[-3.0], [-0.9], [0.9], [3.0]])
    motion = Motion.steady(fast)._replace(ddq=fast, load=fast)
    np.testing.assert_allclose(smoothed.columns(motion), model.columns(motion), atol=1e-12)
    assert (smoothed.parameters, smoothed.nonnegative) == (model.parameters, model.nonnegative)
    assert smooth(smoothed) is smoothed


def test_columns_and_signs_of_an_identification_problem(model, robot):
    base = base_parameters(robot, friction=model)
    columns = base.columns
    assert columns.names[columns.friction_slice] == tuple(f"{name}{joint}" for joint in (1, 2) for name in model.parameter_names)
    assert columns.units[columns.friction_slice] == (*model.units_of(JointType.REVOLUTE), *model.units_of(JointType.PRISMATIC))
    terms = FrictionNonnegative().terms(robot, columns)
    expected = [
        f"{name}{joint} >= 0" for joint in (1, 2) for name, flag in zip(model.parameter_names, model.nonnegative, strict=True) if flag
    ]
    assert [block.name for block in terms.blocks] == expected
    x = np.ones(len(columns))
    assert not violations(terms, x)
    x[columns.friction_slice] = -1.0
    assert sorted(item.name for item in violations(terms, x)) == sorted(expected)


def test_the_excitation_criterion_has_a_gradient(model, robot):
    limits = robot_limits(load_robot("planar_2r"), velocity_scale=0.3)
    if model.needs:
        with pytest.raises(InputError, match=f"needs the {min(model.needs)}"):
            build_search(load_robot("planar_2r"), limits=limits, friction=model)
        return
    problem = build_search(load_robot("planar_2r"), limits=limits, friction=model)
    rng = np.random.default_rng(4)
    x = problem.parametrisation.standing_still(problem.centres[0]) + 0.3 * rng.normal(size=problem.parametrisation.unknowns)
    value, gradient = problem.objective(x, 4.0, 3.0)
    assert np.isfinite(value)
    h = 1e-6
    for direction in rng.normal(size=(2, len(x))):
        moved = (problem.objective(x + h * direction, 4.0, 3.0)[0] - problem.objective(x - h * direction, 4.0, 3.0)[0]) / (2 * h)
        assert gradient @ direction == pytest.approx(moved, rel=5e-5, abs=1e-5)


def test_a_log_with_it_is_identified_and_shown(model, robot):
    rng = np.random.default_rng(5)
    q, dq, ddq = rng.uniform(-1.0, 1.0, (3, 400, 2))
    theta = rng.uniform(0.5, 2.0, (2, len(model.parameters)))
    theta[:, model.nonnegative] *= -1.0  # what can't be negative is remarked upon
    rigid = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    effort = rigid + friction_torque(model, theta, Motion(q, dq, ddq, rigid, 25.0 + q))
    effort += 1e-6 * rng.normal(size=effort.shape)
    rows = {"q": q, "dq": dq, "ddq": ddq, "effort": effort, "temperature": 25.0 + q}
    data = Dataset(time=0.01 * np.arange(400), **rows, effort_kind=EffortKind.TORQUE)
    estimate = identify(robot, data, friction=model, drop_above_percent=None, cutoff=None, load=rigid)
    true = estimate.base.coefficients(np.concatenate([robot.parameters.ravel(), theta.ravel()]))
    np.testing.assert_allclose(estimate.values, true, atol=1e-4)
    text = str(estimate)
    for parameter, flag in zip(model.parameters, model.nonnegative, strict=True):
        units = " or ".join(dict.fromkeys(parameter.unit))
        assert (f"{label(parameter)} [{units}]" if units else label(parameter)) in text
        for name in (f"{parameter.name}1", f"{parameter.name}2"):
            if name in estimate.base.expressions:  # on its own, not grouped with others
                assert (f"{name} (-" in text and parameter.negative in text) == flag
            assert str(typeset(f"0.5 {name}")) == f"0.5 <var>{parameter.name}</var><sub>{name[-1]}</sub>"


def test_it_can_be_simulated(model):
    pytest.importorskip("mujoco")
    robot = load_robot("planar_2r")
    unknown = [parameter.name for parameter in model.parameters if parameter.typical is None]
    if unknown:
        with pytest.raises(InputError, match=unknown[0]):
            typical_friction(robot, model, 50.0)
    else:
        assert np.all(typical_friction(robot, model, 50.0) > 0.0)
    theta = np.full((2, len(model.parameters)), 0.2)
    truth = simulate(robot, fourier_motion(robot, duration=0.5), friction=model, friction_parameters=theta).truth
    motion = Motion(truth.q, truth.dq, truth.ddq, truth.rigid, np.full_like(truth.q, 25.0))
    np.testing.assert_allclose(truth.friction, friction_torque(smooth(model), theta, motion), atol=1e-8)
    np.testing.assert_allclose(truth.effort, truth.rigid + truth.friction, atol=1e-8)


def _unloaded(exported: ExportModel, motion: Motion) -> Motion:
    """The motion of the robot's two joints, with the load that its links are."""
    q, dq, ddq, _, temperature = (values[:, :2] for values in motion)
    return Motion(q, dq, ddq, inverse_dynamics(exported.robot, exported.parameters, q, dq, ddq), temperature)


def test_generated_python_is_the_model(exported, motion):
    motion = _unloaded(exported, motion)
    module: dict = {}
    exec(export(exported, "python").main, module)  # noqa: S102
    expected = friction_torque(exported.friction, exported.friction_parameters, motion)
    arguments = [getattr(motion, name) for name in exported.friction_inputs]
    np.testing.assert_allclose(module["friction"](*arguments), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.skipif(GCC is None, reason="gcc is not installed")
def test_generated_c_is_the_model(exported, motion, tmp_path: Path):
    motion = _unloaded(exported, motion)
    library = CLibrary.compile(EXPORTERS["c"].write(exported, Request()), tmp_path, exported, GCC)
    expected = friction_torque(exported.friction, exported.friction_parameters, motion)
    arguments = [getattr(motion, name) for name in exported.friction_inputs]
    actual = np.array([library("friction", *row) for row in zip(*arguments, strict=True)])
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_simulators_hold_it_or_say_that_they_can_not(exported, target):
    pytest.importorskip("mujoco")
    result = export(exported, target)
    known = {"urdf": urdf, "mjcf": mjcf}[target].ATTRIBUTES
    text = result.main.decode()
    found = [(part, *pair) for part, own in exported.friction_terms() for pair in zip(part.parameters, own.T, strict=True)]
    for part, parameter, values in found:
        attribute = parameter.attributes.get(known.format_name)
        if attribute is None:
            said = [note for note in result.notes if f"can't hold {part.name} ({parameter.name}:" in note]
            assert said
            assert parameter.reason in said[0]
        else:
            assert attribute in (*known.friction, *known.inertia)
            assert all(f'{attribute}="{value!r}"' in text for value in values.tolist())
            assert not parameter.lost or any(parameter.lost in note for note in result.notes)


@pytest.fixture(scope="module")
def words_outside() -> set[str]:
    """Every name and text in the package's code outside friction/, and outside reproduce/, where the papers' models are called by name."""
    paths = [path for package in dynident.__path__ for path in Path(package).rglob("*.py")]
    files = [path for path in paths if not {"friction", "reproduce"} & {*path.parts}]
    assert len(files) > 100
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text()))]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {node.id for node in nodes if isinstance(node, ast.Name)}


def test_nobody_outside_knows_it_by_name(model, words_outside):
    known = {*model.parameter_names, *(type(part).__name__ for part in model.parts)}
    assert not known & words_outside
