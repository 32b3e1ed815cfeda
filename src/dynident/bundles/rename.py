"""Robots, data and conditions without a word that a person wrote: robot, joint1, link1, and numbers.

What is made from them contains no name either, whatever is computed. A text of the original is kept only where it is one of dynident's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from dynident.core.files import read_yaml
from dynident.data import ControllerSamples, Dataset
from dynident.data.provenance import NEW, Provenance
from dynident.data.reading.reading import Reading
from dynident.feasibility.constraints.convex import Bounds
from dynident.feasibility.constraints.files import read_constraints
from dynident.feasibility.constraints.terms import link_index
from dynident.regression.equations.base import BaseParameters
from dynident.regression.problem import Problem
from dynident.regression.summary import Processing
from dynident.robots.robot import Robot, Source

T = TypeVar("T")
_DH_FRAMES = ("modified DH frame", "standard DH frame")


def neutral_joints(count: int) -> tuple[str, ...]:
    """joint1, joint2, ..."""
    return tuple(f"joint{j + 1}" for j in range(count))


def rename_robot(robot: Robot) -> Robot:
    """The same robot with other names, and without the notes and the place of its file."""
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, neutral_joints(robot.n), strict=True))
    links = tuple(
        replace(link, name=f"link{k}", frame=_frame(link.frame, k), pieces=_pieces(link.pieces, f"link{k}", link.name))
        for k, link in enumerate(robot.links, start=1)
    )
    base = tuple(replace(piece, name=f"base{k}") for k, piece in enumerate(robot.base_pieces, start=1))
    before = [piece for link in robot.links for piece in link.pieces] + [*robot.base_pieces]
    after = [piece for link in links for piece in link.pieces] + [*base]
    names = {old.name: new.name for old, new in zip(before, after, strict=True)} | dict(
        zip(robot.link_names, (link.name for link in links), strict=True)
    )
    apart = tuple((names[one], names[other]) for one, other in robot.apart if one in names and other in names)
    return replace(robot, name="robot", joints=joints, links=links, base_pieces=base, apart=apart, notes=(), source="robot")


def _pieces(pieces: tuple[Source, ...], link: str, own: str) -> tuple[Source, ...]:
    return tuple(replace(piece, name=link if piece.name == own else f"{link}_part{i + 1}") for i, piece in enumerate(pieces))


def _frame(frame: str, number: int) -> str:
    kind, _, place = frame.rpartition(" ")
    return frame if kind in _DH_FRAMES and place.isdecimal() and place.isascii() else f"frame of link{number}"


def rename_data(data: Dataset | ControllerSamples) -> list[Dataset] | list[ControllerSamples]:
    """The recordings with joints by their numbers; every clock begins within its first second, by whole seconds, so that its steps stay."""
    if isinstance(data, ControllerSamples):
        return [replace(data, joint_names=neutral_joints(data.n), source="", provenance=NEW)]
    ends, recordings = [*data.starts[1:], data.samples], data.recordings
    parts: list[Dataset] = []
    for recording in dict.fromkeys(recordings):
        segments = [slice(a, b) for a, b, of in zip(data.starts, ends, recordings, strict=True) if of == recording]
        first = segments[0].start
        if [part.stop for part in segments[:-1]] != [part.start for part in segments[1:]]:
            return [_neutral(data)]  # recordings that take turns
        part = data.take(slice(first, segments[-1].stop), starts=[segment.start - first for segment in segments])
        parts.append(_neutral(part))
    return parts


def _neutral(data: Dataset) -> Dataset:
    time = data.time - np.floor(data.time[0])
    return replace(data, time=time, joint_names=neutral_joints(data.n), source="", provenance=NEW)


def rename_problem(problem: Problem, robot: Robot) -> Problem:
    """What data say, of a robot that was renamed; it tells no more which data these were."""
    before, base = problem.base.robot, problem.base
    joints = dict(zip(before.joint_names, robot.joint_names, strict=True))
    extra = tuple(item._replace(name=f"extra{k}") for k, item in enumerate(base.extra, start=1))
    groups = tuple(replace(group, name=joints[group.name]) if group.name in joints else group for group in problem.groups)
    return replace(
        problem,
        base=replace(base, robot=robot, extra=extra),
        groups=groups if base.equations == "torque" else problem.groups,
        processing=_rename_processing(problem.processing, joints),
        source="log",
        provenance=None if problem.provenance is None else _rename_provenance(problem.provenance),
        notes=(),
    )


def _rename_processing(processing: Processing, joints: Mapping[str, str]) -> Processing:
    def by_joint(values: Mapping[str, T]) -> dict[str, T]:
        return {joints[name]: value for name, value in values.items() if name in joints}

    return replace(
        processing,
        motion_noise=by_joint(processing.motion_noise),
        disagreeing={name: by_joint(values) for name, values in processing.disagreeing.items()},
        faulty=tuple(replace(item, joint=joints.get(item.joint, "")) for item in processing.faulty),
        read=Reading(),
    )


def _rename_provenance(provenance: Provenance) -> Provenance:
    recordings = {item.numbers: replace(item, files={}, selection="") for item in provenance.recordings}
    return Provenance(pieces=tuple(replace(piece, recording=recordings[piece.recording.numbers]) for piece in provenance.pieces))


def rename_conditions(file: Path, base: BaseParameters) -> dict[str, Any]:
    """What a YAML or CSV file asks of the links, whose names become their numbers; FileError where it asks nothing of such a robot.

    What else stands in the file are keys of ours, names of parameters such as m3, and numbers.
    """
    conditions = read_constraints(file, base=base)
    if file.suffix.lower() == ".csv":
        return {"bounds": {item.name: [item.low, item.high] for item in conditions.constraints if isinstance(item, Bounds)}}
    return _rename_section(read_yaml(file), lambda link: link_index(link, base.robot) + 1)


def _rename_section(value: Any, number: Callable[[Any], int], key: str = "") -> Any:
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        rules = key == "either"
        return {f"rule{k}" if rules else name: _rename_section(item, number, str(name)) for k, (name, item) in enumerate(items, start=1)}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if key == "links":
            return [number(item) for item in items]
        branches = [_rename_section(item, number) for item in items]
        return [{**item, "name": f"branch{k}"} if isinstance(item, dict) and "name" in item else item for k, item in enumerate(branches, 1)]
    return number(value) if key == "link" else value
