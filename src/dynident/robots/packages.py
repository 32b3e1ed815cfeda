"""Where the files are that a description names: beside it, in the ROS packages around it, and on ROS's own paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError

_SCHEMES = ("package://", "model://")


@dataclass(frozen=True)
class Surroundings:
    """Where a description is.

    Attributes
    ----------
    folder : Path
        In which it is, or in which its reader works where it is no file.
    stem : str
        Its file's name without suffixes; empty where it is no file.
    packages : mapping
        Folders of ROS packages by name, given by the user.
    """

    folder: Path
    stem: str = ""
    packages: Mapping[str, str | Path] = field(default_factory=dict[str, str | Path])

    @classmethod
    def of_file(cls, file: Path, packages: Mapping[str, str | Path] | None = None) -> Surroundings:
        stem = file.name
        while Path(stem).suffix.lower() in (".xacro", ".urdf", ".xml"):
            stem = Path(stem).stem
        return cls(file.parent, stem, packages or {})

    def find_mesh(self, name: str) -> str:
        """The absolute path of a mesh's file; its name where there is none."""
        plain, folder = unquote(name.removeprefix("file://")), self.folder.resolve()
        scheme = next((scheme for scheme in _SCHEMES if plain.startswith(scheme)), None)
        if scheme is None:
            return str(folder / plain) if os.path.isfile(folder / plain) else name
        inside = plain.removeprefix(scheme).lstrip("/")
        package, _, rest = inside.partition("/")
        folders = [folder, *folder.parents, *ros_folders()]
        candidates = [Path(self.packages[package]).resolve() / rest] if package in self.packages else []
        candidates += [above / inside for above in folders] + [above / rest for above in folders if above.name == package]
        renamed = (above / rest for above in folder.parents if package_name(above / "package.xml") == package)
        return next((str(file) for file in chain(candidates, renamed) if os.path.isfile(file)), name)


def package_name(manifest: Path) -> str:
    """Of a package.xml; the folder's where that can't be read."""
    try:
        name = parse_xml(manifest, read_text(manifest)).findtext("name") if manifest.is_file() else None
    except FileError:
        name = None
    return (name or manifest.parent.name).strip()


def ros_folders() -> list[Path]:
    """The folders of packages that an installation of ROS has announced: ROS 2's, then ROS 1's."""
    words = {name: os.environ.get(name, "").split(os.pathsep) for name in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH")}
    folders = [Path(word) / "share" for word in words["AMENT_PREFIX_PATH"] if word]
    return [folder for folder in [*folders, *(Path(word) for word in words["ROS_PACKAGE_PATH"] if word)] if folder.is_dir()]
