"""Stacking the columns of one quantity into one array, with complaints that name the column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array
from dynident.core.large_arrays import stack_columns
from dynident.data.formats.registry import Table
from dynident.data.reading.quantities import meaning
from dynident.errors import FileError, Remedy


def stack(file: Path, table: Table, name: str, columns: Sequence[str]) -> NDArray[Any]:
    """The columns as one array: (N,) for time, (N, n) for the rest, (N, n, n) for M."""
    if name == "time" and len(columns) == 1 and table[columns[0]].dtype.kind in "mM":
        return table[columns[0]].reshape(-1)
    arrays = {column: numeric(file, column, table[column], truth=name == "mask") for column in columns}
    if name == "time":
        first = next(iter(arrays.values()))
        if len(arrays) > 1 or first.size != max(first.shape):
            raise FileError(file, f"time must be one column, not {', '.join(map(repr, arrays))}", remedy=choose_with("time"))
        return first.reshape(-1)
    elements = {column: item.element for column in columns if (item := meaning(column)) and item.element is not None}
    if name == "M" and elements:
        return _inertia_from_elements(file, {element: arrays[column] for column, element in elements.items()})
    return _joint_columns(file, name, arrays)


def orient(arrays: dict[str, NDArray[Any]]) -> None:
    """MATLAB logs often hold a sample per column: turn those whose second axis is as long as the clock."""
    samples = len(arrays["time"]) if "time" in arrays else 0
    for name in ("q", "dq", "ddq", "effort", "temperature"):
        if samples and name in arrays and arrays[name].shape[0] != samples and arrays[name].shape[1] == samples:
            arrays[name] = arrays[name].T
    M = arrays.get("M")
    if M is not None:
        n = arrays["q"].shape[1]
        if M.ndim == 3 and M.shape[0] != len(arrays["q"]) and M.shape == (n, n, len(arrays["q"])):
            arrays["M"] = np.moveaxis(M, 2, 0)
        elif M.ndim == 2 and M.shape[1] == n * n:
            arrays["M"] = M.reshape(-1, n, n)


def choose_with(name: str) -> Remedy:
    """What to do where several columns can be a quantity."""
    return Remedy("choose with {columns}", columns={name: "..."})


def numeric(file: Path, column: str, values: NDArray[Any], *, truth: bool = False) -> NDArray[Any]:
    """Real numbers, integers kept as they are (nanosecond stamps need all their digits). truth : True and False will do too."""
    if values.dtype.kind in ("biu" if truth else "iu"):
        return values
    if np.issubdtype(values.dtype, np.floating):
        return values.astype(np.float64, copy=False)
    raise FileError(file, f"column {column!r} holds {_kind(values)}; real numbers were expected", place=column)


def _joint_columns(file: Path, name: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """(N, n) from one array or from a column per joint; M may have three axes."""
    if len(arrays) == 1:
        (array,) = arrays.values()
        return array[:, None] if array.ndim == 1 else array
    lengths = {column: len(array) for column, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        longest, shortest = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
        raise FileError(
            file, f"columns of {name} disagree in length: {longest!r} has {lengths[longest]} samples, {shortest!r} has {lengths[shortest]}"
        )
    if any(array.ndim > 2 for array in arrays.values()):
        raise FileError(file, f"{name} can't be joined from arrays of three axes: {', '.join(arrays)}; map one of them")
    return stack_columns(list(arrays.values()))


def _inertia_from_elements(file: Path, elements: Mapping[tuple[int, int], NDArray[Any]]) -> Array:
    """(N, n, n) from columns M11, M12, ...; one triangle is enough. Numbering may start at 0 or 1."""
    base = min(index for element in elements for index in element)
    n = max(index for element in elements for index in element) - base + 1
    length = len(next(iter(elements.values())))
    for (i, j), column in elements.items():
        if column.size != length or len(column) != length:
            expected = f"({length},), a number per sample, was"
            raise FileError(file, f"element M{i}{j} has shape {column.shape}; {expected} expected", place=f"M{i}{j}")
    M = np.zeros((length, n, n))
    for i in range(n):
        for j in range(n):
            column = elements.get((i + base, j + base), elements.get((j + base, i + base)))
            if column is None:
                raise FileError(file, f"M lacks the element M{i + base}{j + base}; give at least one full triangle of the {n} x {n} matrix")
            M[:, i, j] = column.reshape(-1)
    return M


def _kind(values: NDArray[Any]) -> str:
    if np.issubdtype(values.dtype, np.complexfloating):
        return "complex numbers"
    if values.dtype.kind == "b":
        return "truth values (True, False)"
    if values.dtype.kind in "mM":
        return "dates" if values.dtype.kind == "M" else "durations"
    return _text_kind(values) if values.dtype.kind in "US" else f"values of type {values.dtype}"


def _text_kind(values: NDArray[Any]) -> str:
    """Text, with the first one that is no number, which is what someone looks for in a column of numbers."""
    for row, text in enumerate(values.reshape(len(values), -1)[:, 0].tolist() if values.size else []):
        try:
            float(text)
        except ValueError:
            return f"text (such as {str(text)[:40]!r} in row {row + 1})"
    return "numbers that are stored as text"
