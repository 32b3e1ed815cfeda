"""The robot as the dynamics sees it: a flat kinematic tree of one-degree-of-freedom joints and the links they move.

Body i is joint i together with the link that it moves. A link's parameter frame is where its ten parameters are
expressed; its pose in the parent's parameter frame at joint position q is

    pose_link_in_parent(q) = joint.placement · motion(joint.axis, q) · link.placement

so that a modified DH or URDF robot has link.placement = 1 (the parameter frame is the joint frame), and a
standard DH robot has joint.placement = 1 (the parameter frame sits at the link's far end).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, IntArray, check_array, check_unique, freeze, set_frozen
from dynident.core.names import check_name
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.errors import ShapeError, UnknownNameError, UnsupportedRobotError, ValueRangeError
from dynident.robots.body import Joint, JointType, Link, Source
from dynident.robots.link_shapes import LinkShape, ShapeKind, ShapeRole
from dynident.robots.parameters import link_rows
from dynident.robots.pose import check_pose

__all__ = ["STANDARD_GRAVITY", "Joint", "JointType", "Link", "LinkShape", "Robot", "ShapeKind", "ShapeRole", "Source"]

STANDARD_GRAVITY = (0.0, 0.0, -9.80665)
"""Standard gravity in a base frame whose z axis points up [m/s²]."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Robot(Result):
    """A fixed-base robot: bodies in topological order (a parent before its children).

    Attributes
    ----------
    name : str
        Of the robot.
    joints
        In topological order, n of them.
    links
        The body that each joint moves, n of them.
    gravity : (3,) array
        Gravity vector in the base frame [m/s²]; any direction.
    tool : (4, 4) array
        Pose of the tool frame in the last link's parameter frame.
    floor : float
        Height of the plane that the robot is mounted on, along the base frame's z axis [m].
    apart : tuple
        Pairs of source links whose distance need not be checked, because the description says that they never touch or may touch.
    base_pieces : tuple
        Source links that don't move (lumped into the base); their inertia has no effect.
    notes : tuple of str
        What a reader of this description should know (errata, assumptions).
    shape_notes : tuple of str
        What a user of the shapes and of `apart` should know, such as the file that names these pairs.
    source : str
        Where the description came from.
    """

    name: str
    joints: Annotated[tuple[Joint, ...], Shape("n")]
    links: Annotated[tuple[Link, ...], Shape("n")]
    gravity: Annotated[Array, Shape("3")] = field(default_factory=lambda: np.array(STANDARD_GRAVITY))
    tool: Annotated[Array, Shape("4 4")] = field(default_factory=lambda: np.eye(4))
    floor: float = 0.0
    apart: tuple[tuple[str, str], ...] = ()
    base_pieces: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    shape_notes: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("joints", "links", "base_pieces", "notes", "shape_notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.joints:
            raise UnsupportedRobotError(f"robot {self.name!r} has no moving joint; at least one is needed")
        if len(self.joints) != len(self.links):
            raise ShapeError("links", (len(self.links),), f"({len(self.joints)},) = one per joint")
        check_name("robot", self.name)
        for kind, names in (("joint", self.joint_names), ("link", self.link_names)):
            for name in names:
                check_name(kind, name)
        check_unique("joint", self.joint_names)
        check_unique("link", self.link_names)
        for index, joint in enumerate(self.joints):
            if not -1 <= joint.parent < index:
                raise ValueRangeError(
                    f"parent of joint {joint.name!r}", f"is {joint.parent}; a parent must come before its child (-1 is the base)"
                )
        set_frozen(self, "gravity", check_array("gravity", self.gravity, (3,)))
        set_frozen(self, "tool", check_pose(self.tool, "tool"))
        object.__setattr__(self, "apart", tuple((str(a), str(b)) for a, b in self.apart))
        object.__setattr__(self, "floor", float(check_array("floor", self.floor, ())))

    @property
    def n(self) -> int:
        """Number of joints (and of moving links)."""
        return len(self.joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @property
    def link_names(self) -> tuple[str, ...]:
        return tuple(link.name for link in self.links)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Name of each link's parameter frame."""
        return tuple(link.frame for link in self.links)

    @property
    def base_sources(self) -> tuple[str, ...]:
        """Names of the source links that don't move."""
        return tuple(piece.name for piece in self.base_pieces)

    @cached_property
    def parents(self) -> IntArray:
        """(n,) index of each body's parent, -1 for the base."""
        return freeze(np.array([joint.parent for joint in self.joints], dtype=np.int64))

    @cached_property
    def parameters(self) -> Array | None:
        """(n, 10) nominal parameters, or None unless every link has them."""
        rows = [link.parameters for link in self.links if link.parameters is not None]
        return freeze(np.array(rows)) if len(rows) == self.n else None

    @cached_property
    def position_limits(self) -> Array:
        """(n, 2) lower and upper position limits [rad | m]."""
        return freeze(np.array([joint.position for joint in self.joints]))

    @cached_property
    def drawn_range(self) -> Array:
        """(n, 2) finite positions to draw at random from: a range of up to a turn (or 2π m) whole, of a wider one a turn about zero.

        About limits that leave nothing, a turn too: files have such where nobody knows the limits, and dynamics that were looked at in one
        position would lack what other positions show.
        """
        low, high = self.position_limits.T
        turn = 2.0 * np.pi  # of a range that lies beyond half a turn, the turn that is nearest to zero
        with np.errstate(invalid="ignore"):
            whole = high - low <= turn
        lower = np.where(whole, low, np.maximum(low, np.where(high <= -np.pi, high - turn, -np.pi)))
        upper = np.where(whole, high, np.minimum(high, np.where(low >= np.pi, low + turn, np.pi)))
        still = low == high
        return freeze(np.column_stack([np.where(still, low - np.pi, lower), np.where(still, high + np.pi, upper)]))

    @cached_property
    def velocity_limits(self) -> Array:
        """(n,) velocity limits [rad/s | m/s]."""
        return freeze(np.array([joint.velocity for joint in self.joints]))

    @cached_property
    def acceleration_limits(self) -> Array:
        """(n,) acceleration limits [rad/s² | m/s²]."""
        return freeze(np.array([joint.acceleration for joint in self.joints]))

    @cached_property
    def effort_limits(self) -> Array:
        """(n,) effort limits [N·m | N]."""
        return freeze(np.array([joint.effort for joint in self.joints]))

    @cached_property
    def jerk_limits(self) -> Array:
        """(n,) limits of the accelerations' rate [rad/s³ | m/s³]."""
        return freeze(np.array([joint.jerk for joint in self.joints]))

    @cached_property
    def home(self) -> Array | None:
        """(n,) the position that the robot is at when it rests, or None unless the description names every joint's."""
        rest = [joint.home for joint in self.joints if joint.home is not None]
        return freeze(np.array(rest)) if len(rest) == self.n else None

    def unit(self, quantity: Literal["position", "velocity", "acceleration", "effort"]) -> str:
        """The unit of all joints: "N·m", or "N·m or N" where they differ."""
        return " or ".join(dict.fromkeys(getattr(joint.units, quantity) for joint in self.joints))

    def ancestors(self, body: int) -> tuple[int, ...]:
        """The bodies from the base to `body`, itself included: those whose joints move it."""
        chain: list[int] = []
        while body >= 0:
            chain.append(body)
            body = self.joints[body].parent
        return tuple(reversed(chain))

    def joint_index(self, name: str) -> int:
        """Position of a joint in the flat tree; UnknownNameError lists the names there are."""
        if name not in self.joint_names:
            raise UnknownNameError("joint", name, self.joint_names)
        return self.joint_names.index(name)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """The same robot mounted another way: gravity is a base-frame vector (3,) [m/s²]."""
        return replace(self, gravity=np.asarray(gravity, dtype=float))

    def with_parameters(self, parameters: ArrayLike) -> Robot:
        """The same robot with other nominal parameters, (n, 10) or the stacked (10 n,), in its named frames.

        Of a body that several source links were lumped into, only the sum is known then (`Link.with_parameters`).
        """
        rows = link_rows(parameters, self.link_names)
        return replace(self, links=tuple(link.with_parameters(row) for link, row in zip(self.links, rows, strict=True)))

    def to_dh_yaml(self, *, convention: str | None = None) -> str:
        """The text of a DH file that describes this robot: same joint positions, same torques.

        Parameters
        ----------
        convention
            "standard" or "modified"; by default the robot's own when its frames are DH frames (they, the parameters and the limits then
            come back as they are), else modified: frames are computed from the joint axes and the parameters carried into them. Only for a
            serial chain.
        """
        from dynident.robots.formats.dh_write import to_dh_yaml  # the writer knows Robot, not the other way round

        return to_dh_yaml(self, convention=convention)
