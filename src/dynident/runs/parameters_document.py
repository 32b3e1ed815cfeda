"""The content of a run folder's parameters.json: the links, how sure they are, and what certifies them."""

from __future__ import annotations

import math
import platform
from importlib import metadata
from typing import Any

from dynident.feasibility.result import LinkParameters, Range
from dynident.parameters import INERTIA_ELEMENTS, INERTIA_NAMES

SCHEMA = "dynident/parameters/1"
#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))
_PACKAGES = ("dynident", "numpy", "scipy", "clarabel")


def parameters_document(result: LinkParameters, *, seed: int = 0) -> dict[str, Any]:
    """Standard JSON; an end of a range that nothing bounds, and a lower bound that is not known, are null."""
    base = result.problem.base
    return {
        "schema": SCHEMA,
        "robot": base.robot.name,
        "links": [_link(result, i) for i in range(base.robot.n)],
        "friction": _friction(result),
        "total_mass": result.total_mass,
        "feasible": result.feasible,
        "status": result.status.value,
        "objective": result.objective,
        "objective_name": result.problem.objective.name,
        "lower_bound": _finite(result.lower_bound),
        "gap": _finite(result.gap),
        "gap_in_words": result.gap_in_words,
        "solver": result.solver,
        "solutions": [_solution(result, number) for number in range(len(result.solutions))],
        "violations": [{"name": item.name, "amount": _finite(item.amount), "unit": item.unit} for item in result.violations],
        "notes": list(result.notes),
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES},
        "seed": seed,
    }


def _link(result: LinkParameters, index: int) -> dict[str, Any]:
    link = result.problem.base.robot.links[index]
    mass, com, inertia = result.com_and_inertia(index)
    own = result.ranges[10 * index : 10 * index + 10]
    return {
        "name": link.name,
        "frame": link.frame,
        "mass": mass,
        "com": com.tolist(),
        "inertia": {name: float(inertia[place]) for name, place in zip(INERTIA_NAMES, INERTIA_ELEMENTS, strict=True)},
        "margin": float(result.margins[index]),
        "range": {name: _ends(item) for name, item in zip(PARAMETER_NAMES, own, strict=False)},
        "bounds": _bounds(result, index),
        "determined_by": {name: item.determined_by for name, item in zip(PARAMETER_NAMES, own, strict=False)},
    }


def _bounds(result: LinkParameters, index: int) -> dict[str, list[float | None]]:
    """The bounds that were asked for on a link's mass, and on its first moments: those of its centre of mass times its mass."""
    bounds: dict[str, list[float | None]] = {}
    for block in result.problem.terms.blocks:
        side = block.side
        if side is None or side.link != index or side.slot > 3:
            continue
        ends = bounds.setdefault(PARAMETER_NAMES[side.slot], [None, None])
        scale = 1.0 if side.slot == 0 else float(result.parameters[index, 0])
        ends[0 if side.sign > 0 else 1] = side.limit * scale
    return bounds


def _ends(item: Range) -> list[float | None]:
    return [_finite(item.low), _finite(item.high)]


def _friction(result: LinkParameters) -> list[dict[str, Any]]:
    base, values = result.problem.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    names = base.friction.parameter_names
    return [
        {"joint": joint, "model": base.friction.name, "parameters": dict(zip(names, own.tolist(), strict=True))}
        for joint, own in zip(base.robot.joint_names, values, strict=True)
    ]


def _solution(result: LinkParameters, number: int) -> dict[str, Any]:
    item = result.solutions[number]
    masses = result.problem.base.columns.links(item.x)[:, 0]
    return {
        "start": item.start,
        "objective": result.problem.objective.value(item.x),
        "with_prior": result.problem.merit(item.x),
        "feasible": not result.problem.violations(item.x),
        "masses": masses.tolist(),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
