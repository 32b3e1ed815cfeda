"""Notebooks run by a kernel that talks through files, has no network, and whose commands run inside it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from unittest import mock

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

from tests.commands import OFFLINE

REPOSITORY = Path(__file__).parents[2]
#: What the kernel does before the first cell: a warning is an error, and so is a command with another exit code than its line says.
_PREPARATION = """
import warnings
from tests.commands import run_here
from tests.docs.commands import run_command
warnings.simplefilter("error")
warnings.filterwarnings("ignore", module="ipykernel")
get_ipython().system = lambda line: print(run_command(line, run_here))
"""


def execute(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of its cells, run in a folder; an error of a cell is raised."""
    executed = deepcopy(notebook)
    executed.cells.insert(0, new_code_cell(_PREPARATION))
    with _kernel_manager() as manager:
        NotebookClient(executed, km=manager, timeout=900, startup_timeout=300, resources={"metadata": {"path": str(folder)}}).execute(
            cleanup_kc=True
        )
    del executed.cells[0]
    return executed


@contextmanager
def _kernel_manager() -> Generator[AsyncKernelManager]:
    """Its kernel's sockets are files, with a path short enough for them."""
    paths = [str(OFFLINE), str(REPOSITORY), str(REPOSITORY / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": folder}
        with mock.patch.dict(os.environ, environment):
            yield AsyncKernelManager(transport="ipc", ip=f"{folder}/socket", connection_file=f"{folder}/kernel.json")
