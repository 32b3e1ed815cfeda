"""Two estimates of one robot beside each other, such as one from signed and one from unsigned torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.errors import InputError
from dynident.regression.estimate import Estimate

#: A coefficient is the same in both where it differs by at most this many standard deviations of the difference.
SAME = 2.0


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimateComparison:
    """The coefficients that both estimates kept.

    names : tuple of str       Of all coefficients of the two.
    both : (b,) bool           Which of them both estimates kept.
    difference : (b,)          Of the first from the second; zero where not both kept it.
    deviations : (b,)          The same in standard deviations of a difference between independent estimates.
    distance : float           ‖difference‖ over ‖second‖.
    """

    names: tuple[str, ...]
    both: BoolArray
    difference: Array
    deviations: Array
    distance: float

    @property
    def same(self) -> int:
        """How many coefficients don't differ by more than chance."""
        return int(np.sum(np.abs(self.deviations[self.both]) <= SAME))

    def __str__(self) -> str:
        return (
            f"{self.same} of {int(self.both.sum())} coefficients agree within {SAME:g} standard deviations; as vectors they differ by "
            f"{100.0 * self.distance:.2g} %"
        )


def compare(estimate: Estimate, other: Estimate) -> EstimateComparison:
    """Compare coefficient by coefficient; InputError where they are not coefficients of the same things."""
    mine, theirs = estimate.base, other.base
    if mine.expressions != theirs.expressions:
        raise InputError(
            f"{mine.robot.name!r} and {theirs.robot.name!r} have different coefficients, {mine.rank} and {theirs.rank}; "
            "compare estimates of one robot with one friction model"
        )
    both = estimate.kept & other.kept
    difference = np.where(both, estimate.values - other.values, 0.0)
    spread = np.sqrt(np.diag(estimate.covariance) + np.diag(other.covariance))
    deviations = np.divide(difference, spread, out=np.zeros_like(difference), where=both & (spread > 0.0))
    size = float(np.linalg.norm(other.values[both]))
    return EstimateComparison(
        names=mine.names,
        both=both,
        difference=difference,
        deviations=deviations,
        distance=float(np.linalg.norm(difference)) / max(size, np.finfo(float).tiny),
    )
