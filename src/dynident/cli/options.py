"""Options that several verbs share, and how their text becomes values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated

import typer

from dynident.errors import ValueRangeError

RobotArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A .urdf, .xml (MJCF) or .yaml (DH) file, or a library name such as panda.")
]
Lock = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="JOINT=VALUE", help="Fix a joint at a value (rad or m); * stands for any characters. Repeatable."),
]
Base = Annotated[str | None, typer.Option("--base", metavar="LINK", help="Use the chain that starts at this link.")]
Tip = Annotated[str | None, typer.Option("--tip", metavar="LINK", help="Use the chain that ends at this link.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def parse_locks(pairs: Iterable[str] | None) -> dict[str, float]:
    """{"joint": value} of "joint=value" words; ValueRangeError names the word that isn't one."""
    locks: dict[str, float] = {}
    for pair in pairs or ():
        joint, equals, text = pair.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (joint and equals and math.isfinite(value)):
            raise ValueRangeError("--lock", f"got {pair!r}; JOINT=VALUE with a finite number was expected, such as finger_joint1=0.02")
        if joint in locks:
            raise ValueRangeError("--lock", f"names the joint {joint!r} twice; give it one value")
        locks[joint] = value
    return locks
