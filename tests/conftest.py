"""What all tests share: the recorded data beside the repository, the installed command, and Hypothesis' settings."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from dynident.cli.app import main
from tests.commands import run_here
from tests.offline.sitecustomize import allow_network
from tests.scheduling import Scheduling

if TYPE_CHECKING:
    from dynident.reproduce import Reproduction

REPOSITORY = Path(__file__).parents[1]


def _stay_in_memory(handle: int) -> None:
    """In place of `os.fsync`: whether a file would survive a power failure no test can see, and each would wait for the disk."""


os.fsync = _stay_in_memory  # pyright: ignore[reportAttributeAccessIssue]

# A shell that starts the tests in the background lets them ignore Ctrl-C, and with them every process that they send it to.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a kernel compiles it, so that no example has a meaningful deadline;
# the same examples on every run, so that a red test stays red until it is mended.
hypothesis.settings.register_profile("dynident", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("dynident")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """No test has a network, but those that drive a browser or a cluster of this machine."""
    exempt = any(item.iter_markers("browser")) or any(item.iter_markers("network"))
    with allow_network() if exempt else nullcontext():
        return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that fork come first, while the process is small: every fork copies the map of its memory."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/faults/"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported stays: no search for garbage looks at it, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    return Scheduling(config, log)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the recorded data and the published tables; a test that needs it is skipped where it is absent."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the recorded data (../shared/data) is not beside this repository")
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the documentation, built once."""
    from documentation.site import build_copy

    return build_copy(tmp_path_factory.mktemp("site") / "copy")


@pytest.fixture(scope="session")
def dynident_in() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command in a given folder."""
    return run_here


@pytest.fixture
def dynident(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command in an empty folder, as a user would."""

    def run(*arguments: object, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return run_here(cwd, *arguments)

    return run


@pytest.fixture(scope="session")
def reproduced_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reproduction")


@pytest.fixture(scope="session")
def reproduced(reproduced_folder: Path) -> Reproduction:
    """All experiments of the papers in their quick form, run once."""
    from dynident.reproduce import Size, papers_named, reproduce

    return reproduce(papers_named("all"), reproduced_folder, size=Size.QUICK)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs the command in this process, where variants can be registered; gives its exit code and what it said, in one line."""

    def run(*words: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((said.out + said.err).replace("│", " ").split())

    return run
