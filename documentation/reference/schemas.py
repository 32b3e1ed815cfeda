"""JSON Schemas (draft 2020-12) of what is written into run folders and printed, from types that say all that can be in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from documentation.reference import MADE, docstrings, documents, printed
from dynident.core.options import Options, declared_options
from dynident.robots.serialize import SCHEMA as ROBOT_SCHEMA
from dynident.runs.stages import Stage

#: Kinds of what commands print.
_PRINTED = (
    "check",
    "repair",
    "comparison",
    "fleet",
    "excite",
    "excite-static",
    "excite-check",
    "experiment",
    "sample-index",
    "reproduction",
    "bundle",
)
#: The type of each document by its name, and the version that it says of itself; empty where it says none.
DOCUMENTS: Mapping[str, tuple[Any, str]] = {
    **{stage.document: (getattr(documents, stage.name.title()), stage.value.schema) for stage in Stage},
    "robot.json": (documents.Robot, ROBOT_SCHEMA),
    "diagnosis.json": (documents.Diagnosis, ""),
    **{f"{kind}.json": (getattr(printed, kind.title().replace("-", "")), f"dynident/{kind}/1") for kind in _PRINTED},
    "contacts.json": (printed.Contacts, ""),
    "gains.json": (printed.Gains, ""),
    "exported.json": (list[printed.ExportedModel], ""),
    "presets.json": (list[printed.ListedPreset], ""),
}
_PLAIN: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
#: JSON has no infinity; a robot's limits have these words for it.
_INFINITE = ["inf", "-inf"]


_PAGE = """# JSON Schemas

Every document that dynident writes into a [run folder](../run-folder.md), and what most commands print with `--json`, has a
JSON Schema (draft 2020-12), by which programs can check what they read. A document names its kind and version as `schema`.
Nothing is in it that its schema does not name.

"""


def make() -> dict[str, str]:
    """A schema per document, and the page that lists them."""
    schemas = {name: schema(name) for name in DOCUMENTS}
    rows = [f"| [{name}]({_file(name)}) | {content['description']} |" for name, content in schemas.items()]
    page = MADE + _PAGE + "\n".join(["| schema of | what it is |", "|---|---|", *rows]) + "\n"
    return {"schemas/index.md": page, **{f"schemas/{_file(name)}": _text(content) for name, content in schemas.items()}}


def _file(name: str) -> str:
    return name.replace(".json", ".schema.json")


def schema(name: str) -> dict[str, Any]:
    """The schema of a document, such as estimate.json."""
    kind, version = DOCUMENTS[name]
    writer = _Writer(limits=kind is documents.Robot)
    (item,) = get_args(kind) or (kind,)
    root: dict[str, Any] = writer.record(item)
    if item is not kind:
        root = {"description": root["description"], "type": "array", "items": root}
    if version:
        root["properties"]["schema"]["const"] = version
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    return {**head, **root, **({"$defs": writer.definitions} if writer.definitions else {})}


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


@dataclass
class _Writer:
    """Writes types as schemas. limits : numbers may be infinite; definitions : records that others refer to."""

    limits: bool
    definitions: dict[str, Any] = field(default_factory=dict[str, Any])

    def record(self, kind: type) -> dict[str, Any]:
        """A TypedDict, a dataclass, or options, of which those are there that a run remembers and that were given."""
        if issubclass(kind, Options):
            options = {item.name: {"description": item.help, **item.kind.schema} for item in declared_options(kind) if item.remembered}
            return {"description": "What was said.", "type": "object", "properties": options, "additionalProperties": False}
        hints = get_type_hints(kind, include_extras=True)
        told = _told(kind)
        properties = {name: self._field(hints[name], told.get(name, "")) for name in _names(kind, hints)}
        return {
            "description": docstrings.plain(docstrings.parse(kind.__doc__ or "", list(properties)).sentence),
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in _required(kind)],
            "additionalProperties": False,
        }

    def _field(self, hint: Any, meaning: str) -> dict[str, Any]:
        if get_origin(hint) is NotRequired:
            hint = get_args(hint)[0]
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            meaning = next((mark for mark in marks if isinstance(mark, str)), meaning)
        return {**({"description": meaning} if meaning else {}), **self._type(hint)}

    def _type(self, hint: Any) -> dict[str, Any]:
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is Any:
            return {}
        if origin is Annotated:  # of a record: an array, whose shape is no part of a schema
            return self._type(arguments[0])
        if hint is float and self.limits:
            return {"anyOf": [{"type": "number"}, {"enum": _INFINITE}]}
        if hint in _PLAIN:
            return {"type": _PLAIN[hint]}
        if origin is np.ndarray:
            return self._refer("Numbers", {"type": "array", "items": {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/Numbers"}]}})
        if origin in (Union, UnionType):
            return _alternatives([self._type(item) for item in arguments])
        if origin is Literal:
            return {"enum": list(arguments)}
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        if origin is tuple and arguments[-1] is not ...:
            return {"type": "array", "prefixItems": [self._type(item) for item in arguments], "items": False, "minItems": len(arguments)}
        if origin in (list, tuple, Sequence):
            return {"type": "array", "items": self._type(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self._type(arguments[1])}
        return self._refer(hint.__name__, None if hint.__name__ in self.definitions else self._nested(hint))

    def _nested(self, hint: type) -> dict[str, Any]:
        self.definitions[hint.__name__] = {}  # its place, so that what it refers to comes after it
        return self.record(hint)

    def _refer(self, name: str, definition: dict[str, Any] | None) -> dict[str, Any]:
        if definition is not None:
            self.definitions[name] = definition
        return {"$ref": f"#/$defs/{name}"}


def _alternatives(choices: list[dict[str, Any]]) -> dict[str, Any]:
    if all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return {"anyOf": choices}


def _names(kind: type, hints: Mapping[str, Any]) -> list[str]:
    return [item.name for item in fields(kind)] if is_dataclass(kind) else list(hints)


def _required(kind: type) -> frozenset[str]:
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        return frozenset(cast("frozenset[str]", getattr(kind, "__required_keys__", frozenset()))) - optional
    assert is_dataclass(kind)
    return frozenset(item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING)


def _told(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass says of its fields."""
    if not is_dataclass(kind):
        return {}
    entries = docstrings.parse(kind.__doc__ or "", [item.name for item in fields(kind)]).entries
    return {name: docstrings.plain(text.partition("  ")[2] or text) for name, text in entries.items()}
