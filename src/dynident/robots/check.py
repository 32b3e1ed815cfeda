"""A lint for robot descriptions: is every link a body that can exist, and do its numbers look like an arm's?

A link is physically consistent when its pseudo-inertia is positive definite: positive mass, positive principal
inertias, and the triangle inequality λ_max <= λ_1 + λ_2 between them (Wensing, Kim, Slotine, RA-L 2018). With it a
simulator's mass matrix is positive definite in every configuration. Warnings are about numbers that a body could
have but an arm's link hardly does: placeholders, wrong units, a centre of mass away from the link.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dynident._typing import Array
from dynident.parameters import consistency_margin, inertia_matrix, to_com
from dynident.robots.robot import JointType, Robot

#: Below this share of the trace of I_c the triangle inequality holds, but barely: the link is marginal.
MARGINAL_SHARE = 1e-3
#: A violation below this share of the trace of J is the rounding of a limit case (a thin rod, a point mass), not an error.
ROUNDING_SHARE = 1e-9
#: A link's size is taken as the larger of the span between its joints and this share of the arm's reach;
#: as the whole reach for a last link whose end the description doesn't tell.
SIZE_SHARE_OF_REACH = 0.25
#: Heavier and lighter links than these are probably in other units than kg.
HEAVIEST_LINK, LIGHTEST_LINK = 1000.0, 1e-3
#: |gravity| outside of this range is not that of the Earth's surface [m/s²].
EARTH_GRAVITY = (9.7, 9.9)


class Verdict(Enum):
    """What a link is; the value is the sentence that the user sees."""

    CONSISTENT = "consistent"
    MARGINAL = "marginal"
    TRIANGLE = "violates the triangle inequality"
    NOT_POSITIVE = "inertia is not positive definite"
    ZERO_MASS = "zero mass"
    NEGATIVE_MASS = "negative mass"
    COMPOUND = "no mass, inside a compound joint"
    NO_INERTIA = "no inertia given"

    @property
    def inconsistent(self) -> bool:
        """No rigid body has such parameters."""
        return self in (Verdict.TRIANGLE, Verdict.NOT_POSITIVE, Verdict.ZERO_MASS, Verdict.NEGATIVE_MASS)


@dataclass(frozen=True, kw_only=True)
class LinkCheck:
    """One link's numbers and what they say.

    mass                [kg], None without an inertia.
    com                 Centre of mass in the parameter frame [m], None without a mass.
    principal_inertias  Eigenvalues of I_c, ascending [kg·m²]; of J where the mass is zero.
    margin              Smallest eigenvalue of the pseudo-inertia about the centre of mass; negative is inconsistent.
    detail              The verdict in numbers; empty where there is nothing to add.
    warnings            What looks suspicious about a link that may well be consistent.
    sources             The source links that were lumped into this body, itself first.
    """

    name: str
    frame: str
    verdict: Verdict
    detail: str = ""
    mass: float | None = None
    com: tuple[float, float, float] | None = None
    principal_inertias: tuple[float, float, float] | None = None
    margin: float | None = None
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RobotCheck:
    """The lint's result for a whole robot. `warnings` are about the robot; each link has its own."""

    robot: str
    source: str
    links: tuple[LinkCheck, ...]
    base_sources: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def inconsistent(self) -> tuple[LinkCheck, ...]:
        """The links that no rigid body can be."""
        return tuple(link for link in self.links if link.verdict.inconsistent)

    @property
    def without_inertia(self) -> tuple[LinkCheck, ...]:
        return tuple(link for link in self.links if link.verdict is Verdict.NO_INERTIA)

    @property
    def total_mass(self) -> float | None:
        """Mass of the moving links [kg]; None unless every link has one."""
        masses = [link.mass for link in self.links if link.mass is not None]
        return sum(masses) if len(masses) == len(self.links) else None


def check_robot(robot: Robot) -> RobotCheck:
    """Judge every link of a robot, and the values that belong to no single link."""
    reach = _reach(robot)
    return RobotCheck(
        robot=robot.name,
        source=robot.source,
        links=tuple(_check_link(robot, body, reach) for body in range(robot.n)),
        base_sources=robot.base_sources,
        warnings=tuple(_robot_warnings(robot)),
        notes=robot.notes,
    )


def _check_link(robot: Robot, body: int, reach: float) -> LinkCheck:
    link = robot.links[body]
    if link.parameters is None:
        return LinkCheck(name=link.name, frame=link.frame, verdict=Verdict.NO_INERTIA, sources=link.sources)
    mass = float(link.parameters[0])
    com, inertia = None, inertia_matrix(link.parameters)
    rounding = ROUNDING_SHARE * float(np.trace(np.abs(inertia)))
    if mass != 0.0:
        _, com, inertia = to_com(link.parameters)
    low, middle, high = (float(value) for value in np.linalg.eigvalsh(inertia))
    if _inside_compound_joint(robot, body):
        verdict, detail = Verdict.COMPOUND, ""
    else:
        verdict, detail = _judge(mass, (low, middle, high), rounding)
    warnings = _value_warnings(mass, inertia)
    if mass > 0.0 and com is not None and reach > 0.0:
        warnings += _size_warnings(robot, body, com, inertia / mass, reach)
    return LinkCheck(
        name=link.name,
        frame=link.frame,
        verdict=verdict,
        detail=detail,
        mass=mass,
        com=None if com is None else (float(com[0]), float(com[1]), float(com[2])),
        principal_inertias=(low, middle, high),
        margin=float(consistency_margin(link.parameters)),
        warnings=tuple(warnings),
        sources=link.sources,
    )


def _inside_compound_joint(robot: Robot, body: int) -> bool:
    """Several joints in one point (universal, spherical) are a chain of links of no length and no mass: nothing is wrong with those."""
    start, _ = _joint_points(robot, body)
    children = [joint.placement[:3, 3] for joint in robot.joints if joint.parent == body]
    return not np.any(robot.links[body].parameters) and len(children) == 1 and np.allclose(children[0], start, rtol=0.0, atol=1e-9)


def _judge(mass: float, principal: tuple[float, float, float], rounding: float) -> tuple[Verdict, str]:
    low, _, high = principal
    trace = sum(principal)
    slack = 0.5 * trace - high  # of the triangle inequality; the pseudo-inertia's smallest eigenvalue
    if mass < 0.0:
        return Verdict.NEGATIVE_MASS, f"{mass:.4g} kg"
    if mass == 0.0:
        return Verdict.ZERO_MASS, "its inertia is not zero" if trace != 0.0 else ""
    if low < -rounding:
        return Verdict.NOT_POSITIVE, f"smallest principal inertia {low:.2e} kg·m²"
    if slack < -rounding:
        return Verdict.TRIANGLE, f"the largest principal inertia exceeds half the trace by {-slack:.2e} kg·m²"
    if trace <= rounding:
        return Verdict.MARGINAL, "a point mass, without rotational inertia"
    if slack <= MARGINAL_SHARE * trace:
        share = slack / trace
        return Verdict.MARGINAL, f"margin is {100 * max(share, 0.0):.2g} % of the inertia's trace, below {100 * MARGINAL_SHARE:g} %"
    return Verdict.CONSISTENT, ""


def _value_warnings(mass: float, inertia: Array) -> list[str]:
    warnings: list[str] = []
    if mass > HEAVIEST_LINK:
        warnings.append(f"{mass:.4g} kg is heavier than {HEAVIEST_LINK:g} kg; is the mass in grams?")
    if 0.0 < mass < LIGHTEST_LINK:
        warnings.append(f"{mass:.2g} kg is lighter than {LIGHTEST_LINK:g} kg; a placeholder?")
    diagonal = float(np.trace(inertia)) / 3.0
    if diagonal > 0.0 and np.allclose(inertia, diagonal * np.eye(3), rtol=0.0, atol=1e-6 * diagonal):
        decade = np.log10(diagonal)
        if abs(decade - round(decade)) < 1e-6:
            warnings.append(f"the inertia is {diagonal:.3g} times the identity; a placeholder?")
    return warnings


def _size_warnings(robot: Robot, body: int, com: Array, inertia_per_mass: Array, reach: float) -> list[str]:
    """Where the mass is, against how long the link is."""
    warnings: list[str] = []
    start, ends = _joint_points(robot, body)
    span = max((float(np.linalg.norm(end - start)) for end in ends), default=0.0)
    end_is_known = span > 0.0 or any(joint.parent == body for joint in robot.joints)
    size = max(span, SIZE_SHARE_OF_REACH * reach) if end_is_known else reach
    distance = min(_distance_to_segment(com, start, end) for end in (*ends, start))
    if distance > size:
        warnings.append(f"CoM far outside the link's joint span: {distance:.3g} m from the line between its joints, over {size:.2g} m")
    gyration = float(np.sqrt(max(0.5 * np.trace(inertia_per_mass), 0.0)))
    if gyration > size:
        warnings.append(f"inertia large for the mass: radius of gyration {gyration:.3g} m, over {size:.2g} m")
    return warnings


def _joint_points(robot: Robot, body: int) -> tuple[Array, list[Array]]:
    """The link's own joint, and its children's joints (the tool's origin for the last link), in the link's parameter frame."""
    pose_link_in_joint = robot.links[body].placement
    start = -pose_link_in_joint[:3, :3].T @ pose_link_in_joint[:3, 3]
    ends = [joint.placement[:3, 3] for joint in robot.joints if joint.parent == body]
    if body == robot.n - 1:
        ends.append(robot.tool[:3, 3])
    return start, ends


def _reach(robot: Robot) -> float:
    """Length of the longest chain of joints from the base to a tip, strokes of the sliding joints included [m]."""
    lengths: list[float] = []
    for body, joint in enumerate(robot.joints):
        start, ends = _joint_points(robot, body)
        if joint.parent < 0:
            to_joint = float(np.linalg.norm(joint.placement[:3, 3]))
        else:
            parent_start, _ = _joint_points(robot, joint.parent)
            to_joint = lengths[joint.parent] + float(np.linalg.norm(joint.placement[:3, 3] - parent_start))
        low, high = joint.position
        stroke = high - low if joint.type is JointType.PRISMATIC and np.isfinite(high - low) else 0.0
        tip = float(np.linalg.norm(ends[-1] - start)) if body == robot.n - 1 else 0.0
        lengths.append(to_joint + stroke + tip)
    return max(lengths)


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
        for name in ("velocity", "effort"):
            if getattr(joint, name) == 0.0:
                warnings.append(f"joint {joint.name!r} has a {name} limit of zero; unknown limits are left out")
    return warnings
