"""A robot as the text of a DH YAML file, which `load_robot` reads back."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import yaml

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError, require
from dynident.robots.formats.dh import BASE, CONVENTIONS
from dynident.robots.formats.dh_convert import TINY, DhRow, check_serial, is_identity, read_table, tidy_angle, to_dh
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.robots.parameters import link_inertia
from dynident.robots.robot import Joint, Link, Robot
from dynident.robots.solids import described_solids


def to_dh_yaml(robot: Robot, *, convention: str | None = None) -> str:
    """The text of the DH file; see `Robot.to_dh_yaml`."""
    if convention is not None and convention not in CONVENTIONS:
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    check_serial(robot)
    chosen = convention or _own_convention(robot) or "modified"
    table = read_table(robot, chosen)
    if table is None:
        robot = to_dh(robot, chosen)
        table = require(read_table(robot, chosen), "the DH table of a robot with DH frames")
    base, rows = table
    content: dict[str, Any] = {"name": robot.name, "convention": chosen, "gravity": _floats(robot.gravity)}
    if not is_identity(base):
        content["base"] = _pose(base)
    content["joints"] = [_joint(*body) for body in zip(robot.joints, robot.links, rows, strict=True)]
    if not is_identity(robot.tool):
        content["tool"] = _pose(robot.tool)
    if robot.floor:
        content["floor"] = robot.floor
    links = [_inertia(link) for link in robot.links if link.parameters is not None]
    if links:
        content["inertias"] = {"frame": "link", "about": "com", "links": links}
    capsules = _capsules(robot)
    if capsules:
        content["capsules"] = capsules
    names = {BASE, *robot.link_names}
    apart = [list(pair) for pair in robot.apart if names.issuperset(pair)]
    if apart:
        content["apart"] = apart
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=140, allow_unicode=True)
    if robot.notes:
        text += yaml.safe_dump({"notes": list(robot.notes)}, default_flow_style=False, width=120, allow_unicode=True)
    return text


def _own_convention(robot: Robot) -> str | None:
    """The convention whose frames the robot already has; its frames' name decides where both fit."""
    fitting = [convention for convention in ("modified", "standard") if read_table(robot, convention) is not None]
    named = [convention for convention in fitting if robot.links[0].frame.startswith(convention)]
    return next(iter(named + fitting), None)


def _joint(joint: Joint, link: Link, row: DhRow) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": joint.name, "link": link.name, "type": joint.type.value}
    entry |= {"a": float(row.a), "alpha": _angle(row.alpha), "d": float(row.d), "theta": _angle(row.theta)}
    if joint.position != (-math.inf, math.inf):
        entry["position"] = _floats(joint.position)
    for limit in ("velocity", "acceleration", "effort", "jerk"):
        if getattr(joint, limit) != math.inf:
            entry[limit] = float(getattr(joint, limit))
    if joint.home is not None:
        entry["home"] = float(joint.home)
    if joint.friction is not None:
        entry["friction"] = _floats(joint.friction)
    return entry


def _inertia(link: Link) -> dict[str, Any]:
    inertial = link_inertia(require(link.parameters, f"the inertia of link {link.name!r}"), link.name)
    return {"name": link.name, "mass": inertial.mass, "com": inertial.com.tolist(), "inertia": inertial.elements}


def _capsules(robot: Robot) -> dict[str, list[dict[str, Any]]]:
    """What the base and the links look like, by name, in their DH frames (the base frame)."""
    capsules: dict[str, list[dict[str, Any]]] = {}
    for solid in described_solids(robot):
        entry = dict(zip(("from", "to"), map(_floats, solid.points), strict=False)) | {"radius": solid.radius}
        capsules.setdefault(BASE if solid.body < 0 else robot.links[solid.body].name, []).append(entry)
    return capsules


def _pose(pose: Array) -> dict[str, Any]:
    xyz, rpy = xyz_rpy_from_pose(pose)
    return {"xyz": [0.0 if abs(x) < TINY else float(x) for x in xyz], "rpy": [_angle(tidy_angle(angle)) for angle in rpy]}


def _angle(angle: float) -> float | str:
    """pi/2 for a multiple of 15°, so that the file reads well and comes back exactly; else the number."""
    turn = Fraction(round(angle * 12 / math.pi), 12)
    if turn == 0 or angle != round(angle * 12 / math.pi) * math.pi / 12:
        return float(angle)
    sign, count = ("-" if turn < 0 else ""), abs(turn.numerator)
    return f"{sign}{'' if count == 1 else f'{count}*'}pi{'' if turn.denominator == 1 else f'/{turn.denominator}'}"


def _floats(values: Any) -> list[float]:
    return [float(value) for value in values]
