"""A monitor and its contacts as tables: what the terminal, `print` and the page show."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table
from dynident.monitoring.contact_monitor import ContactMonitor
from dynident.monitoring.contacts import Contacts
from dynident.monitoring.watched_model import LINKS, NOMINAL


def contacts_report(found: Contacts) -> Report:
    robot = found.monitor.model.robot
    tables = (*((contact_table(found),) if found.events else ()), level_table(found.monitor))
    return Report(
        header=(f"{robot.name}: {found.source or 'a log'}", f"{found.seconds:.4g} s watched with the {_model_text(found.monitor)}"),
        tables=tables,
        facts=(f"{_sentence(found)}.", *monitor_facts(found.monitor)),
        notes=found.notes,
    )


def monitor_report(monitor: ContactMonitor) -> Report:
    return Report(header=(monitor.headline,), tables=(level_table(monitor),), facts=monitor_facts(monitor), notes=monitor.notes)


def contact_table(found: Contacts) -> Table:
    rows = tuple(
        Row(
            (f"{e.time:.3f}", e.joint, e.link, f"{e.residual:+.3g}", f"{e.threshold:.3g}", e.unit, f"{e.distance:.3g}", f"{e.duration:.3f}")
        )
        for e in found.events
    )
    headings = ("time [s]", "joint", "link", "residual", "threshold", "unit", "distance", "duration [s]")
    return Table(title="Contacts", headings=headings, rows=rows, left=frozenset({1, 2, 5}))


def level_table(monitor: ContactMonitor) -> Table:
    """Thresholds per joint: in motion and at rest, and what they come from."""
    known, usual = monitor.calibration, monitor.usual_threshold
    rest = usual + monitor.rest_allowance
    rows: list[Row] = []
    for j, joint in enumerate(monitor.model.robot.joints):
        cells = [joint.name, f"{monitor.gain[j]:g}", f"{usual[j]:.3g}", f"{rest[j]:.3g}"]
        cells += ["–", "–"] if known is None else [f"{known.rms[j]:.3g}", f"{known.spread[j]:.2g}"]
        rows.append(Row((*cells, joint.units.effort)))
    headings = ("joint", "gain [1/s]", "usual threshold in motion", "at rest", "RMS of free residual", "std by parameters", "unit")
    return Table(title="Thresholds", headings=headings, rows=tuple(rows), left=frozenset({0, 6}))


def monitor_facts(monitor: ContactMonitor) -> tuple[str, ...]:
    known = monitor.calibration
    together = f", or the distance of all of them above {monitor.distance_level:.3g}," if np.isfinite(monitor.distance_level) else ""
    told = f"A contact is told when a residual stays above its threshold{together} for {1e3 * monitor.confirmation:g} ms."
    if known is None:
        return (told,)
    origin = f"The thresholds come from {known.seconds:.3g} s of {known.source or 'a log'}"
    return (told, f"{origin}: {known.false_alarms:g} false alarms per hour are expected in motion like that.")


def contact_records(found: Contacts) -> list[dict[str, Any]]:
    return [asdict(event) for event in found.events]


def contacts_document(found: Contacts) -> dict[str, Any]:
    """Standard JSON: the contacts, and the thresholds that they were found with."""
    known = found.monitor.calibration
    return {
        "robot": found.monitor.model.robot.name,
        "source": found.source,
        "model": found.monitor.model.name,
        "seconds": found.seconds,
        "contacts": contact_records(found),
        "confirmation": found.monitor.confirmation,
        "distance_level": finite_or_none(found.monitor.distance_level),
        "joints": level_records(found.monitor),
        "false_alarms_per_hour": None if known is None else known.false_alarms,
        "thresholds_from": None if known is None else known.source,
        "notes": list(found.notes),
    }


def level_records(monitor: ContactMonitor) -> list[dict[str, Any]]:
    usual, rest = monitor.usual_threshold, monitor.rest_allowance
    return [
        {
            "joint": joint.name,
            "gain": float(monitor.gain[j]),
            "level": finite_or_none(float(monitor.level[j])),
            "threshold": finite_or_none(float(usual[j])),
            "rest_allowance": float(rest[j]),
            "velocity_noise": float(monitor.noise.velocity[j]),
            "effort_noise": float(monitor.noise.effort[j]),
            "blur": float(monitor.blur[j]),
            "unit": joint.units.effort,
        }
        for j, joint in enumerate(monitor.model.robot.joints)
    ]


def _sentence(found: Contacts) -> str:
    if not found.events:
        return "Nothing touched the robot, as far as the thresholds tell"
    count = "One contact was" if len(found.events) == 1 else f"{len(found.events)} contacts were"
    return f"{count} found; the link is the farthest that shows it: the contact is there, or beyond with a force that no joint beyond feels"


def _model_text(monitor: ContactMonitor) -> str:
    return {LINKS: "link parameters", NOMINAL: "nominal model"}.get(monitor.model.name, monitor.model.name)
