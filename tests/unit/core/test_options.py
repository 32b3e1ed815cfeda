"""Options that variants declare: what a command line's texts become, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from dynident.core.options import NoOptions, declared_options, describe_options, option, settle_options
from dynident.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Brewing:
    minutes: int = option(4, "How long it draws [min].")
    heat: float = option(95.0, "Of the water [°C].")
    kind: Literal["green", "black"] = option("black", "What is brewed.")
    milk: bool = option(False, "Whether milk is added.")
    name: str | None = option(None, "Who it is for.")


def test_texts_become_values_of_the_declared_type():
    texts = {"minutes": "3", "heat": "80", "kind": "green", "milk": "yes", "name": "Ada"}
    assert settle_options(Brewing, texts, "tea") == Brewing(minutes=3, heat=80.0, kind="green", milk=True, name="Ada")
    assert settle_options(Brewing, None, "tea") == settle_options(Brewing, {}, "tea") == Brewing()
    assert settle_options(Brewing, Brewing(heat=70), "tea") == Brewing(heat=70)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"minuts": 3}, "no option of tea named 'minuts'; known: minutes, heat, kind, milk, name"),
        ({"minutes": "3.5"}, "option minutes of tea is '3.5'; a whole number was expected"),
        ({"minutes": True}, "option minutes of tea is True; a whole number was expected"),
        ({"heat": "nan"}, "option heat of tea is 'nan'; a finite number was expected"),
        ({"heat": "hot"}, "option heat of tea is 'hot'; a finite number was expected"),
        ({"kind": "red"}, "no kind of tea named 'red'; known: green, black"),
        ({"milk": "perhaps"}, "option milk of tea is 'perhaps'; true or false was expected"),
        ({"name": 7}, "option name of tea is 7; a text was expected"),
        (Brewing(kind="red"), "no kind of tea named 'red'; known: green, black"),
        (NoOptions(), "options of tea must be Brewing or a mapping; got NoOptions"),
    ],
)
def test_what_can_not_be_is_refused(given, complaint):
    with pytest.raises(InputError) as caught:
        settle_options(Brewing, given, "tea")
    assert str(caught.value) == complaint


def test_what_is_declared_can_be_listed():
    assert [item.name for item in declared_options(Brewing)] == ["minutes", "heat", "kind", "milk", "name"]
    assert describe_options(Brewing).startswith("minutes, how long it draws [min] (4); heat, of the water [°C] (95.0); ")
    assert describe_options(Brewing).endswith("name, who it is for")
    assert describe_options(NoOptions) == ""


def test_options_that_a_command_line_can_not_give_are_refused_where_they_are_declared():
    @dataclass(frozen=True)
    class NotText:
        value: tuple[int, ...] = option((), "Several.")

    @dataclass(frozen=True)
    class NoDefault:
        value: int

    for options, complaint in ((NotText, "can be given on a command line"), (NoDefault, "has no default"), (int, "must be a dataclass")):
        with pytest.raises(TypeError, match=complaint):
            declared_options(options)
