"""Which coefficients the log determines, and what motion would fix the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynident.parameters import ParameterEntry
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import Column, FrictionColumn
from dynident.regression.estimate import Dropped, Estimate
from dynident.reports.blocks import Block, Section, Text, notes_listing
from dynident.reports.regression_figures import precision_figure
from dynident.reports.tables import Table, column
from dynident.runs import Run, Stage

_RIGID = {
    "J": "turn {link} with strong accelerations about several axes: fast reversals of {joints}",
    "mc": "hold and move {link} at many orientations to gravity: wide ranges of {joints}",
    "m": "raise, lower and swing {link}: wide and fast motions of {joints}",
}


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    yield Text(_summary(estimate))
    yield precision_figure(estimate)
    rows = tuple(advice(estimate))
    if rows:
        yield Table("What would determine the rest", rows)
        yield Text(
            "A standard deviation falls with the square root of the recorded time, so a better motion is worth more than a longer log."
        )
    if estimate.base.unidentifiable:
        names = ", ".join(estimate.base.unidentifiable)
        yield Text(
            f"No motion shows {names}: they have no effect on the torques of this robot, and need not be known to predict them.", math=True
        )
    if estimate.notes:
        yield notes_listing("About the data", estimate.notes)


SECTION = Section(key="excitation", title="Excitation and data", stage=Stage.ESTIMATE, blocks=_blocks)


def _summary(estimate: Estimate) -> str:
    rank, full, kept = estimate.summary.rank, estimate.base.rank, int(estimate.kept.sum())
    ratio = float(estimate.singular_values[0] / max(estimate.singular_values[-1], np.finfo(float).tiny))
    return (
        f"The data have rank {rank} of {full} (tolerance {estimate.summary.rank_tolerance:.2g}), and {kept} coefficients are known well "
        f"enough to be part of the model. The condition number of the regressor is {ratio:.3g} with all of its columns, and "
        f"{estimate.condition_number:.3g} with those that were kept."
    )


def _longer_text(factor: float) -> str:
    return "no length" if factor >= 1e3 else f"{factor:.0f} times" if factor >= 3.0 else f"{factor:.1f} times"


@dataclass(frozen=True)
class Advice:
    """longer : times as long as this log another one of the same motion would have to be."""

    coefficients: str = column(math=True)
    belongs: str = column("what they belong to")
    motion: str = column("motion that would show them")
    longer: float = column("or this log, longer by", _longer_text)


def advice(estimate: Estimate) -> Iterator[Advice]:
    """One row per link and kind of coefficient, and per kind of friction: which were not determined, and what would help."""
    limit = estimate.summary.drop_above_percent
    base = estimate.base
    grouped: dict[tuple[str, str | int], list[Dropped]] = {}
    for item in sorted(estimate.dropped, key=lambda item: item.index):
        grouped.setdefault(_kind(base.columns[int(base.independent[item.index])]), []).append(item)
    for items in grouped.values():
        names = [base.names[item.index] for item in items]
        belongs, motion = _motion(base, [base.columns[int(base.independent[item.index])] for item in items])
        worst = max(100.0 * item.std / abs(item.value) if item.value and np.isfinite(item.std) else np.inf for item in items)
        factor = (worst / limit) ** 2 if limit is not None else np.inf
        yield Advice(", ".join(names), belongs, motion, float(factor))


def _kind(column: Column) -> tuple[str, str | int]:
    """What the same motion shows: a quantity of one link, one friction parameter of any joint, or a column of the user's own."""
    if isinstance(column, ParameterEntry):
        return column.quantity, column.link
    return ("friction", column.slot) if isinstance(column, FrictionColumn) else ("extra", column.name)


def _motion(base: BaseParameters, columns: list[Column]) -> tuple[str, str]:
    """What columns of one kind belong to, and the motion that shows them: for a link that of the last joints before it."""
    robot, first = base.robot, columns[0]
    if isinstance(first, ParameterEntry):
        link = robot.link_names[first.link]
        joints = [robot.joint_names[i] for i in robot.ancestors(first.link)][-3:]
        return link, _RIGID[first.quantity].format(link=link, joints=_and(joints))
    if not isinstance(first, FrictionColumn) or base.friction is None:
        return "columns of your own", "a motion in which they vary apart from the others"
    joints = [robot.joint_names[column.joint] for column in columns if isinstance(column, FrictionColumn)]
    return _and(joints), base.friction.parameters[first.slot].motion


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
