"""Arrays as the rooms hand them on: names for their types, read-only fields, and checks that name the array and the remedy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from numbers import Real
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynident.errors import ShapeError, ValueRangeError

Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
_Scalar = TypeVar("_Scalar", bound=np.generic)

_SIGNS = {"any": "numbers", "nonnegative": "numbers that are not negative", "positive": "positive numbers"}


def freeze(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """A contiguous read-only view (a copy only where the memory has gaps); the caller's own array stays writable."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


def set_frozen(instance: object, name: str, array: Array) -> None:
    """Set a field of a frozen dataclass to a copy of the array that can't be changed in place."""
    object.__setattr__(instance, name, freeze(np.array(array)))


def freeze_arrays(value: Any) -> Any:
    """The value with read-only views in place of all arrays in it: in tuples, lists, dictionaries and frozen dataclasses.

    A dataclass keeps its identity, and its fields are set; everything else is new where something changed.
    """
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        if array.flags.writeable:
            array = array.view()
            array.setflags(write=False)
        return array
    if isinstance(value, (tuple, list)):
        items = cast("Sequence[Any]", value)
        frozen = [freeze_arrays(item) for item in items]
        if all(a is b for a, b in zip(frozen, items, strict=True)):
            return items
        kind: Any = type(items)
        return kind(*frozen) if hasattr(kind, "_fields") else kind(frozen)
    if isinstance(value, dict):
        return {key: freeze_arrays(item) for key, item in cast("dict[Any, Any]", value).items()}
    parameters = getattr(cast("object", value), "__dataclass_params__", None)
    if parameters is not None and parameters.frozen and not isinstance(value, type):
        freeze_fields(value)
    return value


def freeze_fields(instance: Any) -> None:
    """Let no array in the fields of a frozen dataclass be changed in place."""
    for field in fields(instance):
        value = getattr(instance, field.name)
        frozen = freeze_arrays(value)
        if frozen is not value:
            object.__setattr__(instance, field.name, frozen)


def all_finite(array: Array) -> bool:
    """Is there neither NaN nor infinity?"""
    # a sum shows any of them in one pass without a temporary; it can also overflow, which the second look clears
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.sum(array)) or np.all(np.isfinite(array)))


def as_numbers(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats, without a copy where they are that already.

    Raises
    ------
    ValueRangeError
        Where they are complex numbers, texts or other things, or an array with masked values: what is beneath a mask is not data.
    """
    if isinstance(values, np.ma.MaskedArray) and np.any(np.ma.getmaskarray(cast("Any", values))):
        count = int(np.count_nonzero(np.ma.getmaskarray(cast("Any", values))))
        remedy = "fill them or drop those samples; a log takes `mask`, true where a sample is used"
        raise ValueRangeError(name, f"has {count} masked values, which are missing data", remedy=remedy)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueRangeError(name, "has rows of different lengths", remedy="give an array of numbers") from None
    what = {"c": "complex numbers", "U": "texts", "S": "texts", "M": "dates", "m": "time spans", "V": "records"}.get(array.dtype.kind, "")
    if array.dtype.kind == "O" and not all(isinstance(item, Real) for item in array.ravel().tolist()):
        what = "things that are not numbers"
    if what:
        raise ValueRangeError(name, f"holds {what}", remedy="give an array of real numbers")
    return np.asarray(array, dtype=float)


def check_array(
    name: str,
    values: ArrayLike,
    shape: tuple[int | None, ...],
    expected: str = "",
    *,
    infinite: bool = False,
    remedy: str = "every element must be a finite number",
) -> Array:
    """The values as a float array of that shape, without NaN and, unless `infinite`, infinities.

    shape : None where any length will do. expected : the shape in words, for the complaint.
    """
    array = as_numbers(name, values)
    if array.ndim != len(shape) or any(size not in (None, length) for size, length in zip(shape, array.shape, strict=True)):
        raise ShapeError(name, array.shape, expected or str(shape))
    if np.any(np.isnan(array)) if infinite else not all_finite(array):
        raise ValueRangeError(name, f"contains {'NaN' if infinite else 'NaN or infinity'}", remedy=remedy)
    return array


def check_samples(name: str, values: ArrayLike, n: int) -> Array:
    """Finite values (N, n) of n joints, or (n,) for one sample, contiguous."""
    array = np.asarray(as_numbers(name, values), order="C")
    if array.ndim not in (1, 2) or array.shape[-1] != n:
        raise ShapeError(name, array.shape, f"(samples, {n}) = (samples, joints), or ({n},) for one sample")
    if not all_finite(array):
        raise ValueRangeError(name, "contains NaN or infinity; remove or repair those samples first")
    return array


def per_joint(
    name: str, values: ArrayLike, n: int, *, sign: Literal["any", "nonnegative", "positive"] = "any", infinite: bool = False
) -> Array:
    """(n,) numbers that were given as such, or as one for all joints."""
    array = as_numbers(name, values)
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, array.shape, f"one number, or ({n},) = one per joint")
    allowed = ~np.isnan(array) if infinite else np.isfinite(array)
    if sign != "any":
        allowed &= array > 0.0 if sign == "positive" else array >= 0.0
    if not np.all(allowed):
        expected = f"{'' if infinite else 'finite '}{_SIGNS[sign]}"
        raise ValueRangeError(name, f"is {np.array2string(array, precision=4)}; {expected} were expected")
    return np.array(np.broadcast_to(array, (n,)))


def check_positive(name: str, value: float, unit: str) -> float:
    """A positive, finite number."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueRangeError(name, f"is {value}; a positive number [{unit}] was expected")
    return number


def check_unique(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names; each may be there once. kind : what they are names of, such as "joint"."""
    texts = tuple(str(name) for name in names)
    twice = next((name for name, count in Counter(texts).items() if count > 1), None)
    if twice is not None:
        raise ValueRangeError(f"{kind} name {twice!r}", "is used twice; names must be unique")
    return texts
