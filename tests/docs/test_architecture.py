"""The page on the architecture and CONTRIBUTING name the layers and the files that are really there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "explanation" / "architecture.md"


@pytest.mark.parametrize("page", [PAGE, REPOSITORY / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_the_layers_are_those_of_the_import_contract(page):
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(item for item in settings["tool"]["importlinter"]["contracts"] if item["type"] == "layers")
    assert f"`{' > '.join(contract['layers'])}`" in page.read_text(encoding="utf-8")


def test_every_room_is_described_and_drawn():
    rooms = {path.name for path in (REPOSITORY / "src" / "dynident").iterdir() if (path / "__init__.py").is_file()}
    table = PAGE.read_text(encoding="utf-8").split("## The floors")[1].split("##")[0]
    described = set(re.findall(r"`([a-z]+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))))
    assert described == rooms
    picture = (REPOSITORY / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    assert {name for name in rooms if f">{name}/<" in picture} == rooms


def test_the_files_that_a_variant_touches_are_there():
    table = PAGE.read_text(encoding="utf-8").split("## Where a new variant goes")[1].split("##")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) == 11
    for _, places, registry, suite in rows:
        for place in re.findall(r"`([^`]+)/NAME.py`", places):
            assert (REPOSITORY / "src" / "dynident" / place).is_dir()
        assert (REPOSITORY / "src" / "dynident" / registry.strip(" `")).is_file()
        assert (REPOSITORY / suite.strip(" `")).is_file()
