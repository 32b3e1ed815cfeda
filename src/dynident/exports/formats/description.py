"""What descriptions of a robot have in common, URDF and MJCF: bodies in joint frames, shapes, how one is written and proven.

The user's own file is patched: its numbers are replaced, and all else stays byte for byte. Without one a complete description is written:
kinematics, limits, inertias, friction, shapes, and the links that are fixed to another. To both formats the frame of a link that a joint
moves is the frame of that joint. Where a robot's parameter frames are elsewhere (standard DH: at the link's far end), the parameters are
carried over.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias
from urllib.parse import quote

import numpy as np

from dynident.core.arrays import Array
from dynident.core.names import file_stem
from dynident.core.texts import listing
from dynident.core.xml import XmlText, comment_text
from dynident.errors import FileError
from dynident.exports.export_model import AttachedBody, ExportModel, attached_body, unused_name
from dynident.exports.formats.original import Original, place_in_source, replace_comment
from dynident.exports.friction import ExpressedFriction, JointAttributes, express_friction
from dynident.exports.proof import TOLERANCE, Comparison, DisagreementError, States, compare
from dynident.exports.target import Exported, Exporter, Request
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import Joint, Link, LinkShape, Robot, ShapeKind, Source
from dynident.routes.payload import PayloadEstimate

#: Poses that differ by less [m, or elements of a rotation] are the same: rounding of angles.
_SAME = 1e-10
#: (n,) torques at a state q, dq, ddq.
InverseDynamics: TypeAlias = Callable[[Array, Array, Array], Array]


class DescriptionFormat(ABC):
    """A format that describes robots. A new one gives its texts and an engine that computes with them.

    Attributes
    ----------
    attributes : JointAttributes
        What it can say of a joint's friction.
    engine : str
        Name of the program that proves it.
    """

    target: ClassVar[str]
    suffix: ClassVar[str]
    root: ClassVar[str]
    engine: ClassVar[str]
    attributes: ClassVar[JointAttributes]

    @abstractmethod
    def complete(self, model: ExportModel, held: ExpressedFriction, comment: str) -> tuple[str, list[str]]:
        """A complete description, and notes about what it doesn't say."""

    @abstractmethod
    def patch(self, text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
        """Write the model's numbers into the text of the user's file; notes about what was done."""

    @abstractmethod
    def read(self, exported: Exported) -> SourceTree:
        """The exported file through our own reader."""

    @abstractmethod
    def load(self, robot: Robot, exported: Exported, tree: SourceTree) -> tuple[InverseDynamics, dict[str, Array]]:
        """The inverse dynamics of the engine, and the friction that it has read, (n,) by attribute."""

    @abstractmethod
    def fragment(self, body: AttachedBody, parent: str, pose: Array, gravity: Array, comment: str) -> str:
        """A body alone, fixed to a parent at this pose of it: a file that loads as it is."""

    def exporter(self, *, help: str, name: str) -> Exporter:
        """The target. name : what a user's file of the format is called."""
        return Exporter(
            name=self.target,
            help=help,
            write=self.write,
            prove=self.prove,
            bodies=True,
            original=self.root,
            original_name=name,
            fragment=self.write_fragment,
        )

    def write(self, model: ExportModel, request: Request) -> Exported:
        """The patched original, or a complete description where there is none."""
        held, original = express_friction(model, self.attributes), request.original
        kept = list(held.notes)
        if original is None:
            text, notes = self.complete(model, held, comment_text(request.opening(model, *kept)))
            files = {f"{file_stem(model.robot.name)}{self.suffix}": text.encode()}
            return Exported(target=self.target, files=files, notes=(*notes, *kept))
        edited = XmlText(original.content)
        notes = self.patch(edited, model, held, original)
        replace_comment(edited, request.opening(model, *notes, *kept))
        files = {original.path.name: edited.result()}
        return Exported(target=self.target, files=files, folder=str(original.path.parent), notes=(*notes, *kept))

    def prove(self, model: ExportModel, exported: Exported, states: States) -> Comparison:
        """The engine on the exported file: torques, and the friction that was written."""
        try:
            tree = self.read(exported)
        except FileError as error:
            raise DisagreementError("the exported model can't be read back", str(error)) from None
        torques, actual = self.load(model.robot, exported, tree)
        held = express_friction(model, self.attributes)
        expected = dict(held.values) | {name: np.zeros(model.robot.n) for name in held.zero}
        for name, values in expected.items():
            if not np.allclose(values, actual[name], rtol=TOLERANCE, atol=0.0):
                problem = f"{self.engine} reads another {name} from the exported model of {model.robot.name} than was written"
                raise DisagreementError(problem)
        return compare(self.engine, model, states, np.array([torques(*state) for state in zip(*states, strict=True)]))

    def write_fragment(self, payload: PayloadEstimate) -> str:
        """A payload alone, on the flange: a file that loads as it is, and whose lines can be pasted into that of a robot."""
        body = attached_body(payload)
        parent, pose = place_in_source(payload.robot.links[body.link], payload.flange)
        comment = comment_text([f"dynident: payload of {payload.headline}.", f"It is fixed to {parent}."])
        return self.fragment(body, parent, pose, payload.robot.gravity, comment)


@dataclass(frozen=True, eq=False)
class JointFrameBody:
    """One joint and its link. placement : pose of the joint frame in the parent's joint frame; parameters : (10,) of all in its own."""

    joint: Joint
    link: Link
    parent: str
    placement: Array
    parameters: Array


class FixedLink(NamedTuple):
    """A link of a complete description, as a part of a body.

    Attributes
    ----------
    name : str
        Of the link.
    placement : (4, 4) array
        Pose of its frame in the joint frame of its body, the base frame for the base; the identity for the one that the joint moves.
    parameters : (10,) array
        In its frame; zeros where it has none.
    shapes : tuple of LinkShape
        Poses in its frame.
    """

    name: str
    placement: Array
    parameters: Array
    shapes: tuple[LinkShape, ...]


def bodies_in_joint_frames(robot: Robot, parameters: Array) -> list[JointFrameBody]:
    """The bodies in order; the base's name is `base_name(robot)`."""
    bodies: list[JointFrameBody] = []
    for joint, link, row in zip(robot.joints, robot.links, parameters, strict=True):
        before = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
        parent = base_name(robot) if joint.parent < 0 else robot.links[joint.parent].name
        bodies.append(JointFrameBody(joint, link, parent, before @ joint.placement, change_of_frame(link.placement) @ row))
    return bodies


def links_of_body(model: ExportModel, body: int, usable: Callable[[Array], bool]) -> list[FixedLink]:
    """The links that are to be written of a body, -1 for the base: that which its joint moves, then those that are fixed to it.

    Each has its inertia, where the model's are those of the description and each is one that the format can hold; else the first has that
    of the whole body. A link that ends at the tool stands last, and one is added where the robot's last body has none there.

    usable : whether the format takes a link with these parameters (10,).
    """
    robot = model.robot
    if body < 0:
        pose, head, pieces, total = np.eye(4), base_name(robot), robot.base_pieces or (Source(name=base_name(robot)),), None
    else:
        link = robot.links[body]
        pose, head, pieces, total = link.placement, link.name, link.pieces, model.parameters[body]
        unchanged = link.parameters is not None and np.array_equal(total, link.parameters)
        known = unchanged and any(piece.parameters is not None for piece in pieces)
        split = known and all(piece.parameters is None or usable(piece.parameters) for piece in pieces)
        total = None if split else change_of_frame(pose) @ total
    links: list[FixedLink] = []
    for i, piece in enumerate(pieces):
        placement = pose @ piece.placement
        inertia = np.zeros(10) if piece.parameters is None else piece.parameters
        inertia = np.zeros(10) if body < 0 and not usable(inertia) else inertia
        if i == 0:  # the frame of the joint may not be that of the link in its description
            shapes = tuple(replace(shape, pose=placement @ shape.pose) for shape in piece.shapes)
            links.append(FixedLink(head, np.eye(4), change_of_frame(placement) @ inertia if total is None else total, shapes))
        else:
            links.append(FixedLink(piece.name, placement, inertia if total is None else np.zeros(10), piece.shapes))
    return _with_tool(robot, links) if body == robot.n - 1 else links


def _with_tool(robot: Robot, links: list[FixedLink]) -> list[FixedLink]:
    tool = robot.links[-1].placement @ robot.tool
    at_tool = [link for link in links if np.allclose(link.placement, tool, rtol=0.0, atol=_SAME)]
    if at_tool and (at_tool[-1] is not links[0] or len(links) == 1):
        return [*(link for link in links if link is not at_tool[-1]), at_tool[-1]]
    taken = {*robot.base_sources, *(name for link in robot.links for name in (link.name, *link.sources))}
    return [*links, FixedLink(unused_name("tool", taken), tool, np.zeros(10), ())]


def lumped_names(model: ExportModel, usable: Callable[[Array], bool]) -> list[str]:
    """Links whose inertia is part of another's in a complete description."""
    bodies = (links_of_body(model, body, usable)[1:] for body in range(model.robot.n))
    has = {piece.name for link in model.robot.links for piece in link.pieces if piece.parameters is not None and np.any(piece.parameters)}
    return [link.name for links in bodies for link in links if link.name in has and not np.any(link.parameters)]


def as_capsule(shape: LinkShape) -> tuple[Array, Array, float] | None:
    """Start, end and radius of a shape that is a capsule or a ball, in its frame; None for others."""
    if shape.kind is ShapeKind.CAPSULE:
        half = np.array([0.0, 0.0, 0.5 * shape.size[1]])
        return -half, half, shape.size[0]
    if shape.kind is ShapeKind.HULL and len(shape.points) <= 2:
        return shape.points[0], shape.points[-1], shape.size[0]
    return None


def mesh_address(text: str) -> str:
    """A mesh's file as a description names it: a file:// address, or the name from the description where there is no such file."""
    return f"file://{quote(text)}" if os.path.isabs(text) else text


def base_name(robot: Robot) -> str:
    """The base link's name: that of the source, else one that no link has."""
    return unused_name(robot.base_sources[0] if robot.base_sources else "base", robot.link_names)


def complete_note(robot: Robot, what: str) -> str:
    """A note on a description that is written anew."""
    lost = Path(robot.source).suffix.lower() in (".urdf", ".xml") and not os.path.isfile(robot.source)
    missing = f"{robot.source} was not found from here (it can be given as original)" if lost else f"no {what} was there to be patched"
    return f"{missing}, so the file is complete"


#: What a description can say of a joint beside its motion, effort and position limits, and how it is called.
_JOINT_FIELDS = {
    "velocity": "velocity limits",
    "acceleration": "acceleration limits",
    "jerk": "jerk limits",
    "home": "positions at rest",
    "friction": "friction",
}
#: A note names so many pairs of links, and counts more.
MOST_PAIRS = 3


def unheld_notes(
    robot: Robot,
    name: str,
    fields: Sequence[str],
    apart: Sequence[tuple[str, str]],
    *,
    shapes: Sequence[str],
    lumped: Sequence[str],
) -> Iterator[str]:
    """Notes on what of a robot a complete description in a format does not say.

    name : of the format; fields : of joints and of the robot (floor), for which it has no place; apart : pairs of links that it does not
    know to be apart; shapes : links that lack shapes in it; lumped : links whose inertia is part of another's.
    """

    def stated(field: str) -> bool:
        return any(getattr(joint, field) not in (None, math.inf) for joint in robot.joints)

    lost = [words for field, words in _JOINT_FIELDS.items() if field in fields and stated(field)]
    if lost:
        yield f"{name} has no place for {', '.join(lost)}, so what the robot has of these is not in the file"
    if shapes:
        yield f"The file lacks shapes of {listing(shapes, 6)}, so that collisions of a motion are not checked with these"
    if lumped:
        yield f"The inertia of {listing(lumped, 6)} is in the file a part of the inertia of the link that carries it"
    pairs, many = [" and ".join(pair) for pair in apart], len(apart) > MOST_PAIRS
    what = [f"that {len(pairs)} pairs of links never touch"] if many else [f"that {pair} never touch" for pair in pairs]
    what += [f"that the floor is at z = {robot.floor:g} m"] if robot.floor != 0.0 and "floor" in fields else []
    if what:
        yield f"{name} can't say {', or '.join(what)}, so motions that are planned with it keep farther away, or find no room"
