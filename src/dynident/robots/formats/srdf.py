"""SRDF: which links of a URDF need not be kept apart, as MoveIt's assistant writes it beside the URDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from dynident.core.files import read_text
from dynident.core.texts import listing
from dynident.core.xml import parse_xml
from dynident.errors import FileError
from dynident.robots.packages import Surroundings

#: Folders in which the SRDF of a URDF is looked for, from the URDF's own.
_FOLDERS = (".", "../srdf", "../config")
#: Reasons for which a pair can't touch. MoveIt also writes Default (they touch in the default pose), Always and User.
BELIEVED = ("Never", "Adjacent")


def read_apart_pairs(around: Surroundings, name: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Pairs of links, each in alphabetical order, that the SRDF of a URDF keeps apart, and notes about it. name : of the robot.

    An SRDF that cannot be read is a note, for then all pairs are checked. So are pairs that it switches off for another reason: "Default"
    means that they touch in the pose in which the assistant looked, which a motion may pass through.
    """
    try:
        file = _find_srdf(around, name)
        reasons = {} if file is None else _read_reasons(file)
    except FileError as error:
        return (), (f"all pairs of links are checked, because the SRDF cannot be read: {error}",)
    if file is None:
        return (), ()
    apart = tuple(sorted(pair for pair, reason in reasons.items() if reason in BELIEVED))
    doubted = [f"{a} and {b} ({reason or 'no reason'})" for (a, b), reason in sorted(reasons.items()) if reason not in BELIEVED]
    used = f"distances of links that {file.name} lists as Never or Adjacent ({len(apart)} pairs) are not checked"
    return apart, (used + (f"; others that it switches off are checked: {listing(doubted, 8)}" if doubted else ""),)


def _find_srdf(around: Surroundings, name: str) -> Path | None:
    """The SRDF of a URDF: that of the same file name, or the only one in a folder if it is about a robot of this name."""
    folders = [folder for folder in (around.folder / place for place in _FOLDERS) if folder.is_dir()]
    same = next((file for folder in folders if around.stem and (file := folder / f"{around.stem}.srdf").is_file()), None)
    if same is not None:
        return same
    for folder in folders:
        files = sorted(folder.glob("*.srdf"))
        if len(files) == 1 and _root(files[0]).get("name") == name:
            return files[0]
    return None


def _read_reasons(file: Path) -> dict[tuple[str, str], str]:
    """Why an SRDF switches off the collisions of pairs of links, by pair."""
    reasons: dict[tuple[str, str], str] = {}
    for number, element in enumerate(_root(file).findall("disable_collisions"), start=1):
        first, second = (element.get(key, "").strip() for key in ("link1", "link2"))
        if not (first and second):
            raise FileError(file, "needs link1 and link2; remove it, or name two links", place=f"<disable_collisions> {number}")
        reasons[min(first, second), max(first, second)] = element.get("reason", "").strip()
    return reasons


def _root(file: Path) -> Element:
    root = parse_xml(file, read_text(file))
    if root.tag != "robot":
        raise FileError(file, f"the root element is <{root.tag}>; <robot> was expected in an SRDF")
    return root
