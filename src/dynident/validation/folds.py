"""Cross-validation: the data in k parts, each predicted by a model that was fitted to the others.

Neighbouring samples say the same thing, so a part is a segment (a trajectory) or a contiguous block, never a random choice
of samples. The parts are compressed once; a fit to all but one merges small factors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure
from dynident.core.results import Result
from dynident.core.tables import Report
from dynident.data import Dataset
from dynident.errors import ValueRangeError
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.fit import fit
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals
from dynident.regression.uncertainty.losses import loss_by_name


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CrossValidation(Result):
    """Errors on each part, of the model fitted to the other parts.

    parts : text per fold              What was held out.
    relative_percent : (folds,)        100 ‖e‖ / ‖measured‖ over all joints.
    relative_percent_per_joint, rms_per_joint : (folds, n)
    """

    joints: tuple[str, ...]
    parts: tuple[str, ...]
    relative_percent: Array
    relative_percent_per_joint: Array
    rms_per_joint: Array

    @property
    def headline(self) -> str:
        return f"{self.folds} parts, {self.mean_percent:.2g} ± {self.std_percent:.2g} % relative error"

    def tables(self) -> Report:
        from dynident.validation.tables import cross_validation_report  # the tables know CrossValidation, not the other way round

        return cross_validation_report(self)

    def records(self) -> list[dict[str, Any]]:
        """One row per part and joint: relative error and RMS."""
        from dynident.validation.tables import fold_records

        return fold_records(self)

    def figures(self) -> tuple[Figure, ...]:
        """The error of each joint on each part."""
        from dynident.validation.figures import fold_figure

        return (fold_figure(self),)

    @property
    def folds(self) -> int:
        return len(self.parts)

    @property
    def mean_percent(self) -> float:
        return float(self.relative_percent.mean())

    @property
    def std_percent(self) -> float:
        """Spread of the folds, not the uncertainty of their mean."""
        return float(self.relative_percent.std(ddof=1))


def cross_validate(
    estimate: Estimate,
    dataset: Dataset,
    *,
    folds: int = 5,
    cutoff: float | None = None,
    rate: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> CrossValidation:
    """Fit and predict `folds` times with the base parameters, noise model, loss and dropping of an estimate.

    cutoff, rate : as in `build_problem`; give those of the estimate.
    """
    pieces = partition(dataset, folds)
    problems: list[Problem] = []
    for piece, name in pieces:
        try:
            problems.append(problem_on_base(estimate.base, piece, cutoff=cutoff, rate=rate))
        except ValueRangeError as error:  # a part alone is too short, though the whole is not
            message = f"are {folds}, too many for these data: of {name}, {error.message}"
            raise ValueRangeError("folds", message, remedy="use fewer folds") from None
        if progress is not None:
            progress(0.5 * len(problems) / folds)
    found: list[Residuals] = []
    for k, held_out in enumerate(problems):
        others = reduce(Problem.merge, [problem for i, problem in enumerate(problems) if i != k])
        found.append(residuals(held_out, _refit(estimate, others).values))
        if progress is not None:
            progress(0.5 + 0.5 * len(found) / folds)
    return CrossValidation(
        joints=found[0].names,
        parts=tuple(name for _, name in pieces),
        relative_percent=np.array([item.relative_percent for item in found]),
        relative_percent_per_joint=np.array([item.relative_percent_per_group for item in found]),
        rms_per_joint=np.array([item.rms_per_group for item in found]),
    )


def partition(dataset: Dataset, folds: int) -> list[tuple[Dataset, str]]:
    """The data in `folds` parts that are disjoint and make the whole: whole segments where there are enough, else blocks."""
    if not 2 <= folds <= 100:
        raise ValueRangeError("folds", f"are {folds}; from 2 to 100 are possible")
    if folds > dataset.samples // 2:
        raise ValueRangeError("folds", f"are {folds} for {dataset.samples} samples; each needs at least 2")
    segments = list(dataset.segments)
    if len(segments) < folds:
        edges = [k / folds for k in range(folds + 1)]
        return [(dataset.part(a, b), f"samples {a:.0%} to {b:.0%}") for a, b in pairwise(edges)]
    return [_segments(dataset, segments, group) for group in _balance([s.stop - s.start for s in segments], folds)]


def _balance(lengths: Sequence[int], folds: int) -> list[list[int]]:
    """Segments in groups of about equal length: the longest first, each to the group that has least."""
    groups: list[list[int]] = [[] for _ in range(folds)]
    totals = [0] * folds
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        least = min(range(folds), key=lambda g: (totals[g], g))
        groups[least].append(i)
        totals[least] += lengths[i]
    return [sorted(group) for group in groups]


def _segments(dataset: Dataset, segments: list[slice], group: list[int]) -> tuple[Dataset, str]:
    chosen = np.concatenate([np.arange(segments[i].start, segments[i].stop, dtype=np.intp) for i in group])
    lengths = [segments[i].stop - segments[i].start for i in group]
    starts = [0, *(int(edge) for edge in np.cumsum(lengths)[:-1])]
    name = f"segment{'s' if len(group) > 1 else ''} {', '.join(str(i + 1) for i in group)}"
    return dataset.take(chosen, starts=starts, step=name), name


def _refit(estimate: Estimate, problem: Problem) -> Estimate:
    summary = estimate.summary
    return fit(problem, noise=summary.noise, loss=loss_by_name(summary.loss), drop_above_percent=summary.drop_above_percent)
