"""The identification's part of a run folder: estimate.json for people, estimate.npz with every digit, problem.npz, robot.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none, json_text
from dynident.data.provenance import Provenance
from dynident.regression.estimate import Dropped, Estimate, EstimateStatus, JoinedData, Residuals
from dynident.regression.friction.choice import FrictionChoice
from dynident.regression.friction.fitted import FittedShape
from dynident.regression.problem import Problem
from dynident.regression.summary import FitSummary
from dynident.regression.tables import Coefficient, coefficients, friction, route_name
from dynident.regression.uncertainty.blocks import BlockVariation
from dynident.regression.vendor_model import VendorModelTest
from dynident.robots.serialize import robot_to_dict
from dynident.runs.folds import folds_document
from dynident.runs.problem import base_from_parts, base_parts, load_problem, problem_bytes, provenance_from_parts, provenance_parts
from dynident.runs.stages import PROBLEM, ROBOT, Stage, check_digest, find_absent, open_stage, present, read_document, write_stage
from dynident.validation.folds import CrossValidation

_ARRAYS = ("values", "covariance", "kept", "singular_values")
_BLOCKS = ("ratios", "freedom", "group_ratios")
_RESIDUALS = ("counts", "squares", "totals")


def write_estimate(
    folder: str | Path,
    estimate: Estimate,
    problem: Problem | None = None,
    *,
    folds: CrossValidation | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write estimate.json, estimate.npz, robot.json and problem.npz; the folder is made if it is not there.

    problem : by default the one that the estimate carries.
    folds : the cross-validation of the same data, where there is one.
    provenance : what is known beside the data, such as the command that was run.
    """
    target = Path(folder)
    contents: dict[str, str | bytes] = {  # everything is made before anything is written
        Stage.ESTIMATE.value.arrays: _estimate_bytes(estimate),
        ROBOT: json_text(robot_to_dict(estimate.base.robot)),
    }
    problem = problem or estimate.problem
    if problem is not None:
        contents[PROBLEM] = problem_bytes(problem)
    document = estimate_document(estimate, seed=seed, provenance=provenance)
    document["cross_validation"] = None if folds is None else folds_document(folds)
    return write_stage(target, Stage.ESTIMATE, document, contents)


def read_estimate(folder: str | Path) -> Estimate:
    """The estimate in a run folder, as it was written, with the problem behind it where that was saved."""
    run = Path(folder)
    estimate = present(open_stage(run, Stage.ESTIMATE, _estimate))
    saved = PROBLEM in read_document(run, Stage.ESTIMATE).get("files", (PROBLEM,)) and (run / PROBLEM).is_file()
    if not saved:
        return estimate
    problem = read_problem(run)
    return replace(estimate, problem=problem, reached=problem.reached if estimate.reached is None else estimate.reached)


def read_problem(folder: str | Path) -> Problem:
    """The problem behind a run folder's estimate."""
    run = Path(folder)
    present(find_absent(run, Stage.ESTIMATE))
    check_digest(run, Stage.ESTIMATE, PROBLEM)
    return load_problem(run / PROBLEM)


def estimate_document(estimate: Estimate, *, seed: int = 0, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON: what the data don't determine is null."""
    summary, reached = estimate.summary, estimate.reached
    return {
        "schema": Stage.ESTIMATE.value.schema,
        "robot": estimate.base.robot.name,
        "source": summary.source,
        "route": route_name(estimate),
        "status": estimate.status.value,
        "rank": summary.rank,
        "condition_number": finite_or_none(estimate.condition_number),
        "coefficients": [_coefficient(item) for item in coefficients(estimate)],
        "friction": [asdict(item) for item in friction(estimate)],
        "friction_shapes": [asdict(shape) for shape in estimate.shapes],
        "friction_choice": None if estimate.choice is None else {"sentence": estimate.choice.sentence, "trials": estimate.choice.records()},
        "vendor_model": None if estimate.vendor_model is None else estimate.vendor_model.to_dict(),
        "residual": residual_document(estimate.residuals),
        "samples": summary.samples,
        "reached_speeds": None if reached is None else dict(zip(estimate.base.robot.joint_names, reached.tolist(), strict=True)),
        "preprocessing": summary.processing.to_dict(),
        "notes": list(estimate.notes),
        "versions": Stage.ESTIMATE.versions,
        "seed": seed,
        "provenance": provenance_document(estimate.provenance, provenance),
    }


def provenance_document(data: Provenance | None, beside: Mapping[str, Any] | None) -> dict[str, Any]:
    """The SHA-256 of every file by its name, the recordings with the ranges of their samples that were used, and what is known beside."""
    return {**(beside or {}), **({} if data is None else {"files": data.files, **data.to_dict()})}


def residual_document(residuals: Residuals) -> dict[str, Any]:
    """Errors in all and per joint, or per element of M and g, by name."""
    names = residuals.names
    return {
        "relative_percent": residuals.relative_percent,
        "rms_per_joint": dict(zip(names, residuals.rms_per_group.tolist(), strict=True)),
        "relative_percent_per_joint": dict(zip(names, residuals.relative_percent_per_group.tolist(), strict=True)),
    }


def _coefficient(item: Coefficient) -> dict[str, Any]:
    record = asdict(item)
    if item.kept:
        del record["reason"]
    return record


def _estimate_bytes(estimate: Estimate) -> bytes:
    arrays, description = base_parts(estimate.base)
    found = estimate.residuals
    arrays |= {name: getattr(estimate, name) for name in _ARRAYS}
    arrays |= {f"residual_{name}": getattr(found, name) for name in _RESIDUALS}
    arrays |= {} if estimate.shape_covariance is None else {"shape_covariance": estimate.shape_covariance}
    arrays |= {} if estimate.joined is None else {"joined_factor": estimate.joined.factor}
    arrays |= {} if estimate.reached is None else {"reached": estimate.reached}
    arrays |= {} if estimate.blocks is None else {f"block_{name}": getattr(estimate.blocks, name) for name in _BLOCKS}
    arrays |= {
        "dropped_index": np.array([item.index for item in estimate.dropped], dtype=np.int64),
        "dropped_value": np.array([item.value for item in estimate.dropped]),
        "dropped_std": np.array([item.std for item in estimate.dropped]),
    }
    description |= {
        "dropped_reasons": [item.reason for item in estimate.dropped],
        "residual_names": list(found.names),
        "blocks": None if estimate.blocks is None else estimate.blocks.blocks,
        "details": estimate.summary.to_dict(),
        "status": estimate.status.name,
        "provenance": provenance_parts(estimate.provenance),
        "notes": list(estimate.notes),
        "shapes": [asdict(shape) for shape in estimate.shapes],
        "choice": None if estimate.choice is None else estimate.choice.to_dict(),
        "joined_noise": None if estimate.joined is None else estimate.joined.noise,
        "vendor_model": None if estimate.vendor_model is None else estimate.vendor_model.to_dict(),
    }
    return pack(Stage.ESTIMATE.value.arrays_schema, arrays, description)


def _estimate(arrays: Arrays, description: dict[str, Any]) -> tuple[Estimate, None]:
    numbers = [arrays[f"dropped_{name}"].tolist() for name in ("index", "value", "std")]
    dropped = tuple(Dropped(*item) for item in zip(*numbers, description["dropped_reasons"], strict=True))
    status = description.get("status", EstimateStatus.of_dropped(dropped).name)  # archives before there was one know no more
    estimate = Estimate(
        base=base_from_parts(arrays, description),
        dropped=dropped,
        residuals=Residuals(names=tuple(description["residual_names"]), **{name: arrays[f"residual_{name}"] for name in _RESIDUALS}),
        **cast("Any", {name: arrays[name] for name in _ARRAYS}),
        summary=FitSummary.from_dict(description["details"]),
        status=EstimateStatus[status],
        provenance=provenance_from_parts(description),
        notes=tuple(description["notes"]),
        blocks=_block_variation(arrays, description.get("blocks")),
        shapes=tuple(FittedShape(**item) for item in description.get("shapes", ())),  # which older files don't have, nor a choice
        shape_covariance=arrays.get("shape_covariance"),
        joined=_joined(arrays, description.get("joined_noise")),
        choice=None if description.get("choice") is None else FrictionChoice.from_dict(description["choice"]),
        reached=arrays.get("reached"),
        vendor_model=None if description.get("vendor_model") is None else VendorModelTest.from_dict(description["vendor_model"]),
    )
    return estimate, None


def _joined(arrays: Arrays, noise: float | None) -> JoinedData | None:
    return None if noise is None else JoinedData(factor=arrays["joined_factor"], noise=noise)


def _block_variation(arrays: Arrays, blocks: int | None) -> BlockVariation | None:
    """None also in archives of before it was measured."""
    return None if blocks is None else BlockVariation(blocks=blocks, **{name: arrays[f"block_{name}"] for name in _BLOCKS})
