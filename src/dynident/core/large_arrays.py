"""Arrays of any size: small ones in memory, large ones in a temporary file that is mapped and let go of block by block.

A mapped array is an ordinary one for whoever uses it. What was read or written of it stays in memory until `release`, so that work that
goes through `row_blocks` needs no more than a block of each array.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dynident.core.arrays import Array
from dynident.core.threads import map_in_order, thread_count
from dynident.errors import FileError

#: Arrays of more bytes than this are mapped from a temporary file.
LARGEST_IN_MEMORY = 16 << 20
#: Numbers of one array that are worked on at once.
_BLOCK = 1 << 20
#: Rows from here and there that are read at once.
_SCATTERED = 32
#: Rows that are reduced side by side.
_FOLD = 64


def allocate(shape: tuple[int, ...], dtype: DTypeLike = float) -> NDArray[Any]:
    """An array to be filled; FileError where the temporary folder has no room for a large one."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size <= LARGEST_IN_MEMORY:
        return np.empty(shape, dtype)
    try:
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, size)  # else a full disk would kill the process when a page is written
            return np.asarray(np.memmap(file, dtype=dtype, mode="r+", shape=shape))
    except OSError as error:
        folder = tempfile.gettempdir()
        message = f"can't hold {size / 1e9:.2g} GB for arrays that are too large for memory: {error.strerror}"
        raise FileError(folder, message, remedy="make room there, or set TMPDIR to another folder") from None


def release(*arrays: NDArray[Any] | None) -> None:
    """Let go of the memory that mapped arrays take; their values are read again from the file when they are needed."""
    for array in arrays:
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap):
            base.madvise(mmap.MADV_DONTNEED)


def row_blocks(length: int, *arrays: NDArray[Any] | None, width: int = 1) -> Iterator[slice]:
    """The rows [0, length) in blocks; the arrays are released after each. width : numbers per row."""
    rows = max(1, _BLOCK // max(width, 1))
    for start in range(0, length, rows):
        yield slice(start, min(start + rows, length))
        release(*arrays)


def map_rows(function: Callable[[Array], NDArray[Any]], values: NDArray[Any], columns: int | None = None, dtype: DTypeLike = float) -> Any:
    """function(rows) of all rows of values (N, k); it must look at each row alone. columns : of the result (k unless given)."""
    result = allocate((len(values), values.shape[1] if columns is None else columns), dtype)
    for block in row_blocks(len(values), values, result, width=values.shape[1]):
        result[block] = function(values[block])
    return result


def column_of(values: NDArray[Any], j: int) -> NDArray[Any]:
    """(N,) a copy of one column of values (N, k)."""
    return map_rows(lambda rows: rows[:, j : j + 1], values, 1, values.dtype)[:, 0]


def stack_columns(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """As np.column_stack: arrays (N,) or (N, k) beside each other."""
    parts = [column[:, None] if column.ndim == 1 else column for column in columns]
    edges = np.cumsum([0, *(part.shape[1] for part in parts)])
    result = allocate((len(parts[0]), int(edges[-1])), np.result_type(*parts))
    for block in row_blocks(len(result), *parts, result, width=result.shape[1]):
        for part, start, stop in zip(parts, edges, edges[1:], strict=False):
            result[block, start:stop] = part[block]
    return result


def concatenate_rows(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """As np.concatenate: arrays (N, ...) one after another."""
    result = allocate((sum(map(len, arrays)), *arrays[0].shape[1:]), np.result_type(*arrays))
    start = 0
    for array in arrays:
        for block in row_blocks(len(array), array, result, width=math.prod(array.shape[1:])):
            result[start + block.start : start + block.stop] = array[block]
        start += len(array)
    return result


def take_rows(values: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """values[rows]; where a page is needed its neighbours are mapped too, so that even a few rows would take the whole array."""
    result = np.empty((len(rows), *values.shape[1:]), values.dtype)
    for start in range(0, len(rows), _SCATTERED):
        result[start : start + _SCATTERED] = values[rows[start : start + _SCATTERED]]
        release(values)
    return result


def thin_rows(values: NDArray[Any], most: int = 100_000) -> NDArray[Any]:
    """Evenly spread rows of values (N, k), at most `most` of them, which is enough for a median."""
    every = -(-len(values) // most)
    chosen = np.arange(0, len(values), every)
    result = np.empty((len(chosen), values.shape[1]), values.dtype)
    for block in row_blocks(len(values), values, width=values.shape[1]):
        first, last = np.searchsorted(chosen, (block.start, block.stop))
        result[first:last] = values[chosen[first:last]]
    return result


def column_ranges(values: Array, mask: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
    """(k,) the smallest and the largest value of each column of values (N, k) where the mask is true; inf and -inf where it never is."""
    low, high = np.full(values.shape[1], np.inf), np.full(values.shape[1], -np.inf)

    def reduce_block(block: slice) -> tuple[Array, Array]:
        part = values[block]
        least, most = (part, part) if mask is None else (np.where(mask[block], part, np.inf), np.where(mask[block], part, -np.inf))
        return _reduce_rows(np.minimum, least), _reduce_rows(np.maximum, most)

    blocks = row_blocks(len(values), values, width=values.shape[1])
    for least, most in map_in_order(reduce_block, blocks, thread_count() if values.size > _BLOCK else 1):
        np.minimum(low, least, out=low)
        np.maximum(high, most, out=high)
    return low, high


def _reduce_rows(ufunc: np.ufunc, values: Array) -> Array:
    """(k,) ufunc.reduce(values, axis=0) of values (N, k), many rows side by side: rows of a few numbers take NumPy long."""
    rows, k = values.shape
    whole = rows - rows % _FOLD
    reduced = ufunc.reduce(values[whole:], axis=0) if whole < rows else values[0]
    if whole:
        reduced = ufunc(reduced, ufunc.reduce(ufunc.reduce(values[:whole].reshape(-1, _FOLD * k), axis=0).reshape(_FOLD, k), axis=0))
    return reduced


def largest_sizes(values: Array) -> Array:
    """(k,) the largest |value| of each column of values (N, k); zero where there is none."""
    low, high = column_ranges(values)
    return np.maximum(np.maximum(high, -low), 0.0)
