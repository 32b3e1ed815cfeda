"""Public documents: the JSON of run folders and of `--json`, declared as frozen dataclasses whose fields carry their sentence and unit.

    @dataclass(frozen=True, kw_only=True)
    class CheckDocument(Document):
        '''A checked robot.'''

        FILE = "check.json"
        SCHEMA = "dynident/check/1"

        robot: str
        total_mass: Annotated[float | None, "of all links", Unit("kg")]

From this come the JSON (`to_json`) and its JSON Schema (`json_schema`). A field with the metadata
LEFT_OUT is left out while it has its default. The sentences of a record that is not only a document may stand in its docstring instead.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from dynident.core.options import Options, changes, declared_options

T = TypeVar("T")
#: A number of a document; null where it is infinite or not known.
Number = float | None
#: Marks a number that may be infinite or NaN, which a document has as null, where the record is more than a document.
NULLABLE = object()
#: Metadata of a field that a document does not have while the field has its default.
LEFT_OUT = {"left_out": True}


@dataclass(frozen=True)
class Unit:
    """Marks a number: `Annotated[float, Unit("kg")]`."""

    symbol: str


class Document:
    """Base class of what is a document by itself.

    Attributes
    ----------
    FILE
        Its name, such as check.json; of what is only printed, the name of its schema.
    SCHEMA
        Kind and version, which it says of itself as `schema`; empty where it says none.
    SEVERAL
        True where a list of these is printed.
    """

    FILE: ClassVar[str]
    SCHEMA: ClassVar[str] = ""
    SEVERAL: ClassVar[bool] = False


def fill(record: type[T], source: object, /, **values: Any) -> T:
    """The record with what an object has under the same names. values : fields that it has not, or has as something else."""
    names = (
        item.name for item in fields(cast("Any", record)) if item.name not in values and (_is_needed(item) or hasattr(source, item.name))
    )
    return record(**{name: getattr(source, name) for name in names}, **values)


def _is_needed(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


def by_name(names: Iterable[str], values: Iterable[float]) -> dict[str, Number]:
    """Numbers by the names of what they belong to, such as joints."""
    return {name: float(value) for name, value in zip(names, values, strict=True)}


@cache
def document_fields(record: type) -> tuple[Field[Any], ...]:
    """The fields of a record; those of its bases, which several records share, come last."""
    named = {item.name: item for item in fields(record)}
    order = dict.fromkeys(name for base in record.__mro__ for name in inspect.get_annotations(base) if name in named)
    return tuple(named[name] for name in order)


def to_json(value: Any) -> Any:
    """A record, or what one may hold, as JSON contains it. A number that is not finite, which JSON has not, becomes null."""
    if isinstance(value, Options):
        return changes(value)
    if is_dataclass(value):
        said = [(item, to_json(getattr(value, item.name))) for item in document_fields(cast("type", type(value)))]
        content = {item.name: plain for item, plain in said if "left_out" not in item.metadata or plain != _default(item)}
        content |= {name: to_json(getattr(value, name)) for name in _derived(value)}
        return {"schema": value.SCHEMA, **content} if isinstance(value, Document) and value.SCHEMA else content
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        sequence = cast("Sequence[Any]", value)
        names: Sequence[str] | None = getattr(sequence, "_fields", None)  # of a named tuple
        items = [to_json(item) for item in sequence]
        return items if names is None else dict(zip(names, items, strict=True))
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return to_json(value.tolist())
    if isinstance(value, Enum):
        return value.value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _derived(record: Any) -> Sequence[str]:
    """Names of properties that a document has beside the fields, as the record declares them in DERIVED."""
    return getattr(record, "DERIVED", ())


def _default(item: Field[Any]) -> Any:
    return to_json(item.default if item.default_factory is MISSING else item.default_factory())


# ---------------------------------------------------------------------------------------------------------------------- JSON Schema

_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_NUMBERS = {"type": "array", "items": {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/Numbers"}]}}
_INFINITE = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}]}


def json_schema(record: type, *, file: str = "", version: str = "", infinite: bool = False) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a document.

    file, version : of a record that is no `Document`; infinite : whether its numbers may be the texts "inf" and "-inf".
    """
    writer = _SchemaWriter(infinite)
    schema = writer.record(record, version)
    if getattr(record, "SEVERAL", False):
        schema = {"description": schema["description"], "type": "array", "items": schema}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": file or getattr(record, "FILE", "")}
    return {**head, **schema, **({"$defs": writer.definitions} if writer.definitions else {})}


class DocumentKey(NamedTuple):
    """A key of a document. sentence : what is said about it, where it is declared or else in the docstring; needed : always there."""

    name: str
    hint: Any
    sentence: str
    needed: bool


def document_keys(record: type[Any]) -> tuple[DocumentKey, ...]:
    """The keys of the JSON of a record (a dataclass or a named tuple), in their order."""
    hints = get_type_hints(record, include_extras=True)
    items: dict[str, Field[Any] | None] = dict.fromkeys(hints)
    if is_dataclass(record):
        items = {item.name: item for item in document_fields(cast("type", record))}
    keys: list[DocumentKey] = []
    for name, item in items.items():
        hint, needed = hints[name], item is None or "left_out" not in item.metadata
        shown = hint if needed or item is None or item.default is not None else _without_none(hint)
        keys.append(DocumentKey(name, shown, _sentence(record, name, hint), needed))
    derived = {name: getattr(record, name).fget for name in _derived(record)}
    return (*keys, *(DocumentKey(name, get_type_hints(get)["return"], get.__doc__ or "", True) for name, get in derived.items()))


def _without_none(hint: Any) -> Any:
    """The type of a field that is left out while it is None."""
    if get_origin(hint) is Annotated:
        return Annotated[(_without_none(get_args(hint)[0]), *hint.__metadata__)]
    return reduce(lambda kind, other: kind | other, (kind for kind in get_args(hint) if kind is not NoneType))


def _sentence(record: type, name: str, hint: Any) -> str:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    docstrings = (_docstring_sentences(base).get(name, "") for base in record.__mro__)
    return next((mark for mark in (*marks, *docstrings) if mark and isinstance(mark, str)), "")


@dataclass
class _SchemaWriter:
    """Writes types as schemas. definitions : the records that others refer to."""

    infinite: bool
    definitions: dict[str, Any] = field(default_factory=dict[str, Any])

    def record(self, kind: type[Any], version: str = "") -> dict[str, Any]:
        """A dataclass or a named tuple; of options those that a run remembers, of which those are there that were given."""
        if issubclass(kind, Options):
            options = {item.name: {"description": item.help, **item.kind.schema} for item in declared_options(kind) if item.remembered}
            return {"description": "What was said.", "type": "object", "properties": options, "additionalProperties": False}
        keys = document_keys(kind)
        properties = {key.name: self._field(key.hint, key.sentence) for key in keys}
        if version := version or getattr(kind, "SCHEMA", ""):
            properties = {"schema": {"description": "kind and version of the document", "type": "string", "const": version}, **properties}
        return {
            "description": " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split()),
            "type": "object",
            "properties": properties,
            "required": [*(["schema"] if version else []), *(key.name for key in keys if key.needed)],
            "additionalProperties": False,
        }

    def _field(self, hint: Any, sentence: str) -> dict[str, Any]:
        marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        unit = next(({"unit": mark.symbol} for mark in marks if isinstance(mark, Unit)), dict[str, str]())
        kind = self._type(hint | None if NULLABLE in marks else hint)
        return {**({"description": sentence} if sentence else {}), **kind, **unit}

    def _type(self, hint: Any) -> dict[str, Any]:
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is Any:
            return {}
        if origin is Annotated:
            return self._type(arguments[0])
        if hint in _PLAIN:
            return _INFINITE if hint is float and self.infinite else {"type": _PLAIN[hint]}
        if getattr(origin, "__name__", "") == "ndarray":
            return self._refer("Numbers", _NUMBERS)
        if origin in (Union, UnionType):
            choices = [self._type(item) for item in arguments]
            plain = all(set(choice) == {"type"} for choice in choices)
            return {"type": [choice["type"] for choice in choices]} if plain else {"anyOf": choices}
        if origin is Literal:
            return {"enum": list(arguments)}
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        if origin is tuple and arguments[-1] is not ...:
            return {"type": "array", "prefixItems": [self._type(item) for item in arguments], "items": False, "minItems": len(arguments)}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            keys = get_args(arguments[0])  # of a Literal
            named = {"properties": dict.fromkeys(keys, self._type(arguments[1])), "required": list(keys)} if keys else {}
            return {"type": "object", **named, "additionalProperties": False if keys else self._type(arguments[1])}
        if isinstance(origin, type) and issubclass(origin, Sequence):
            return {"type": "array", "items": self._type(arguments[0])}
        name = str(hint.__name__)
        return self._refer(name, None if name in self.definitions else self._nested(cast("type[Any]", hint)))

    def _nested(self, kind: type[Any]) -> dict[str, Any]:
        self.definitions[kind.__name__] = {}  # its place, so that what it refers to comes after it
        return self.record(kind)

    def _refer(self, name: str, definition: dict[str, Any] | None) -> dict[str, Any]:
        if definition is not None:
            self.definitions[name] = definition
        return {"$ref": f"#/$defs/{name}"}


#: A line of a docstring about fields: "low, high : float", whose text is below it, or "low, high : text".
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: : | {2,}|$)(.*)$")


@cache
def _docstring_sentences(record: type) -> dict[str, str]:
    """What the docstring of a dataclass says about its fields, by name; either in a section of NumPy's style or in lines "name : text"."""
    text, names = inspect.cleandoc(record.__doc__ or ""), set(get_type_hints(record))
    first = 1 if "\n-----" in text else 0  # line of an entry with which its text begins
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        match = _ENTRY.match(line)
        if match and names >= set(match[1].split(", ")):
            current = match[1].split(", ")
            entries.update({name: [match[2]] for name in current})
        elif line.startswith(" ") and line.strip():
            for name in current:
                entries[name].append(line.strip())
        else:
            current = []
    return {name: " ".join(lines[first:]).partition("  ")[2] or " ".join(lines[first:]) for name, lines in entries.items()}
