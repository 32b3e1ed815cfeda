"""JSON Schemas of what is written into run folders and printed, from the declared documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from documentation.reference import MADE
from dynident.cli.printed import PRINTED, printed_documents
from dynident.core.documents import Document, json_schema
from dynident.robots.robot import Robot
from dynident.robots.serialize import SCHEMA as ROBOT_SCHEMA
from dynident.runs.stages import ROBOT, Stage

_PAGE = """# JSON Schemas

Every document that dynident writes into a [run folder](../run-folder.md), and what commands print with `--json`, has a
JSON Schema (draft 2020-12), by which programs can check what they read. A document names its kind and version as `schema`.
Nothing is in it that its schema does not name.

"""


def _documents() -> Iterator[type[Document]]:
    yield from (stage.document_kind for stage in Stage)
    for verb in PRINTED:
        yield from printed_documents(verb)


#: The record of each document by its name.
DOCUMENTS: Mapping[str, type] = {ROBOT: Robot, **{document.FILE: document for document in _documents()}}


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema of a document, such as estimate.json."""
    if name == ROBOT:
        return json_schema(Robot, file=ROBOT, version=ROBOT_SCHEMA, infinite=True)
    return json_schema(DOCUMENTS[name])


def make() -> dict[str, str]:
    """A schema per document, and the page that lists them."""
    schemas = {name: schema(name) for name in DOCUMENTS}
    rows = [f"| [{name}]({schema_file(name)}) | {content['description']} |" for name, content in schemas.items()]
    page = MADE + _PAGE + "\n".join(["| schema of | what it is |", "|---|---|", *rows]) + "\n"
    return {"schemas/index.md": page, **{f"schemas/{schema_file(name)}": _text(content) for name, content in schemas.items()}}


def schema_file(name: str) -> str:
    return name.replace(".json", ".schema.json")


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
