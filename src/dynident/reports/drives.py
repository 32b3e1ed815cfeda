"""Gains of drives as tables."""

from __future__ import annotations

from dynident.core.texts import short_number
from dynident.drives.result import DriveGains, GainStatus, Trust, scale_sentence
from dynident.reports import show
from dynident.reports.figures import Figure, figure, numbers, plain, points
from dynident.reports.tables import Column, Report, Table


def _percent_text(percent: float) -> str:
    return f"{short_number(percent)} %"


@show.headline.register(DriveGains)
def _(result: DriveGains) -> str:
    known = sum(trust is not Trust.OPEN for trust in result.trust)
    what = "gains" if result.status is GainStatus.ABSOLUTE else "ratios of gains"
    return f"{result.robot.name}, {what} of {known} of {len(result.gains)} joints"


@show.tables.register(DriveGains)
def _(result: DriveGains) -> Report:
    return Report(
        header=(f"{result.robot.name}: gains of the drives", *(f"From {log}." for log in result.logs)),
        tables=(_gain_table(result),),
        facts=(f"Scale: {scale_sentence(result)}.",),
        notes=result.notes,
    )


def _gain_table(result: DriveGains) -> Table:
    joints = result.robot.joints
    columns = {
        Column("joint"): result.robot.joint_names,
        Column("gain", form=".4g"): result.gains,
        Column("std", form=".2g"): result.std,
        Column("relative", form=_percent_text): 100.0 * result.relative_std,
        Column("unit"): [result.unit(joint.units.effort) for joint in joints],
        Column("trust"): [trust.value for trust in result.trust],
        Column("vendor", form=".4g"): [None] * len(joints) if result.vendor is None else [known.value for known in result.vendor],
        Column("left_percent", "left by the model", _percent_text): result.left_percent,
    }
    return Table.of_columns("Gains", columns, dimmed=lambda row: row["trust"] == Trust.OPEN.value)


@show.records.register(DriveGains)
def _(result: DriveGains) -> list[dict[str, object]]:
    """One row per joint: joint, gain, std, unit, trust."""
    return _gain_table(result).without("relative", "vendor").records()


@show.figures.register(DriveGains)
def _(result: DriveGains) -> tuple[Figure, ...]:
    """The gains with their 95 % intervals."""
    names = [plain(name) for name in result.robot.joint_names]
    intervals = {"type": "data", "array": numbers(1.96 * result.std)}
    gains = points(names, numbers(result.gains), "gain", "@predicted", error_y=intervals)
    return (figure("Gains of the drives", [gains], "joint", "gain"),)
