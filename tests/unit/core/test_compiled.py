"""Compiled code is loaded only where nobody else can have written it and no bit has changed; else it is compiled again, which is said."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import config

from dynident.core import compiled
from dynident.core.compiled import cache_folder, compiler
from dynident.errors import FileError
from tests.conftest import REPOSITORY


def seven_times(x):
    return 7.0 * x


def kernel():
    """The function as another process would have it."""
    return compiler(nogil=True)(seven_times)


def hits(dispatcher) -> int:
    return sum(dispatcher.stats.cache_hits.values())


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch) -> Iterator[Path]:
    """A folder for compiled code that holds nothing; nothing has been said yet."""
    monkeypatch.setattr(compiled, "_said", set())
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # Numba reads its settings again when it sees the environment changed
    config.reload_config()
    compiled._find_folder.cache_clear()
    yield tmp_path / "dynident"
    monkeypatch.undo()
    config.reload_config()
    compiled._find_folder.cache_clear()


@pytest.fixture
def kept(caches: Path) -> Path:
    """The file of the compiled function."""
    assert kernel()(3.0) == 21.0
    (file,) = caches.iterdir()
    return file


def sentences(caplog) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


def test_another_process_finds_what_was_compiled(kept, caplog):
    found = kernel()
    assert found(3.0) == 21.0
    assert hits(found) == 1
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert not sentences(caplog)


def test_another_type_and_another_source_are_compiled_anew(kept, monkeypatch):
    other = kernel()
    assert other(3) == 21.0
    assert hits(other) == 0
    monkeypatch.setattr(compiled, "_source_digest", lambda file: "changed")
    assert hits(kernel()) == 0
    assert kernel()(3.0) == 21.0
    assert len(list(kept.parent.iterdir())) == 3


def test_what_another_module_changed_is_compiled_anew(caches, monkeypatch):
    def caller():
        return compiler(nogil=True, calls=(compiled,))(seven_times)

    assert caller()(3.0) == 21.0
    again = caller()
    assert again(3.0) == 21.0
    assert hits(again) == 1
    digest = compiled._source_digest
    monkeypatch.setattr(compiled, "_source_digest", lambda file: "changed" if file == compiled.__file__ else digest(file))
    changed = caller()
    assert changed(3.0) == 21.0
    assert hits(changed) == 0
    assert len(list(caches.iterdir())) == 2


@pytest.mark.parametrize("place", [0, 40, -1])
def test_a_flipped_bit_is_noticed_said_once_and_mended(kept, caplog, place):
    right = kept.read_bytes()
    damaged = bytearray(right)
    damaged[place] ^= 1
    kept.write_bytes(damaged)
    assert [kernel()(3.0), kernel()(3.0)] == [21.0, 21.0]
    assert sentences(caplog) == [f"{kept.parent}: compiled code is damaged, and is compiled again"]
    again = kernel()
    assert again(3.0) == 21.0
    assert hits(again) == 1


@pytest.mark.parametrize("length", [0, 10, 1000])
def test_a_file_that_was_cut(kept, caplog, length):
    kept.write_bytes(kept.read_bytes()[:length])
    assert kernel()(3.0) == 21.0
    assert len(sentences(caplog)) == 1


def plant(file: Path, seen: Path) -> None:
    """A whole file, whose loading would leave a trace."""

    class Trace:
        def __reduce__(self):
            return Path.touch, (seen,)

    content = pickle.dumps(Trace())
    file.write_bytes(hashlib.sha256(content).digest() + content)


def test_a_planted_file_would_be_run(kept, tmp_path):
    plant(kept, tmp_path / "seen")
    with pytest.raises(TypeError):
        kernel()(3.0)
    assert (tmp_path / "seen").exists()


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_folder_that_others_can_write_is_not_looked_into(kept, tmp_path, caplog, mode):
    plant(kept, tmp_path / "seen")
    kept.parent.chmod(mode)
    compiled._find_folder.cache_clear()
    assert kernel()(3.0) == kernel()(3.0) == 21.0
    assert not (tmp_path / "seen").exists()
    (sentence,) = sentences(caplog)
    assert "can be written by others, so compiled code in it is not loaded; remove it, or set NUMBA_CACHE_DIR" in sentence


def test_nor_is_another_users(kept, tmp_path, caplog, monkeypatch):
    plant(kept, tmp_path / "seen")
    monkeypatch.setattr(compiled.os, "geteuid", lambda: 12345)
    compiled._find_folder.cache_clear()
    assert kernel()(3.0) == 21.0
    assert not (tmp_path / "seen").exists()
    assert "belongs to another user" in sentences(caplog)[0]


def test_where_no_folder_can_be_made(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file"))
    assert kernel()(3.0) == kernel()(3.0) == 21.0
    (sentence,) = sentences(caplog)
    assert "kernels are compiled again in every process; set NUMBA_CACHE_DIR to a folder of your own" in sentence


def test_a_full_disk(monkeypatch, caplog):
    def refuse(path, content):
        raise FileError(path, "can't be written: No space left on device")

    monkeypatch.setattr(compiled, "write_atomically", refuse)
    assert kernel()(3.0) == kernel()(3.0) == 21.0
    (sentence,) = sentences(caplog)
    assert "No space left on device" in sentence


def test_without_a_home_it_is_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache_folder() == tmp_path / "caches" / "dynident"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(compiled.tempfile, "gettempdir", lambda: str(tmp_path))
    assert cache_folder() == tmp_path / f"dynident-{os.geteuid()}"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "dynident"


def test_what_nobody_loads_is_removed(kept):
    old = kept.with_name("old.kernel")
    for file, age in ((old, 91), (kept, 89)):
        file.touch()
        os.utime(file, (time.time() - 86400.0 * age,) * 2)
    assert kernel()(3.0) == 21.0  # which marks it
    assert kernel()(3) == 21
    assert not old.exists()
    assert time.time() - kept.stat().st_mtime < 3600.0


def test_every_kernel_is_kept_so():
    texts = {file: file.read_text(encoding="utf-8") for file in (REPOSITORY / "src").rglob("*.py")}
    assert [file.name for file, text in texts.items() if "njit" in text] == ["compiled.py"]
