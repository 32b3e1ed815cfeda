"""A repaired robot as a file: the URDF or MJCF it came from with new inertial numbers, a DH file, or plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dynident.core.arrays import Array
from dynident.core.files import json_text, read_bytes
from dynident.core.xml import XmlText
from dynident.errors import FileError, require
from dynident.links.repairs.document import RepairDocument
from dynident.links.repairs.repair import Repair
from dynident.robots.formats.inertial_text import check_editable, set_inertials
from dynident.robots.robot import Robot

_NOTE = "The inertias are not those of the description any more, to which the other notes refer: they were made physically consistent."
SUFFIXES = (".urdf", ".xml", ".yaml", ".yml", ".json")
#: Root elements of the descriptions that are patched into a file of that suffix.
_ROOTS = {".urdf": ("robot",), ".xml": ("robot", "mujoco")}


def check_suffix(robot: Robot, target: Path, description: str | None = None) -> None:
    """FileError unless the robot can be written to such a file; to be asked before the work. description : as for `repaired_text`."""
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(target, f"unknown suffix {suffix!r}; known: {', '.join(SUFFIXES)}")
    if suffix in _ROOTS and _description(robot, target, description) is None:
        raise FileError(
            target, f"a URDF or MJCF can only be written for a robot that was read from one, not from {robot.source}; use .yaml or .json"
        )


def repaired_text(repair: Repair, target: Path, description: str | None = None) -> bytes:
    """The content of the file that holds the repaired robot, in the form that its suffix names.

    description : the text of the URDF, where the robot's source is not that file (xacro, the standard input).
    """
    check_suffix(repair.robot, target, description)
    suffix = target.suffix.lower()
    if suffix in _ROOTS:
        content = require(_description(repair.robot, target, description), "the robot's description")
        return with_inertials(repair.robot.source, content, {link.name: link.after for link in repair.changed})
    if suffix == ".json":
        return json_text(RepairDocument.of(repair)).encode()
    if not repair.changed:
        return repair.robot.to_dh_yaml().encode()
    robot = repair.robot.with_parameters(repair.parameters())
    return replace(robot, notes=(_NOTE, *robot.notes)).to_dh_yaml().encode()


def with_inertials(path: str | Path, content: bytes, parameters: Mapping[str, Array]) -> bytes:
    """A URDF or MJCF with other numbers in the <inertial> of the named links, (10,) in their own frames; all else stays, byte by byte."""
    text = XmlText(content)
    if text.root.tag == "mujoco":
        check_editable(path, text.root)
    set_inertials(path, text, parameters, keep_axes=True)
    return text.result()


def _description(robot: Robot, target: Path, description: str | None) -> bytes | None:
    """The URDF or MJCF that can be patched into such a file; None where there is none."""
    source = Path(robot.source)
    if description is None and (source.suffix.lower() not in _ROOTS or not source.is_file()):
        return None
    content = read_bytes(source) if description is None else description.encode()
    return content if XmlText(content).root.tag in _ROOTS[target.suffix.lower()] else None
