"""CONTRIBUTING's examples of a friction model and of a stage, done literally on copies of the packages that they change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import code_blocks

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "CONTRIBUTING.md"
FRICTION = "src/dynident/dynamics/friction"


def copy_repository(place: Path, *copied: str) -> Path:
    """The repository's package and tests in another place; of the package only the rooms that are named are copied.

    The others are imported from where they are: elsewhere they would compile their kernels again.
    """
    ignore, original = shutil.ignore_patterns("__pycache__"), REPOSITORY / "src" / "dynident"
    package = place / "src" / "dynident"
    for room in copied:
        shutil.copytree(original / room, package / room, ignore=ignore)
        for parent in Path(room).parents:
            text = (original / parent / "__init__.py").read_text()
            appended = f"__path__.append({str(original / parent)!r})\n"
            (package / parent / "__init__.py").write_text(text.replace("\nfrom ", f"\n{appended}from ", 1))
    shutil.copytree(REPOSITORY / "tests", place / "tests", ignore=ignore)
    shutil.copy(REPOSITORY / "pyproject.toml", place)
    (place / "documentation").symlink_to(REPOSITORY / "documentation")  # which makes the schemas
    return place


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """With the friction model's files added and its changes to the registry made."""
    copy_repository(tmp_path, "dynamics/friction")
    registry = tmp_path / FRICTION / "registry.py"
    for block in code_blocks(PAGE):
        if block.title.endswith("arctan_coulomb.py"):
            (tmp_path / block.title).write_text(block.code)
        elif block.language == "diff":
            registry.write_text(_patched(registry.read_text(), block.code))
    return tmp_path


def _patched(text: str, diff: str) -> str:
    """The text with the line that begins with + put after the line that begins with a space."""
    before, added = (line[1:] + "\n" for line in diff.splitlines())
    assert text.count(before) == 1, f"the page's line is not in the registry: {before}"
    return text.replace(before, before + added)


def run_tests(place: Path, *tests: str) -> str:
    """What pytest prints of tests that pass."""
    environment = {**os.environ, "PYTHONPATH": str(place / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    finished = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert " passed" in finished.stdout
    return finished.stdout


def test_the_new_model_passes_the_contract_suite_and_its_own_test(copy):
    printed = run_tests(
        copy, "tests/contracts/test_friction.py", "tests/unit/dynamics/friction/test_arctan_coulomb.py", "-k", "arctan_coulomb"
    )
    assert "skipped" not in printed or shutil.which("gcc") is None


def test_the_new_stage_is_one_file_and_one_row(tmp_path):
    copy_repository(tmp_path, "runs", "validation")
    blocks = {block.title: block.code for block in code_blocks(PAGE) if block.title}
    table = tmp_path / "src" / "dynident" / "runs" / "stages.py"
    end = "\n    @property\n    def key(self)"
    assert table.read_text().count(end) == 1
    table.write_text(table.read_text().replace(end, f"{blocks['row of src/dynident/runs/stages.py']}{end}"))
    for title in ("src/dynident/validation/travel.py", "tests/unit/runs/test_travel.py"):
        (tmp_path / title).write_text(blocks[title])
    run_tests(tmp_path, "tests/unit/runs/test_travel.py")


def test_a_new_model_touches_two_files():
    blocks = code_blocks(PAGE)
    assert [block.title for block in blocks if block.title.startswith(FRICTION)] == [f"{FRICTION}/arctan_coulomb.py"]
    registry = (REPOSITORY / FRICTION / "registry.py").read_text()
    changes = [block.code for block in blocks if block.language == "diff"]
    assert changes
    assert all(_patched(registry, change) != registry for change in changes)
