"""How different the torques of several parameter sets are along a motion: what the data leave open, in the units of the joints.

Torques are linear in the parameters, so the compressed rows of a motion tell RMS differences exactly: with Y = Q R, the RMS of
Y (x - x') over the N samples is ‖R (x - x')‖ / √N, and the motion itself is not needed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure, axis, numbers, plain
from dynident.core.results import Row, Table
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

    def by_joint(self) -> dict[str, float]:
        """The same share by the joints' names."""
        return dict(zip(self.joints, self.percent.tolist(), strict=True))

    def table(self) -> Table:
        rows: list[Row] = []
        for j, joint in enumerate(self.joints):
            values = (self.effort[j], self.rms[j], self.percent[j], 100.0 * self.largest[j] / self.effort[j])
            error = () if self.error is None else (f"{100.0 * self.error[j] / self.effort[j]:.3g}",)
            rows.append(Row((joint, self.units[j], *(f"{value:.3g}" for value in values), *error)))
        headings = ("joint", "unit", "RMS torque", "spread", "spread [%]", "farthest sample [%]")
        beside = () if self.error is None else ("error of the links [%]",)
        return Table(title="Torques of the samples", headings=(*headings, *beside), rows=tuple(rows), left=frozenset({0, 1}))

    def figure(self) -> Figure:
        """Per joint the spread beside the error of the links, as shares of the RMS torque."""
        joints = [plain(joint) for joint in self.joints]
        bars = [("spread of the samples", self.percent, "@cloud")]
        if self.error is not None:
            bars.append(("error of the links", 100.0 * self.error / self.effort, "@links"))
        data = [{"type": "bar", "x": joints, "y": numbers(y), "name": name, "marker": {"color": colour}} for name, y, colour in bars]
        layout = {"barmode": "group", "yaxis": axis("share of the RMS torque [%]", rangemode="tozero"), "xaxis": axis("")}
        return Figure(label="Spread of the torques", data=data, layout=layout, height=300)


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
