"""What the three papers' routes share: every document follows its schema, and a command that fails shows what it said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run_here
from tests.schemas import checked_writing

Walk = Callable[..., dict[str, Any]]


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    """Runs a command in the test's folder, which must succeed; gives its JSON document where it was asked for one."""

    def run(*words: object) -> dict[str, Any]:
        with checked_writing():
            done = run_here(tmp_path, *words)
        assert done.returncode == 0, f"{' '.join(map(str, words))}:\n{done.stdout[-2000:]}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return json.loads(done.stdout) if "--json" in words else {}

    return run


def seeds(*, quick: int = 2, all: int = 20) -> list[Any]:
    """Parameters of a test: the first seeds in every run, the others marked slow."""
    return [pytest.param(seed, marks=[] if seed <= quick else [pytest.mark.slow]) for seed in range(1, all + 1)]


def held_out_error(validation: dict[str, Any], *models: str) -> float:
    """The largest relative error [%] of these identified models with their friction, from the document of `dynident validate`."""
    errors = {item["model"]: item["relative_percent"] for item in validation["models"] if item["friction"]}
    return max(errors[name] for name in models or ("coefficients", "links"))
