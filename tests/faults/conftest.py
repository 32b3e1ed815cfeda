"""What the commands of `tests.faults.cases` read, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.cases import load_everything, make_inputs


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "inputs"
    load_everything()
    make_inputs(folder)
    return folder
