"""Contact monitors and the contacts that they find as tables and figures, contacts as stripes."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.monitoring.contact_monitor import ContactMonitor
from dynident.monitoring.contacts import Contacts
from dynident.monitoring.documents import level_records
from dynident.monitoring.watched_model import LINKS, NOMINAL
from dynident.reports import show
from dynident.reports.figures import LINES, Figure, bars, figure, join_clocks, line, numbers, plain
from dynident.reports.tables import Column, Report, Table

#: Columns of pixels that a picture has at most: of each, the least and the largest value are drawn.
_COLUMNS = 1000


@show.headline.register(Contacts)
def _(found: Contacts) -> str:
    count = len(found.events)
    contacts = "no contact" if count == 0 else "1 contact" if count == 1 else f"{count} contacts"
    return f"{contacts} in {found.seconds:.4g} s of {found.monitor.model.robot.name}"


@show.tables.register(Contacts)
def _(found: Contacts) -> Report:
    name = found.monitor.model.name
    model = {LINKS: "link parameters", NOMINAL: "nominal model"}.get(name, name)
    return Report(
        header=(
            f"{found.monitor.model.robot.name}: {found.source or 'a log'}",
            f"{found.seconds:.4g} s watched with the {model}",
        ),
        tables=(*((contact_table(found),) if found.events else ()), level_table(found.monitor)),
        facts=(f"{contacts_sentence(found)}.", *monitor_facts(found.monitor)),
        notes=found.notes,
    )


@show.records.register(Contacts)
def _(found: Contacts) -> list[dict[str, Any]]:
    """One row per contact."""
    return [asdict(event) for event in found.events]


def contact_table(found: Contacts) -> Table:
    columns = (
        Column("time", "time [s]", ".3f"),
        Column("joint"),
        Column("link"),
        Column("residual", form="+.3g"),
        Column("threshold", form=".3g"),
        Column("unit"),
        Column("distance", form=".3g"),
        Column("duration", "duration [s]", ".3f"),
    )
    return Table("Contacts", found.events, columns)


def contacts_sentence(found: Contacts) -> str:
    if not found.events:
        return "Nothing touched the robot, as far as the thresholds tell"
    count = "One contact was" if len(found.events) == 1 else f"{len(found.events)} contacts were"
    return f"{count} found; the link is the farthest that shows it: the contact is there, or beyond with a force that no joint beyond feels"


@show.headline.register(ContactMonitor)
def _(monitor: ContactMonitor) -> str:
    robot = monitor.model.robot
    thresholds = ", ".join(f"{threshold:.2g}" for threshold in monitor.usual_threshold)
    return f"{robot.name}, {monitor.model.name}, thresholds {thresholds} {robot.unit('effort')}"


@show.tables.register(ContactMonitor)
def _(monitor: ContactMonitor) -> Report:
    return Report(header=(monitor.headline,), tables=(level_table(monitor),), facts=monitor_facts(monitor), notes=monitor.notes)


show.records.register(ContactMonitor, level_records)


@show.figures.register(ContactMonitor)
def _(monitor: ContactMonitor) -> tuple[Figure, ...]:
    """The thresholds of all joints, in motion and at rest."""
    return (level_figure(monitor),)


def level_table(monitor: ContactMonitor) -> Table:
    """Thresholds per joint: in motion and at rest, and what they come from."""
    known, joints = monitor.calibration, monitor.model.robot.joints
    columns = {
        Column("joint"): [joint.name for joint in joints],
        Column("gain", "gain [1/s]", "g"): monitor.gain,
        Column("usual", "usual threshold in motion", ".3g"): monitor.usual_threshold,
        Column("rest", "at rest", ".3g"): monitor.usual_threshold + monitor.rest_allowance,
        Column("rms", "RMS of free residual", ".3g"): [None] * len(joints) if known is None else known.rms,
        Column("spread", "std by parameters", ".2g"): [None] * len(joints) if known is None else known.spread,
        Column("unit"): [joint.units.effort for joint in joints],
    }
    return Table.of_columns("Thresholds", columns)


def monitor_facts(monitor: ContactMonitor) -> tuple[str, ...]:
    known = monitor.calibration
    together = f", or the distance of all of them above {monitor.distance_level:.3g}," if np.isfinite(monitor.distance_level) else ""
    rule = f"A contact is told when a residual stays above its threshold{together} for {1e3 * monitor.confirmation:g} ms."
    if known is None:
        return (rule,)
    origin = f"The thresholds come from {known.seconds:.3g} s of {known.source or 'a log'}"
    return (rule, f"{origin}: {known.false_alarms:g} false alarms per hour are expected in motion like that.")


@show.figures.register(Contacts)
def contact_figures(found: Contacts) -> tuple[Figure, ...]:
    """The distance, where it is judged, and one per joint."""
    time = join_clocks(found.time, found.starts[1:], pause=0.5)
    together = (_distance_figure(found, time),) if np.isfinite(found.monitor.distance_level) else ()
    return (*together, *(_joint_figure(found, time, j) for j in range(found.residual.shape[1])))


def level_figure(monitor: ContactMonitor) -> Figure:
    """Bars, a group per joint."""
    joints = [plain(name) for name in monitor.model.robot.joint_names]
    levels = {"in motion": monitor.usual_threshold, "at rest": monitor.usual_threshold + monitor.rest_allowance}
    if monitor.calibration is not None:
        levels = {"RMS of free motion": monitor.calibration.rms, **levels}
    data = [bars(joints, numbers(values), name, LINES[k]) for k, (name, values) in enumerate(levels.items())]
    return figure("Thresholds", data, {"type": "category"}, f"threshold [{monitor.model.robot.unit('effort')}]", barmode="group")


def _joint_figure(found: Contacts, time: Array, j: int) -> Figure:
    joint = found.monitor.model.robot.joints[j]
    residual, threshold = found.residual[:, j], found.threshold[:, j]
    rows = _extremes(residual)
    data = [line(numbers(time[rows]), numbers(residual[rows]), "residual", "@measured", meta="residual")]
    if np.all(np.isfinite(threshold)):
        rows = _extremes(threshold)
        data += [_threshold(time[rows], sign * threshold[rows]) for sign in (1.0, -1.0)]
    y, stripes = f"from outside [{joint.units.effort}]", _stripes(found, time, joint.name)
    return _small(f"Residual of {joint.name}", data, y, joint.name, stripes)


def _distance_figure(found: Contacts, time: Array) -> Figure:
    rows, level = _extremes(found.distance), found.monitor.distance_level
    data = [
        line(numbers(time[rows]), numbers(found.distance[rows]), "distance", "@measured", meta="residual"),
        _threshold(time[[0, -1]], np.array([level, level])),
    ]
    return _small("Distance of all residuals together", data, "distance", "All joints together", _stripes(found, time, ""))


def _threshold(time: Array, values: Array) -> dict[str, Any]:
    style = {"width": 1.0, "dash": "dot"}
    return line(numbers(time), numbers(values), "threshold", "@predicted", meta="threshold", hoverinfo="skip", line=style)


def _small(label: str, data: list[dict[str, Any]], y: str, title: str, stripes: list[dict[str, Any]]) -> Figure:
    return figure(label, data, "time [s]", y, title=title, height=250, small=True, shapes=stripes, showlegend=False)


def _stripes(found: Contacts, time: Array, joint: str) -> list[dict[str, Any]]:
    """The contacts; those that a joint felt most are darker."""
    shift = dict(zip(found.starts, (time[start] - found.time[start] for start in found.starts), strict=True))
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "y domain",
            "x0": start,
            "x1": start + max(event.duration, 0.002),
            "y0": 0.0,
            "y1": 1.0,
            "line": {"width": 1, "color": "@bad"},
            "fillcolor": "@bad",
            "opacity": 0.35 if event.joint == joint else 0.12,
        }
        for event, start in _event_times(found, shift)
    ]


def _event_times(found: Contacts, shift: dict[int, float]) -> list[tuple[Any, float]]:
    """Each contact with its beginning on the axis of the picture."""
    placed: list[tuple[Any, float]] = []
    for event, row in zip(found.events, found.rows, strict=True):
        start = max(start for start in found.starts if start <= row)
        placed.append((event, event.time + shift[start]))
    return placed


def _extremes(values: Array) -> IntArray:
    """Rows that a picture needs: the least and the largest of each of its columns, in order."""
    if len(values) <= 2 * _COLUMNS:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), _COLUMNS + 1).astype(int)
    found = [start + pick(values[start:stop]) for start, stop in pairwise(edges.tolist()) for pick in (np.argmin, np.argmax)]
    return np.unique(np.asarray(found, dtype=np.int64))
