"""Files that belong together: whenever a process is killed, a folder holds all of the old or all of the new ones."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from dynident.core.together import complete_writing, write_files, write_together
from dynident.errors import FileError

OPERATIONS = ("mkstemp", "fdopen", "fsync", "chmod", "replace", "unlink")
OLD, NEW = {"a.json": "old", "b.npz": b"old"}, {"a.json": "new", "b.npz": b"new"}


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def raw(contents: dict[str, str | bytes]) -> dict[str, bytes]:
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in contents.items()}


def die_before(folder: Path, operation: str, count: int) -> None:
    """In a child: write, and be killed before an operation on files is done for the count-th time."""
    import tempfile

    left = [count]

    def wrap(function):
        def run(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return run

    place = tempfile if operation == "mkstemp" else os
    setattr(place, operation, wrap(getattr(place, operation)))
    write_together(folder, NEW)
    os._exit(0)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_killed_before_each_operation(tmp_path, operation):
    deaths, ended = 0, None
    for count in range(1, 10):
        folder = tmp_path / str(count)
        write_together(folder, OLD)
        child = multiprocessing.get_context("fork").Process(target=die_before, args=(folder, operation, count))
        child.start()
        child.join()
        complete_writing(folder, NEW.__contains__)
        assert held(folder) in (raw(OLD), raw(NEW))
        write_together(folder, NEW)
        assert held(folder) == raw(NEW)
        assert not list(folder.glob(".*"))
        ended = child.exitcode
        if ended == 0:
            break
        deaths += 1
    assert deaths >= 1
    assert ended == 0


def test_two_processes_take_turns(tmp_path):
    def write_often(text: str) -> None:
        for _ in range(40):
            write_together(tmp_path, {f"{k}.txt": text for k in range(4)})

    children = [multiprocessing.get_context("fork").Process(target=write_often, args=(text,)) for text in "xyz"]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert len(set(held(tmp_path).values())) == 1
    assert len(held(tmp_path)) == 4


def test_a_failure_leaves_nothing_new(tmp_path, monkeypatch):
    write_together(tmp_path / "run", OLD)

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_together(tmp_path / "run", NEW)
    with pytest.raises(FileError):
        write_together(tmp_path / "other" / "run", NEW)
    assert held(tmp_path / "run") == raw(OLD)
    assert not (tmp_path / "other").exists()
    assert not list((tmp_path / "run").glob(".*"))


def test_files_of_the_old_result_go_with_it(tmp_path):
    write_together(tmp_path / "out", {**OLD, "c.csv": "old"})
    write_together(tmp_path / "out", NEW, remove=["c.csv", "never_there.csv"])
    assert held(tmp_path / "out") == raw(NEW)
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_files_in_several_folders_are_all_on_the_disk_before_one_is_replaced(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("old")
    files = [tmp_path / name / "a.txt" for name in ("one", "two")]
    with pytest.raises(FileError, match="absent"):
        write_files({files[0]: "new", files[1]: b"new", tmp_path / "absent" / "a.txt": "new"})
    assert [file.read_text() for file in files] == ["old", "old"]
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == ["one", "a.txt", "two", "a.txt"]
    write_files({files[0]: "new", files[1]: b"new"})
    assert [file.read_text() for file in files] == ["new", "new"]
