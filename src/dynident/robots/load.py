"""`load_robot`: a library name, or a description read by the reader that its suffix, or what it begins with, chooses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from dynident.core.files import read_text
from dynident.core.options import takes
from dynident.core.xml import parse_xml
from dynident.errors import FileError, MissingFileError, UnknownNameError
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh import read_dh
from dynident.robots.formats.dh_table import read_dh_table
from dynident.robots.formats.mjcf import read_mjcf
from dynident.robots.formats.sdf import read_sdf
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.formats.urdf import read_urdf
from dynident.robots.mounting import Mounting
from dynident.robots.packages import Surroundings
from dynident.robots.robot import Robot

#: What stands for a description on the standard input.
STANDARD_INPUT = "-"


class Description(NamedTuple):
    """The text of a robot description. source : the file, or what stands for one; kind : a key of the readers; around : where it is."""

    source: str
    text: str
    kind: str
    around: Surroundings


@takes(Mounting)
def load_robot(path_or_name: str | Path, mounting: Mounting) -> Robot:
    """Read a robot description.

    Parameters
    ----------
    path_or_name : str or Path
        A file (.urdf; .xacro; .sdf; .xml, MJCF, URDF or SDF; .yaml or .yml, DH; .csv, a DH table), "-" for the standard input, or a library
        name (`library_names()`).
    mounting : Mounting
        Joints to lock, the chain that is used, gravity; its fields are keywords of this function.

    Returns
    -------
    Robot
        The tree of moving bodies, with limits, nominal parameters and notes.

    Raises
    ------
    FileError
        Where the file cannot be read or is not what it should be.
    UnknownNameError
        Where a library name, a joint or a link is not there.
    UnsupportedRobotError
        Where the robot is of a kind that dynident does not model.

    Examples
    --------
    >>> from dynident import load_robot
    >>> load_robot("panda", lock={"panda_joint7": 0.0}).n
    6
    """
    tree = _read(path_or_name, mounting)
    return build_robot(tree, lock=mounting.lock, base=mounting.base, tip=mounting.tip, gravity=mounting.gravity)


@cache
def library_names() -> tuple[str, ...]:
    """Names of the robots that come with dynident.

    Returns
    -------
    tuple of str
        Names that `load_robot` takes, in alphabetical order.

    Examples
    --------
    >>> from dynident import library_names
    >>> "panda" in library_names()
    True
    """
    files = resources.files("dynident.robots").joinpath("library").iterdir()
    return tuple(sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml")))


def urdf_text(robot: str | Path, mounting: Mounting) -> str | None:
    """The text of a URDF that is not a file by itself: macros expanded, or from the standard input. None for anything else."""
    if str(robot) in library_names() or Path(robot).suffix.lower() == ".urdf":
        return None
    description = read_description(robot, mounting)
    return description.text if description.kind == "urdf" else None


def read_description(path: str | Path, mounting: Mounting) -> Description:
    """The text of a description, macros expanded, and the kind of file that it is."""
    if str(path) == STANDARD_INPUT:
        source, text = "standard input", _standard_input()
        return Description(source, text, _kind(source, text), Surroundings(Path.cwd(), packages=mounting.packages or {}))
    file = Path(path)
    library = f"library robots: {', '.join(library_names())}"
    if not file.exists():
        if isinstance(path, str) and file.suffix == "" and len(file.parts) == 1:
            raise UnknownNameError("library robot", path, library_names(), remedy="or give the path of a file")
        raise MissingFileError(file, f"no such file; check the path, or use one of the {library}")
    if file.is_dir():
        raise FileError(file, f"is a folder; give a file in it ({', '.join(_SUFFIXES)}) or one of the {library}")
    suffix = file.suffix.lower()
    if suffix not in _SUFFIXES and file.is_file():
        raise FileError(file, f"unknown suffix {suffix!r}; known: {', '.join(_SUFFIXES)}, or one of the {library}")
    text, around = read_text(file), Surroundings.of_file(file, mounting.packages)  # once: a pipe can't be read again
    kind = _SUFFIXES.get(suffix) or _kind(str(file), text)
    if kind == "xacro" or (kind == "urdf" and "xacro:" in text):
        from dynident.robots.formats.xacro import expand_xacro

        return Description(str(file), expand_xacro(file, packages=mounting.packages, arguments=mounting.xacro_args), "urdf", around)
    return Description(str(file), text, kind, around)


def _read(path_or_name: str | Path, mounting: Mounting) -> SourceTree:
    if isinstance(path_or_name, str) and path_or_name in library_names():
        return _read_library(path_or_name)
    description = read_description(path_or_name, mounting)
    return _READERS[description.kind](description.source, description.text, description.around)


@cache
def _read_library(name: str) -> SourceTree:
    file = resources.files("dynident.robots").joinpath("library", f"{name}.yaml")
    return replace(read_dh(file.name, file.read_text(encoding="utf-8")), source=f"library robot {name}")


@cache
def _standard_input() -> str:
    """What comes in there, which can be read once."""
    text = sys.stdin.read()
    if not text.strip():
        raise FileError("standard input", "is empty, or closed; pipe the description of a robot into it")
    return text


def _kind(source: str, text: str) -> str:
    """What a text is where no suffix says it: by its root element, or DH where it is not XML."""
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return "dh"
    root = parse_xml(source, text).tag
    kind = {"robot": "urdf", "sdf": "sdf", "mujoco": "mjcf"}.get(root)
    if kind is None:
        raise FileError(source, f"the root element is <{root}>; <robot> (URDF), <mujoco> (MJCF) or <sdf> was expected")
    return kind


#: A new format is one reader and its lines here.
_READERS: dict[str, Callable[[str, str, Surroundings], SourceTree]] = {
    "urdf": read_urdf,
    "mjcf": read_mjcf,
    "sdf": read_sdf,
    "dh": lambda source, text, _: read_dh(source, text),
    "dh table": lambda source, text, _: read_dh_table(source, text),
}
#: The kind of a file by its suffix; empty where its content tells.
_SUFFIXES = {
    ".urdf": "urdf",
    ".xacro": "xacro",
    ".sdf": "sdf",
    ".world": "sdf",
    ".xml": "",
    ".yaml": "dh",
    ".yml": "dh",
    ".csv": "dh table",
}
