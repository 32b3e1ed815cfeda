"""Problems as files: NPZ with the arrays, exact to the last bit, and one JSON text with everything else; no pickle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.arrays import Array
from dynident.core.files import write_atomically
from dynident.data.provenance import Provenance
from dynident.friction.registry import friction_from_dict, friction_to_dict
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import problem_columns
from dynident.regression.equations.rows import RowGroup
from dynident.regression.problem import ControllerCoefficients, Problem
from dynident.regression.summary import Processing
from dynident.robots.serialize import robot_from_dict, robot_to_dict
from dynident.runs.declared import read_archive
from dynident.runs.stages import PROBLEM_SCHEMA

_CONTROLLER = ("combinations", "values", "covariance")


def save_problem(problem: Problem, path: str | Path) -> None:
    """Write a problem; the file carries its robot and friction model and stands alone."""
    write_atomically(path, problem_bytes(problem))


def load_problem(path: str | Path) -> Problem:
    """The problem in a file. Fits are the same, standard deviations and robust losses included. `rows` are empty, so that where rows
    were not filtered, or too many to be kept, what needs them again is refused."""
    return read_archive(Path(path), PROBLEM_SCHEMA, _problem)


def problem_bytes(problem: Problem) -> bytes:
    arrays, description = base_parts(problem.base)
    arrays |= {"counts": problem.counts} | ({} if problem.reached is None else {"reached": problem.reached})
    told = problem.controller
    arrays |= {} if told is None else {f"controller_{name}": getattr(told, name) for name in _CONTROLLER}
    filtered = problem.filtered_rows
    for g, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        arrays[f"factor_{g}"] = factor
        arrays[f"columns_{g}"] = group.columns
        arrays |= {f"rows_{g}_{s}": table for s, table in enumerate(filtered[g] if filtered else ())}
    description |= {
        "filtered": None if filtered is None else [len(tables) for tables in filtered],
        "groups": [{"name": group.name, "unit": group.unit, "rounding": group.rounding} for group in problem.groups],
        "samples": problem.samples,
        "controller": None if told is None else told.samples,
        "preprocessing": problem.processing.to_dict(),
        "source": problem.source,
        "provenance": provenance_parts(problem.provenance),
        "notes": list(problem.notes),
    }
    return pack(PROBLEM_SCHEMA, arrays, description)


def _problem(arrays: Arrays, description: dict[str, Any]) -> Problem:
    groups = [
        RowGroup(name=group["name"], unit=group["unit"], columns=arrays[f"columns_{g}"], rounding=group.get("rounding", 0.0))
        for g, group in enumerate(description["groups"])
    ]
    segments: list[int] | None = description.get("filtered")
    return Problem(
        base=base_from_parts(arrays, description),
        groups=tuple(groups),
        factors=tuple(arrays[f"factor_{g}"] for g in range(len(groups))),
        counts=arrays["counts"],
        samples=description["samples"],
        processing=Processing.from_dict(description["preprocessing"]),
        source=description["source"],
        filtered=None if segments is None else tuple(tuple(arrays[f"rows_{g}_{s}"] for s in range(k)) for g, k in enumerate(segments)),
        provenance=provenance_from_parts(description),
        reached=_reached(arrays),
        notes=tuple(description["notes"]),
        controller=_controller(arrays, description.get("controller")),
    )


def _controller(arrays: Arrays, samples: int | None) -> ControllerCoefficients | None:
    """None also in files of older versions."""
    return (
        None if samples is None else ControllerCoefficients(samples=samples, **{name: arrays[f"controller_{name}"] for name in _CONTROLLER})
    )


def _reached(arrays: Arrays) -> Array | None:
    """Of older files, which have the largest speed of each joint in either direction, that for both."""
    older = arrays.get("speeds")
    return arrays.get("reached") if older is None else np.column_stack([older, older])


def provenance_parts(provenance: Provenance | None) -> dict[str, Any] | None:
    return None if provenance is None else provenance.to_dict()


def provenance_from_parts(description: Mapping[str, Any]) -> Provenance | None:
    """Of the data that a file is about; None in files of older versions."""
    content = description.get("provenance")
    return None if content is None else Provenance.from_dict(content)


def base_parts(base: BaseParameters) -> tuple[Arrays, dict[str, Any]]:
    """Base parameters as arrays and a description; nothing needs to be computed again when they are read."""
    columns = base.columns
    description = {
        "robot": robot_to_dict(base.robot),
        "friction": None if base.friction is None else friction_to_dict(base.friction),
        "equations": base.equations,
        "columns": {"names": columns.names, "units": columns.units, "rigid": len(columns.of_links), "friction": len(columns.of_friction)},
        "known": dict(base.known),
    }
    return {"independent": base.independent, "grouping": base.grouping}, description


def base_from_parts(arrays: Arrays, description: Mapping[str, Any]) -> BaseParameters:
    robot, columns = robot_from_dict(description["robot"]), description["columns"]
    friction = None if description["friction"] is None else friction_from_dict(description["friction"])
    return BaseParameters(
        robot=robot,
        friction=friction,
        equations=description["equations"],
        columns=problem_columns(robot, friction, columns["names"][columns["rigid"] + columns["friction"] :]),
        independent=arrays["independent"],
        grouping=arrays["grouping"],
        known=description["known"],
    )
