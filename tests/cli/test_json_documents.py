"""What commands print with --json is as its schema says, also where it names none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.faults.cases import ROBOT, make_inputs
from tests.schemas import validator


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("printed") / "work"
    make_inputs(place)
    return place


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (f"excite {ROBOT} --check motion.csv --limits limits.yaml --json", "excite-check.json"),
        (f"gains {ROBOT} log.npz --total-mass 5 --json", "gains.json"),
        ("export run --yaml model.yaml --csv model.csv --json", "exported.json"),
        ("monitor run new.npz --free log.npz --json", "contacts.json"),
        ("presets --json", "presets.json"),
        ("report run --json", ""),
    ],
)
def test_what_is_printed(words: str, name: str, folder: Path):
    done = run_here(folder, *words.split())
    if not name:  # a page has no document
        assert done.returncode == 2
        return
    assert done.returncode in (0, 1), done.stderr
    validator(name).validate(json.loads(done.stdout))
