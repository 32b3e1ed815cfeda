"""The built-in constraints that are convex in the linear parameters: matrix, linear and second-order cone inequalities.

A bound on a centre of mass c = mc / m becomes linear in (m, mc) once multiplied by the mass: mc >= low · m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.dynamics.friction.dissipation import opposing_inequalities
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import ShapeError, ValueRangeError
from dynident.links.constraints.lmi import Block, Equality, Side, linear
from dynident.links.constraints.nonconvex import barycentric_terms
from dynident.links.constraints.terms import Named, Terms, link_index, parse_parameter
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import Columns
from dynident.robots.parameters import pseudo_inertia
from dynident.robots.robot import Robot


@dataclass(frozen=True)
class PhysicalConsistency:
    """Each link's pseudo-inertia P ⪰ 0: positive mass, positive inertia and the triangle inequality at once.

    Attributes
    ----------
    margin
        By how much the triangle inequality must hold, ½ tr(I_c) - λ_max(I_c) >= margin [kg·m²], as `dynident check` prints it. That is Σ -
        mc mcᵀ / m ⪰ margin · 1, the Schur complement of the mass in P - margin · diag(1, 1, 1, 0) ⪰ 0, in any frame.
    links
        Numbers from 1, or names; None for all.
    """

    margin: float = 0.0
    links: tuple[int | str, ...] | None = None

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        chosen = range(robot.n) if self.links is None else [link_index(link, robot) for link in self.links]
        return Terms(
            blocks=tuple(
                Block(
                    name=f"physical consistency of {robot.link_names[i]}",
                    constant=-self.margin * np.diag([1.0, 1.0, 1.0, 0.0]),
                    matrices=pseudo_inertia(np.eye(10)),
                    indices=np.array(columns.of_link(i)),
                )
                for i in chosen
            )
        )


@dataclass(frozen=True)
class Bounds:
    """low <= parameter <= high, for a mass (m3), centre of mass (c3x), first moment (mc3x), inertia about the origin (J3xx)
    or about the centre of mass (I3xx; its upper bound and both bounds of products are not convex), or friction (fv3).

    Attributes
    ----------
    name : str
        Of the parameter.
    low : float
        Least value, in its unit; -inf where there is none.
    high : float
        Largest value; inf where there is none.
    """

    name: str
    low: float = -np.inf
    high: float = np.inf

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        if not self.low <= self.high:
            raise ValueRangeError(f"bounds of {self.name}", f"are {self.low:g} to {self.high:g}; the lower must not exceed the upper")
        named = parse_parameter(self.name, robot, columns)
        if named.kind == "barycentric":
            return barycentric_terms(self.name, named, columns, self.low, self.high)
        blocks: list[Block] = []
        if np.isfinite(self.low):
            blocks.append(_bound(f"{self.name} >= {self.low:g}", named, columns, 1.0, -self.low))
        if np.isfinite(self.high):
            blocks.append(_bound(f"{self.name} <= {self.high:g}", named, columns, -1.0, self.high))
        return Terms(blocks=tuple(blocks))


@dataclass(frozen=True)
class TotalMass:
    """low <= sum of the links' masses <= high [kg].

    Attributes
    ----------
    low : float
        Least sum [kg].
    high : float
        Largest sum [kg].
    """

    low: float
    high: float

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        masses = {columns.of_link(i)[0]: 1.0 for i in range(robot.n)}
        return Terms(
            blocks=(
                linear(f"total mass >= {self.low:g}", masses, -self.low, "kg"),
                linear(f"total mass <= {self.high:g}", dict.fromkeys(masses, -1.0), self.high, "kg"),
            )
        )


@dataclass(frozen=True)
class Known:
    """A parameter with a known value: m7 = 0.73, c7x = 0, J7xz = 0 (which forces I7xz = c7x c7z m7).

    Attributes
    ----------
    name : str
        Of the parameter.
    value : float
        In its unit.
    """

    name: str
    value: float

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        named = parse_parameter(self.name, robot, columns)
        text = f"{self.name} = {self.value:g}"
        if named.kind == "barycentric":
            return barycentric_terms(self.name, named, columns, self.value, self.value)
        if named.kind == "com":
            return Terms(equalities=(_equality(text, {named.column: 1.0, columns.of_link(named.link)[0]: -self.value}, 0.0, "kg·m"),))
        return Terms(equalities=(_equality(text, {named.column: 1.0}, self.value, named.unit),))


@dataclass(frozen=True)
class DontCare:
    """A chosen value for a parameter that the objective doesn't contain, such as c1y of an arm on an upright first axis (KUKA
    paper, eq. 20); an error where the objective does contain it, naming a coefficient that would be affected.

    Attributes
    ----------
    name : str
        Of the parameter.
    value : float
        In its unit.
    """

    name: str
    value: float

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        named = parse_parameter(self.name, robot, columns)
        return replace(Known(self.name, self.value).terms(robot, columns), dont_care=((self.name, named.column),))


@dataclass(frozen=True)
class Ratio:
    """low · second <= first <= high · second, for two linear parameters: bounds on their ratio where the second is positive.

    Attributes
    ----------
    first : str
        Name of one parameter.
    second : str
        Name of the other.
    low : float
        Least ratio.
    high : float
        Largest ratio.
    """

    first: str
    second: str
    low: float = 0.0
    high: float = np.inf

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        a, b = (_column(name, robot, columns) for name in (self.first, self.second))
        blocks = [linear(f"{self.first} >= {self.low:g} {self.second}", {a: 1.0, b: -self.low}, 0.0)]
        if np.isfinite(self.high):
            blocks.append(linear(f"{self.first} <= {self.high:g} {self.second}", {a: -1.0, b: self.high}, 0.0))
        return Terms(blocks=tuple(blocks))


@dataclass(frozen=True)
class Equal:
    """Two linear parameters with one value: m2 = m4.

    Attributes
    ----------
    first : str
        Name of one parameter.
    second : str
        Name of the other.
    """

    first: str
    second: str

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        a, b = (_column(name, robot, columns) for name in (self.first, self.second))
        return Terms(equalities=(_equality(f"{self.first} = {self.second}", {a: 1.0, b: -1.0}, 0.0, ""),))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Base parameters held at given values (b,): the dynamics that they describe stay as they are, to the last digit.

    Attributes
    ----------
    base : BaseParameters
        Whose coefficients they are.
    values : (b,) array
        At which they are held.
    """

    base: BaseParameters
    values: ArrayLike

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        values = np.asarray(self.values, dtype=float)
        if values.shape != (self.base.rank,) or len(self.base.columns) != len(columns):
            raise ShapeError("values", values.shape, f"({self.base.rank},), one per base parameter of the same columns")
        held: list[Equality] = []
        for row, value, text, unit in zip(self.base.grouping, values, self.base.expressions, self.base.units, strict=True):
            terms = {int(i): float(row[i]) for i in np.flatnonzero(row)}
            held.append(_equality(f"{text} = {value:g}", terms, float(value), unit))
        return Terms(equalities=tuple(held))


@dataclass(frozen=True)
class Symmetric:
    """A link that is its own mirror image in a plane of its parameter frame ("xy", "xz" or "yz").

    Attributes
    ----------
    link : int or str
        Number from 1, or name.
    plane : str
        "xy", "xz" or "yz".
    """

    link: int | str
    plane: str

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        if self.plane not in ("xy", "xz", "yz"):
            raise ValueRangeError("plane", f"is {self.plane!r}; xy, xz or yz was expected")
        i = link_index(self.link, robot)
        across = ({"x", "y", "z"} - set(self.plane)).pop()
        vanish = [k for k in columns.of_link(i) if columns.of_links[k].element.count(across) == 1]
        name = f"symmetry of {robot.link_names[i]} in {self.plane}"
        return Terms(equalities=tuple(_equality(f"{name}: {columns.names[k]} = 0", {k: 1.0}, 0.0, "") for k in vanish))


@dataclass(frozen=True)
class FrictionNonnegative:
    """Friction parameters not negative: those of these names, or all of which the model says so; of these joints from 0, or of all.

    Attributes
    ----------
    names
        Kinds of parameters, such as "fv"; None for those of which the model says so.
    joints
        Numbers from 0; None for all.
    """

    names: Sequence[str] | None = None
    joints: Sequence[int] | None = None

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        blocks = [
            linear(f"{column.name} >= 0", {k: 1.0}, 0.0, column.unit)
            for k, column in enumerate(columns.of_friction, start=columns.friction_slice.start)
            if (column.nonnegative if self.names is None else column.parameter in self.names)
            and (self.joints is None or column.joint in self.joints)
        ]
        return Terms(blocks=tuple(blocks))


@dataclass(frozen=True, eq=False)
class Dissipative:
    """Friction that opposes the motion at every speed that the log reached (`dynident.dynamics.friction.dissipation`).

    reached : (n, 2)   Largest speed of each joint backward and forward, zero where it did not turn that way [rad/s | m/s].
    """

    model: FrictionModel
    reached: Array

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        blocks: list[Block] = []
        for joint, speed, parameter, factors in opposing_inequalities(self.model, self.reached):
            used = {place: float(factors[i, slot]) for i in range(robot.n) for slot, place in columns.of_joint(i).items()}
            used = {place: factor for place, factor in used.items() if factor != 0.0}
            axis = robot.joints[joint]
            against = f"friction against the motion of {axis.name} at {speed:.3g} {axis.units.velocity}"
            name = f"{parameter}{joint + 1} >= 0" if parameter else against
            blocks.append(linear(name, used, 0.0, columns.units[next(iter(used))] if parameter else ""))
        return Terms(blocks=tuple(blocks))


def _bound(text: str, named: Named, columns: Columns, sign: float, constant: float) -> Block:
    if named.kind == "com":
        side = Side(named.link, 1 + named.element, sign, -sign * constant)
        return replace(linear(text, {named.column: sign, columns.of_link(named.link)[0]: constant}, 0.0, "kg·m"), side=side)
    side = Side(named.link, 0, sign, -sign * constant) if named.kind == "mass" else None
    return replace(linear(text, {named.column: sign}, constant, named.unit), side=side)


def _equality(name: str, terms: dict[int, float], value: float, unit: str) -> Equality:
    coefficients: Array = np.array(list(terms.values()), dtype=float)
    return Equality(name=name, indices=np.array(list(terms), dtype=np.int64), coefficients=coefficients, value=value, unit=unit)


def _column(name: str, robot: Robot, columns: Columns) -> int:
    named = parse_parameter(name, robot, columns)
    if named.kind in ("com", "barycentric"):
        raise ValueRangeError(f"parameter {name}", "is not linear; use a mass, a first moment mc, an inertia J or a friction parameter")
    return named.column
