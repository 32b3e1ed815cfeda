"""Payloads: their ten numbers, what was declared beside them, and what both do to the joints, as tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.texts import as_sentence, short_number, value_text
from dynident.reports.figures import Figure, Values, categories, figure, grouped_bars, interval, numbers, points
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, estimated
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.routes.payload.quantities import NAMES, UNITS
from dynident.routes.payload.records import compare_declared, payload_efforts, payload_quantities
from dynident.routes.payload.result import PayloadEstimate, PayloadStatus

#: What a better answer could gain at most before it is worth a word, in squared standard deviations.
_NEGLIGIBLE = 1e-2
_BELOW = {"orientation": "h", "y": -0.15, "yanchor": "top", "x": 0}


def _headline(payload: PayloadEstimate) -> str:
    if payload.status is PayloadStatus.NONE:
        return f"none that shows, less than {payload.most:.2g} kg on {payload.link} of {payload.robot.name}"
    form = ".1f" if 1e3 * float(np.abs(payload.com).max()) >= 1.0 else ".2g"
    place = ", ".join(format(1e3 * float(value), form) for value in payload.com)
    return f"{value_text(payload.mass, payload.std[0])} kg at ({place}) mm on {payload.link} of {payload.robot.name}"


def _header(payload: PayloadEstimate) -> list[str]:
    evidence = payload.evidence
    (x, y, z), (roll, pitch, yaw) = (part + 0.0 for part in xyz_rpy_from_pose(payload.flange))  # + 0.0: a negative zero is a zero
    where = f"the flange frame is at ({x:.4g}, {y:.4g}, {z:.4g}) m, rpy ({roll:.4g}, {pitch:.4g}, {yaw:.4g}) rad, in that of {payload.link}"
    return [f"Payload: {payload.headline}", f"{evidence.source}, {evidence.samples} samples; the arm from {evidence.arm}; {where}"]


def _tables(payload: PayloadEstimate) -> Iterator[Table]:
    """The ten numbers, what was declared, and what the payload, and an error in what was declared of it, does to the joints."""
    nothing = payload.status is PayloadStatus.NONE
    numbers_of_the_body = (
        Column("name", "in the flange frame"),
        Column("value", "value ± std", estimated, of=lambda row: (row.value, row.std)),
        Column("interval", "95 % interval", _interval_text, of=lambda row: (row.low, row.high, row.std)),
        Column("unit"),
        Column("told", "told by the data", of=lambda row: row.told and not nothing, left=True),
    )
    yield Table("Payload", payload_quantities(payload), numbers_of_the_body, dimmed=lambda row: nothing or not row.told)
    declared = (
        Column("name", ""),
        Column("declared", form=".4g"),
        Column("identified", form=".4g"),
        Column("difference", form="+.3g"),
        Column("in_std", "in std. deviations", "+.1f"),
        Column("unit"),
    )
    if payload.declared is not None:
        yield Table("What was declared", compare_declared(payload), declared)
    effort = (
        Column("joint"),
        Column("rms", "of the payload, RMS", ".3g"),
        Column("largest", form=".3g"),
        Column("error_rms", "error of what was declared, RMS", ".3g"),
        Column("error_largest", "largest", ".3g"),
        Column("unit"),
    )
    table = Table("Effort along this log", payload_efforts(payload), effort)
    yield table if payload.declared is not None else table.without("error_rms", "error_largest")


def _interval_text(item: tuple[float, float, float]) -> str:
    """Both ends with as many digits as the value has; open where one is not known."""
    low, high, std = item
    return "open" if np.isinf(low) or np.isinf(high) else " to ".join(value_text(end, std).partition(" ")[0] for end in (low, high))


def _facts(payload: PayloadEstimate) -> Iterator[str]:
    evidence = payload.evidence
    yield as_sentence(payload.status.value)
    alone, together = (short_number(percent) for percent in (evidence.alone, evidence.together))
    yield f"Arm and payload leave {together} % of the effort, a fit to this log alone {alone} %."
    held = "fitted again, because it changes with temperature and load" if evidence.refit_friction else "held at that of the arm"
    yield f"Friction was {held}."
    short = "" if evidence.gap < _NEGLIGIBLE else f" by more than {evidence.gap:.2g} in squared standard deviations"
    yield f"The body can exist, and none that can is more probable{short}."


def _figures(payload: PayloadEstimate) -> Iterator[Figure]:
    """Mass, centre of mass and inertia each on an axis of its own, then the efforts."""
    yield _quantity_figure(payload, "Mass", slice(0, 1))
    yield _quantity_figure(payload, "Centre of mass", slice(1, 4))
    yield _quantity_figure(payload, "Inertia about the centre of mass", slice(4, 10))
    yield _effort_figure(payload)


def _quantity_figure(payload: PayloadEstimate, title: str, part: slice) -> Figure:
    names, unit, values = [name.rpartition(" ")[2] for name in NAMES[part]], UNITS[part][0], payload.values[part]
    low, high = np.where(np.isfinite(payload.intervals[part]), payload.intervals[part], values[:, None]).T
    data: list[dict[str, Any]] = []
    for identified, name, colour in ((True, "identified", "@predicted"), (False, "not told by the data", "@prior")):
        chosen = np.flatnonzero(payload.told[part] == identified)
        if len(chosen):
            ends = interval((high - values)[chosen], symmetric=False, arrayminus=numbers((values - low)[chosen]))
            data.append(points([names[k] for k in chosen], values[chosen], name, colour, error_y=ends, marker={"size": 8}))
    if payload.declared is not None and part.stop <= 4:
        stated = np.array([payload.declared.mass, *payload.declared.com])[part]
        data.append(points(names, stated, "declared", "@nominal", marker={"symbol": "diamond-open", "size": 11, "line": {"width": 2}}))
    legend: dict[str, Any] = {"showlegend": part.start == 0, "legend": _BELOW}
    return figure(title, data, categories(names), f"[{unit}]", title=f"{title} [{unit}]", height=300, beside=3, **legend)


def _effort_figure(payload: PayloadEstimate) -> Figure:
    """RMS effort of each joint for the payload, and the error of a controller that believes what was declared."""
    efforts = payload_efforts(payload)
    series: list[tuple[str, Values, str]] = [("of the payload", [item.rms for item in efforts], "@predicted")]
    if payload.declared is not None:
        series.append(("error of what was declared", [item.error_rms for item in efforts], "@nominal"))
    label, y = "Effort along the loaded log", f"RMS [{payload.robot.unit('effort')}]"
    return grouped_bars(label, payload.robot.joint_names, series, y, title=label, legend=_BELOW)


show(PayloadEstimate, headline=_headline, header=_header, tables=_tables, facts=_facts, figures=_figures)
