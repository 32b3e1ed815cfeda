"""What a file describes, link by link, before anything is locked or lumped: the readers' common output."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError
from dynident.robots.robot import STANDARD_GRAVITY, Joint, Robot


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceLink:
    """One link of a file; its frame is the one in which its parameters are given.

    parent : int                Index of the parent link, -1 for the root.
    placement : (4, 4)          Pose of the joint frame at q = 0 (of the link itself where it is rigid) in the parent link.
    after : (4, 4)              Pose of the link in the moved joint frame.
    own : (4, 4)                Pose of the file's own frame of this link, where it is not the parameter frame.
    joint : Joint or None       How it moves (its placement and parent are not used); None when rigid.
    coupling : str              Why the joint can't be free ("mimics joint 'a'"); empty when it can.
    parameters : (10,) or None  Inertial parameters, None when the file has none for it.
    """

    name: str
    parent: int
    frame: str = ""
    placement: Array = field(default_factory=lambda: np.eye(4))
    after: Array = field(default_factory=lambda: np.eye(4))
    own: Array = field(default_factory=lambda: np.eye(4))
    joint: Joint | None = None
    coupling: str = ""
    parameters: Array | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceTree:
    """All links of a file, the root first and a parent before its children. `tool` is a pose in the last link."""

    name: str
    source: str
    links: tuple[SourceLink, ...]
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    tool: Array = field(default_factory=lambda: np.eye(4))
    notes: tuple[str, ...] = ()

    def index(self, name: str) -> int:
        names = [link.name for link in self.links]
        if name not in names:
            raise UnknownNameError("link", name, names, remedy=f"in {self.source}")
        return names.index(name)

    def path(self, index: int) -> list[int]:
        """Links from the root to `index`, itself included."""
        chain: list[int] = []
        while index >= 0:
            chain.append(index)
            index = self.links[index].parent
        return chain[::-1]


def tree_of_robot(robot: Robot) -> SourceTree:
    """The tree of a robot read from a DH file (one link per body), so that its joints can be locked; its root is called base."""
    links = [SourceLink(name="base", parent=-1)]
    for joint, link in zip(robot.joints, robot.links, strict=True):
        links.append(
            SourceLink(
                name=link.name,
                parent=joint.parent + 1,
                frame=link.frame,
                placement=joint.placement,
                after=link.placement,
                joint=joint,
                parameters=link.parameters,
            )
        )
    return SourceTree(name=robot.name, source=robot.source, links=tuple(links), gravity=robot.gravity, tool=robot.tool, notes=robot.notes)
