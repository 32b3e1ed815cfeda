"""How different the torques of several parameter sets are along a motion: what the data leave open, in the units of the joints.

Torques are linear in the parameters, so the compressed rows of a motion tell RMS differences exactly: with Y = Q R, the RMS of
Y (x - x') over the N samples is ‖R (x - x')‖ / √N, and the motion itself is not needed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array
from dynident.core.texts import short_number
from dynident.regression.problem import Problem

if TYPE_CHECKING:
    from dynident.validation.result import Validation


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueSpread:
    """Torques of parameter sets along the motion of a validation.

    effort : (n,)          RMS of the measured effort [N·m | N].
    rms : (n,)             RMS difference from the mean of the sets, over the motion and over the sets.
    largest : (n,)         That of the set which differs most.
    error : (n,) or None   RMS error of the retrieved links on the same motion.
    """

    joints: tuple[str, ...]
    units: tuple[str, ...]
    effort: Array
    rms: Array
    largest: Array
    error: Array | None

    @property
    def percent(self) -> Array:
        """(n,) the RMS difference as a share of the RMS effort."""
        return 100.0 * self.rms / self.effort

    @property
    def sentence(self) -> str:
        """What the spread is for, beside what the links leave."""
        what = "samples stand for parameters that the data leave open, and not for what the model lacks"
        if self.error is None:
            return f"The {what}: vary friction, delays and noise beside them."
        spread, error = (100.0 * float(np.linalg.norm(deviation) / np.linalg.norm(self.effort)) for deviation in (self.rms, self.error))
        numbers = f"their torques differ by {short_number(spread)} %, and those of the links are wrong by {short_number(error)} %"
        return f"The {what}: {numbers}; vary friction, delays and noise beside them."

    def by_joint(self) -> dict[str, float]:
        """The same share by the joints' names."""
        return dict(zip(self.joints, self.percent.tolist(), strict=True))


def sensitivity_of(problem: Problem) -> tuple[Array, ...]:
    """Per joint (r, p) rows S with ‖S (x - x')‖ the RMS difference of the torques of two parameter sets."""
    parts = zip(problem.groups, problem.factors, problem.counts, strict=True)
    return tuple(factor[:, :-1] @ problem.base.grouping[group.columns] / np.sqrt(max(float(count), 1.0)) for group, factor, count in parts)


def torque_spread(validation: Validation, x: Array) -> TorqueSpread | None:
    """Of parameter sets x (count, p) along the motion of a validation; None where that doesn't say how torques depend on them."""
    if not validation.sensitivity or any(rows.shape[1] != x.shape[1] for rows in validation.sensitivity):
        return None
    apart = x - x.mean(axis=0)
    squares = np.array([np.sum((apart @ rows.T) ** 2, axis=1) for rows in validation.sensitivity])
    fitted, links = validation.coefficients, validation.links
    with np.errstate(divide="ignore", invalid="ignore"):
        effort = 100.0 * fitted.rms / fitted.relative_percent
    return TorqueSpread(
        joints=validation.joints,
        units=tuple(item.unit for item in validation.series),
        effort=effort,
        rms=np.sqrt(squares.mean(axis=1)),
        largest=np.sqrt(squares.max(axis=1)),
        error=None if links is None else links.rms,
    )
