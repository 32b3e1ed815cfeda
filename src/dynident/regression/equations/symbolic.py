"""Groupings with the names of the DH constants: d3² m3 where the number is 0.09986 m3.

A factor of a grouping is a polynomial in the lengths a and d of the DH table, with whole coefficients where all twists are right angles: of
degree 2 before a mass in an inertia, of degree 1 before a first moment in an inertia or a mass in a first moment. A number alone does
not tell which: with a4 = -a5 the same 0.006806 is a4², a5² or -a4 a5. So the groupings are computed for many other lengths, the
polynomials fitted to them, and compared with them and with the robot's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.dynamics import inertia_gravity_regressor
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import Columns, expression
from dynident.robots.formats.dh import CONVENTIONS, dh_pose
from dynident.robots.formats.dh_convert import DhRow, read_table
from dynident.robots.parameters import ParameterEntry
from dynident.robots.robot import Robot

#: Share of the largest factor of its kind by which a polynomial may miss a factor.
_SAME = 1e-7
#: Configurations that tell a grouping, and lengths beside as many as a polynomial has terms.
_SAMPLES, _SPARE = 40, 8
#: With more lengths than this the polynomials have too many terms to be told in a moment, and numbers stay numbers.
_MOST_LENGTHS = 16
#: Lengths are varied by up to this share.
_VARIED = 0.3
#: Power of length in the unit of each kind of parameter.
_POWERS = {"J": 2, "mc": 1, "m": 0}


@dataclass(frozen=True, kw_only=True, eq=False)
class DhTable:
    """The lengths of a DH robot by name, those that are not zero: a4 and d4 are those of the fourth row [m]."""

    robot: Robot
    convention: str
    base: Array
    rows: tuple[DhRow, ...]

    @staticmethod
    def of(robot: Robot) -> DhTable | None:
        """None for a robot whose parameters are not in DH frames."""
        for convention in CONVENTIONS:
            if all(link.frame.startswith(f"{convention} DH frame") for link in robot.links):
                content = read_table(robot, convention)
                if content is not None:
                    return DhTable(robot=robot, convention=convention, base=content[0], rows=tuple(content[1]))
        return None

    @property
    def lengths(self) -> dict[str, float]:
        named = ((f"{name}{i}", getattr(row, name)) for i, row in enumerate(self.rows, start=1) for name in ("a", "d"))
        return {name: value for name, value in named if value != 0.0}

    def with_lengths(self, lengths: Mapping[str, float]) -> Robot:
        """The robot with other ones; those that are not named are zero."""
        joints, links = list(self.robot.joints), list(self.robot.links)
        for i, row in enumerate(self.rows):
            pose = dh_pose(self.convention, lengths.get(f"a{i + 1}", 0.0), row.alpha, lengths.get(f"d{i + 1}", 0.0), row.theta)
            if self.convention == "standard":
                links[i] = replace(links[i], placement=pose)
            else:
                joints[i] = replace(joints[i], placement=self.base @ pose if i == 0 else pose)
        return replace(self.robot, joints=tuple(joints), links=tuple(links))


@dataclass(frozen=True, kw_only=True)
class Polynomial:
    """Whole coefficients by monomial; a monomial is the names of its factors, such as ("d3", "d3")."""

    terms: tuple[tuple[tuple[str, ...], int], ...]

    def value(self, lengths: Mapping[str, float]) -> float:
        return float(sum(coefficient * np.prod([lengths[name] for name in names]) for names, coefficient in self.terms))

    @property
    def sign(self) -> int:
        """-1 where it is written with a minus before it."""
        return -1 if all(coefficient < 0 for _, coefficient in self.terms) else 1

    def __str__(self) -> str:
        """Without its sign."""
        texts = [(self.sign * coefficient, _monomial(names)) for names, coefficient in self.terms]
        parts = [f"{'' if abs(number) == 1 and names else abs(number)} {names}".strip() for number, names in texts]
        text = "".join((" - " if number < 0 else " + ") + part for (number, _), part in zip(texts, parts, strict=True))
        text = text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" - ") else text.removeprefix(" + ")
        return f"({text})" if len(texts) > 1 else text


def symbolic_expressions(base: BaseParameters) -> tuple[str, ...] | None:
    """(b,) the groupings with the names of the DH constants, and with a number for a factor that is no such polynomial; None for a robot
    that is not described by a DH table."""
    factors = find_polynomials(base)
    if factors is None:
        return None
    symbols = [{i: (polynomial.sign, str(polynomial)) for (row, i), polynomial in factors.items() if row == k} for k in range(base.rank)]
    return tuple(expression(row, base.columns, base.robot, terms) for row, terms in zip(base.grouping, symbols, strict=True))


def dh_lengths(robot: Robot) -> dict[str, float]:
    """The lengths of a DH table by name [m], those that are not zero; none for a robot without one."""
    table = DhTable.of(robot)
    return {} if table is None else table.lengths


def find_polynomials(base: BaseParameters) -> dict[tuple[int, int], Polynomial] | None:
    """The factors of the grouping, by row and column, that are polynomials in the DH constants; None without a DH table."""
    table = DhTable.of(base.robot)
    if table is None:
        return None
    lengths, columns = table.lengths, base.columns
    entries: dict[int, list[tuple[int, int]]] = {1: [], 2: []}
    for row, column in zip(*np.nonzero(base.grouping), strict=True):
        degree = _degree(columns, int(base.independent[row]), int(column))
        if degree in entries:
            entries[degree].append((int(row), int(column)))
    names = _effective(base, table, lengths) if len(lengths) <= _MOST_LENGTHS else ()
    if not names:
        return {}
    rng = np.random.default_rng(0)
    most = len(list(combinations_with_replacement(names, 2)))
    drawn = [lengths] + [
        lengths | {name: lengths[name] * (1.0 + rng.uniform(-_VARIED, _VARIED)) for name in names} for _ in range(most + _SPARE)
    ]
    groupings = np.array([_link_grouping(base, table.with_lengths(item)) for item in drawn])
    if not np.allclose(groupings[0], base.grouping[:, columns.link_slice], rtol=0.0, atol=_SAME * np.abs(groupings[0]).max()):
        return {}
    polynomials: dict[tuple[int, int], Polynomial] = {}
    for degree, places in entries.items():
        monomials = list(combinations_with_replacement(names, degree))
        if not places:
            continue
        A = np.array([[np.prod([item[name] for name in monomial]) for monomial in monomials] for item in drawn])
        F = np.array([groupings[:, row, column] for row, column in places]).T
        sizes = np.abs(A).max(axis=0)
        coefficients: Array = np.asarray(np.round(least_squares(A / sizes, F) / sizes[:, None]), dtype=float)
        off = np.abs(A @ coefficients - F).max(axis=0)
        for k, place in enumerate(places):
            if off[k] <= _SAME * np.abs(F).max() and np.any(coefficients[:, k]):
                terms = [(monomial, int(number)) for monomial, number in zip(monomials, coefficients[:, k].tolist(), strict=True) if number]
                polynomials[place] = Polynomial(terms=tuple(sorted(terms, key=lambda term: term[1] < 0)))
    return polynomials


def _effective(base: BaseParameters, table: DhTable, lengths: Mapping[str, float]) -> tuple[str, ...]:
    """The lengths on which the grouping depends."""
    grouping = _link_grouping(base, table.with_lengths(lengths))
    changed = {name: _link_grouping(base, table.with_lengths({**lengths, name: 1.1 * value})) for name, value in lengths.items()}
    return tuple(name for name, other in changed.items() if np.abs(other - grouping).max() > _SAME * np.abs(grouping).max())


def _link_grouping(base: BaseParameters, robot: Robot) -> Array:
    """(b, 10 n) the columns of the links in terms of the same independent ones, for another robot; zero for friction, and where these
    columns are not independent on that robot.

    M and g have all relations that torques have; of equations of one of both alone its rows do.
    """
    columns, n = base.columns, robot.n
    low, high = robot.drawn_range.T
    Y = inertia_gravity_regressor(robot, np.random.default_rng(0).uniform(low, high, (_SAMPLES, n)))
    stack = n * (n + 1) // 2
    Y = {"inertia": Y[:, :stack], "gravity": Y[:, stack:]}.get(base.equations, Y).reshape(-1, Y.shape[2])
    of_links = columns.is_link[base.independent]
    kept = base.independent[of_links]
    gram = Y.T @ Y
    grouping = np.zeros((base.rank, len(columns.of_links)))
    try:
        grouping[of_links] = np.linalg.solve(gram[np.ix_(kept, kept)], gram[kept])
    except np.linalg.LinAlgError:
        return grouping
    grouping[:, [columns.index(name) for name in base.known if columns.index(name) < len(columns.of_links)]] = 0.0
    grouping[np.ix_(of_links, kept)] = np.eye(len(kept))
    return grouping


def _degree(columns: Columns, leading: int, column: int) -> int | None:
    """Power of length in a factor; None where not both are of links."""
    one, other = columns[leading], columns[column]
    if not (isinstance(one, ParameterEntry) and isinstance(other, ParameterEntry)):
        return None
    return _POWERS[one.quantity] - _POWERS[other.quantity]


def _monomial(names: Sequence[str]) -> str:
    powers = {name: names.count(name) for name in names}
    return " ".join(name if power == 1 else f"{name}²" for name, power in powers.items())
