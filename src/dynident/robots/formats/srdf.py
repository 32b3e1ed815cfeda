"""SRDF: which links of a URDF need not be kept apart, as MoveIt's assistant writes it beside the URDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError

#: Folders in which the SRDF of a URDF is looked for, from the URDF's own.
_FOLDERS = (".", "../srdf", "../config")


def find_srdf(urdf: Path, name: str) -> Path | None:
    """The SRDF of a URDF: that of the same file name, or the only one in a folder if it is about a robot of this name."""
    folders = [folder for folder in (urdf.parent / place for place in _FOLDERS) if folder.is_dir()]
    same = next((file for folder in folders if (file := folder / f"{urdf.stem}.srdf").is_file()), None)
    if same is not None:
        return same
    for folder in folders:
        files = sorted(folder.glob("*.srdf"))
        if len(files) == 1 and _root(files[0]).get("name") == name:
            return files[0]
    return None


def read_srdf(file: Path) -> frozenset[tuple[str, str]]:
    """Pairs of links, each in alphabetical order, that may touch."""
    pairs: set[tuple[str, str]] = set()
    for number, element in enumerate(_root(file).findall("disable_collisions"), start=1):
        links = [element.get(key, "").strip() for key in ("link1", "link2")]
        if not all(links):
            raise FileError(file, "needs link1 and link2; remove it, or name two links", place=f"<disable_collisions> {number}")
        pairs.add((min(links), max(links)))
    return frozenset(pairs)


def _root(file: Path) -> Element:
    root = parse_xml(file, read_text(file))
    if root.tag != "robot":
        raise FileError(file, f"the root element is <{root.tag}>; <robot> was expected in an SRDF")
    return root
