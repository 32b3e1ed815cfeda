"""A reader that crashes, hangs or is greedy is a sentence; what it finds and what it says come back as they are."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
import pytest

from dynident.core import isolation
from dynident.core.isolation import read_apart
from dynident.errors import FileError
from tests.facts import raises


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "log.bin"
    path.write_bytes(b"0" * 100)
    return path


def test_what_is_found_comes_back(file):
    found = read_apart(lambda path, factor: {"q": factor * np.arange(6.0).reshape(3, 2)}, file, 2.0)
    np.testing.assert_array_equal(found["q"], [[0, 2], [4, 6], [8, 10]])


def test_a_sentence_of_the_reader_comes_back(file):
    def refuse(path):
        raise FileError(path, "holds text", place="q")

    with raises(FileError, "text", file=str(file), place="q"):
        read_apart(refuse, file)


def test_a_crash(file):
    with raises(FileError, "signal", 9, file=str(file)):
        read_apart(lambda path: os.kill(os.getpid(), signal.SIGKILL), file)


def test_a_hang(file, monkeypatch):
    monkeypatch.setattr(isolation, "_LEAST_TIME", 0.2)
    with raises(FileError, "s", file=str(file)):
        read_apart(lambda path: time.sleep(60.0), file)


@pytest.mark.skipif(sys.platform != "linux", reason="the system doesn't tell how much memory a process has")
def test_greed(file):
    with raises(FileError, "memory", file=str(file)):
        read_apart(lambda path: np.ones(4 << 30, dtype=np.uint8).sum(), file)


def test_a_sentence_comes_back_without_its_story(file):
    def read(path):
        try:
            raise ValueError("how it came")
        except ValueError as error:
            raise FileError(path, "unreadable") from error

    with raises(FileError, "unreadable") as caught:
        read_apart(read, file)
    assert caught.value.__cause__ is None
    pytest.importorskip("distributed")  # loaded, it sends errors with their whole story

    def deep(path, levels):
        try:
            deep(path, levels + 1)
        except RecursionError:
            if levels:
                raise
            raise FileError(path, "endless") from None

    with raises(FileError, "endless"):
        read_apart(deep, file, 0)
