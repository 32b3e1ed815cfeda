"""The generated contact monitor: the same residuals, thresholds and contacts as the Python one, sample by sample."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.exports import ExportModel, export
from dynident.exports.code.c99 import CLibrary
from dynident.exports.code.c99_monitor import CMonitor, monitor_of
from dynident.friction import Armature, LoadCoulomb, SmoothCoulomb, Stribeck, combine, linear
from dynident.friction.coupled import couple
from dynident.friction.temperature import TemperatureViscous
from dynident.monitoring import Calibration, ContactMonitor, WatchedModel
from tests.oracles.machines import machine
from tests.unit.monitoring.free_motion import swing, touch

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
    usual = {"gain": np.linspace(15.0, 30.0, robot.n), "level": 0.3, "blur": 0.05, "confirmation": 0.004}
    monitor = ContactMonitor(model=watched, **usual | settings)
    return ExportModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=theta, monitor=monitor)


@pytest.mark.parametrize("name", MODELS)
def test_every_step_is_that_of_python(name, tmp_path):
    model = export_model(name)
    library = CLibrary.compile(export(model, "c"), tmp_path, model, COMPILER)
    monitor, compiled = monitor_of(model), CMonitor(library.library, model)
    plain = WatchedModel(robot=model.robot, parameters=model.parameters)
    log = touch(plain, swing(model.robot, seconds=0.2), lambda t, q: np.full(model.robot.n, 2.0 if 0.05 < t < 0.1 else 0.0))
    warmth = 25.0 + log.q
    steps = np.where(np.arange(log.samples) == 150, 0.3, 1e-3)  # a pause, after which it starts again
    state, seen = monitor.start(log.q[0], log.dq[0], log.effort[0], temperature=warmth[0]), set()
    for k in range(log.samples):
        sample = log.q[k], log.dq[k], log.effort[k]
        if k > 0:
            state = monitor.step(state, *sample, float(steps[k]), temperature=warmth[k])
        given = (*sample, warmth[k]) if monitor.model.needs_temperature else sample
        assert compiled.step(*given, dt=float(steps[k])) == state.touched
        np.testing.assert_allclose(compiled.residual, state.residual, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(compiled.memory.threshold, state.threshold, rtol=1e-12)
        seen.add(state.touched)
    assert {-1, model.robot.n - 1} <= seen


def test_what_is_no_number_counts_as_a_contact_until_it_starts_again(tmp_path):
    model = export_model("no friction", gain=20.0)
    library = CLibrary.compile(export(model, "c"), tmp_path, model, COMPILER)
    compiled, still = CMonitor(library.library, model), np.zeros(model.robot.n)
    compiled.memory.level[:] = [np.inf] * model.robot.n
    for effort in (still, np.full_like(still, np.nan), *[still] * 4):
        compiled.step(still, still, effort, dt=1e-3)
    assert compiled.memory.touched == model.robot.n - 1
    assert CMonitor(library.library, model).step(still, still, still, dt=1e-3) == -1


def test_the_header_tells_where_the_thresholds_come_from():
    robot = load_robot("spatial_3r")
    bare = ExportModel(robot=robot, parameters=robot.parameters)
    exported = export(bare, "c")
    assert "No thresholds have been found" in exported.files["spatial_3r_monitor.h"].decode()
    assert any("no thresholds" in note for note in exported.notes)
    watched = export_model("rotors").monitor
    assert watched is not None
    known = Calibration(source="free.npz", seconds=60.0, false_alarms=0.1, rms=np.ones(3), spread=np.zeros(3))
    exported = export(replace(bare, monitor=replace(watched, calibration=known)), "c")
    header = exported.files["spatial_3r_monitor.h"].decode()
    assert "Thresholds from 60 s of free motion (free.npz): 0.1 false alarms per hour are expected in motion like that." in header
    assert exported.notes == ()
