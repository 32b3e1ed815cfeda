"""SRDF: which links of a URDF need not be kept apart, as MoveIt's assistant writes it beside the URDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from dynident.core.files import read_text
from dynident.core.texts import listing
from dynident.core.xml import parse_xml
from dynident.errors import FileError

#: Folders in which the SRDF of a URDF is looked for, from the URDF's own.
_FOLDERS = (".", "../srdf", "../config")
#: Reasons for which a pair can't touch. MoveIt also writes Default (they touch in the default pose), Always and User.
BELIEVED = ("Never", "Adjacent")


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


@dataclass(frozen=True)
class Srdf:
    """What an SRDF says of pairs of links, each in alphabetical order.

    Attributes
    ----------
    separate : frozenset
        Pairs that are neighbours, or that were never seen to touch: their distance need not be checked.
    doubted : dict
        Pairs that are switched off for another reason, and that reason. "Default" means that they touch in the pose in which the
        assistant looked, which a motion may pass through; their distance is checked.
    """

    file: Path
    separate: frozenset[tuple[str, str]]
    doubted: Mapping[tuple[str, str], str]

    @property
    def note(self) -> str:
        """Which file was used, and which of its pairs are checked all the same."""
        used = f"distances of links that {self.file.name} lists as Never or Adjacent ({len(self.separate)} pairs) are not checked"
        pairs = [f"{a} and {b} ({reason or 'no reason'})" for (a, b), reason in sorted(self.doubted.items())]
        return used + (f"; others that it switches off are checked: {listing(pairs, 8)}" if pairs else "")


def read_srdf(file: Path) -> Srdf:
    """The pairs of links whose collisions an SRDF switches off."""
    pairs: dict[tuple[str, str], str] = {}
    for number, element in enumerate(_root(file).findall("disable_collisions"), start=1):
        first, second = (element.get(key, "").strip() for key in ("link1", "link2"))
        if not (first and second):
            raise FileError(file, "needs link1 and link2; remove it, or name two links", place=f"<disable_collisions> {number}")
        pairs[min(first, second), max(first, second)] = element.get("reason", "").strip()
    separate = frozenset(pair for pair, reason in pairs.items() if reason in BELIEVED)
    return Srdf(file, separate, {pair: reason for pair, reason in pairs.items() if pair not in separate})


def _root(file: Path) -> Element:
    root = parse_xml(file, read_text(file))
    if root.tag != "robot":
        raise FileError(file, f"the root element is <{root.tag}>; <robot> was expected in an SRDF")
    return root
