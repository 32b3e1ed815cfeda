"""A robot's description in another format, with the numbers that it has: URDF, MJCF or a DH file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynident.errors import FileError
from dynident.exports.export_model import ExportModel
from dynident.exports.registry import export
from dynident.parameters import PARAMETERS_PER_LINK
from dynident.robots.robot import Robot

#: Formats by suffix: an export target, or DH.
FORMATS = {".urdf": "urdf", ".xml": "mjcf", ".yaml": "dh", ".yml": "dh"}


def convert(robot: Robot, path: str | Path) -> tuple[str, tuple[str, ...]]:
    """The text of the robot's description in the format that the path's suffix names, and what it lacks; nothing is written.

    URDF and MJCF are compared with this description in another engine first. Links without inertias have none in a URDF.
    """
    target = FORMATS.get(Path(path).suffix.lower())
    if target is None:
        raise FileError(path, f"unknown suffix {Path(path).suffix!r}; known: {', '.join(FORMATS)}")
    if target == "dh":
        return robot.to_dh_yaml(), ()
    without = [link.name for link in robot.links if link.parameters is None]
    if without and target == "mjcf":
        raise FileError(robot.source, f"gives no inertia for {', '.join(without)}, and MuJoCo needs one; convert to .urdf or .yaml")
    rows = [np.zeros(PARAMETERS_PER_LINK) if link.parameters is None else link.parameters for link in robot.links]
    model = ExportModel(robot=robot, parameters=np.array(rows), provenance=f"converted from {Path(robot.source).name}")
    exported = export(model, target, force=True)
    return next(iter(exported.files.values())).decode("utf-8"), exported.notes
