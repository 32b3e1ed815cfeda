"""Bundles of runs that were made from Python, and of commands that can't be repeated."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression, retrieve
from dynident.data import ControllerSamples, Dataset, load_recording, write_dataset
from dynident.dynamics.friction import linear
from dynident.errors import FileError
from dynident.pipeline.bundles import Bundle
from dynident.pipeline.bundles.bundle import MOST_SAMPLES, BundledSamples, pack
from dynident.pipeline.bundles.compare import compare_runs
from dynident.pipeline.bundles.repeat import make_bundle
from dynident.regression import build_problem
from dynident.robots import Robot
from dynident.runs import Run, Stage, load_run, save_run
from dynident.validation import validate
from tests.faults.hostile_names import NAMES, hostile_robot
from tests.logs import synthetic_log, synthetic_samples
from tests.whole_run import exchange

SECRETS = ("annamaria", "acme_arm_sn4711", "shoulder of acme", "elbow_0815", "tuesday_at_acme", "confidential")


def named_robot() -> Robot:
    robot, names = load_robot("planar_2r"), ("shoulder of acme", "elbow_0815")
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, names, strict=True))
    links = tuple(
        replace(link, name=f"{name} link", pieces=(replace(link.pieces[0], name=f"{name} link"),))
        for link, name in zip(robot.links, names, strict=True)
    )
    notes = ("confidential: bought by annamaria",)
    return replace(robot, name="acme_arm_sn4711", joints=joints, links=links, notes=notes, source="/srv/annamaria/acme_arm_sn4711.yaml")


def make_run(folder: Path, robot: Robot, log: Dataset, command: str = "") -> Path:
    problem = build_problem(robot, log.part(0, 0.7), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    validation = validate(estimate, log.part(0.7, 1), links=(links := retrieve(estimate)))
    save_run(folder, estimate, problem=problem, parameters=links, validation=validation, provenance={"command": command})
    return folder


def contents_of(made: Bundle) -> bytes:
    """All names and contents of the zip, those of the archives within it too, in lower case."""
    parts: list[bytes] = []
    with zipfile.ZipFile(io.BytesIO(made.zip_bytes())) as archive:
        for name in archive.namelist():
            raw = archive.read(name)
            parts += [name.encode(), raw]
            if name.endswith(".npz"):
                with zipfile.ZipFile(io.BytesIO(raw)) as inner:
                    parts += [inner.read(item).replace(b"\0", b"") for item in inner.namelist()]
    return b"\n".join(parts).lower()


def unpack(made: Bundle, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(made.zip_bytes())) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(autouse=True)
def _somebody(monkeypatch, tmp_path):
    """The folder for temporary files tells who works here."""
    place = tmp_path / "annamaria"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run that was made from Python; its log is beside it."""
    folder = tmp_path_factory.mktemp("annamaria")
    robot = named_robot()
    log = replace(synthetic_log(robot, noise=0.2, samples=1200), joint_names=robot.joint_names)
    write_dataset(log, folder / "tuesday_at_acme.npz")
    return make_run(folder / "tuesday_at_acme", robot, load_recording(folder / "tuesday_at_acme.npz"))


def test_a_run_from_python_is_made_again_from_what_it_keeps(run, tmp_path):
    made = make_bundle(run, [run.with_suffix(".npz")])
    content = contents_of(made)
    assert not [secret for secret in SECRETS if secret.encode() in content]
    before, after = load_run(run), load_run(unpack(made, tmp_path) / "run")
    np.testing.assert_allclose(after.estimate.values, before.estimate.values, rtol=1e-9)
    np.testing.assert_allclose(after.parameters.x, before.parameters.x, atol=1e-6)
    assert after.estimate.base.robot.joint_names == ("joint1", "joint2")
    comparisons = {item.stage: item for item in made.manifest.comparisons}
    assert {name: item.different for name, item in comparisons.items()} == {"estimate": 0, "parameters": 0}
    assert [step.command for step in made.manifest.steps] == ["dynident retrieve run"]
    assert any(text.startswith("validation:") for text in made.manifest.missing)
    assert load_recording(tmp_path / "log.npz").joint_names == ("joint1", "joint2")
    assert "doctor.json" in made.files


def test_without_samples_nothing_that_was_measured_goes_along(run, tmp_path):
    made = make_bundle(run, [run.with_suffix(".npz")], "none")
    assert not {"log.npz", "run/validation.safetensors"} & made.files.keys()
    after = load_run(unpack(made, tmp_path) / "run")
    assert after.estimate.problem is None
    assert Stage.PARAMETERS in after.contents
    assert made.manifest.samples == BundledSamples(choice="none", recorded=1200, kept=0)


def test_a_number_that_is_another_one_is_named(run):
    original = load_run(run)
    residuals = original.estimate.residuals
    changed = exchange(original, estimate=replace(original.estimate, residuals=replace(residuals, squares=2.0 * residuals.squares)))
    item = next(item for item in compare_runs(original, changed) if item.stage == "estimate")
    assert item.different == 5
    assert "residual." in item.sentence
    same = compare_runs(original, original)
    assert [item.different for item in same] == [0] * 3


def test_what_is_out_of_date_is_not_made_again(run, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(run, old)
    problem = build_problem(named_robot(), synthetic_log(named_robot(), noise=0.2, samples=600), friction=linear(), cutoff=None)
    save_run(old, regression.estimate(problem), problem=problem)
    made = make_bundle(old)
    assert not [name for name in made.files if "parameters" in name]
    assert any(text.startswith("parameters:") for text in made.manifest.missing)


def test_a_long_log_is_cut_unless_it_is_wanted_whole(run, tmp_path, monkeypatch):
    monkeypatch.setattr("dynident.pipeline.bundles.bundle.MOST_SAMPLES", 500)
    assert MOST_SAMPLES > 500
    log = run.with_suffix(".npz")
    made = make_bundle(run, [log])
    assert made.manifest.samples == BundledSamples(choice="excerpt", recorded=1200, kept=500)
    np.testing.assert_array_equal(load_recording(unpack(made, tmp_path) / "log.npz").q, load_recording(log).q[:500])
    assert make_bundle(run, [log], "all").manifest.samples.kept == 1200


def test_the_same_run_makes_the_same_bytes(run):
    assert make_bundle(run).zip_bytes() == make_bundle(run).zip_bytes()


def test_samples_of_a_controller(tmp_path):
    samples = synthetic_samples()
    problem = build_problem(load_robot("spatial_3r"), samples)
    save_run(tmp_path / "run", regression.estimate(problem), problem=problem)
    write_dataset(samples, tmp_path / "mine.npz")
    place = unpack(make_bundle(tmp_path / "run", [tmp_path / "mine.npz"]), tmp_path / "new")
    assert isinstance(load_recording(place / "samples.npz"), ControllerSamples)
    np.testing.assert_allclose(load_run(place / "run").estimate.values, load_run(tmp_path / "run").estimate.values, rtol=1e-9)


@pytest.mark.parametrize("first", range(0, len(NAMES), 4))
def test_hostile_names_are_gone_and_the_run_is_read(first, tmp_path):
    robot = hostile_robot(NAMES[first : first + 4])
    log = replace(synthetic_log(robot, noise=0.2, samples=300), joint_names=robot.joint_names, source=NAMES[first])
    problem = build_problem(robot, log, friction=linear(), cutoff=None)
    save_run(tmp_path / "run", regression.estimate(problem), problem=problem, validation=validate(regression.estimate(problem), log))
    made = make_bundle(tmp_path / "run")
    assert made.manifest.comparisons[0].different == 0
    after = load_run(unpack(made, tmp_path / "new") / "run")
    assert after.estimate.base.robot.joint_names == tuple(f"joint{j + 1}" for j in range(robot.n))
    written = [form.casefold().encode() for name in robot.joint_names if len(name) > 7 for form in (name, json.dumps(name)[1:-1])]
    content = contents_of(made)
    assert not [name for name in written if name in content]
    assert {file.relative_to(tmp_path / "new").parts[0] for file in (tmp_path / "new").rglob("*")} <= {
        *("run", "README.txt", "manifest.json", "robot.yaml", "robot.urdf")
    }


ORIGINS = {
    "a program": ("retrieve", {"constraints": ["acme.py"], "run_python": True}),
    "no step": ("annamaria", {}),
    "a step that has been forgotten": ("", {}),
    "a friction that is none": ("identify", {"friction": "annamaria"}),
    "a file": ("retrieve", {"prior": "annamaria.safetensors"}),
    "an option that is none": ("identify", {"annamaria": 3}),
    "a text where a number should be": ("identify", {"rate": "annamaria"}),
    "a parameter that is none": ("identify", {"known": {"annamaria": 3}}),
    "nested": ("identify", {"known": {"m1": ["annamaria", {"acme": 3}]}}),
}


@pytest.mark.parametrize(("step", "options"), ORIGINS.values(), ids=ORIGINS)
def test_a_step_with_words_that_are_not_ours_is_not_repeated(step, options, run, tmp_path):
    estimate = load_run(run).estimate
    provenance = {"command": "dynident identify acme annamaria", "step": step, "options": options, "data": ("tuesday_at_acme.npz",)}
    save_run(tmp_path / "tuesday_at_acme", estimate, provenance=provenance)
    shutil.copy(run.with_suffix(".npz"), tmp_path)
    (tmp_path / "acme.py").write_text("raise SystemExit('it was run')")
    made = make_bundle(tmp_path / "tuesday_at_acme")
    content = contents_of(made)
    assert not [secret for secret in SECRETS if secret.encode() in content]
    assert made.manifest.steps == ()
    assert made.manifest.comparisons[0].different == 0  # from what the run keeps


def test_data_are_found_by_their_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = synthetic_log()
    write_dataset(log, "log.npz")
    problem = build_problem(load_robot("planar_2r"), load_recording("log.npz"), friction=linear(), cutoff=None)
    save_run("run", regression.estimate(problem), problem=problem, provenance={"step": "identify", "data": ("log.npz",)})
    assert "log.npz" in make_bundle(Path("run")).files
    write_dataset(replace(log, q=log.q + 1.0), "log.npz")
    assert "log.npz" not in make_bundle(Path("run")).files


def test_a_run_that_keeps_nothing_and_has_no_log(run, tmp_path):
    estimate = replace(load_run(run).estimate, problem=None)
    save_run(tmp_path / "run", estimate)
    made = make_bundle(tmp_path / "run")
    assert set(made.files) == {"README.txt", "manifest.json", "robot.yaml"} - ({"robot.yaml"} - made.files.keys())
    assert any(text.startswith("estimate:") for text in made.manifest.missing)


def test_a_folder_without_a_run(tmp_path):
    with pytest.raises(FileError, match=r"has no estimate\.safetensors"):
        make_bundle(tmp_path)


def test_every_file_of_a_run_has_a_meaning(run, tmp_path):
    original: Run = load_run(run)
    for stage in Stage:
        for name in stage.files:
            (tmp_path / "run").mkdir(exist_ok=True)
            if stage is not Stage.ESTIMATE:
                (tmp_path / "run" / name).write_bytes(b"")
    made = pack(tmp_path, original)
    assert {record["file"] for record in made.records()} >= {
        f"run/{name}" for stage in Stage for name in stage.files if stage is not Stage.ESTIMATE
    }
    assert len({record["what"] for record in made.records()}) == len(made.files)
