"""Two commands on one folder: one pauses before a file operation while the other works; results are whole, and nothing is left over."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dynident.runs import Stage, load_run
from tests.faults.cases import ROBOT, is_leftover, visible
from tests.faults.operations import PAUSE, Command, Fault, Outcome, run_once

#: Where the first process pauses, in shares of its operations: before it writes, with files beside their targets, while it renames.
SHARES = (0.0, 0.4, 0.95)

Start = Callable[[str], Command]


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    shutil.copytree(inputs / "run", work / "run")
    for name in ("log.npz", "new.npz"):
        shutil.copy(inputs / name, work)
    return work


@pytest.fixture
def start(folder: Path, tmp_path: Path) -> Iterator[Start]:
    """Start a command in the folder, with a log of its own; the last one is closed first."""
    numbers = itertools.count()
    with ExitStack() as living:

        def make(words: str) -> Command:
            command = Command(words.split(), folder, tmp_path / f"{words.split()[0]}-{next(numbers)}.txt")
            living.callback(command.close)
            return command

        yield make


def after(folder: Path, *order: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """What the folder holds after command lines one after the other, and the operations of the first one."""
    place = folder.with_name("alone")
    shutil.copytree(folder, place)
    outcomes = [run_once(words.split(), place, folder.with_name("alone.txt")) for words in order]
    assert not any(outcome.code for outcome in outcomes), outcomes
    found = visible(place)
    shutil.rmtree(place)
    return found, outcomes[0].operations


def check_end(folder: Path, *outcomes: Outcome) -> dict[str, bytes]:
    """What the folder holds."""
    assert [(outcome.code, outcome.said) for outcome in outcomes] == [(0, "")] * len(outcomes)
    assert not [file for file in folder.rglob("*") if is_leftover(file)]
    return visible(folder)


def test_two_identify_into_one_folder(folder: Path, start: Start):
    """Both have computed when one of them begins to write. Nobody waits; every file is whole, and a document of the other is named."""
    first, second = f"identify {ROBOT} log.npz -o deep/both", f"identify {ROBOT} new.npz -o deep/both"
    (only_first, operations), (only_second, _) = after(folder, first), after(folder, second)
    assert only_first != only_second
    one, other = start(first), start(second)
    other.get_ready()
    for share in SHARES:
        one.pause(Fault(1 + int(share * len(operations)), PAUSE))
        other.begin()
        assert other.finish().code == 0
        one.begin()
        last = check_end(folder, one.finish())
        assert last.keys() == only_first.keys()
        assert all(content in (only_first[name], only_second[name]) for name, content in last.items())
        run = load_run(folder / "deep" / "both")
        record, document = (f"deep/both/{name}" for name in (Stage.ESTIMATE.file, Stage.ESTIMATE.document))
        same = (last[record] == only_first[record]) == (last[document] == only_first[document])
        assert run.stale == (() if same else (Stage.ESTIMATE.document,))
        shutil.rmtree(folder / "deep")


def test_a_report_while_retrieve_writes(folder: Path, start: Start):
    """It tells of the old parameters or of the new ones, and does not wait."""
    retrieve, report = "retrieve run --total-mass 3 9 --no-ranges", "report run"
    (new, operations), (old, _) = after(folder, retrieve, report), after(folder, report, retrieve)
    assert new["run/report.html"] != old["run/report.html"]
    shutil.copytree(folder / "run", folder.with_name("run"))
    writer = start(retrieve)
    for number in range(1 + int(SHARES[1] * len(operations)), len(operations) + 1):
        writer.pause(Fault(number, PAUSE))
        reader = start(report)
        reader.begin()
        told = reader.finish()
        assert told.code == 0, told.said
        page = visible(folder)["run/report.html"]
        writer.begin()
        assert writer.finish().code == 0
        assert page == old["run/report.html"] or _same_but_for_stale_documents(page, new["run/report.html"])
        shutil.rmtree(folder / "run")
        shutil.copytree(folder.with_name("run"), folder / "run")


def _same_but_for_stale_documents(page: bytes, expected: bytes) -> bool:
    """Between the rename of a record and that of its document, the report names the document."""
    return page == expected or (b"parameters.json" in page and b"not made from the record beside it" in page)
