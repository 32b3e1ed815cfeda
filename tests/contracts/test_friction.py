"""What every registered friction model promises. A new line in the registry is enough to be tested here."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.errors import ShapeError, ValueRangeError
from dynident.friction import FRICTION_MODELS, FrictionModel, Symmetry, friction_model, friction_torque

N, JOINTS = 60, 3


@pytest.fixture(params=sorted(FRICTION_MODELS))
def model(request: pytest.FixtureRequest) -> FrictionModel:
    return FRICTION_MODELS[request.param]()


@pytest.fixture
def motion() -> tuple[np.ndarray, np.ndarray]:
    """Fast, slow and reversing motion, with samples at rest."""
    rng = np.random.default_rng(2)
    dq = rng.normal(size=(N, JOINTS)) * np.logspace(-4, 0.5, N)[:, None]
    dq[::10] = 0.0
    return dq, rng.normal(size=(N, JOINTS))


def _parameters(model: FrictionModel, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 2.0, size=(JOINTS, len(model.parameter_names)))


def test_it_is_a_friction_model_of_its_registered_name(request, model):
    assert isinstance(model, FrictionModel)
    registered = request.node.callspec.params["model"]
    assert friction_model(registered) == model
    assert registered in (model.name, "linear")


def test_every_parameter_has_a_name_and_a_unit(model):
    assert len(model.parameter_names) == len(model.units) >= 1
    assert len(set(model.parameter_names)) == len(model.parameter_names)
    assert all(model.parameter_names)


def test_columns_have_one_slice_per_parameter(model, motion):
    columns = model.columns(*motion)
    assert columns.shape == (N, JOINTS, len(model.parameter_names))
    assert columns.dtype == np.float64
    assert np.all(np.isfinite(columns))


def test_columns_depend_on_the_motion_of_their_own_sample_and_joint(model, motion):
    dq, ddq = motion
    alone = np.array([[model.columns(dq[i : i + 1, j : j + 1], ddq[i : i + 1, j : j + 1])[0, 0] for j in range(JOINTS)] for i in range(N)])
    np.testing.assert_array_equal(model.columns(dq, ddq), alone)


def test_torque_is_columns_times_parameters(model, motion):
    theta, columns = _parameters(model), model.columns(*motion)
    expected = np.stack([columns[:, j, :] @ theta[j] for j in range(JOINTS)], axis=1)
    np.testing.assert_allclose(friction_torque(model, theta, *motion), expected, rtol=1e-14)


def test_torque_is_linear_and_zero_for_zero_parameters(model, motion):
    first, second = _parameters(model, 1), _parameters(model, 2)
    mixed = friction_torque(model, 2.0 * first - 3.0 * second, *motion)
    np.testing.assert_allclose(
        mixed, 2.0 * friction_torque(model, first, *motion) - 3.0 * friction_torque(model, second, *motion), atol=1e-12
    )
    assert not np.any(friction_torque(model, 0.0 * first, *motion))


def test_parameters_can_be_told_apart(model, motion):
    for joint in range(JOINTS):
        assert np.linalg.matrix_rank(model.columns(*motion)[:, joint, :]) == len(model.parameter_names)


def test_declared_symmetry(model, motion):
    dq, ddq = motion
    forwards, backwards = model.columns(dq, ddq), model.columns(-dq, -ddq)
    is_odd, is_even = np.allclose(backwards, -forwards), np.allclose(backwards, forwards)
    assert is_odd == (model.symmetry is Symmetry.ODD)
    assert is_even == (model.symmetry is Symmetry.EVEN)


def test_declared_dissipation(model, motion):
    power = friction_torque(model, _parameters(model), *motion) * motion[0]
    assert bool(np.all(power >= 0.0)) == model.dissipative


def test_nothing_is_written_into_the_motion(model, motion):
    for array in motion:
        array.setflags(write=False)
    model.columns(*motion)


@pytest.mark.parametrize(
    ("dq", "ddq"),
    [(np.zeros(5), np.zeros(5)), (np.zeros((5, 2)), np.zeros((5, 3))), (np.zeros((5, 2)), np.zeros((4, 2))), (0.0, 0.0)],
    ids=["one axis", "joints differ", "samples differ", "scalars"],
)
def test_wrong_shapes_are_shape_errors(model, dq, ddq):
    with pytest.raises(ShapeError, match="expected"):
        model.columns(dq, ddq)


def test_wrong_number_of_parameters_is_a_shape_error(model, motion):
    with pytest.raises(ShapeError) as caught:
        friction_torque(model, np.ones((JOINTS, len(model.parameter_names) + 1)), *motion)
    assert caught.value.name == "parameters"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("which", ["velocity", "acceleration"])
def test_nan_and_infinity_are_refused(model, motion, which, bad):
    motion[("velocity", "acceleration").index(which)][3, 1] = bad
    with pytest.raises(ValueRangeError, match=which):
        model.columns(*motion)
