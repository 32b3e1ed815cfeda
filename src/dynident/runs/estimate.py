"""A run folder: the files that an identification leaves for the steps after it, complete or not there.

estimate.json is written last and removed first, so that where it exists the other files belong to it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack, unpack
from dynident.core.files import json_text, write_together
from dynident.errors import FileError
from dynident.regression.estimate import Dropped, Estimate, EstimateStatus, Residuals
from dynident.regression.problem import Problem
from dynident.regression.summary import FitSummary
from dynident.robots.serialize import robot_to_dict
from dynident.runs.estimate_document import estimate_document
from dynident.runs.problem import base_from_parts, base_parts, load_problem, problem_bytes, provenance_from_parts, provenance_parts

ESTIMATE, ARRAYS, ROBOT, PROBLEM = "estimate.json", "estimate.npz", "robot.json", "problem.npz"
_SCHEMA = "dynident/estimate-arrays/1"


def write_estimate(
    folder: str | Path, estimate: Estimate, problem: Problem, *, seed: int = 0, provenance: Mapping[str, Any] | None = None
) -> None:
    """Write estimate.json, estimate.npz, robot.json and problem.npz; the folder is made if it is not there.

    provenance : what is known beside the data, such as the command that was run.
    """
    target = Path(folder)
    contents: dict[str, str | bytes] = {  # everything is made before anything is written
        ARRAYS: _estimate_bytes(estimate),
        PROBLEM: problem_bytes(problem),
        ROBOT: json_text(robot_to_dict(estimate.base.robot)),
        ESTIMATE: json_text(estimate_document(estimate, seed=seed, provenance=provenance)),
    }
    check_writable(target)
    write_together(target, contents, last=ESTIMATE)


def check_writable(folder: str | Path) -> None:
    """FileError unless the folder can be made or written to; to be asked before long work, not only after it."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise FileError(target, "is a file; name a folder for the results")
    existing = next((path for path in (target, *target.absolute().parents) if path.exists()), Path())
    if not existing.is_dir():
        raise FileError(target, f"can't be made, because {existing} is a file; name another folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise FileError(target, f"can't be written, because {existing} doesn't allow it; name another folder")


def read_estimate(folder: str | Path) -> Estimate:
    """The estimate in a run folder, as it was written."""
    return unpack(_stage(folder) / ARRAYS, _SCHEMA, _estimate)


def read_problem(folder: str | Path) -> Problem:
    """The problem behind a run folder's estimate."""
    return load_problem(_stage(folder) / PROBLEM)


def _stage(folder: str | Path) -> Path:
    """The folder, if identification has been done in it."""
    run = Path(folder)
    remedy = f"make it with: dynident identify ROBOT DATA -o {run}"
    if not run.exists():
        raise FileError(run, "no such run folder", remedy=remedy)
    if not run.is_dir():
        raise FileError(run, "is a file, not a run folder", remedy=remedy)
    for name in (ESTIMATE, ARRAYS, PROBLEM):
        if not (run / name).is_file():
            raise FileError(run, f"has no {name}, so nothing has been identified in it", remedy=remedy)
    return run


def _estimate_bytes(estimate: Estimate) -> bytes:
    arrays, description = base_parts(estimate.base)
    found = estimate.residuals
    arrays |= {
        "values": estimate.values,
        "covariance": estimate.covariance,
        "kept": estimate.kept,
        "singular_values": estimate.singular_values,
        "dropped_index": np.array([item.index for item in estimate.dropped], dtype=np.int64),
        "dropped_value": np.array([item.value for item in estimate.dropped]),
        "dropped_std": np.array([item.std for item in estimate.dropped]),
        "residual_counts": found.counts,
        "residual_squares": found.squares,
        "residual_totals": found.totals,
    }
    description |= {
        "dropped_reasons": [item.reason for item in estimate.dropped],
        "residual_names": list(found.names),
        "details": estimate.summary.to_dict(),
        "status": estimate.status.name,
        "provenance": provenance_parts(estimate.provenance),
        "notes": list(estimate.notes),
    }
    return pack(_SCHEMA, arrays, description)


def _estimate(arrays: Arrays, description: dict[str, Any]) -> Estimate:
    found = zip(
        arrays["dropped_index"].tolist(),
        arrays["dropped_value"].tolist(),
        arrays["dropped_std"].tolist(),
        description["dropped_reasons"],
        strict=True,
    )
    dropped = tuple(Dropped(*item) for item in found)
    status = description.get("status", EstimateStatus.of_dropped(dropped).name)  # archives before there was one know no more
    return Estimate(
        base=base_from_parts(arrays, description),
        values=arrays["values"],
        covariance=arrays["covariance"],
        kept=arrays["kept"],
        dropped=dropped,
        residuals=Residuals(
            names=tuple(description["residual_names"]),
            counts=arrays["residual_counts"],
            squares=arrays["residual_squares"],
            totals=arrays["residual_totals"],
        ),
        singular_values=arrays["singular_values"],
        summary=FitSummary.from_dict(description["details"]),
        status=EstimateStatus[status],
        provenance=provenance_from_parts(description),
        notes=tuple(description["notes"]),
    )
