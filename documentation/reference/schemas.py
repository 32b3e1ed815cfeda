"""JSON Schemas of what is written into run folders and printed, from the declared documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from dynident.cli.app import printed_documents
from dynident.cli.overview import VERBS
from dynident.core.documents import Document, json_schema
from dynident.robots.robot import Robot
from dynident.robots.serialize import SCHEMA as ROBOT_SCHEMA
from dynident.runs.stages import ROBOT, Stage


def _documents() -> Iterator[type[Document]]:
    yield from (stage.document_kind for stage in Stage)
    for verb in VERBS:
        yield from printed_documents(verb)


#: The record of each document by its name.
DOCUMENTS: Mapping[str, type] = {ROBOT: Robot, **{document.FILE: document for document in _documents()}}


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema of a document, such as estimate.json."""
    if name == ROBOT:
        return _with_infinity(json_schema(Robot, file=ROBOT, version=ROBOT_SCHEMA))
    return json_schema(DOCUMENTS[name])


def _with_infinity(schema: Any) -> Any:
    """The schema, where a number may be the text "inf" or "-inf" too."""
    if isinstance(schema, list):
        return [_with_infinity(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    parts = {key: _with_infinity(part) for key, part in cast("dict[str, Any]", schema).items()}
    if "number" in (kinds := parts.get("type", ())):
        del parts["type"]
        parts["anyOf"] = [{"type": kinds}, {"enum": ["inf", "-inf"]}]
    return parts


def schema_list() -> str:
    """The table of all schemas."""
    rows = [f"| [{name}]({schema_file(name)}) | {schema(name)['description']} |" for name in DOCUMENTS]
    return "\n".join(["| schema of | what it is |", "|---|---|", *rows])


def write_schemas(folder: Path) -> None:
    """Write the schema of every document."""
    for name in DOCUMENTS:
        text = json.dumps(schema(name), ensure_ascii=False, indent=1) + "\n"
        (folder / schema_file(name)).write_text(text, encoding="utf-8")


def schema_file(name: str) -> str:
    return name.replace(".json", ".schema.json")
