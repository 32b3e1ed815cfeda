"""Kinds of values: what texts, YAML and Python values become, what is refused, and that a value survives being read twice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from dynident.core.kinds import (
    FACTORIES,
    Kind,
    Place,
    RefusedValue,
    _kind_of,  # pyright: ignore[reportPrivateUsage]
    kind_of,
    number,
    pairs,
    path,
    plain,
    span,
    whole,
    worded,
)
from tests.facts import raises


class Colour(Enum):
    RED = "the colour of a stop"
    BLUE = "the colour of water"


Hertz = Annotated[float, number("Hz", above=0.0, high=1e7)]
Part = Annotated[tuple[float, float], span(low=0.0, high=1.0)]
Seconds = Annotated[tuple[float, float], span("s")]
Periods = Annotated[tuple[int, int], span(low=1, whole_numbers=True)]

TYPED = [
    (float, "0.25", 0.25),
    (float, "-2*pi/3", -2 * math.pi / 3),
    (float, "90 deg", math.pi / 2),
    (Hertz, "1.5 kHz", 1500.0),
    (Annotated[float, number("s")], "4 ms", 4e-3),
    (Annotated[float, number("rad | m")], "5mm", 5e-3),
    (Annotated[float, number(infinite=True)], "inf", math.inf),
    (int, "-3", -3),
    (bool, "yes", True),
    (bool, "False", False),
    (str, "a,b", "a,b"),
    (Path, "run/log.csv", Path("run/log.csv")),
    (Literal["huber", "tukey"], "huber", "huber"),
    (Literal[1, -1], "-1", -1),
    (Colour, "RED", Colour.RED),
    (float | None, "none", None),
    (float | Literal["auto"] | None, "auto", "auto"),
    (float | Literal["auto"] | None, "5", 5.0),
    (str | None, "none", None),
    (tuple[float, ...], "1,pi,3", (1.0, math.pi, 3.0)),
    (Sequence[float], "2", (2.0,)),
    (list[int], "1,2", [1, 2]),
    (tuple[float, float, float], "0, 0, -9.81", (0.0, 0.0, -9.81)),
    (Sequence[str], ["a", "b"], ("a", "b")),
    (Mapping[str, float], ["m7=0.73", "a=b=2"], {"m7": 0.73, "a=b": 2.0}),
    (Mapping[str, Sequence[str]], ["q=a,b", "dq=c"], {"q": ("a", "b"), "dq": ("c",)}),
    (Mapping[str, str], "name=a=b", {"name": "a=b"}),
    (Annotated[Mapping[str, str], pairs(kind_of(str), kind_of(str), separator=":=")], ["a:=1", "b=x:=y"], {"a": "1", "b=x": "y"}),
    (Part, "0:0.7", (0.0, 0.7)),
    (Part, ":0.5", (0.0, 0.5)),
    (Seconds, "2:", (2.0, math.inf)),
    (Sequence[Seconds], [":2", "5:6"], ((-math.inf, 2.0), (5.0, 6.0))),
    (Periods, "2:4", (2, 4)),
    (Periods, "3", (3, 3)),
]


@pytest.mark.parametrize(("hint", "word", "value"), TYPED, ids=lambda item: str(item)[:40])
def test_words_of_a_command_line_become_values(hint: Any, word: Any, value: Any) -> None:
    kind = kind_of(hint)
    result = kind.read(word, Place("--x", typed=True))
    assert result == value
    assert type(result) is type(value)
    assert kind.read(result, Place("x")) == value, "a value that was read is read as it is"


GIVEN = [
    (float, 2, 2.0),
    (float, np.float64(2.5), 2.5),
    (float, "1e-3", 1e-3),  # YAML 1.1 takes it for a text
    (int, np.int64(3), 3),
    (bool, True, True),
    (Path, Path("a"), Path("a")),
    (Sequence[str], "a, b", ("a, b",)),  # a column may have a comma in its name
    (Sequence[float], np.array([1.0, 2.0]), (1.0, 2.0)),
    (Sequence[float], 3, (3.0,)),
    (Mapping[str, Sequence[str] | None], {"q": "pos_*", "ddq": None}, {"q": ("pos_*",), "ddq": None}),
    (Part, [None, 0.5], (0.0, 0.5)),
    (Literal[1, -1], 1, 1),
    (Colour, Colour.BLUE, Colour.BLUE),
    (float | object, print, print),
]


@pytest.mark.parametrize(("hint", "given", "value"), GIVEN, ids=lambda item: str(item)[:40])
def test_values_of_yaml_and_python(hint: Any, given: Any, value: Any) -> None:
    result = kind_of(hint).read(given, Place("x"))
    assert result == value
    assert type(result) is type(value)


REFUSED = [
    (float, "abc", "x", "a finite number"),
    (float, math.nan, "x", "a finite number"),
    (float, "inf", "x", "a finite number"),
    (float, 10**400, "x", "a finite number"),
    (float, True, "x", "a finite number"),
    (float, "5 kHz", "x", "a finite number"),
    (Hertz, 0, "x", "a number [Hz] above 0 and of at most 1e+07"),
    (Hertz, "3 deg", "x", "a number [Hz] above 0 and of at most 1e+07"),
    (int, 1.5, "x", "a whole number"),
    (int, True, "x", "a whole number"),
    (int, "1.0", "x", "a whole number"),
    (Annotated[int, whole(1)], 0, "x", "a whole number of at least 1"),
    (bool, 1, "x", "true or false"),
    (bool, "yes", "x", "true or false"),
    (str, 5, "x", "a text"),
    (Path, "", "x", "a file"),
    (Annotated[Path, path("FOLDER")], 3, "x", "a folder"),
    (Literal["huber", "tukey"], "hubert", "x", "huber or tukey"),
    (Literal[1, -1], True, "x", "1 or -1"),
    (float | Literal["auto"] | None, "often", "x", "a finite number, auto or none"),
    (tuple[float, float, float], [1, 2], "x", "3 values, X,Y,Z"),
    (tuple[float, float, float], [1, 2, "z"], "x[2]", "a finite number"),
    (Sequence[float], [1, "z"], "x[1]", "a finite number"),
    (Sequence[float], {"a": 1}, "x", "a finite number, or several"),
    (Mapping[str, Sequence[str]], {"q": ["a", 5]}, "x.q[1]", "a text"),
    (Mapping[str, Sequence[str]] | None, {"q": ["a", 5]}, "x.q[1]", "a text"),
    (Mapping[str, float], "a=1", "x", "a mapping"),
    (Part, "0.7:0.2", "x", "A:B, numbers from 0 to 1 with A < B"),
    (Part, [0, 2], "x", "A:B, numbers from 0 to 1 with A < B"),
    (Part, "0.5", "x", "A:B, numbers from 0 to 1 with A < B"),
    (Seconds, ":", "x", "A:B, numbers [s] with A < B"),
    (Periods, "0:2", "x", "A:B, whole numbers of at least 1 with A <= B"),
    (Periods, "1.5:2", "x", "A:B, whole numbers of at least 1 with A <= B"),
]


@pytest.mark.parametrize(("hint", "given", "place", "expected"), REFUSED, ids=lambda item: str(item)[:40])
def test_what_is_not_allowed_is_refused_with_its_place_and_what_is(hint: Any, given: Any, place: str, expected: str) -> None:
    with pytest.raises(RefusedValue) as caught:
        kind_of(hint).read(given, Place("x"))
    assert (caught.value.path, caught.value.expected) == (place, expected)


def test_a_name_that_is_given_twice_is_refused() -> None:
    with raises(RefusedValue, "q", "twice", path="--map"):
        kind_of(Mapping[str, str]).read(["q=a", "q=b"], Place("--map", typed=True))
    with pytest.raises(RefusedValue, match="NAME=VALUE"):
        kind_of(Mapping[str, str]).read(["q"], Place("--map", typed=True))


@pytest.mark.parametrize(
    ("hint", "value"),
    [(float, "1"), (int, "1"), (bool, "true"), (tuple[float, ...], "1,2"), (Sequence[float], 1.0), (float | None, "none")],
)
def test_a_record_file_holds_exactly_the_declared_types(hint: Any, value: Any) -> None:
    with pytest.raises(RefusedValue):
        kind_of(hint).read(value, Place("x", file=object()))


def test_numbers_that_json_does_not_have_come_back_from_a_record_file() -> None:
    stored = Place("x", file=object())
    assert kind_of(float).read("-inf", stored) == -math.inf
    assert math.isnan(kind_of(float).read("nan", stored))


def test_a_notation_of_its_own() -> None:
    kind = worded(lambda text: tuple(text.split("-")) if "-" in text else None, "A-B", "A-B", types=tuple)
    assert kind.read("a-b", Place("x")) == kind.read(("a", "b"), Place("x")) == ("a", "b")
    with pytest.raises(RefusedValue, match="x is 'ab'; expected A-B"):
        kind.read("ab", Place("x"))


def test_other_modules_add_kinds_of_values() -> None:
    class Matrix:
        pass

    matrix = Kind(read=lambda value, at: value, expected="a matrix", schema={"type": "array"})
    factory = lambda hint: matrix if hint is Matrix else None  # noqa: E731
    with pytest.raises(TypeError, match="Matrix"):
        kind_of(Matrix)
    FACTORIES.append(factory)
    try:
        assert kind_of(Matrix) is matrix
        assert kind_of(Matrix | None).expected == "a matrix or none"
    finally:
        FACTORIES.remove(factory)
        _kind_of.cache_clear()


@pytest.mark.parametrize(("hint", "word", "value"), TYPED, ids=lambda item: str(item)[:40])
def test_what_is_shown_is_read_back(hint: Any, word: Any, value: Any) -> None:
    kind = kind_of(hint)
    shown = kind.show(value)
    if kind.repeated and isinstance(value, Mapping):
        shown = shown.split(" ")
    elif kind.repeated:
        shown = shown.split(",")
    again = kind.read(shown, Place("--x", typed=True))
    assert kind.show(again) == kind.show(value)
    assert type(again) is type(value)


def test_plain_values_are_json() -> None:
    assert plain({"a": (1.0, math.inf), "b": Path("x"), "c": Colour.RED, "d": None}) == {"a": [1.0, None], "b": "x", "c": "RED", "d": None}


def test_what_help_texts_and_schemas_say() -> None:
    assert kind_of(Literal["a", "b"]).metavar == "a|b"
    assert kind_of(Hertz | Literal["auto"] | None).metavar == "HZ"
    assert kind_of(Hertz | Literal["auto"] | None).words == ("auto", "none")
    assert kind_of(Sequence[Hertz]).metavar == "HZ,..."
    assert kind_of(bool).is_flag
    assert kind_of(Hertz).schema == {"type": "number", "unit": "Hz", "exclusiveMinimum": 0.0, "maximum": 1e7}
    assert kind_of(tuple[float, int]).schema["prefixItems"] == [{"type": "number"}, {"type": "integer"}]
