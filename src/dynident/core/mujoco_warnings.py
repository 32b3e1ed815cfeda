"""MuJoCo's warnings kept from the terminal and from MUJOCO_LOG.TXT, which it would write into the user's folder.

What they say is judged by whoever calls MuJoCo: from the state that it computes, or from the exception that follows.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def silence_mujoco(mujoco: Any) -> Generator[None]:
    """No warning is printed or logged within; a handler of the user's own is there again afterwards."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_ignore)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _ignore(message: str) -> None:
    pass
