"""Which part of a robot description is used, and how the robot is mounted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from dynident.core.kinds import each, instance, kind_of, number, pairs
from dynident.core.options import Options, option

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:
    ArrayLike = object

_LOCK = pairs(kind_of(str), number("rad | m"), metavar="JOINT=VALUE", example="finger_joint1=0.02")
_FOLDER = instance((str, Path), "a folder", {"type": "string"}, metavar="FOLDER")
_GRAVITY = each([number("m/s²")] * 3, example="0,0,-9.80665")


@dataclass(frozen=True, kw_only=True)
class Mounting(Options):
    """What of a description is used, and how the robot is mounted.

    Attributes
    ----------
    lock : mapping
        Joint positions [rad | m] to lock, by name or pattern: {"panda_finger_joint*": 0.02}.
    base, tip : str
        Links between which the chain runs; what that keeps and drops is written at `build_robot`.
    packages : mapping
        Folders of ROS packages that a xacro file needs, by name, where they are not beside it.
    xacro_args : mapping
        Arguments of a xacro file, by name.
    gravity : (3,) array_like
        Gravity in the base frame [m/s²]; by default the file's, else (0, 0, -9.80665).
    """

    title: ClassVar[str] = "The robot"

    lock: Annotated[Mapping[str, float], _LOCK] | None = option(None, "Fix a joint at a value (rad or m); * stands for any characters.")
    base: str | None = option(None, "Use the chain that starts at this link; joints that hang off it must be locked.", metavar="LINK")
    tip: str | None = option(None, "Use the chain that ends at this link.", metavar="LINK")
    packages: Annotated[Mapping[str, str | Path], pairs(kind_of(str), _FOLDER, metavar="NAME=FOLDER")] | None = option(
        None, "Where a ROS package is that a xacro file needs.", flag="--package"
    )
    xacro_args: Annotated[Mapping[str, str], pairs(kind_of(str), kind_of(str), separator=":=")] | None = option(
        None, "Argument of a xacro file.", flag="--xacro-arg"
    )
    gravity: Annotated[ArrayLike, _GRAVITY] | None = option(
        None, "Gravity in the base frame (m/s²), for a robot that is not mounted upright."
    )
