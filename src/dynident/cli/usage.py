"""Command lines that can't be meant, in the words of the other errors: which option, what it got, what was expected, where the help is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dynident.cli.exits import UsageError
from dynident.errors import InputError, ValueRangeError

if TYPE_CHECKING:
    import typer

#: Beyond this no number that a robot or a log has can be, in any unit; and what is computed with it overflows.
LARGEST = 1e15

#: What was expected where the parser refuses a value, by its own name for the complaint.
_EXPECTED = {
    "float_parsing": "a number was expected",
    "int_parsing": "a whole number was expected",
    "int_from_float": "a whole number was expected",
    "int_parsing_size": "a whole number was expected",
    "greater_than_equal": "at least {ge:g} was expected",
    "less_than_equal": "at most {le:g} was expected",
}


def check_words(words: Iterable[str]) -> None:
    """Refuse an empty word, the value of a shell variable that is not set and as a path the working folder; and absurd numbers."""
    before = option = "dynident"
    for word in words:
        name, equals, value = word.partition("=")
        option = name if re.match("--?[a-z]", name) else option
        if not word:
            raise InputError(f"there is an empty word after {before}; give a value, or leave it out")
        if name.startswith("--") and equals and not value:
            raise InputError(f"{name} got nothing; give it a value, or leave it out")
        if any(_is_absurd(part) for part in re.split("[=,:()%]", word)):
            raise ValueRangeError(option, f"got {word!r}; numbers up to {LARGEST:g} can be computed with")
        before = word


def _is_absurd(text: str) -> bool:
    """Is it a number, other than a whole one such as a seed, that is too large?"""
    try:
        return not text.strip("+-").isdecimal() and LARGEST < abs(float(text)) < math.inf
    except ValueError:
        return False


def explain_refusal(error: typer.TyperException) -> UsageError:
    """What Typer complains about: the option, what it got and what was expected where it tells them; else its own words."""
    context: Any = getattr(error, "ctx", None)
    command = "dynident" if context is None else str(context.command_path)
    return UsageError(_value_complaint(error) or error.format_message().replace(". Did you mean", "; did you mean").rstrip(".?"), command)


def _value_complaint(error: typer.TyperException) -> str:
    """ "--budget got 'abc'; a number was expected"; empty where it is not a value that was refused."""
    parameter: Any = getattr(error, "param", None)
    validation: Any = error.__cause__
    if parameter is None or not hasattr(validation, "errors"):
        return ""
    detail: Mapping[str, Any] = validation.errors()[0]
    expected = _EXPECTED.get(detail["type"], "")
    return expected and f"{parameter.opts[0]} got {detail['input']!r}; {expected.format(**detail.get('ctx', {}))}"
