"""No connection leaves a process that imports this: Python tells before every one, and is answered with an error.

The tests import it, and hand its folder to the commands that they start, whose Python imports a module of this name by itself. Sockets of
files, with which processes of one machine talk, are none of the network.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

_EVENTS = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"})
_allowed = False


class NetworkUsed(BaseException):
    """Something asked for the network; no Exception, so that no program takes it for a network that is down."""


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _EVENTS or _allowed:
        return
    address = arguments[0] if event.startswith("socket.get") else arguments[1]
    if isinstance(address, tuple) or event.startswith("socket.get"):
        raise NetworkUsed(f"{event} of {address!r}; dynident needs no network")


@contextmanager
def allow_network() -> Generator[None]:
    """Within, connections are as usual: for what the tests drive beside dynident, such as a browser."""
    global _allowed
    before, _allowed = _allowed, True
    try:
        yield
    finally:
        _allowed = before


sys.addaudithook(_refuse)
