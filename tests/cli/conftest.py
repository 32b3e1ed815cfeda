"""Whatever a command writes into a run folder is as its JSON Schema says."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.schemas import checked_writing


@pytest.fixture(scope="session", autouse=True)
def documents_follow_their_schemas() -> Generator[None]:
    with checked_writing():
        yield
