"""A YAML mapping of free form, read value by value with the kinds of `core/kinds.py`: errors name the file and the place in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_yaml
from dynident.core.kinds import Kind, Place, RefusedValue, choice, either, kind_of, number, only, several, shorten
from dynident.errors import FileError

_FINITE, _NUMBER, _POSITIVE = number(), number(infinite=True), number(above=0.0)
_TEXT = only(kind_of(str), lambda text: bool(text.strip()), "a text")


class Fields:
    """One mapping of a file, with its place ("joints[2]"); empty place means the whole file."""

    def __init__(self, file: str | Path, values: object, place: str = "") -> None:
        self.file = file
        self.place = place
        if not isinstance(values, dict):
            raise FileError(file, f"is {shorten(values)}; expected a mapping (key: value lines)", place=place)
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

    def read(self, key: str, kind: Kind, default: Any = None) -> Any:
        """The value of a key as a kind reads it; the default, where there is one, of a key that is absent."""
        if key not in self.values and default is not None:
            return default
        try:
            return kind.read(self.values[key], Place(self._at(key)))
        except RefusedValue as refused:
            raise FileError(self.file, f"is {shorten(refused.value)}; expected {refused.expected}", place=refused.path) from None

    def section(self, key: str) -> Fields:
        return Fields(self.file, self.values[key], self._at(key))

    def sections(self, key: str) -> list[Fields]:
        return [Fields(self.file, item, f"{self._at(key)}[{i}]") for i, item in enumerate(self.items(key))]

    def items(self, key: str) -> list[Any]:
        """A list of anything."""
        return self.read(key, _list(kind_of(object)))

    def text(self, key: str, default: str = "") -> str:
        return self.read(key, _TEXT, default)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one text; empty when the key is absent."""
        return tuple(text.strip() for text in self.read(key, several(_TEXT), ()))

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        return self.read(key, choice({word: word for word in allowed}))

    def number(self, key: str, default: float | None = None, *, infinite: bool = False) -> float:
        """A finite number (or an angle such as "pi/2", "90 deg"); with `infinite`, .inf too."""
        return self.read(key, _NUMBER if infinite else _FINITE, default)

    def positive(self, key: str) -> float:
        return self.read(key, _POSITIVE)

    def numbers(
        self,
        key: str,
        length: int | None = None,
        default: Sequence[float] | None = None,
        *,
        infinite: bool = False,
        null: float | None = None,
    ) -> Array:
        """(length,) numbers, or as many as there are, but one at least; `null` is the value of a null among them."""
        return np.array(self.read(key, _numbers(length, infinite, null), default), dtype=float)

    def rows(self, key: str, length: int | None = None, *, infinite: bool = False) -> list[Array]:
        """A list of lists of numbers."""
        return [np.array(row) for row in self.read(key, _list(_numbers(length, infinite)))]

    def per_joint(self, key: str, n: int, *, infinite: bool = False) -> Array:
        """(n,) numbers: a list of them, or one number for all joints."""
        item = _NUMBER if infinite else _FINITE
        return np.array(np.broadcast_to(self.read(key, either((item, _list(item, n)))), n), dtype=float)

    def error(self, key: str, message: str) -> FileError:
        return FileError(self.file, message, place=self._at(key))

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def read_fields(path: str | Path) -> Fields:
    """The fields of a YAML file."""
    return Fields(path, read_yaml(path))


def _list(item: Kind, length: int | None = None, *, at_least: int = 0) -> Kind:
    """A list of so many elements, or of any number."""
    expected = "a list" if length is None else f"a list of {length} elements"

    def read(value: Any, at: Place) -> list[Any]:
        if not isinstance(value, list):
            raise at.refuse(value, expected)
        parts = cast("list[Any]", value)
        if len(parts) < at_least or length not in (None, len(parts)):
            raise at.refuse(parts, f"{expected if parts else 'one element or more'}; it has {len(parts)}")
        return [item.read(part, at / i) for i, part in enumerate(parts)]

    return Kind(read=read, expected=expected, schema={"type": "array"})


def _numbers(length: int | None, infinite: bool, null: float | None = None) -> Kind:
    """A list of numbers; `null` is the value of a null among them."""
    item = _NUMBER if infinite else _FINITE

    def read(value: Any, at: Place) -> float:
        return item.read(value, at) if value is not None or null is None else null

    return _list(replace(item, read=read), length, at_least=1)
