"""A YAML mapping of free form, read value by value with the kinds of `core/kinds.py`: errors name the file and the place in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_yaml
from dynident.core.kinds import Kind, Place, RefusedValue, number, parse_number, shorten
from dynident.errors import FileError

_FINITE, _NUMBER, _POSITIVE = number(), number(infinite=True), number(above=0.0)


class Fields:
    """One mapping of a file, with its place ("joints[2]"); empty place means the whole file."""

    def __init__(self, file: str | Path, values: object, place: str = "") -> None:
        self.file = file
        self.place = place
        if not isinstance(values, dict):
            raise FileError(file, f"a mapping was expected, not {_describe(values)}", place=place)
        self.values = cast("dict[Any, Any]", values)

    def only(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Refuse a missing or an unknown key."""
        allowed = ", ".join([*required, *optional])
        for key in self.values:
            if key not in required and key not in optional:
                raise FileError(self.file, f"unknown key {key!r}; allowed: {allowed}", place=self.place)
        for key in required:
            if key not in self.values:
                raise FileError(self.file, f"key {key!r} is missing; needed: {', '.join(required)}", place=self.place)

    def has(self, key: str) -> bool:
        return key in self.values

    def section(self, key: str) -> Fields:
        return Fields(self.file, self.values[key], self._at(key))

    def sections(self, key: str) -> list[Fields]:
        return [Fields(self.file, item, f"{self._at(key)}[{i}]") for i, item in enumerate(self.items(key))]

    def items(self, key: str) -> list[Any]:
        """A list of anything."""
        return self._list(self.values[key], self._at(key))

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str) or (key in self.values and not value.strip()):
            raise self.error(key, f"a text was expected, not {_describe(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one text; empty when the key is absent."""
        value = self.values.get(key, [])
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list):
            raise self.error(key, f"a text or a list of texts was expected, not {_describe(value)}")
        texts = [item for item in cast("list[Any]", items) if isinstance(item, str)]
        if len(texts) != len(cast("list[Any]", items)):
            raise self.error(key, "a list of texts was expected; put quotes around the items that are not")
        return tuple(text.strip() for text in texts)

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        value = self.values[key]
        if value not in allowed:
            raise self.error(key, f"is {value!r}; allowed: {', '.join(allowed)}")
        return value

    def number(self, key: str, default: float | None = None, *, infinite: bool = False) -> float:
        """A finite number (or an angle such as "pi/2", "90 deg"); with `infinite`, .inf too."""
        if key not in self.values and default is not None:
            return default
        return self._read(self.values[key], self._at(key), _NUMBER if infinite else _FINITE)

    def positive(self, key: str) -> float:
        return self._read(self.values[key], self._at(key), _POSITIVE)

    def numbers(
        self,
        key: str,
        length: int | None = None,
        default: Sequence[float] | None = None,
        *,
        infinite: bool = False,
        null: float | None = None,
    ) -> Array:
        """(length,) numbers, or as many as there are, but one at least; `null` is what a null among them stands for."""
        if key not in self.values and default is not None:
            return np.array(default, dtype=float)
        return self._numbers(self.values[key], self._at(key), length, infinite, null)

    def rows(self, key: str, length: int | None = None, *, infinite: bool = False) -> list[Array]:
        """A list of lists of numbers."""
        return [self._numbers(item, f"{self._at(key)}[{i}]", length, infinite) for i, item in enumerate(self.items(key))]

    def per_joint(self, key: str, n: int, *, infinite: bool = False) -> Array:
        """(n,) numbers: a list of them, or one number for all joints."""
        value = self.values[key]
        if not isinstance(value, list):
            return np.full(n, self.number(key, infinite=infinite))
        count = len(cast("list[Any]", value))
        if count != n:
            raise self.error(key, f"has {count} elements; one number, or a list of {n} (one per joint), was expected")
        return self.numbers(key, n, infinite=infinite)

    def error(self, key: str, message: str) -> FileError:
        return FileError(self.file, message, place=self._at(key))

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _list(self, value: object, place: str) -> list[Any]:
        if not isinstance(value, list):
            raise FileError(self.file, f"a list was expected, not {_describe(value)}", place=place)
        return cast("list[Any]", value)

    def _numbers(self, value: object, place: str, length: int | None, infinite: bool, null: float | None = None) -> Array:
        items, kind = self._list(value, place), _NUMBER if infinite else _FINITE
        if not items or length not in (None, len(items)):
            raise FileError(self.file, f"has {len(items)} elements; {length or 'one or more'} numbers were expected", place=place)
        return np.array(
            [null if item is None and null is not None else self._read(item, f"{place}[{i}]", kind) for i, item in enumerate(items)]
        )

    def _read(self, value: object, place: str, kind: Kind) -> Any:
        try:
            return kind.read(value, Place(place))
        except RefusedValue as refused:
            raise FileError(self.file, f"is {shorten(value)}; {refused.expected} was expected", place=place) from None


def read_fields(path: str | Path) -> Fields:
    """The fields of a YAML file."""
    return Fields(path, read_yaml(path))


def parse_numbers(text: str) -> list[float]:
    """The numbers between commas; none where one of them isn't a number."""
    numbers = [parse_number(word) for word in text.split(",")]
    return [] if None in numbers else [number for number in numbers if number is not None]


def _describe(value: object) -> str:
    names: dict[type, str] = {type(None): "nothing", dict: "a mapping", list: "a list"}
    return names.get(type(value), repr(value))
