"""Arrays on disk: the same numbers as in memory, memory that is given back, and a folder without room."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dynident.core import large_arrays
from dynident.core.large_arrays import (
    allocate,
    column_of,
    concatenate_rows,
    largest_sizes,
    map_rows,
    release,
    row_blocks,
    stack_columns,
    take_rows,
    thin_rows,
)
from dynident.errors import FileError
from tests.facts import raises

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(1000, 3))


@pytest.fixture(params=[False, True], ids=["memory", "disk"])
def on_disk(request, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        monkeypatch.setattr(large_arrays, "LARGEST_IN_MEMORY", 0)
        monkeypatch.setattr(large_arrays, "_BLOCK", 700)
    return request.param


@pytest.mark.usefixtures("on_disk")
def test_numbers_are_those_of_numpy():
    column = RNG.normal(size=1000)
    np.testing.assert_array_equal(stack_columns([column, VALUES, 2 * column]), np.column_stack([column, VALUES, 2 * column]))
    np.testing.assert_array_equal(concatenate_rows([VALUES, 2 * VALUES]), np.concatenate([VALUES, 2 * VALUES]))
    np.testing.assert_array_equal(concatenate_rows([column, column]), np.concatenate([column, column]))
    np.testing.assert_array_equal(map_rows(lambda rows: rows @ np.diag([1.0, 2.0, 3.0]), VALUES), VALUES * [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(map_rows(lambda rows: rows[:, [2, 0]], VALUES, 2), VALUES[:, [2, 0]])
    np.testing.assert_array_equal(largest_sizes(VALUES), np.abs(VALUES).max(axis=0))


def test_what_was_released_is_still_there(on_disk):
    array = allocate((1000, 3))
    array[:] = VALUES
    view = array[10:20, 1]
    release(array, view, None, VALUES)
    np.testing.assert_array_equal(array, VALUES)
    np.testing.assert_array_equal(view, VALUES[10:20, 1])
    assert (large_arrays.LARGEST_IN_MEMORY == 0) == on_disk


def test_blocks_make_the_whole():
    blocks = list(row_blocks(10_000_000, width=7))
    assert blocks[0].start == 0
    assert blocks[-1].stop == 10_000_000
    assert all(first.stop == second.start for first, second in pairwise(blocks))
    assert len(blocks) > 10


def test_memory_is_given_back():
    array = allocate((40_000_000,))  # 320 MB
    before = _resident()
    for block in row_blocks(len(array), array):
        array[block] = 1.0
    assert float(array[::1000].sum()) == 40_000.0
    release(array)
    assert _resident() - before < 40.0


def _resident() -> float:
    """Memory of this process [MB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_a_folder_without_room_is_one_sentence(monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(large_arrays.os, "posix_fallocate", full)
    with raises(FileError, 0.8, "GB", "device", "TMPDIR"):
        allocate((100_000_000,))


@pytest.mark.usefixtures("on_disk")
def test_a_few_rows_and_single_columns():
    np.testing.assert_array_equal(thin_rows(VALUES, 300), VALUES[::4])
    np.testing.assert_array_equal(thin_rows(VALUES), VALUES)
    np.testing.assert_array_equal(column_of(VALUES, 1), VALUES[:, 1])
    rows = np.arange(0, 1000, 9)
    np.testing.assert_array_equal(take_rows(VALUES, rows), VALUES[rows])


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 1000])
def test_ranges_of_columns(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_arrays, "_BLOCK", 300)
    rng = np.random.default_rng(0)
    values, mask = rng.normal(size=(rows, 3)), rng.random((rows, 3)) > 0.3
    mask[:, 2] = False
    low, high = large_arrays.column_ranges(values)
    np.testing.assert_array_equal([low, high], [values.min(axis=0), values.max(axis=0)])
    low, high = large_arrays.column_ranges(values, mask)
    np.testing.assert_array_equal(low, np.where(mask, values, np.inf).min(axis=0))
    np.testing.assert_array_equal(high, np.where(mask, values, -np.inf).max(axis=0))
    np.testing.assert_array_equal(large_arrays.largest_sizes(values), np.abs(values).max(axis=0))
    assert not large_arrays.largest_sizes(values[:0]).any()
