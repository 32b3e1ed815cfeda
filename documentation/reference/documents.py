"""The page of the documents: every key of what is written and printed, from the declared documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from documentation.reference.docstrings import cell, markdown
from documentation.reference.schemas import DOCUMENTS, schema, schema_file

_WORDS = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "mapping", "array": "list"}


def document_sections() -> str:
    """A section per document, and one per part that documents consist of."""
    schemas = {name: schema(name) for name in DOCUMENTS}
    parts: dict[str, Any] = {}
    for content in schemas.values():
        for name, part in content.get("$defs", {}).items():
            if name in parts and parts[name] != part:
                raise ValueError(f"two parts of documents are called {name}")
            parts[name] = part
    sections = [_describe(name, content, 2, f"[JSON Schema](schemas/{schema_file(name)})") for name, content in schemas.items()]
    sections += ["## Parts", *(_describe(name, part, 3) for name, part in sorted(parts.items()) if name != "Numbers")]
    return "\n\n".join(sections)


def _describe(name: str, content: Mapping[str, Any], level: int, link: str = "") -> str:
    """A heading, what it is, and a row per key. A list of documents has the rows of its items."""
    record: Mapping[str, Any] = content.get("items", content)
    needed = record.get("required", ())
    rows = [
        f"| `{key}`{'' if key in needed else ' (not always)'} | {cell(_type(item))} | {cell(markdown(item.get('description', '')))} |"
        for key, item in record["properties"].items()
    ]
    about = " ".join(filter(None, (markdown(content["description"]), link)))
    return "\n".join([f"{'#' * level} {name}", "", about, "", "| key | | meaning |", "|---|---|---|", *rows])


def _type(item: Mapping[str, Any]) -> str:
    """A type in a few words."""
    unit = f" [{item['unit']}]" if "unit" in item else ""
    if "$ref" in item:
        name = str(item["$ref"]).rpartition("/")[2]
        return "numbers" if name == "Numbers" else f"[{name}](#{name.lower()})"
    if "const" in item or "enum" in item:
        return " or ".join(f"`{value}`" for value in item.get("enum", [item.get("const")]))
    if "anyOf" in item:
        return " or ".join(_type(choice) for choice in item["anyOf"]) + unit
    kinds: list[str] = item["type"] if isinstance(item.get("type"), list) else [item.get("type", "anything")]
    words = " or ".join(_WORDS.get(kind, kind) for kind in kinds)
    inner = item.get("items") or item.get("additionalProperties")
    if "prefixItems" in item:
        words = ", ".join(_type(part) for part in item["prefixItems"])
    elif inner:
        words += f" of {_type(inner)}"
    return words + unit
