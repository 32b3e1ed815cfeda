"""What is known of friction before any data: how large its parameters can be, that it dissipates, and which way an offset is not it."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.convex import Dissipative, FrictionNonnegative
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.friction.model import OFFSET_SHARE, Symmetry
from dynident.regression.estimate import Estimate

#: Columns that are alike to this cosine are one to the data: less than one sample in a hundred was of the other direction.
ALIKE = 0.98


def friction_std(estimate: Estimate) -> Array:
    """(p - 10 n,) what friction parameters can be at most, about: as much as moves the joint by itself on average.

    The RMS effort of the joint over the RMS of the parameter's column: for Coulomb friction the RMS effort, for viscous friction that
    over the RMS velocity; for an offset a third of the RMS effort. Columns of the user's own have no prior.
    """
    columns = estimate.base.columns
    std = np.full(len(columns) - len(columns.of_links), np.inf)
    model, first = estimate.base.friction, len(columns.of_links)
    if model is None or estimate.problem is None:
        return std
    for joint, sizes in enumerate(_friction_columns(estimate)):
        effort = float(np.linalg.norm(estimate.problem.factors[joint][:, -1]))
        for place, (symmetry, column) in sizes.items():
            if effort > 0.0 and np.any(column):
                share = OFFSET_SHARE if symmetry is Symmetry.EVEN else 1.0
                std[place - first] = share * effort / float(np.linalg.norm(column))
    return std


def dissipation(estimate: Estimate) -> FeasibleSet:
    """Friction that takes energy out at the speeds of the log; of joints that turned one way only, every part of it by itself.

    Of those the slope of friction over the speed is seen on one side, between two speeds. A negative one is what Stribeck's effect looks
    like there; at other speeds it would drive the joint, and no reversal tells that from Coulomb friction and offset.
    """
    friction, speeds = estimate.base.friction, None if estimate.problem is None else estimate.problem.speeds
    if friction is None or speeds is None:
        return FeasibleSet(())
    one_way = one_way_joints(estimate)
    parts = (FrictionNonnegative(joints=one_way),) if one_way else ()
    return FeasibleSet((Dissipative(friction, speeds), *parts))


def one_way_joints(estimate: Estimate) -> tuple[int, ...]:
    """Joints, from 0, that turned one way only, so that the data can't tell friction that reverses with the motion from an offset."""
    model = estimate.base.friction
    if model is None or estimate.problem is None:
        return ()
    found: list[int] = []
    for joint, columns in enumerate(_friction_columns(estimate)):
        odd, even = (
            [column / np.linalg.norm(column) for own, column in columns.values() if own is symmetry and np.any(column)]
            for symmetry in (Symmetry.ODD, Symmetry.EVEN)
        )
        if any(abs(float(a @ b)) > ALIKE for a in odd for b in even):
            found.append(joint)
    return tuple(found)


def _friction_columns(estimate: Estimate) -> list[dict[int, tuple[Symmetry, Array]]]:
    """Per joint its friction parameters, by their place among all columns: symmetry, and the column in its own rows, compressed."""
    base, problem = estimate.base, estimate.problem
    assert problem is not None  # noqa: S101 (the callers saw to it)
    if base.equations != "torque":
        return []
    first = len(base.columns.of_links)
    found: list[dict[int, tuple[Symmetry, Array]]] = []
    for joint, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        places = {int(column): place for place, column in enumerate(base.independent[group.columns])}
        own = {place: base.columns.of_friction[place - first] for place in base.columns.of_joint(joint).values()}
        found.append({place: (column.symmetry, factor[:, places[place]]) for place, column in own.items() if place in places})
    return found
