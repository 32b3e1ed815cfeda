"""Which coefficients the log determines, and what motion would fix the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from dynident.regression.estimate import Dropped, Estimate
from dynident.regression.figures import precision_figure
from dynident.report.blocks import Block, Cell, Grid, Listing, Section, Text
from dynident.runs.run import Run, Stage

_LINK = re.compile(r"(J|mc|m)(\d+)[xyz]{0,2}")
_JOINT = re.compile(r"([A-Za-z]+)(\d+)")
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
        headings = ("coefficients", "what they belong to", "motion that would show them", "or this log, longer by")
        yield Grid(title="What would determine the rest", headings=headings, rows=rows, left=frozenset({0, 1, 2}))
        yield Text(
            "A standard deviation falls with the square root of the recorded time, so a better motion is worth more than a longer log."
        )
    if estimate.base.unidentifiable:
        names = ", ".join(estimate.base.unidentifiable)
        yield Text(
            f"No motion shows {names}: they have no effect on the torques of this robot, and need not be known to predict them.", math=True
        )
    if estimate.notes:
        yield Listing("About the data", tuple(f"{note[0].upper()}{note[1:]}." for note in estimate.notes))


SECTION = Section(key="excitation", title="Excitation and data", stage=Stage.ESTIMATE, blocks=_blocks)


def _summary(estimate: Estimate) -> str:
    rank, full, kept = estimate.summary.rank, estimate.base.rank, int(estimate.kept.sum())
    ratio = float(estimate.singular_values[0] / max(estimate.singular_values[-1], np.finfo(float).tiny))
    return (
        f"The data have rank {rank} of {full} (tolerance {estimate.summary.rank_tolerance:g}), and {kept} coefficients are known well "
        f"enough to be part of the model. The condition number of the regressor is {ratio:.3g} with all of its columns, and "
        f"{estimate.condition_number:.3g} with those that were kept."
    )


def advice(estimate: Estimate) -> Iterator[tuple[tuple[Cell, ...], bool]]:
    """One row per link and kind of coefficient, and per kind of friction: which were not determined, and what would help."""
    limit = estimate.summary.drop_above_percent
    grouped: dict[tuple[str, int], list[Dropped]] = {}
    for item in sorted(estimate.dropped, key=lambda item: item.index):
        kind, index = _kind(estimate.base.names[item.index])
        grouped.setdefault((kind, index if kind in _RIGID else 0), []).append(item)
    for (kind, index), items in grouped.items():
        names = [estimate.base.names[item.index] for item in items]
        belongs, motion = _rigid_motion(estimate, kind, index) if kind in _RIGID else _joint_motion(estimate, kind, names)
        worst = max(100.0 * item.std / abs(item.value) if item.value and np.isfinite(item.std) else np.inf for item in items)
        factor = (worst / limit) ** 2 if limit is not None else np.inf
        longer = "no length" if factor >= 1e3 else f"{factor:.0f} times" if factor >= 3.0 else f"{factor:.1f} times"
        cells = (Cell(text=", ".join(names), math=True), Cell(text=belongs), Cell(text=motion), Cell(text=longer, sort=min(factor, 1e300)))
        yield cells, False


def _kind(name: str) -> tuple[str, int]:
    """("J", 2) of J2xx, ("fv", 3) of fv3; a user's own column has the index 0."""
    match = _LINK.fullmatch(name) or _JOINT.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 0)


def _rigid_motion(estimate: Estimate, kind: str, index: int) -> tuple[str, str]:
    """The link that a kind of coefficient belongs to, and the motion that shows it: that of the last joints before it."""
    robot = estimate.base.robot
    link = robot.link_names[index - 1]
    joints = [robot.joint_names[i] for i in robot.ancestors(index - 1)][-3:]
    return link, _RIGID[kind].format(link=link, joints=_and(joints))


def _joint_motion(estimate: Estimate, kind: str, names: list[str]) -> tuple[str, str]:
    robot, friction = estimate.base.robot, estimate.base.friction
    motions = {} if friction is None else {parameter.name: parameter.motion for parameter in friction.parameters}
    numbers_ = [_kind(name)[1] for name in names]
    if kind not in motions or not all(1 <= number <= robot.n for number in numbers_):
        return "columns of your own", "a motion in which they vary apart from the others"
    return _and([robot.joint_names[number - 1] for number in numbers_]), motions[kind]


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
