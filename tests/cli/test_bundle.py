"""`dynident bundle` as a user runs it."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import write_dataset
from tests.cli.test_identify import refused
from tests.logs import synthetic_log


@pytest.fixture(scope="module")
def folder(tmp_path_factory, dynident_in) -> Path:
    """A run of a robot and a log whose names tell where they are from."""
    place = tmp_path_factory.mktemp("acme")
    text = load_robot("planar_2r").to_dh_yaml()
    for old, new in (("planar_2r", "acme_arm"), ("joint1", "acme_shoulder"), ("joint2", "acme_elbow"), ("link1", "acme_beam")):
        text = re.sub(rf"\b{old}\b", new, text)
    (place / "acme_arm.yaml").write_text(text)
    write_dataset(synthetic_log(noise=0.5, samples=1500), place / "acme_log.csv")
    assert dynident_in(place, "identify", "acme_arm.yaml", "acme_log.csv", "-o", "acme_run", "--train", "0:0.7").returncode == 0
    (place / "acme_rules.yaml").write_text("# confidential\nsymmetric: [{link: acme_beam, plane: xz}]\n")
    assert dynident_in(place, "retrieve", "acme_run", "--no-ranges", "--constraints", "acme_rules.yaml").returncode == 0
    assert dynident_in(place, "validate", "acme_run", "acme_log.csv", "--part", "0.7:1").returncode == 0
    return place


def test_what_is_unpacked_works_and_gives_the_same_numbers(dynident_in, folder, tmp_path):
    done = dynident_in(folder, "bundle", "acme_run", "-o", tmp_path / "b.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1500 of 1500" in done.stdout
    assert "Look into it before you pass it on" in done.stdout
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path)
        listed = json.loads(archive.read("manifest.json"))["files"]
        assert {"README.txt", "manifest.json", *listed} == set(archive.namelist())
        assert all(name in done.stdout for name in archive.namelist())
    assert [item["different"] for item in json.loads((tmp_path / "manifest.json").read_text())["comparisons"]] == [0, 0, 0]
    assert dynident_in(tmp_path, "report", "run").returncode == 0
    before = json.loads((folder / "acme_run" / "validation.json").read_text())
    again = json.loads(dynident_in(tmp_path, "validate", "run", "log.npz", "--part", "0.7:1", "--json").stdout)
    assert again["relative_percent"] == before["relative_percent"]
    assert list(again["rms_per_joint"].values()) == list(before["rms_per_joint"].values())
    assert again["seen_by_fit"] == before["seen_by_fit"] == 0.0
    assert dynident_in(tmp_path, "doctor", "robot.yaml", "log.npz").returncode in (0, 1)
    for step in json.loads((tmp_path / "manifest.json").read_text())["steps"]:  # in the unpacked folder they give the same once more
        assert dynident_in(tmp_path, *shlex.split(step["command"])[1:]).returncode == step["code"] == 0
    assert json.loads((tmp_path / "run" / "validation.json").read_text())["relative_percent"] == pytest.approx(before["relative_percent"])
    pages = [file.read_text(errors="ignore") for file in tmp_path.rglob("*") if file.suffix in (".txt", ".json", ".yaml", ".html")]
    assert not [page for page in pages if "acme_" in page.casefold() or "confidential" in page]


def test_all_stages_are_made_again(dynident_in, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "acme")
    write_dataset(synthetic_log(noise=0.5, samples=900, seed=3), tmp_path / "acme" / "acme_load.csv")
    for words in (
        "sample acme_run -n 4 -o acme_models",
        "monitor acme_run acme_log.csv --free acme_log.csv",
        "payload acme_run acme_load.csv --link acme_beam --urdf acme.urdf --declared-mass 0.5",
        "friction acme_run acme_log.csv -o acme_now",
        "fit acme_arm.yaml acme_log.csv --test acme_log.csv --constraints acme_rules.yaml -o acme_fit",
    ):
        assert dynident_in(tmp_path / "acme", *words.split()).returncode == 0, words
    stages = {
        "acme_run": ["estimate", "parameters", "validation", "samples", "payload", "monitor"],
        "acme_now": ["estimate", "parameters", "friction"],
    }
    for run, names in {**stages, "acme_fit": ["estimate", "parameters", "validation"]}.items():
        told = json.loads(dynident_in(tmp_path / "acme", "bundle", run, "-o", f"{run}.zip", "--json").stdout)
        assert [(item["stage"], item["different"]) for item in told["comparisons"]] == [(name, 0) for name in names]
        assert told["missing"] == []
        with zipfile.ZipFile(tmp_path / "acme" / f"{run}.zip") as archive:
            assert not [name for name in archive.namelist() if b"acme" in archive.read(name)]


def words(count: int) -> list[str]:
    """Long words that nothing else has."""
    rng = np.random.default_rng(7)
    return ["".join(rng.choice(list("bcdfghjklmnpqrstvwxz"), 14)) for _ in range(count)]


def contents(file: Path) -> Iterator[bytes]:
    """What is in a file, and in the archives within it."""
    raw = file.read_bytes()
    yield raw
    if zipfile.is_zipfile(io.BytesIO(raw)):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            yield "\n".join(archive.namelist()).encode()
            yield from (archive.read(name) for name in archive.namelist())


def test_no_name_of_robot_joint_link_or_file_is_left_in_any_file(dynident_in, tmp_path, monkeypatch):
    robot, one, two, link, other, log, run, held, column, rule, person = words(11)
    (tmp_path / person).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / person))
    text = load_robot("planar_2r").to_dh_yaml()
    names = {"planar_2r": robot, "joint1": one, "joint2": two, "link1": link, "link2": other}
    for old, new in names.items():
        text = re.sub(rf"\b{old}\b", new, text)
    (tmp_path / f"{robot}.yaml").write_text(text)
    data = synthetic_log(noise=0.5, samples=1500)
    named = {
        f"{column}_{name}_{j}": values[:, j]
        for name in ("q", "dq", "effort")
        if (values := getattr(data, name)) is not None
        for j in (0, 1)
    }
    rows = np.column_stack([data.time, *named.values()])
    for name, part in ((log, slice(0, 1000)), (held, slice(1000, None))):
        np.savetxt(tmp_path / f"{name}.csv", rows[part], delimiter=",", header=",".join(["time", *named]), comments="")
    columns = [
        word
        for name in ("q", "dq", "effort")
        if any(f"_{name}_" in key for key in named)
        for word in ("--map", f"{name}={column}_{name}_*")
    ]
    done = dynident_in(
        tmp_path, "identify", f"{robot}.yaml", f"{log}.csv", "-o", run, *columns, "--effort-kind", "torque", "--ignore-doctor"
    )
    assert done.returncode == 0, done.stderr
    branch = (
        f"{{name: {rule}a, com: [{{link: {link}, sphere: {{centre: [0, 0, 0], radius: 3}}}}]}}, {{name: {rule}b, bounds: {{m1: [90, 99]}}}}"
    )
    (tmp_path / f"{rule}.yaml").write_text(f"# of {person}\neither: {{{rule}: [{branch}]}}\nsymmetric: [{{link: {other}, plane: xz}}]\n")
    assert dynident_in(tmp_path, "retrieve", run, "--no-ranges", "--constraints", f"{rule}.yaml").returncode == 0
    assert dynident_in(tmp_path, "validate", run, f"{held}.csv").returncode == 0
    done = dynident_in(tmp_path, "bundle", run, "-o", "out.zip")
    assert (done.returncode, done.stderr) == (0, "")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    files = [file for file in (tmp_path / "unpacked").rglob("*") if file.is_file()]
    assert {file.suffix for file in files} >= {".json", ".txt", ".yaml", ".npz"}
    assert {"conditions1.yaml", "log.npz", "log2.npz", "validation.safetensors"} <= {file.name for file in files}
    names = (robot, one, two, link, other, log, run, held, column, rule, person)
    secrets = [*(name.casefold() for name in names), str(tmp_path), tmp_path.name]
    found = [
        (file.name, secret)
        for file in files
        for raw in contents(file)
        for secret in secrets
        for form in (secret.encode(), secret.encode("utf-16-le"), secret.encode("utf-32-le"))
        if form in raw.lower()
    ]
    assert found == []


def test_without_the_log(dynident_in, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    done = dynident_in(tmp_path / "elsewhere", "bundle", folder / "acme_run", "--without-samples", "--json")
    told = json.loads(done.stdout)
    assert told["written"] == "bundle.zip"
    assert told["bytes"] == (tmp_path / "elsewhere" / "bundle.zip").stat().st_size
    assert told["samples"]["kept"] == 0
    assert not [name for name in told["files"] if name in ("log.npz", "run/validation.safetensors")]


def test_bad_input(dynident_in, folder, tmp_path):
    refused(dynident_in(tmp_path, "bundle", "nowhere"), ["nowhere", "no such run folder"])
    refused(dynident_in(folder, "bundle", "acme_run", "-o", tmp_path / "b.html"), ["unknown suffix", ".zip"])
    both = dynident_in(folder, "bundle", "acme_run", "--without-samples", "--whole-log", "-o", tmp_path / "b.zip")
    refused(both, ["contradict each other"])
    refused(dynident_in(folder, "bundle", "acme_run", "acme_arm.yaml", "-o", tmp_path / "b.zip"), ["acme_arm.yaml"])
    assert not list(tmp_path.iterdir())
