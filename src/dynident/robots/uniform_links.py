"""Links as uniform as possible: homogeneous boxes around the joints, where nothing else is known of a robot's links."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.robots.kinematics import arm_reach, joint_points, length_unit
from dynident.robots.parameters import consistency_margin, from_com
from dynident.robots.robot import Robot

#: Around the line between a link's joints where nothing else tells its size: the half width of an ordinary arm [m], and the least and the
#: largest share of its reach that it is. An arm of a tonne is no rod of 10 cm, and one of a hand's length no block of 10 cm.
_HALF_WIDTH, _SLENDER, _STOUT = 0.05, 0.04, 0.125
#: Where no total mass is given [kg/m³]: motors, gears and hollow castings weigh about as much as water.
DENSITY = 1000.0


def uniform_links(robot: Robot) -> Array:
    """(n, 10) homogeneous boxes around the joints of each link, of the density of water."""
    boxes = np.array([link_box(robot, i) for i in range(robot.n)])
    return uniform_bodies(boxes, DENSITY * np.prod(boxes[:, 1] - boxes[:, 0], axis=1))


def mend_links(links: Array, bodies: Array) -> tuple[Array, tuple[int, ...]]:
    """(n, 10) the links, with a body (n, 10) scaled to the same mass for each that no body can be; and which those are."""
    mended = links.copy()
    broken = tuple(int(i) for i in np.flatnonzero(consistency_margin(links) <= 0.0))
    for i in broken:
        mended[i] = bodies[i] * (links[i, 0] / bodies[i, 0] if links[i, 0] > 0.0 else 1.0)
    return mended, broken


def uniform_bodies(boxes: Array, masses: Array) -> Array:
    """Links "as uniform as possible": homogeneous boxes.

    Parameters
    ----------
    boxes : (n, 2, 3) array_like
        Lower and upper corner of each [m].
    masses : (n,) array_like
        Of each [kg].

    Returns
    -------
    array
        (n, 10) linear parameters.
    """
    low, high = boxes[:, 0], boxes[:, 1]
    sides = high - low
    squares = sides**2
    inertia = np.zeros((len(boxes), 3, 3))
    for k in range(3):
        inertia[:, k, k] = masses / 12.0 * (squares.sum(axis=1) - squares[:, k])
    return from_com(masses, 0.5 * (low + high), inertia)


def link_box(robot: Robot, i: int) -> Array:
    """(2, 3) the span between a link's joints, wider on every side by 5 cm, but at least 4 % and at most 12.5 % of the arm's reach [m]."""
    low, high = link_span(robot, i)
    reach = arm_reach(robot)
    half_width = float(np.clip(_HALF_WIDTH, _SLENDER * reach, _STOUT * reach)) if reach > 0.0 else _HALF_WIDTH * length_unit(robot)
    return np.array([low - half_width, high + half_width])


def link_span(robot: Robot, i: int) -> tuple[Array, Array]:
    """The corners (3,) and (3,) of the box around a link's own joint, those that it carries and the tool, in the link's frame [m]."""
    start, ends = joint_points(robot, i)
    points = [start, *ends]
    return np.min(points, axis=0), np.max(points, axis=0)
