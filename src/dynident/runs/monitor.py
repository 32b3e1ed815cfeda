"""The monitor's part of a run folder: monitor.json for people and programs, monitor.npz with every digit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none
from dynident.monitoring.contact_monitor import Calibration, ContactMonitor
from dynident.monitoring.residual_noise import ResidualNoise
from dynident.monitoring.tables import level_records
from dynident.monitoring.watched_model import COEFFICIENTS, WatchedModel
from dynident.runs.estimate import read_estimate
from dynident.runs.parameters import read_parameters
from dynident.runs.stages import Absent, Stage, of_other_links, open_stage, present, write_stage
from dynident.validation.models import as_torque_model

_ARRAYS = ("gain", "level", "blur")
_OF_NOISE = {"velocity_noise": "velocity", "effort_noise": "effort"}
_OF_CALIBRATION = ("source", "seconds", "false_alarms", "contacts_possible")


def write_monitor(folder: str | Path, monitor: ContactMonitor, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write monitor.npz and monitor.json into the run folder whose model is watched with.

    provenance : what is known beside the data, such as the command that was run.
    """
    run, stage, known = Path(folder), Stage.MONITOR, monitor.calibration
    arrays: Arrays = {name: getattr(monitor, name) for name in _ARRAYS}
    arrays |= {name: getattr(monitor.noise, of) for name, of in _OF_NOISE.items()}
    arrays["distance_level"] = np.asarray(monitor.distance_level)
    if known is not None:
        arrays |= {"rms": known.rms, "spread": known.spread}
    description = {
        "model": monitor.model.name,
        "confirmation": monitor.confirmation,
        "calibration": None if known is None else {name: getattr(known, name) for name in _OF_CALIBRATION},
        "notes": list(monitor.notes),
        "estimate": Stage.ESTIMATE.digest(run),
        "parameters": "" if monitor.model.name == COEFFICIENTS else Stage.PARAMETERS.digest(run),
    }
    content = pack(stage.value.arrays_schema, arrays, description)
    document = monitor_document(monitor, provenance=provenance)
    return write_stage(run, stage, document, {stage.value.arrays: content}, made_from=(Stage.ESTIMATE, Stage.PARAMETERS))


def read_monitor(folder: str | Path) -> ContactMonitor:
    """The monitor in a run folder; FileError where there is none, or where it is out of date."""
    return present(find_monitor(folder))


def find_monitor(folder: str | Path) -> ContactMonitor | Absent:
    """The monitor in a run folder with the model that is there, or why there is none that counts."""
    run = Path(folder)
    found = open_stage(run, Stage.MONITOR, _parts)
    if isinstance(found, Absent):
        return found
    model, parameters, settings = found
    links = model != COEFFICIENTS
    if links and parameters != Stage.PARAMETERS.digest(run):
        return of_other_links(run, Stage.MONITOR)
    retrieved = read_parameters(run) if links else None
    return ContactMonitor(model=WatchedModel.of(as_torque_model(read_estimate(run), retrieved), retrieved), **settings)


def monitor_document(monitor: ContactMonitor, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON; a level that is infinite is null."""
    known = monitor.calibration
    return {
        "schema": Stage.MONITOR.value.schema,
        "robot": monitor.model.robot.name,
        "model": monitor.model.name,
        "confirmation": monitor.confirmation,
        "distance_level": finite_or_none(monitor.distance_level),
        "joints": level_records(monitor),
        "calibration": None if known is None else {name: getattr(known, name) for name in _OF_CALIBRATION},
        "notes": list(monitor.notes),
        "versions": Stage.MONITOR.versions,
        "provenance": dict(provenance or {}),
    }


def _parts(arrays: Arrays, description: dict[str, Any]) -> tuple[tuple[str, str, dict[str, Any]], str]:
    """What is watched with, the digest of its link parameters, and the settings; and the digest of the estimate."""
    numbers: dict[str, Any] = {name: np.asarray(arrays[name], dtype=float) for name in _ARRAYS}
    noise = ResidualNoise(**{of: np.asarray(arrays[name], dtype=float) for name, of in _OF_NOISE.items()})
    numbers |= {"noise": noise, "distance_level": float(np.asarray(arrays["distance_level"], dtype=float))}
    told = description["calibration"]
    levels: dict[str, Any] = {name: np.asarray(arrays[name], dtype=float) for name in ("rms", "spread") if told is not None}
    calibration = None if told is None else Calibration(**levels, **{name: told[name] for name in _OF_CALIBRATION})
    settings = {**numbers, "confirmation": description["confirmation"], "calibration": calibration, "notes": tuple(description["notes"])}
    return (description["model"], description["parameters"], settings), description["estimate"]
