"""The process that reads a foreign file ends with the one that began it, whatever ended that one, and by itself after its time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynident.core.isolation import read_apart
from dynident.errors import FileError

#: Prints the number of the reader, which then computes without end and holds Python's lock.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from dynident.core.isolation import read_apart
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which a shell may have told its children to ignore
def read(path):
    print(os.getpid(), flush=True)
    sum(range(10**15))
read_apart(read, Path(sys.argv[0]))
"""


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_reader_ends_with_its_parent(ended_by):
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    reader = int(parent.stdout.readline())
    parent.send_signal(ended_by)
    parent.wait(timeout=30)
    parent.stdout.close()
    assert _ends(reader)


def _ends(process: int) -> bool:
    """Whether a process is gone, or no more than an entry that nobody has collected yet, within a time that no load uses up."""
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    return False


def test_a_reader_without_end_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("dynident.core.isolation._LEAST_TIME", 1.0)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="can't be read within 1 s"):
        read_apart(lambda path: sum(range(10**15)), tmp_path / "file")
