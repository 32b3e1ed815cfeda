"""The parts of a robot: a joint, the link that it moves, and the source links that were lumped into that link.

A source link keeps its own numbers: a sum can hide a link that no rigid body can be, and whoever writes a description
needs to take a body apart again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.core.records import Shape
from dynident.errors import ValueRangeError
from dynident.robots.link_shapes import LinkShape
from dynident.robots.parameters import PARAMETERS_PER_LINK, change_of_frame
from dynident.robots.pose import check_pose

#: No link has a parameter beyond this [kg, kg·m, kg·m²].
_LARGEST_PARAMETER = 1e18
#: A limit of this size or beyond is none: files have such numbers where their format demands limits.
ENDLESS = 1e9
#: Largest difference between a link's parameters and the sum of its pieces', as a share of the largest of them: rounding.
_ROUNDING = 1e-9


class JointType(StrEnum):
    """The joint types that dynident models; a continuous joint is a revolute one without position limits."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"


@dataclass(frozen=True)
class JointUnits:
    """The units of what a joint measures."""

    position: str
    velocity: str
    acceleration: str
    effort: str
    jerk: str


ANGULAR = JointUnits("rad", "rad/s", "rad/s²", "N·m", "rad/s³")
LINEAR = JointUnits("m", "m/s", "m/s²", "N", "m/s³")


@dataclass(frozen=True, kw_only=True, eq=False)
class Joint:
    """One joint: where it sits on its parent link, how it moves, and its limits.

    Attributes
    ----------
    name : str
        Of the joint.
    type : JointType
        How it moves.
    parent : int
        Index of the parent body; -1 is the base.
    placement : (4, 4) array
        Pose of the joint frame at q = 0 in the parent's parameter frame (the base frame for parent -1).
    axis : (3,) array
        Unit axis in the joint frame.
    position, velocity, acceleration, effort
        Limits [rad | m, per second, per second², N·m | N]; infinite when unknown.
    jerk : float
        Limit of the acceleration's rate [rad/s³ | m/s³]; infinite when unknown.
    home : float or None
        Position that the robot is at when it rests [rad | m]; None when the description names none.
    friction : tuple of float or None
        Coulomb friction [N·m | N] and viscous friction [N·m·s/rad | N·s/m] as the description states them, plausible or not; None when it
        states neither.
    """

    name: str
    type: JointType = JointType.REVOLUTE
    parent: int = -1
    placement: Annotated[Array, Shape("4 4")] = field(default_factory=lambda: np.eye(4))
    axis: Annotated[Array, Shape("3")] = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    position: tuple[float, float] = (-np.inf, np.inf)
    velocity: float = np.inf
    acceleration: float = np.inf
    effort: float = np.inf
    jerk: float = np.inf
    home: float | None = None
    friction: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", JointType(self.type))
        set_frozen(self, "placement", check_pose(self.placement, f"placement of joint {self.name!r}"))
        axis = check_array(f"axis of joint {self.name!r}", self.axis, (3,))
        length = math.hypot(*axis.tolist())
        if length < 1e-9:
            raise ValueRangeError(f"axis of joint {self.name!r}", "is zero; give the direction in which the joint moves")
        # an axis of length one stays as it is to the last bit, so that a robot that was written and read is the same
        largest = float(np.abs(axis).max())  # whose square may be infinite
        set_frozen(self, "axis", axis if abs(length - 1.0) < 1e-15 else axis / largest / math.hypot(*(axis / largest).tolist()))
        low, high = map(float, self.position)
        object.__setattr__(self, "position", (low, high))
        if not low <= high:
            raise ValueRangeError(f"position limits of joint {self.name!r}", f"are [{low}, {high}]; the lower must not exceed the upper")
        for name in ("velocity", "acceleration", "effort", "jerk"):
            limit = float(getattr(self, name))
            object.__setattr__(self, name, limit)
            if not limit >= 0:
                raise ValueRangeError(f"{name} limit of joint {self.name!r}", f"is {limit}; it must not be negative")
        if self.home is not None:
            object.__setattr__(self, "home", float(self.home))
            if not low <= self.home <= high:
                raise ValueRangeError(f"home of joint {self.name!r}", f"is {self.home:g}; it must lie within its limits [{low}, {high}]")
        if self.friction is not None:
            coulomb, viscous = map(float, self.friction)
            object.__setattr__(self, "friction", (coulomb, viscous))
            if not (math.isfinite(coulomb) and math.isfinite(viscous)):
                raise ValueRangeError(f"friction of joint {self.name!r}", f"is {coulomb:g}, {viscous:g}; finite numbers were expected")

    @property
    def units(self) -> JointUnits:
        return LINEAR if self.type is JointType.PRISMATIC else ANGULAR


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A link of the description, as it is there, and where it ended up.

    Attributes
    ----------
    name : str
        Of the link.
    placement : (4, 4) array
        Pose of the source link's own frame in the parameter frame of its body (the base frame for the base).
    parameters : (10,) array or None
        Its linear parameters in its own frame; None when the description gives it no inertia, or when only the sum over its body is known.
    shapes : tuple of LinkShape
        What it looks like and what of it collides, in its own frame, as the description has it.
    """

    name: str
    placement: Annotated[Array, Shape("4 4")] = field(default_factory=lambda: np.eye(4))
    parameters: Annotated[Array, Shape("10")] | None = None
    shapes: tuple[LinkShape, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", tuple(self.shapes))
        set_frozen(self, "placement", check_pose(self.placement, f"placement of source link {self.name!r}"))
        if self.parameters is not None:
            set_frozen(self, "parameters", _check_parameters(f"source link {self.name!r}", self.parameters))


@dataclass(frozen=True, kw_only=True, eq=False)
class Link:
    """One moving body and the frame in which its parameters are expressed.

    Attributes
    ----------
    name : str
        Of the link.
    frame : str
        The parameter frame's name, e.g. "modified DH frame 3".
    placement : (4, 4) array
        Pose of the parameter frame in the (moving) joint frame.
    parameters : (10,) array or None
        Nominal linear parameters in the parameter frame, None when the file has none.
    pieces : tuple of Source
        The source links that were lumped into this body, itself first; by default itself alone. Unless none of them has parameters, theirs
        add up to the link's: parameters = Σ change_of_frame(piece.placement) @ piece.parameters.
    """

    name: str
    frame: str
    placement: Annotated[Array, Shape("4 4")] = field(default_factory=lambda: np.eye(4))
    parameters: Annotated[Array, Shape("10")] | None = None
    pieces: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        set_frozen(self, "placement", check_pose(self.placement, f"placement of link {self.name!r}"))
        if self.parameters is not None:
            set_frozen(self, "parameters", _check_parameters(f"link {self.name!r}", self.parameters))
        pieces = tuple(self.pieces) or (Source(name=self.name, parameters=self.parameters),)
        object.__setattr__(self, "pieces", pieces)
        self._check_sum()

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the source links that were lumped into this body, itself first."""
        return tuple(piece.name for piece in self.pieces)

    def with_parameters(self, parameters: ArrayLike) -> Link:
        """The same link with other parameters (10,).

        A body of one source link passes them on to it. Of a body of several only the sum is known then: they keep their
        names and places, without parameters.
        """
        values = _check_parameters(f"link {self.name!r}", parameters)
        pieces = tuple(replace(piece, parameters=None) for piece in self.pieces)
        if len(pieces) == 1:
            into_own_frame = change_of_frame(np.linalg.inv(pieces[0].placement))
            pieces = (replace(pieces[0], parameters=into_own_frame @ values),)
        return replace(self, parameters=values, pieces=pieces)

    def _check_sum(self) -> None:
        moved = [change_of_frame(piece.placement) @ piece.parameters for piece in self.pieces if piece.parameters is not None]
        if not moved:
            return
        name, remedy = f"parameters of link {self.name!r}", "use with_parameters, or give its pieces too"
        if self.parameters is None:
            raise ValueRangeError(name, "are None, but its pieces have parameters", remedy=remedy)
        difference = float(np.abs(np.sum(moved, axis=0) - self.parameters).max())
        if difference > _ROUNDING * max(float(np.abs(moved).max()), float(np.abs(self.parameters).max())):
            raise ValueRangeError(name, f"differ by up to {difference:.2g} from the sum of its pieces'", remedy=remedy)


def _check_parameters(name: str, values: ArrayLike) -> Array:
    parameters = check_array(f"parameters of {name}", values, (PARAMETERS_PER_LINK,))
    largest = float(np.abs(parameters).max())
    if largest > _LARGEST_PARAMETER:
        raise ValueRangeError(f"parameters of {name}", f"reach {largest:.3g}, as those of no link do; check its mass and its units")
    return parameters
