"""What is written never replaces what was read, a run's own files, a device or what a link stands for; and that is said before the work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dynident import load_robot
from dynident.data import write_dataset
from dynident.dynamics.friction import linear
from dynident.regression import build_problem, estimate
from dynident.runs import write_result
from tests.logs import synthetic_log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    robot = load_robot("planar_2r")
    (tmp_path / "arm.yaml").write_text(robot.to_dh_yaml())
    write_dataset(synthetic_log(), tmp_path / "log.csv")
    log = build_problem(robot, synthetic_log(noise=0.02), friction=linear(), cutoff=None)
    write_result(tmp_path / "run", estimate(log))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("simulate", "arm.yaml", "log.csv", "-o", "log.csv"), "log.csv"),
        (("excite", "arm.yaml", "-o", "arm.yaml"), "arm.yaml"),
        (("convert", "arm.yaml", "-o", "arm.yaml"), "arm.yaml"),
        (("repair", "arm.yaml", "-o", "arm.yaml"), "arm.yaml"),
        (("export", "run", "--csv", "run/estimate.safetensors", "--coefficients"), "run/estimate.safetensors"),
        (("report", "run", "-o", "run/estimate.json"), "run/estimate.json"),
    ],
)
def test_nothing_that_is_read_is_replaced(dynident_in, folder, words, kept):
    before = (folder / kept).read_bytes()
    finished = dynident_in(folder, *words)
    assert finished.returncode == 2
    assert "name another file" in finished.stderr
    assert len(finished.stderr.splitlines()) == 1
    assert (folder / kept).read_bytes() == before


@pytest.mark.parametrize("target", ["pipe.html", "no/such/folder/r.html", f"{'n' * 300}.html", "log.csv/r.html"])
def test_where_no_file_can_be(dynident_in, folder, target):
    os.mkfifo(folder / "pipe.html")
    finished = dynident_in(folder, "report", "run", "-o", target)
    assert finished.returncode == 2
    assert len(finished.stderr.splitlines()) == 1
    assert "Traceback" not in finished.stderr


def test_nothing_is_written_through_a_link_to_a_file(dynident_in, folder):
    (folder / "elsewhere").mkdir()
    (folder / "page.html").symlink_to(folder / "elsewhere" / "page.html")
    finished = dynident_in(folder, "report", "run", "-o", "page.html")
    assert finished.returncode == 2
    assert "is a link" in finished.stderr
    assert not list((folder / "elsewhere").iterdir())


def test_a_path_that_is_typed_may_pass_through_links_to_folders(dynident_in, folder):
    (folder / "elsewhere").mkdir()
    (folder / "link").symlink_to(folder / "elsewhere")
    (folder / "linked_run").symlink_to(folder / "run")
    assert dynident_in(folder, "report", "linked_run").returncode == 0
    assert dynident_in(folder, "report", "linked_run", "-o", "link/page.html").returncode == 0
    assert (folder / "run" / "report.html").is_file()
    assert (folder / "elsewhere" / "page.html").stat().st_size > 10_000
