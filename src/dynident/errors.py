"""Errors: each says what is wrong, which item, what is allowed and the remedy, and carries them as attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, TypeVar

_T = TypeVar("_T")

#: Characters of what is said about a file.
_LONGEST = 700


class Remedy(str):
    """What to do about an error, in the library's words, for which an interface can say its own.

    Remedy("name them with {columns}", columns={"q": "pos_*"}) is the text "name them with columns={'q': 'pos_*'}"; the command
    line puts the option there that does the same. An argument that is ... is a function: recover_signs=... is "recover_signs(...)".
    """

    template: str
    arguments: Mapping[str, object]

    def __new__(cls, template: str, **arguments: object) -> Remedy:
        remedy = super().__new__(cls, _fill(template, arguments, _in_python))
        remedy.template, remedy.arguments = template, arguments
        return remedy

    def told(self, say: Callable[[str, object], str]) -> str:
        """The remedy with say(name, value) for each of its arguments."""
        return _fill(self.template, self.arguments, say)


def _in_python(name: str, value: object) -> str:
    return f"{name}(...)" if value is ... else f"{name}={value!r}"


def _fill(template: str, arguments: Mapping[str, object], say: Callable[[str, object], str]) -> str:
    for name, value in arguments.items():
        template = template.replace(f"{{{name}}}", say(name, value))
    return template


class DynidentError(Exception):
    """Base of every error that dynident raises on purpose.

    Attributes
    ----------
    message : str
        What is wrong, which item, what is allowed.
    remedy : str
        What to do about it, a `Remedy` where an argument is named; empty where the message says it.
    """

    def __init__(self, message: str = "", *, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message}; {remedy}" if remedy else message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes as they are; Python would call the class with the message alone."""
        return _raised_again, (type(self), self.args, dict(self.__dict__))


def _raised_again(kind: type[DynidentError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> DynidentError:
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(attributes)
    return error


class InputError(DynidentError):
    """Something that the user gave can't be used as it is."""


class FileError(InputError):
    """A file can't be read or is not what it should be.

    Attributes
    ----------
    file : str
        The file.
    place : str
        Where in it ("joints[2].alpha", "line 7"); empty when the whole file is meant.
    """

    def __init__(self, file: object, message: str, *, place: str = "", remedy: str = "") -> None:
        self.file = str(file)
        self.place = place
        where = f"{self.file}, {place}" if place else self.file
        super().__init__(f"{where}: {_one_line(message)}", remedy=remedy)


class MissingFileError(FileError):
    """There is no such file."""


def _one_line(message: str) -> str:
    """A sentence of readable length: it may quote what a damaged file holds, line breaks and thousands of characters among it."""
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"


class ShapeError(InputError):
    """An array has the wrong shape. Attributes: `name`, `shape`, `expected`."""

    def __init__(self, name: str, shape: tuple[int, ...], expected: str) -> None:
        self.name = name
        self.shape = shape
        self.expected = expected
        super().__init__(f"{name} has shape {shape}; expected {expected}")


class ValueRangeError(InputError):
    """A number is not allowed where it stands (NaN, infinite, out of range). Attributes: `name`."""

    def __init__(self, name: str, message: str, *, remedy: str = "") -> None:
        self.name = name
        super().__init__(f"{name} {message}", remedy=remedy)


class UnknownNameError(InputError):
    """A name that nothing has. Attributes: `kind`, `name`, `known`."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        listing = ", ".join(self.known) if self.known else "none"
        super().__init__(f"no {kind} named {name!r}; known: {listing}", remedy=remedy)


class OptionsError(InputError):
    """Options that don't go together, or one that needs another.

    In OptionsError("{} and {check} don't go together", ["static", "motion"]) {} are the options that were given, and {check} is the
    option of that name; the command line puts its own words for them (`told`). Attributes: `template`, `given`.
    """

    def __init__(self, template: str, given: Iterable[str] = (), *, remedy: str = "") -> None:
        self.template, self.given = template, tuple(given)
        super().__init__(self.told(str), remedy=remedy)

    def told(self, say: Callable[[str], str]) -> str:
        """The message with say(name) for each option."""
        return re.sub(r"\{(\w*)\}", lambda match: say(match[1]) if match[1] else ", ".join(map(say, self.given)), self.template)


class UnsupportedRobotError(InputError):
    """The robot is understood, but it is of a kind that dynident doesn't model."""


def require(value: _T | None, what: str) -> _T:
    """The value; ValueError where it is None, although the code before has to have seen to it.

    That is a mistake in dynident, or in the code that calls an inner function of it, so it is not a `DynidentError`.

    Parameters
    ----------
    what
        Its name.
    """
    if value is None:
        raise ValueError(f"{what} is missing here, which is a mistake in the program")
    return value


class MissingExtraError(DynidentError):
    """An optional dependency is absent. Attributes: `extra`, `package`."""

    def __init__(self, extra: str, package: str, purpose: str) -> None:
        self.extra = extra
        self.package = package
        super().__init__(f"{purpose} needs {package}, which is not installed", remedy=f'pip install "dynident[{extra}]"')


#: The extra of dynident that installs a package which dynident can do without.
EXTRAS = {
    "dask": "cluster",
    "distributed": "cluster",
    "mujoco": "sim",
    "pandas": "pandas",
    "pylibfranka": "franka",
    "xacro": "ros",
}


def import_optional(package: str, purpose: str) -> Any:
    """The package, untyped; MissingExtraError when it is not installed.

    Parameters
    ----------
    purpose
        What needs it, as the beginning of a sentence ("reading MJCF").
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(EXTRAS[package], package, purpose) from None
