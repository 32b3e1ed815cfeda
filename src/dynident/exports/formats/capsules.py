"""Capsules of a robot's links in descriptions that are written anew: what is kept apart here is known to other programs too.

A URDF knows no capsule, so each is a cylinder with a ball at both ends. In an MJCF they touch nothing: a simulation is not to change
because a description says what its links look like.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import number_text
from dynident.robots.geometry.surfaces import frame_along
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.robots.robot import Robot
from dynident.robots.solids import described_solids


def urdf_shapes(robot: Robot, body: int) -> list[str]:
    """The <collision> elements of a body, -1 for the base, in its joint frame."""
    lines: list[str] = []
    for start, end, radius in _capsules(robot, body):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = frame_along(end - start), 0.5 * (start + end)
        length = float(np.linalg.norm(end - start))
        ball = f'<sphere radius="{number_text([radius])}"/>'
        lines.append(_collision(_at(start), ball))
        if length > 0.0:
            lines += [_collision(_at(end), ball), _collision(pose, f'<cylinder radius="{number_text([radius])}" length="{length!r}"/>')]
    return lines


def mjcf_shapes(robot: Robot, body: int) -> list[str]:
    """The <geom> elements of a body, -1 for the base, in its joint frame."""
    for_the_eye = 'contype="0" conaffinity="0" mass="0"'
    return [
        f'<geom type="capsule" size="{number_text([radius])}" fromto="{number_text([*start, *end])}" {for_the_eye}/>'
        if np.any(start != end)
        else f'<geom type="sphere" size="{number_text([radius])}" pos="{number_text(start.tolist())}" {for_the_eye}/>'
        for start, end, radius in _capsules(robot, body)
    ]


def mjcf_pairs(robot: Robot) -> list[str]:
    """The <contact> element with the pairs of links that never touch."""
    pairs = [pair for pair in robot.apart if set(pair) <= set(robot.link_names)]
    excluded = [f"    <exclude body1={quoteattr(first)} body2={quoteattr(second)}/>" for first, second in pairs]
    return ["  <contact>", *excluded, "  </contact>"] if excluded else []


def shapes_sentence(robot: Robot) -> str:
    """What a description that is written anew has of shapes, as the end of a sentence."""
    return "complete, with capsules for shapes" if any(True for _ in described_solids(robot)) else "complete but has no shapes"


def unheld_by_urdf(robot: Robot) -> list[str]:
    """A note of what a URDF has no place for of where links may go; none where there is nothing to say."""
    what = [f"that {' and '.join(pair)} never touch" for pair in robot.apart]
    what += [f"that the floor is at z = {robot.floor:g} m"] if robot.floor != 0.0 else []
    return [f"URDF can't say {', or '.join(what)}, so motions that are planned with it keep farther away, or find no room"] if what else []


def _capsules(robot: Robot, body: int) -> Iterator[tuple[Array, Array, float]]:
    pose = np.eye(4) if body < 0 else robot.links[body].placement
    for solid in described_solids(robot):
        if solid.body == body:
            points = solid.points @ pose[:3, :3].T + pose[:3, 3]
            yield points[0], points[-1], solid.radius


def _collision(pose: Array, shape: str) -> str:
    xyz, rpy = xyz_rpy_from_pose(pose)
    origin = f'<origin xyz="{number_text(xyz.tolist())}" rpy="{number_text(rpy.tolist())}"/>'
    return f"<collision>{origin}<geometry>{shape}</geometry></collision>"


def _at(point: Array) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose
