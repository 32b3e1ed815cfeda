"""The command line in the process of the tests: the same words, exit code and two streams as the installed command, without its start."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Generator
from contextlib import ExitStack, chdir, contextmanager
from io import TextIOWrapper
from pathlib import Path
from unittest import mock

from dynident.cli import main
from dynident.cli.overview import VERBS
from tests.schemas import check_printed

#: What a user types, as pip installed it.
INSTALLED = Path(sys.executable).parent / "dynident"
#: Holds the module that Python imports when it starts, and that forbids the network.
OFFLINE = Path(__file__).parent / "offline"


def run_installed(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Starts the command as a process of its own, which has no network."""
    words = [INSTALLED, *map(str, arguments)]
    paths = [str(OFFLINE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300, check=False, env=environment)


def run_here(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Does what the installed command does. A warning of Python is an error here, where the process would print it."""
    words = ["dynident", *map(str, arguments)]
    code = 0
    with ExitStack() as stack:
        streams = [stack.enter_context(_redirected(number, name)) for number, name in ((1, "stdout"), (2, "stderr"))]
        stack.enter_context(mock.patch.object(sys, "stdin", stack.enter_context(open(os.devnull))))
        stack.enter_context(mock.patch.object(sys, "argv", words))
        stack.enter_context(mock.patch.object(sys, "warnoptions", ["error"]))  # or the command would silence them
        stack.enter_context(mock.patch.object(logging.getLogger(), "handlers", []))  # pytest has its own, a process has none
        stack.enter_context(chdir(cwd))
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception:  # noqa: BLE001 (a process prints it too)
            traceback.print_exc()
            code = 1
        printed = [_content(stream) for stream in streams]
    if "--json" in words and printed[0]:
        check_printed(next(word for word in words if word in VERBS), printed[0])
    return subprocess.CompletedProcess(words, code, *printed)


@contextmanager
def _redirected(number: int, name: str) -> Generator[TextIOWrapper]:
    """A file in place of the stream, for Python and for everything else that writes to its descriptor."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        assert isinstance(file, TextIOWrapper)
        kept = os.dup(number)
        os.dup2(file.fileno(), number)
        try:
            with mock.patch.object(sys, name, file):
                yield file
        finally:
            os.dup2(kept, number)
            os.close(kept)


def _content(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
