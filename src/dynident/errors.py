"""Errors: each says what is wrong, which item, what is allowed and the remedy, and carries them as attributes."""

from __future__ import annotations

from collections.abc import Iterable


class DynidentError(Exception):
    """Base of every error that dynident raises on purpose."""


class InputError(DynidentError):
    """Something that the user gave can't be used as it is."""


class FileError(InputError):
    """A file can't be read or is not what it should be.

    Attributes
    ----------
    file : str   The file.
    place : str  Where in it ("joints[2].alpha", "line 7"); empty when the whole file is meant.
    """

    def __init__(self, file: object, message: str, *, place: str = "") -> None:
        self.file = str(file)
        self.place = place
        where = f"{self.file}, {place}" if place else self.file
        super().__init__(f"{where}: {message}")


class ShapeError(InputError):
    """An array has the wrong shape. Attributes: `name`, `shape`, `expected`."""

    def __init__(self, name: str, shape: tuple[int, ...], expected: str) -> None:
        self.name = name
        self.shape = shape
        self.expected = expected
        super().__init__(f"{name} has shape {shape}; expected {expected}")


class ValueRangeError(InputError):
    """A number is not allowed where it stands (NaN, infinite, out of range). Attributes: `name`."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        super().__init__(f"{name} {message}")


class UnknownNameError(InputError):
    """A name that nothing has. Attributes: `kind`, `name`, `known`."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        listing = ", ".join(self.known) if self.known else "none"
        super().__init__(f"no {kind} named {name!r}; known: {listing}{'; ' + remedy if remedy else ''}")


class UnsupportedRobotError(InputError):
    """The robot is understood, but it is of a kind that dynident doesn't model."""


class MissingExtraError(DynidentError):
    """An optional dependency is absent. Attributes: `extra`, `package`."""

    def __init__(self, extra: str, package: str, purpose: str) -> None:
        self.extra = extra
        self.package = package
        super().__init__(f'{purpose} needs {package}, which is not installed: pip install "dynident[{extra}]"')
