"""Groupings as people write them: terms by size of meaning, equal factors gathered, kinematic constants recognised."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from dynident.core.arrays import Array
from dynident.parameters import ParameterEntry
from dynident.regression.equations.columns import Column, Columns
from dynident.robots.robot import Robot

#: A factor this close (relative) to a product or sum of squares of kinematic constants is taken to be it.
RECOGNITION_TOLERANCE = 1e-9


def expression(row: Array, columns: Columns, robot: Robot) -> str:
    """One row of a grouping matrix as text: inertias first, then first moments, then masses, then friction."""
    order = sorted(np.flatnonzero(row).tolist(), key=lambda i: _rank(columns[i]))
    terms = [(recognise(float(row[i]), robot), columns.names[i]) for i in order]
    pieces = [(factor, name) for factor, name in terms if abs(factor) == 1.0]
    gathered: dict[float, list[str]] = {}
    for factor, name in terms:
        if abs(factor) != 1.0:
            gathered.setdefault(round(factor, 12), []).append(name)
    for factor, group in gathered.items():
        sum_of_names = group[0] if len(group) == 1 else f"({' + '.join(group)})"
        pieces.append((factor, f"{abs(factor):.4g} {sum_of_names}"))
    text = "".join((" - " if sign < 0 else " + ") + piece for sign, piece in pieces)
    return text.removeprefix(" + ") if text.startswith(" + ") else "-" + text.removeprefix(" - ")


def recognise(factor: float, robot: Robot) -> float:
    """The factor itself, or the kinematic constant, product or sum of squares that it is up to rounding."""
    if factor == round(factor):
        return factor
    candidates = _candidates(robot)
    nearest = candidates[np.argmin(np.abs(candidates - abs(factor)))]
    if abs(nearest - abs(factor)) <= RECOGNITION_TOLERANCE * max(nearest, 1e-3):
        return float(np.copysign(nearest, factor))
    return factor


@lru_cache(maxsize=64)
def _candidates(robot: Robot) -> Array:
    """1, 2, the lengths of the robot, twice them, products of two, twice those, and sums and differences of two squares."""
    placements = [joint.placement[:3, 3] for joint in robot.joints] + [link.placement[:3, 3] for link in robot.links]
    lengths = np.unique(np.round(np.abs(np.concatenate(placements)), 12))
    lengths = lengths[lengths > 0]
    values = [0.5, 1.0, 2.0, *lengths, *(2 * lengths)]
    for a, b in combinations_with_replacement(lengths, 2):
        values += [a * b, 2 * a * b, a * a + b * b, abs(a * a - b * b)]
    return np.unique(np.array(values))


def _rank(column: Column) -> int:
    """J before mc before m before the rest; within one kind the order of the links."""
    return ("J", "mc", "m").index(column.quantity) if isinstance(column, ParameterEntry) else 3
