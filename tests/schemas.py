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
from dynident.cli.app import printed_documents
from dynident.runs import folder as run_folder

NAMES = tuple(sorted(DOCUMENTS))


@cache
def validator(name: str) -> Draft202012Validator:
    """name : of the document, such as estimate.json."""
    content = schema(name)
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def check_printed(verb: str, text: str) -> None:
    """What a verb printed with --json must be one of the documents that are declared for it, and as the schema of that says."""
    content = json.loads(text)
    version = content.get("schema", "") if isinstance(content, dict) else ""
    *others, kind = [kind for kind in printed_documents(verb) if version == kind.SCHEMA]
    if not any(validator(other.FILE).is_valid(content) for other in others):
        validator(kind.FILE).validate(content)


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
