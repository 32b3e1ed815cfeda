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
for words in json.loads(sys.argv[1]):
    sys.argv = ["dynident", *words]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
rooms = (name.split(".")[1:-1] for name in sys.modules if name.startswith("dynident.") and not name.endswith(".options"))
print(json.dumps(sorted({".".join(room[:2]) for room in rooms if room})))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("doors")
    write_dataset(synthetic_log(noise=0.5, samples=1500), place / "log.npz")
    return place


def rooms(folder: Path, *commands: str) -> set[str]:
    """Of dynident's packages, such as routes and routes.signs, those of which commands import a module, one command after the other in one
    process; declarations of options don't count."""
    words = json.dumps([command.split() for command in commands])
    run = subprocess.run([sys.executable, "-c", SCRIPT, words], cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_a_run_imports_neither_recording_nor_fleet(folder):
    imported = rooms(
        folder,
        "identify planar_2r log.npz -o run",
        "retrieve run --no-ranges",
        "validate run log.npz",
        "export run --csv out.csv",
        "report run",
        "doctor planar_2r log.npz",
    )
    assert {"cli.verbs", "robots", "links", "validation", "exports", "reports", "diagnosis"} <= imported
    assert not imported & {"motions.recording", "pipeline.fleet", "runs.comparison", "reproduce", "pipeline.bundles"}
    assert (folder / "run" / "report.html").is_file()


def test_identify_imports_no_room_that_it_does_not_use(folder):
    """Of a log that needs no signs, with what the guard against spoiled logs needs."""
    unused = {"routes.signs", "routes.payload", "routes.drives", "validation.monitoring", "motions", "motions.simulation", "exports"}
    unused |= {"links.solvers", "links.repairs"}
    imported = rooms(folder, "identify planar_2r log.npz -o identified")
    assert {"diagnosis", "regression", "runs"} <= imported
    assert not imported & unused


def test_they_are_imported_where_they_are_asked_for(folder):
    assert rooms(folder, "compare run run") & {"runs.comparison", "pipeline.fleet"} == {"runs.comparison"}
    assert "pipeline.fleet" in rooms(folder, "fleet planar_2r log.npz -o fleet --retrieve --no-ranges --workers 1")
    assert "motions.recording" in rooms(folder, "record virtual:planar_2r -o out.npz --trajectory log.npz")
