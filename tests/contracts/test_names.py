"""One name has one meaning across the package: no two public classes share one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import dynident

SOURCES = Path(dynident.__file__).parent


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{file.relative_to(SOURCES)}:{node.lineno}")
    assert len(places) > 500
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}
