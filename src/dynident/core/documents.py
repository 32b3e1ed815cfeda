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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from dynident.core.kinds import enum_word, kind_of
from dynident.core.options import Options, changes, declared_options
from dynident.core.records import NUMBERS, RECORDS

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
        Kind and version, its key `schema`; empty for a document without one.
    SEVERAL
        True where a list of these is printed.
    """

    FILE: ClassVar[str]
    SCHEMA: ClassVar[str] = ""
    SEVERAL: ClassVar[bool] = False


def fill(record: type[T], *sources: object, **values: Any) -> T:
    """The record with what objects have under the names of its fields; of several objects the first that has one.

    values : of fields that the objects have as something else. They are made what the record declares, as what the objects have is:

    - another record, or several, is filled from an object, or has its fields from a tuple in their order;
    - numbers by joint are made of an array, with the names of the joints from the objects; rms_per_joint may be called rms there;
    - a member of an Enum becomes its value; where only fixed words are allowed and it is none of them, its name in small letters.
    """
    hints, filled = get_type_hints(record, include_extras=True), dict(values)
    for item in fields(cast("Any", record)):
        names = (item.name, item.name.removesuffix(_PER_JOINT))
        place = next(((source, name) for name in names for source in sources if hasattr(source, name)), None)
        if item.name not in values and place is not None:
            filled[item.name] = getattr(*place)
    return record(**{name: _as_declared(hints[name], value, sources) if name in hints else value for name, value in filled.items()})


_PER_JOINT = "_per_joint"


def _as_declared(hint: Any, value: Any, sources: Sequence[object]) -> Any:
    """What a field of a type holds of a value."""
    if get_origin(hint) is Annotated:
        return _as_declared(get_args(hint)[0], value, sources)
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    origin, arguments = get_origin(hint), get_args(hint)
    sort: type[Any] = value.__class__
    if issubclass(sort, Enum) and (hint is str or origin is Literal):
        return value.value if hint is str or value.value in arguments else value.name.lower()
    if value is None or (isinstance(hint, type) and issubclass(sort, hint)):
        return value
    if is_dataclass(hint):
        kind: Any = hint
        return kind(**dict(zip(_names(kind), value, strict=True))) if issubclass(sort, tuple) else fill(kind, value)
    if origin is tuple and arguments[-1] is ...:
        return tuple(_as_declared(arguments[0], part, sources) for part in value)
    if origin is Mapping and not issubclass(sort, Mapping):
        joints = next(getattr(source, name) for name in ("joint_names", "joints") for source in sources if hasattr(source, name))
        return by_name(joints, value)
    return value


def _names(record: Any) -> list[str]:
    return [item.name for item in fields(record)]


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
        values = [(item, to_json(getattr(value, item.name))) for item in document_fields(cast("type", type(value)))]
        content = {item.name: plain for item, plain in values if "left_out" not in item.metadata or plain != _default(item)}
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
        return enum_word(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _derived(record: Any) -> Sequence[str]:
    """Names of properties that a document has beside the fields, as the record declares them in DERIVED."""
    return getattr(record, "DERIVED", ())


def _default(item: Field[Any]) -> Any:
    return to_json(item.default if item.default_factory is MISSING else item.default_factory())


# ---------------------------------------------------------------------------------------------------------------------- JSON Schema


def json_schema(record: type, *, file: str = "", version: str = "") -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a document. file, version : of a record that is no `Document`."""
    schema, definitions = _object_schema(record, version), dict[str, Any]()
    waiting = [schema]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in definitions:
                definitions[name] = NUMBERS if name == "Numbers" else _object_schema(RECORDS[name])
                waiting.append(definitions[name])
    if getattr(record, "SEVERAL", False):
        schema = {"description": schema["description"], "type": "array", "items": schema}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": file or getattr(record, "FILE", "")}
    return {**head, **schema, **({"$defs": definitions} if definitions else {})}


def _references(schema: Any) -> Iterator[str]:
    """Names of the definitions that a schema refers to."""
    if isinstance(schema, dict):
        for key, part in cast("dict[str, Any]", schema).items():
            yield from [part.rpartition("/")[2]] if key == "$ref" else _references(part)
    elif isinstance(schema, list):
        for part in cast("list[Any]", schema):
            yield from _references(part)


def _object_schema(kind: type[Any], version: str = "") -> dict[str, Any]:
    """The schema of a dataclass or a named tuple; of options those that a run remembers, of which those are there that were given."""
    if issubclass(kind, Options):
        options = {item.name: {"description": item.help, **item.kind.schema} for item in declared_options(kind) if item.remembered}
        return {"description": "The options that were given.", "type": "object", "properties": options, "additionalProperties": False}
    keys = document_keys(kind)
    properties = {key.name: _field_schema(key.hint, key.sentence) for key in keys}
    if version := version or getattr(kind, "SCHEMA", ""):
        properties = {"schema": {"description": "kind and version of the document", "type": "string", "const": version}, **properties}
    return {
        "description": " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split()),
        "type": "object",
        "properties": properties,
        "required": [*(["schema"] if version else []), *(key.name for key in keys if key.needed)],
        "additionalProperties": False,
    }


def _field_schema(hint: Any, sentence: str) -> dict[str, Any]:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    unit = next(({"unit": mark.symbol} for mark in marks if isinstance(mark, Unit)), dict[str, str]())
    schema = kind_of(hint | None if NULLABLE in marks else hint).schema
    required = {"required": list(schema["properties"])} if "properties" in schema else {}
    return {**({"description": sentence} if sentence else {}), **schema, **required, **unit}


class DocumentKey(NamedTuple):
    """A key of a document. sentence : its description, from the declaration or else the docstring; needed : always present."""

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


#: A line of a docstring about fields: "low, high : float", whose text is below it, or "low, high : text".
_ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: : | {2,}|$)(.*)$")


@cache
def _docstring_sentences(record: type) -> dict[str, str]:
    """The descriptions of fields in the docstring of a dataclass, by name; in a section of NumPy's style, or in lines "name : text"."""
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
