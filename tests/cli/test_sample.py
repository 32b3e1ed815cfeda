"""`dynident sample` as a user runs it."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dynident import check_robot, load_robot, regression
from dynident.dynamics.friction import linear
from dynident.links import retrieval_problem, solve_retrieval, two_step
from dynident.links.samples import PosteriorSamples
from dynident.regression import build_problem
from dynident.runs import RunFolder, Stage, read_result, save_run
from dynident.validation import validate
from tests.cli.test_identify import refused
from tests.export_models import MJCF, URDF, written
from tests.logs import synthetic_log
from tests.pages import unpack


def make_run(folder: Path, robot_file: Path, *, posterior: bool = True) -> Path:
    robot = load_robot(robot_file)
    estimate = regression.estimate(build_problem(robot, synthetic_log(robot, noise=0.05), friction=linear(), cutoff=None))
    links = solve_retrieval(retrieval_problem(estimate, objective=None if posterior else two_step(estimate)))
    save_run(folder, estimate, parameters=links, validation=validate(estimate, synthetic_log(robot, noise=0.05, seed=2), links=links))
    return folder


#: A tetrahedron in a folder of its own, as robots have their meshes.
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
WITH_MESH = MJCF.replace('<compiler angle="radian"/>', '<compiler angle="radian" meshdir="assets"/>').replace(
    "<worldbody>", '<asset><mesh name="t" file="t.obj" scale="0.1 0.1 0.1"/></asset><worldbody><geom type="mesh" mesh="t"/>'
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a URDF, an MJCF that has a mesh, and a run of each."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "assets").mkdir()
    (folder / "assets" / "t.obj").write_text(MESH)
    make_run(folder / "run", written(folder))
    make_run(folder / "mujoco_run", written(folder, WITH_MESH, "arm.xml"))
    return folder


@pytest.fixture
def folder(tmp_path: Path, made: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


def test_every_urdf_is_in_order_and_listed(dynident, folder):
    finished = dynident("sample", "run", "-n", "12", "-o", "models", "--original", "arm.urdf", "--seed", "5")
    assert (finished.returncode, finished.stderr) == (0, "")
    for word in ("Spread", "drawn", "Torques", "models"):
        assert word in finished.stdout
    index = json.loads((folder / "models" / "index.json").read_text())
    assert (index["count"], index["seed"], index["target"]) == (12, 5, "urdf")
    assert index["parameters"] == RunFolder(folder / "run").digest(Stage.PARAMETERS)
    assert 0.0 < index["acceptance"] <= 1.0
    models = sorted((folder / "models").glob("*.urdf"))
    assert set(index["files"]) == {"samples.csv", *(file.name for file in models)}
    assert len(models) == 12
    samples = read_result(folder / "run", PosteriorSamples)
    for file, links in zip(models, samples.links, strict=True):
        assert index["files"][file.name] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert check_robot(load_robot(file)).passed
        np.testing.assert_allclose(load_robot(file).parameters, links, rtol=1e-9, atol=1e-12)
    rows = list(csv.reader((folder / "models" / "samples.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0][:3] == ["sample", "m1 [kg]", "mc1x [kg·m]"]
    np.testing.assert_array_equal(np.array(rows[1:], dtype=float)[:, 1:], samples.x)


def test_every_mjcf_loads_in_mujoco_with_its_meshes(dynident, folder):
    mujoco = pytest.importorskip("mujoco")
    finished = dynident("sample", "mujoco_run", "-n", "5", "-o", "deep/models", "--original", "arm.xml")
    assert (finished.returncode, finished.stderr) == (0, "")
    found = [mujoco.MjModel.from_xml_path(str(file)) for file in sorted((folder / "deep" / "models").glob("*.xml"))]
    assert len(found) == 5
    masses = np.array([model.body_mass[1:3] for model in found])
    assert np.all(masses > 0.0)
    assert np.all(masses.std(axis=0) > 0.0), "samples differ"
    np.testing.assert_allclose(found[0].dof_frictionloss, read_result(folder / "mujoco_run", PosteriorSamples).friction_parameters[0, :, 1])


def test_without_a_file_to_patch_there_is_a_table_in_the_run(dynident, folder):
    finished = dynident("sample", "run", "-n", "7", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    printed = json.loads(finished.stdout)
    assert sorted(file.name for file in (folder / "run" / "samples").iterdir()) == ["index.json", "samples.csv"]
    assert [item["link"] for item in printed["links"]] == ["upper", "lower"]
    assert set(printed["torque_spread_percent"]) == {"shoulder", "elbow"}


def test_again_replaces_what_was_drawn_before_and_nothing_else(dynident, folder):
    assert dynident("sample", "run", "-n", "6", "-o", "models", "--original", "arm.urdf").returncode == 0
    before = (folder / "models" / "sample_1.urdf").read_bytes()
    (folder / "models" / "mine.txt").write_text("mine")
    assert dynident("sample", "run", "-n", "6", "-o", "models", "--original", "arm.urdf").returncode == 0
    assert (folder / "models" / "sample_1.urdf").read_bytes() == before, "equal seeds give equal files"
    assert dynident("sample", "run", "-n", "3", "-o", "models", "--original", "arm.urdf").returncode == 0
    names = {file.name for file in (folder / "models").iterdir()}
    assert names == {"index.json", "samples.csv", "mine.txt", "sample_1.urdf", "sample_2.urdf", "sample_3.urdf"}


def test_the_report_shows_how_different_the_torques_are(dynident, folder):
    assert "dynident sample run" in report_of(dynident, folder)
    assert dynident("sample", "run", "-n", "10").returncode == 0
    page = report_of(dynident, folder)
    for word in ("Torques of the samples", "Masses of the samples"):
        assert word in page
    assert "spread of the samples" in unpack(page)


def report_of(dynident, folder: Path) -> str:
    assert dynident("report", "run").returncode == 0
    return (folder / "run" / "report.html").read_text(encoding="utf-8")


def test_what_cannot_be_drawn_is_one_sentence(dynident, folder):
    refused(dynident("sample", "nowhere"), ["nowhere"])
    shutil.copytree(folder / "run", folder / "unfinished")
    (folder / "unfinished" / "parameters.safetensors").unlink()
    refused(dynident("sample", "unfinished"), ["dynident retrieve unfinished"])
    for count in ("0", "-3"):
        refused(dynident("sample", "run", "-n", count), ["--count", f"'{count}'"])
    make_run(folder / "papers", folder / "arm.urdf", posterior=False)
    refused(dynident("sample", "papers", "-n", "3"), ["posterior", "retrieve"])


def test_a_file_that_does_not_fit_is_refused_before_anything_is_drawn(dynident, folder):
    other = written(folder, URDF.replace('"shoulder"', '"hip"'), "other.urdf")
    refused(dynident("sample", "run", "-n", "1000000", "-o", "models", "--original", other), ["other.urdf", "shoulder"])
    refused(dynident("sample", "run", "-o", "models", "--original", "missing.urdf"), ["missing.urdf"])
    (folder / "scene.xml").write_text("<sdf/>")
    refused(dynident("sample", "run", "-o", "models", "--original", "scene.xml"), ["scene.xml", "<sdf>", "URDF", "MJCF"])
    refused(dynident("sample", "run", "-o", "arm.urdf", "--original", "arm.urdf"), ["arm.urdf"])
    assert not (folder / "models").exists()
    (folder / "models").mkdir()
    (folder / "models" / "index.json").write_text("{}")
    refused(dynident("sample", "run", "-o", "models"), ["index.json"])
