"""Which loss a log needs where nobody said: least squares, or a robust one where some residuals are far beyond what noise makes."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.covariance import median_levels
from dynident.regression.uncertainty.losses import Huber, Loss, Squared

#: A residual beyond so many times 1.4826 times their median size is a gross error. Normal noise reaches 5. Model errors make more: up to
#: 17 in the recorded logs of a Panda and a KUKA LWR 4+, whole and in parts, and 24 in 24 virtual arms with breakaway friction that the
#: model lacks. What faulty samples leave that were not recognised makes 30 to 160.
GROSS = 30.0
#: No level is less than this share of the RMS effort: residuals of exact data are rounding, and some of it is far beyond the rest.
_LEAST = 1e-3
#: With fewer rows per coefficient the fit absorbs most residuals, and the others look large.
_ROWS = 5.0
#: Rows that weigh less than this are said to count less.
_LESS = 0.5


def choose_loss(problem: Problem, values: Array) -> tuple[Loss, tuple[str, ...]]:
    """Least squares, or Huber's loss and a note where the residuals of coefficients (b,) have gross errors.

    They are looked for in the rows of a log that were kept; there are none where nothing was filtered, and where they are too many.
    """
    if problem.base.equations != "torque" or problem.filtered_rows is None:
        return Squared(), ()
    levels = np.maximum(median_levels(problem, values), _LEAST * problem.group_rms)
    largest, loss = np.zeros(len(levels)), Huber()
    less = rows = 0
    for group, table in problem.row_tables():
        sizes = np.abs(table[-1] - values[problem.groups[group].columns] @ table[:-1]) / levels[group]
        largest[group] = max(largest[group], float(sizes.max()))
        less += int(np.count_nonzero(loss.weight(sizes) < _LESS))
        rows += len(sizes)
    enough = problem.counts >= _ROWS * np.array([len(group.columns) for group in problem.groups])
    gross = [
        f"{group.name} ({size:.0f} times)"
        for group, size, many in zip(problem.groups, largest, enough, strict=True)
        if many and size > GROSS
    ]
    if not gross:
        return Squared(), ()
    note = (
        f"some residuals are far beyond the median size of the others, as faulty samples make them: {', '.join(gross)}; so Huber's loss "
        f"was used in place of least squares, and {less} of {rows} equations count less than half; least squares can be asked for"
    )
    return loss, (note,)
