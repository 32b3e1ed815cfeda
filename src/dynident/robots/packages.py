"""Where the files are that a description names: in the ROS packages around it, and on ROS's own paths."""

from __future__ import annotations

import os
from pathlib import Path


def package_folders(source: Path) -> list[Path]:
    """Folders that may hold packages: every one above the description, then ROS's own."""
    return [*source.resolve().parents, *ros_folders()]


def ros_folders() -> list[Path]:
    """The folders of packages that an installation of ROS has announced: ROS 2's, then ROS 1's."""
    words = {name: os.environ.get(name, "").split(os.pathsep) for name in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH")}
    found = [Path(word) / "share" for word in words["AMENT_PREFIX_PATH"] if word]
    return [folder for folder in [*found, *(Path(word) for word in words["ROS_PACKAGE_PATH"] if word)] if folder.is_dir()]
