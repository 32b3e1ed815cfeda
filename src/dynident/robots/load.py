"""`load_robot`: a library name, or a file read by the reader that its suffix chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from numpy.typing import ArrayLike

from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError, UnknownNameError
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh import read_dh
from dynident.robots.formats.source_tree import SourceTree, tree_of_robot
from dynident.robots.robot import Robot

Reader = Callable[[Path], SourceTree | Robot]


def load_robot(
    path_or_name: str | Path,
    *,
    lock: Mapping[str, float] | None = None,
    base: str | None = None,
    tip: str | None = None,
    gravity: ArrayLike | None = None,
) -> Robot:
    """Read a robot description.

    path_or_name   A file (.urdf; .xml, MJCF or URDF; .yaml or .yml, DH) or a library name (`library_names()`).
    lock           Joint positions [rad | m] to lock, by name or pattern: {"panda_finger_joint*": 0.02}.
    base, tip      Links between which the chain runs; what that keeps and drops is written at `build_robot`.
    gravity        (3,) gravity in the base frame [m/s²]; default: the file's, else (0, 0, -9.80665).

    Raises FileError, UnknownNameError or UnsupportedRobotError, each one sentence with the remedy.
    """
    content = _read(path_or_name)
    if isinstance(content, Robot):
        if not lock and base is None and tip is None:
            return content if gravity is None else content.with_gravity(gravity)
        content = tree_of_robot(content)
    return build_robot(content, lock=lock or {}, base=base, tip=tip, gravity=gravity)


@cache
def library_names() -> tuple[str, ...]:
    """Names of the robots that come with dynident."""
    files = resources.files("dynident.robots").joinpath("library").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))


def _read(path_or_name: str | Path) -> SourceTree | Robot:
    if isinstance(path_or_name, str) and path_or_name in library_names():
        return _read_library(path_or_name)
    path = Path(path_or_name)
    library = f"library robots: {', '.join(library_names())}"
    if not path.exists():
        if isinstance(path_or_name, str) and path.suffix == "" and len(path.parts) == 1:
            raise UnknownNameError("library robot", path_or_name, library_names(), remedy="or give the path of a file")
        raise FileError(path, f"no such file; check the path, or use one of the {library}")
    if path.is_dir():
        raise FileError(path, f"is a folder; give a file in it ({', '.join(_READERS)}) or one of the {library}")
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise FileError(path, f"unknown suffix {suffix!r}; known: {', '.join(_READERS)}, or one of the {library}")
    return _READERS[suffix](path)


def _read_library(name: str) -> Robot:
    with resources.as_file(resources.files("dynident.robots").joinpath("library", f"{name}.yaml")) as file:
        return replace(read_dh(file), source=f"library robot {name}")


def _read_urdf(path: str | Path) -> SourceTree:
    from dynident.robots.formats.urdf import read_urdf

    return read_urdf(path)


def read_xml(path: str | Path) -> SourceTree:
    """URDF or MJCF, by the root element."""
    root = parse_xml(path, read_text(path)).tag
    if root == "robot":
        return _read_urdf(path)
    if root != "mujoco":
        raise FileError(path, f"the root element is <{root}>; <mujoco> (MJCF) or <robot> (URDF) was expected")
    from dynident.robots.formats.mjcf import read_mjcf

    return read_mjcf(path)


#: A new format is one reader and one line here. Readers import their parser when they are used, not before.
_READERS: dict[str, Reader] = {".urdf": _read_urdf, ".xml": read_xml, ".yaml": read_dh, ".yml": read_dh}
