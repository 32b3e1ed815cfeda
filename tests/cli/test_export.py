"""`dynident export` as a user runs it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.data import write_dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.links import PhysicalConsistency, build_retrieval, prior_to_robot, solve_retrieval, two_step
from dynident.regression import build_problem
from dynident.runs import read_estimate, read_parameters, write_result
from tests.cli.test_identify import refused as refused_with
from tests.export_models import MJCF, URDF, written
from tests.logs import synthetic_log


def make_run(folder: Path, robot_file: Path | str) -> Path:
    """A run folder with an estimate and link parameters."""
    robot = load_robot(robot_file)
    problem = build_problem(robot, synthetic_log(robot, noise=0.01), friction=linear(), cutoff=None)
    write_result(folder / "run", regression.estimate(problem))
    estimate = read_estimate(folder / "run")
    wanted = build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency(), prior=prior_to_robot(robot))
    write_result(folder / "run", solve_retrieval(wanted))
    return folder / "run"


def refused(finished: subprocess.CompletedProcess[str], *words: str) -> None:
    refused_with(finished, words)


@pytest.fixture(scope="module")
def arm_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arm")
    return make_run(folder, written(folder))


@pytest.fixture
def folder(tmp_path: Path, arm_run: Path) -> Path:
    shutil.copytree(arm_run, tmp_path / "run")
    return tmp_path


def test_all_targets_at_once(dynident, folder):
    finished = dynident(
        "export", "run", "--urdf", "o.urdf", "--mjcf", "o.xml", "--c", "c/arm", "--python", "o.py", "--yaml", "o.yaml", "--csv", "o.csv"
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    for word in ("Pinocchio", "MuJoCo", "1000", "arm.urdf", "offset"):
        assert word in finished.stdout
    assert sorted(path.name for path in (folder / "c" / "arm").iterdir()) == [
        "CMakeLists.txt",
        "arm_model.c",
        "arm_model.h",
    ]
    stored = read_parameters(folder / "run")
    for name in ("o.urdf", "o.xml"):
        robot = load_robot(folder / name)
        q, dq, ddq = np.random.default_rng(0).uniform(-1, 1, (3, 20, 2))
        expected = inverse_dynamics(stored.base.robot, stored.parameters, q, dq, ddq)
        np.testing.assert_allclose(inverse_dynamics(robot, robot.parameters, q, dq, ddq), expected, rtol=1e-9)
    assert "spring" in (folder / "o.urdf").read_text()


def test_json_and_coefficients(dynident, folder):
    finished = dynident("export", "run", "--coefficients", "--python", "o.py", "--csv", "o.csv", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    python, csv = json.loads(finished.stdout)
    assert python["comparison"]["states"] == 1000
    assert python["comparison"]["relative"] < 1e-9
    assert csv["comparison"] is None
    run = "import o; print(o.gravity_vector([0.1, 0.2]).shape)"
    alone = subprocess.run([sys.executable, "-c", run], cwd=folder, capture_output=True, text=True, check=True)
    assert alone.stdout == "(2,)\n"


def test_the_motion_of_a_log_is_compared_too(dynident, folder):
    write_dataset(synthetic_log(load_robot(written(folder))), folder / "log.npz")
    finished = dynident("export", "run", "--urdf", "o.urdf", "--along", "log.npz", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert json.loads(finished.stdout)[0]["comparison"]["states"] == 1000 + 1500
    write_dataset(synthetic_log("spatial_3r"), folder / "other.npz")
    refused(dynident("export", "run", "--urdf", "p.urdf", "--along", "other.npz"), "2 joints")


def test_a_file_named_with_from_is_patched(dynident, folder):
    written(folder, URDF.replace("package://arm", "package://other"), "mine.urdf")
    finished = dynident("export", "run", "--urdf", "o.urdf", "--original", "mine.urdf")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "package://other" in (folder / "o.urdf").read_text()
    assert (folder / "mine.urdf").read_text() == URDF.replace("package://arm", "package://other")


def test_friction_that_falls_with_the_speed_is_fitted_again_and_the_cost_is_told(dynident, tmp_path):
    written(tmp_path)
    robot = load_robot(tmp_path / "arm.urdf")
    log = synthetic_log(robot, noise=0.01)
    write_dataset(replace(log, effort=log.effort - 0.5 * log.dq * [0.0, 1.0]), tmp_path / "log.npz")  # fv2 is -0.1 now
    for words in (["identify", "arm.urdf", "log.npz", "-o", "run", "--filter", "none"], ["retrieve", "run", "--no-ranges"]):
        assert dynident(*words).returncode == 0
    finished = dynident("export", "run", "--urdf", "o.urdf", "--mjcf", "o.xml", "--python", "o.py", "--json")
    notes = {item["target"]: item["notes"] for item in json.loads(finished.stdout)}
    fv, fc, _ = read_parameters(tmp_path / "run").friction_parameters[1]
    assert fv == pytest.approx(-0.1, abs=0.01)
    fastest = float(np.abs(log.dq[:, 1]).max())
    rms = abs(fv) * fastest / np.sqrt(12.0)  # of a slope about its mean, over evenly spread speeds
    for target in ("urdf", "mjcf"):
        (cost,) = [float(found[1]) for note in notes[target] if (found := re.search(r"elbow ([\d.]+) N·m", note)) and "RMS" in note]
        assert cost == pytest.approx(rms, rel=0.05)
        assert not any("shoulder" in note and "RMS" in note for note in notes[target])  # whose friction is held as it is
    text = (tmp_path / "o.urdf").read_text()
    (level,) = re.findall(r'<dynamics damping="0.0" friction="([\d.]+)"/>', text)
    assert float(level) == pytest.approx(fc + 0.5 * fv * fastest, rel=0.02)
    assert "RMS" in text
    assert 'damping="0.0"' in (tmp_path / "o.xml").read_text()
    assert not any("RMS" in note for note in notes["python"])
    assert f"{float(fv)!r}" in (tmp_path / "o.py").read_text()


def test_an_mjcf_run_is_patched_and_gives_a_complete_urdf(dynident, tmp_path):
    make_run(tmp_path, written(tmp_path, MJCF, "arm.xml"))
    finished = dynident("export", "run", "--urdf", "o.urdf", "--mjcf", "o.xml", "--yaml", "o.yaml", "--layout", "franka")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "<!-- an arm -->" in (tmp_path / "o.xml").read_text()
    assert '<robot name="arm">' in (tmp_path / "o.urdf").read_text()


def test_a_run_without_the_needed_stage_says_which_command_makes_it(dynident, folder):
    refused(dynident("export", "nowhere", "--csv", "o.csv"), "dynident identify ROBOT DATA -o nowhere")
    (folder / "run" / "parameters.safetensors").unlink()
    refused(dynident("export", "run", "--csv", "o.csv"), "dynident retrieve run")
    refused(dynident("export", "run", "--urdf", "o.urdf", "--coefficients"), "retrieve")
    assert not (folder / "o.urdf").exists()


def test_targets_that_can_not_be_written_are_refused_before_anything_is(dynident, folder):
    written(folder, "mine", "CMakeLists.txt")
    refused(dynident("export", "run"), "--urdf, --mjcf, --c, --python, --yaml, --csv")
    refused(dynident("export", "run", "--csv", "o.csv", "--python", "no/where.py"), "no folder no")
    refused(dynident("export", "run", "--csv", "o.csv", "--python", "run"), "folder")
    refused(dynident("export", "run", "--csv", "o.csv", "--c", "."), "CMakeLists.txt")
    refused(dynident("export", "run", "--csv", "o.csv", "--c", "run/estimate.json"), "run/estimate.json")
    refused(dynident("export", "run", "--csv", "o.csv", "--python", "./o.csv"), "--python and --csv")
    refused(dynident("export", "run", "--csv", "o.csv", "--yaml", "o.yaml", "--layout", "ros"), "'ros'")
    refused(dynident("export", "run", "--csv", "o.csv", "--original", "mine.urdf"), "mine.urdf")
    written(folder, URDF, "mine.urdf")
    refused(dynident("export", "run", "--csv", "o.csv", "--original", "mine.urdf"), "mine.urdf", "--urdf")
    assert not (folder / "o.csv").exists()
    assert (folder / "CMakeLists.txt").read_text() == "mine"


def test_an_export_reads_the_users_file_once(folder, arm_run, monkeypatch):
    """What is checked, patched and compared is one content, whatever happens to the file meanwhile."""
    from dynident.cli.verbs.export import export

    monkeypatch.chdir(folder)
    read, original = Counter[Path](), Path.read_bytes

    def counted(path: Path) -> bytes:
        read[path] += 1
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    export(Path("run"), targets={"urdf": Path("o.urdf"), "mjcf": Path("o.xml"), "csv": Path("o.csv")})
    assert read[arm_run.parent / "arm.urdf"] == 1


def test_the_patched_file_is_never_overwritten(dynident, folder, arm_run):
    original = arm_run.parent / "arm.urdf"
    refused(dynident("export", "run", "--urdf", original), str(original))
    assert original.read_text() == URDF


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (URDF.replace('"elbow"', '"knee"'), "other.urdf", "elbow"),
        (MJCF.replace("<worldbody>", '<worldbody><include file="more.xml"/>'), "other.xml", "<include>"),
        ("not xml", "other.urdf", "XML"),
        (None, "other.urdf", "other.urdf"),
    ],
)
def test_a_file_that_does_not_match_the_run_is_refused(dynident, folder, text, name, complaint):
    if text is not None:
        written(folder, text, name)
    written(folder, "before", "o.out")
    refused(dynident("export", "run", "--mjcf" if name.endswith("xml") else "--urdf", "o.out", "--original", name), complaint)
    assert (folder / "o.out").read_text() == "before"
    assert text is None or (folder / name).read_text() == text


def test_infeasible_parameters_need_force(dynident, tmp_path):
    folder = written(tmp_path).parent
    robot = load_robot(tmp_path / "arm.urdf")
    problem = build_problem(robot, synthetic_log(robot, noise=0.01), friction=linear(), cutoff=None)
    write_result(folder / "run", regression.estimate(problem))
    assert dynident("retrieve", "run", "--no-consistency", "--prior", "none", "--no-ranges").returncode == 0
    refused(dynident("export", "run", "--csv", "o.csv"), "--force")
    finished = dynident("export", "run", "--csv", "o.csv", "--python", "o.py", "--force")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "NOT FEASIBLE" in (tmp_path / "o.py").read_text()


def test_an_interrupted_export_leaves_the_old_file(folder, monkeypatch):
    """Killed while it writes: the old file is there, whole, and nothing is beside it."""
    import os

    from dynident.cli.verbs.export import export

    written(folder, "before", "o.csv")
    monkeypatch.chdir(folder)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        export(Path("run"), targets={"csv": Path("o.csv")})
    assert sorted(path.name for path in folder.iterdir()) == ["o.csv", "run"]
    assert (folder / "o.csv").read_text() == "before"


def test_a_robot_from_a_dh_file_is_written_as_a_whole_urdf(dynident, tmp_path):
    """Its file is no URDF to patch, and that is no mistake of the user's."""
    (tmp_path / "arm.yaml").write_text(load_robot("planar_2r").to_dh_yaml(convention="modified"))
    make_run(tmp_path, tmp_path / "arm.yaml")
    finished = dynident("export", "run", "--urdf", "o.urdf", "--mjcf", "o.xml")
    assert (finished.returncode, finished.stderr) == (0, "")
    links = read_parameters(tmp_path / "run")
    np.testing.assert_allclose(load_robot(tmp_path / "o.urdf").parameters[:, 0].sum(), links.total_mass, rtol=1e-9)
    refused(dynident("export", "run", "--urdf", "o.urdf", "--original", "arm.yaml"), "arm.yaml", "XML")
