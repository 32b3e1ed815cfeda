"""Compiled kernels are kept where only the user can write; without such a folder everything works, and a warning says so."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import config

from dynident.core import compiled
from dynident.core.compiled import compiler
from tests.conftest import REPOSITORY


def seven_times(x):
    return 7.0 * x


def kernel(**options):
    """The function as another process would have it."""
    return compiler(nogil=True, **options)(seven_times)


def hits(dispatcher) -> int:
    return sum(dispatcher.stats.cache_hits.values())


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch) -> Iterator[Path]:
    """An empty folder for compiled code."""
    config.reload_config()  # Numba does so at its next compilation if the environment has changed, and would forget the folder
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    compiled.cache_folder.cache_clear()
    yield tmp_path / "dynident"
    compiled.cache_folder.cache_clear()


@pytest.fixture
def kept(caches: Path) -> Path:
    """The folder after the function was compiled."""
    assert kernel()(3.0) == 21.0
    return caches


def warnings(caplog) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


def files(folder: Path, suffix: str) -> list[Path]:
    return sorted(folder.rglob(f"*{suffix}"))


def test_another_process_loads_what_was_compiled(kept, caplog):
    again = kernel()
    assert again(3.0) == 21.0
    assert hits(again) == 1
    assert kept.stat().st_mode & 0o777 == 0o700
    assert len(files(kept, ".nbc")) == 1
    assert not warnings(caplog)


def test_the_setting_of_numba_is_as_before(kept, tmp_path):
    assert str(tmp_path) == config.CACHE_DIR


def test_another_type_is_compiled_anew(kept):
    other = kernel()
    assert other(3) == 21.0
    assert hits(other) == 0
    assert len(files(kept, ".nbc")) == 2


def test_a_change_in_a_module_that_the_kernel_calls_is_seen(tmp_path):
    source = tmp_path / "called.py"
    module = type(sys)("called")
    module.__file__ = str(source)
    counts = []
    for text in ("x = 1", "x = 1", "x = 2"):
        source.write_text(text)
        dispatcher = kernel(calls=(module,))
        assert dispatcher(3.0) == 21.0
        counts.append(hits(dispatcher))
    assert counts == [0, 1, 0]


def test_defining_a_kernel_compiles_nothing(caches):
    kernel()
    assert not files(caches, ".nbc")


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_file_that_a_loss_of_power_left_empty(kept, suffix):
    for file in files(kept, suffix):
        file.write_bytes(b"")
    compiled.cache_folder.cache_clear()  # as another process
    assert kernel()(3.0) == 21.0
    again = kernel()
    assert again(3.0) == 21.0
    assert hits(again) == 1


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_folder_that_others_can_write_is_not_used(kept, caplog, mode):
    kept.chmod(mode)
    compiled.cache_folder.cache_clear()
    again = kernel()
    assert again(3.0) == 21.0
    assert hits(again) == 0
    (sentence,) = warnings(caplog)
    assert str(kept) in sentence


def test_nor_is_another_users(kept, caplog, monkeypatch):
    monkeypatch.setattr(compiled.os, "geteuid", lambda: 12345)
    compiled.cache_folder.cache_clear()
    again = kernel()
    assert again(3.0) == 21.0
    assert hits(again) == 0
    assert len(warnings(caplog)) == 1


def test_where_no_folder_can_be_made(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file"))
    assert kernel()(3.0) == kernel()(3.0) == 21.0
    assert len(warnings(caplog)) == 1  # not one per kernel


def test_a_folder_that_can_only_be_read(kept, caplog, monkeypatch):
    monkeypatch.setattr(compiled.os, "access", lambda *_: False)  # root may write anywhere
    compiled.cache_folder.cache_clear()
    assert kernel()(3.0) == 21.0
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize(
    ("numba_folder", "user_caches", "home", "expected"),
    [("n", "c", "h", "n/dynident"), ("", "c", "h", "c/dynident"), ("", "", "h", "h/.cache/dynident")],
)
def test_the_folder(tmp_path, numba_folder, user_caches, home, expected):
    given = [str(tmp_path / name) if name else "" for name in (numba_folder, user_caches, home)]
    assert compiled.cache_folder(*given) == tmp_path / expected


def start(folder: Path, **environment: str) -> subprocess.Popen[str]:
    """A process that calls the kernel, and prints its value and the number of kernels that it loaded."""
    script = "from tests.unit.core.test_compiled import hits, kernel; k = kernel(); print(k(3.0), hits(k))"
    sources = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": sources, **environment}
    return subprocess.Popen([sys.executable, "-c", script], env=variables, stdout=subprocess.PIPE, text=True)


def printed(process: subprocess.Popen[str]) -> list[str]:
    return process.communicate(timeout=120)[0].split()


def test_processes_that_compile_at_the_same_time(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    assert {printed(process)[0] for process in processes} == {"21.0"}
    assert printed(start(tmp_path)) == ["21.0", "1"]


def test_a_kernel_of_another_processor_is_not_loaded(kept):
    """Names and features of the processor are part of Numba's key."""
    assert printed(start(kept.parent)) == ["21.0", "1"]
    assert printed(start(kept.parent, NUMBA_CPU_NAME="generic")) == ["21.0", "0"]


def test_every_kernel_is_kept_so():
    texts = {file: file.read_text(encoding="utf-8") for file in (REPOSITORY / "src").rglob("*.py")}
    assert [file.name for file, text in texts.items() if "njit" in text] == ["compiled.py"]
