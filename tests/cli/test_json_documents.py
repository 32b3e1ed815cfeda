"""What every command prints with --json is declared, and as its schema says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynident.cli.app import printed_documents
from dynident.cli.overview import VERBS
from tests.commands import run_here
from tests.faults.cases import ROBOT, make_inputs

COMMANDS = (
    f"check {ROBOT}",
    f"repair {ROBOT} -o mended.yaml",
    f"excite {ROBOT} --check motion.csv --limits limits.yaml",
    f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 4 --harmonics 2 --workers 1",
    f"excite {ROBOT} -o points.csv --limits limits.yaml --static 4 --method random",
    f"excite {ROBOT} -o both.csv --limits limits.yaml --starts 1 --duration 2 --harmonics 2 --workers 1 --precision 20%",
    f"doctor {ROBOT} log.npz",
    "presets",
    "presets --formats",
    f"gains {ROBOT} log.npz --moving-mass 5",
    f"identify {ROBOT} log.npz -o other",
    f"identify {ROBOT} answers.npz -o answered",
    "validate answered answers.npz",
    f"signs {ROBOT} unsigned.npz -o signed",
    "retrieve other",
    "validate other new.npz",
    "sample run -n 2",
    "friction run new.npz -o warm",
    "payload run new.npz",
    "monitor run new.npz --free log.npz",
    "export run --yaml model.yaml --csv model.csv",
    "compare run warm",
    "bundle run log.npz",
    f"fit {ROBOT} log.npz -o fitted",
    f"fleet {ROBOT} log.npz new.npz -o fleet --workers 1",
)
#: Takes long; `test_reproduce.py` runs it.
ELSEWHERE = {"reproduce"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("printed") / "work"
    make_inputs(place)
    assert run_here(place, *f"simulate {ROBOT} --controller 20 -o answers.npz".split()).returncode == 0
    return place


@pytest.mark.parametrize("words", COMMANDS)
def test_what_is_printed(words: str, folder: Path):
    done = run_here(folder, *words.split(), "--json")  # which compares it with the schema
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


def test_every_verb_with_json_is_declared_and_run(folder: Path):
    offered = {verb for verb in VERBS if "--json" in run_here(folder, verb, "--help").stdout}
    assert offered == {verb for verb in VERBS if printed_documents(verb)} == {words.split()[0] for words in COMMANDS} | ELSEWHERE


def test_a_page_has_no_document(folder: Path):
    assert run_here(folder, "report", "run", "--json").returncode == 2
