"""The payload's part of a run folder: payload.json for people and programs, payload.npz with every digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none
from dynident.parameters import link_inertia
from dynident.payload.result import Declared, PayloadEstimate, PayloadEvidence
from dynident.payload.tables import declared_records, effort_records, payload_records
from dynident.robots.serialize import robot_from_dict, robot_to_dict
from dynident.runs.stages import Absent, Stage, open_stage, present, write_stage

_ARRAYS = ("flange", "parameters", "covariance", "told", "regressor")


def write_payload(folder: str | Path, payload: PayloadEstimate, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write payload.npz and payload.json into the run folder that the estimate of the arm is in.

    provenance : what is known beside the data, such as the command that was run.
    """
    run, stage = Path(folder), Stage.PAYLOAD
    arrays: Arrays = {name: getattr(payload, name) for name in _ARRAYS}
    description = {
        "robot": robot_to_dict(payload.robot),
        "link": payload.link,
        "quantile": payload.quantile,
        "evidence": asdict(payload.evidence),
        "declared": None if payload.declared is None else asdict(payload.declared),
        "notes": list(payload.notes),
        "estimate": Stage.ESTIMATE.digest(run),
    }
    content = pack(stage.value.arrays_schema, arrays, description)
    document = payload_document(payload, provenance=provenance)
    return write_stage(run, stage, document, {stage.value.arrays: content}, made_from=(Stage.ESTIMATE,))


def read_payload(folder: str | Path) -> PayloadEstimate:
    """The payload in a run folder; FileError where there is none, or where it is out of date."""
    return present(find_payload(folder))


def find_payload(folder: str | Path) -> PayloadEstimate | Absent:
    """The payload in a run folder, or why there is none that counts."""
    return open_stage(folder, Stage.PAYLOAD, _payload)


def payload_document(payload: PayloadEstimate, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON: what is known first, then its evidence; open ends of intervals are null."""
    body, evidence = link_inertia(payload.parameters), asdict(payload.evidence)
    return {
        "schema": Stage.PAYLOAD.value.schema,
        "robot": payload.robot.name,
        "source": payload.evidence.source,
        "status": payload.status.name.lower(),
        "sentence": payload.status.value,
        "link": payload.link,
        "flange": payload.flange.tolist(),
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.elements,
        "parameters": payload.parameters.tolist(),
        "quantities": payload_records(payload),
        "declared": declared_records(payload),
        "efforts": effort_records(payload),
        "evidence": evidence | {"blur": finite_or_none(payload.evidence.blur), "gap": finite_or_none(payload.evidence.gap)},
        "notes": list(payload.notes),
        "versions": Stage.PAYLOAD.versions,
        "provenance": dict(provenance or {}),
    }


def _payload(arrays: Arrays, description: dict[str, Any]) -> tuple[PayloadEstimate, str]:
    """The payload, and the digest of the estimate that it was made with."""
    evidence, declared = dict(description["evidence"]), description["declared"]
    mass = evidence.pop("mass")
    numbers: dict[str, Any] = {name: np.asarray(arrays[name], dtype=float) for name in _ARRAYS if name != "told"}
    found = PayloadEstimate(
        robot=robot_from_dict(description["robot"]),
        link=description["link"],
        **numbers,
        told=np.asarray(arrays["told"], dtype=bool),
        quantile=description["quantile"],
        evidence=PayloadEvidence(**evidence, mass=None if mass is None else (mass[0], mass[1])),
        declared=None if declared is None else Declared(mass=declared["mass"], com=tuple(declared["com"])),
        notes=tuple(description["notes"]),
    )
    return found, description["estimate"]
