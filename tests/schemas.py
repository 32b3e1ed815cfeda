"""Validators of what is written into run folders and printed, by their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from documentation.reference.schemas import DOCUMENTS, schema
from dynident.runs import folder as run_folder

NAMES = tuple(sorted(DOCUMENTS))


@cache
def validator(name: str) -> Draft202012Validator:
    """name : of the document, such as estimate.json."""
    content = schema(name)
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
    write = run_folder.write_files

    def check_and_write(contents: Mapping[Path, Any]) -> None:
        for file in contents:
            if file.name in NAMES:
                validator(file.name).validate(json.loads(contents[file]))
        write(contents)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_folder, "write_files", check_and_write)
        yield
