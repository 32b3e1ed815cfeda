"""A lint for robot descriptions: is every link a body that can exist, and do its numbers look like an arm's?

With physically consistent links a simulator's mass matrix is positive definite in every configuration. A body that
several source links were lumped into is judged as the sum, and each of these links by itself, for simulators read
them one by one: a light gripper that can't exist hides in the sum with its flange. The base's links likewise.
Warnings are about numbers that a body could have but an arm's link hardly does: placeholders, wrong units, a centre of
mass away from the link.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Result
from dynident.robots.kinematics import LONGEST_STROKE, arm_reach, children, joint_points, length_unit
from dynident.robots.parameters import link_inertia
from dynident.robots.robot import JointType, Link, Robot, Source
from dynident.robots.verdict import Judgement, LinkVerdict, judge

#: A link's size is taken as the larger of the span between its joints and this share of the arm's reach;
#: as the whole reach for a last link whose end the description doesn't tell.
SIZE_SHARE_OF_REACH = 0.25
#: Heavier and lighter links are probably in other units than kg; of a longer arm heavier ones by its length cubed, of a shorter lighter.
HEAVIEST_LINK, LIGHTEST_LINK = 1000.0, 1e-3
#: Longer arms [m] and larger limits [rad | m, per second, N·m | N] than these are probably in other units.
LONGEST_ARM = 100.0
LARGEST_LIMITS = {"position": 1e3, "velocity": 1e3, "effort": 5e4}
#: |gravity| outside of this range is not that of the Earth's surface [m/s²].
EARTH_GRAVITY = (9.7, 9.9)


@dataclass(frozen=True, kw_only=True)
class LinkCheck(Judgement):
    """One link's numbers, in its parameter frame, and what they say.

    Attributes
    ----------
    name, frame : str
        Of the link, and of its parameter frame.
    warnings : tuple of str
        What looks suspicious about a link that may well be consistent.
    sources : tuple of str
        The source links that were lumped into this body, itself first.
    """

    name: str
    frame: str
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceCheck(Judgement):
    """A source link that was lumped with others, judged by itself, in its own frame.

    Attributes
    ----------
    name : str
        Of the source link.
    body : str or None
        The link that it was lumped into; None for the base.
    """

    name: str
    body: str | None

    @property
    def where(self) -> str:
        """Its name with the body that it is part of."""
        return f"{self.name} ({'part of the base' if self.body is None else f'part of {self.body}'})"


@dataclass(frozen=True, kw_only=True, repr=False)
class RobotCheck(Result):
    """The verdict on a whole robot.

    Attributes
    ----------
    robot : str
        Its name.
    source : str
        Where its description came from.
    links : tuple of LinkCheck
        The verdict on each link.
    sources
        The source links with an inertia of their own that are hidden in a sum, and those of the base.
    base_sources : tuple of str
        Names of the source links that do not move.
    warnings : tuple of str
        About the robot; each link has its own.
    notes : tuple of str
        Of the description.
    """

    robot: str
    source: str
    links: tuple[LinkCheck, ...]
    sources: tuple[SourceCheck, ...]
    base_sources: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def inconsistent(self) -> tuple[LinkCheck, ...]:
        """The links that no rigid body can be."""
        return tuple(link for link in self.links if link.verdict.inconsistent)

    @property
    def inconsistent_sources(self) -> tuple[SourceCheck, ...]:
        """The source links that no rigid body can be, whatever the sum that they are part of."""
        return tuple(source for source in self.sources if source.verdict.inconsistent)

    @property
    def passed(self) -> bool:
        """No link and no source link is inconsistent."""
        return not self.inconsistent and not self.inconsistent_sources

    @property
    def without_inertia(self) -> tuple[LinkCheck, ...]:
        return tuple(link for link in self.links if link.verdict is LinkVerdict.NO_INERTIA)

    @property
    def total_mass(self) -> float | None:
        """Mass of the moving links [kg]; None unless every link has one."""
        masses = [link.mass for link in self.links if link.mass is not None]
        return sum(masses) if len(masses) == len(self.links) else None


def check_robot(robot: Robot) -> RobotCheck:
    """Judge every link of a robot, what was lumped into it, and the values that belong to no single link.

    Parameters
    ----------
    robot : Robot
        The robot to judge.

    Returns
    -------
    RobotCheck
        What was found, link by link; `passed` says whether it is a model that can exist.

    Examples
    --------
    >>> from dynident import check_robot, load_robot
    >>> check_robot(load_robot("panda")).passed
    True
    """
    reach = arm_reach(robot)
    return RobotCheck(
        robot=robot.name,
        source=robot.source,
        links=tuple(_check_link(robot, body, reach) for body in range(robot.n)),
        sources=tuple(_check_sources(robot)),
        base_sources=robot.base_sources,
        warnings=tuple(_robot_warnings(robot)),
        notes=robot.notes,
    )


def _check_sources(robot: Robot) -> Iterator[SourceCheck]:
    for piece in robot.base_pieces:
        yield from _check_source(piece, None)
    for link in robot.links:
        if not _is_its_only_mass(link):
            for piece in link.pieces:
                yield from _check_source(piece, link.name)


def _check_source(piece: Source, body: str | None) -> Iterator[SourceCheck]:
    """A piece with ten zeros is a frame, which descriptions often write as a link: there is nothing to judge."""
    if piece.parameters is not None and np.any(piece.parameters):
        yield SourceCheck(name=piece.name, body=body, **vars(judge(piece.parameters)))


def _is_its_only_mass(link: Link) -> bool:
    """Then the verdict on the body is the verdict on its source link of the same name."""
    return all(piece.parameters is None or not np.any(piece.parameters) or piece.name == link.name for piece in link.pieces)


def _check_link(robot: Robot, body: int, reach: float) -> LinkCheck:
    link = robot.links[body]
    if link.parameters is None:
        return LinkCheck(name=link.name, frame=link.frame, verdict=LinkVerdict.NO_INERTIA, sources=link.sources)
    judgement = judge(link.parameters)
    if inside_compound_joint(robot, body):
        judgement = replace(judgement, verdict=LinkVerdict.COMPOUND, detail="")
    mass, com, inertia = link_inertia(link.parameters)
    warnings = _value_warnings(mass, inertia, length_unit(robot) ** 3)
    if mass > 0.0 and reach > 0.0:
        with np.errstate(over="ignore"):  # the mass may be next to nothing
            spread = inertia / mass
        warnings += _size_warnings(robot, body, com, spread, reach)
    return LinkCheck(name=link.name, frame=link.frame, warnings=tuple(warnings), sources=link.sources, **vars(judgement))


def inside_compound_joint(robot: Robot, body: int) -> bool:
    """Several joints in one point (universal, spherical) are a chain of links of no length and no mass: nothing is wrong with those.

    Nor with the links that stand between the joints of one MJCF body, wherever these are.
    """
    link = robot.links[body]
    start, _ = joint_points(robot, body)
    ends = [robot.joints[child].placement[:3, 3] for child in children(robot)[body]]
    in_one_point = len(ends) == 1 and np.allclose(ends[0], start, rtol=0.0, atol=1e-9 * length_unit(robot))
    return not np.any(link.parameters) and (in_one_point or link.name.endswith(f"/{robot.joints[body].name}"))


def _value_warnings(mass: float, inertia: Array, volume: float) -> list[str]:
    """volume : of the robot, in cubes of the length of an arm."""
    warnings: list[str] = []
    heaviest, lightest = HEAVIEST_LINK * max(1.0, volume), LIGHTEST_LINK * min(1.0, volume)
    if mass > heaviest:
        warnings.append(f"{mass:.4g} kg is heavier than {heaviest:g} kg; is the mass in grams?")
    if 0.0 < mass < lightest:
        warnings.append(f"{mass:.2g} kg is lighter than {lightest:g} kg; a placeholder?")
    diagonal = float(np.trace(inertia)) / 3.0
    if diagonal > 0.0 and np.allclose(inertia, diagonal * np.eye(3), rtol=0.0, atol=1e-6 * diagonal):
        decade = np.log10(diagonal)
        if abs(decade - round(decade)) < 1e-6:
            warnings.append(f"the inertia is {diagonal:.3g} times the identity; a placeholder?")
    return warnings


def _size_warnings(robot: Robot, body: int, com: Array, inertia_per_mass: Array, reach: float) -> list[str]:
    """Where the mass is, against how long the link is."""
    warnings: list[str] = []
    start, ends = joint_points(robot, body)
    span = max((float(np.linalg.norm(end - start)) for end in ends), default=0.0)
    end_is_known = span > 0.0 or bool(children(robot)[body])
    size = max(span, SIZE_SHARE_OF_REACH * reach) if end_is_known else reach
    distance = min(_distance_to_segment(com, start, end) for end in (*ends, start))
    if distance > size:
        warnings.append(f"CoM far outside the link's joint span: {distance:.3g} m from the line between its joints, over {size:.2g} m")
    gyration = float(np.sqrt(max(0.5 * np.trace(inertia_per_mass), 0.0)))
    if gyration > size:
        warnings.append(f"inertia large for the mass: radius of gyration {gyration:.3g} m, over {size:.2g} m")
    return warnings


def _distance_to_segment(point: Array, start: Array, end: Array) -> float:
    along = end - start
    length_squared = float(along @ along)
    share = float(np.clip((point - start) @ along / length_squared, 0.0, 1.0)) if length_squared > 0.0 else 0.0
    return float(np.linalg.norm(point - start - share * along))


def _robot_warnings(robot: Robot) -> list[str]:
    warnings: list[str] = []
    strength = float(np.linalg.norm(robot.gravity))
    low, high = EARTH_GRAVITY
    if not low <= strength <= high:
        warnings.append(f"gravity is {strength:.4g} m/s², not between {low} and {high}")
    for joint in robot.joints:
        if joint.position[0] == joint.position[1]:
            warnings.append(f"joint {joint.name!r} can't move: both of its position limits are {joint.position[0]:g}")
        for name, article in (("velocity", "a"), ("effort", "an")):
            if getattr(joint, name) == 0.0:
                warnings.append(f"joint {joint.name!r} has {article} {name} limit of zero; unknown limits are left out")
        for name, largest in LARGEST_LIMITS.items():
            limit = max((abs(value) for value in np.atleast_1d(getattr(joint, name)).tolist() if np.isfinite(value)), default=0.0)
            if limit > largest:
                warnings.append(f"joint {joint.name!r} has a {name} limit of {limit:.3g} {getattr(joint.units, name)}; is that its unit?")
        stroke = joint.position[1] - joint.position[0]
        if joint.type is JointType.PRISMATIC and LONGEST_STROKE < stroke < math.inf:
            warnings.append(
                f"joint {joint.name!r} has a stroke of {stroke:.4g} m, over {LONGEST_STROKE:g} m; it is not counted in the reach"
            )
    reach = arm_reach(robot)
    if reach > LONGEST_ARM:
        warnings.append(f"the arm reaches {reach:.4g} m; are its lengths in mm?")
    return warnings
