"""The user's own description: does it have the joints of the run's robot, at the same places, and what does each link of it get?

A body may have been lumped from several source links, and data tell only the sum. When the description has its own numbers for the
links that are fixed to the first, they are subtracted and the first gets the rest, unless no rigid body can be that rest: then the
first link gets everything, and the others lose theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import XmlText, comment_text
from dynident.errors import FileError
from dynident.parameters import change_of_frame
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.kinematics import inverse_pose
from dynident.robots.robot import Joint, JointType, Link, Robot
from dynident.robots.verdict import judge

#: Largest difference between two descriptions of the same place [m, or elements of a rotation].
_SAME_PLACE = 1e-9
#: A comment that an earlier export left, with its line.
_OLD_COMMENT = re.compile(rb"\r?\n?[ \t]*<!-- dynident \S+: dynamic model of .*?-->", re.DOTALL)


def check_match(robot: Robot, tree: SourceTree) -> None:
    """FileError unless every joint of the robot is in the tree, of the same kind, at the same place, moving the same links."""
    found = {link.joint.name: (link, link.joint) for link in tree.links if link.joint is not None}
    remedy = "give the file that the run was made with"
    poses = _poses(robot, tree)
    for i, joint in enumerate(robot.joints):
        if joint.name not in found:
            raise FileError(
                tree.source,
                f"has no moving joint {joint.name!r}, which the run's robot has (its joints: {', '.join(found)})",
                remedy=remedy,
            )
        (link, other), place = found[joint.name], f"joint {joint.name!r}"
        if (joint.type is JointType.PRISMATIC) != (other.type is JointType.PRISMATIC):
            raise FileError(tree.source, f"is {other.type.value}, but {joint.type.value} in the run", place=place, remedy=remedy)
        absent = [name for name in robot.links[i].sources if name not in {link.name for link in tree.links}]
        if link.name != robot.links[i].name or absent:
            wanted = ", ".join(robot.links[i].sources)
            raise FileError(tree.source, f"moves link {link.name!r}, but in the run it moves {wanted}", place=place, remedy=remedy)
        before = poses.get((tree.links[link.parent].name, joint.parent))
        if before is None or not _close(before @ link.placement, joint.placement) or not _close(other.axis, joint.axis):
            raise FileError(tree.source, "sits elsewhere or has another axis than in the run", place=place, remedy=remedy)


def locked_positions(robot: Robot, tree: SourceTree) -> dict[str, float]:
    """Positions at which the joints that the run's robot doesn't have were locked; 0 where that has no effect on it."""
    poses = _poses(robot, tree)
    locked: dict[str, float] = {}
    for link in tree.links:
        if link.joint is not None and link.joint.name not in robot.joint_names:
            locked[link.joint.name] = _position(link, link.joint, tree, poses)
    return locked


def inertials(tree: SourceTree) -> dict[str, Array]:
    """(10,) parameters of each link that has some, in the file's own frame of it."""
    return {link.name: change_of_frame(inverse_pose(link.own)) @ link.parameters for link in tree.links if link.parameters is not None}


def replace_comment(text: XmlText, sentences: list[str]) -> None:
    """These sentences as the file's first comment, in place of those of an earlier export."""
    for old in _OLD_COMMENT.finditer(text.content):
        text.drop(*old.span())
    text.add_first(text.root, [comment_text([f"{sentence}." for sentence in sentences])])


def _poses(robot: Robot, tree: SourceTree) -> Mapping[tuple[str, int], Array]:
    """Pose of each source link's parameter frame in the body that it is part of, by its name and body."""
    bodies = [(-1, robot.base_pieces), *((i, link.pieces) for i, link in enumerate(robot.links))]
    own = {link.name: link.own for link in tree.links}
    return {
        (piece.name, i): piece.placement @ inverse_pose(own[piece.name]) for i, pieces in bodies for piece in pieces if piece.name in own
    }


def _position(link: SourceLink, joint: Joint, tree: SourceTree, poses: Mapping[tuple[str, int], Array]) -> float:
    for (name, body), pose in poses.items():
        before = poses.get((tree.links[link.parent].name, body))
        if name == link.name and before is not None:
            motion = inverse_pose(before @ link.placement) @ pose @ inverse_pose(link.after)
            if joint.type is JointType.PRISMATIC:
                return float(joint.axis @ motion[:3, 3])
            R, axis = motion[:3, :3], joint.axis
            twist = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
            return float(np.arctan2(axis @ twist, 0.5 * (np.trace(R) - 1.0)))
    return 0.0


def _close(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=0.0, atol=_SAME_PLACE))


@dataclass(frozen=True)
class Shares:
    """What each source link gets: (10,) in its own frame, or None when its inertial must go. Absent ones stay as they are."""

    parameters: Mapping[str, Array | None]
    notes: tuple[str, ...]


def share_out(robot: Robot, parameters: Array, known: Mapping[str, Array]) -> Shares:
    """Parameters (n, 10) of the bodies as parameters of the source links; `known` are those in the file, in own frames."""
    shares: dict[str, Array | None] = {}
    notes: list[str] = []
    for link, row in zip(robot.links, parameters, strict=True):
        own, note = _split(link, row, known)
        shares |= own
        notes += [note] if note else []
    return Shares(shares, tuple(notes))


def _split(link: Link, row: Array, known: Mapping[str, Array]) -> tuple[dict[str, Array | None], str]:
    head, children = link.pieces[0], [piece for piece in link.pieces[1:] if np.any(known.get(piece.name, np.zeros(10)) != 0.0)]
    into_head = change_of_frame(inverse_pose(head.placement))
    if not children:
        return {head.name: into_head @ row}, ""
    names = ", ".join(child.name for child in children)
    rest = into_head @ (row - sum(change_of_frame(child.placement) @ known[child.name] for child in children))
    if not judge(rest).verdict.inconsistent:
        return {head.name: rest}, f"{link.name}: {names} {_keep(children)} the file's inertia, and {head.name} has the rest of the body's"
    lumped: dict[str, Array | None] = {head.name: into_head @ row}
    return lumped | dict.fromkeys((child.name for child in children), None), (
        f"{link.name}: no rigid body can be what is left without {names}, so {head.name} has all of the body's inertia, and {names} none"
    )


def _keep(children: Sequence[object]) -> str:
    return "keeps" if len(children) == 1 else "keep"
