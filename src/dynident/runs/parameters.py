"""The retrieval's part of a run folder: parameters.json for people, parameters.npz with every digit, starts/ to resume from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none, make_folder, place_below, read_text, write_atomically
from dynident.errors import FileError
from dynident.feasibility.constraints.terms import Violation
from dynident.feasibility.result import LinkParameters, Range, RetrievalStatus, Solution
from dynident.parameters import INERTIA_NAMES
from dynident.runs.problem import base_from_parts, base_parts
from dynident.runs.retrieval import retrieval_from_parts, retrieval_parts
from dynident.runs.stages import STARTS, Absent, Stage, open_stage, present, write_stage

#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))


def write_parameters(folder: str | Path, result: LinkParameters, *, seed: int = 0, held: Path | None = None) -> dict[str, Any]:
    """Write parameters.npz and parameters.json into the run folder that the estimate is in. held : the run whose gravity was held."""
    run, stage = Path(folder), Stage.PARAMETERS
    arrays = _bytes(result, Stage.ESTIMATE.digest(run))
    document = parameters_document(result, seed=seed)
    if held is not None:
        digests = {stage.name.lower(): stage.digest(held) or None for stage in (Stage.ESTIMATE, Stage.PARAMETERS)}
        document["held_gravity"] = {"run": str(held), **digests}
    return write_stage(run, stage, document, {stage.value.arrays: arrays}, made_from=(Stage.ESTIMATE,))


def read_parameters(folder: str | Path) -> LinkParameters:
    """The link parameters in a run folder, as they were written; FileError where there are none, or where they are out of date."""
    return present(find_parameters(folder))


def find_parameters(folder: str | Path) -> LinkParameters | Absent:
    """The link parameters in a run folder, or why there are none that count."""
    return open_stage(folder, Stage.PARAMETERS, _parameters)


@dataclass(frozen=True)
class StartStore:
    """Finished starts of a multi-start in a run folder, one small file each, so that a killed run can go on.

    key : str     Tells apart problems, solvers and seeds; starts of another key are not taken for this one's.
    label : str   How the files are called; the steps of a method have one each.
    """

    folder: Path
    key: str
    label: str = "start"

    def finished(self) -> dict[int, dict[str, Any]]:
        """Results by start. A file that can't be understood (a kill can't leave one, but people can) counts as not there."""
        found: dict[int, dict[str, Any]] = {}
        for file in sorted((self.folder / STARTS).glob(f"{self.label}_*.json")):
            try:
                content = json.loads(read_text(file))
                if content["key"] == self.key:
                    found[int(content["start"])] = dict(content["result"])
            except (KeyError, TypeError, ValueError, FileError):
                continue
        return found

    def store(self, start: int, result: Mapping[str, Any]) -> None:
        target = place_below(self.folder, STARTS)
        make_folder(target)
        content = {"key": self.key, "start": start, "result": dict(result)}
        write_atomically(target / f"{self.label}_{start + 1:04d}.json", json.dumps(content, allow_nan=False) + "\n")


def parameters_document(result: LinkParameters, *, seed: int = 0) -> dict[str, Any]:
    """Standard JSON; an end of a range that nothing bounds, and a lower bound that is not known, are null."""
    base = result.base
    return {
        "schema": Stage.PARAMETERS.value.schema,
        "robot": base.robot.name,
        "links": [_link(result, i) for i in range(base.robot.n)],
        "friction": _friction(result),
        "total_mass": result.total_mass,
        "feasible": result.feasible,
        "status": result.status.value,
        "objective": result.objective,
        "objective_name": result.objective_name,
        "lower_bound": finite_or_none(result.lower_bound),
        "gap": finite_or_none(result.gap),
        "gap_in_words": result.gap_in_words,
        "objective_scale": result.scale,
        "training": None if result.training is None else dict(zip(("coefficients_percent", "links_percent"), result.training, strict=True)),
        "branches": [{"rule": rule, "branch": branch} for rule, branch in result.branches],
        "solver": result.solver,
        "method": result.method or None,
        "solutions": [_solution(result, item) for item in result.solutions],
        "violations": [{"name": item.name, "amount": finite_or_none(item.amount), "unit": item.unit} for item in result.violations],
        "notes": list(result.notes),
        "versions": Stage.PARAMETERS.versions,
        "seed": seed,
    }


def _link(result: LinkParameters, index: int) -> dict[str, Any]:
    link = result.base.robot.links[index]
    body, ranges = result.com_and_inertia(index), result.link_ranges(index)
    return {
        "name": link.name,
        "frame": link.frame,
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.elements,
        "margin": float(result.margins[index]),
        "range": {name: [finite_or_none(item.low), finite_or_none(item.high)] for name, item in zip(PARAMETER_NAMES, ranges, strict=False)},
        "bounds": _bounds(result, index),
        "determined_by": {name: item.determined_by for name, item in zip(PARAMETER_NAMES, ranges, strict=False)},
    }


def _bounds(result: LinkParameters, index: int) -> dict[str, list[float | None]]:
    """The bounds that were asked for on a link's mass and first moments, by name."""
    places = zip(PARAMETER_NAMES, result.base.columns.of_link(index), strict=True)
    return {name: list(result.bounds[place]) for name, place in places if place in result.bounds}


def _friction(result: LinkParameters) -> list[dict[str, Any]]:
    base, values = result.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    return [
        {"joint": joint, "model": base.friction.of_joint(j).name, "parameters": base.friction.values_of(j, row)}
        for j, (joint, row) in enumerate(zip(base.robot.joint_names, values, strict=True))
    ]


def _solution(result: LinkParameters, item: Solution) -> dict[str, Any]:
    return {
        "start": item.start,
        "objective": item.objective,
        "with_prior": item.merit,
        "feasible": item.feasible,
        "masses": result.base.columns.links(item.x)[:, 0].tolist(),
    }


def _bytes(result: LinkParameters, digest: str) -> bytes:
    arrays, description = base_parts(result.base)
    arrays |= {
        "x": result.x,
        "solutions": np.array([item.x for item in result.solutions]).reshape(-1, len(result.x)),
        "ranges": np.array([[item.low, item.high] for item in result.ranges]).reshape(-1, 2),
    }
    arrays |= {} if result.reached is None else {"reached": result.reached}
    stored, retrieval = retrieval_parts(result.problem)
    arrays |= stored
    description |= {
        "retrieval": retrieval,
        "feasible": result.feasible,
        "objective": result.objective,
        "objective_name": result.objective_name,
        "noise": result.noise,
        "scale": result.scale,
        "lower_bound": result.lower_bound,
        "training": result.training,
        "status": result.status.name,
        "violations": [vars(item) for item in result.violations],
        "solver": result.solver,
        "method": result.method,
        "branches": [list(pair) for pair in result.branches],
        "found": [{"start": s.start, "objective": s.objective, "merit": s.merit, "feasible": s.feasible} for s in result.solutions],
        "determined_by": [item.determined_by for item in result.ranges],
        "bounds": [[column, *ends] for column, ends in result.bounds.items()],
        "notes": list(result.notes),
        "estimate": digest,
    }
    return pack(Stage.PARAMETERS.value.arrays_schema, arrays, description)


def _parameters(arrays: Arrays, description: dict[str, Any]) -> tuple[LinkParameters, str]:
    """The parameters, and the digest of the estimate that they were made from. Files of older versions say less."""
    ranges = zip(arrays["ranges"].tolist(), description["determined_by"], strict=True)
    x, objective = arrays["x"], description["objective"]
    unknown = {"start": 0, "objective": objective, "merit": objective, "feasible": description["feasible"]}
    found: list[dict[str, Any]] = description.get("found", [unknown] * len(arrays["solutions"]))
    broken = [] if description["feasible"] else [{"name": "a constraint of the retrieval", "amount": np.inf, "unit": ""}]
    base = base_from_parts(arrays, description)
    result = LinkParameters(
        base=base,
        x=x,
        status=RetrievalStatus[description.get("status", "FEASIBLE")],
        objective=objective,
        objective_name=description.get("objective_name", "objective"),
        noise=description.get("noise"),
        scale=description.get("scale", 0.0),
        lower_bound=description["lower_bound"],
        training=tuple(description["training"]) if description.get("training") else None,
        violations=tuple(Violation(**item) for item in description.get("violations", broken)),
        solver=description["solver"],
        solutions=tuple(Solution(x=row, **item) for row, item in zip(arrays["solutions"], found, strict=True)),
        ranges=tuple(Range(low=low, high=high, determined_by=kind) for (low, high), kind in ranges),
        bounds={column: (low, high) for column, low, high in description.get("bounds", [])},
        method=description.get("method", ""),
        branches=tuple((rule, branch) for rule, branch in description.get("branches", [])),
        notes=tuple(description["notes"]),
        reached=arrays.get("reached"),
        problem=retrieval_from_parts(base, arrays, description.get("retrieval")),
    )
    return result, description["estimate"]
