"""The recovered signs' part of a run folder: signs.json for people and programs, signs.npz with every sample."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none
from dynident.data import Dataset, EffortKind
from dynident.regression.estimate import Estimate
from dynident.runs.estimate import read_estimate
from dynident.runs.parameters import find_parameters
from dynident.runs.stages import Absent, Stage, open_stage, present, write_stage
from dynident.signs.confidence import Confidence, SignVerdict
from dynident.signs.result import SignRecovery
from dynident.signs.segments import Segment
from dynident.signs.tables import segment_records

_ARRAYS = ("soft_signs", "segment_signs", "posterior", "threshold")
_PER_JOINT = ("flip_margins", "levels", "noise")
_NUMBERS = ("gap", "unsure_share", "unsure_energy", "strain", "density", "inflation", "certificate")
_WORDS = ("reason", "advice", "method")


def write_signs(folder: str | Path, recovery: SignRecovery, *, seed: int = 0) -> dict[str, Any]:
    """Write signs.npz and signs.json into the run folder that the estimate of the signed torque is in."""
    run, stage = Path(folder), Stage.SIGNS
    document = signs_document(recovery, seed=seed)
    return write_stage(run, stage, document, {stage.value.arrays: _bytes(run, recovery)}, made_from=(Stage.ESTIMATE,))


def read_signs(folder: str | Path) -> SignRecovery:
    """The recovered signs in a run folder; FileError where there are none, or where they are out of date."""
    return present(find_signs(folder))


def find_signs(folder: str | Path, estimate: Estimate | None = None) -> SignRecovery | Absent:
    """The recovered signs in a run folder, or why there are none that count. estimate : that of the folder, where it has been read."""

    def make(arrays: Arrays, description: dict[str, Any]) -> tuple[Mapping[str, Any], str]:
        return _fields(arrays, description), description["estimate"]

    fields = open_stage(folder, Stage.SIGNS, make)
    if isinstance(fields, Absent):
        return fields
    links = find_parameters(folder)
    return SignRecovery(estimate=estimate or read_estimate(folder), links=None if isinstance(links, Absent) else links, **fields)


def signs_document(recovery: SignRecovery, *, seed: int = 0) -> dict[str, Any]:
    """Standard JSON: the verdict first, then its evidence, then the segments."""
    confidence, joints = recovery.confidence, recovery.estimate.base.robot.joint_names
    return {
        "schema": Stage.SIGNS.value.schema,
        "robot": recovery.estimate.base.robot.name,
        "source": recovery.log.source,
        "verdict": recovery.verdict.name.lower(),
        "sentence": recovery.sentence,
        **{name: getattr(recovery, name) for name in _WORDS},
        "confidence": {name: finite_or_none(getattr(confidence, name)) for name in _NUMBERS}
        | {"proven": confidence.proven}
        | {
            f"{name}_per_joint": {joint: finite_or_none(value) for joint, value in zip(joints, getattr(confidence, name), strict=True)}
            for name in _PER_JOINT
        },
        "threshold_per_joint": dict(zip(joints, recovery.threshold.tolist(), strict=True)),
        "segments": segment_records(recovery),
        "unsure": list(recovery.unsure),
        "notes": list(recovery.notes),
        "versions": Stage.SIGNS.versions,
        "seed": seed,
    }


def _bytes(run: Path, recovery: SignRecovery) -> bytes:
    log, confidence = recovery.log, recovery.confidence
    assert log.effort is not None  # noqa: S101 (its signs were recovered)
    assert log.effort_kind is not None  # noqa: S101
    arrays: Arrays = {"time": log.time, "q": log.q, "effort": log.effort, "starts": np.array(log.starts, dtype=np.int64)}
    if log.mask is not None:
        arrays["mask"] = log.mask
    arrays |= {name: getattr(recovery, name) for name in _ARRAYS}
    arrays |= {f"confidence_{name}": getattr(confidence, name) for name in _PER_JOINT}
    arrays["segments"] = np.array([[item.joint, item.start, item.stop] for item in recovery.segments], dtype=np.int64).reshape(-1, 3)
    description = {
        "joints": list(log.joint_names),
        "source": log.source,
        "effort_kind": log.effort_kind.value,
        "verdict": recovery.verdict.name,
        **{name: getattr(recovery, name) for name in _WORDS},
        "confidence": {name: getattr(confidence, name) for name in (*_NUMBERS, "searched")},
        "notes": list(recovery.notes),
        "estimate": Stage.ESTIMATE.digest(run),
    }
    return pack(Stage.SIGNS.value.arrays_schema, arrays, description)


def _fields(arrays: Arrays, description: dict[str, Any]) -> dict[str, Any]:
    """All fields of the recovery but those of other stages."""
    log = Dataset(
        time=arrays["time"],
        q=arrays["q"],
        effort=arrays["effort"],
        mask=arrays.get("mask"),
        joint_names=tuple(description["joints"]),
        effort_kind=EffortKind(description["effort_kind"]),
        starts=tuple(arrays["starts"].tolist()),
        source=description["source"],
    )
    numbers: dict[str, Any] = description["confidence"] | {name: arrays[f"confidence_{name}"] for name in _PER_JOINT}
    return {
        "log": log,
        **{name: arrays[name] for name in _ARRAYS},
        "segments": tuple(Segment(*row) for row in arrays["segments"].tolist()),
        "confidence": Confidence(**numbers),
        "verdict": SignVerdict[description["verdict"]],
        **{name: description[name] for name in _WORDS},
        "notes": tuple(description["notes"]),
    }
