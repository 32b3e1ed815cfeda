"""Friction that opposes the motion: one rule, as linear inequalities on the parameters of any friction model.

    torque(dq) · dq >= 0   for |dq| up to the largest speed that the joint reached in the log, in both directions

What stays when the motion is reversed (offset, spring, ripple) is left aside: it is not friction. So a joint's friction may fall with the
speed, as Stribeck's effect makes it, as long as it brakes wherever the log was. Of a joint that turned one way only, friction is seen on
one side and between two speeds, so there each parameter that its model calls nonnegative is held at 0 or more. So is, always, one that
does not show at constant speed: a rotor's inertia, friction per load.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.large_arrays import row_blocks
from dynident.core.linear_algebra import least_squares
from dynident.dynamics.friction.model import FrictionModel, Motion, Symmetry

#: A joint turned in a direction if that has at least this share of the sum of its squared velocities; less is noise or a brief retreat.
TURNED = 0.01
#: Where the rule is asked for, as shares of the largest speed, the first just above standstill. Models that are linear in |dq| need the
#: first and the last alone, and get no others.
SHARES = np.array([1e-6, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0])
#: A row that two others make to this accuracy says nothing new.
_SAME = 1e-9


class Inequality(NamedTuple):
    """sum(factors · parameters) >= 0.

    joint : int        From 0.
    speed : float      Velocity of the joint at which its friction must oppose the motion; 0 where a parameter by itself is meant.
    parameter : str    That parameter's name, else empty.
    factors : (n, k)   Row j for the parameters of joint j; the largest is 1 in size.
    """

    joint: int
    speed: float
    parameter: str
    factors: Array


def reached_speeds(dq: Array, used: BoolArray | None = None) -> Array:
    """(n, 2) largest speed of each joint backward and forward [rad/s | m/s]; zero for a direction in which it did not turn.

    dq : (N, n)          Velocities.
    used : (N, n) bool   Samples that count; None for all.
    """
    largest, squares = np.zeros((dq.shape[1], 2)), np.zeros((dq.shape[1], 2))
    for block in row_blocks(len(dq), dq, width=dq.shape[1]):
        velocity = dq[block] if used is None else np.where(used[block], dq[block], 0.0)
        for side, sign in enumerate((-1.0, 1.0)):
            along = np.maximum(sign * velocity, 0.0)
            largest[:, side] = np.maximum(largest[:, side], along.max(axis=0, initial=0.0))
            squares[:, side] += np.einsum("ij,ij->j", along, along)
    return np.where(squares >= TURNED * squares.sum(axis=1, keepdims=True), largest, 0.0)


def one_way_joints(reached: Array) -> tuple[int, ...]:
    """Joints, from 0, that turned in one direction only. reached : (n, 2) as of `reached_speeds`."""
    return tuple(j for j, (slower, faster) in enumerate(np.sort(reached, axis=1).tolist()) if faster > slower == 0.0)


def opposing_inequalities(model: FrictionModel, reached: Array) -> Iterator[Inequality]:
    """What the parameters (n, k) of a model must satisfy for friction to oppose the motion at the speeds that were reached.

    reached : (n, 2)   As of `reached_speeds`.
    """
    for joint, speeds in enumerate(reached):
        law, fastest = model.of_joint(joint), float(speeds.max())
        acting = np.zeros((len(reached), len(model.parameters)), dtype=bool)
        if fastest > 0.0:
            rows: list[tuple[float, Array]] = []
            for sign in (1.0, -1.0):
                at = sign * fastest * SHARES
                factors = sign * braking_factors(model, joint, at, len(reached))
                acting |= np.any(factors != 0.0, axis=0)
                rows += _independent(at, factors)
            yield from (Inequality(joint, speed, "", row) for speed, row in _distinct(rows))
        for name, nonnegative in zip(law.parameter_names, law.nonnegative, strict=True):
            slot = model.parameter_names.index(name)
            if nonnegative and (speeds.min() <= 0.0 or not acting[joint, slot]):
                alone = np.zeros(acting.shape)
                alone[joint, slot] = 1.0
                yield Inequality(joint, 0.0, name, alone)


def braking_factors(model: FrictionModel, joint: int, dq: Array, joints: int) -> Array:
    """(s, n, k) by which the parameters make a joint's friction torque when it alone moves at constant velocity.

    dq : (s,) its velocities. What stays when the motion is reversed is zero here.
    """
    alone = np.zeros((len(dq), joints))
    alone[:, joint] = dq
    motion, names = Motion.steady(alone), model.parameter_names
    factors = np.zeros((len(dq), joints, len(names)))
    factors[:, joint] = model.columns(motion)[:, joint]
    for (owner, name, _), column in zip(model.shared, np.moveaxis(model.shared_columns(motion), -1, 0), strict=True):
        factors[:, owner, names.index(name)] = column[:, joint]
    law = model.of_joint(joint)
    for name, symmetry in zip(law.parameter_names, law.symmetries, strict=True):
        if symmetry is Symmetry.EVEN:
            factors[:, joint, names.index(name)] = 0.0
    return factors


def _independent(at: Array, factors: Array) -> list[tuple[float, Array]]:
    """Speeds and rows, scaled to a largest factor of 1, without those that the first and the last row imply."""
    sizes = np.abs(factors).max(axis=(1, 2))
    rows = [(float(speed), row / size) for speed, row, size in zip(at, factors, sizes, strict=True) if size > 0.0]
    if len(rows) < 3:
        return rows
    ends = np.column_stack([rows[0][1].ravel(), rows[-1][1].ravel()])
    kept = rows[:1]
    for speed, row in rows[1:-1]:
        shares = least_squares(ends, row.ravel())
        if shares.min() < -_SAME or np.abs(ends @ shares - row.ravel()).max() > _SAME:
            kept.append((speed, row))
    return [*kept, rows[-1]]


def _distinct(rows: list[tuple[float, Array]]) -> list[tuple[float, Array]]:
    """Each row once: the friction of most models is the same in both directions, and of some at all speeds."""
    kept: list[tuple[float, Array]] = []
    for speed, row in rows:
        if not any(np.abs(row - other).max() <= _SAME for _, other in kept):
            kept.append((speed, row))
    return kept
