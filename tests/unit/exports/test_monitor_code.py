"""The generated contact monitor: the same residuals, thresholds and contacts as the Python one, sample by sample."""

from __future__ import annotations

import ctypes
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import Armature, LoadCoulomb, SmoothCoulomb, Stribeck, combine, linear
from dynident.dynamics.friction.coupled import couple
from dynident.dynamics.friction.laws import TemperatureViscous
from dynident.exports import Exported, ExportModel, export
from dynident.exports.code.c99 import CLibrary
from dynident.exports.code.c99_monitor import CMonitor, monitor_files
from dynident.exports.target import Request
from dynident.validation.monitoring import Calibration, ContactMonitor, ResidualNoise, WatchedModel
from tests.oracles.machines import machine
from tests.unit.validation.monitoring.free_motion import swing, touch

COMPILER = shutil.which("gcc") or shutil.which("cc") or ""
pytestmark = pytest.mark.skipif(not COMPILER, reason="no C compiler")
WRIST = [[1, 0, 0], [0, 1, 0], [0, 0.5, 1]]
MODELS = {
    "rotors": ("spatial_3r", combine(linear(), Armature())),
    "coupled, load": ("spatial_3r", couple(combine(Stribeck(), Armature(), LoadCoulomb()), WRIST)),
    "temperature": ("spatial_3r", combine(SmoothCoulomb(), TemperatureViscous())),
    "no friction": ("branched_tree", None),
}


def export_model(name: str, **settings) -> ExportModel:
    machine_name, friction = MODELS[name]
    robot = machine(machine_name)
    theta = None if friction is None else np.random.default_rng(3).uniform(0.1, 0.6, (robot.n, len(friction.parameter_names)))
    watched = WatchedModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=theta)
    noise = ResidualNoise(velocity=np.linspace(0.1, 0.3, robot.n), effort=np.linspace(0.2, 0.05, robot.n))
    usual = {
        "gain": np.linspace(15.0, 30.0, robot.n),
        "level": 3.0,
        "blur": 0.05,
        "confirmation": 0.004,
        "noise": noise,
        "distance_level": 4.0,
    }
    monitor = ContactMonitor(model=watched, **usual | settings)
    return ExportModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=theta, monitor=monitor)


def compiled_library(model: ExportModel, folder: Path) -> ctypes.CDLL:
    """The monitor alone: the rest of the exported code is large."""
    files = {name: text.encode() for name, text in monitor_files(model, model.monitor, Request()).items()}
    return CLibrary.compile(Exported(target="c", files=files), folder, model, COMPILER).library


@pytest.mark.parametrize("name", MODELS)
def test_every_step_is_that_of_python(name, tmp_path):
    model = export_model(name)
    monitor, compiled = replace(model.monitor, model=model), CMonitor(compiled_library(model, tmp_path), model)
    plain = WatchedModel(robot=model.robot, parameters=model.parameters)
    log = touch(plain, swing(model.robot, seconds=0.15), lambda t, q: np.full(model.robot.n, 2.0 if 0.04 < t < 0.09 else 0.0))
    warmth = 25.0 + log.q
    steps = np.where(np.arange(log.samples) == 120, 0.3, 1e-3)  # a pause, after which it starts again
    state, seen = monitor.start(log.q[0], log.dq[0], log.effort[0], temperature=warmth[0]), set()
    for k in range(log.samples):
        sample = log.q[k], log.dq[k], log.effort[k]
        if k > 0:
            state = monitor.step(state, *sample, float(steps[k]), temperature=warmth[k])
        given = (*sample, warmth[k]) if monitor.model.needs_temperature else sample
        assert compiled.step(*given, dt=float(steps[k])) == state.touched
        np.testing.assert_allclose(compiled.residual, state.residual, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(compiled.memory.threshold, state.threshold, rtol=1e-12)
        assert compiled.memory.distance == pytest.approx(state.distance, rel=1e-7, abs=1e-9)
        seen.add(state.touched)
    assert {-1, model.robot.n - 1} <= seen


def test_what_is_no_number_counts_as_a_contact_until_it_starts_again(tmp_path):
    model = export_model("no friction", gain=20.0)
    library = compiled_library(model, tmp_path)
    compiled, still = CMonitor(library, model), np.zeros(model.robot.n)
    compiled.memory.level[:] = [np.inf] * model.robot.n
    compiled.memory.distance_level = np.inf
    for effort in (still, np.full_like(still, np.nan), *[still] * 4):
        compiled.step(still, still, effort, dt=1e-3)
    assert compiled.memory.touched == model.robot.n - 1
    assert CMonitor(library, model).step(still, still, still, dt=1e-3) == -1


def test_there_is_none_where_none_was_calibrated():
    robot = load_robot("pendulum_1r")
    exported = export(ExportModel(robot=robot, parameters=robot.parameters), "c")
    assert set(exported.files) == {"pendulum_1r_model.h", "pendulum_1r_model.c", "CMakeLists.txt"}
    assert b"add_library(pendulum_1r_model pendulum_1r_model.c)" in exported.files["CMakeLists.txt"]
    assert len(exported.notes) == 1


def test_the_header_tells_where_the_thresholds_come_from():
    robot = load_robot("pendulum_1r")
    bare = ExportModel(robot=robot, parameters=robot.parameters)
    known = Calibration(source="free.npz", seconds=60.0, false_alarms=0.1, rms=np.ones(1), spread=np.zeros(1))
    watched = WatchedModel(robot=robot, parameters=robot.parameters)
    monitor = ContactMonitor(model=watched, gain=25.0, level=1.0, blur=0.0, confirmation=0.02, calibration=known)
    exported = export(replace(bare, monitor=monitor), "c")
    assert b"add_library(pendulum_1r_model pendulum_1r_model.c pendulum_1r_monitor.c)" in exported.files["CMakeLists.txt"]
    header = exported.files["pendulum_1r_monitor.h"].decode()
    (line,) = (line for line in header.splitlines() if "free.npz" in line)
    assert "60 s" in line
    assert "0.1 false alarms" in line
    assert exported.notes == ()
