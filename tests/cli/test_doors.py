"""Rooms behind a door of their own are not imported before they are asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dynident.data import write_dataset
from tests.logs import synthetic_log

SCRIPT = """
import contextlib, io, json, sys
from dynident.cli import main
sys.argv = ["dynident", *json.loads(sys.argv[1])]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(json.dumps(sorted({name.split(".")[1] for name in sys.modules if name.startswith("dynident.")})))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("doors")
    write_dataset(synthetic_log(noise=0.5, samples=1500), place / "log.npz")
    return place


def rooms(folder: Path, *words: str) -> set[str]:
    """Of dynident's packages those that a command imports."""
    run = subprocess.run([sys.executable, "-c", SCRIPT, json.dumps(words)], cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_a_run_imports_neither_recording_nor_fleet(folder):
    for words in (
        ("identify", "planar_2r", "log.npz", "-o", "run"),
        ("retrieve", "run", "--no-ranges"),
        ("validate", "run", "log.npz"),
        ("export", "run", "--csv", "out.csv"),
        ("report", "run"),
        ("doctor", "planar_2r", "log.npz"),
    ):
        found = rooms(folder, *words)
        assert {"cli", "robots"} <= found, words
        assert not found & {"recording", "fleet", "comparison", "reproduce", "bundles"}, words
    assert (folder / "run" / "report.html").is_file()


def test_identify_imports_no_room_that_it_does_not_use(folder):
    """Of a log that needs neither signs nor a diagnosis."""
    unused = {"signs", "monitoring", "payload", "drives", "simulation", "excitation", "exports"}
    imported = rooms(folder, "identify", "planar_2r", "log.npz", "-o", "identified")
    assert {"doctor", "regression", "runs"} <= imported
    assert not imported & unused


def test_they_are_imported_where_they_are_asked_for(folder):
    assert rooms(folder, "compare", "run", "run") & {"comparison", "fleet"} == {"comparison"}
    assert "fleet" in rooms(folder, "fleet", "planar_2r", "log.npz", "-o", "fleet", "--retrieve", "--no-ranges", "--workers", "1")
    assert "recording" in rooms(folder, "record", "virtual:planar_2r", "-o", "out.npz", "--trajectory", "log.npz")
