"""The retrieval's part of a run folder: parameters.json for people, parameters.npz with every digit, starts/ to resume from.

parameters.json is written last and removed first, so that where it exists the arrays belong to it. Both remember which
estimate they were made from: after another identification in the same folder they no longer count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack, unpack
from dynident.core.files import json_text, read_text, write_atomically, write_together
from dynident.errors import FileError
from dynident.feasibility.constraints.terms import Violation
from dynident.feasibility.result import LinkParameters, Range, RetrievalStatus, Solution
from dynident.runs.estimate import ARRAYS as ESTIMATE_ARRAYS
from dynident.runs.parameters_document import parameters_document
from dynident.runs.problem import base_from_parts, base_parts

PARAMETERS, ARRAYS, STARTS = "parameters.json", "parameters.npz", "starts"
_SCHEMA = "dynident/parameter-arrays/1"


def write_parameters(folder: str | Path, result: LinkParameters, *, seed: int = 0) -> None:
    """Write parameters.npz and parameters.json into the run folder that the estimate is in."""
    run = Path(folder)
    content = json_text(parameters_document(result, seed=seed))
    write_together(run, {ARRAYS: _bytes(result, estimate_digest(run)), PARAMETERS: content}, last=PARAMETERS)


def read_parameters(folder: str | Path) -> LinkParameters:
    """The link parameters in a run folder, as they were written; FileError where there are none, or where they are out of date."""
    run = Path(folder)
    remedy = f"make them with: dynident retrieve {run}"
    if not run.is_dir():
        raise FileError(run, "no such run folder; make it with: dynident identify ROBOT DATA -o RUN")
    for name in (PARAMETERS, ARRAYS):
        if not (run / name).is_file():
            raise FileError(run, f"has no {name}, so no link parameters have been retrieved in it", remedy=remedy)
    stored, digest = unpack(run / ARRAYS, _SCHEMA, _parameters)
    if digest != estimate_digest(run):
        raise FileError(run / PARAMETERS, "belongs to another estimate than the one in the folder", remedy=remedy)
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
    arrays, description = base_parts(result.base)
    arrays |= {
        "x": result.x,
        "solutions": np.array([item.x for item in result.solutions]).reshape(-1, len(result.x)),
        "ranges": np.array([[item.low, item.high] for item in result.ranges]).reshape(-1, 2),
    }
    description |= {
        "feasible": result.feasible,
        "objective": result.objective,
        "objective_name": result.objective_name,
        "noise": result.noise,
        "lower_bound": result.lower_bound,
        "status": result.status.name,
        "violations": [vars(item) for item in result.violations],
        "solver": result.solver,
        "found": [{"start": s.start, "objective": s.objective, "merit": s.merit, "feasible": s.feasible} for s in result.solutions],
        "determined_by": [item.determined_by for item in result.ranges],
        "bounds": [[column, *ends] for column, ends in result.bounds.items()],
        "notes": list(result.notes),
        "estimate": digest,
    }
    return pack(_SCHEMA, arrays, description)


def _parameters(arrays: Arrays, description: dict[str, Any]) -> tuple[LinkParameters, str]:
    """The parameters, and the digest of the estimate that they were made from. Files of older versions say less."""
    ranges = zip(arrays["ranges"].tolist(), description["determined_by"], strict=True)
    x, objective = arrays["x"], description["objective"]
    unknown = {"start": 0, "objective": objective, "merit": objective, "feasible": description["feasible"]}
    found: list[dict[str, Any]] = description.get("found", [unknown] * len(arrays["solutions"]))
    broken = [] if description["feasible"] else [{"name": "a constraint of the retrieval", "amount": np.inf, "unit": ""}]
    result = LinkParameters(
        base=base_from_parts(arrays, description),
        x=x,
        status=RetrievalStatus[description.get("status", "FEASIBLE")],
        objective=objective,
        objective_name=description.get("objective_name", "objective"),
        noise=description.get("noise"),
        lower_bound=description["lower_bound"],
        violations=tuple(Violation(**item) for item in description.get("violations", broken)),
        solver=description["solver"],
        solutions=tuple(Solution(x=row, **item) for row, item in zip(arrays["solutions"], found, strict=True)),
        ranges=tuple(Range(low=low, high=high, determined_by=kind) for (low, high), kind in ranges),
        bounds={column: (low, high) for column, low, high in description.get("bounds", [])},
        notes=tuple(description["notes"]),
    )
    return result, description["estimate"]
