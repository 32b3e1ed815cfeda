"""What a file describes, link by link, before anything is locked or lumped: the readers' common output."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError
from dynident.robots.body import ENDLESS
from dynident.robots.link_shapes import LinkShape
from dynident.robots.robot import STANDARD_GRAVITY, Joint


class Held(NamedTuple):
    """A joint that no model here can move. why : what it is, as a sentence; it matters only where the joint is part of what is built."""

    joint: str
    why: str


class Leader(NamedTuple):
    """The joint that another follows: position = ratio · leader's position + offset."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


class Closure(NamedTuple):
    """Two links (indices) that something beside the joints ties to each other: a loop."""

    links: tuple[int, int]
    why: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceLink:
    """One link of a file; its frame is the one in which its parameters are given.

    parent : int                Index of the parent link, -1 for the root.
    placement : (4, 4)          Pose of the joint frame at q = 0 (of the link itself where it is rigid) in the parent link.
    after : (4, 4)              Pose of the link in the moved joint frame.
    own : (4, 4)                Pose of the file's own frame of this link, where it is not the parameter frame.
    joint : Joint or None       How it moves (its placement and parent are not used); None when rigid.
    held : Held or None         Its joint where it is one that can't be modelled (floating, ball); it is then rigid here.
    coupling : str              Why the joint can't be free ("mimics joint 'a'"); empty when it can.
    leader : Leader or None     The joint that it follows, where the file names one.
    parameters : (10,) or None  Inertial parameters, None when the file has none for it.
    shapes : tuple              What is drawn of it and what collides, in the file's own frame.
    """

    name: str
    parent: int
    frame: str = ""
    placement: Array = field(default_factory=lambda: np.eye(4))
    after: Array = field(default_factory=lambda: np.eye(4))
    own: Array = field(default_factory=lambda: np.eye(4))
    joint: Joint | None = None
    held: Held | None = None
    coupling: str = ""
    leader: Leader | None = None
    parameters: Array | None = None
    shapes: tuple[LinkShape, ...] = ()

    def __post_init__(self) -> None:
        if self.joint is not None:
            object.__setattr__(self, "joint", without_endless_limits(self.joint))


def spring_notes(joints: Sequence[str]) -> Iterator[str]:
    """That springs of these joints are left out."""
    if joints:
        yield f"the springs of {', '.join(joints)} are left out: torques that depend on the position so are not modelled"


def without_endless_limits(joint: Joint) -> Joint:
    """The joint without limits that stand for none, as files have them."""

    def limit(value: float) -> float:
        return math.copysign(math.inf, value) if abs(value) >= ENDLESS else value

    low, high = joint.position
    limits = {name: limit(getattr(joint, name)) for name in ("velocity", "acceleration", "effort", "jerk")}
    return replace(joint, position=(limit(low), limit(high)), **limits)


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceTree:
    """All links of a file, the root first and a parent before its children.

    closures : tuple of Closure   What closes loops; it is judged once a chain has been chosen.
    tool : (4, 4)                 A pose in the last link.
    floor : float                 Height of the mounting plane along the root's z axis [m].
    apart : tuple                 Pairs of links whose distance need not be checked.
    shape_notes : tuple of str    What a user of shapes and pairs should know.
    """

    name: str
    source: str
    links: tuple[SourceLink, ...]
    closures: tuple[Closure, ...] = ()
    gravity: Array = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    tool: Array = field(default_factory=lambda: np.eye(4))
    floor: float = 0.0
    apart: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    shape_notes: tuple[str, ...] = ()

    def index(self, name: str) -> int:
        names = [link.name for link in self.links]
        if name not in names:
            raise UnknownNameError("link", name, names, remedy=f"in {self.source}")
        return names.index(name)

    def joint_name(self, index: int) -> str:
        """Of the joint that a link hangs on, whether it can be modelled or not; empty where it is rigid."""
        link = self.links[index]
        return link.joint.name if link.joint is not None else "" if link.held is None else link.held.joint

    def path(self, index: int) -> list[int]:
        """Links from the root to `index`, itself included."""
        chain: list[int] = []
        while index >= 0:
            chain.append(index)
            index = self.links[index].parent
        return chain[::-1]

    def below(self, *roots: int) -> list[int]:
        """Links that hang on these, themselves included, in the file's order."""
        descendants: set[int] = set()
        for index, link in enumerate(self.links):  # a parent stands before its children
            if index in roots or link.parent in descendants:
                descendants.add(index)
        return sorted(descendants)
