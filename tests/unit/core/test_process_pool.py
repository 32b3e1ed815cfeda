"""Workers end with the process that began them, whatever ended that one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

POOL = r"""
import os, time
from dynident.core.parallel import process_pool

def work(_):
    os.write(1, f"{os.getpid()}\n".encode())  # in one piece
    time.sleep(60.0)

with process_pool(2) as pool:
    list(pool.map(work, range(2)))
"""


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_do_not_outlive_their_parent(how):
    with subprocess.Popen([sys.executable, "-c", POOL], stdout=subprocess.PIPE, text=True) as parent:
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(is_there(worker) for worker in workers)
        parent.send_signal(how)
        assert parent.stdout.read() == ""  # returns once nobody holds the pipe
    deadline = time.monotonic() + 30.0
    while any(is_there(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(is_there(worker) for worker in workers)
