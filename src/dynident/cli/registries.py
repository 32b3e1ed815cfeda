"""Options that a verb doesn't list itself: groups that several verbs share, and what a registry of the library holds.

Registries are imported when a verb is prepared, and that is done for the verb alone that is run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args

import typer

from dynident.cli.exits import InterruptedByUser
from dynident.cli.interrupts import was_pressed

_T = TypeVar("_T")
_BY_NAME = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True, kw_only=True)
class Offered:
    """One option of the command line. annotation : as in a signature; default : value when it is not given."""

    annotation: Any
    default: object = None


def offer(kind: Any, flag: str, help: str, metavar: str | None = None, default: object = None) -> Offered:
    """An option that is made of what a registry holds. kind : its type; flag : "--layout"."""
    return Offered(annotation=Annotated[kind, typer.Option(flag, metavar=metavar, help=help)], default=default)


@dataclass(frozen=True)
class OptionGroup:
    """Marks the parameter of a verb that gets the values of all options that `offered` finds, by name."""

    offered: Callable[[], Mapping[str, Offered]]


@dataclass(frozen=True)
class HelpFromRegistry:
    """Marks a parameter in whose help {} stands for a text that a registry gives."""

    text: Callable[[], str]


def with_registries(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as Typer wants it: a parameter for every offered option."""
    signature = inspect.signature(verb, eval_str=True)
    groups = {name: found for name, item in signature.parameters.items() if (found := _mark(item.annotation, OptionGroup)) is not None}
    offered = {group: dict(source.offered()) for group, source in groups.items()}
    parameters: list[inspect.Parameter] = []
    for name, item in signature.parameters.items():
        found = offered.get(name)
        parameter = item.replace(kind=_BY_NAME, annotation=_fill_help(item.annotation))
        parameters += [parameter] if found is None else [_parameter(*pair) for pair in found.items()]

    @wraps(verb)
    def run(**values: Any) -> None:
        gathered = {group: {key: values.pop(key) for key in options} for group, options in offered.items()}
        try:
            verb(**values, **gathered)
        except BaseException as error:
            if was_pressed() or isinstance(error, KeyboardInterrupt):  # whatever Numba, Clarabel or Typer have made of it
                raise InterruptedByUser from None
            raise
        if was_pressed():  # it has made the best of it, and a verb that calls this one must not go on
            raise InterruptedByUser

    run.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue] (Typer reads it)
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    del run.__wrapped__  # pyright: ignore[reportAttributeAccessIssue] (else Typer looks at the verb's own annotations)
    return run


def _mark(annotation: Any, kind: type[_T]) -> _T | None:
    return next((item for item in get_args(annotation)[1:] if isinstance(item, kind)), None)


def _fill_help(annotation: Any) -> Any:
    """The annotation of an option with the registry's text in its help."""
    mark = _mark(annotation, HelpFromRegistry)
    if mark is None:
        return annotation
    kind, info = get_args(annotation)[:2]
    info = copy(info)
    info.help = info.help.replace("{}", mark.text())
    return Annotated[kind, info]


def _parameter(name: str, offered: Offered) -> inspect.Parameter:
    return inspect.Parameter(name, _BY_NAME, default=offered.default, annotation=_fill_help(offered.annotation))
