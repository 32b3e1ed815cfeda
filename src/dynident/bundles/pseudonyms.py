"""Neutral names for those that people, robots and files have, the same in everything that is written about one run.

Robot, joints, links and files are known by their own names, and are called robot, joint1, link1, data1.csv. Whatever else looks like a
path or a file in a sentence is taken out as well.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

from dynident.robots.robot import Robot

Kind: TypeAlias = Literal["joint", "link", ""]
#: A shorter name is replaced where it stands alone, and not within a sentence: it would be a part of other words.
_SHORTEST = 3
#: Accounts and machines that many people have: no secret, and words of sentences.
_COMMON = frozenset({"root", "user", "admin", "ubuntu", "runner", "localhost", "home", "data", "robot"})
_PART = r"[^\s'\"(),;:|<>/\\]+"
#: A path from the root, the home or this folder, or of a disk of Windows; and what ends like a file.
_PATH = rf"(?<![\w.·)])(?:~|\.\.?)?/{_PART}(?:/{_PART})*/?|(?<!\w)[A-Za-z]:\\{_PART}(?:\\{_PART})*"
_SUFFIX = r"(?:csv|npz|npy|mat|h5|hdf5|parquet|mcap|db3|bag|txt|urdf|xacro|sdf|xml|srdf|ya?ml|json|html|zip|py|stl|dae|obj)"
_FILE = rf"{_PART}(?:[/\\]{_PART})*\.{_SUFFIX}(?!\w)"
_PLACES = re.compile(f"{_PATH}|{_FILE}", re.IGNORECASE)
_NEUTRAL_FRAME = re.compile(r"(modified|standard) DH frame \d+")


@dataclass(frozen=True, kw_only=True)
class Pseudonyms:
    """The neutral name of each name that is known.

    joints, links : by the robot's own names; others : of the robot, its parts, files, folders, and of who works where.
    kept : names of files that mean nothing by themselves, such as those of a run folder.
    """

    joints: Mapping[str, str]
    links: Mapping[str, str]
    others: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: frozenset[str] = frozenset()

    @staticmethod
    def of(robot: Robot, *, joints: Iterable[str] = (), files: Iterable[str] = (), places: Iterable[str] = ()) -> Pseudonyms:
        """joints : names in the data, which may be more than the robot's; files : of the data; places : other files and folders."""
        of_joints = {name: f"joint{j + 1}" for j, name in enumerate(robot.joint_names)}
        unknown = [name for name in dict.fromkeys(joints) if name not in of_joints]
        of_joints |= {name: f"unused{j + 1}" for j, name in enumerate(unknown)}
        of_links = {name: f"link{j + 1}" for j, name in enumerate(robot.link_names)}
        parts = [name for link in robot.links for name in link.sources if name not in of_links]
        others = _first({name: f"part{k + 1}" for k, name in enumerate(dict.fromkeys(parts))}, of_joints, of_links)
        base = [name for name in dict.fromkeys(robot.base_sources) if name not in others]
        others |= _first({name: f"base{k + 1}" for k, name in enumerate(base)}, of_joints, of_links)
        for name in filter(None, (robot.name, robot.source, PurePath(robot.source).name, PurePath(robot.source).stem)):
            others.setdefault(name, "robot")
        for k, name in enumerate(dict.fromkeys(files)):
            others.setdefault(name, f"data{k + 1}{_suffix(name)}")
        for k, name in enumerate(dict.fromkeys(place for place in places if place)):
            others.setdefault(name, others.get(PurePath(name).name) or f"place{k + 1}{_suffix(name)}")
        return Pseudonyms(joints=of_joints, links=of_links, others=others | _of_people())

    def keeping(self, names: Iterable[str]) -> Pseudonyms:
        """The same, and these files keep their names."""
        others = {name: neutral for name, neutral in self.others.items() if name not in set(names)}
        return Pseudonyms(joints=self.joints, links=self.links, others=others, kept=frozenset(names))

    @cached_property
    def all(self) -> dict[str, str]:
        """Of all kinds; where a joint and a link have one name, the joint's."""
        return {**self.others, **self.links, **self.joints}

    @cached_property
    def _within(self) -> re.Pattern[str]:
        """Names in a sentence, longest first: one name may be a part of another."""
        known = [name for name in self.all if len(re.findall(r"\w", name)) >= _SHORTEST]
        words = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words else r"(?!)")

    def of_name(self, name: str, kind: Kind = "") -> str:
        """Of a text that is a name, or a sentence about some."""
        if kind == "link" and name in self.links:
            return self.links[name]
        return self.all.get(name) or self.of_text(name)

    def of_text(self, text: str) -> str:
        """A sentence without the names that are known, and without paths and files."""
        pieces: list[str] = []
        end = 0
        for found in self._within.finditer(text):
            pieces += [_without_places(text[end : found.start()], self.kept), self.all[found[0]]]
            end = found.end()
        return "".join([*pieces, _without_places(text[end:], self.kept)])

    def of_frame(self, frame: str, number: int) -> str:
        return frame if _NEUTRAL_FRAME.fullmatch(frame) else f"frame of link{number}"


def _first(names: dict[str, str], *known: Mapping[str, str]) -> dict[str, str]:
    return {name: neutral for name, neutral in names.items() if not any(name in other for other in known)}


def _of_people() -> dict[str, str]:
    """Who works on which machine, as far as that is more than a common word."""
    home = str(Path.home())
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        user = ""
    found = {home: "home", Path(home).name: "user", user: "user", socket.gethostname(): "host"}
    return {name: neutral for name, neutral in found.items() if len(name) >= _SHORTEST and name.lower() not in _COMMON}


def _suffix(name: str) -> str:
    """That of a file, where it is a common one."""
    suffix = PurePath(name).suffix.lower()
    return suffix if re.fullmatch(rf"\.{_SUFFIX}", suffix) else ""


def _without_places(text: str, kept: frozenset[str]) -> str:
    return _PLACES.sub(lambda found: found[0] if found[0] in kept else f"file{_suffix(found[0])}", text)
