"""Places where nothing can be written, and a disk that is full."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path

import pytest

from tests.faults.cases import ROBOT, is_leftover, visible
from tests.faults.operations import run_once

#: Command lines without the place of their output.
WRITERS = (
    f"convert {ROBOT} -o",
    f"repair {ROBOT} -o",
    f"view {ROBOT} --no-open -o",
    f"simulate {ROBOT} --controller 5 -o",
    f"identify {ROBOT} log.npz -o",
    f"signs {ROBOT} log.npz -o",
    f"gains {ROBOT} log.npz --moving-mass 5 -o",
    "friction run log.npz -o",
    "monitor run log.npz -o",
    "export run --csv",
    "export run --c",
    "report run -o",
    "bundle run -o",
    "sample run -n 2 -o",
    "compare run run -o",
    "demo 1r -o",
    "reproduce unsigned --quick -o",
)
SUFFIXES = {"convert": ".urdf", "repair": ".yaml", "view": ".html", "simulate": ".npz", "gains": ".yaml", "monitor": ".html"}
SUFFIXES |= {"report": ".html", "compare": ".csv", "bundle": ".zip"}


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    shutil.copytree(inputs, tmp_path / "work")
    return tmp_path / "work"


def fill_disk() -> None:
    """No file of this process can grow beyond so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))


@pytest.mark.parametrize("place", ["n" * 300, "log.npz/below"], ids=["long name", "below a file"])
@pytest.mark.parametrize("words", WRITERS)
def test_where_nothing_can_be(words: str, place: str, folder: Path, tmp_path: Path):
    before = visible(folder)
    found = run_once([*words.split(), f"{place}{SUFFIXES.get(words.split()[0], '')}"], folder, tmp_path / "said.txt")
    assert found.code == 2, found.said
    (sentence,) = found.said.splitlines()
    assert sentence.startswith("dynident: ")
    assert "can't print" not in sentence
    assert visible(folder) == before


@pytest.mark.parametrize("words", ["report run", f"identify {ROBOT} new.npz -o run", f"view {ROBOT} --no-open"])
def test_a_disk_that_is_full(words: str, folder: Path, tmp_path: Path):
    before = visible(folder)
    found = run_once(words.split(), folder, tmp_path / "said.txt", fill_disk)
    assert found.code == 2
    assert found.said.endswith("can't be written: File too large\n")
    assert visible(folder) == before
    assert not [file for file in folder.rglob("*") if is_leftover(file)]
