"""The retrieval's part of a run folder: parameters.json for people, parameters.npz with every digit, starts/ to resume from.

parameters.json is written last and removed first, so that where it exists the arrays belong to it. Both remember which
estimate they were made from: after another identification in the same folder they no longer count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack, unpack
from dynident.core.arrays import Array
from dynident.core.files import read_text, write_atomically, write_together
from dynident.errors import FileError
from dynident.feasibility.result import LinkParameters, Range, RetrievalStatus, gap_in_words
from dynident.regression.base import BaseParameters
from dynident.robots.robot import Robot
from dynident.runs.estimate import ARRAYS as ESTIMATE_ARRAYS
from dynident.runs.parameters_document import parameters_document
from dynident.runs.problem import base_from_parts, base_parts

PARAMETERS, ARRAYS, STARTS = "parameters.json", "parameters.npz", "starts"
_SCHEMA = "dynident/parameter-arrays/1"


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredParameters:
    """Link parameters as a run folder keeps them: `LinkParameters` without the problem that they solved.

    x : (p,)                       Standard columns: links, then friction.
    objective, lower_bound         φ(x), and what it can't be below (-inf where unknown).
    gap_in_words                   Their difference as a share of the noise, or of the objective.
    solutions : (k, p)             The multi-start's distinct answers, the best first.
    ranges : tuple                 One per column of the links, or empty.
    """

    base: BaseParameters
    x: Array
    feasible: bool
    objective: float
    lower_bound: float
    status: RetrievalStatus
    gap_in_words: str
    solver: str
    solutions: Array
    ranges: tuple[Range, ...]
    notes: tuple[str, ...]

    @property
    def parameters(self) -> Array:
        """(n, 10) linear parameters in the named frames."""
        return self.base.columns.links(self.x)

    @property
    def friction_parameters(self) -> Array | None:
        """(n, k) parameters of the friction model, None without one."""
        return None if self.base.friction is None else self.base.columns.friction(self.x)

    @property
    def total_mass(self) -> float:
        return float(self.parameters[:, 0].sum())

    @cached_property
    def robot(self) -> Robot:
        """The robot with these parameters as its own."""
        return self.base.robot.with_parameters(self.parameters)


def write_parameters(folder: str | Path, result: LinkParameters, *, seed: int = 0) -> None:
    """Write parameters.npz and parameters.json into the run folder that the estimate is in."""
    run = Path(folder)
    content = json.dumps(parameters_document(result, seed=seed), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_together(run, {ARRAYS: _bytes(result, estimate_digest(run)), PARAMETERS: content}, last=PARAMETERS)


def read_parameters(folder: str | Path) -> StoredParameters:
    """The link parameters in a run folder, to the last digit; FileError where there are none, or where they are out of date."""
    run = Path(folder)
    remedy = f"make them with: dynident retrieve {run}"
    if not run.is_dir():
        raise FileError(run, "no such run folder; make it with: dynident identify ROBOT DATA -o RUN")
    for name in (PARAMETERS, ARRAYS):
        if not (run / name).is_file():
            raise FileError(run, f"has no {name}, so no link parameters have been retrieved in it; {remedy}")
    stored, digest = unpack(run / ARRAYS, _SCHEMA, _stored)
    if digest != estimate_digest(run):
        raise FileError(run / PARAMETERS, f"belongs to another estimate than the one in the folder; {remedy}")
    return stored


def estimate_digest(run: Path) -> str:
    """What tells one estimate from another; empty where there is none."""
    file = run / ESTIMATE_ARRAYS
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


@dataclass(frozen=True)
class StartStore:
    """Finished starts of a multi-start in a run folder, one small file each, so that a killed run can go on.

    key : str   Tells apart problems, solvers and seeds; starts of another key are not taken for this one's.
    """

    folder: Path
    key: str

    def finished(self) -> dict[int, dict[str, Any]]:
        """Results by start. A file that can't be understood (a kill can't leave one, but people can) counts as not there."""
        found: dict[int, dict[str, Any]] = {}
        for file in sorted((self.folder / STARTS).glob("start_*.json")):
            try:
                content = json.loads(read_text(file))
                if content["key"] == self.key:
                    found[int(content["start"])] = dict(content["result"])
            except (KeyError, TypeError, ValueError, FileError):
                continue
        return found

    def store(self, start: int, result: Mapping[str, Any]) -> None:
        target = self.folder / STARTS
        target.mkdir(exist_ok=True)
        content = {"key": self.key, "start": start, "result": dict(result)}
        write_atomically(target / f"start_{start + 1:04d}.json", json.dumps(content, allow_nan=False) + "\n")


def _bytes(result: LinkParameters, digest: str) -> bytes:
    arrays, description = base_parts(result.problem.base)
    arrays |= {
        "x": result.x,
        "solutions": np.array([item.x for item in result.solutions]).reshape(-1, len(result.x)),
        "ranges": np.array([[item.low, item.high] for item in result.ranges]).reshape(-1, 2),
    }
    description |= {
        "feasible": result.feasible,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "status": result.status.name,
        "gap_in_words": result.gap_in_words,
        "solver": result.solver,
        "determined_by": [item.determined_by for item in result.ranges],
        "notes": list(result.notes),
        "estimate": digest,
    }
    return pack(_SCHEMA, arrays, description)


def _stored(arrays: Arrays, description: dict[str, Any]) -> tuple[StoredParameters, str]:
    ranges = zip(arrays["ranges"].tolist(), description["determined_by"], strict=True)
    objective, bound = description["objective"], description["lower_bound"]
    status = RetrievalStatus[description.get("status", "FEASIBLE")]  # archives before there was one promise nothing
    stored = StoredParameters(
        base=base_from_parts(arrays, description),
        x=arrays["x"],
        feasible=description["feasible"],
        objective=objective,
        lower_bound=bound,
        status=status,
        gap_in_words=description.get("gap_in_words", gap_in_words(status, objective, bound, None)),
        solver=description["solver"],
        solutions=arrays["solutions"],
        ranges=tuple(Range(low=low, high=high, determined_by=kind) for (low, high), kind in ranges),
        notes=tuple(description["notes"]),
    )
    return stored, description["estimate"]
