"""Robots, data and conditions without a word that a person wrote: robot, joint1, link1, and numbers.

What is made from them contains no name either, whatever is computed. A text of the original is kept only where it is one of dynident's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.files import read_yaml
from dynident.data import ControllerSamples, Dataset
from dynident.data.checks import default_names
from dynident.data.provenance import NEW
from dynident.data.reading.reading import Reading
from dynident.links.constraints.convex import Bounds
from dynident.links.constraints.files import read_constraints
from dynident.links.constraints.terms import link_index
from dynident.regression.equations.base import BaseParameters
from dynident.regression.problem import Problem
from dynident.robots.robot import Robot, Source

_DH_FRAMES = ("modified DH frame", "standard DH frame")


def rename_robot(robot: Robot) -> Robot:
    """The same robot with other names, and without the notes and the place of its file."""
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, default_names(robot.n), strict=True))
    links = tuple(
        replace(link, name=f"link{k}", frame=_frame(link.frame, k), pieces=_pieces(link.pieces, f"link{k}"))
        for k, link in enumerate(robot.links, start=1)
    )
    base = _pieces(robot.base_pieces, "base")
    before = [piece.name for link in robot.links for piece in (link, *link.pieces)] + [*robot.base_sources]
    after = [piece.name for link in links for piece in (link, *link.pieces)] + [piece.name for piece in base]
    names = dict(zip(before, after, strict=True))
    apart = tuple((names[one], names[other]) for one, other in robot.apart if one in names and other in names)
    return replace(robot, name="robot", joints=joints, links=links, base_pieces=base, apart=apart, notes=(), shape_notes=(), source="robot")


def _pieces(pieces: tuple[Source, ...], body: str) -> tuple[Source, ...]:
    """The first is the link itself. Shapes with a text, which names a mesh or a place, are left out."""
    return tuple(
        replace(piece, name=f"{body}_part{k}" if k > 1 else body, shapes=tuple(shape for shape in piece.shapes if not shape.text))
        for k, piece in enumerate(pieces, start=1)
    )


def _frame(frame: str, number: int) -> str:
    kind, _, place = frame.rpartition(" ")
    return frame if kind in _DH_FRAMES and place.isdecimal() and place.isascii() else f"frame of link{number}"


def rename_data(data: Dataset | ControllerSamples) -> list[Dataset] | list[ControllerSamples]:
    """The recordings with joints by their numbers; every clock begins within its first second, by whole seconds, so that its steps stay."""
    if isinstance(data, ControllerSamples):
        return [replace(data, joint_names=default_names(data.n), source="", provenance=NEW)]
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
    return replace(data, time=time, joint_names=default_names(data.n), source="", provenance=NEW)


def rename_problem(problem: Problem, robot: Robot) -> Problem:
    """What data say, of a robot that was renamed; it tells no more which data these were."""
    base, joints = problem.base, dict(zip(problem.base.robot.joint_names, robot.joint_names, strict=True))
    extra = tuple(item._replace(name=f"extra{k}") for k, item in enumerate(base.extra, start=1))
    groups = tuple(replace(group, name=joints.get(group.name, group.name)) for group in problem.groups)
    return replace(
        problem,
        base=replace(base, robot=robot, extra=extra),
        groups=groups if base.equations == "torque" else problem.groups,
        processing=replace(problem.processing, motion_noise={}, disagreeing={}, faulty=(), read=Reading()),
        source="log",
        provenance=None,
        notes=(),
    )


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
