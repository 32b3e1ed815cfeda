"""dynident needs no network: every test of this suite runs without one, and so does every command that a test starts.

The ban is in `tests/offline/sitecustomize.py`; here is shown that it holds, in this process, in processes that it starts, and around the
whole chain: the demonstration (`tests/cli/test_demo.py`), the report and the code blocks of the documentation (`tests/docs`) run under it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.commands import OFFLINE
from tests.offline.sitecustomize import NetworkUsed, allow_network

#: A documentation address, which nothing answers to.
NOBODY = ("192.0.2.1", 80)


def test_no_connection_can_be_opened_here():
    with socket.socket() as caller, pytest.raises(NetworkUsed, match=r"socket\.connect of \('192\.0\.2\.1', 80\)"):
        caller.connect(NOBODY)


def test_no_name_is_looked_up():
    with pytest.raises(NetworkUsed, match=r"socket\.getaddrinfo of 'example\.org'"):
        urllib.request.urlopen("http://example.org")


def test_nothing_listens():
    with socket.socket() as listener, pytest.raises(NetworkUsed, match=r"socket\.bind"):
        listener.bind(("127.0.0.1", 0))


def test_what_a_test_drives_beside_dynident_may_be_exempt():
    with allow_network(), socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
    with socket.socket() as listener, pytest.raises(NetworkUsed):
        listener.bind(("127.0.0.1", 0))


@pytest.mark.parametrize("line", ["socket.create_connection(('192.0.2.1', 80))", "socket.socket().bind(('127.0.0.1', 0))"])
def test_a_command_that_a_test_starts_has_no_network_either(line):
    environment = {**os.environ, "PYTHONPATH": str(OFFLINE)}
    done = subprocess.run([sys.executable, "-c", f"import socket; {line}"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode != 0
    assert "NetworkUsed" in done.stderr


def test_processes_of_one_machine_still_talk(tmp_path: Path):
    """A pool talks through pipes, and a program through a socket that is a file."""
    with get_context("fork").Pool(1) as pool:
        assert pool.apply(abs, (-3,)) == 3
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
