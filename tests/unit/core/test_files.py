"""Reading says what is wrong in one sentence; writing leaves the old file or the new one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from dynident.core import files
from dynident.errors import FileError, MissingFileError, ValueRangeError
from tests.facts import raises


def test_text_and_yaml_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("name: ünï\nvalues: [1, 2]\n", encoding="utf-8")
    assert files.read_text(file).startswith("name: ünï")
    assert files.read_yaml(file) == {"name": "ünï", "values": [1, 2]}


def test_text_and_bytes_differ_in_the_ends_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"a\r\nb\rc\n")
    assert files.read_text(file) == file.read_text() == "a\nb\nc\n"
    assert files.read_bytes(file) == b"a\r\nb\rc\n"


def test_json_comes_back_and_what_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(files.json_text({"name": "ünï", "values": [1.5, None]}), encoding="utf-8")
    assert "ünï" in file.read_text(encoding="utf-8")
    assert files.read_json(file) == {"name": "ünï", "values": [1.5, None]}
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.json_text({"a": float("nan")})
    file.write_text('{"a": 1,\n')
    with raises(FileError, "JSON", place="line 2"):
        files.read_json(file)
    file.write_text("[1]")
    with raises(FileError, file=str(file)):
        files.read_json(file)


def test_what_comes_from_a_file_says_so() -> None:
    with raises(FileError, "mass", file="robot.yaml", place="joints"), files.errors_in_file("robot.yaml", "joints"):
        raise ValueRangeError("mass", "is wrong")
    with raises(FileError, "empty", file="other.yaml"), files.errors_in_file("robot.yaml"):
        raise FileError("other.yaml", "is empty")


def test_a_missing_file_a_folder_and_bytes_are_told_apart(tmp_path: Path) -> None:
    with raises(MissingFileError, file=str(tmp_path / "absent.yaml")):
        files.read_text(tmp_path / "absent.yaml")
    with pytest.raises(FileError, match="is a folder"):
        files.read_text(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with raises(FileError, "UTF-8"):
        files.read_text(tmp_path / "bytes")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("x")
    file.chmod(0)
    with raises(FileError, "Permission", file=str(file)):
        files.read_text(file)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a: 1\nb: [1, 2\n", "can't be read as YAML", "line 3"),
        ("a: 1\nb: !!python/object/apply:os.system ['true']\n", "could not determine a constructor for the tag", "line 2"),
        ("a: 1\nb: !custom 3\n", "could not determine a constructor for the tag", "line 2"),
        ("a: 1\nb: 2\na: 3\n", "key 'a' is written twice", "line 3"),
        ("a:\n  b: 1\n  b: 2\n", "key 'b' is written twice", "line 3"),
        ("a: 1\n[1, 2]: 3\n", "a key must be a plain text", "line 2"),
        ("a: 2020-13-40\n", "can't be read as YAML: month must be in 1..12", ""),
        ("a: \x00\n", "can't be read as YAML: not valid YAML", ""),
        ("[" * 5000, "nested too deeply", ""),
        ("", "a mapping", ""),
        ("- 1\n- 2\n", "a mapping", ""),
        ("just words\n", "a mapping", ""),
    ],
)
def test_bad_yaml_is_one_sentence_with_its_line(tmp_path: Path, text: str, message: str, place: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        files.read_yaml(file)
    assert message in str(caught.value)
    assert caught.value.place == place
    assert "\n" not in str(caught.value)


def test_writing_replaces_the_file_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    files.write_atomically(file, "one")
    file.chmod(0o640)
    files.write_atomically(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "out.json"
    file.write_text("old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    with raises(FileError, "space", file=str(file)):
        files.write_atomically(file, "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_writing_where_there_is_no_folder(tmp_path: Path) -> None:
    with raises(FileError, "directory", file=str(tmp_path / "absent" / "out.json")):
        files.write_atomically(tmp_path / "absent" / "out.json", "x")


def test_ctrl_c_waits_for_the_end_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed_meanwhile(name: str, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        replace(name, target)

    replace = files.replace_file
    monkeypatch.setattr(files, "replace_file", pressed_meanwhile)
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(tmp_path / "file.txt", "whole")
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]
    assert (tmp_path / "file.txt").read_text() == "whole"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def held(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_several_files_are_all_on_the_disk_before_one_is_replaced(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("old")
    targets = [tmp_path / name / "a.txt" for name in ("one", "two")]
    with pytest.raises(FileError, match="absent"):
        files.write_files({targets[0]: "new", targets[1]: b"new", tmp_path / "absent" / "a.txt": "new"})
    assert held(tmp_path) == {"one/a.txt": "old", "two/a.txt": "old"}
    files.write_files({targets[0]: "new", targets[1]: b"new"})
    assert held(tmp_path) == {"one/a.txt": "new", "two/a.txt": "new"}


def test_several_files_are_replaced_in_their_order_after_what_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").write_text("old")
    real, seen = os.replace, list[list[str]]()

    def look(source: str, target: Path) -> None:
        seen.append([name for name in sorted(os.listdir(tmp_path)) if not name.startswith(".")])
        real(source, target)

    monkeypatch.setattr(os, "replace", look)
    files.write_files({tmp_path / name: name for name in "cab"}, remove=[tmp_path / "old", tmp_path / "never_there"])
    assert seen == [[], ["c"], ["a", "c"]]
    assert held(tmp_path) == {name: name for name in "abc"}


def test_folders_that_were_made_for_a_block_that_fails_go_again(tmp_path: Path) -> None:
    def fail(folder: Path, *names: str) -> None:
        with files.make_parents(folder):
            assert folder.is_dir()
            for name in names:
                (folder / name).write_text("")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail(tmp_path / "deep" / "run")
    assert not (tmp_path / "deep").exists()
    with pytest.raises(ValueError, match="no"):
        fail(tmp_path / "there" / "run", "file")
    assert (tmp_path / "there" / "run" / "file").is_file()
