"""A folder of somebody else, in which links lead elsewhere: nothing outside it is written, replaced or deleted.

Whatever the commands do with it, one sentence is all that comes of it.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from dynident.core.files import check_file_target, place_below, write_atomically, write_files
from dynident.errors import FileError
from dynident.runs import load_run
from tests.commands import run_here
from tests.faults.cases import ROBOT

TEXT = "this is mine"


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    """The inputs, and beside them a file and a folder with a file, which are nobody's business."""
    shutil.copytree(inputs, tmp_path / "work")
    (tmp_path / "private").mkdir()
    for name in ("victim", "private/report.html", "private/index.json"):
        (tmp_path / name).write_text(TEXT)
    return tmp_path / "work"


def outside(folder: Path) -> dict[str, str]:
    """All files beside the folder, by path."""
    place = folder.parent
    return {str(file.relative_to(place)): file.read_text() for file in place.rglob("*") if file.is_file() and folder not in file.parents}


def refuse(folder: Path, words: str) -> str:
    """The one sentence with which a command refuses, and changes nothing outside."""
    before = outside(folder)
    finished = run_here(folder, *words.split())
    assert finished.returncode in (1, 2), finished.stdout
    assert outside(folder) == before
    sentence = " ".join(finished.stderr.split())
    assert sentence.count("dynident: ") == 1
    assert "Traceback" not in sentence
    return sentence


#: The command, the link in the folder, and whether the link is one to a folder.
ATTACKS = (
    ("report run", "run/report.html", False),
    ("report run -o page.html", "page.html", False),
    (f"identify {ROBOT} log.npz -o run", "run/estimate.json", False),
    (f"identify {ROBOT} log.npz -o run", "run/estimate.safetensors", False),
    ("retrieve run --no-ranges", "run/parameters.json", False),
    ("retrieve run --solver barrier --starts 2 --no-ranges", "run/starts", True),
    ("retrieve run --solver barrier --starts 2 --no-ranges", "run/starts/start_0001.json", False),
    ("validate run new.npz", "run/validation.safetensors", False),
    ("sample run -n 2", "run/samples", True),
    ("sample run -n 2 -o models", "models/index.json", False),
    ("sample run -n 2", "run/samples.safetensors", False),
    ("monitor run new.npz", "run/contacts.html", False),
    ("export run --c code", "code/CMakeLists.txt", False),
    ("export run --csv table.csv", "table.csv", False),
    ("bundle run log.npz", "bundle.zip", False),
    (f"fleet {ROBOT} log.npz new.npz -o fleet --workers 1", "fleet/log", True),
    (f"fleet {ROBOT} log.npz new.npz -o fleet --workers 1", "fleet/fleet.html", False),
    (f"doctor {ROBOT} degrees.csv --fix", "degrees.csv.yaml", False),
    (f"doctor {ROBOT} degrees.csv --fix --overwrite", "degrees.csv.yaml", False),
    (f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 4 --harmonics 2 --workers 1", "way.html", False),
    ("demo 1r -o shown", "shown/signed", True),
    ("demo 1r -o shown", "shown/true_robot.yaml", False),
    ("reproduce unsigned --quick -o again", "again/steps", True),
)


@pytest.mark.parametrize("target", ["there", "nowhere"])
@pytest.mark.parametrize(("words", "link", "to_folder"), ATTACKS)
def test_nothing_is_written_through_a_link(words: str, link: str, to_folder: bool, target: str, folder: Path):
    end = folder.parent / ("private" if to_folder else "victim")
    place = folder / link
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(end if target == "there" else f"{end}-nowhere")
    assert "is a link" in refuse(folder, words)
    assert place.is_symlink()


@pytest.mark.parametrize("write", [write_atomically, lambda path, text: write_files({path: text})])
def test_the_library_writes_through_none_either(write, tmp_path):
    (tmp_path / "victim").write_text(TEXT)
    (tmp_path / "page.html").symlink_to(tmp_path / "victim")
    with pytest.raises(FileError, match="is a link"):
        write(tmp_path / "page.html", "new")
    with pytest.raises(FileError, match="is a link"):
        check_file_target(tmp_path / "page.html")
    assert (tmp_path / "victim").read_text() == TEXT


def test_the_folder_that_is_named_may_be_a_link(tmp_path):
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "a" / "b").symlink_to(tmp_path)
    assert place_below(tmp_path / "link", "a", "c") == tmp_path / "link" / "a" / "c"
    with pytest.raises(FileError, match=r"link/a/b: is a link"):
        place_below(tmp_path / "link", "a", "b", "c")


def test_a_folder_in_place_of_a_result_is_one_sentence_and_no_lock(folder: Path):
    place = folder / "run" / "parameters.json"
    place.unlink()
    place.mkdir()
    assert "parameters.json: is a folder" in refuse(folder, "retrieve run --no-ranges")
    assert not [file for file in (folder / "run").iterdir() if file.name.startswith(".")]
    place.rmdir()
    assert run_here(folder, "retrieve", "run", "--no-ranges").returncode == 0
    load_run(folder / "run")


def test_a_rename_that_fails_is_made_up_for_by_the_next_writer(tmp_path, monkeypatch):
    """The disk refuses the second of two renames."""
    files = [tmp_path / name for name in "ab"]
    write_files(dict.fromkeys(files, "old"))
    replace, count = os.replace, iter(range(9))

    def refuse_second(*paths):
        if next(count) == 1:
            raise PermissionError(1, "Operation not permitted")
        replace(*paths)

    monkeypatch.setattr(os, "replace", refuse_second)
    with pytest.raises(FileError, match="can't be written"):
        write_files(dict.fromkeys(files, "new"))
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"a": "new", "b": "old"}
    write_files(dict.fromkeys(files, "newer"))
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"a": "newer", "b": "newer"}


@pytest.mark.parametrize("name", ["..", ".", "deep", "../../victim", "notes.txt", "n" * 5000, "sample_1.urdf/../../../victim", "a\0b"])
def test_an_index_of_samples_deletes_only_samples(name: str, folder: Path):
    place = folder / "run" / "samples"
    (place / "deep").mkdir(parents=True)
    for file in ("notes.txt", "deep/file"):
        (place / file).write_text(TEXT)
    (place / "index.json").write_text(json.dumps({"schema": "dynident/sample-index/1", "files": {name: "0" * 64}}))
    before = outside(folder)
    for _ in range(2):
        finished = run_here(folder, "sample", "run", "-n", "2")
        assert finished.returncode in (0, 1), finished.stderr
        assert "Traceback" not in finished.stderr
    assert outside(folder) == before
    assert (place / "notes.txt").read_text() == (place / "deep" / "file").read_text() == TEXT
    assert sorted(file.name for file in place.iterdir()) == ["deep", "index.json", "notes.txt", "samples.csv"]


@pytest.mark.parametrize("name", [f".report.html.{'9' * 40}.x.part", ".report.html.999999.folder.part"])
def test_what_looks_like_a_file_that_is_being_written(name: str, folder: Path):
    (folder / "run" / name).mkdir() if "folder" in name else (folder / "run" / name).write_text("")
    assert run_here(folder, "report", "run").returncode == 0
