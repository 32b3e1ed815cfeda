"""Validators of what is written into run folders and printed, by the JSON Schemas in docs/reference/schemas."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dynident.runs import stages

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "schemas"
NAMES = tuple(sorted(path.name.replace(".schema.json", ".json") for path in FOLDER.glob("*.schema.json")))


@cache
def validator(name: str) -> Draft202012Validator:
    """name : of the document, such as estimate.json."""
    content = json.loads((FOLDER / name.replace(".json", ".schema.json")).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def check_printed(text: str) -> None:
    """What a command printed must be as the schema says that it names; what names none is not judged."""
    content = json.loads(text) if text.startswith("{") else {}
    name = f"{content.get('schema', '').removeprefix('dynident/').partition('/')[0]}.json"
    if name in NAMES:
        validator(name).validate(content)


@contextmanager
def checked_writing() -> Generator[None]:
    """Within, every document that is written into a run folder must be as its schema says."""
    write = stages.write_together

    def check_and_write(folder: str | Path, contents: Mapping[str, Any], **options: Any) -> None:
        for name in set(contents).intersection(NAMES):
            validator(name).validate(json.loads(contents[name]))
        write(folder, contents, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "write_together", check_and_write)
        yield
