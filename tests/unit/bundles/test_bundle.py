from __future__ import annotations

import getpass
import io
import json
import shutil
import socket
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression, retrieve
from dynident.bundles import find_data, make_bundle
from dynident.bundles.bundle import _meaning
from dynident.bundles.log_excerpt import cut_log, restart_clock
from dynident.data import ControllerSamples, Dataset, load_recording, write_dataset
from dynident.data.provenance import NEW
from dynident.doctor import diagnose
from dynident.errors import FileError
from dynident.friction import linear
from dynident.regression import build_problem
from dynident.robots import Robot
from dynident.runs import Stage, load_run, save_run
from dynident.validation import validate
from tests.faults.hostile_names import NAMES, hostile_robot
from tests.logs import synthetic_log, synthetic_samples

SECRETS = ("annamaria", "acme-lab-3", "acme_arm_sn4711", "shoulder of acme", "elbow_0815", "tuesday_at_acme", "confidential")


def named_robot() -> Robot:
    robot = load_robot("planar_2r")
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, ("shoulder of acme", "elbow_0815"), strict=True))
    links = tuple(
        replace(link, name=f"{name} link", pieces=(replace(link.pieces[0], name=f"{name} link"),))
        for link, name in zip(robot.links, ("shoulder of acme", "elbow_0815"), strict=True)
    )
    return replace(
        robot,
        name="acme_arm_sn4711",
        joints=joints,
        links=links,
        notes=("confidential: bought by annamaria",),
        source="/srv/annamaria/acme_arm_sn4711.yaml",
    )


def recorded(robot: Robot, **changes: object) -> Dataset:
    log = synthetic_log(robot, noise=0.2, samples=1200)
    return replace(log, joint_names=robot.joint_names, source="tuesday_at_acme.csv", **changes)


def make_run(folder: Path, robot: Robot, log: Dataset) -> Path:
    problem = build_problem(robot, log.part(0, 0.7), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    validation = validate(estimate, log.part(0.7, 1), links=(links := retrieve(estimate)))
    save_run(folder, estimate, problem=problem, parameters=links, validation=validation)
    return folder


def texts_of(content: bytes) -> str:
    """All texts in a zip, those in archives of arrays included."""
    found: list[str] = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            found += [name, raw.decode("utf-8", errors="ignore")]
            if name.endswith(".npz"):
                with np.load(io.BytesIO(raw)) as arrays:
                    found += [str(arrays[key].tolist()) for key in arrays.files if arrays[key].dtype.kind in "US"]
    return "\n".join(found).casefold()


def unpack(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(autouse=True)
def _somebody(monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "annamaria")
    monkeypatch.setattr(socket, "gethostname", lambda: "acme-lab-3")
    monkeypatch.setattr(Path, "home", lambda: Path("/srv/annamaria"))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    robot = named_robot()
    return make_run(tmp_path_factory.mktemp("annamaria") / "tuesday_at_acme", robot, recorded(robot))


def test_no_name_is_left_and_all_numbers_are(run, tmp_path):
    robot = named_robot()
    log = recorded(robot)
    content = make_bundle(run, data=log, diagnosis=diagnose(robot, log)).zip_bytes()
    text = texts_of(content)
    assert not [secret for secret in SECRETS if secret in text]
    before, after = load_run(run), load_run(unpack(content, tmp_path) / "run")
    assert not after.missing.keys() ^ before.missing.keys()
    np.testing.assert_array_equal(after.estimate.values, before.estimate.values)
    np.testing.assert_array_equal(after.estimate.covariance, before.estimate.covariance)
    np.testing.assert_array_equal(after.parameters.x, before.parameters.x)
    np.testing.assert_array_equal(after.validation.series[1].measured, before.validation.series[1].measured)
    assert after.validation.coefficients.overall_percent == before.validation.coefficients.overall_percent
    assert after.links_validated
    assert before.links_validated
    assert after.estimate.base.robot.joint_names == ("joint1", "joint2")
    np.testing.assert_array_equal(regression.estimate(after.problem).values, regression.estimate(before.problem).values)


def test_robot_and_log_of_a_bundle_give_the_same_result_again(run, tmp_path):
    robot = named_robot()
    place = unpack(make_bundle(run, data=recorded(robot)).zip_bytes(), tmp_path)
    log = load_recording(place / "log.npz")
    assert log.joint_names == ("joint1", "joint2")
    again = regression.estimate(build_problem(load_robot(place / "robot.yaml"), log.part(0, 0.7), friction=linear(), cutoff=None))
    np.testing.assert_allclose(again.values, load_run(run).estimate.values, rtol=1e-9)
    validation = validate(load_run(place / "run").estimate, log.part(0.7, 1))
    assert validation.coefficients.overall_percent == pytest.approx(load_run(run).validation.coefficients.overall_percent, rel=1e-9)
    assert validation.seen == 0.0  # the part of the log that the fit has not seen, by its content


def test_what_is_out_of_date_stays_so(run, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(run, old)
    robot = named_robot()
    problem = build_problem(robot, recorded(robot).part(0, 0.5), friction=linear(), cutoff=None)
    save_run(old, regression.estimate(problem), problem=problem)
    after = load_run(unpack(make_bundle(old).zip_bytes(), tmp_path / "new") / "run")
    assert after.missing == load_run(old).missing
    assert Stage.PARAMETERS in after.missing


def test_without_samples_nothing_that_was_measured_goes_along(run, tmp_path):
    robot = named_robot()
    made = make_bundle(run, data=recorded(robot), samples="none")
    assert not {"log.npz", "run/validation.safetensors"} & made.files.keys()
    after = load_run(unpack(made.zip_bytes(), tmp_path) / "run")
    np.testing.assert_array_equal(after.parameters.x, load_run(run).parameters.x)
    assert after.estimate.problem is None
    assert "as was asked" in made.files["README.txt"].decode()


def test_a_long_log_is_cut_unless_it_is_wanted_whole(run):
    log = recorded(named_robot())
    assert cut_log(log, 500).samples == 500
    np.testing.assert_array_equal(cut_log(log, 500).q, log.q[:500])
    assert cut_log(log, None) is log
    assert make_bundle(run, data=log, samples="all").manifest["samples"] == {"choice": "all", "recorded": 1200, "kept": 1200}


def test_clocks_start_anew_by_whole_seconds():
    log = recorded(named_robot())
    late = replace(log, time=log.time + 43_200.25, q=log.q + 1.0, provenance=NEW)
    both = restart_clock(Dataset.concatenate([late, log]))
    np.testing.assert_allclose(both.time, np.concatenate([log.time + 0.25, log.time]), atol=1e-10)
    np.testing.assert_array_equal(restart_clock(log).time, log.time)


def test_the_clock_of_a_validation_starts_anew(tmp_path):
    robot = named_robot()
    log = recorded(robot)
    run = make_run(tmp_path / "late", robot, replace(log, time=log.time + 43_200.0))
    before, after = load_run(run), load_run(unpack(make_bundle(run).zip_bytes(), tmp_path / "new") / "run")
    shift = before.validation.series[0].time[0] - after.validation.series[0].time[0]
    assert shift == int(before.validation.series[0].time[0]) > 43_200
    assert before.validation.worst[0].time - after.validation.worst[0].time == pytest.approx(shift)
    told = json.loads((tmp_path / "new" / "run" / "validation.json").read_text())
    assert told["worst"][0]["time"] == pytest.approx(after.validation.worst[0].time)
    assert all(0.0 <= item["time"] < 43_200.0 for item in told["worst"])


def test_the_same_run_makes_the_same_bytes(run):
    log = recorded(named_robot())
    assert make_bundle(run, data=log).zip_bytes() == make_bundle(run, data=log).zip_bytes()


def test_samples_of_a_controller(tmp_path):
    samples = synthetic_samples()
    robot = load_robot("spatial_3r")
    problem = build_problem(robot, samples)
    save_run(tmp_path / "run", regression.estimate(problem), problem=problem)
    place = unpack(make_bundle(tmp_path / "run", data=samples).zip_bytes(), tmp_path / "new")
    assert isinstance(load_recording(place / "log.npz"), ControllerSamples)
    np.testing.assert_array_equal(load_run(place / "run").estimate.values, load_run(tmp_path / "run").estimate.values)


@pytest.mark.parametrize("first", range(0, len(NAMES), 4))
def test_hostile_names_are_gone_and_the_run_is_read(first, tmp_path):
    robot = hostile_robot(NAMES[first : first + 4])
    log = replace(synthetic_log(robot, noise=0.2, samples=300), joint_names=robot.joint_names, source=NAMES[first])
    problem = build_problem(robot, log, friction=linear(), cutoff=None)
    save_run(tmp_path / "run", regression.estimate(problem), problem=problem, validation=validate(regression.estimate(problem), log))
    content = make_bundle(tmp_path / "run", data=log).zip_bytes()
    after = load_run(unpack(content, tmp_path / "new") / "run")
    assert after.estimate.base.robot.joint_names == tuple(f"joint{j + 1}" for j in range(robot.n))
    assert [item.joint for item in after.validation.series] == list(after.estimate.base.robot.joint_names)
    text = texts_of(content)
    written = [form.casefold() for name in robot.joint_names if len(name) > 7 for form in (name, json.dumps(name)[1:-1])]
    assert not [name for name in written if name in text]
    assert {file.relative_to(tmp_path / "new").parts[0] for file in (tmp_path / "new").rglob("*")} <= {
        *("run", "README.txt", "manifest.json", "robot.yaml", "robot.urdf", "log.npz")
    }


def test_data_are_found_by_their_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = synthetic_log()
    write_dataset(log, "log.npz")
    read = load_recording("log.npz")
    problem = build_problem(load_robot("planar_2r"), read, friction=linear(), cutoff=None)
    save_run("run", regression.estimate(problem), problem=problem, provenance={"command": "dynident identify planar_2r log.npz -o run"})
    assert find_data("run") == [Path("log.npz")]
    write_dataset(replace(log, q=log.q + 1.0), "log.npz")
    assert find_data("run") == []


def test_the_files_of_every_stage_have_a_meaning():
    names = {name for stage in Stage for name in stage.files}
    assert len({_meaning(name) for name in names}) == len(names)


def test_a_folder_without_a_run(tmp_path):
    with pytest.raises(FileError, match="nothing has been identified"):
        make_bundle(tmp_path)
