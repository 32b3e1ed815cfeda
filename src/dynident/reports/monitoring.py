"""Contact monitors and the contacts that they find as tables, figures and a page; contacts are stripes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.texts import as_sentence, count_text
from dynident.reports.blocks import Text, result_blocks
from dynident.reports.figures import LINES, Figure, figure, grouped_bars, join_clocks, line, stripe
from dynident.reports.page import Page, fill, render
from dynident.reports.show import show
from dynident.reports.tables import Column, Table
from dynident.validation.monitoring.contact_monitor import ContactMonitor
from dynident.validation.monitoring.contacts import Contacts
from dynident.validation.monitoring.documents import list_levels
from dynident.validation.monitoring.watched_model import LINKS, NOMINAL

#: Columns of pixels that a picture has at most: of each, the least and the largest value are drawn.
_COLUMNS = 1000


def _contacts_headline(result: Contacts) -> str:
    contacts = count_text(len(result.events), "contact") if result.events else "no contact"
    return f"{contacts} in {result.seconds:.4g} s of {result.monitor.model.robot.name}"


def _contacts_header(result: Contacts) -> list[str]:
    model = result.monitor.model
    name = {LINKS: "link parameters", NOMINAL: "nominal model"}.get(model.name, model.name)
    return [f"{model.robot.name}: {result.source or 'a log'}", f"{result.seconds:.4g} s watched with the {name}"]


def _contact_table(result: Contacts) -> Table | None:
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
    return Table("Contacts", result.events, columns) if result.events else None


def _contacts_sentence(result: Contacts) -> str:
    if not result.events:
        return "Nothing touched the robot, as far as the thresholds tell."
    count = "One contact was" if len(result.events) == 1 else f"{len(result.events)} contacts were"
    return (
        f"{count} found; the link is the farthest that shows it: the contact is there, or beyond with a force that no joint beyond feels."
    )


def _level_table(monitor: ContactMonitor) -> Table:
    """Thresholds per joint: in motion and at rest, and what they come from."""
    calibration, joints = monitor.calibration, monitor.model.robot.joints
    columns = {
        Column("joint"): [joint.name for joint in joints],
        Column("gain", "gain [1/s]", "g"): monitor.gain,
        Column("usual", "usual threshold in motion", ".3g"): monitor.usual_threshold,
        Column("rest", "at rest", ".3g"): monitor.usual_threshold + monitor.rest_allowance,
        Column("rms", "RMS of free residual", ".3g"): None if calibration is None else calibration.rms,
        Column("spread", "std by parameters", ".2g"): None if calibration is None else calibration.spread,
        Column("unit"): [joint.units.effort for joint in joints],
    }
    return Table.of_columns("Thresholds", columns)


def _monitor_facts(monitor: ContactMonitor) -> Iterator[str]:
    together = f", or the distance of all of them above {monitor.distance_level:.3g}," if np.isfinite(monitor.distance_level) else ""
    yield f"A contact is told when a residual stays above its threshold{together} for {1e3 * monitor.confirmation:g} ms."
    if (calibration := monitor.calibration) is not None:
        origin = f"The thresholds come from {calibration.seconds:.3g} s of {calibration.source or 'a log'}"
        yield f"{origin}: {calibration.false_alarms:g} false alarms per hour are expected in motion like that."


def _monitor_headline(monitor: ContactMonitor) -> str:
    robot = monitor.model.robot
    thresholds = ", ".join(f"{threshold:.2g}" for threshold in monitor.usual_threshold)
    return f"{robot.name}, {monitor.model.name}, thresholds {thresholds} {robot.unit('effort')}"


def _level_figure(monitor: ContactMonitor) -> Figure:
    """The thresholds of all joints, in motion and at rest."""
    levels = {"in motion": monitor.usual_threshold, "at rest": monitor.usual_threshold + monitor.rest_allowance}
    if monitor.calibration is not None:
        levels = {"RMS of free motion": monitor.calibration.rms, **levels}
    series = ((name, values, colour) for (name, values), colour in zip(levels.items(), LINES, strict=False))
    robot = monitor.model.robot
    return grouped_bars("Thresholds", robot.joint_names, series, f"threshold [{robot.unit('effort')}]")


def _contact_figures(result: Contacts) -> Iterator[Figure]:
    """The distance, where it is judged, and one per joint."""
    time, level = join_clocks(result.time, result.starts[1:], pause=0.5), result.monitor.distance_level
    if np.isfinite(level):
        data = [_residual(time, result.distance), _threshold(time[[0, -1]], np.array([level, level]))]
        yield _over_time(result, time, "Distance of all residuals together", data, "distance", "All joints together")
    for joint, residual, threshold in zip(result.monitor.model.robot.joints, result.residual.T, result.threshold.T, strict=True):
        data = [_residual(time, residual)]
        if np.all(np.isfinite(threshold)):
            rows = _extremes(threshold)
            data += [_threshold(time[rows], sign * threshold[rows]) for sign in (1.0, -1.0)]
        yield _over_time(result, time, f"Residual of {joint.name}", data, f"from outside [{joint.units.effort}]", joint.name)


def _residual(time: Array, values: Array) -> dict[str, Any]:
    rows = _extremes(values)
    return line(time[rows], values[rows], "residual", "@measured", meta="residual")


def _threshold(time: Array, values: Array) -> dict[str, Any]:
    return line(time, values, "threshold", "@predicted", meta="threshold", hoverinfo="skip", line={"width": 1.0, "dash": "dot"})


def _over_time(result: Contacts, time: Array, label: str, data: list[dict[str, Any]], y: str, title: str) -> Figure:
    """With the contacts as stripes; those that the joint felt most, which the title names, are darker."""
    stripes: list[dict[str, Any]] = []
    for event, row in zip(result.events, result.rows, strict=True):
        first = max(start for start in result.starts if start <= row)  # of its segment, which is elsewhere on the axis of the picture
        begin = event.time + time[first] - result.time[first]
        style = {"line": {"width": 1, "color": "@bad"}, "opacity": 0.35 if event.joint == title else 0.12}
        stripes.append(stripe(begin, begin + max(event.duration, 0.002), "@bad", **style))
    return figure(label, data, "time [s]", y, title=title, height=250, beside=2, shapes=stripes, showlegend=False)


def _extremes(values: Array) -> IntArray:
    """Rows that a picture needs: the least and the largest of each of its columns, in order."""
    if len(values) <= 2 * _COLUMNS:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), _COLUMNS + 1).astype(int)
    rows = [start + pick(values[start:stop]) for start, stop in pairwise(edges.tolist()) for pick in (np.argmin, np.argmax)]
    return np.unique(np.asarray(rows, dtype=np.int64))


show(
    ContactMonitor,
    headline=_monitor_headline,
    header=lambda monitor: [monitor.headline],
    tables=lambda monitor: [_level_table(monitor)],
    facts=_monitor_facts,
    records=list_levels,
    figures=lambda monitor: [_level_figure(monitor)],
)
show(
    Contacts,
    headline=_contacts_headline,
    header=_contacts_header,
    tables=lambda result: [_contact_table(result), _level_table(result.monitor)],
    facts=lambda result: [_contacts_sentence(result), *_monitor_facts(result.monitor)],
    records=lambda result: result.events,
    figures=_contact_figures,
)


def contacts_page(result: Contacts) -> Page:
    """What a monitor saw as one page, complete in itself: contacts, thresholds and where these come from, residuals."""
    blocks = result_blocks(result, Text(as_sentence(result.headline)), Text(_RESIDUALS))
    source = result.source or "a log"
    return render(result.monitor.model.robot.name, "contacts in a log", source, [fill("contacts", "Contacts", blocks)])


_RESIDUALS = (
    "The residual of a joint is the torque from outside, through a first-order filter. The distance says how far the residuals of all "
    "joints together are from what noise makes at that posture. Stripes are contacts; those in which a joint's own residual was the "
    "largest beside its threshold are darker there."
)
