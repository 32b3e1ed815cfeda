"""A monitor and its contacts as plain values and as a document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dynident.core.files import finite_or_none
from dynident.monitoring.contact_monitor import ContactMonitor
from dynident.monitoring.contacts import Contacts


def contacts_document(found: Contacts) -> dict[str, Any]:
    """Standard JSON: the contacts, and the thresholds that they were found with."""
    known = found.monitor.calibration
    return {
        "robot": found.monitor.model.robot.name,
        "source": found.source,
        "model": found.monitor.model.name,
        "seconds": found.seconds,
        "contacts": [asdict(event) for event in found.events],
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
