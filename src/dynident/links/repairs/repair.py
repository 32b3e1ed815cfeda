"""The nearest physically consistent parameters to those of a robot description, with the same dynamics where that is possible.

The unknowns are the source links one by one, for a simulator judges each of them; the robot's dynamics only know their sums
over bodies. As few links change as possible (`nearest`); where no consistent links have the base parameters, their relative change is
as small as possible, and each change is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Result
from dynident.errors import DynidentError, InputError, require
from dynident.links.repairs.nearest import LEAST_SHARE, SAME, Mended, Metric, Part, mend, positive_part
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.equations.sizes import unit_sizes
from dynident.robots.check import inside_compound_joint
from dynident.robots.kinematics import length_unit
from dynident.robots.parameters import change_of_frame, consistency_margin, link_inertia
from dynident.robots.robot import Robot, Source
from dynident.robots.verdict import judge, mujoco_refuses

#: MuJoCo refuses less mass [kg] or principal inertia [kg·m²] of a moving body (its mjMINVAL).
_LEAST_OF_MUJOCO = 1e-15


@dataclass(frozen=True, kw_only=True, eq=False)
class RepairedLink:
    """A source link before and after, (10,) in its own frame. body : index of the body that it is part of, -1 for the base."""

    name: str
    body: int
    before: Array
    after: Array

    @property
    def changed(self) -> bool:
        return not np.array_equal(self.before, self.after)

    @property
    def margins(self) -> tuple[float, float]:
        return float(consistency_margin(self.before)), float(consistency_margin(self.after))

    @property
    def share_left(self) -> float:
        """Which share of its mass is left, or of its second moment about the centre where that is less; 1 where it had no mass."""
        before, after = positive_part(self.before), positive_part(self.after)
        sizes = [np.array([body[0], 0.5 * np.trace(link_inertia(body).inertia)]) for body in (before, after) if body[0] > 0.0]
        if len(sizes) < 2:
            return 1.0
        had = sizes[0] > 0.0
        return float(min(1.0, *(sizes[1][had] / sizes[0][had])))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Repair(Result):
    """A robot with its links mended.

    Attributes
    ----------
    robot : Robot
        With consistent links.
    base : BaseParameters
        Its coefficients.
    links
        Every source link with an inertia.
    coefficients : (2, b) array
        Base parameters before and after.
    impossible : bool
        Where they differ: whether it is proven that no consistent links have those from before.
    """

    robot: Robot
    base: BaseParameters
    links: tuple[RepairedLink, ...]
    coefficients: Array
    impossible: bool = False

    @property
    def changed(self) -> tuple[RepairedLink, ...]:
        return tuple(link for link in self.links if link.changed)

    @property
    def moved(self) -> tuple[int, ...]:
        """Base parameters that could not be kept, the one that moved most first."""
        units = unit_sizes(self.base.units, length=length_unit(self.robot))
        change = np.abs(self.coefficients[1] - self.coefficients[0]) / units
        beyond = np.flatnonzero(change > SAME * np.abs(self.coefficients / units).max(initial=0.0))
        return tuple(int(i) for i in beyond[np.argsort(-change[beyond])])

    @property
    def masses(self) -> tuple[float, float]:
        """Of all source links before and after [kg]."""
        return sum(float(link.before[0]) for link in self.links), sum(float(link.after[0]) for link in self.links)

    @property
    def shrunk(self) -> tuple[RepairedLink, ...]:
        """The links of which less than a tenth is left."""
        return tuple(link for link in self.changed if link.share_left < LEAST_SHARE * (1.0 - 1e-6))

    @property
    def refused(self) -> tuple[str, ...]:
        """Names of the links that MuJoCo refuses after the repair too: those that move without inertia, points, and thin rods."""
        names = [link.name for link in self.links if mujoco_refuses(link.after)]
        for link, joint, row in zip(self.robot.links, self.robot.joints, self.parameters(), strict=True):
            within_body = link.name.endswith(f"/{joint.name}")  # several joints of one MJCF body, to MuJoCo no link
            if not within_body and min(row[0], float(np.linalg.eigvalsh(link_inertia(row).inertia)[0])) < _LEAST_OF_MUJOCO:
                names.append(link.name)
        return tuple(dict.fromkeys(names))

    def parameters(self) -> Array:
        """(n, 10) of the bodies, in their parameter frames."""
        return _sums(self.robot, [(link.body, link.after) for link in self.links])


def repair(robot: Robot, *, margin: float | None = None, metric: Metric = "entropic") -> Repair:
    """The nearest consistent parameters of every source link.

    Parameters
    ----------
    robot
        With inertias, of which some are not consistent.
    margin
        Of every link [kg·m²], as `dynident check` prints it; by default enough not to be marginal.
    metric
        "entropic" does not depend on frames and units, "euclidean" weighs every entry by its own size.

    Returns
    -------
    Repair
        The robot with consistent links, and how much each of them changed.

    Raises
    ------
    InputError
        Where the robot has no inertias.

    Notes
    -----
    A robot whose links are consistent (and have the margin, if one is given) is returned as it is.

    Examples
    --------
    >>> from dynident import load_robot, repair
    >>> repair(load_robot("arm.urdf")).changed
    ()
    """
    sources = _sources(robot)
    if not sources:
        raise InputError(f"robot {robot.name!r} has no inertias; there is nothing to repair, give its links some first")
    base = base_parameters(robot)
    before = base.coefficients(_sums(robot, [(body, _own(piece)) for body, piece in sources]))
    parts = [Part(body, piece, _own(piece), not _in_order(_own(piece), margin)) for body, piece in sources]
    mended = Mended(links=tuple(part.own for part in parts), found=True)
    if any(part.wrong for part in parts):
        mended = mend(base, parts, metric=metric, margin=margin)
        if not mended.found:
            raise DynidentError("no consistent parameters were found near those of the robot; is a margin asked for that is too large?")
    links = [
        RepairedLink(name=part.piece.name, body=part.body, before=part.own, after=x) for part, x in zip(parts, mended.links, strict=True)
    ]
    after = base.coefficients(_sums(robot, [(link.body, link.after) for link in links]))
    return Repair(robot=robot, base=base, links=tuple(links), coefficients=np.array([before, after]), impossible=mended.impossible)


def _in_order(own: Array, margin: float | None) -> bool:
    return not judge(own).verdict.inconsistent and (margin is None or float(consistency_margin(own)) >= margin)


def _sources(robot: Robot) -> list[tuple[int, Source]]:
    """Every source link with an inertia, those of the base first; ten zeros are a frame, unless a whole body has nothing else."""
    bodies = [(-1, robot.base_pieces), *((i, _pieces(robot, i)) for i in range(robot.n))]
    inertial = [(body, piece) for body, pieces in bodies for piece in pieces if piece.parameters is not None and np.any(piece.parameters)]
    full = {body for body, _ in inertial}
    empty = [
        (body, pieces[0])
        for body, pieces in bodies
        if body >= 0 and body not in full and pieces[0].parameters is not None and not inside_compound_joint(robot, body)
    ]
    return sorted([*inertial, *empty], key=lambda pair: pair[0])


def _pieces(robot: Robot, body: int) -> tuple[Source, ...]:
    """The source links of a body; the body itself where only their sum is known."""
    link = robot.links[body]
    known = any(piece.parameters is not None for piece in link.pieces)
    return link.pieces if known else (replace(link.pieces[0], placement=np.eye(4), parameters=link.parameters),)


def _own(piece: Source) -> Array:
    return require(piece.parameters, f"the inertia of {piece.name!r}")  # _sources leaves the others out


def _sums(robot: Robot, parts: Sequence[tuple[int, Array]]) -> Array:
    """(n, 10) what the source links' parameters add up to in each body."""
    placements = [(body, piece.placement) for body, piece in _sources(robot)]
    total = np.zeros((robot.n, 10))
    for (body, values), (_, placement) in zip(parts, placements, strict=True):
        if body >= 0:
            total[body] += change_of_frame(placement) @ values
    return total
