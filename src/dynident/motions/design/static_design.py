"""Sets of static configurations for the controller route, where M(q) and g(q) are asked for at positions and not along a motion.

"random" and the low-discrepancy "sobol" and "halton" cover the joint space; "d_optimal" picks from many such positions, one
by one, that which adds most to log det of the information matrix. The gain of a position only falls as others are added
(log det is submodular), so that stale gains are upper bounds and few need to be computed again: Minoux's lazy greedy, which
is within 1 - 1/e of the best set (Nemhauser, Wolsey, Fisher, Math. Program. 14, 1978).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_values
from dynident.core.results import Result
from dynident.data.dataset import Dataset
from dynident.dynamics import inertia_gravity_regressor
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.motions.limits.collision import CollisionModel, require_checked
from dynident.motions.limits.limits import LimitError, Limits, require_usable, robot_limits
from dynident.motions.limits.margins import LimitReport, check_trajectory, position_range, standing_margins
from dynident.motions.moves.home import Home, find_home
from dynident.motions.moves.moves import refuse_broken
from dynident.motions.moves.sequence import Sequence, plan_sequence
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.robots.robot import Robot

Method: TypeAlias = Literal["random", "sobol", "halton", "d_optimal"]
METHODS: tuple[Method, ...] = ("random", "sobol", "halton", "d_optimal")

#: Positions that the D-optimal choice picks from, per position that is wanted, and at least.
_POOL, _SMALLEST_POOL = 10, 500
#: Draws per position that is wanted before the limits count as impossible.
_PATIENCE = 200
#: Points drawn at once: a power of two, which keeps a Sobol sequence balanced.
_CHUNK = 512
#: Configurations that are drawn beyond those that are wanted, for those to which there is no way.
_SPARE = 50
#: Samples per second at which the sequence is checked as a whole [Hz]; each of its moves was, as finely as its speed needs.
_CHECK_RATE = 20.0
#: Information that each coefficient has before the first position, as a share of a typical position's.
_REGULARISATION = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StaticDesign(Result):
    """Configurations, and how to drive to all of them.

    base : BaseParameters      Of M and g, or of g alone.
    sequence : Sequence        From home to each of them and back.
    condition_number : float   Of the base regressor at them.
    report : LimitReport       Every limit along the sequence.
    unchecked : str            Why collisions are not known; empty where they were checked.
    """

    robot: Robot
    base: BaseParameters
    method: Method
    home: Home
    sequence: Sequence
    condition_number: float
    report: LimitReport
    notes: tuple[str, ...] = ()
    unchecked: str = ""

    @property
    def q(self) -> Array:
        """(N, n) configurations [rad | m], each within the limits, in the order in which they are visited."""
        return self.sequence.positions

    @property
    def duration(self) -> float:
        """From home to all of them and back [s]."""
        return self.sequence.way.duration

    def dataset(self) -> Dataset:
        """The points of the sequence as a file can hold them; `period` numbers the configurations, 0 is on the way."""
        return self.sequence.dataset()


def design_configurations(
    robot: Robot,
    count: int,
    *,
    method: Method = "d_optimal",
    equations: Literal["controller", "gravity"] = "controller",
    limits: Limits | None = None,
    home: ArrayLike | None = None,
    seed: int = 0,
    unchecked: bool = False,
    progress: Callable[[float], None] | None = None,
) -> StaticDesign:
    """`count` configurations within position, torque (at rest) and workspace limits and without collisions, and a way to all of them.

    equations : what is asked there: M and g of the controller, or g alone, which is also what a torque sensor feels at rest.
    home : (n,) where the robot stands before and after; by default `find_home` finds one.
    unchecked : configurations are also wanted where collisions can't be checked; `StaticDesign.unchecked` says so then.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if count < 2:
        raise ValueRangeError("count", f"is {count}; at least 2 configurations were expected")
    limits = robot_limits(robot) if limits is None else limits
    require_usable(robot, limits)
    not_checked = require_checked(robot, limits, unchecked=unchecked)
    collision, _ = CollisionModel.of_robot(robot)
    base = base_parameters(robot, equations=equations)
    rng = np.random.default_rng(seed)
    if method == "d_optimal":
        pool = _draw_allowed(robot, limits, collision, max(_POOL * count, _SMALLEST_POOL), "sobol", rng)
        chosen = _greedy(_information_rows(base, pool), count, progress)
        q, others = pool[chosen], np.delete(pool, chosen, axis=0)
    else:
        drawn = _draw_allowed(robot, limits, collision, count + _SPARE, method, rng)
        q, others = drawn[:count], drawn[count:]
    stand = find_home(robot, limits, collision, home)
    sequence = plan_sequence(robot, q, limits=limits, home=stand.q, collision=collision, others=others, progress=progress)
    sizes = singular_values(_information_rows(base, sequence.positions).reshape(-1, base.rank))
    report = check_trajectory(sequence.way, robot, limits, rate=_CHECK_RATE, collision=collision)
    refuse_broken(report.margins, "the sequence")
    return StaticDesign(
        robot=robot,
        base=base,
        method=method,
        home=stand,
        sequence=sequence,
        condition_number=float(sizes[0] / sizes[-1]) if sizes[-1] > 0.0 else np.inf,
        report=report,
        notes=(*((not_checked,) if not_checked else ()), *(collision.notes if collision else ()), *_notes(sequence)),
        unchecked=not_checked,
    )


def _notes(sequence: Sequence) -> Iterator[str]:
    if sequence.replaced:
        yield f"no way was found to {sequence.replaced} of the configurations; others stand in their place"
    if sequence.via:
        yield f"{sequence.via} points of the file are only passed, because something bars the straight way"


def _draw_allowed(
    robot: Robot, limits: Limits, collision: CollisionModel | None, count: int, method: Method, rng: np.random.Generator
) -> Array:
    """The first `count` of a sequence of positions that keep the limits."""
    low, high = position_range(limits)
    allowed: list[Array] = []
    broken: Counter[str] = Counter()
    for unit in islice(_unit_positions(robot.n, method, rng), _PATIENCE * count):
        q = low + unit * (high - low)
        margins = standing_margins(robot, limits, q, collision)
        broken.update(margin.name for margin in margins if not margin.holds)
        if all(margin.holds for margin in margins):
            allowed.append(q)
        if len(allowed) == count:
            return np.array(allowed)
    name, _ = broken.most_common(1)[0]
    raise LimitError(f"{name} limit", f"leaves only {len(allowed)} of {_PATIENCE * count} positions that were tried; loosen it")


def _unit_positions(n: int, method: Method, rng: np.random.Generator) -> Iterator[Array]:
    """Points of the unit cube without end."""
    qmc: Any = import_module("scipy.stats").qmc  # imported here: `import dynident` stays light
    sequence = {"sobol": qmc.Sobol, "halton": qmc.Halton}[method](n, rng=rng) if method in ("sobol", "halton") else None
    while True:
        yield from np.asarray(sequence.random(_CHUNK) if sequence else rng.random((_CHUNK, n)), dtype=float)


def _information_rows(base: BaseParameters, q: Array) -> Array:
    """(N, r, b) the base columns of each configuration's rows of M and g, or of g alone."""
    rows = inertia_gravity_regressor(base.robot, q)
    return (rows[:, -base.robot.n :] if base.equations == "gravity" else rows)[:, :, base.independent]


def _greedy(rows: Array, count: int, progress: Callable[[float], None] | None) -> list[int]:
    """Indices of the configurations, each chosen for the largest gain in log det(G), where G = Σ YᵀY of those before it."""
    N, r, b = rows.shape
    scale = float(np.einsum("Nrb,Nrb->", rows, rows)) / (N * b)
    G = _REGULARISATION * scale * np.eye(b)
    queue = [(-np.inf, i) for i in range(N)]
    chosen: list[int] = []
    while len(chosen) < count:
        L_inverse: Array = np.asarray(np.linalg.inv(np.asarray(np.linalg.cholesky(G), dtype=float)), dtype=float)
        while True:
            _, i = heapq.heappop(queue)
            gain = _gain(rows[i] @ L_inverse.T, r)
            if not queue or -gain <= queue[0][0]:
                break
            heapq.heappush(queue, (-gain, i))
        chosen.append(i)
        G = G + rows[i].T @ rows[i]
        if progress is not None:
            progress(len(chosen) / count)
    return chosen


def _gain(W: Array, r: int) -> float:
    """log det(1 + W Wᵀ), W = Y L⁻ᵀ: what log det(G) grows by, by Sylvester's identity."""
    return float(np.linalg.slogdet(np.eye(r) + W @ W.T)[1])
