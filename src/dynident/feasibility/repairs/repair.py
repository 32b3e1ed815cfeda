"""The nearest physically consistent parameters to those of a robot description, with the same dynamics where that is possible.

The unknowns are the source links one by one, for a simulator judges each of them; the robot's dynamics only know their sums
over bodies. First the base parameters are held exactly and the distance is minimised; where no consistent links have these
base parameters, their relative change is minimised instead, and each change is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.figures import Figure
from dynident.core.results import Report, Result
from dynident.errors import DynidentError, InputError
from dynident.feasibility.constraints.lmi import Block, Equality, linear
from dynident.feasibility.prior import link_metric
from dynident.feasibility.solvers.conic import ConicProgram, ConicStatus
from dynident.parameters import change_of_frame, consistency_margin, from_com, inertia_matrix, pseudo_inertia
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.robots.figures import robot_figure
from dynident.robots.robot import Robot, Source
from dynident.robots.verdict import judge

Metric = Literal["entropic", "euclidean"]

#: Base parameters that differ by less than this share of the largest are the same.
SAME = 1e-10
#: Links get at least this share of the trace of their inertia as margin, twice of what counts as marginal, unless they had less.
_ROOM = 2e-3
#: No link is made lighter than this [kg], unless it was.
_LIGHTEST = 1e-3
#: What the distance weighs beside a change of the dynamics, where that can't be avoided.
_TIE = 1e-3


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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Repair(Result):
    """links : every source link with an inertia; coefficients : (2, b) base parameters before and after."""

    robot: Robot
    base: BaseParameters
    links: tuple[RepairedLink, ...]
    coefficients: Array

    @property
    def headline(self) -> str:
        return f"{self.robot.name}, {len(self.changed)} of {len(self.links)} links changed, {len(self.moved)} base parameters"

    def tables(self) -> Report:
        from dynident.feasibility.repairs.tables import repair_report  # the tables know Repair, not the other way round

        return repair_report(self)

    def records(self) -> list[dict[str, Any]]:
        """One row per source link: mass and margin before and after."""
        from dynident.feasibility.repairs.tables import repair_records

        return repair_records(self)

    def figures(self) -> tuple[Figure, ...]:
        """The robot in 3D, repaired beside as it was."""
        return (robot_figure(self.robot, self.parameters()),)

    @property
    def changed(self) -> tuple[RepairedLink, ...]:
        return tuple(link for link in self.links if link.changed)

    @property
    def moved(self) -> tuple[int, ...]:
        """Base parameters that could not be kept, the one that moved most first."""
        change = np.abs(self.coefficients[1] - self.coefficients[0])
        beyond = np.flatnonzero(change > SAME * np.abs(self.coefficients).max(initial=1.0))
        return tuple(int(i) for i in beyond[np.argsort(-change[beyond])])

    def parameters(self) -> Array:
        """(n, 10) of the bodies, in their parameter frames."""
        return _sums(self.robot, [(link.body, link.after) for link in self.links])


def repair(robot: Robot, *, margin: float | None = None, metric: Metric = "entropic") -> Repair:
    """The nearest consistent parameters of every source link.

    margin : of every link [kg·m²], as `dynident check` prints it; by default enough not to be marginal.
    A robot whose links are consistent (and have the margin, if one is given) is returned as it is.
    """
    missing = [link.name for link in robot.links if link.parameters is None]
    if missing:
        raise InputError(
            f"robot {robot.name!r} has no inertia for {', '.join(missing)}; there is nothing to repair there, give them one first"
        )
    sources = _sources(robot)
    base = base_parameters(robot)
    before = base.coefficients(_sums(robot, [(body, _own(piece)) for body, piece in sources]))
    if all(_in_order(_own(piece), margin) for _, piece in sources):
        after = [_own(piece) for _, piece in sources]
    else:
        after = _Nearest(base, sources, metric, margin).solve()
    links = [RepairedLink(name=piece.name, body=body, before=_own(piece), after=x) for (body, piece), x in zip(sources, after, strict=True)]
    found = base.coefficients(_sums(robot, [(link.body, link.after) for link in links]))
    return Repair(robot=robot, base=base, links=tuple(links), coefficients=np.array([before, found]))


class _Nearest:
    """The conic program over all source links, in coordinates y = R (x - x0) in which the distance is ‖y‖."""

    def __init__(self, base: BaseParameters, sources: Sequence[tuple[int, Source]], metric: Metric, margin: float | None) -> None:
        self.x0 = np.concatenate([_own(piece) for _, piece in sources])
        self.K = np.zeros((base.rank, len(self.x0)))
        self.steps = np.zeros((len(self.x0), len(self.x0)))  # x - x0 = steps @ y
        self.blocks: list[Block] = []
        self.moves: list[Block] = []  # the same conditions on y
        self.wrong = np.array([not _in_order(_own(piece), margin) for _, piece in sources])
        for i, (body, piece) in enumerate(sources):
            own, reference = slice(10 * i, 10 * i + 10), _reference(_own(piece))
            if body >= 0:
                self.K[:, own] = base.grouping[:, 10 * body : 10 * body + 10] @ change_of_frame(piece.placement)
            self.steps[own, own] = np.linalg.inv(np.linalg.qr(link_metric(reference, metric), mode="r"))
            room = _room(_own(piece)) if margin is None else margin
            self.blocks += _consistent(piece, i, room)
            # a little more is asked for, so that rounding at the boundary does no harm
            self.moves += [self._in_steps(block, reference) for block in _consistent(piece, i, room + 1e-3 * _room(_own(piece)))]

    def _in_steps(self, block: Block, reference: Array) -> Block:
        """A condition on y, turned by a congruence so that its entries are of order one: W F Wᵀ ⪰ 0 where F ⪰ 0."""
        W = np.linalg.inv(np.linalg.cholesky(pseudo_inertia(reference))) if block.size == 4 else np.eye(1) / reference[0]
        link = np.arange(10) + 10 * (int(block.indices[0]) // 10)
        matrices = np.einsum("ikl,ij->jkl", block.matrices, self.steps[np.ix_(block.indices, link)])
        return replace(block, constant=W @ block.value(self.x0) @ W.T, matrices=W @ matrices @ W.T, indices=link)

    def solve(self) -> list[Array]:
        """The links, with the base parameters as they were if that is possible, else as near to them as possible."""
        target = np.abs(self.K @ self.x0)
        relative = (self.K / np.maximum(target, 1e-3 * target.max())[:, None]) @ self.steps
        used = [np.flatnonzero(row) for row in relative]
        held = [Equality(name="", indices=own, coefficients=row[own], value=0.0) for row, own in zip(relative, used, strict=True)]
        distance = np.eye(len(self.x0))
        x = self._exact(distance, held, np.repeat(self.wrong, 10))
        if x is None:
            x = self._exact(distance, held, np.ones(len(self.x0), dtype=bool))
        if x is None:
            x = self._nearest(np.concatenate([relative, _TIE * distance]), [])
        if x is None:
            raise DynidentError("no consistent parameters were found near those of the robot; is a margin asked for that is too large?")
        return [np.asarray(part) for part in x.reshape(-1, 10)]

    def _exact(self, distance: Array, held: list[Equality], free: BoolArray) -> Array | None:
        """The nearest links with the same base parameters, of which only the free parameters move."""
        still = [Equality(name="", indices=np.array([i]), coefficients=np.ones(1), value=0.0) for i in np.flatnonzero(~free)]
        x = self._nearest(distance, held + still)
        if x is None:
            return None
        # what the solver's tolerance leaves of the equalities is removed by a step far below the links' margins
        step = np.zeros(len(x))
        x = np.where(free, x, self.x0)
        step[free] = np.linalg.lstsq((self.K @ self.steps)[:, free], self.K @ (self.x0 - x), rcond=1e-12)[0]
        x = x + self.steps @ step
        same = float(np.abs(self.K @ (x - self.x0)).max()) <= SAME * float(np.abs(self.K @ self.x0).max())
        return x if same and min(block.margin(x) for block in self.blocks) >= 0.0 else None

    def _nearest(self, rows: Array, held: list[Equality]) -> Array | None:
        """The links with the shortest rows @ y; None where nothing keeps the conditions."""
        solution = ConicProgram(rows, np.zeros(len(rows)), self.moves, held).solve()
        x = self.x0 + self.steps @ solution.x
        inside = solution.status is ConicStatus.SOLVED and min(block.margin(x) for block in self.blocks) > -1e-9
        return x if inside else None


def _consistent(piece: Source, i: int, room: float) -> list[Block]:
    mass = float(_own(piece)[0])
    lightest = min(_LIGHTEST, 0.5 * mass) if mass > 0.0 else _LIGHTEST
    matrix = Block(
        name=f"physical consistency of {piece.name}",
        constant=-room * np.diag([1.0, 1.0, 1.0, 0.0]),
        matrices=pseudo_inertia(np.eye(10)),
        indices=np.arange(10 * i, 10 * i + 10),
    )
    return [matrix, linear(f"mass of {piece.name}", {10 * i: 1.0}, -lightest)]


def _room(own: Array) -> float:
    """The margin that a link is to have: a share of its inertia's trace, or what it has where that is less."""
    wanted = _ROOM * float(np.trace(inertia_matrix(_reference(own))))
    has = float(consistency_margin(own))
    return min(wanted, 0.999 * has) if has > 0.0 else wanted


def _reference(own: Array) -> Array:
    """A consistent link like this one, to measure distances at: its mass and second moments made positive about its centre."""
    mass = max(float(own[0]), _LIGHTEST)
    com = own[1:4] / mass
    P = pseudo_inertia(own)
    values, vectors = np.linalg.eigh(P[:3, :3] - mass * np.outer(com, com))
    floor = max(float(np.abs(values).sum()) / 30.0, 1e-9)
    second = (vectors * np.maximum(np.abs(values), floor)) @ vectors.T
    return from_com(mass, com, np.trace(second) * np.eye(3) - second)


def _in_order(own: Array, margin: float | None) -> bool:
    return not judge(own).verdict.inconsistent and (margin is None or float(consistency_margin(own)) >= margin)


def _sources(robot: Robot) -> list[tuple[int, Source]]:
    """Every source link with an inertia, those of the base first; ten zeros are a frame."""
    bodies = [(-1, robot.base_pieces), *((i, _pieces(robot, i)) for i in range(robot.n))]
    return [(body, piece) for body, pieces in bodies for piece in pieces if piece.parameters is not None and np.any(piece.parameters)]


def _pieces(robot: Robot, body: int) -> tuple[Source, ...]:
    """The source links of a body; the body itself where only their sum is known."""
    link = robot.links[body]
    known = any(piece.parameters is not None for piece in link.pieces)
    return link.pieces if known else (replace(link.pieces[0], placement=np.eye(4), parameters=link.parameters),)


def _own(piece: Source) -> Array:
    assert piece.parameters is not None  # noqa: S101 (_sources leaves the others out)
    return piece.parameters


def _sums(robot: Robot, parts: Sequence[tuple[int, Array]]) -> Array:
    """(n, 10) what the source links' parameters add up to in each body."""
    placements = [(body, piece.placement) for body, piece in _sources(robot)]
    total = np.zeros((robot.n, 10))
    for (body, values), (_, placement) in zip(parts, placements, strict=True):
        if body >= 0:
            total[body] += change_of_frame(placement) @ values
    return total
