"""Every robot of the library through every verb that takes a robot or a run, as commands, with small sizes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dynident.cli.overview import VERBS
from dynident.data import Dataset, EffortKind, write_dataset
from dynident.robots import Robot, library_names, load_robot
from dynident.robots.parameters import from_com
from tests.logs import synthetic_log

#: Verbs that take neither, and the one that needs a robot that answers.
OTHERS = {"demo", "reproduce", "presets", "record"}
#: In this order; a step is named by the verb that it begins with.
STEPS = (
    "check {robot}",
    "view {robot} -o view.html",
    "convert {robot} -o robot.urdf",
    "repair {robot} -o repaired.yaml",
    "excite {robot} -o design.csv --starts 1 --budget 0.5 --workers 1 --duration 4",
    "excite {robot} -o configurations.csv --static 3 --method sobol",
    "excite {robot} -o motion.csv --motion sinusoids --duration 3",
    "excite {robot} --check motion.csv",
    "simulate {true} motion.csv -o simulated.npz --noise realistic --rate 200",
    "simulate {robot} --controller 40 -o samples.npz",
    "doctor {robot} log.npz",
    "fit {robot} log.npz --test other.npz -o fitted",
    "identify {robot} samples.npz -o controller",
    "identify {robot} log.npz -o run --friction linear",
    "signs {robot} magnitudes.npz -o signs --friction linear",
    "gains {robot} currents.npz --moving-mass {mass}",
    "retrieve run",
    "validate run other.npz --json",
    "friction run other.npz -o refit",
    "payload run loaded.npz",
    "payload {robot} loaded.npz --unloaded log.npz -o both",
    "sample run -n 4",
    "export run --urdf run.urdf --yaml run.yaml",
    "monitor run other.npz --free log.npz",
    "report run",
    "compare run refit",
    "bundle run",
)
FLEET = "fleet {robot} log.npz other.npz -o fleet --workers 1"
#: What the library's notes say of a robot: its published links are not physically consistent, and must be repaired before they can move.
INCONSISTENT = {"kuka_lwr4"}
PAYLOAD = 0.5


def test_every_verb_is_walked():
    walked = {step.split()[0] for step in (*STEPS, FLEET)}
    assert walked == set(VERBS) - OTHERS
    assert set(library_names()) >= {"pendulum_1r", "planar_2r", "spatial_3r", "panda", "kuka_lwr4"}


def loaded(robot: Robot) -> Robot:
    """With a ball on its tool."""
    parameters = np.array(robot.parameters)
    parameters[-1] += from_com(PAYLOAD, robot.tool[:3, 3], 1e-4 * np.eye(3))
    return robot.with_parameters(parameters)


@pytest.fixture
def logs(robot_name: str, tmp_path) -> Robot:
    """The files that the steps read."""
    robot = load_robot(robot_name)
    noise = 0.002 * float(np.min(robot.effort_limits))
    log = synthetic_log(robot, noise=noise)

    def without_signs(data: Dataset) -> Dataset:
        return replace(data, effort=np.abs(data.effort), effort_kind=EffortKind.MAGNITUDE)

    for name, data in {
        "log": log,
        "other": synthetic_log(robot, noise=noise, seed=2),
        "loaded": synthetic_log(loaded(robot), noise=noise, seed=3),
        "magnitudes": without_signs(log),
        "currents": replace(log, effort=log.effort / 8.0, effort_kind=EffortKind.CURRENT),
    }.items():
        write_dataset(data, tmp_path / f"{name}.npz")
    return robot


@pytest.mark.parametrize(
    "robot_name", [pytest.param(name, marks=[pytest.mark.slow] if name == "panda" else []) for name in library_names()]
)
def test_a_library_robot_goes_through_every_verb(robot_name, logs, dynident, tmp_path):
    consistent = robot_name not in INCONSISTENT
    words = {"robot": robot_name, "true": robot_name if consistent else "repaired.yaml", "mass": float(np.sum(logs.parameters[:, 0]))}
    for step in STEPS:
        finished = dynident(*step.format(**words).split())
        expected = 1 if step.startswith("check") and not consistent else 0
        assert finished.returncode == expected, f"{step}: {finished.stderr}"
        assert "Traceback" not in finished.stderr, step
        if step.startswith("validate"):
            assert json.loads(finished.stdout)["relative_percent"] < 5.0
    found = json.loads((tmp_path / "run" / "payload.json").read_text())
    assert found["mass"] == pytest.approx(PAYLOAD, rel=0.2)


@pytest.mark.parametrize(
    "robot_name", [pytest.param(name, marks=[pytest.mark.slow] if load_robot(name).n > 3 else []) for name in library_names()]
)
def test_a_library_robot_as_a_fleet(robot_name, logs, dynident):
    finished = dynident(*FLEET.format(robot=robot_name).split())
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("robot_name", sorted(INCONSISTENT))
def test_links_that_no_robot_can_have_are_refused_with_the_remedy(robot_name, logs, dynident):
    dynident("excite", robot_name, "-o", "motion.csv", "--motion", "sinusoids", "--duration", "3", "--no-plot")
    finished = dynident("simulate", robot_name, "motion.csv", "-o", "log2.npz")
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert "repaired" in finished.stderr
