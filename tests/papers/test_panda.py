"""The Panda paper's route (RA-L 2019) on a seven-axis arm by DH table: M and g, friction, feasible links, Newton-Euler."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.runs import load_run
from tests.papers.arms import (
    fourier,
    linear_friction,
    make_arm,
    seven_axes,
    sigmoid_friction,
    sinusoids,
    write_bounds,
    write_log,
    write_samples,
)
from tests.papers.conftest import held_out_error, seeds


@pytest.mark.parametrize("seed", seeds())
def test_coefficients_from_the_controller_then_friction_then_links(tmp_path, walk, record_property, seed):
    arm = make_arm(tmp_path, seven_axes, seed=seed)
    rng = np.random.default_rng([1, seed])
    sigmoid, phi = sigmoid_friction(arm, rng)
    write_samples(tmp_path / "samples.npz", arm, rng)
    write_log(tmp_path / "friction.npz", arm, sinusoids(arm, rng), sigmoid, rng)
    write_log(tmp_path / "test.npz", arm, sinusoids(arm, rng), sigmoid, rng)
    write_bounds(tmp_path / "bounds.csv", arm)
    mass = float(arm.links[:, 0].sum())

    estimate = walk("identify", arm.file.name, "samples.npz", "-o", "run", "--json")
    assert (estimate["route"], estimate["rank"]) == ("controller", 43)
    assert estimate["residual"]["relative_percent"] < 0.05

    walk("friction", "run", "friction.npz", "-o", "run_friction", "--model", "sigmoid+offset")
    fitted = load_run(tmp_path / "run_friction").estimate
    values = np.asarray(fitted.friction_parameters)[:, 0]
    record_property("φ1 [%]", 100.0 * float(np.abs(values / phi[:, 0] - 1.0).max()))
    np.testing.assert_allclose(values, phi[:, 0], rtol=0.02)

    known = ("--bounds", "bounds.csv", "--total-mass", 0.9 * mass, 1.1 * mass)
    for name, method in {"Algorithm 1": ("--method", "gaz2019", "--starts", 1, "--no-ranges"), "default": ()}.items():
        walk("retrieve", "run_friction", *known, *method)
        links = load_run(tmp_path / "run_friction").parameters
        assert links is not None
        assert links.feasible
        assert 0.9 * mass <= links.parameters[:, 0].sum() <= 1.1 * mass
        error = held_out_error(walk("validate", "run_friction", "test.npz", "--json"))
        record_property(f"held-out torque, {name} [%]", error)
        assert error < 0.5
    walk("report", "run_friction")
    walk("export", "run_friction", "--yaml", "model.yaml")


@pytest.mark.parametrize("seed", seeds())
def test_linear_friction_after_the_controller_s_model(tmp_path, walk, record_property, seed):
    arm = make_arm(tmp_path, seven_axes, seed=seed)
    rng = np.random.default_rng([2, seed])
    friction, constants = linear_friction(arm, rng)
    write_samples(tmp_path / "samples.npz", arm, rng)
    write_log(tmp_path / "friction.npz", arm, sinusoids(arm, rng), friction, rng)
    write_log(tmp_path / "test.npz", arm, sinusoids(arm, rng), friction, rng)

    walk("identify", arm.file.name, "samples.npz", "-o", "run")
    walk("friction", "run", "friction.npz", "-o", "run_friction", "--model", "linear")
    fitted = np.asarray(load_run(tmp_path / "run_friction").estimate.friction_parameters)
    record_property("fc [%]", 100.0 * float(np.abs(fitted[:, 1] / constants[:, 1] - 1.0).max()))
    np.testing.assert_allclose(fitted[:, 1], constants[:, 1], rtol=0.02)
    error = held_out_error(walk("validate", "run_friction", "test.npz", "--json"), "coefficients")
    record_property("held-out torque [%]", error)
    assert error < 0.5


@pytest.mark.parametrize("seed", seeds())
def test_classical_route(tmp_path, walk, record_property, seed):
    arm = make_arm(tmp_path, seven_axes, seed=seed)
    rng = np.random.default_rng([3, seed])
    friction, constants = linear_friction(arm, rng)
    write_log(tmp_path / "log.npz", arm, fourier(arm, rng), friction, rng)
    write_log(tmp_path / "test.npz", arm, sinusoids(arm, rng), friction, rng)

    estimate = walk("identify", arm.file.name, "log.npz", "-o", "run", "--json")
    assert estimate["route"] == "classical"
    fitted = np.asarray(load_run(tmp_path / "run").estimate.friction_parameters)
    record_property("fc [%]", 100.0 * float(np.abs(fitted[:, 1] / constants[:, 1] - 1.0).max()))
    np.testing.assert_allclose(fitted[:, 1], constants[:, 1], rtol=0.02)
    walk("retrieve", "run")
    error = held_out_error(walk("validate", "run", "test.npz", "--json"))
    record_property("held-out torque [%]", error)
    assert error < 0.5
