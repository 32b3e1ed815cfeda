"""Kinds of values, by declared type: how a text, a YAML value or a Python value is read, and the words of an error.

One function makes each kind of value. Options (`core/options.py`), records and the command line are made from these functions alone, so a
value means the same wherever it comes from. To add a kind of value, write a function that makes it, or a factory for `FACTORIES`.

The kind follows from the type: `float` is a number, `tuple[float, ...]` several numbers, `float | None` either of the two. Where the type
does not say enough, an annotation does: `Annotated[float, number("Hz", above=0.0)]`. Type checkers and editors see a `float`.

This module is imported for every help text: it imports nothing heavy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

T = TypeVar("T")
#: Metadata of a field that is not written to files. Without a default, whoever reads the record gives it.
NOT_STORED = {"stored": False}


class RefusedValue(Exception):
    """A value that is not allowed at its place; the caller reports it in its own terms (an option, a file, an argument).

    Attributes: `path` ("columns.q[1]"), `value`, `expected` (in words).
    """

    def __init__(self, path: str, value: object, expected: str) -> None:
        self.path, self.value, self.expected = path, value, expected
        super().__init__(f"{path} is {shorten(value)}; expected {expected}".strip())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.value, self.expected)


@dataclass(frozen=True)
class Place:
    """Where a value is, and who wrote it.

    path : such as "columns.q[1]".
    typed : True for words of a command line, where "1,2,3" is a list and "true" is a truth value.
    file : reader of a record file, whose values are exactly of their declared types; None for what a person wrote.
    """

    path: str = ""
    typed: bool = False
    file: Any = None

    def __truediv__(self, name: str | int) -> Place:
        separator = " " if self.path.startswith("--") else "."
        step = f"[{name}]" if isinstance(name, int) else f"{separator}{name}" if self.path else name
        return replace(self, path=self.path + step)

    def refuse(self, value: object, expected: str) -> RefusedValue:
        return RefusedValue(self.path, value, expected)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)  # compared by identity, because annotations must be hashable
class Kind:
    """A kind of value.

    read : makes the value of what was given at a place, or raises RefusedValue; a value of this kind is returned as it is.
    expected : what is allowed, in words; empty for an object that only Python can give.
    schema : JSON Schema of the value.
    metavar : stands for the value in a help text.
    words : the fixed words among its values, such as auto and none; for completion.
    closed : True if there are no other values than `words`; such kinds are tried before texts and numbers.
    repeated : True where an option is given once per item; otherwise several items are one word with commas.
    joined : True where it can be given several times, and `show` nevertheless makes one word of all items.
    show : the value as a word of a command line, the reverse of `read`.
    tokens : words of a command line that one value takes.
    """

    read: Callable[[Any, Place], Any]
    expected: str
    schema: Mapping[str, Any]
    metavar: str = "NAME"
    words: tuple[str, ...] = ()
    closed: bool = False
    repeated: bool = False
    joined: bool = False
    show: Callable[[Any], str] = lambda value: show_word(value)  # noqa: PLW0108 (defined below)
    tokens: int = 1

    @property
    def is_flag(self) -> bool:
        """True for a truth value, which is --name or --no-name on a command line."""
        return "boolean" in self.schema.get("type", ()) or {"type": "boolean"} in self.schema.get("anyOf", ())

    def __repr__(self) -> str:
        return f"<kind: {self.expected}>"


# -------------------------------------------------------------------------------------------------------------------- numbers

_DEGREE = math.pi / 180.0
_ANGLES = {"deg": _DEGREE, "deg/s": _DEGREE, "rad": 1.0}
#: Units that may follow a number as text, by the unit that the number has: the factor to that unit.
UNITS: dict[str, dict[str, float]] = {
    "": _ANGLES,
    "rad": _ANGLES,
    "rad | m": {**_ANGLES, "mm": 1e-3, "m": 1.0},
    "s": {"ms": 1e-3, "s": 1.0, "min": 60.0},
    "Hz": {"kHz": 1e3, "Hz": 1.0},
    "%": {"%": 1.0},
}
_METAVARS = {"": "NUMBER", "%": "PERCENT", "rad | m": "Q", "s": "S"}
_FACTOR = r"(?:pi|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_PRODUCT = re.compile(rf"([+-]?)\s*({_FACTOR}(?:\s*[*/]\s*{_FACTOR})*)\s*([a-zA-Z%/]*)")
_INFINITE = re.compile(r"([+-]?)\.?inf(?:inity)?", re.IGNORECASE)


def parse_number(text: str, unit: str = "") -> float | None:
    """The value of "0.25", "1e-3", "pi/2", "-2*pi/3", "90 deg", "inf"; None where the text is not of that form.

    Products and quotients of numbers and pi, with an optional unit at the end; nothing is evaluated.
    (YAML 1.1 reads 1e-3 and inf, without a dot, as text: this reads them back.)

    unit : unit of the result, which decides what other units the text may give (`UNITS`).
    """
    body = text.strip()
    if (infinite := _INFINITE.fullmatch(body)) is not None:
        return -math.inf if infinite[1] == "-" else math.inf
    match, factors = _PRODUCT.fullmatch(body), {"": 1.0, **UNITS.get(unit, {unit: 1.0})}
    if match is None or match[3] not in factors:
        return None
    value, operator = 1.0, "*"
    for word in re.findall(rf"{_FACTOR}|[*/]", match[2]):
        if word in ("*", "/"):
            operator = word
            continue
        factor = math.pi if word == "pi" else float(word)
        if operator == "/" and factor == 0.0:
            return None
        value = value * factor if operator == "*" else value / factor
    return (-1.0 if match[1] == "-" else 1.0) * value * factors[match[3]]


def number(
    unit: str = "",
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    infinite: bool = False,
    metavar: str = "",
) -> Kind:
    """A float. low, high : inclusive bounds; above, below : exclusive ones; infinite : whether it may be infinite."""
    bounds = {"minimum": low, "maximum": high, "exclusiveMinimum": above, "exclusiveMaximum": below}
    finite = {name: bound for name, bound in bounds.items() if math.isfinite(bound)}
    expected = f"a {'' if infinite or finite else 'finite '}number{f' [{unit}]' if unit else ''}{_range_text(low, high, above, below)}"

    def read(value: Any, at: Place) -> float:
        result = _number(value, unit, at)
        if result is None or (not math.isfinite(result) and at.file is None and (math.isnan(result) or not infinite)):
            raise at.refuse(value, expected)
        if result < low or result > high or (math.isfinite(above) and result <= above) or (math.isfinite(below) and result >= below):
            raise at.refuse(value, expected)
        return result

    schema = {"type": "number", **({"unit": unit} if unit else {}), **finite}
    return Kind(read=read, expected=expected, schema=schema, metavar=metavar or _METAVARS.get(unit, unit.upper()))


def whole(low: int | None = None, *, metavar: str = "N") -> Kind:
    """An int; neither 1.5 nor true. low : inclusive bound."""
    expected = "a whole number" + ("" if low is None else f" of at least {low}")

    def read(value: Any, at: Place) -> int:
        text = isinstance(value, str) and at.file is None and re.fullmatch(r"\s*[+-]?\d{1,300}\s*", value)
        result: Any = int(value) if text else value
        if not _is_number(result, Integral) or (low is not None and result < low):
            raise at.refuse(value, expected)
        return int(result)

    schema: dict[str, Any] = {"type": "integer", **({} if low is None else {"minimum": low})}
    return Kind(read=read, expected=expected, schema=schema, metavar=metavar)


def _number(value: Any, unit: str, at: Place) -> float | None:
    """The float; None for what is no number."""
    if isinstance(value, str):
        if at.file is not None:  # JSON has no numbers for these
            return float(value) if value in ("inf", "-inf", "nan") else None
        return parse_number(value, unit)
    if not _is_number(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:  # an int of 400 digits
        return math.inf if value > 0 else -math.inf


def _is_number(value: object, kind: type) -> bool:
    """NumPy's numbers are numbers, True and False are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _range_text(low: float, high: float, above: float = -math.inf, below: float = math.inf) -> str:
    if math.isfinite(low) and math.isfinite(high):
        return f" from {low:g} to {high:g}"
    parts = ((low, "of at least"), (above, "above"), (high, "of at most"), (below, "below"))
    return f" {' and '.join(f'{words} {bound:g}' for bound, words in parts if math.isfinite(bound))}".rstrip()


# ---------------------------------------------------------------------------------------------------------- other single values


def choice(values: Mapping[str, Any]) -> Kind:
    """One of a few values, by name: a Literal or an Enum."""
    expected = join_or(values)

    def read(value: Any, at: Place) -> Any:
        if isinstance(value, str) and value in values:
            return values[value]
        for member in values.values():
            if type(member) is type(value) and member == value and not (at.file is not None and isinstance(value, Enum)):
                return value
        raise at.refuse(value, expected)

    def show(value: Any) -> str:
        return next((name for name, member in values.items() if member == value), str(value))

    schema = {"enum": [plain(member) for member in values.values()]}
    return Kind(read=read, expected=expected, schema=schema, metavar="|".join(values), words=tuple(values), closed=True, show=show)


def instance(
    types: type | tuple[type, ...],
    expected: str,
    schema: Mapping[str, Any],
    *,
    metavar: str = "NAME",
    make: Callable[[Any], Any] | None = None,
) -> Kind:
    """A value of a Python type. make : what is made of it, such as a Path of a text."""

    def read(value: Any, at: Place) -> Any:
        if not isinstance(value, types):
            raise at.refuse(value, expected)
        return value if make is None else make(value)

    return Kind(read=read, expected=expected, schema=schema, metavar=metavar)


def path(metavar: str = "FILE") -> Kind:
    """A Path, from a text that is not empty."""
    expected = "a folder" if metavar == "FOLDER" else "a file" if metavar == "FILE" else "a path"

    def read(value: Any, at: Place) -> Path:
        if not isinstance(value, str | Path) or not str(value).strip() or "\0" in str(value):
            raise at.refuse(value, expected)
        return Path(value)

    return Kind(read=read, expected=expected, schema={"type": "string"}, metavar=metavar)


def worded(
    parse: Callable[[str], T | None], expected: str, metavar: str, *, types: type | tuple[type, ...], words: tuple[str, ...] = ()
) -> Kind:
    """A value with a notation of its own. parse : its value, None where the text is not of that form; types : what Python gives."""

    def read(value: Any, at: Place) -> Any:
        result = parse(value) if isinstance(value, str) else value if isinstance(value, types) else None
        if result is None:
            raise at.refuse(value, expected)
        return result

    return Kind(read=read, expected=expected, schema={"type": "string"}, metavar=metavar, words=words)


def only(kind: Kind, allowed: Callable[[Any], bool], expected: str) -> Kind:
    """A kind of which not all values are allowed."""

    def read(value: Any, at: Place) -> Any:
        try:
            result = kind.read(value, at)
        except RefusedValue:
            raise at.refuse(value, expected) from None
        if not allowed(result):
            raise at.refuse(value, expected)
        return result

    return replace(kind, read=read, expected=expected)


def _read_none(value: Any, at: Place) -> None:
    if value is not None and not (at.file is None and isinstance(value, str) and value == "none"):
        raise at.refuse(value, "none")


def _read_truth(value: Any, at: Place) -> bool:
    result = {"true": True, "yes": True, "false": False, "no": False}.get(value.lower()) if at.typed and isinstance(value, str) else value
    if not isinstance(result, bool):
        raise at.refuse(value, "true or false")
    return result


# ------------------------------------------------------------------------------------------------------------ values of values


def either(kinds: Sequence[Kind]) -> Kind:
    """The first kind that accepts the value; those with fixed words are tried first."""
    offered = [kind for kind in kinds if kind.expected]
    plain_types = all(set(kind.schema) == {"type"} for kind in offered)
    expected = join_or([part for kind in offered for part in (kind.words if kind.closed else (kind.expected,))])

    def read(value: Any, at: Place) -> Any:
        inner: RefusedValue | None = None
        for kind in sorted(kinds, key=lambda kind: not kind.closed):
            try:
                return kind.read(value, at)
            except RefusedValue as refused:
                if refused.path != at.path or refused.value is not value:  # "columns.q[1]" says more than "columns"
                    inner = refused
        raise inner or at.refuse(value, expected)

    def show(value: Any) -> str:
        return "none" if value is None else next((kind for kind in offered if kind.words != ("none",)), kinds[0]).show(value)

    return Kind(
        read=read,
        expected=expected,
        schema={"type": [kind.schema["type"] for kind in offered]} if plain_types else {"anyOf": [dict(kind.schema) for kind in offered]},
        metavar=next((kind.metavar for kind in offered if not kind.closed), "|".join(kind.metavar for kind in offered)),
        words=tuple(word for kind in kinds for word in kind.words),
        closed=all(kind.closed for kind in kinds),
        repeated=any(kind.repeated for kind in kinds),
        joined=any(kind.joined for kind in kinds),
        show=show,
        tokens=max(kind.tokens for kind in kinds),
    )


def several(item: Kind, make: Callable[[Iterable[Any]], Any] = tuple, *, at_least: int = 0, metavar: str = "") -> Kind:
    """A sequence. On a command line numbers are one word with commas; anything else is an option given once per item."""
    numeric = item.schema.get("type") in ("number", "integer")
    expected = f"{item.expected}, or several"

    def read(value: Any, at: Place) -> Any:
        parts = _parts(value, at, expected)
        if len(parts) < at_least:
            raise at.refuse(value, expected)
        return make(item.read(part, at / i if len(parts) > 1 or at.file is not None else at) for i, part in enumerate(parts))

    return Kind(
        read=read,
        expected=expected,
        schema={"type": "array", "items": dict(item.schema)},
        metavar=metavar or item.metavar + ",..." * numeric,
        repeated=not numeric,
        show=lambda value: ",".join(map(item.show, value)),
    )


def each(items: Sequence[Kind], make: Callable[[Iterable[Any]], Any] = tuple, *, metavar: str = "", example: str = "") -> Kind:
    """A tuple of fixed length, such as X,Y,Z."""
    metavar = metavar or ",".join("XYZ"[: len(items)] if len(items) <= 3 else (item.metavar for item in items))
    expected = f"{len(items)} values, {metavar}" + (f", such as {example}" if example else "")

    def read(value: Any, at: Place) -> Any:
        parts = _parts(value, at, expected)
        if len(parts) != len(items):
            raise at.refuse(value, expected)
        return make(item.read(part, at / i) for i, (item, part) in enumerate(zip(items, parts, strict=True)))

    schema = {"type": "array", "prefixItems": [dict(item.schema) for item in items], "items": False, "minItems": len(items)}
    return Kind(
        read=read,
        expected=expected,
        schema=schema,
        metavar=metavar,
        show=lambda value: ",".join(item.show(part) for item, part in zip(items, value, strict=True)),
    )


def span(unit: str = "", low: float = -math.inf, high: float = math.inf, *, example: str = "", whole_numbers: bool = False) -> Kind:
    """An interval, typed A:B with A < B. Without A it begins at `low`, without B it ends at `high`.

    whole_numbers : both ends are ints, and A = B is allowed, which may be typed A.
    """
    item: Any = whole() if whole_numbers else number(unit, infinite=True)
    numbers = "whole numbers" if whole_numbers else "numbers"
    expected = f"A:B, {numbers}{f' [{unit}]' if unit else ''}{_range_text(low, high)} with A {'<=' if whole_numbers else '<'} B"
    expected += f", such as {example}" if example else ""

    def read(value: Any, at: Place) -> tuple[Any, Any]:
        if isinstance(value, str) and at.file is None:
            parts: list[Any] = list(value.split(":")) if ":" in value else [value, value] if whole_numbers else []
        else:
            parts = _parts(value, at, expected)
        if len(parts) != 2 or all(part in ("", None) for part in parts):
            raise at.refuse(value, expected)
        try:
            ends = [default if part in ("", None) else item.read(part, at) for part, default in zip(parts, (low, high), strict=True)]
        except RefusedValue:
            raise at.refuse(value, expected) from None
        if not (low <= ends[0] and ends[1] <= high and (ends[0] < ends[1] or (whole_numbers and ends[0] == ends[1]))):
            raise at.refuse(value, expected)
        return ends[0], ends[1]

    def show(value: Any) -> str:
        return ":".join("" if math.isinf(end) else show_word(end) for end in value)

    schema = {"type": "array", "prefixItems": [{"type": ["number", "null"]}] * 2, "items": False, "minItems": 2}
    return Kind(read=read, expected=expected, schema=schema, metavar="A:B", show=show)


def pairs(key: Kind, item: Kind, *, separator: str = "=", metavar: str = "", example: str = "") -> Kind:
    """A mapping. On a command line NAME=VALUE, the option given once per name."""
    metavar = metavar or f"NAME{separator}VALUE"
    expected = metavar + (f", such as {example}" if example else "")
    last = item.schema.get("type") in ("number", "integer")  # then a name may contain the separator

    def split(words: Iterable[Any], at: Place) -> dict[str, str]:
        values: dict[str, str] = {}
        for word in words:
            if not isinstance(word, str):
                raise at.refuse(word, expected)
            sign = separator if separator in word else "="
            name, equals, text = word.rpartition(sign) if last else word.partition(sign)
            if not (name.strip() and equals):
                raise at.refuse(word, expected)
            if name in values:
                raise at.refuse(word, f"each name once; {name} was given twice")
            values[name] = text
        return values

    def read(value: Any, at: Place) -> dict[Any, Any]:
        content: Any = value
        if at.typed and isinstance(value, str | list | tuple):
            content = split([value] if isinstance(value, str) else cast("Sequence[Any]", value), at)
        if not isinstance(content, Mapping):
            raise at.refuse(content, "a mapping")
        content = cast("Mapping[Any, Any]", content)
        return {key.read(name, at): item.read(part, at / str(name)) for name, part in content.items()}

    def show(value: Any) -> str:
        return " ".join(f"{name}{separator}{item.show(part)}" for name, part in value.items())

    named = {"properties": {word: dict(item.schema) for word in key.words}} if key.closed else {}
    schema = {"type": "object", **named, "additionalProperties": False if key.closed else dict(item.schema)}
    return Kind(read=read, expected=expected, schema=schema, metavar=metavar, repeated=True, show=show)


def _parts(value: Any, at: Place, expected: str) -> list[Any]:
    """The items of a list or an array; from a person also a single value, and of a command line a text with commas."""
    listed: Any = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, list | tuple):
        return list(cast("Sequence[Any]", listed))
    if at.file is not None or listed is None or isinstance(listed, Mapping):
        raise at.refuse(cast("object", value), "a list" if at.file is not None else expected)
    if at.typed and isinstance(value, str):
        return [word.strip() for word in value.split(",")]
    return [listed]


# ----------------------------------------------------------------------------------------------------------- from type to kind

_ANYTHING = Kind(read=lambda value, at: value, expected="", schema={})
_SIMPLE: dict[Any, Kind] = {
    float: number(),
    int: whole(),
    bool: Kind(read=_read_truth, expected="true or false", schema={"type": "boolean"}, show=lambda value: str(value).lower()),
    str: instance(str, "a text", {"type": "string"}),
    Path: path(),
    NoneType: Kind(
        read=_read_none, expected="none", schema={"type": "null"}, metavar="none", words=("none",), closed=True, show=lambda value: "none"
    ),
    object: _ANYTHING,
    Any: _ANYTHING,
}
#: Functions of other modules that know more types, such as arrays and records; None for any other type. They are tried first.
FACTORIES: list[Callable[[Any], Kind | None]] = []


def kind_of(hint: Any) -> Kind:
    """The kind of a declared type; TypeError for a type that has none."""
    return _kind_of(hint, repr(hint))


@cache
def _kind_of(hint: Any, text: str) -> Kind:
    """text : tells apart types that are equal and list their words in another order."""
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin is Annotated and (marks := [mark for mark in arguments[1:] if isinstance(mark, Kind)]):
        return marks[0]
    for factory in FACTORIES:
        if (kind := factory(hint)) is not None:
            return kind
    if origin is Annotated:
        return kind_of(arguments[0])
    if (alias := getattr(origin, "__value__", None)) is not None:  # a `type` statement of Python 3.12, which NumPy's NDArray is by now
        return kind_of(alias[arguments] if arguments else alias)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if origin in (Union, UnionType):
        return either([kind_of(part) for part in arguments])
    if origin is Literal:
        return choice({str(value): value for value in arguments})
    if _is_class(origin, Enum):
        return choice({enum_word(member): member for member in origin})
    if _is_class(origin, Mapping) and arguments:
        return pairs(kind_of(arguments[0]), kind_of(arguments[1]))
    if origin is tuple and arguments and arguments[-1] is not ...:
        return each([kind_of(part) for part in arguments])
    if _is_class(origin, Sequence) and arguments:
        return several(kind_of(arguments[0]), make=list if origin is list else tuple)
    if origin in (Callable, type):
        return _SIMPLE[object]
    raise TypeError(f"no kind of value is known for {hint}")


def enum_word(member: Enum) -> str:
    """The word for a member in texts and files: of a StrEnum its value, otherwise its name."""
    return member.value if isinstance(member, StrEnum) else member.name


def _is_class(value: Any, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


# --------------------------------------------------------------------------------------------------------------- as JSON and text


def plain(value: Any) -> Any:
    """The value as JSON and YAML contain it. JSON has no infinity: an infinite number becomes null."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in cast("Mapping[Any, Any]", value).items()}
    if type(value) in (list, tuple):  # a named tuple has a text of its own
        return [plain(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, Enum):
        return enum_word(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def show_word(value: object) -> str:
    """A value as a word of a command line, with all its digits: 0.5, a,b for several."""
    if type(value) in (list, tuple):  # a named tuple has a text of its own
        return ",".join(map(show_word, cast("Sequence[object]", value)))
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def join_or(words: Iterable[str]) -> str:
    """ "a", "a or b", "a, b or c"."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def shorten(value: object) -> str:
    """The value for an error message, of at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# ------------------------------------------------------------------------------------------------- kinds that many options share

#: A number of things, one at least; and one that may be zero, such as a seed.
Count = Annotated[int, whole(1)]
Seed = Annotated[int, whole(0)]
#: No log has a rate beyond these, and no motion of a robot a frequency.
Hertz = Annotated[float, number("Hz", low=1e-6, high=1e8)]
Seconds = Annotated[float, number("s", above=0.0)]
Percent = Annotated[float, number("%", above=0.0)]
Position = Annotated[float, number("rad | m")]
#: Part of the data, as fractions.
Part = Annotated[tuple[float, float], span(low=0.0, high=1.0, example="0:0.7")]
Folder = Annotated[Path, path("FOLDER")]
