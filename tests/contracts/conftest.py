"""What the contract suites share: the command in this process, where a test can register a variant of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynident.cli import main


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs the command; gives its exit code and what it said, in one line without frames."""

    def run(*words: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((said.out + said.err).replace("│", " ").split())

    return run
