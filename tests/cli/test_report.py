"""`dynident report` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynident.data import write_dataset
from tests.cli.test_identify import refused
from tests.logs import synthetic_log, synthetic_samples


@pytest.fixture
def folder(tmp_path: Path, dynident) -> Path:
    write_dataset(synthetic_log(noise=0.5, samples=2000), tmp_path / "log.npz")
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", "--train", "0:0.7").returncode == 0
    return tmp_path


def test_a_report_grows_with_the_run(dynident, folder):
    page = folder / "run" / "report.html"
    finished = dynident("report", "run")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Written to run/report.html" in finished.stdout
    text = page.read_text()
    assert "dynident retrieve run" in text
    assert "dynident validate run DATA" in text
    dynident("retrieve", "run", "--no-ranges")
    dynident("validate", "run", "log.npz", "--part", "0.7:1")
    dynident("sample", "run", "-n", "10")
    assert dynident("report", "run").returncode == 0
    text = page.read_text()
    assert "This step has not been done yet" not in text
    assert "dynident validate run log.npz --part 0.7:1" in text  # where the numbers came from
    assert len(text) < 8e6


def test_a_run_from_the_controller_s_m_and_g(dynident, tmp_path):
    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    write_dataset(synthetic_log("spatial_3r", noise=0.1), tmp_path / "log.npz")
    dynident("identify", "spatial_3r", "samples.npz", "-o", "run")
    assert dynident("report", "run").returncode == 0
    assert dynident("validate", "run", "log.npz").returncode == 0
    finished = dynident("report", "run", "-o", "page.html")
    assert finished.returncode == 0, finished.stderr
    assert "no friction model" in (tmp_path / "page.html").read_text()


def test_bad_input_damages_nothing(dynident, folder):
    refused(dynident("report", "nowhere"), ["nowhere", "no such run folder", "dynident identify"])
    (folder / "empty").mkdir()
    refused(dynident("report", "empty"), ["empty", "estimate.safetensors", "dynident identify"])
    refused(dynident("report", "log.npz"), ["log.npz", "not a run folder"])
    refused(dynident("report", "run", "-o", "missing/page.html"), ["missing/page.html", "can't be written"])
    (folder / "run" / "report.html").mkdir()
    refused(dynident("report", "run"), ["report.html", "is a folder"])
    (folder / "run" / "report.html").rmdir()
    (folder / "run" / "report.html").write_text("mine")
    (folder / "run" / "estimate.safetensors").write_bytes(b"broken")
    refused(dynident("report", "run"), ["estimate.safetensors"])
    assert (folder / "run" / "report.html").read_text() == "mine"
    assert not [file for file in (folder / "run").iterdir() if file.name.startswith(".")]
