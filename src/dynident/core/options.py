"""Options that a variant declares of its own (a solver, a reader, an export target): a frozen dataclass whose fields carry their help.

The command line lists them from there, and a text such as "steps=5" becomes a value of the declared type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from dynident.errors import InputError, UnknownNameError, ValueRangeError

T = TypeVar("T")
_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_EXPECTED = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}


@dataclass(frozen=True)
class NoOptions:
    """Of a variant that has none of its own."""


@dataclass(frozen=True, kw_only=True)
class DeclaredOption:
    """One option: `kind` is str, int, float or bool; `choices` are the only values allowed, if there are any."""

    name: str
    help: str
    default: object
    kind: type
    choices: tuple[str, ...] = ()


def option(default: T, help: str) -> T:
    """A field of an options class: its default, and the sentence that the command line shows."""
    return field(default=default, metadata={"help": help})


def declared_options(options: type) -> tuple[DeclaredOption, ...]:
    """The fields of an options class."""
    if not is_dataclass(options):
        raise TypeError(f"{options!r} declares options and must be a dataclass")
    hints = get_type_hints(options)
    return tuple(_declare(item.name, item.metadata.get("help", ""), item.default, hints[item.name]) for item in fields(options))


def describe_options(options: type) -> str:
    """One line for help: the names with what they mean and their default; empty where there are none."""
    return "; ".join(
        f"{item.name}, {item.help[:1].lower()}{item.help[1:].rstrip('.')}" + ("" if item.default is None else f" ({item.default})")
        for item in declared_options(options)
    )


def describe_all(variants: Mapping[str, Any]) -> str:
    """The options that the variants of a registry have of their own, for help."""
    return ". ".join(f"Of {name}: {text}" for name, variant in variants.items() if (text := describe_options(variant.options)))


def settle_options(options: type[T], given: Mapping[str, object] | T | None, owner: str) -> T:
    """The options that were given, by name or as an instance, with defaults for the others; InputError names what can't be.

    owner : who has them, for the message ("solver penalty").
    """
    declared = {item.name: item for item in declared_options(options)}
    if given is None:
        return options()
    if isinstance(given, options):
        given = {name: getattr(given, name) for name in declared}
    if not isinstance(given, Mapping):
        raise InputError(f"options of {owner} must be {options.__name__} or a mapping; got {type(given).__name__}")
    values = cast("Mapping[str, object]", given)
    for name in values:
        if name not in declared:
            raise UnknownNameError(f"option of {owner}", name, declared)
    return options(**{name: _value(declared[name], value, owner) for name, value in values.items()})


def _declare(name: str, text: str, default: object, hint: Any) -> DeclaredOption:
    if default is MISSING:
        raise TypeError(f"option {name} has no default; an option is something that can be left out")
    kinds = [part for part in get_args(hint) if part is not NoneType] if NoneType in get_args(hint) else [hint]
    if get_origin(kinds[0]) is Literal:
        return DeclaredOption(name=name, help=text, default=default, kind=str, choices=get_args(kinds[0]))
    if len(kinds) != 1 or kinds[0] not in _EXPECTED:
        raise TypeError(f"option {name} is {hint}; str, int, float, bool or a Literal of texts can be given on a command line")
    return DeclaredOption(name=name, help=text, default=default, kind=kinds[0])


def _value(declared: DeclaredOption, value: object, owner: str) -> object:
    if value is None and declared.default is None:
        return None
    if declared.choices:
        if value not in declared.choices:
            raise UnknownNameError(f"{declared.name} of {owner}", str(value), declared.choices)
        return value
    found = _read(declared.kind, value) if isinstance(value, str) and declared.kind is not str else value
    right = (int, float) if declared.kind is float else declared.kind
    if not isinstance(found, right) or (isinstance(found, bool) and declared.kind is not bool):
        raise ValueRangeError(f"option {declared.name} of {owner}", f"is {value!r}; {_EXPECTED[declared.kind]} was expected")
    return found


def _read(kind: type, text: str) -> object:
    if kind is bool:
        return _WORDS.get(text.lower())
    try:
        number = kind(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
