"""The one way to make a Robot of what a file describes: lock joints, choose a chain, lump what is rigid.

`build_robot` doesn't know the file's format, so locking and chain selection mean the same for URDF, MJCF and DH files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import FileError, InputError, Remedy, UnknownNameError, UnsupportedRobotError, ValueRangeError
from dynident.robots.formats.grippers import gripper_positions
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.kinematics import inverse_pose, joint_motion, rounded_joints
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import Joint, Link, Robot, Source


def build_robot(
    tree: SourceTree,
    *,
    lock: Mapping[str, float] | None = None,
    base: str | None = None,
    tip: str | None = None,
    gravity: ArrayLike | None = None,
) -> Robot:
    """The robot that a file describes, with joints locked and a chain chosen.

    - A *locked* joint is rigid at the position given; a pattern that matches no joint is an error.
    - `base` becomes the fixed base, and its frame the base frame. Joints between the file's root and `base`, and
      whatever branches off before it, don't move the chain: they are dropped, with a note. Gravity given by the
      caller is in the frame of `base`; the file's (or the default) is turned into it, upstream joints at zero or
      at their locked position.
    - `tip` ends the chain, and its frame is the tool frame. Branches that move on the fixed base itself (the other
      arm) don't load the chain: they are dropped, with a note. What is rigid after the tip or beside the chain loads
      it and is lumped. A joint there that could move loads it too, in a way that depends on its position: it is an
      error that names these joints, and the remedy is to lock them.
    - A gripper at the end of the arm (joints that follow each other, close a loop, or are called fingers) is locked at
      zero, or at the limit nearest to it, with a note; `lock` gives another position, `tip` keeps the joints before it free.
    - Elsewhere a coupled joint (URDF mimic, MJCF equality), a joint that moves in several directions (floating, ball) and a
      loop are errors, unless they are locked or not part of the chain. An object that floats beside the arm is left out.

    Links keep the file's names; `Link.pieces` and `Robot.base_pieces` record what was lumped where, with its own numbers.
    """
    locked = _lock(tree, lock or {})
    root = 0 if base is None else tree.index(base)
    kept = tree.below(root)
    chain: list[int] = [] if tip is None else tree.path(tree.index(tip))
    kept, adrift = _drop_adrift(tree, root, kept, locked, chain)
    free = [i for i in kept if i != root and tree.links[i].joint is not None and i not in locked]
    gripper = gripper_positions(tree, free, chain, locked)
    locked, free = locked | gripper, [i for i in free if i not in gripper]
    if tip is not None:
        kept, free = _drop_off_base(tree, kept, free, chain)
        _check_chain(tree, free, tree.links[root].name, tip)
    _check_couplings(tree, free)
    _check_held(tree, root, kept, locked)
    _check_closures(tree, kept, free)
    world = _upstream_pose(tree, root, locked)
    bodies = _Bodies(tree, locked, free)
    try:
        bodies.add_base(root)
        for i in kept:
            if i != root:
                bodies.add(i)
        robot = Robot(
            name=tree.name,
            joints=tuple(bodies.joints),
            links=tuple(bodies.links()),
            gravity=world[:3, :3].T @ tree.gravity,
            tool=bodies.tool(len(tree.links) - 1 if tip is None else tree.index(tip), named=tip is not None),
            floor=tree.floor if root == 0 else 0.0,
            apart=tree.apart,
            base_pieces=tuple(bodies.pieces[-1]),
            notes=(*tree.notes, *_notes(tree, kept, adrift, gripper, world, gravity is None)),
            shape_notes=tree.shape_notes,
            source=tree.source,
        )
    except UnsupportedRobotError:
        raise UnsupportedRobotError(
            f"{tree.source}: no joint is left that moves; at least one is needed (lock fewer, or move base and tip)"
        ) from None
    except InputError as error:
        raise FileError(tree.source, error.message, remedy=error.remedy) from None
    rounded = rounded_joints(robot)
    if rounded:
        about = f"joints {', '.join(rounded)} stand within 0.001° of a right angle, which the file has rounded"
        robot = replace(robot, notes=(*robot.notes, f"{about}; what can be identified is judged as if it were exact"))
    return robot if gravity is None else robot.with_gravity(gravity)


class _Bodies:
    """The bodies while they are being lumped: body -1 is the base."""

    def __init__(self, tree: SourceTree, locked: Mapping[int, float], free: Iterable[int]) -> None:
        self.tree = tree
        self.locked = locked
        self.free = frozenset(free)
        self.joints: list[Joint] = []
        self.heads: list[SourceLink] = []
        self.pieces: dict[int, list[Source]] = {-1: []}
        self.parameters: dict[int, Array | None] = {-1: None}
        self.body_of: dict[int, int] = {}
        self.pose_in_body: dict[int, Array] = {}

    def add_base(self, index: int) -> None:
        self._put(index, -1, inverse_pose(self.tree.links[index].own))

    def add(self, index: int) -> None:
        link = self.tree.links[index]
        parent = self.body_of[link.parent]
        placement = self.pose_in_body[link.parent] @ link.placement
        if link.joint is not None and index in self.free:
            body = len(self.joints)
            self.joints.append(replace(link.joint, parent=parent, placement=placement))
            self.heads.append(link)
            self.pieces[body], self.parameters[body] = [], None
            pose = np.eye(4)
        else:
            body = parent
            pose = placement @ _motion(link, self.locked.get(index, 0.0)) @ link.after
        self._put(index, body, pose)

    def _put(self, index: int, body: int, pose: Array) -> None:
        """Lump a link into a body: keep it as the file has it, and add its parameters to the body's."""
        link = self.tree.links[index]
        self.body_of[index], self.pose_in_body[index] = body, pose
        source_parameters = None if link.parameters is None else change_of_frame(inverse_pose(link.own)) @ link.parameters
        self.pieces[body].append(Source(name=link.name, placement=pose @ link.own, parameters=source_parameters, shapes=link.shapes))
        if link.parameters is not None:
            moved = change_of_frame(pose) @ link.parameters
            before = self.parameters[body]
            self.parameters[body] = moved if before is None else before + moved

    def links(self) -> Iterable[Link]:
        for body, head in enumerate(self.heads):
            yield Link(
                name=head.name,
                frame=head.frame,
                placement=head.after,
                parameters=self.parameters[body],
                pieces=tuple(self.pieces[body]),
            )

    def tool(self, index: int, *, named: bool) -> Array:
        """The tool in the last body: a named tip's own frame, or else the file's tool."""
        if self.body_of.get(index) != len(self.joints) - 1:
            return np.eye(4)
        return self.pose_in_body[index] @ (self.tree.links[index].own if named else self.tree.tool)


def _motion(link: SourceLink, position: float) -> Array:
    return np.eye(4) if link.joint is None else joint_motion(link.joint, position)


def _lock(tree: SourceTree, lock: Mapping[str, float]) -> dict[int, float]:
    """Link index -> position of its locked joint."""
    joints = {i: name for i in range(len(tree.links)) if (name := tree.joint_name(i))}
    locked: dict[int, float] = {}
    for pattern, value in lock.items():
        position = float(value)
        if not np.isfinite(position):
            raise ValueRangeError(f"lock position of {pattern!r}", f"is {position}; a finite position [rad | m] was expected")
        matched = [i for i, name in joints.items() if name == pattern or fnmatchcase(name, pattern)]
        if not matched:
            raise UnknownNameError("joint", pattern, joints.values(), remedy=f"lock joints of {tree.source} by name or pattern")
        for i in matched:
            if locked.get(i, position) != position:
                raise ValueRangeError(f"lock position of joint {joints[i]!r}", f"is given twice, as {locked[i]} and {position}; keep one")
            locked[i] = position
    return locked


def _drop_adrift(
    tree: SourceTree, root: int, kept: list[int], locked: Mapping[int, float], chain: list[int]
) -> tuple[list[int], list[int]]:
    """What is left without the objects that float beside the arm, and these objects: nothing there is driven, so it loads nothing."""
    moves = {i for i in kept if tree.links[i].joint is not None}
    floating = [i for i in kept if i != root and tree.links[i].held is not None and i not in locked and i not in chain]
    adrift = [i for i in floating if moves and moves.isdisjoint(tree.path(i)) and moves.isdisjoint(tree.below(i))]
    lost = set(tree.below(*adrift))
    return [i for i in kept if i not in lost], adrift


def _drop_off_base(tree: SourceTree, kept: list[int], free: list[int], path: list[int]) -> tuple[list[int], list[int]]:
    """Without what moves on the base but not with the chain: links whose first moving joint is not the chain's."""

    def first_moving(index: int) -> int | None:
        return next((i for i in tree.path(index) if i in free), None)

    chain = first_moving(path[-1])
    kept = [i for i in kept if first_moving(i) in (None, chain)]
    return kept, [i for i in free if i in kept]


def _check_chain(tree: SourceTree, free: Iterable[int], base: str, tip: str) -> None:
    path = tree.path(tree.index(tip))
    if tree.index(base) not in path:
        below = [tree.links[i].name for i in path]
        raise UnsupportedRobotError(
            f"{tree.source}: link {tip!r} is not below link {base!r}; its chain from the root is {' > '.join(below)}"
        )
    stray = [tree.links[i].joint for i in free if i not in path]
    if stray:
        names = [joint.name for joint in stray if joint is not None]
        raise UnsupportedRobotError(
            f"{tree.source}: joints {', '.join(names)} hang off the chain from {base!r} to {tip!r} and would load it",
            remedy=_to_lock(names),
        )


def _check_couplings(tree: SourceTree, free: Iterable[int]) -> None:
    coupled = [link for link in (tree.links[i] for i in free) if link.coupling]
    if coupled:
        names = [link.joint.name for link in coupled if link.joint is not None]
        raise UnsupportedRobotError(
            f"{tree.source}: joint {names[0]!r} {coupled[0].coupling}, and coupled joints are accepted only locked",
            remedy=_to_lock(names),
        )


def _check_held(tree: SourceTree, root: int, kept: Iterable[int], locked: Mapping[int, float]) -> None:
    for i in kept:
        held = tree.links[i].held
        if held is not None and i != root and i not in locked:
            below = Remedy(
                "choose the chain below it with {base}, or lock it where it stands: {lock}", base=tree.links[i].name, lock={held.joint: 0.0}
            )
            raise UnsupportedRobotError(f"{tree.source}, {held.why}", remedy=below)


def _check_closures(tree: SourceTree, kept: Iterable[int], free: Collection[int]) -> None:
    """A loop matters where joints that move lie on it."""
    for closure in tree.closures:
        paths = [set(tree.path(i)) for i in closure.links]
        moving = [i for i in sorted(paths[0] ^ paths[1]) if i in free]
        if moving and all(i in kept for i in closure.links):
            raise UnsupportedRobotError(f"{tree.source}, {closure.why}", remedy=_to_lock([tree.joint_name(i) for i in moving]))


def _to_lock(names: list[str]) -> Remedy:
    """The joints to lock; of many, the first as an example."""
    if len(names) > 4:
        more = f"and so on for {', '.join(names[1:])} (patterns such as 'gripper_*' work)"
        return Remedy(f"lock them: {{lock}}, {more}", lock={names[0]: 0.0})
    return Remedy("lock them: {lock}", lock=dict.fromkeys(names, 0.0))


def _upstream_pose(tree: SourceTree, base: int, locked: Mapping[int, float]) -> Array:
    """Pose of the base link's own frame in the root's, upstream joints locked or at zero."""
    pose = np.eye(4)
    for i in tree.path(base)[1:]:
        link = tree.links[i]
        pose = pose @ link.placement @ _motion(link, locked.get(i, 0.0)) @ link.after
    return pose @ tree.links[base].own


def _notes(tree: SourceTree, kept: list[int], adrift: list[int], gripper: Mapping[int, float], world: Array, turned: bool) -> Iterable[str]:
    base = tree.links[kept[0]].name
    if adrift:
        yield f"what floats freely beside the arm is left out: {', '.join(tree.links[i].name for i in adrift)}"
    held = {tree.joint_name(i): position for i, position in gripper.items() if i in kept}
    if held:
        places = ", ".join(f"{name} at {position:.4g}" for name, position in held.items())
        yield f"joints of a gripper are locked: {places}; another position, or a tip beyond them, can be given"
    dropped = [link.joint.name for i, link in enumerate(tree.links) if i not in kept and link.joint is not None]
    root_joint = tree.links[kept[0]].joint
    if root_joint is not None and root_joint.name not in dropped:
        dropped.append(root_joint.name)
    if dropped:
        yield f"joints that don't move or load the chain from {base!r} are left out: {', '.join(dropped)}"
    if turned and not np.allclose(world[:3, :3], np.eye(3), atol=1e-12):
        yield (
            f"gravity was turned from the frame of {tree.links[0].name!r} into that of the base link {base!r}, "
            f"with the joints before it at zero unless locked"
        )
