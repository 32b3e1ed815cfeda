"""Standard deviations that include the shapes: the model is linearised in them, each shape becomes a column like any other, and the
uncertainty of all columns together is that of correlated noise and of blocks, as for coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.linear_algebra import least_squares
from dynident.dynamics.friction.model import FrictionModel, ShapeConstant, label
from dynident.dynamics.friction.shapes import shape_constants, shape_values
from dynident.errors import require
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import ExtraColumn, FrictionColumn
from dynident.regression.equations.factors import compress, independent_columns
from dynident.regression.equations.partition import TableRows
from dynident.regression.equations.rows import RowGroup, Tables
from dynident.regression.estimate import Estimate
from dynident.regression.friction.fitted import FittedShape, known_together, shape_notes
from dynident.regression.friction.joint_rows import JointRows
from dynident.regression.problem import Problem, rows_in_time
from dynident.regression.solution import Prior, prior_rows
from dynident.regression.uncertainty.autocovariance import correlated_rows
from dynident.regression.uncertainty.blocks import BlockVariation
from dynident.regression.uncertainty.covariance import spread
from dynident.regression.uncertainty.losses import Loss, loss_by_name

#: Distance from a bound that counts as being there, as a share of the range of a shape, or of its value where that is less.
_AT_BOUND = 1e-3
#: A shape whose column is this much like the other columns changes nothing that they don't.
_DEPENDENT = 1e-5


@dataclass(frozen=True, kw_only=True, eq=False)
class _ShapeColumn:
    """A shape of one joint. d : (rows,) the joint's torque per unit of it."""

    joint: int
    shape: ShapeConstant
    value: float
    at_bound: bool
    d: Array

    @property
    def name(self) -> str:
        """With the joint's number: steepness3."""
        return f"{self.shape.name}{self.joint + 1}"


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapeSpread:
    """How uncertain coefficients and shapes of an estimate are, b and m of them, and how much they follow what was known beforehand.

    fitted : (b + m,) bool       What was fitted; neither shapes at an end of their range nor those that the data don't tell.
    noise : (b + m, b + m)       Covariance by the noise of the data; zero for what was not fitted.
    passes : (b + m, b)          Change of everything per change of the coefficients that were held; zero for the others.
    blocks : BlockVariation      Of everything.
    """

    estimate: Estimate
    columns: tuple[_ShapeColumn, ...]
    fitted: BoolArray
    noise: Array
    passes: Array
    blocks: BlockVariation | None

    def include(self, known: Array | None = None) -> Estimate:
        """The estimate with its shapes as fitted ones, and with a covariance that includes them.

        known : (b, b) covariance of the coefficients that were held; by default they are exact.
        """
        base, b = self.estimate.base, self.estimate.base.rank
        covariance = self.noise if known is None else self.noise + self.passes @ known @ self.passes.T
        std = np.sqrt(np.diag(covariance)[b:])
        shapes = tuple(
            FittedShape(
                joint=base.robot.joint_names[column.joint],
                name=column.shape.name,
                symbol=column.shape.symbol,
                value=column.value,
                std=float(std[i]) if self.fitted[b + i] else None,
                unit=column.shape.unit.of(base.robot.joints[column.joint].type),
                at_bound=column.at_bound,
            )
            for i, column in enumerate(self.columns)
        )
        joints = range(base.robot.n)
        together = [text for joint in joints for text in _known_together(self.estimate, joint, self.columns, covariance)]
        return replace(
            self.estimate,
            covariance=covariance[:b, :b],
            shape_covariance=covariance[b:] if shapes else None,
            blocks=None if self.blocks is None else _of_coefficients(self.blocks, b),
            shapes=shapes,
            notes=(*self.estimate.notes, *shape_notes(shapes, together)),
        )


def linearise_shapes(
    estimate: Estimate,
    rows: Sequence[JointRows],
    *,
    held: BoolArray | None = None,
    loss: Loss | None = None,
    prior: Prior | None = None,
) -> ShapeSpread:
    """The uncertainty of an estimate and the shapes of its friction model.

    rows : of the data of the estimate.
    held : (b,) the coefficients that were not fitted but known beforehand; by default none.
    loss, prior : of the fit; by default the loss that it says, with its usual threshold, and no prior.
    """
    base, problem = estimate.base, estimate.require_problem()
    friction = require(base.friction, "the friction model")
    columns = tuple(column for item in rows for column in _shape_columns(estimate, friction.of_joint(item.joint), item))
    augmented = _augment(problem, columns)
    weights = 1.0 / np.asarray(estimate.summary.noise_levels, dtype=float)
    held = np.zeros(base.rank, dtype=bool) if held is None else held
    fitted = np.append(estimate.kept & ~held, np.array([not column.at_bound for column in columns], dtype=bool))
    fitted &= _independent(augmented, weights, fitted, base.rank)
    uncertainty = spread(
        augmented,
        values=np.append(estimate.values, np.zeros(len(columns))),
        weights=weights,
        determined=fitted,
        prior_rows=[np.insert(block, [base.rank] * len(columns), 0.0, axis=1) for block in prior_rows(prior)],
        loss=loss or loss_by_name(estimate.summary.loss),
        rows=correlated_rows(augmented),
    )
    passes = _passes(augmented, fitted, held)
    return ShapeSpread(
        estimate=estimate, columns=columns, fitted=fitted, noise=uncertainty.covariance(fitted), passes=passes, blocks=uncertainty.blocks
    )


def _shape_columns(estimate: Estimate, model: FrictionModel, rows: JointRows) -> list[_ShapeColumn]:
    base, values = estimate.base, shape_values(model)
    f = np.array([estimate.standard[base.columns.index(f"{name}{rows.joint + 1}")] for name in model.parameter_names])
    columns: list[_ShapeColumn] = []
    for shape, value, d in zip(shape_constants(model), values.tolist(), rows.derivatives(model, f), strict=True):
        near, span = min(value - shape.lower, shape.upper - value), shape.upper - shape.lower
        at_bound = near <= _AT_BOUND * min(span, abs(value) or span)
        columns.append(_ShapeColumn(joint=rows.joint, shape=shape, value=value, at_bound=at_bound, d=d))
    return columns


def _augment(problem: Problem, columns: Sequence[_ShapeColumn]) -> Problem:
    """The problem with a column more per shape."""
    base, b = problem.base, problem.base.rank
    joints = base.robot.joints
    extra = tuple(ExtraColumn(column.name, column.shape.unit.of(joints[column.joint].type)) for column in columns)
    wider = replace(
        base,
        extra=(*base.extra, *extra),
        independent=np.append(base.independent, len(base.columns) + np.arange(len(columns))),
        grouping=_widen(base, len(columns)),
    )
    groups: list[RowGroup] = []
    tables: list[tuple[Array, ...]] = []
    for g, (group, segments) in enumerate(zip(problem.groups, rows_in_time(problem), strict=True)):
        mine = [i for i, column in enumerate(columns) if column.joint == g]
        groups.append(replace(group, columns=np.append(group.columns, [b + i for i in mine]).astype(np.int64)))
        ends = np.cumsum([table.shape[1] for table in segments])[:-1]
        further = np.array([columns[i].d for i in mine]).reshape(len(mine), sum(table.shape[1] for table in segments))
        pieces = zip(segments, np.split(further, ends, axis=1), strict=True)
        tables.append(tuple(np.concatenate([table[:-1], d, table[-1:]]) for table, d in pieces))
    rows = TableRows(base=wider, groups=tuple(groups), runs=tuple(tables))
    return replace(problem, base=wider, groups=rows.groups, factors=_factors(rows.runs), rows=(rows,), filtered=rows.runs)


def _factors(tables: Tables) -> tuple[Array, ...]:
    factors: list[Array] = []
    for group in tables:
        factor = np.zeros((len(group[0]), len(group[0])), order="F")
        for table in group:
            factor = compress(factor, table.copy()) if table.shape[1] else factor
        factors.append(np.ascontiguousarray(factor))
    return tuple(factors)


def _widen(base: BaseParameters, count: int) -> Array:
    grouping = np.zeros((base.rank + count, len(base.columns) + count))
    grouping[: base.rank, : len(base.columns)] = base.grouping
    grouping[base.rank :, len(base.columns) :] = np.eye(count)
    return grouping


def _independent(problem: Problem, weights: Array, fitted: BoolArray, b: int) -> BoolArray:
    """(b + m,) False for shapes that the data can't tell from the other fitted columns."""
    stacked = problem.stack(weights)[:, :-1] * fitted
    kept, _ = independent_columns(stacked, tolerance=_DEPENDENT, smallest=1e-12)
    return np.isin(np.arange(len(fitted)), kept) | (np.arange(len(fitted)) < b)


def _passes(problem: Problem, fitted: BoolArray, held: BoolArray) -> Array:
    """(b + m, b) how what was known beforehand changes itself, and what was fitted to what it left over."""
    passes = np.zeros((len(fitted), len(held)))
    passes[: len(held)] = np.diag(held.astype(float))
    for group, factor in zip(problem.groups, problem.factors, strict=True):
        coefficients = group.columns[group.columns < len(held)]
        free, other = group.columns[fitted[group.columns]], coefficients[held[coefficients]]
        A, Y = (factor[:, :-1][:, np.isin(group.columns, places)] for places in (free, other))
        passes[np.ix_(free, other)] = -least_squares(A, Y)
    return passes


def _known_together(estimate: Estimate, joint: int, columns: Sequence[_ShapeColumn], covariance: Array) -> list[str]:
    """Of those that can't be zero: what others are beside their standard deviation means nothing near zero."""
    base, b = estimate.base, estimate.base.rank
    friction = require(base.friction, "the friction model")
    columns_of = {i: base.columns[standard] for i, standard in enumerate(base.independent.tolist())}
    labels = {
        i: label(friction.parameters[column.slot])
        for i, column in columns_of.items()
        if isinstance(column, FrictionColumn) and column.joint == joint and column.nonnegative and estimate.kept[i]
    }
    mine = [i for i, column in enumerate(columns) if column.joint == joint and column.shape.lower > 0.0 and covariance[b + i, b + i] > 0.0]
    names = [*labels.values(), *(label(columns[i].shape) for i in mine)]
    values = np.append(estimate.values[list(labels)], [columns[i].value for i in mine])
    places = [*labels, *(b + i for i in mine)]
    return list(known_together(base.robot.joint_names[joint], names, values, covariance[np.ix_(places, places)])) if mine else []


def _of_coefficients(blocks: BlockVariation, b: int) -> BlockVariation:
    return replace(blocks, ratios=blocks.ratios[:b], freedom=blocks.freedom[:b])
