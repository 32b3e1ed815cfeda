"""Measured and predicted effort along a motion, processed as the data of an identification are.

Both sides go through the same zero-phase filter, so a perfect model has no error, whatever the filter. Masked samples
are left out of both, as in the rows of the regression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.records import Shape
from dynident.data import Dataset, ParallelFilter
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.model import FrictionModel, Motion, friction_torque
from dynident.regression.equations.rows import MASK_SHARE, LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.prepare import parallel_filter
from dynident.robots.body import ANGULAR, LINEAR, JointType
from dynident.validation.models import COEFFICIENTS, RIGID, NewtonEuler

_Columns: TypeAlias = dict[str, list[Array]]
_REST = "rest"
#: Errors are given for this bandwidth too [Hz], where the log has four times as many samples per second: a controller feels more than 5 Hz.
WIDE = 20.0
#: The fields of a series that are arrays, beside the predictions and their standard deviations.
CURVES = ("time", "segment", "velocity", "measured")


@dataclass(frozen=True, kw_only=True, eq=False)
class JointSeries:
    """One joint's effort, after the filter.

    time : (N,)                     As recorded; a new segment may begin with an earlier time.
    segment : (N,) int              Which segment of the data each sample belongs to.
    velocity, measured : (N,)       Filtered like the effort.
    predicted : {model: (N,)}       Of each model, and of each with `_rigid` added to its key without its friction.
    temperature : (N,) or None      Where it was recorded [°C].
    std : {model: (N,)}             Standard deviation of a model's prediction, √(y Σ yᵀ); noise of the data not included.
    """

    joint: str
    prismatic: bool
    time: Annotated[Array, Shape("t#")]
    segment: Annotated[IntArray, Shape("t#")]
    velocity: Annotated[Array, Shape("t#")]
    measured: Annotated[Array, Shape("t#")]
    predicted: Mapping[str, Annotated[Array, Shape("t#")]]
    std: Mapping[str, Annotated[Array, Shape("t#")]]
    temperature: Annotated[Array, Shape("t#", finite=False)] | None = None

    @property
    def unit(self) -> str:
        return (LINEAR if self.prismatic else ANGULAR).effort

    def error(self, model: str) -> Array:
        """(N,) measured minus predicted."""
        return self.measured - self.predicted[model]

    def thin(self, most: int) -> JointSeries:
        """At most so many samples, evenly chosen, for a picture."""
        step = max(1, -(-len(self.time) // most))
        curves = {name: getattr(self, name)[::step] for name in CURVES}
        models = {kind: {name: values[::step] for name, values in getattr(self, kind).items()} for kind in ("predicted", "std")}
        warmth = None if self.temperature is None else self.temperature[::step]
        return replace(self, **curves, **models, temperature=warmth)


def joint_series(estimate: Estimate, covariance: Array, rows: LogRows, others: tuple[NewtonEuler, ...]) -> tuple[JointSeries, ...]:
    """The series of every joint.

    covariance : (b, b)   Of the coefficients, for their predictions.
    rows : those of the data on the base parameters of the estimate.
    """
    robot = estimate.base.robot
    collected: list[_Columns] = [{} for _ in range(robot.n)]
    for number, segment in enumerate(rows.dataset.segments):
        for name, values, kept in _filter(rows, segment, _raw(estimate, others, rows.dataset, segment)):
            for j, columns in enumerate(collected):
                columns.setdefault(name, []).append(values[kept[:, j], j])
                if name == "measured":
                    columns.setdefault("segment", []).append(np.full(int(kept[:, j].sum()), float(number)))
    spreads = {COEFFICIENTS: covariance} | {other.name: other.covariance for other in others if other.covariance is not None}
    rest = _rest(estimate, rows, spreads)
    return tuple(
        _series(joint.name, joint.type is JointType.PRISMATIC, columns, unexplained)
        for joint, columns, unexplained in zip(robot.joints, collected, rest, strict=True)
    )


def wide_rows(rows: LogRows) -> LogRows | None:
    """The same data behind a filter that lets through more; None where there was none, or it did so already, or the log is too slow."""
    rate = rows.dataset.rate
    if rows.filter is None or rows.filter.cutoff >= WIDE or rate < 4.0 * WIDE:
        return None
    return replace(rows, filter=parallel_filter(rate, WIDE))


def _raw(estimate: Estimate, others: tuple[NewtonEuler, ...], data: Dataset, segment: slice) -> Iterator[tuple[str, Array]]:
    """Everything that is filtered, (N, n) each: what was recorded, the coefficients' friction, and the other models' predictions."""
    motion = data.take(segment, starts=(0,))
    dq, ddq = motion.require("dq"), motion.require("ddq")
    model, robot = estimate.base.friction, estimate.base.robot

    def friction(model: FrictionModel, parameters: Array, load: Array) -> Array:
        return friction_torque(model, parameters, Motion(motion.q, dq, ddq, load, motion.temperature))

    yield "time", np.broadcast_to(motion.time[:, None], motion.q.shape)
    yield "velocity", dq
    if motion.temperature is not None:
        yield "temperature", motion.temperature
    yield "measured", motion.require("effort")
    if model is not None and estimate.friction_parameters is not None:
        yield "friction", friction(model, estimate.friction_parameters, inverse_dynamics(robot, estimate.link_part, motion.q, dq, ddq))
    for other in others:
        rigid = inverse_dynamics(robot, other.links, motion.q, dq, ddq)
        if model is None or other.friction is None:
            yield other.name, rigid
        else:
            yield other.name, rigid + friction(model, other.friction, rigid)
            yield other.name + RIGID, rigid


def _filter(rows: LogRows, segment: slice, columns: Iterator[tuple[str, Array]]) -> Iterator[tuple[str, Array, BoolArray]]:
    """Name, values (K, n) and which of them to use (K, n), as the rows of the regression have them."""
    filter, length = rows.filter, segment.stop - segment.start
    mask = None if rows.dataset.mask is None else rows.dataset.mask[segment]
    if filter is not None and filter.valid(length) == 0:
        return
    kept = _kept(filter, mask, length, rows.dataset.n)
    for name, values in columns:
        if filter is None:
            yield name, values, kept
        elif name == "time":
            yield name, values[filter.centres(length)], kept
        else:
            weighed = values if mask is None or name in ("velocity", "temperature") else values * mask
            yield name, filter.apply(weighed), kept


def _kept(filter: ParallelFilter | None, mask: BoolArray | None, length: int, n: int) -> BoolArray:
    if mask is None:
        return np.ones((length if filter is None else filter.valid(length), n), dtype=bool)
    return mask if filter is None else filter.apply(mask.astype(float)) >= MASK_SHARE


def _rest(estimate: Estimate, rows: LogRows, covariances: Mapping[str, Array]) -> list[_Columns]:
    """Per joint: what the coefficients leave unexplained (`rest`), and by model the standard deviation of what is predicted."""
    joints: list[_Columns] = [{} for _ in rows.groups]
    for group, table, _ in rows.tables():
        columns = rows.groups[group].columns
        Y, z = table[:-1], table[-1]
        joints[group].setdefault(_REST, []).append(z - estimate.values[columns] @ Y)
        for model, covariance in covariances.items():
            joints[group].setdefault(model, []).append(row_std(covariance[np.ix_(columns, columns)], Y))
    return joints


def row_std(covariance: Array, Y: Array) -> Array:
    """(rows,) √(y Σ yᵀ) of rows Y (c, rows); covariance : (c, c)."""
    return np.sqrt(np.maximum(np.einsum("ik,ik->k", Y, covariance @ Y), 0.0))


def _series(joint: str, prismatic: bool, columns: _Columns, rest: _Columns) -> JointSeries:
    joined, std = ({name: np.concatenate(parts) for name, parts in pieces.items()} for pieces in (columns, rest))
    curves = {name: joined.pop(name) for name in ("time", "velocity", "measured")}
    segment, friction, temperature = joined.pop("segment").astype(np.int64), joined.pop("friction", None), joined.pop("temperature", None)
    predicted = {COEFFICIENTS: curves["measured"] - std.pop(_REST)}
    if friction is not None:
        predicted[COEFFICIENTS + RIGID] = predicted[COEFFICIENTS] - friction
    known: dict[str, Any] = {**curves, "segment": segment, "predicted": predicted | joined, "std": std, "temperature": temperature}
    return JointSeries(joint=joint, prismatic=prismatic, **known)
