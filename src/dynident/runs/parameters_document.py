"""The content of a run folder's parameters.json: the links, how sure they are, and what certifies them."""

from __future__ import annotations

import math
import platform
from importlib import metadata
from typing import Any

from dynident.feasibility.result import LinkParameters, Range, Solution
from dynident.parameters import INERTIA_NAMES

SCHEMA = "dynident/parameters/1"
#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))
_PACKAGES = ("dynident", "numpy", "scipy", "clarabel")


def parameters_document(result: LinkParameters, *, seed: int = 0) -> dict[str, Any]:
    """Standard JSON; an end of a range that nothing bounds, and a lower bound that is not known, are null."""
    base = result.base
    return {
        "schema": SCHEMA,
        "robot": base.robot.name,
        "links": [_link(result, i) for i in range(base.robot.n)],
        "friction": _friction(result),
        "total_mass": result.total_mass,
        "feasible": result.feasible,
        "status": result.status.value,
        "objective": result.objective,
        "objective_name": result.objective_name,
        "lower_bound": _finite(result.lower_bound),
        "gap": _finite(result.gap),
        "gap_in_words": result.gap_in_words,
        "solver": result.solver,
        "solutions": [_solution(result, item) for item in result.solutions],
        "violations": [{"name": item.name, "amount": _finite(item.amount), "unit": item.unit} for item in result.violations],
        "notes": list(result.notes),
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES},
        "seed": seed,
    }


def _link(result: LinkParameters, index: int) -> dict[str, Any]:
    link = result.base.robot.links[index]
    body, own = result.com_and_inertia(index), result.link_ranges(index)
    return {
        "name": link.name,
        "frame": link.frame,
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.elements,
        "margin": float(result.margins[index]),
        "range": {name: _ends(item) for name, item in zip(PARAMETER_NAMES, own, strict=False)},
        "bounds": _bounds(result, index),
        "determined_by": {name: item.determined_by for name, item in zip(PARAMETER_NAMES, own, strict=False)},
    }


def _bounds(result: LinkParameters, index: int) -> dict[str, list[float | None]]:
    """The bounds that were asked for on a link's mass and first moments, by name."""
    own = zip(PARAMETER_NAMES, result.base.columns.of_link(index), strict=True)
    return {name: list(result.bounds[place]) for name, place in own if place in result.bounds}


def _ends(item: Range) -> list[float | None]:
    return [_finite(item.low), _finite(item.high)]


def _friction(result: LinkParameters) -> list[dict[str, Any]]:
    base, values = result.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    names = base.friction.parameter_names
    return [
        {"joint": joint, "model": base.friction.name, "parameters": dict(zip(names, own.tolist(), strict=True))}
        for joint, own in zip(base.robot.joint_names, values, strict=True)
    ]


def _solution(result: LinkParameters, item: Solution) -> dict[str, Any]:
    return {
        "start": item.start,
        "objective": item.objective,
        "with_prior": item.merit,
        "feasible": item.feasible,
        "masses": result.base.columns.links(item.x)[:, 0].tolist(),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
