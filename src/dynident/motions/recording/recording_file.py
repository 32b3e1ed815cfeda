"""A recording on disk: an NPZ file that `load_recording` reads at once, with where it came from and what of the plan is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, read_npz, write_npz
from dynident.core.arrays import Array
from dynident.core.files import write_atomically
from dynident.errors import FileError, MissingFileError, Remedy
from dynident.motions.recording.connection import RobotConnection
from dynident.motions.recording.plan import RecordingPlan

SCHEMA = "dynident/motions/recording/1"


@dataclass(kw_only=True)
class RecordingFile:
    """What was recorded so far; `write` replaces the file as a whole.

    parts : list   Of a trajectory, the arrays of one repetition or of a part of it; of a controller, one answer each.
    description    JSON: schema, robot, every session with its connection, time and versions, the digest of what was commanded, and every
                   part with whether it is whole.
    """

    path: Path
    kind: str
    joint_names: tuple[str, ...]
    description: dict[str, Any]
    parts: list[dict[str, Array]] = field(default_factory=list[dict[str, Array]])

    @property
    def done(self) -> frozenset[str]:
        """Names of the plan's passages that are there as a whole."""
        return frozenset(part["name"] for part in self.description["parts"] if part["whole"])

    def begin_session(self, connection: RobotConnection) -> None:
        """From now on it is recorded from this robot; FileError where it was begun with one that tells other efforts."""
        kind = connection.effort_kind.value
        if self.description.setdefault("effort_kind", kind) != kind:
            raise FileError(
                self.path, f"was begun with efforts that are a {self.description['effort_kind']}, not a {kind}; name another file"
            )
        self.description["sessions"].append(
            {"started": _now(), "dynident": metadata.version("dynident"), "connection": dict(connection.facts)}
        )

    def add(self, name: str, arrays: Mapping[str, Array], *, whole: bool) -> None:
        """One more part; of a motion, two samples at least."""
        if self.kind == "trajectory" and len(arrays["time"]) < 2:
            return
        self.parts.append(dict(arrays))
        samples = len(arrays["time"]) if self.kind == "trajectory" else 1
        self.description["parts"].append({"name": name, "whole": whole, "samples": samples, "ended": _now()})

    def write(self, status: str) -> None:
        """Write all of it or nothing; where nothing was recorded, no file."""
        self.description["status"] = status
        if not self.parts:
            return
        arrays: Arrays = {"joint_names": np.array(self.joint_names)}
        if self.kind == "trajectory":
            arrays |= {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}
            arrays["starts"] = np.cumsum([0, *(len(part["time"]) for part in self.parts[:-1])])
            arrays["effort_kind"] = np.array(self.description["effort_kind"])
        else:
            arrays |= {name: np.stack([part[name] for part in self.parts]) for name in self.parts[0]}
        text = json.dumps(self.description, ensure_ascii=False, allow_nan=False)
        write_atomically(self.path, write_npz({**arrays, "description": np.array(text)}))


def new_recording(path: Path, plan: RecordingPlan) -> RecordingFile:
    """A recording that has nothing yet; FileError when there is a file already, for no recording is ever overwritten."""
    if path.exists():
        remedy = Remedy("go on with it by {resume}, or name another file", resume=True)
        raise FileError(path, "is there already, and no recording is overwritten", remedy=remedy)
    return RecordingFile(path=path, kind=plan.kind, joint_names=plan.robot.joint_names, description=_describe(plan))


def resume_recording(path: Path, plan: RecordingPlan) -> RecordingFile:
    """What is there of a recording of the same plan; FileError when it is of another one."""
    if not path.is_file():
        raise MissingFileError(path, "no such file, so there is nothing to go on with; leave out the resuming")
    arrays = read_npz(path)
    try:
        description = json.loads(str(arrays.pop("description")))
        kind, commanded, parts = (description[key] for key in ("kind", "commanded", "parts"))
    except (KeyError, TypeError, ValueError):
        raise FileError(path, "was not written by dynident record; name another file") from None
    if (description.get("schema"), kind, commanded) != (SCHEMA, plan.kind, plan.commanded):
        raise FileError(path, "is a recording of another motion; give the motion that it was begun with, or name another file")
    names = [name for name in arrays if name not in ("joint_names", "starts", "effort_kind")]
    if kind == "trajectory":
        edges = [*arrays["starts"].tolist(), len(arrays["time"])]
        pieces = [{name: arrays[name][a:b] for name in names} for a, b in pairwise(edges)]
    else:
        pieces = [{name: arrays[name][k] for name in names} for k in range(len(parts))]
    return RecordingFile(path=path, kind=plan.kind, joint_names=plan.robot.joint_names, description=description, parts=pieces)


def _describe(plan: RecordingPlan) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kind": plan.kind,
        "robot": plan.robot.name,
        "rate": plan.rate,
        "commanded": plan.commanded,
        "passages": len(plan.passages),
        "sessions": [],
        "parts": [],
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
