"""Gains of drives as tables."""

from __future__ import annotations

from dynident.core.texts import percent_text
from dynident.reports.figures import Figure, figure, interval, points
from dynident.reports.show import show
from dynident.reports.tables import Column, Table
from dynident.routes.drives.document import GainsDocument
from dynident.routes.drives.result import DriveGains, GainStatus, Trust, scale_sentence


def _headline(result: DriveGains) -> str:
    known = sum(trust is not Trust.OPEN for trust in result.trust)
    what = "gains" if result.status is GainStatus.ABSOLUTE else "ratios of gains"
    return f"{result.robot.name}, {what} of {known} of {len(result.gains)} joints"


def _gain_table(result: DriveGains) -> Table:
    joints = result.robot.joints
    columns = {
        Column("joint"): result.robot.joint_names,
        Column("gain", form=".4g"): result.gains,
        Column("std", form=".2g"): result.std,
        Column("relative", form=percent_text): 100.0 * result.relative_std,
        Column("unit"): [result.unit(joint.units.effort) for joint in joints],
        Column("trust"): [trust.value for trust in result.trust],
        Column("vendor", form=".4g"): None if result.vendor is None else [known.value for known in result.vendor],
        Column("left_percent", "left by the model", percent_text): result.left_percent,
    }
    return Table.of_columns("Gains", columns, dimmed=lambda row: row["trust"] == Trust.OPEN.value)


def _gain_figure(result: DriveGains) -> Figure:
    """The gains with their 95 % intervals."""
    gains = points(result.robot.joint_names, result.gains, "gain", "@predicted", error_y=interval(1.96 * result.std))
    return figure("Gains of the drives", [gains], "joint", "gain")


show(
    DriveGains,
    headline=_headline,
    header=lambda result: [f"{result.robot.name}: gains of the drives", *(f"From {log}." for log in result.logs)],
    tables=lambda result: [_gain_table(result)],
    facts=lambda result: [f"Scale: {scale_sentence(result)}."],
    records=lambda result: GainsDocument.of(result).gains,
    figures=lambda result: [_gain_figure(result)],
)
