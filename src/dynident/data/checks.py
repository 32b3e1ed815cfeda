"""Checks that recorded arrays pass before anything is computed with them; each complaint gives the sample, the joint and the remedy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynident.core.arrays import Array, BoolArray, IntArray, all_finite, as_numbers, check_unique, freeze
from dynident.core.large_arrays import concatenate_rows, row_blocks
from dynident.errors import ShapeError, UnknownNameError, ValueRangeError

#: No log spans more [s]: a hundred years. Stamps since 1970 beside stamps since the start of a recording are 56 years apart.
LONGEST = 100 * 365.25 * 86400.0


def add_source(source: str, what: str) -> str:
    """The source of data to which something was done."""
    return f"{source}, {what}" if source else what


def check_names(names: Sequence[str], n: int) -> tuple[str, ...]:
    """n unique joint names; joint1, joint2, ... when none are given."""
    unique = tuple(str(name) for name in names) or default_names(n)
    if len(unique) != n:
        raise ValueRangeError("joint_names", f"has {len(unique)} names, but q has {n} columns (joints)")
    return check_unique("joint", unique)


def default_names(n: int) -> tuple[str, ...]:
    """joint1, joint2, ..."""
    return tuple(f"joint{j + 1}" for j in range(n))


def check_mask(mask: ArrayLike, shape: tuple[int, ...]) -> BoolArray:
    """True and false, or 1 and 0, of the shape of q."""
    given: Any = mask
    values: NDArray[Any] = given if type(given) is np.ndarray and given.dtype == bool else as_numbers("mask", given)
    if values.shape != shape:
        raise ShapeError("mask", values.shape, f"{shape}, the shape of q")
    use = values.astype(bool)
    if np.any(use != values):
        raise ValueRangeError("mask", "holds other values than true and false (1 and 0)")
    return freeze(use)


def check_period(marks: ArrayLike, samples: int) -> IntArray:
    """Marks of repetitions as whole numbers (N,), 0 or more."""
    numbers = as_numbers("period", marks)
    if numbers.shape != (samples,):
        raise ShapeError("period", numbers.shape, f"({samples},) = (samples,)")
    with np.errstate(invalid="ignore"):
        whole = numbers.astype(np.int64)
    if np.any(whole != numbers) or np.any(whole < 0):
        raise ValueRangeError("period", "holds other values than 0, 1, 2, ...; it numbers the repetitions of a motion")
    return freeze(whole)


def check_starts(starts: Sequence[int], samples: int) -> tuple[int, ...]:
    """Segment starts: 0 first, strictly increasing, each the index of a sample."""
    firsts = tuple(int(start) for start in starts)
    rising = all(a < b for a, b in pairwise(firsts))
    if not firsts or firsts[0] != 0 or not rising or firsts[-1] >= samples:
        raise ValueRangeError("starts", f"is {firsts}; it must begin with 0 and increase strictly, below {samples} samples")
    return firsts


def check_time(time: Array, starts: Sequence[int]) -> Array:
    """Finite stamps that increase strictly within each segment."""
    _check_finite("time", time, [])
    time = _spread_rounded(time, starts)
    steps = np.diff(time)
    boundaries = np.asarray(starts[1:], dtype=np.intp) - 1
    inside = np.ones(len(steps), dtype=bool)
    inside[boundaries] = False
    wrong = np.flatnonzero((steps <= 0) & inside)
    if len(wrong):
        i = int(wrong[0]) + 1
        others = f" ({len(wrong)} such places)" if len(wrong) > 1 else ""
        if steps[i - 1] == 0:
            raise ValueRangeError("time", f"has the stamp {time[i]:.9g} s twice, at samples {i - 1} and {i}{others}; drop repeated samples")
        raise ValueRangeError(
            "time",
            f"goes back from {time[i - 1]:.9g} to {time[i]:.9g} s at sample {i}{others}; "
            "sort the samples, or start a segment there if recording was interrupted",
        )
    if time.size and time.max() - time.min() > LONGEST:
        raise ValueRangeError("time", f"spans {time.max() - time.min():.3g} s, more than 100 years; check the stamps and their unit")
    return freeze(time)


def _spread_rounded(time: Array, starts: Sequence[int]) -> Array:
    """Stamps (N,) that were rounded to coarse steps, with those that are equal spread evenly over their step; others as they are.

    Rounded ones never go back, are whole multiples of one step, and many are equal to the one before.
    """
    steps = np.diff(time)
    new = np.append(True, steps > 0.0)
    new[np.asarray(starts, dtype=np.intp)] = True
    if len(steps) < _ROUNDED_SAMPLES or np.any(steps[~new[1:]] < 0.0) or np.count_nonzero(~new) < _ROUNDED_SHARE * len(time):
        return time
    first = np.flatnonzero(new)
    lengths = np.diff(np.append(first, len(time)))
    advances = np.diff(time[first])
    step = float(advances[advances > 0.0].min(initial=np.inf))
    whole = np.abs(advances / step - np.round(advances / step)) < _ROUNDED_NEAR
    if not np.isfinite(step) or np.mean(whole) < 0.99 or lengths.max() > _ROUNDED_RUN * np.median(lengths):
        return time
    within = np.arange(len(time)) - np.repeat(first, lengths)
    return time + step * within / np.repeat(lengths, lengths)


#: Stamps are taken to be rounded where this share, of at least so many, are equal to the one before, all are multiples of one step as
#: nearly as this, and no step holds so many times more of them than the usual one: what repeats itself for longer is a recording that hung.
_ROUNDED_SHARE, _ROUNDED_SAMPLES, _ROUNDED_NEAR, _ROUNDED_RUN = 0.02, 50, 1e-3, 4.0


def check_rows(name: str, values: ArrayLike, shape: tuple[int, ...], joints: Sequence[str]) -> Array:
    """A finite float array of the shape (samples, joints), or (samples, joints, joints) for M."""
    array = as_numbers(name, values)
    meaning = "(samples, joints)" if len(shape) == 2 else "(samples, joints, joints)"
    if array.shape != shape:
        if array.ndim == len(shape) and array.shape[1:] == shape[1:]:
            raise ShapeError(name, array.shape, f"{shape} = {meaning}: {array.shape[0]} samples, but there are {shape[0]} elsewhere")
        raise ShapeError(name, array.shape, f"{shape} = {meaning}")
    _check_finite(name, array, joints)
    return freeze(array)


def one_for_all(values: ArrayLike, n: int) -> Array:
    """A column (N,) or (N, 1) as (N, n), the same for every joint; what has more columns as it is."""
    array = as_numbers("temperature", values)
    column = array[:, None] if array.ndim == 1 else array
    return np.repeat(column, n, axis=1) if column.ndim == 2 and column.shape[1] == 1 else column


def part_rows(start: float, stop: float, samples: int) -> slice:
    """The samples from one fraction to another; neighbouring parts are disjoint and make the whole."""
    if not 0.0 <= start < stop <= 1.0:
        raise ValueRangeError("part", f"is {start:g}:{stop:g}; two fractions 0 <= start < stop <= 1 were expected, such as 0:0.7")
    return slice(round(start * samples), round(stop * samples))


def join_arrays(items: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """The arrays of all items one after another; each must be in all of them or in none."""
    joined: dict[str, Any] = {}
    for name in names:
        lacking = [item for item in items if getattr(item, name) is None]
        if lacking and len(lacking) < len(items):
            having = next(item for item in items if getattr(item, name) is not None)
            count = f"{len(items) - len(lacking)} of {len(items)} have it"
            raise ValueRangeError(name, f"is in {having.source!r} but not in {lacking[0].source!r} ({count}); all or none must")
        joined[name] = None if lacking else concatenate_rows([getattr(item, name) for item in items])
    return joined


def joint_indices(joints: Sequence[str | int], names: Sequence[str]) -> list[int]:
    """Indices of joints given by name or by index from 0; each at most once."""
    order: list[int] = []
    for joint in joints:
        if isinstance(joint, str):
            if joint not in names:
                raise UnknownNameError("joint", joint, names)
            order.append(list(names).index(joint))
        elif 0 <= joint < len(names):
            order.append(int(joint))
        else:
            raise ValueRangeError("joints", f"has the index {joint}; 0 to {len(names) - 1} exist")
    if not order or len(set(order)) < len(order):
        raise ValueRangeError("joints", f"is {list(joints)}; name at least one joint, and none twice")
    return order


def same_in_all(name: str, items: Sequence[Any]) -> None:
    """The attribute is one and the same in all items, else both values are named."""
    first = getattr(items[0], name)
    for item in items[1:]:
        if getattr(item, name) != first:
            raise ValueRangeError(
                name,
                f"differ: {_text(first)} in {items[0].source!r} but {_text(getattr(item, name))} in {item.source!r}; make them agree first",
            )


def _text(value: object) -> str:
    return f"{len(value)} names ({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)  # pyright: ignore


def _check_finite(name: str, array: Array, joints: Sequence[str]) -> None:
    if all(all_finite(array[block]) for block in row_blocks(len(array), array, width=math.prod(array.shape[1:]))):
        return
    bad = np.argwhere(~np.isfinite(array))
    place = [int(i) for i in bad[0]]
    joint = f", joint {joints[place[1]]!r}" if len(place) > 1 else ""
    where = f"at sample {place[0]}{joint} ({len(bad)} such values)"
    raise ValueRangeError(name, f"is {array[tuple(place)]} {where}; repair or drop those samples, or leave out that time")
