"""What the simulated robot really weighs: the links' parameters, or others like them, plus what hangs on one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import InputError, ShapeError, UnknownNameError, ValueRangeError
from dynident.robots.parameters import (
    change_of_frame,
    consistency_margin,
    from_com,
    from_pseudo_inertia,
    inertia_tensor,
    link_rows,
    pseudo_inertia,
)
from dynident.robots.robot import Robot
from dynident.robots.verdict import LinkVerdict, judge


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A rigid body fixed to a link. Without a link it hangs on the tool.

    Attributes
    ----------
    mass : float
        [kg].
    com : (3,)
        Centre of mass [m], in the tool frame; in the parameter frame of `link` where one is named.
    inertia : (6,)
        Xx, xy, xz, yy, yz, zz about the centre of mass, axes of that frame [kg·m²]; zero is a point mass.
    link : str
        The link that carries it; None is the last one, through the tool frame.
    """

    mass: float
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    link: str | None = None

    def __post_init__(self) -> None:
        if np.shape(self.com) != (3,) or np.shape(self.inertia) != (6,):
            raise ShapeError("payload", (*np.shape(self.com), *np.shape(self.inertia)), "three numbers of com, six of inertia")
        if not np.all(np.isfinite([self.mass, *self.com, *self.inertia])) or self.mass <= 0.0:
            raise ValueRangeError("payload", f"has mass {self.mass:g} kg; a positive mass and finite numbers were expected")
        verdict = judge(self.own_parameters)
        if verdict.verdict.inconsistent:
            raise ValueRangeError("payload", f"is no rigid body: {verdict.verdict.value} ({verdict.detail}); correct its inertia")

    @property
    def own_parameters(self) -> Array:
        """(10,) in the payload's own frame."""
        return from_com(self.mass, self.com, inertia_tensor(self.inertia))


def loaded_parameters(robot: Robot, parameters: ArrayLike | None = None, payload: Payload | None = None) -> Array:
    """Linear parameters in the robot's named frames: the given or nominal ones, and the payload.

    Parameters
    ----------
    robot
        The robot.
    parameters : (n, 10) array_like
        Linear parameters of the links; by default the nominal ones.
    payload
        What hangs on the flange; None for nothing.

    Returns
    -------
    array
        (n, 10) parameters.
    """
    values = robot.parameters if parameters is None else parameters
    if values is None:
        missing = ", ".join(link.name for link in robot.links if link.parameters is None)
        raise InputError(f"robot {robot.name!r} has no inertia for {missing}, so it can't be simulated; give it parameters")
    p = link_rows(values, robot.link_names).copy()
    if payload is not None:
        index = robot.n - 1 if payload.link is None else _link_index(robot, payload.link)
        pose = robot.tool if payload.link is None else np.eye(4)
        p[index] += change_of_frame(pose) @ payload.own_parameters
    return p


def vary_links(robot: Robot, *, spread: float = 0.1, seed: int = 0) -> Array:
    """(n, 10) parameters of links that differ from the nominal ones by about this share, as real ones do from their description.

    Each pseudo-inertia P becomes T P Tᵀ with a random T near 1, which keeps it consistent; links that are not are repaired first.
    """
    from dynident.links.repairs.repair import repair  # with it come the solvers, which no other simulation needs

    p = loaded_parameters(robot)
    if np.any(consistency_margin(p) <= 0.0):
        p = repair(robot).parameters()
    noise = np.random.default_rng(seed).normal(size=(robot.n, 4, 4))
    T = np.eye(4) + spread * noise * np.array([[1, 1, 1, 0.1]] * 3 + [[0, 0, 0, 1]])
    return from_pseudo_inertia(T @ pseudo_inertia(p) @ T.swapaxes(1, 2))


def check_bodies(robot: Robot, parameters: Array) -> None:
    """InputError naming the first link whose parameters (n, 10) no rigid body can have."""
    for link, row in zip(robot.links, parameters, strict=True):
        if not np.any(row):  # a compound joint's inner link
            continue
        judgement = judge(row)
        if judgement.verdict.inconsistent:
            detail = f" ({judgement.detail})" if judgement.detail else ""
            raise InputError(
                f"link {link.name!r} {_phrase(judgement.verdict)}{detail}, so it can't be simulated",
                remedy="give feasible parameters, such as those that are retrieved or repaired",
            )


def _link_index(robot: Robot, name: str) -> int:
    if name not in robot.link_names:
        raise UnknownNameError("link", name, robot.link_names)
    return robot.link_names.index(name)


def _phrase(verdict: LinkVerdict) -> str:
    return {
        LinkVerdict.TRIANGLE: verdict.value,
        LinkVerdict.NOT_POSITIVE: "has an inertia that is not positive definite",
    }.get(verdict, f"has {verdict.value}")
