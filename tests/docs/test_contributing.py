"""CONTRIBUTING's "add a friction model in 20 minutes", done literally on a copy of the friction package."""

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


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository's package and tests with the page's files added and its changes to the registry made.

    All but the friction package is linked: a copy would have to compile its kernels again.
    """
    ignore = shutil.ignore_patterns("__pycache__")
    package = tmp_path / "src" / "dynident"
    package.mkdir(parents=True)
    for entry in (REPOSITORY / "src" / "dynident").iterdir():
        if entry.name != "__pycache__":
            (package / entry.name).symlink_to(entry)
    (package / "friction").unlink()
    shutil.copytree(REPOSITORY / "src" / "dynident" / "friction", package / "friction", ignore=ignore)
    shutil.copytree(REPOSITORY / "tests", tmp_path / "tests", ignore=ignore)
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    (tmp_path / "documentation").symlink_to(REPOSITORY / "documentation")  # which makes the schemas
    registry = package / "friction" / "registry.py"
    for block in code_blocks(PAGE):
        if block.title:
            (tmp_path / block.title).write_text(block.code)
        elif block.language == "diff":
            registry.write_text(_patched(registry.read_text(), block.code))
    return tmp_path


def _patched(text: str, diff: str) -> str:
    """The text with the line that begins with + put after the line that begins with a space."""
    before, added = (line[1:] + "\n" for line in diff.splitlines())
    assert text.count(before) == 1, f"the page's line is not in the registry: {before}"
    return text.replace(before, before + added)


def test_the_new_model_passes_the_contract_suite_and_its_own_test(copy):
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    tests = ["tests/contracts/test_friction.py", "tests/unit/friction/test_arctan_coulomb.py", "-k", "arctan_coulomb"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    finished = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert " passed" in finished.stdout
    assert "skipped" not in finished.stdout or shutil.which("gcc") is None


def test_a_new_model_touches_two_files():
    blocks = code_blocks(PAGE)
    assert [block.title for block in blocks if block.title.startswith("src/")] == ["src/dynident/friction/arctan_coulomb.py"]
    registry = (REPOSITORY / "src" / "dynident" / "friction" / "registry.py").read_text()
    changes = [block.code for block in blocks if block.language == "diff"]
    assert changes
    assert all(_patched(registry, change) != registry for change in changes)
