"""The user's own description: whether its joints are those of the run's robot, and which parameters each of its links gets.

A body can consist of several source links, of which only the sum is identified. Where the description has inertias for the links that are
fixed to the first, they are subtracted, and the first link gets the rest. If the rest is not physically consistent, the first link gets
the sum, and the inertias of the others are removed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import decode_text, read_bytes
from dynident.core.xml import XmlText, comment_text, parse_xml
from dynident.errors import FileError
from dynident.robots.formats.mjcf import read_mjcf
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.formats.urdf import read_urdf
from dynident.robots.kinematics import inverse_pose
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import Joint, JointType, Link, Robot
from dynident.robots.verdict import judge

#: Largest difference between two descriptions of the same place [m, or elements of a rotation].
_SAME_PLACE = 1e-9
_REMEDY = "give the file that the run was made with"
#: A comment that an earlier export left, with its line.
_OLD_COMMENT = re.compile(rb"\r?\n?[ \t]*<!-- dynident \S+: dynamic model of .*?-->", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Original:
    """A robot description of the user's, read once.

    content : bytes   As it is on disk.
    text : str        The same, for the parsers.
    root : Element    Its XML.
    """

    path: Path
    content: bytes = field(repr=False)
    text: str = field(repr=False)
    root: Element = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Original:
        """FileError where there is no such file, or one that is not XML."""
        content = read_bytes(path)
        text = decode_text(path, content)
        return cls(Path(path), content, text, parse_xml(path, text))

    @classmethod
    def of_robot(cls, robot: Robot) -> Original | None:
        """What a robot was read from, where that is XML and still there; a DH file is not one to patch."""
        try:
            return cls.read(robot.source) if os.path.isfile(robot.source) else None
        except FileError:
            return None

    @cached_property
    def tree(self) -> SourceTree:
        """The links and joints of a URDF or MJCF."""
        read = read_urdf if self.root.tag == "robot" else read_mjcf
        return read(str(self.path), self.text)


def check_match(robot: Robot, tree: SourceTree) -> None:
    """FileError unless every joint of the robot is in the tree, of the same kind, at the same place, moving the same links."""
    moved = {link.joint.name: (link, link.joint) for link in tree.links if link.joint is not None}
    names, poses = {link.name for link in tree.links}, _poses(robot, tree)
    for i, (joint, body) in enumerate(zip(robot.joints, robot.links, strict=True)):
        if joint.name not in moved:
            problem = f"has no moving joint {joint.name!r}, which the run's robot has (its joints: {', '.join(moved)})"
            raise FileError(tree.source, problem, remedy=_REMEDY)
        link, other = moved[joint.name]
        before = poses.get((tree.links[link.parent].name, joint.parent))
        if (joint.type is JointType.PRISMATIC) != (other.type is JointType.PRISMATIC):
            problem = f"is {other.type.value}, but {joint.type.value} in the run"
        elif link.name != robot.links[i].name or not names.issuperset(body.sources):
            problem = f"moves link {link.name!r}, but in the run it moves {', '.join(body.sources)}"
        elif before is None or not _close(before @ link.placement, joint.placement) or not _close(other.axis, joint.axis):
            problem = "sits elsewhere or has another axis than in the run"
        else:
            continue
        raise FileError(tree.source, problem, place=f"joint {joint.name!r}", remedy=_REMEDY)


def locked_positions(robot: Robot, tree: SourceTree) -> dict[str, float]:
    """Positions at which the joints that the run's robot doesn't have were locked; 0 where that has no effect on it."""
    poses = _poses(robot, tree)
    extra = [(link, link.joint) for link in tree.links if link.joint is not None and link.joint.name not in robot.joint_names]
    return {joint.name: _position(link, joint, tree, poses) for link, joint in extra}


def gravity_at_root(robot: Robot, tree: SourceTree) -> Array:
    """The robot's gravity in the frame of the file's root, whose joints before the robot's base are at zero."""
    names = [link.name for link in tree.links]
    base = robot.base_sources[0] if robot.base_sources else ""
    if base not in names:
        return robot.gravity
    pose = np.eye(4)
    for i in tree.path(names.index(base))[1:]:
        pose = pose @ tree.links[i].placement @ tree.links[i].after
    return (pose @ tree.links[names.index(base)].own)[:3, :3] @ robot.gravity


def place_in_source(link: Link, pose: Array) -> tuple[str, Array]:
    """The source link of the user's file that a payload at this pose of a body is fixed to, and its pose there.

    The one whose frame is the flange, where the file has such a link, else that which the joint moves.
    """
    flange = [piece for piece in link.pieces if _close(piece.placement, pose)]
    piece = flange[-1] if flange else link.pieces[0]
    return piece.name, inverse_pose(piece.placement) @ pose


def replace_comment(text: XmlText, sentences: list[str]) -> None:
    """These sentences as the file's first comment, in place of those of an earlier export."""
    for old in _OLD_COMMENT.finditer(text.content):
        text.drop(*old.span())
    text.add_first(text.root, [comment_text(sentences)])


def _poses(robot: Robot, tree: SourceTree) -> Mapping[tuple[str, int], Array]:
    """Pose of each source link's parameter frame in the body that it is part of, by its name and body."""
    bodies = [(-1, robot.base_pieces), *((i, link.pieces) for i, link in enumerate(robot.links))]
    parameter_frames = {link.name: link.own for link in tree.links}
    return {
        (piece.name, i): piece.placement @ inverse_pose(parameter_frames[piece.name])
        for i, pieces in bodies
        for piece in pieces
        if piece.name in parameter_frames
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


def share_out(robot: Robot, parameters: Array, tree: SourceTree) -> tuple[dict[str, Array | None], list[str]]:
    """What each source link gets of the bodies' parameters (n, 10): (10,) in its own frame, or None where its inertial must go.

    Links that are absent stay as they are. With notes about bodies of several links. FileError where the tree is not of this robot.
    """
    check_match(robot, tree)
    known = {link.name: change_of_frame(inverse_pose(link.own)) @ link.parameters for link in tree.links if link.parameters is not None}
    shares: dict[str, Array | None] = {}
    notes: list[str] = []
    for link, row in zip(robot.links, parameters, strict=True):
        head, children = link.pieces[0], [piece for piece in link.pieces[1:] if np.any(known.get(piece.name, 0.0))]
        into_head = change_of_frame(inverse_pose(head.placement))
        shares[head.name] = into_head @ row
        if not children:
            continue
        names = ", ".join(child.name for child in children)
        rest = into_head @ (row - sum(change_of_frame(child.placement) @ known[child.name] for child in children))
        if judge(rest).verdict.inconsistent:
            shares |= dict.fromkeys(child.name for child in children)
            what = f"so {head.name} has all of the body's inertia, and {names} none"
            notes.append(f"{link.name}: no rigid body can be what is left without {names}, {what}")
        else:
            shares[head.name] = rest
            keep = "keeps" if len(children) == 1 else "keep"
            notes.append(f"{link.name}: {names} {keep} the file's inertia, and {head.name} has the rest of the body's")
    return shares, notes
