# pyright: basic
"""What the archives of a run hold, declared: type and shape of every array; and what is read from them is checked against its annotations.

A digest tells that a file is the one that was written, not that it holds what it should: a stranger can write both.
"""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from dynident.core.archives import Arrays, unpack

_T = TypeVar("_T")
#: No number of a robot is larger; the squares of such numbers can still be computed with.
_LARGEST = 1e100
#: Numbers that count something are those that a float can tell from the next.
_LARGEST_INTEGER = 1 << 53
_BASE = {"independent": "index/p b", "grouping": "float b p", "reached": "float n 2"}
#: By schema and name, in which # stands for a number and * for any word: type and shape. The types: float, which is finite; open, a float
#: that may be infinite or NaN; int; bool; index/p, a number below p. One letter is one length in the whole archive, c# is one for every
#: number: n joints, p standard columns, b base parameters.
DECLARED: dict[str, dict[str, str]] = {
    "dynident/estimate-arrays/1": _BASE
    | {"values": "float b", "covariance": "float b b", "kept": "bool b", "singular_values": "float s"}
    | {"residual_counts": "int g", "residual_squares": "float g", "residual_totals": "float g"}
    | {"shape_covariance": "float m b+m", "joined_factor": "float b+1 b+1"}
    | {"block_ratios": "open b", "block_freedom": "open b", "block_group_ratios": "open g"}
    | {"dropped_index": "index/b d", "dropped_value": "float d", "dropped_std": "open d"},
    "dynident/problem/1": _BASE
    | {"counts": "int g", "speeds": "float n", "factor_#": "float c#+1 c#+1", "columns_#": "index/b c#", "rows_#_*": "float c#+1 *"}
    | {"controller_combinations": "float k b", "controller_values": "float k", "controller_covariance": "float k k"},
    "dynident/parameter-arrays/1": _BASE
    | {"x": "float p", "solutions": "float k p", "ranges": "open r 2", "retrieval_A": "float a p", "retrieval_b": "float a"}
    | {"retrieval_blocks": "float u", "retrieval_block_indices": "index/p v"}
    | {"retrieval_equalities": "float e", "retrieval_equality_indices": "index/p e"}
    | {"prior_nominal": "float n 10", "prior_centres": "float n 10", "prior_root": "float h 10n", "prior_friction_std": "open p-10n"},
    "dynident/validation-arrays/2": {"time_#": "float t#", "segment_#": "int t#", "velocity_#": "float t#", "measured_#": "float t#"}
    | {"temperature_#": "open t#", "predicted_*_#": "float t#", "std_*_#": "float t#", "spectrum_*_#": "float f#"}
    | {"sensitivity_#": "float s# p", "model_block_percent_#": "open k#", "model_*_#": "open n"}
    | {"noise_*": "open n", "coverage_*": "open n"}
    | {"folds_relative_percent": "float k", "folds_noise": "float n", "folds_*_per_joint": "float k n"},
    "dynident/sample-arrays/1": _BASE | {"x": "float k p", "best": "float p"},
    "dynident/payload-arrays/1": {"flange": "float 4 4", "parameters": "float 10", "covariance": "float 10 10", "told": "bool 10"}
    | {"regressor": "float n s 10"},
    "dynident/friction-arrays/1": dict.fromkeys(("speeds_#", "before_#", "after_#", "std_#"), "float s#"),
    "dynident/sign-arrays/1": {"time": "float t", "q": "float t n", "effort": "float t n", "mask": "bool t n", "starts": "index/t k"}
    | {"soft_signs": "float t n", "segments": "int s 3", "segment_signs": "float s", "posterior": "float s", "threshold": "float n"}
    | {"confidence_*": "open n"},
    "dynident/monitor-arrays/1": {"level": "open n", "distance_level": "open"}
    | dict.fromkeys(("gain", "blur", "velocity_noise", "effort_noise", "rms", "spread"), "float n"),
    "dynident/shared-links/1": {"nominal": "float n 10", "roots": "float n 10 10", "information": "float r 10n 10n"}
    | {"vectors": "float r 10n", "weights": "float n"},
}


class _Recording(TypedDict):
    files: Mapping[str, str]
    ranges: list[tuple[int, int, int]]
    samples: int


class _Provenance(TypedDict, total=False):
    command: str
    files: Mapping[str, str]
    recordings: list[_Recording]
    steps: list[str]


class Document(TypedDict, total=False):
    """What of the readable documents is read back."""

    files: Mapping[str, str]
    made_from: Mapping[str, str]
    provenance: _Provenance
    preprocessing: Mapping[str, Any]
    versions: Mapping[str, str]
    notes: list[str]


_KINDS = {"float": "f", "open": "f", "int": "iu", "bool": "b", "index": "iuf"}
_TERM = re.compile(r"([+-]?)(\d*)([a-z](?:_\d+)?)?")


def read_archive(path: Path, schema: str, make: Callable[[Arrays, dict[str, Any]], _T]) -> _T:
    """What `make(arrays, description)` makes of an archive; FileError where arrays, or what is made of them, are not as declared."""

    def check(arrays: Arrays, description: dict[str, Any]) -> _T:
        _check_arrays(DECLARED[schema], arrays, _lengths(description))
        made = make(arrays, description)
        if not is_declared(made):
            raise TypeError
        return made

    return unpack(path, schema, check)


def _lengths(description: Mapping[str, Any]) -> dict[str, int]:
    """Of joints and columns, which the description names."""
    found: dict[str, int] = {}
    for letter, holder in (("n", description.get("robot", description)), ("p", description.get("columns", {}))):
        names = holder.get("joints" if letter == "n" else "names")
        found |= {} if names is None else {letter: len(names)}
    return found


def _check_arrays(declared: Mapping[str, str], arrays: Arrays, lengths: dict[str, int]) -> None:
    """ValueError for one of another type or shape, or with a number that can't be there. lengths : by letter; more are added."""
    limits: dict[str, str] = {}
    for name, values in arrays.items():
        found = _declaration(declared, name)
        if found is None:
            continue
        kind, _, limit = found[0].partition("/")
        if limit:
            limits[name] = limit
        wrong = values.dtype.kind not in _KINDS[kind] or (kind in ("float", "open") and values.dtype.itemsize != np.dtype(float).itemsize)
        if wrong or values.ndim != len(found) - 1 or not all(map(lambda size, word: _fits(size, word, lengths), values.shape, found[1:])):
            raise ValueError(f"{name} is {values.dtype} {values.shape}; {' '.join(found)} was declared")
        if kind == "float" and not bool(np.all(np.abs(values) < _LARGEST)):
            raise ValueError(f"{name} has numbers that are not finite")
    for name, limit in limits.items():
        values = arrays[name]
        if values.size and not (np.all(values == np.floor(values)) and values.min() >= 0 and values.max() < lengths[limit]):
            raise ValueError(f"{name} has a number that is none of 0 to {lengths[limit] - 1}")


def _declaration(declared: Mapping[str, str], name: str) -> list[str] | None:
    for pattern, words in declared.items():
        match = re.fullmatch(re.escape(pattern).replace(r"\#", r"(\d+)").replace(r"\*", r"\w+"), name)
        if match is not None:
            return words.replace("#", f"_{match.group(1)}" if match.groups() else "").split()
    return None


def _fits(size: int, word: str, lengths: dict[str, int]) -> bool:
    """Whether a length is that of a sum of terms such as b+1 or 10n; a letter that is new is what is left."""
    if word == "*":
        return True
    total, open_letter = 0, ""
    for sign, count, letter in _TERM.findall(word):
        if letter and letter not in lengths:
            open_letter = letter
            continue
        total += (-1 if sign == "-" else 1) * (int(count) if count else 1 if letter else 0) * (lengths[letter] if letter else 1)
    if open_letter:
        lengths[open_letter] = size - total
    return size >= total if open_letter else size == total


def is_declared(value: object, hint: Any = Any) -> bool:
    """Whether a value, and all that it holds, is what its annotation says. Those of functions and protocols say nothing."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(is_declared(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if is_typeddict(hint):
        keys = get_type_hints(hint)
        return isinstance(value, Mapping) and all(is_declared(item, keys.get(key, Any)) for key, item in value.items())
    if hint in (float, int):
        kinds = (int, float) if hint is float else int
        return isinstance(value, kinds) and not isinstance(value, bool) and not (isinstance(value, int) and abs(value) >= _LARGEST_INTEGER)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and value.dtype.kind == np.dtype(get_args(parts[1])[0]).kind
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(is_declared(key, parts[0]) and is_declared(item, parts[1]) for key, item in value.items())
    if origin in (tuple, list):
        if not isinstance(value, (tuple, list)):
            return False
        each = parts * len(value) if origin is list else parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(each) and all(map(is_declared, value, each))
    if hint is not Any and isinstance(hint, type) and not getattr(hint, "_is_protocol", False) and not isinstance(value, hint):
        return False
    if dataclasses.is_dataclass(value):
        return all(is_declared(getattr(value, name), item) for name, item in _annotations(type(value)).items())
    held = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    return all(map(is_declared, held))


@cache
def _annotations(kind: type) -> dict[str, Any]:
    """Of the fields of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
