"""Files and folders that the user may not read or write: one sentence, exit code 1 or 2, and everything as it was.

Root may do everything; where the tests are root's, the commands run as nobody.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cases import ROBOT, visible
from tests.faults.operations import Outcome, run_once

NOBODY = 65534
#: Modules of Python that commands import when they need them, and that nobody can't read where Python is in root's own folder.
LATE = ("colorsys", "encodings.cp437", "encodings.utf_8_sig", "zoneinfo")
#: What can't be read, and command lines that would.
UNREADABLE = (
    ("log.npz", f"identify {ROBOT} log.npz -o new"),
    ("log.npz", f"doctor {ROBOT} log.npz"),
    ("log.npz", "monitor run new.npz --free log.npz"),
    ("motion.csv", f"simulate {ROBOT} motion.csv -o simulated.npz"),
    ("limits.yaml", f"excite {ROBOT} -o way.csv --limits limits.yaml"),
    ("arm.yaml", "check arm.yaml"),
    ("run", "retrieve run"),
    ("run", "compare run run -o c.csv"),
    ("run", f"identify {ROBOT} log.npz -o run"),
    ("run/estimate.safetensors", "report run"),
    ("run/estimate.safetensors", "retrieve run"),
    ("run/parameters.safetensors", "sample run -n 2 -o models"),
    ("run/parameters.safetensors", "export run --csv m.csv"),
    ("run/starts", "retrieve run --solver barrier --starts 2 --no-ranges"),
    ("deep", f"identify {ROBOT} deep/log.npz -o new"),
    ("deep", "check deep/arm.yaml"),
    ("deep", "report deep/run"),
    ("deep", f"identify {ROBOT} log.npz -o deep/run"),
    ("deep", f"convert {ROBOT} -o deep/arm.urdf"),
    ("deep", "export run --c deep/code"),
)
#: Folders that can't be written, and command lines that would.
READ_ONLY = (
    ("run", "retrieve run --no-ranges"),
    ("run", "retrieve run --solver barrier --starts 2 --no-ranges"),
    ("run", "monitor run new.npz --free log.npz"),
    ("run", "report run"),
    ("run", f"identify {ROBOT} log.npz -o run"),
    ("deep", f"identify {ROBOT} log.npz -o deep/new/run"),
    ("deep", f"convert {ROBOT} -o deep/arm.urdf"),
    ("deep", f"excite {ROBOT} -o deep/way.csv --limits limits.yaml"),
    ("deep", f"fleet {ROBOT} log.npz new.npz -o deep/fleet --workers 1"),
    ("deep", "export run --csv deep/m.csv"),
    ("deep", "export run --c deep/code"),
    ("deep", f"record virtual:{ROBOT} --trajectory motion.csv -o deep/r.npz --yes"),
)


@pytest.fixture
def folder(inputs: Path) -> Iterator[Path]:
    """Where everybody may come; pytest's own folders are for their user alone."""
    place = Path(tempfile.mkdtemp(prefix="dynident-permissions-"))
    for path in (place, work := place / "work"):
        path.mkdir(exist_ok=True)
        path.chmod(0o777)
    shutil.copytree(inputs, work, dirs_exist_ok=True)
    shutil.copytree(inputs, work / "deep")
    for name in ("run/starts", "tmp"):
        (work / name).mkdir(exist_ok=True)
    for path in (work, *work.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    yield work
    for path in work.rglob("*"):
        if path.is_dir():
            path.chmod(0o777)
    shutil.rmtree(place)


def become_nobody() -> None:
    if os.geteuid() == 0:
        for name in LATE:
            importlib.import_module(name)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def run_as_user(words: str, folder: Path) -> Outcome:
    log = folder.with_name("said.txt")
    log.touch()
    log.chmod(0o666)
    return run_once(words.split(), folder, log, become_nobody)


def run_locked(words: str, folder: Path, locked: str, mode: int) -> Outcome:
    """The command while a file or folder has these permissions."""
    usual = (folder / locked).stat().st_mode
    (folder / locked).chmod(mode)
    found = run_as_user(words, folder)
    (folder / locked).chmod(usual)
    return found


def check_refused(words: str, folder: Path, locked: str, mode: int) -> None:
    before = visible(folder)
    found = run_locked(words, folder, locked, mode)
    assert found.code in (1, 2), found.said
    (sentence,) = found.said.splitlines()
    assert sentence.startswith("dynident: ")
    assert "can't print" not in sentence
    assert visible(folder) == before


@pytest.mark.parametrize(("locked", "words"), UNREADABLE)
def test_what_cannot_be_read(locked: str, words: str, folder: Path):
    check_refused(words, folder, locked, 0)


@pytest.mark.parametrize(("locked", "words"), READ_ONLY)
def test_what_cannot_be_written(locked: str, words: str, folder: Path):
    check_refused(words, folder, locked, 0o555)


def test_what_is_only_read_need_not_be_written(folder: Path):
    found = run_locked("export run --csv m.csv", folder, "run", 0o555)
    assert (found.code, found.said) == (0, "")
    assert (folder / "m.csv").is_file()
