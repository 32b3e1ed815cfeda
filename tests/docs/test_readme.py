"""README leads a reader who has only the repository: its links and pictures are there, and the log it shows is read as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dynident.data import load_dataset
from tests.conftest import REPOSITORY
from tests.docs.blocks import code_blocks

README = REPOSITORY / "README.md"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "notebooks/README.md"])
def test_links_lead_somewhere(page):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    places = re.findall(r'\]\(([^)#\s]+)|(?:src|srcset)="([^"]+)"', text)
    local = {place for pair in places for place in pair if place and "://" not in place}
    assert local
    assert [place for place in sorted(local) if not ((REPOSITORY / page).parent / place).exists()] == []


def test_every_door_names_a_command_and_a_page():
    text = README.read_text(encoding="utf-8").split("## Which problem is yours?")[1].split("##")[0]
    doors = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(doors) == 4
    for door in doors:
        _, help_, begin = (cell for cell in door.split("|")[1:-1])
        assert "`dynident " in help_
        assert re.search(r"\]\(docs/[\w/-]+\.md\)", begin)


def test_the_log_of_motors_is_read_as_it_stands_there(shared_data: Path, tmp_path):
    (block,) = [block for block in code_blocks(README) if block.title == "tx40.yaml"]
    recipe = tmp_path / "tx40.yaml"
    recipe.write_text(block.code.replace("../shared/data", str(shared_data)))
    log = load_dataset(recipe)
    assert (log.samples, log.n, log.effort_kind) == (45000, 6, "torque")
    assert abs(log.rate - 5000.0) < 1e-6


def test_pages_claim_the_speed_that_was_measured():
    results = (REPOSITORY / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    rows = {name: float(ratio) for name, ratio in re.findall(r"^\| (figaroh|Pinocchio loop \+)[^\n]*\*\*([\d.]+)x\*\*", results, re.M)}
    assert set(rows) == {"figaroh", "Pinocchio loop +"}
    for page in ("README.md", "docs/explanation/comparison.md"):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        for measured in rows.values():
            assert f"{measured:.0f} times" in text
