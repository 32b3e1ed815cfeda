"""The papers' parameters p = (m, c, I_c) of every link, and the box LB..UB that they are searched in.

The box is read from the bounds of the problem and from the values of masses, centres of mass and, where these are known, inertias that
it holds. Where it has none: a mass between zero and twice the nominal total (50 kg
per metre of the robot without nominal parameters), a centre of mass no farther from its frame than the link is long (a
tenth of the robot at least), and the inertia that this mass can have at that distance. Friction and other columns lie
within ten times the least-squares fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.links.constraints.lmi import Equality, Side
from dynident.links.problem import RetrievalProblem
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import INERTIA_NAMES, from_com, inertia_matrix, to_com
from dynident.robots.parameters.link_parameters import INERTIA_ELEMENTS
from dynident.robots.robot import Robot

_ROWS = np.array([row for row, _ in INERTIA_ELEMENTS])
_COLUMNS = np.array([column for _, column in INERTIA_ELEMENTS])
#: 1 for the products of inertia, 0 for the moments.
_PRODUCT = (_ROWS != _COLUMNS).astype(float)
#: Lightest link [kg] that still has a centre of mass.
_LIGHTEST = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class ParameterBox:
    """low, high : (p,) per link m, cx, cy, cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz, then the other columns as they are.

    held : equalities of the problem that hold everywhere in the box, by their place.
    """

    low: Array
    high: Array
    held: frozenset[int] = frozenset()

    def random(self, rng: np.random.Generator) -> Array:
        """p_0 = LB + (UB - LB) u, line 1 of Algorithm 1."""
        return self.low + (self.high - self.low) * rng.uniform(size=len(self.low))

    def clip(self, p: Array) -> Array:
        return np.clip(p, self.low, self.high)


def box_of(problem: RetrievalProblem) -> ParameterBox:
    """The problem's bounds on p, with the defaults where it has none."""
    robot, columns = problem.base.robot, problem.base.columns
    low, high = np.full(problem.variables, -np.inf), np.full(problem.variables, np.inf)
    for side in _sides(problem):
        at = columns.of_link(side.link)[side.slot]
        if side.sign > 0:
            low[at] = max(low[at], side.limit)
        else:
            high[at] = min(high[at], side.limit)
    held = _hold_values(problem.terms.equalities, low, high, 10 * robot.n)
    heaviest, lengths = _heaviest(robot), _lengths(robot)
    for lower, upper, length in zip(columns.links(low), columns.links(high), lengths, strict=True):
        lower[0] = max(lower[0], 0.0)
        upper[0] = min(upper[0], max(heaviest, lower[0]))
        _fill(lower[1:4], upper[1:4], np.full(3, -float(length)), np.full(3, float(length)))
        most = float(upper[0] * length**2)
        _fill(lower[4:], upper[4:], -0.5 * most * _PRODUCT, most * (1.0 - 0.5 * _PRODUCT))
    first = columns.link_slice.stop
    if problem.variables > first:
        A, b = problem.rows
        fit = 1.0 + 10.0 * np.abs(least_squares(A, b)[first:])
        low[first:], high[first:] = -fit, fit
    return ParameterBox(low=low, high=high, held=held)


def name_unbounded(problem: RetrievalProblem) -> tuple[str, ...]:
    """Names of the masses, centres of mass and inertias that the objective contains and that the problem bounds on one side at most."""
    columns = problem.base.columns
    ends = dict.fromkeys(range(10 * problem.base.robot.n), 0)
    for side in set(_sides(problem)):
        ends[columns.of_link(side.link)[side.slot]] += 1
    for equality in problem.terms.equalities:
        ends |= dict.fromkeys((int(k) for k in equality.indices if int(k) in ends), 2)
    fitted = np.any(problem.objective.A != 0.0, axis=0)
    slots = ("m", "cx", "cy", "cz", *(f"I{element}" for element in INERTIA_NAMES))
    return tuple(f"{slots[k % 10][0]}{k // 10 + 1}{slots[k % 10][1:]}" for k, count in ends.items() if count < 2 and fitted[k])


def _hold_values(equalities: Sequence[Equality], low: Array, high: Array, places: int) -> frozenset[int]:
    """Put into the box what the equalities say of one mass, one centre of mass, or one inertia of a link whose others are known; and
    which of them those are."""
    held: set[int] = set()
    for slots in (range(1), range(1, 4), range(4, 10)):  # a first moment says where the centre is once the mass is known, and so on
        for number, equality in enumerate(equalities):
            used = sorted(map(int, equality.indices))
            if number in held or used[-1] >= places or used[-1] % 10 not in slots:
                continue
            value = _value_in_box(equality, used, low, high)
            if value is not None:
                low[used[-1]] = high[used[-1]] = value
                held.add(number)
    return frozenset(held)


def _value_in_box(equality: Equality, used: list[int], low: Array, high: Array) -> float | None:
    """The value of m, c or I that an equality is about; None where it is about more than one of them."""
    factors = dict(zip(map(int, equality.indices), equality.coefficients.tolist(), strict=True))
    at, first = used[-1], used[-1] - used[-1] % 10
    if used == [first, at] and at % 10 in range(1, 4) and equality.value == 0.0:
        return -factors[first] / factors[at]
    known = np.array([low[k] if low[k] == high[k] else np.nan for k in range(first, first + 4)])
    if len(used) > 1:
        return None
    value = equality.value / factors[at]
    if at == first:
        return value
    if at % 10 < 4:
        return None if not known[0] > 0.0 else value / float(known[0])
    return None if np.any(np.isnan(known)) else value - float(from_com(known[0], known[1:4], np.zeros((3, 3)))[at % 10])


def _sides(problem: RetrievalProblem) -> list[Side]:
    items = (*problem.terms.blocks, *problem.terms.nonconvex)
    return [item.side for item in items if item.side is not None]


def _fill(low: Array, high: Array, default_low: Array, default_high: Array) -> None:
    """Put the defaults where a bound is missing, without crossing one that is there."""
    missing = np.isinf(low)
    low[missing] = np.minimum(default_low, high)[missing]
    missing = np.isinf(high)
    high[missing] = np.maximum(default_high, low)[missing]


def _lengths(robot: Robot) -> Array:
    """(n,) how far a link extends from its frame: to the frames before and after it [m]."""
    places = link_poses(robot, np.zeros((1, robot.n)))[0, :, :3, 3]
    lengths = np.zeros(robot.n)
    for i, parent in enumerate(robot.parents):
        step = float(np.linalg.norm(places[i] - (places[parent] if parent >= 0 else 0.0)))
        lengths[i] = max(lengths[i], step)
        if parent >= 0:
            lengths[parent] = max(lengths[parent], step)
    lengths[-1] = max(lengths[-1], float(np.linalg.norm(robot.tool[:3, 3])))
    return np.maximum(lengths, 0.1 * max(float(lengths.sum()), 0.1))


def _heaviest(robot: Robot) -> float:
    if robot.parameters is not None:
        return 2.0 * float(robot.parameters[:, 0].sum())
    return 50.0 * float(_lengths(robot).sum())


def to_standard(p: Array, links: int) -> Array:
    """x of p: the parallel axis theorem, eq. (26)."""
    body = p[: 10 * links].reshape(links, 10)
    inertia = inertia_matrix(np.concatenate([np.zeros((links, 4)), body[:, 4:]], axis=1))
    return np.concatenate([from_com(body[:, 0], body[:, 1:4], inertia).ravel(), p[10 * links :]])


def from_standard(x: Array, links: int) -> Array:
    """p of x; a link without mass gets a tiny one."""
    body = x[: 10 * links].reshape(links, 10).copy()
    body[:, 0] = np.maximum(body[:, 0], _LIGHTEST)
    mass, com, inertia = to_com(body)
    return np.concatenate([np.column_stack([mass, com, inertia[:, _ROWS, _COLUMNS]]).ravel(), x[10 * links :]])
