"""Payloads: their ten numbers, what was declared beside them, and what both do to the joints, as tables and figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.texts import short_number, value_text
from dynident.payload.quantities import NAMES, UNITS
from dynident.payload.records import declared_records, effort_records, payload_records
from dynident.payload.result import PayloadEstimate, PayloadStatus
from dynident.reports import show
from dynident.reports.figures import Figure, bars, figure, numbers, plain, points
from dynident.reports.tables import Column, Report, Table, estimated
from dynident.robots.kinematics import xyz_rpy_from_pose

#: What a better answer could gain at most before it is worth a word, in squared standard deviations.
NEGLIGIBLE = 1e-2
_BELOW = {"orientation": "h", "y": -0.15, "yanchor": "top", "x": 0}


@show.headline.register(PayloadEstimate)
def _(payload: PayloadEstimate) -> str:
    if payload.status is PayloadStatus.NONE:
        return f"none that shows, less than {payload.most:.2g} kg on {payload.link} of {payload.robot.name}"
    form = ".1f" if 1e3 * float(np.abs(payload.com).max()) >= 1.0 else ".2g"
    place = ", ".join(format(1e3 * float(value), form) for value in payload.com)
    return f"{payload.mass:.4g} ± {payload.std[0]:.2g} kg at ({place}) mm on {payload.link} of {payload.robot.name}"


@show.tables.register(PayloadEstimate)
def _(payload: PayloadEstimate) -> Report:
    """All of it, the ten numbers first."""
    tables = [_payload_table(payload), *([_declared_table(payload)] if payload.declared is not None else []), _effort_table(payload)]
    evidence = payload.evidence
    (x, y, z), (roll, pitch, yaw) = (part + 0.0 for part in xyz_rpy_from_pose(payload.flange))  # + 0.0: a negative zero is a zero
    where = f"the flange frame is at ({x:.4g}, {y:.4g}, {z:.4g}) m, rpy ({roll:.4g}, {pitch:.4g}, {yaw:.4g}) rad, in that of {payload.link}"
    return Report(
        header=(f"Payload: {payload.headline}", f"{evidence.source}, {evidence.samples} samples; the arm from {evidence.arm}; {where}"),
        tables=tuple(tables),
        facts=_facts(payload),
        notes=payload.notes,
    )


show.records.register(PayloadEstimate, payload_records)


def _payload_table(payload: PayloadEstimate) -> Table:
    nothing = payload.status is PayloadStatus.NONE
    columns = (
        Column("name", "in the flange frame"),
        Column("value", "value ± std", estimated, of=lambda row: (row["value"], row["std"])),
        Column("interval", "95 % interval", _interval_text, of=lambda row: (row["low"], row["high"], row["std"])),
        Column("unit"),
        Column("told", "told by the data", of=lambda row: row["told"] and not nothing, left=True),
    )
    return Table("Payload", tuple(payload_records(payload)), columns, dimmed=lambda row: nothing or not row["told"])


def _interval_text(item: tuple[float | None, float | None, float]) -> str:
    """Both ends with as many digits as the value has; open where one is not known."""
    low, high, std = item
    return "open" if low is None or high is None else " to ".join(value_text(end, std).partition(" ")[0] for end in (low, high))


def _declared_table(payload: PayloadEstimate) -> Table:
    columns = (
        Column("name", ""),
        Column("declared", form=".4g"),
        Column("identified", form=".4g"),
        Column("difference", form="+.3g"),
        Column("in_std", "in std. deviations", "+.1f"),
        Column("unit"),
    )
    return Table("What was declared", tuple(declared_records(payload)), columns)


def _effort_table(payload: PayloadEstimate) -> Table:
    """What the payload, and an error in what was declared of it, does to the joints."""
    errors = (Column("error_rms", "error of what was declared, RMS", ".3g"), Column("error_largest", "largest", ".3g"))
    columns = (
        Column("joint"),
        Column("rms", "of the payload, RMS", ".3g"),
        Column("largest", form=".3g"),
        *(() if payload.declared is None else errors),
        Column("unit"),
    )
    return Table("Effort along this log", tuple(effort_records(payload)), columns)


def _facts(payload: PayloadEstimate) -> tuple[str, ...]:
    evidence, verdict = payload.evidence, payload.status.value
    alone, together = (short_number(percent) for percent in (evidence.alone, evidence.together))
    held = "fitted again, because it changes with temperature and load" if evidence.refit_friction else "held at that of the arm"
    short = "" if evidence.gap < NEGLIGIBLE else f" by more than {evidence.gap:.2g} in squared standard deviations"
    return (
        f"{verdict[0].upper()}{verdict[1:]}.",
        f"Arm and payload leave {together} % of the effort, a fit to this log alone {alone} %.",
        f"Friction was {held}.",
        f"The body can exist, and none that can is more probable{short}.",
    )


@show.figures.register(PayloadEstimate)
def payload_figures(payload: PayloadEstimate) -> tuple[Figure, ...]:
    """Mass, centre of mass and inertia each on an axis of its own, then the efforts."""
    parts = (("Mass", slice(0, 1)), ("Centre of mass", slice(1, 4)), ("Inertia about the centre of mass", slice(4, 10)))
    return (*(_quantity_figure(payload, title, part) for title, part in parts), effort_figure(payload))


def _quantity_figure(payload: PayloadEstimate, title: str, part: slice) -> Figure:
    names, unit, values = [plain(name.rpartition(" ")[2]) for name in NAMES[part]], UNITS[part][0], payload.values[part]
    low, high = np.where(np.isfinite(payload.intervals[part]), payload.intervals[part], values[:, None]).T
    data: list[dict[str, Any]] = []
    for told, name, colour in ((True, "identified", "@predicted"), (False, "not told by the data", "@prior")):
        chosen = [k for k in range(len(names)) if bool(payload.told[part][k]) is told]
        if not chosen:
            continue
        ends = {"array": numbers((high - values)[chosen]), "arrayminus": numbers((values - low)[chosen])}
        intervals = {"type": "data", "symmetric": False, **ends}
        x = [names[k] for k in chosen]
        data.append(points(x, numbers(values[chosen]), name, colour, error_y=intervals, marker={"size": 8}))
    if payload.declared is not None and part.stop <= 4:
        stated = np.array([payload.declared.mass, *payload.declared.com])[part]
        data.append(
            points(names, numbers(stated), "declared", "@nominal", marker={"symbol": "diamond-open", "size": 11, "line": {"width": 2}})
        )
    order = {"type": "category", "categoryorder": "array", "categoryarray": names}
    legend: dict[str, Any] = {"showlegend": part.start == 0, "legend": _BELOW}
    return figure(title, data, order, f"[{unit}]", title=f"{title} [{unit}]", height=300, small=True, beside=3, **legend)


def effort_figure(payload: PayloadEstimate) -> Figure:
    """RMS effort of each joint for the payload, and the error of a controller that believes what was declared."""
    records = effort_records(payload)
    joints = [plain(item["joint"]) for item in records]
    data = [bars(joints, numbers([item["rms"] for item in records]), "of the payload", "@predicted")]
    if payload.declared is not None:
        data.append(bars(joints, numbers([item["error_rms"] for item in records]), "error of what was declared", "@nominal"))
    label, y = "Effort along the loaded log", f"RMS [{payload.robot.unit('effort')}]"
    return figure(label, data, {"type": "category"}, y, title=label, barmode="group", legend=_BELOW)
