"""Rotors behind gears: part of the model where the log shows them, by themselves, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.virtual_arms import ERRORS, Arm, draw_arm, fourier_motion, record
from dynident import regression
from dynident.data import Dataset
from dynident.dynamics.friction import linear, linear_with_rotor
from dynident.links import retrieve
from dynident.regression import build_problem, identify
from dynident.regression.rotors import drop_friction
from tests.facts import about
from tests.logs import synthetic_log


def arm_and_log(robot: str, seed: int, rotors: float, errors: tuple[str, ...] = ()) -> tuple[Arm, Dataset]:
    """A log of 20 s. rotors : inertia of the first joint's [kg·m²]; that of the last is an eighth of it."""
    rng = np.random.default_rng(seed)
    arm = draw_arm(robot, errors, rng)
    n = arm.described.n
    limits = arm.described.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    motion = fourier_motion(np.arange(2000) / 100.0, 0.1, 1.5, 0.5 * (low + high), 0.4 * (high - low), rng)
    log = record(arm, np.arange(2000) / 100.0, *motion, rng)
    return arm, log.after("", effort=log.effort + rotors * np.linspace(1.0, 0.125, n) * motion[2])


@pytest.mark.parametrize("robot", ["panda", "ur5"])
def test_they_are_found_without_being_asked_for(robot: str) -> None:
    arm, log = arm_and_log(robot, 0, 1.5)
    estimate = identify(arm.described, log)
    assert estimate.base.friction.parameter_names == linear_with_rotor().parameter_names
    assert about(estimate.notes, "rotors", "gears")
    found = dict(zip(estimate.base.names, estimate.values, strict=True))
    n = arm.described.n
    assert found[f"Ia{n}"] == pytest.approx(1.5 * 0.125, rel=0.05)
    assert np.all(retrieve(estimate).friction_parameters[:, 3] > 0.0)


def test_a_choice_of_friction_begins_with_them() -> None:
    """Links that must explain rotors are wrong whatever law of friction is then chosen."""
    arm, log = arm_and_log("ur5", 0, 1.5, ("stribeck",))
    chosen = identify(arm.described, log, friction="auto")
    assert all("Ia" in chosen.base.friction.of_joint(j).parameter_names for j in range(arm.described.n))
    links, plain = retrieve(chosen), retrieve(identify(arm.described, log))
    assert links.training[1] < 1.05 * plain.training[1]
    assert float(arm.links[:, 0].sum()) / 1.5 < links.total_mass < 1.5 * float(arm.links[:, 0].sum())


def test_links_can_t_explain_them_otherwise() -> None:
    arm, log = arm_and_log("ur5", 0, 1.5)
    without, found = retrieve(identify(arm.described, log, friction=linear())), retrieve(identify(arm.described, log))
    assert without.training[1] > 5.0 * found.training[1]
    true = float(arm.links[:, 0].sum())
    assert abs(found.total_mass - true) < abs(without.total_mass - true)


def test_one_that_is_known_stays_known() -> None:
    arm, log = arm_and_log("ur5", 1, 0.0)
    estimate = identify(arm.described, log, known={"Ia3": 0.0})
    assert "Ia3" not in estimate.base.names
    assert "Ia4" in estimate.base.names


@pytest.mark.parametrize("errors", [(), ("stribeck",), ("elasticity",), ERRORS], ids="+".join)
@pytest.mark.parametrize("robot", ["panda", "ur5"])
def test_where_there_are_none_nothing_changes(robot: str, errors: tuple[str, ...]) -> None:
    arm, log = arm_and_log(robot, 1, 0.0, errors)
    plain, found = identify(arm.described, log, friction=linear()), identify(arm.described, log)
    assert found.base.names == plain.base.names
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.std, plain.std, rtol=1e-6)
    assert not any("rotors" in note for note in found.notes)


def test_a_log_without_noise_shows_none_by_rounding() -> None:
    assert identify(_robot("spatial_3r"), synthetic_log("spatial_3r"), cutoff=None).base.friction.parameter_names == ("fv", "fc", "fo")


def test_a_model_that_is_named_stays() -> None:
    arm, log = arm_and_log("ur5", 0, 1.5)
    assert identify(arm.described, log, friction=linear()).base.friction.parameter_names == ("fv", "fc", "fo")


@pytest.mark.parametrize("cutoff", [None, 5.0])
def test_a_problem_without_some_columns_is_that_which_never_had_them(cutoff: float | None) -> None:
    log = replace(synthetic_log("spatial_3r", noise=0.1), source="log")
    robot = _robot("spatial_3r")
    dropped = drop_friction(build_problem(robot, log, friction=linear_with_rotor(), cutoff=cutoff), linear())
    built = build_problem(robot, log, friction=linear(), cutoff=cutoff)
    ours, theirs = regression.estimate(dropped), regression.estimate(built)
    assert dropped.base.names == built.base.names
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-6, atol=1e-14)


def _robot(name: str):
    from dynident import load_robot

    return load_robot(name)
