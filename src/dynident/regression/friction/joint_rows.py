"""The rows of one joint with its friction columns apart, which alone change with the model and its shapes.

What the links explain is kept as it is; columns of any friction model are made from the motion and go through the same filter,
so that both sides of the equations stay filtered in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.dynamics.friction.shapes import shape_constants, shape_slopes
from dynident.errors import InputError
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.equations.rows import MASK_SHARE, LogRows
from dynident.regression.problem import Problem, rows_in_time


@dataclass(frozen=True, kw_only=True, eq=False)
class JointRows:
    """All rows of a joint, in the order of time.

    rest : (c,)          Places of the coefficients that its rows have beside friction, among those of the problem.
    Y, z : (c, rows)     Their columns, and the right-hand side (rows,).
    lengths : (segments,) Rows of each segment.
    """

    joint: int
    rest: IntArray
    Y: Array
    z: Array
    lengths: tuple[int, ...]
    logs: tuple[LogRows, ...]
    ready: dict[FrictionModel, Array] = field(default_factory=dict[FrictionModel, Array])

    def columns(self, model: FrictionModel) -> Array:
        """(k, rows) the columns of a single joint's friction model, filtered as the others were.

        Those of parts without shapes, which a search for shapes needs again and again, are kept.
        """
        return np.concatenate([self._part(part) for part in model.parts])

    def _part(self, part: FrictionModel) -> Array:
        if part in self.ready:
            return self.ready[part]
        columns = np.concatenate([friction_columns(log, self.joint, part) for log in self.logs], axis=1)
        if not shape_constants(part):
            self.ready[part] = columns
        return columns

    def derivatives(self, model: FrictionModel, parameters: Array) -> Array:
        """(m, rows) change of the joint's friction per unit of each shape, for the parameters (k,) of the model."""
        return shape_slopes(model, parameters, self.columns)


def joint_rows(problem: Problem, loads: Sequence[Array] | None = None) -> tuple[JointRows, ...]:
    """The rows of every joint of a problem whose log is there.

    loads : per log (N, n) the torque that the joints transmit, for friction that depends on it; by default as in the problem.
    """
    logs = tuple(source for source in problem.rows if isinstance(source, LogRows))
    if not logs or len(logs) < len(problem.rows):
        raise InputError("friction is fitted to a log of motion and torque, and this problem doesn't have it; build it from the data")
    base = problem.base
    if base.friction is not None and base.friction.shared:
        raise InputError(
            "motors that turn several joints have friction in the rows of all of them, and friction is fitted here joint by joint; "
            "name a model without shapes, such as linear"
        )
    named = [name for name in base.known if isinstance(base.columns[base.columns.index(name)], FrictionColumn)]
    if named:
        raise InputError(f"{', '.join(named)} can't be known while friction is being fitted; leave it out, or keep the shapes as they are")
    if loads is not None:
        logs = tuple(replace(log, load=load) for log, load in zip(logs, loads, strict=True))
    joints: list[JointRows] = []
    for joint, (group, tables) in enumerate(zip(problem.groups, rows_in_time(problem), strict=True)):
        other = np.array([not isinstance(base.columns[i], FrictionColumn) for i in base.independent[group.columns].tolist()], dtype=bool)
        table = np.concatenate(tables, axis=1)
        lengths = tuple(part.shape[1] for part in tables)
        joints.append(JointRows(joint=joint, rest=group.columns[other], Y=table[:-1][other], z=table[-1], lengths=lengths, logs=logs))
    return tuple(joints)


def friction_columns(log: LogRows, joint: int, model: FrictionModel) -> Array:
    """(k, rows) the columns of a single joint's friction model in the rows of a log, filtered and masked as these are."""
    pieces = [np.zeros((len(model.parameters), 0))]
    for number, segment in enumerate(log.dataset.segments):
        motion = Motion(*(None if values is None else values[:, joint : joint + 1] for values in log.motion(segment)))
        mask = None if log.dataset.mask is None else log.dataset.mask[segment, joint]
        weight = 1.0 if log.weights is None else float(log.weights[number, joint])
        pieces.append(weight * _filter(log, model.columns(motion)[:, 0].T, mask))
    return np.concatenate(pieces, axis=1)


def _filter(log: LogRows, phi: Array, mask: BoolArray | None) -> Array:
    """Columns (k, samples) of a segment as rows of the problem, masked in the same way."""
    if log.filter is None:
        return phi if mask is None else phi[:, mask]
    if log.filter.valid(phi.shape[1]) == 0:
        return phi[:, :0]
    if mask is None:
        return log.filter.apply(phi, axis=1)
    return log.filter.apply(phi * mask, axis=1)[:, log.filter.apply(mask.astype(float)) >= MASK_SHARE]
