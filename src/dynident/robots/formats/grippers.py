"""Joints that are locked by themselves: grippers, whose fingers follow each other, close loops, or bear a finger's name.

Nobody logs the torque of a finger, and a joint that follows another has no torque of its own. What hangs at the end of an
arm and is such a mechanism is therefore rigid, at zero or at the limit nearest to it, unless the caller says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from dynident.robots.formats.source_tree import SourceTree

#: What people call the joints of a gripper, and its links; a "gripper_link" may be what the arm's last joint moves.
_FINGER = r"finger|knuckle|thumb|jaw|(?:^|[_-])(?:index|middle|ring|little|pinky)(?:[_-]|$)"
_FINGER_LINK = re.compile(_FINGER, re.IGNORECASE)
_FINGER_JOINT = re.compile(f"gripper|{_FINGER}", re.IGNORECASE)


def gripper_positions(tree: SourceTree, free: Collection[int], chain: Collection[int], locked: Mapping[int, float]) -> dict[int, float]:
    """Link index -> position [rad | m] at which its joint is locked by default.

    free : links whose joints move as far as is known;  chain : those that are asked for by name (the path to the tip), which stay;
    locked : the positions that the caller gave, which followers of those joints take up.
    """
    groups = [group for group in _groups(tree, free) if group.isdisjoint(chain)]
    coupled = frozenset[int]().union(*groups)
    fingers = frozenset(i for i in free if i not in chain and _is_finger(tree, i))
    below = {i: frozenset(free).intersection(tree.below(i)) for i in coupled | fingers}

    def beside(i: int, joints: Collection[int]) -> bool:
        """Whether one of the joints is on another branch."""
        return any(i not in below[k] and k not in below[i] for k in joints)

    # joints of an arm may be coupled too (a parallelogram, a wrist): then the arm goes on below them, or they follow one another
    gripper_links = {
        i
        for group in groups
        if all(below[i] <= coupled for i in group) and (group <= fingers or any(beside(i, group) for i in group))
        for i in group
    }
    ends = {i for i in fingers if below[i] <= fingers | gripper_links}
    hands = {i: next((k for k in tree.path(i)[::-1] if k in free and k not in ends), -1) for i in ends}
    for i in ends:  # a finger alone, or a joint that moves all of them, is the end of a chain and not a gripper
        if beside(i, {k for k in ends if hands[k] == hands[i]}):
            gripper_links.add(i)
    return {} if gripper_links >= set(free) else {i: _position(tree, i, locked) for i in sorted(gripper_links)}


def _groups(tree: SourceTree, free: Collection[int]) -> list[frozenset[int]]:
    """Moving joints that depend on each other, directly or through others."""
    groups: list[frozenset[int]] = []
    for tie in _ties(tree, free):
        joined = [group for group in groups if group & tie]
        groups = [group for group in groups if group not in joined] + [tie.union(*joined)]
    return groups


def _ties(tree: SourceTree, free: Collection[int]) -> Iterator[frozenset[int]]:
    by_joint: Mapping[str, int] = {link.joint.name: i for i, link in enumerate(tree.links) if link.joint is not None}
    for i in free:
        link = tree.links[i]
        if link.coupling:
            yield frozenset(k for k in (i, i if link.leader is None else by_joint.get(link.leader.joint, i)) if k in free)
    for closure in tree.closures:
        paths = [set(tree.path(i)) for i in closure.links]
        loop = frozenset(i for i in paths[0] ^ paths[1] if i in free)
        if loop:
            yield loop


def _is_finger(tree: SourceTree, index: int) -> bool:
    return _FINGER_LINK.search(tree.links[index].name) is not None or _FINGER_JOINT.search(tree.joint_name(index)) is not None


def _position(tree: SourceTree, index: int, locked: Mapping[int, float]) -> float:
    """Where the joint follows one that is locked, there; else as near to zero as its limits allow."""
    joint, leader = tree.links[index].joint, tree.links[index].leader
    if joint is None:
        return 0.0
    led = (
        []
        if leader is None
        else [leader.ratio * position + leader.offset for i, position in locked.items() if tree.joint_name(i) == leader.joint]
    )
    return float(np.clip(led[0] if led else 0.0, *joint.position))
