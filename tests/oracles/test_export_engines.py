"""Exported models in Pinocchio, MuJoCo, compiled C and Python against our Newton-Euler, and that the proof can fail."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from dynident.exports import EXPORTERS, DisagreementError, export
from dynident.exports.proof import TOLERANCE, random_states
from dynident.exports.target import Request
from tests.export_models import model_of
from tests.oracles.machines import NAMES, machine

ENGINES = {name: prove for name in ("urdf", "mjcf", "python", "c") if (prove := EXPORTERS[name].prove) is not None}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", sorted(ENGINES))
def test_engines_agree(name, target):
    if target == "c" and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    robot = machine(name)
    proof = export(model_of(robot), target).comparison
    assert proof.relative < 1e-12 < TOLERANCE
    assert proof.states == 1000


@pytest.mark.parametrize("name", ["panda_urdf", "ur5_urdf"])
def test_engines_agree_on_a_patched_file(name):
    robot = machine(name)
    model = replace(model_of(robot), parameters=1.07 * robot.parameters)
    assert export(model, "urdf", original=robot.source).comparison.relative < 1e-12


@pytest.mark.parametrize("target", sorted(ENGINES))
def test_a_wrong_number_is_found(target):
    """One link's inertia off by a millionth of its value: the proof fails, and nothing is handed out."""
    if target == "c" and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    model = model_of(machine("panda"))
    exported = EXPORTERS[target].write(model, Request())
    other = model.parameters.copy()
    other[6, 9] *= 1.0 + 1e-6
    with pytest.raises(DisagreementError):
        ENGINES[target](replace(model, parameters=other), exported, random_states(model.robot, 50))


@pytest.mark.parametrize(("target", "column"), [("urdf", 0), ("urdf", 1), ("mjcf", 0), ("mjcf", 1), ("mjcf", 3)])
def test_wrong_friction_is_found(target, column):
    model = model_of(machine("panda"))
    exported = EXPORTERS[target].write(model, Request())
    other = model.friction_parameters.copy()
    other[2, column] += 0.01
    attribute = {0: "damping", 1: "friction", 3: "armature"}[column]
    with pytest.raises(DisagreementError, match=attribute):
        ENGINES[target](replace(model, friction_parameters=other), exported, random_states(model.robot, 5))


def test_states_of_the_users_own_are_compared_too():
    model = model_of(machine("panda"))
    motion = np.random.default_rng(0).normal(size=(3, 17, 7))
    assert export(model, "urdf", states=tuple(motion)).comparison.states == 17
