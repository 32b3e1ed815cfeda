"""Tests assert what messages carry (types, attributes, names, numbers; tests/facts.py), so that a sentence can be improved without them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.facts import SENTENCE

TESTS = Path(__file__).parents[1]
#: Folders whose tests do so in every line.
DONE = [
    "unit/data",
    "unit/robots",
    "unit/dynamics",
    "unit/regression",
    "unit/links",
    "unit/validation",
    "unit/routes",
    "unit/motions",
    "unit/core",
    "unit/runs",
    "unit/diagnosis",
    "oracles",
    "properties",
    "realdata",
    "papers",
]
#: Lines of the other tests that assert a piece of a sentence: less and less.
REST = 304


def asserted_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of what is looked for in a message: match=TEXT, TEXT in message, message.startswith(TEXT)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "match":
            yield from texts(node.value)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn) and not is_name(node.comparators[0]):
            yield from texts(node.left)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "endswith"):
            yield from texts(node)


def texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    return ((part.lineno, part.value) for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))


def is_name(node: ast.AST) -> bool:
    """Names of constraints and settings have blanks ("total mass"), and are no sentences."""
    return isinstance(node, ast.Attribute) and node.attr == "name"


def lines_with_sentences(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {f"{file.relative_to(TESTS)}:{line}" for line, text in asserted_texts(tree) if SENTENCE.search(text.replace("\\", ""))}


def test_assertions_are_about_facts_and_not_about_sentences() -> None:
    done = [line for folder in DONE for file in sorted((TESTS / folder).rglob("*.py")) for line in sorted(lines_with_sentences(file))]
    assert done == []
    assert sum(len(lines_with_sentences(file)) for file in TESTS.rglob("*.py")) <= REST


def test_a_sentence_is_found_and_a_name_is_not() -> None:
    code = 'raises(E, match="has no effort"); "J1xx and joint2" in x; note.startswith("m1 >= 3"); "total mass" in block.name'
    assert [text for _, text in asserted_texts(ast.parse(code)) if SENTENCE.search(text)] == ["has no effort"]
    assert re.search(SENTENCE, "the prior is") is not None
