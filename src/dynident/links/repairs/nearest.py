"""The nearest consistent links to given ones, of which as few change as possible, with the base parameters held where they can be.

A wrong link is first mended alone, then together with the body before it, with its neighbours, and with more and more of the chain,
until consistent links with the same base parameters exist. What holds the base parameters is the null space of the grouping over the
links that may move: the program has no equalities, and the parameters are kept to rounding. Distances are measured in coordinates
y = R (x - x0) in which each link's metric is the unit matrix. That is a distance near x0 alone: to it, a link that vanishes has only
moved by one. What keeps links is therefore a condition, P' - s P0 ⪰ 0: a share s of the mass distribution of each stays where it was, and
with it that share of its mass and of its second moments; nor does its mass become larger than by 1/s. The first of `_STRICTNESS` is taken
with which there are consistent links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_vectors
from dynident.links.constraints.lmi import Block, linear
from dynident.links.solvers.certificates import contradict
from dynident.links.solvers.conic import ConicProgram, ConicStatus
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.sizes import unit_sizes
from dynident.robots.kinematics import length_unit
from dynident.robots.parameters import change_of_frame, consistency_margin, from_com, inertia_matrix, link_inertia, pseudo_inertia
from dynident.robots.parameters.link_metric import link_metric
from dynident.robots.robot import Robot, Source
from dynident.robots.verdict import LinkVerdict, judge

Metric = Literal["entropic", "euclidean"]

#: Base parameters that differ by less than this share of the largest are the same.
SAME = 1e-10
#: Links get this share of the trace of their inertia as margin, twice of what counts as marginal; where no links have that, this.
_ROOM, _LEAST_ROOM = 2e-3, 1e-6
#: A link of which less than this share is left is named.
LEAST_SHARE = 0.1
#: How much of each link's mass distribution stays, and whether the mass of the robot does: half of each link if possible.
_STRICTNESS = ((0.5, True), (LEAST_SHARE, True), (0.5, False), (LEAST_SHARE, False), (0.0, True), (0.0, False))
#: No link of a robot of kilograms is made lighter than this [kg], unless it was; and robots of so many kilograms are such.
_LIGHTEST, _ORDINARY = 1e-3, (1.0, 1000.0)
#: The robot's mass may change by this share where that is enough.
MASS_SHARE = 0.1
#: What the distance weighs beside a change of the dynamics, where that can't be avoided; and how much more change fewer links may cost.
_TIE, _WORSE = 1e-3, 1.5
#: A change below this share of a link's own size is the solver's rounding.
_NOISE = 1e-9
#: Of the coordinates y within which a contradiction is proven: links that differ by more are none that anybody means.
_REACH = 1e3
_ROUNDS = 4


class Part(NamedTuple):
    """A source link. body : that it is part of, -1 for the base; own : (10,) in its own frame; wrong : whether it has to change."""

    body: int
    piece: Source
    own: Array
    wrong: bool


class Attempt(NamedTuple):
    """What is asked of the links.

    room : share of their inertia's trace; bounded : whether the robot's mass is kept about as it is; share : of each link that stays.
    """

    room: float
    bounded: bool
    share: float


_ATTEMPTS = tuple(Attempt(room, bounded, share) for share, bounded in _STRICTNESS for room in (_ROOM, _LEAST_ROOM))


@dataclass(frozen=True, kw_only=True, eq=False)
class Mended:
    """links : (10,) of every part; found : whether any were; impossible : proven that no consistent links have the base parameters."""

    links: tuple[Array, ...]
    found: bool
    impossible: bool = False


def mend(base: BaseParameters, parts: Sequence[Part], *, metric: Metric, margin: float | None) -> Mended:
    """The parts, those that are wrong made consistent."""
    problem = _Problem(base, parts, metric, margin)
    links = [part.own for part in parts]
    kept = True
    for i in _from_the_tip(parts):
        if parts[i].wrong and not problem.in_order(i, links[i]):
            consistent = problem.keeping(i, links)
            kept = kept and consistent is not None
            links = consistent or links
    if kept:
        return Mended(links=tuple(links), found=True)
    impossible = problem.is_impossible()
    nearest = problem.changing()
    return Mended(links=tuple(nearest or [part.own for part in parts]), found=nearest is not None, impossible=impossible)


def _from_the_tip(parts: Sequence[Part]) -> list[int]:
    return sorted(range(len(parts)), key=lambda i: -parts[i].body)


class _Problem:
    def __init__(self, base: BaseParameters, parts: Sequence[Part], metric: Metric, margin: float | None) -> None:
        self.robot: Robot = base.robot
        self.parts = parts
        self.margin = margin
        self.mass = float(sum(part.own[0] for part in parts))
        size = robot_size(self.robot, self.mass)
        self.lightest = _LIGHTEST * size[0]
        self.references = [reference(part.own, size) for part in parts]
        self.bodies = [positive_part(part.own) for part in parts]
        self.steps = [np.linalg.inv(np.linalg.qr(link_metric(item, metric, robot=size), mode="r")) for item in self.references]
        grouping = [np.zeros((base.rank, 10))] * len(parts)
        for i, part in enumerate(parts):
            if part.body >= 0:
                grouping[i] = base.grouping[:, 10 * part.body : 10 * part.body + 10] @ change_of_frame(part.piece.placement)
        units = unit_sizes(base.units, length=size[1])
        target = np.abs(np.sum([K @ part.own for K, part in zip(grouping, parts, strict=True)], axis=0)) / units
        scale = (units * np.maximum(target, 1e-3 * target.max(initial=np.finfo(float).tiny)))[:, None]
        #: per part (base parameters, 10): the relative change of each base parameter by a step of the part
        self.relative = [K @ step / scale for K, step in zip(grouping, self.steps, strict=True)]
        self.growth: dict[int, float] = {}

    def in_order(self, i: int, own: Array) -> bool:
        """Whether a part, perhaps mended together with another already, has what is asked of it."""
        return float(consistency_margin(own)) >= self._room(i, Attempt(_LEAST_ROOM, False, 0.0)) and own[0] > 0.0

    def keeping(self, i: int, links: Sequence[Array]) -> list[Array] | None:
        """The links with part i made consistent and the base parameters as they are; None where that was not found."""
        sets = list(self._widening([i]))
        for attempt in _ATTEMPTS:
            for free in sets:
                consistent = self._keep(free, links, attempt)
                if consistent is not None:
                    return self._with_fewer(i, free, links, attempt, consistent)
            if attempt == _ATTEMPTS[1] and self._keep(sets[-1], links, _ATTEMPTS[-1]) is None:
                return None  # not even where least is asked of all links
        return None

    def _with_fewer(self, i: int, free: list[int], links: Sequence[Array], attempt: Attempt, found: list[Array]) -> list[Array]:
        """The same with fewer links, those that moved least left out one by one."""
        moved = [float(np.linalg.norm(np.linalg.solve(self.steps[k], found[k] - links[k]))) for k in free]
        for _, k in sorted(zip(moved, free, strict=True)):
            fewer = [other for other in free if other != k]
            if k != i and (again := self._keep(fewer, links, attempt)) is not None:
                free, found = fewer, again
        return found

    def changing(self) -> list[Array] | None:
        """The links whose base parameters change least, and of those that are nearly as good the ones with the fewest changed links."""
        wrong = [i for i, part in enumerate(self.parts) if part.wrong]
        for attempt in _ATTEMPTS:
            sets = list(self._widening(wrong))
            best = self._change(sets[-1], attempt)
            if best is None:
                continue
            for free in sets[:-1]:
                change = self._change(free, attempt)
                if change is not None and change[1] <= _WORSE * best[1] + SAME:
                    return change[0]
            return best[0]
        return None

    def is_impossible(self) -> bool:
        """Proven that no consistent links at all have the base parameters."""
        free = list(range(len(self.parts)))
        N = self._held(free)
        asked = self._blocks(free, [part.own for part in self.parts], Attempt(0.0, False, 0.0), N, tightened=False)
        return contradict(asked, [], np.full(int(N.shape[1]), _REACH))

    def _widening(self, wrong: Sequence[int]) -> Iterator[list[int]]:
        """Parts that may move: the wrong ones, with the bodies before them, with all neighbours, and further along the chain."""
        parents = [joint.parent for joint in self.robot.joints]
        near = {self.parts[i].body for i in wrong}
        moving = sorted(wrong)
        yield moving
        before = near | {parents[body] for body in near if body >= 0}
        sets = [before]
        while len(sets) < 2 or sets[-1] != sets[-2]:
            reached = sets[-1] | {parents[body] for body in sets[-1] if body >= 0}
            sets.append(reached | {body for body, parent in enumerate(parents) if parent >= 0 and parent in reached})
        for bodies in sets:
            wider = sorted({*moving, *(k for k, part in enumerate(self.parts) if part.body in bodies and part.body >= 0)})
            if wider != moving:
                moving = wider
                yield moving

    def _keep(self, free: list[int], links: Sequence[Array], attempt: Attempt) -> list[Array] | None:
        """The links after the shortest step of the free parts that changes no base parameter."""
        N = self._held(free)
        if not N.shape[1]:
            return None
        moved: list[Array] | None = None
        for _ in range(_ROUNDS):  # what is a share of the inertia depends on the inertia that is found
            blocks = self._blocks(free, links, attempt, N, tightened=True)
            steps = int(N.shape[1])
            solution = ConicProgram(np.eye(steps), np.zeros(steps), blocks, []).solve()
            if solution.status in (ConicStatus.INFEASIBLE, ConicStatus.UNBOUNDED):
                break
            moved = self._moved(free, links, attempt, N @ solution.x, held=True)
            grown = {} if moved is None or attempt.room != _ROOM else self._grown(free, moved)
            if not grown:
                return moved
            self.growth |= grown
        self.growth = dict.fromkeys(self.growth, 1.0)
        return None if attempt.room == _ROOM else moved

    def _grown(self, free: list[int], found: Sequence[Array]) -> dict[int, float]:
        """How much larger the inertia of wrong parts is than that of their references, where their margin is too small a share of it."""
        marginal = [i for i in free if self.parts[i].wrong and judge(found[i]).verdict is LinkVerdict.MARGINAL]
        return {i: 1.2 * _trace(found[i]) / _trace(self.references[i]) for i in marginal}

    def _change(self, free: list[int], attempt: Attempt) -> tuple[list[Array], float] | None:
        """The links, and the length of the relative changes of the base parameters."""
        links = [part.own for part in self.parts]
        K = np.concatenate([self.relative[i] for i in free], axis=1)
        unit: Array = np.eye(K.shape[1])
        rows: Array = np.concatenate([K, _TIE * unit])
        solution = ConicProgram(rows, np.zeros(len(rows)), self._blocks(free, links, attempt, unit, tightened=True), []).solve()
        if solution.status in (ConicStatus.INFEASIBLE, ConicStatus.UNBOUNDED):
            return None
        moved = self._moved(free, links, attempt, solution.x, held=False)
        return None if moved is None else (moved, float(np.linalg.norm(K @ solution.x)))

    def _held(self, free: list[int]) -> Array:
        """(10 parts, k) orthonormal steps of the free parts that change no base parameter."""
        K = np.concatenate([self.relative[i] for i in free], axis=1)
        _, values, vectors = singular_vectors(K, full=True)
        rank = int(np.sum(values > SAME * values.max(initial=0.0))) if values.size else 0
        return np.array(vectors[rank:].T, dtype=float)

    def _moved(self, free: list[int], links: Sequence[Array], attempt: Attempt, y: Array, *, held: bool) -> list[Array] | None:
        """The links after a step, where they then have what was asked for; numbers that only rounding changed are as they were."""
        moved = list(links)
        for i, step in zip(free, y.reshape(-1, 10), strict=True):
            moved[i] = links[i] + self.steps[i] @ step
        quiet = list(moved)
        for i in free:
            quiet[i] = np.where(np.abs(moved[i] - links[i]) <= _NOISE * _size(self.references[i]), links[i], moved[i])
        for candidate in (quiet, moved):
            enough = all(self._has_room(i, candidate[i], attempt) for i in free)
            change = np.sum([self.relative[i] @ np.linalg.solve(self.steps[i], candidate[i] - links[i]) for i in free], axis=0)
            if enough and (not held or float(np.abs(change).max(initial=0.0)) <= SAME):
                return candidate
        return None

    def _blocks(self, free: list[int], links: Sequence[Array], attempt: Attempt, N: Array, *, tightened: bool) -> list[Block]:
        """Conditions on z, where y = N z. Tightened : a little more is asked for, so that rounding at the boundary does no harm."""
        blocks: list[Block] = []
        for place, i in enumerate(free):
            to_z = self.steps[i] @ N[10 * place : 10 * place + 10]
            room = self._room(i, attempt)
            room += 1e-3 * abs(room) * tightened
            consistent = Block(
                name=f"physical consistency of {self.parts[i].piece.name}",
                constant=-room * np.diag([1.0, 1.0, 1.0, 0.0]),
                matrices=pseudo_inertia(np.eye(10)),
                indices=np.arange(10),
            )
            W = np.array(np.linalg.inv(np.linalg.cholesky(pseudo_inertia(self.references[i]))), dtype=float)
            blocks.append(_in_steps(consistent, links[i], to_z, W))
            lightest = linear(f"mass of {self.parts[i].piece.name}", {0: 1.0}, -self._lightest(i))
            per_mass = np.array([[float(self.references[i][0]) ** -0.5]])
            blocks.append(_in_steps(lightest, links[i], to_z, per_mass))
            if (stays := self._stays(i, attempt)) is not None:
                kept = replace(consistent, name=f"what stays of {self.parts[i].piece.name}", constant=-stays)
                heaviest = linear(lightest.name, {0: -1.0}, float(self.bodies[i][0]) / attempt.share)
                blocks += [_in_steps(kept, links[i], to_z, W), _in_steps(heaviest, links[i], to_z, per_mass)]
        if attempt.bounded and self.mass > 0.0:
            blocks += self._mass_bounds(free, links, N)
        return blocks

    def _mass_bounds(self, free: list[int], links: Sequence[Array], N: Array) -> list[Block]:
        by_z = np.sum([self.steps[i][0] @ N[10 * place : 10 * place + 10] for place, i in enumerate(free)], axis=0)
        change = sum(float(link[0]) for link in links) - self.mass
        terms = {k: float(value) / self.mass for k, value in enumerate(by_z)}
        less = linear("total mass", terms, MASS_SHARE + change / self.mass)
        more = linear("total mass", {k: -value for k, value in terms.items()}, MASS_SHARE - change / self.mass)
        return [less, more]

    def _room(self, i: int, attempt: Attempt) -> float:
        """The margin of a part [kg·m²]: a wrong one gets some; of one that is in order only what it has is asked for."""
        part = self.parts[i]
        if self.margin is not None:
            return self.margin
        target = attempt.room * self.growth.get(i, 1.0) * float(np.trace(inertia_matrix(self.references[i])))
        has = float(consistency_margin(part.own))
        return target if part.wrong else min(target, 0.999 * has if has > 0.0 else has)

    def _stays(self, i: int, attempt: Attempt) -> Array | None:
        """(4, 4) the pseudo-inertia that has to be left of a part; None where nothing has."""
        return attempt.share * pseudo_inertia(self.bodies[i]) if attempt.share > 0.0 and self.bodies[i][0] > 0.0 else None

    def _has_room(self, i: int, own: Array, attempt: Attempt) -> bool:
        room = self._room(i, attempt)
        return own[0] >= self._lightest(i) * (1.0 - 1e-9) and float(consistency_margin(own)) >= room - 1e-6 * abs(room)

    def _lightest(self, i: int) -> float:
        mass = float(self.parts[i].own[0])
        return min(self.lightest, 0.5 * mass) if mass > 0.0 else self.lightest


def _in_steps(block: Block, own: Array, to_z: Array, W: Array) -> Block:
    """A condition on z, turned by a congruence so that its entries are of order one: W F Wᵀ ⪰ 0 where F ⪰ 0."""
    matrices = np.einsum("ikl,ij->jkl", block.matrices, to_z[block.indices])
    return replace(block, constant=W @ block.value(own) @ W.T, matrices=W @ matrices @ W.T, indices=np.arange(to_z.shape[1]))


def robot_size(robot: Robot, mass: float) -> tuple[float, float]:
    """The mass [kg] and the length [m] that a robot of that mass is counted in: 1 and 1 for an arm."""
    low, high = _ORDINARY
    return 1.0 if mass <= 0.0 or low <= mass <= high else 4.0 ** round(np.log2(mass / 10.0) / 2.0), length_unit(robot)


def reference(own: Array, size: tuple[float, float] = (1.0, 1.0)) -> Array:
    """A consistent link like this one, to measure distances at: its mass and second moments made positive about its centre.

    size : mass and length of the robot, of which links without any get a share.
    """
    com, values, vectors = _central_moments(own)
    floor = max(float(np.abs(values).sum()) / 30.0, 1e-9 * size[0] * size[1] ** 2)
    return _link(max(float(own[0]), _LIGHTEST * size[0]), com, (vectors * np.maximum(np.abs(values), floor)) @ vectors.T)


def positive_part(own: Array) -> Array:
    """(10,) what of a link is a body: its mass, with the second moments about its centre that are positive; zeros without mass."""
    if own[0] <= 0.0:
        return np.zeros(10)
    com, values, vectors = _central_moments(own)
    return _link(float(own[0]), com, (vectors * np.maximum(values, 0.0)) @ vectors.T)


def _central_moments(own: Array) -> tuple[Array, Array, Array]:
    """The centre of mass, the origin without mass, and the principal second moments about it with their axes."""
    com = own[1:4] / own[0] if own[0] != 0.0 else np.zeros(3)
    values, vectors = np.linalg.eigh(pseudo_inertia(own)[:3, :3] - own[0] * np.outer(com, com))
    return com, values, vectors


def _link(mass: float, com: Array, second: Array) -> Array:
    """(10,) of a link with these (3, 3) second moments about its centre of mass."""
    return from_com(mass, com, np.trace(second) * np.eye(3) - second)


def _trace(own: Array) -> float:
    return float(np.trace(link_inertia(own).inertia))


def _size(own: Array) -> Array:
    """(10,) how large a link's mass, first moments and inertias are."""
    trace = float(np.trace(inertia_matrix(own)))
    return np.array([own[0], *[np.sqrt(own[0] * trace)] * 3, *[trace] * 6])
