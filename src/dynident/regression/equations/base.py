"""Base parameters: which combinations of the standard parameters a robot's equations contain, whatever the data.

The columns of a regressor at random states have the same linear relations as the columns at any state, so a few
hundred samples tell them. Going from base to tip through the inertias, then the first moments, then the masses, and
keeping each column that is independent of those kept so far, gives the groupings that the papers print, in their
order, and well-conditioned regressors. Masses first would be worse by orders of magnitude where parameter frames sit
at a link's far end (standard DH), and pivoted QR gives another set for every sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.dynamics import inertia_gravity_regressor, torque_regressor
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, FrictionModel, Motion
from dynident.errors import ShapeError, UnknownNameError, ValueRangeError
from dynident.regression.equations.columns import Columns, ExtraColumn, expression, problem_columns
from dynident.regression.equations.factors import independent_columns, triangular
from dynident.robots.kinematics import with_right_angles
from dynident.robots.robot import Robot

#: What the equations state: joint torques; or what a controller returns: M and g, only M, only g.
Equations: TypeAlias = Literal["torque", "controller", "inertia", "gravity"]
EQUATIONS: tuple[Equations, ...] = ("torque", "controller", "inertia", "gravity")

#: A column is dependent when its part outside the span of the kept ones is below this share of its length.
RANK_TOLERANCE = 1e-9
#: Entries of the grouping matrix below this share of the largest are rounding, and set to zero.
GROUPING_TOLERANCE = 1e-10
#: Groupings that differ by less than this share of their largest factor are the same.
_SAME_GROUPING = 1e-7
_SAMPLES = 300


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BaseParameters(Result):
    """The b base parameters (dynamic coefficients) of a robot's equations.

    Attributes
    ----------
    robot : Robot
        Whose parameters they are.
    friction : FrictionModel or None
        Friction model whose parameters are among them; None for none.
    equations : Equations
        Which equations they are of.
    independent : (b,) array
        Index of the standard column that stands for each base parameter.
    grouping : (b, p) array
        base = grouping @ standard; row i has 1 at independent[i].
    known : dict
        Standard parameters declared known, by name; they are not estimated.
    extra : tuple
        Columns of the user's own.
    """

    robot: Robot
    friction: FrictionModel | None
    equations: Equations
    independent: Annotated[IntArray, Shape("b", below="p")]
    grouping: Annotated[Array, Shape("b p")]
    known: Mapping[str, float]
    extra: tuple[ExtraColumn, ...] = ()

    def __post_init__(self) -> None:
        if self.grouping.shape != (len(self.independent), len(self.columns)):
            expected = f"({len(self.independent)}, {len(self.columns)}) = (base, standard parameters)"
            raise ShapeError("grouping", self.grouping.shape, expected)

    @cached_property
    def columns(self) -> Columns:
        """The p standard columns."""
        return replace(problem_columns(self.robot, self.friction), of_extra=self.extra)

    @property
    def rank(self) -> int:
        return len(self.independent)

    @property
    def names(self) -> tuple[str, ...]:
        """(b,) each base parameter named after its leading standard parameter."""
        return tuple(self.columns.names[int(i)] for i in self.independent)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(self.columns.units[int(i)] for i in self.independent)

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """(b,) readable groupings, such as "J2xx - J2yy + J3yy + 0.632 mc3z + 0.09986 m3"."""
        return tuple(expression(row, self.columns, self.robot) for row in self.grouping)

    @cached_property
    def symbolic_expressions(self) -> tuple[str, ...] | None:
        """(b,) the same with the names of the DH constants, such as "J2xx - J2yy + J3yy + 2 d3 mc3z + d3² m3"; None for a robot that is not
        described by a DH table. a3 and d3 are those of its third row."""
        from dynident.regression.equations.symbolic import symbolic_expressions  # it knows BaseParameters, not the other way round

        return symbolic_expressions(self)

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """Standard parameters that never appear in the equations; data of any kind say nothing about them."""
        used = np.any(self.grouping != 0.0, axis=0)
        return tuple(name for name, seen in zip(self.columns.names, used, strict=True) if not seen and name not in self.known)

    @cached_property
    def known_vector(self) -> Array:
        """(p,) the known values at their places, zero elsewhere."""
        vector = np.zeros(len(self.columns))
        for name, value in self.known.items():
            vector[self.columns.index(name)] = value
        return vector

    @cached_property
    def column_sizes(self) -> Array:
        """(b,) size of each coefficient's rows of one sample in an ordinary motion (1 rad/s, 1 rad/s²); zero for extra columns."""
        Y = _random_regressor(self.robot, self.friction, self.equations, np.random.default_rng(0))
        sizes = np.zeros(len(self.columns))
        sizes[: Y.shape[1]] = np.linalg.norm(Y, axis=0) / np.sqrt(_SAMPLES)
        return sizes[self.independent]

    def coefficients(self, standard: ArrayLike) -> Array:
        """(b,) base parameters of standard parameters (p,); links alone (10 n,) or (n, 10) when there is no friction."""
        values = np.asarray(standard, dtype=float).ravel()
        if values.shape != (len(self.columns),):
            raise ShapeError("standard", values.shape, f"({len(self.columns)},) = one value per standard column")
        return self.grouping @ values

    def representative(self, coefficients: ArrayLike) -> Array:
        """(p,) standard parameters with these coefficients: each at its leading column, the known ones, zero elsewhere.

        They move the robot exactly as the coefficients do, and are not physical by themselves.
        """
        values = np.asarray(coefficients, dtype=float)
        if values.shape != (self.rank,):
            raise ShapeError("coefficients", values.shape, f"({self.rank},)")
        vector = self.known_vector.copy()
        vector[self.independent] = values
        return vector


def base_parameters(
    robot: Robot,
    *,
    friction: FrictionModel | None = None,
    equations: Equations = "torque",
    known: Mapping[str, float] | None = None,
    extra: Sequence[str] = (),
    seed: int = 0,
) -> BaseParameters:
    """Rank and grouping of a robot's equations, from random samples.

    Parameters
    ----------
    robot
        The robot.
    friction
        Friction model whose parameters are coefficients too; None for none.
    equations
        "torque" of a log; "controller", "inertia" or "gravity" of a controller's samples.
    known
        Parameters declared known by name ({"m7": 0.73, "J2xy": 0.0}); their columns leave the problem.
    extra
        Names of the user's own columns, which count as independent.
    seed
        Of the random samples.

    Returns
    -------
    BaseParameters
        The independent columns and their grouping.
    """
    if equations not in EQUATIONS:
        raise UnknownNameError("kind of equations", equations, EQUATIONS)
    if equations != "torque" and (friction is not None or extra):
        raise ValueRangeError("friction", "has no place in the equations of M and g; leave it out, or identify from a log")
    columns = problem_columns(robot, friction, extra)
    declared = dict(known or {})
    skip = {columns.index(name) for name in declared}
    # a right angle that was rounded in the file would add combinations that no data can tell
    Y = _random_regressor(with_right_angles(robot), friction, equations, np.random.default_rng(seed))
    candidates = [i for i in _reading_order(columns) if i not in skip]
    independent, relations = _group(Y[:, candidates])
    extras = [i for i in range(columns.extra_slice.start, len(columns)) if i not in skip]
    grouping = np.zeros((len(independent) + len(extras), len(columns)))
    grouping[: len(independent), candidates] = relations
    grouping[np.arange(len(independent), len(grouping)), extras] = 1.0
    leading = [*(candidates[i] for i in independent), *extras]
    return BaseParameters(
        robot=robot,
        friction=friction,
        equations=equations,
        independent=np.array(leading, dtype=np.int64),
        grouping=grouping,
        known=declared,
        extra=columns.of_extra,
    )


def join_bases(base: BaseParameters, other: BaseParameters) -> BaseParameters:
    """The base parameters of both kinds of equations at once, of one robot with the same known values.

    base : with friction, whose columns these are. What one of both tells apart is apart: the controller's M is that of the links alone, so
    that it tells a link's inertia from the rotor's, which a log of torques may see in their sum only.
    """
    grouping = link_grouping(base, other)
    if expressed_in(base, grouping)[1].all():
        return base
    stacked = np.concatenate([base.grouping, grouping])
    candidates = [i for i in _reading_order(base.columns) if base.columns.names[i] not in base.known]
    extras = list(range(base.columns.extra_slice.start, len(base.columns)))
    independent, relations = _group(stacked[:, [*candidates, *extras]])
    joined = np.zeros((len(independent), len(base.columns)))
    joined[:, [*candidates, *extras]] = relations
    leading = np.array([*candidates, *extras], dtype=np.int64)[independent]
    return replace(base, independent=leading, grouping=joined)


def link_grouping(base: BaseParameters, other: BaseParameters) -> Array:
    """(k, p) the groupings of equations that have links alone, in the columns of a base."""
    grouping = np.zeros((other.rank, len(base.columns)))
    grouping[:, base.columns.link_slice] = other.grouping[:, other.columns.link_slice]
    return grouping


def expressed_in(base: BaseParameters, grouping: Array) -> tuple[Array, BoolArray]:
    """(k, b) groupings (k, p) of standard parameters as combinations of base parameters, and (k,) which of them are such."""
    combinations = grouping[:, base.independent]  # each base parameter is alone in its leading column
    size = np.maximum(np.abs(grouping).max(axis=1, initial=0.0), np.finfo(float).tiny)
    off = np.abs(combinations @ base.grouping - grouping).max(axis=1, initial=0.0)
    return combinations, off <= _SAME_GROUPING * size


def _reading_order(columns: Columns) -> list[int]:
    """All inertias from base to tip, all first moments, all masses, then friction."""
    places = np.arange(len(columns))
    slots = columns.links(places)
    kinds = (slots[:, 4:], slots[:, 1:4], slots[:, 0], places[columns.friction_slice])
    return [int(i) for kind in kinds for i in kind.ravel()]


def _random_regressor(robot: Robot, friction: FrictionModel | None, equations: Equations, rng: np.random.Generator) -> Array:
    """Rows of the equations at random states within the position limits, friction columns after the links'."""
    low, high = robot.drawn_range.T
    q = rng.uniform(low, high, (_SAMPLES, robot.n))
    if equations == "torque":
        dq, ddq = rng.normal(size=(2, _SAMPLES, robot.n))
        Y = torque_regressor(robot, q, dq, ddq)
        if friction is not None:
            load, warmth = rng.normal(size=(2, _SAMPLES, robot.n))
            motion = Motion(q, dq, ddq, load, REFERENCE_TEMPERATURE + warmth)
            phi = friction.columns(motion)
            columns = problem_columns(robot, friction).of_friction
            of_joints = np.zeros((_SAMPLES, robot.n, len(columns)))
            shared = friction.shared_columns(motion)
            for place, column in enumerate(columns):
                of_joints[:, column.joint, place] = phi[:, column.joint, column.slot]
                if column.shared is not None:
                    of_joints[:, :, place] = shared[:, :, column.shared]
            Y = np.concatenate([Y, of_joints], axis=2)
    else:
        Y = inertia_gravity_regressor(robot, q)
        stack = robot.n * (robot.n + 1) // 2
        Y = {"controller": Y, "inertia": Y[:, :stack], "gravity": Y[:, stack:]}[equations]
    return Y.reshape(-1, Y.shape[2])


def _group(Y: Array) -> tuple[list[int], Array]:
    """The independent columns, and every column in terms of these; both are those of the triangular factor, which has fewer rows."""
    Y = triangular([Y])
    kept, basis = independent_columns(Y, tolerance=RANK_TOLERANCE, smallest=RANK_TOLERANCE)
    relations: Array = np.asarray(np.linalg.solve(basis.T @ Y[:, kept], basis.T @ Y), dtype=float)
    lengths = np.linalg.norm(Y, axis=0)
    relations[:, lengths <= RANK_TOLERANCE * lengths.max()] = 0.0
    relations[np.abs(relations) < GROUPING_TOLERANCE * np.abs(relations).max()] = 0.0
    relations[:, kept] = np.eye(len(kept))
    return kept, relations
