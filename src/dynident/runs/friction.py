"""Refitted friction's part of a run folder: friction.json for people and programs, friction.npz with every digit.

The estimate of such a folder has the new friction and the links of another run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from dynident.core.archives import Arrays, pack
from dynident.regression.estimate import Estimate
from dynident.regression.friction.change import JointChange, ParameterChange
from dynident.regression.friction.refit import FrictionRefit
from dynident.runs.estimate import read_estimate
from dynident.runs.stages import Absent, Stage, open_stage, present, write_stage

_CURVES = ("speeds", "before", "after", "std")
_REST = ("joint", "unit", "speed_unit", "chance", "changed", "error_before", "error_after")


def write_friction(folder: str | Path, refit: FrictionRefit, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write friction.npz and friction.json into the run folder that the estimate with the new friction is in."""
    run, stage = Path(folder), Stage.FRICTION
    arrays: Arrays = {
        f"{name}_{j}": values for j, change in enumerate(refit.changes) for name in _CURVES if (values := getattr(change, name)) is not None
    }
    description = {
        "links_source": refit.links_source,
        "uncompared": refit.uncompared,
        "changes": [
            {**{name: getattr(change, name) for name in _REST}, "parameters": [asdict(item) for item in change.parameters]}
            for change in refit.changes
        ],
        "estimate": Stage.ESTIMATE.digest(run),
    }
    content = pack(stage.value.arrays_schema, arrays, description)
    document = friction_document(refit, provenance=provenance)
    return write_stage(run, stage, document, {stage.value.arrays: content}, made_from=(Stage.ESTIMATE,))


def read_friction(folder: str | Path) -> FrictionRefit:
    """The refitted friction in a run folder; FileError where there is none, or where it is out of date."""
    return present(find_friction(folder))


def find_friction(folder: str | Path, estimate: Estimate | None = None) -> FrictionRefit | Absent:
    """The refitted friction in a run folder, or why there is none that counts. estimate : that of the folder, where it has been read."""

    def make(arrays: Arrays, description: dict[str, Any]) -> tuple[dict[str, Any], str]:
        told = {name: description[name] for name in ("links_source", "uncompared")}
        return {**told, "changes": tuple(_changes(arrays, description))}, description["estimate"]

    found = open_stage(folder, Stage.FRICTION, make)
    if isinstance(found, Absent):
        return found
    return FrictionRefit(estimate=estimate or read_estimate(folder), **found)


def friction_document(refit: FrictionRefit, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON: what has changed, joint by joint, and the parameters before and now."""
    parameters = [[asdict(item) for item in change.parameters] for change in refit.changes]
    return {
        "schema": Stage.FRICTION.value.schema,
        "robot": refit.estimate.base.robot.name,
        "source": refit.estimate.summary.source,
        "links_source": refit.links_source,
        "sentence": refit.sentence,
        "compared": not refit.uncompared,
        "changed": list(refit.changed),
        "joints": [{**record, "parameters": own} for record, own in zip(refit.records(), parameters, strict=True)],
        "notes": list(refit.estimate.notes),
        "versions": Stage.FRICTION.versions,
        "provenance": dict(provenance or {}),
    }


def _changes(arrays: Arrays, description: Mapping[str, Any]) -> list[JointChange]:
    found: list[JointChange] = []
    for j, item in enumerate(description["changes"]):
        parameters = tuple(ParameterChange(**row) for row in item["parameters"])
        curves = {name: arrays.get(f"{name}_{j}") for name in _CURVES}
        found.append(JointChange(**cast("dict[str, Any]", {**item, **curves, "parameters": parameters})))
    return found
