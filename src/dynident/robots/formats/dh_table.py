"""DH tables as people have them: four columns of a paper or of MATLAB, and robots of the Robotics Toolbox for Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.core.fields import Fields
from dynident.core.files import split_csv
from dynident.core.kinds import parse_number
from dynident.errors import FileError, InputError, UnknownNameError, ValueRangeError
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh import CONVENTIONS, dh_tree
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.robots.parameters import INERTIA_NAMES
from dynident.robots.robot import Robot

#: Order of the columns of a table of numbers, as MATLAB's Robotics Toolbox and most papers have it.
COLUMNS = ("theta", "d", "a", "alpha")
#: Columns that a file may have besides, and what the DH file calls them.
_MORE = ("name", "type", "lower", "upper", "velocity", "acceleration", "effort", "jerk", "home", "convention")
#: Words for the two kinds of joint; MATLAB's sigma is 0 or 1.
_TYPES = {"": "revolute", "r": "revolute", "0": "revolute", "revolute": "revolute", "continuous": "continuous"}
_TYPES |= {"p": "prismatic", "1": "prismatic", "prismatic": "prismatic"}


def from_dh_table(
    table: ArrayLike,
    convention: str,
    *,
    prismatic: Sequence[int] = (),
    limits: ArrayLike | None = None,
    name: str = "robot",
    gravity: ArrayLike | None = None,
) -> Robot:
    """The robot of a DH table.

    Parameters
    ----------
    table : (n, 4) array_like
        theta [rad], d [m], a [m], alpha [rad] of each joint; of a joint's own variable the offset at q = 0.
    convention : str
        "standard" (distal) or "modified" (Craig's, proximal). A wrong one is another robot: look it up.
    prismatic : sequence of int
        Numbers of the joints that slide, counted from 1.
    limits : (n, 2) array_like or None
        Position limits [rad | m]; None for none.
    name : str
        Name of the robot.
    gravity : (3,) array_like or None
        Gravity in the base frame [m/s²]; (0, 0, -9.80665) by default.

    Returns
    -------
    Robot
        Without inertias, and with its parameter frames at the DH frames.
    """
    rows = check_array("table", table, (None, 4), "(joints, 4) = (joints, theta d a alpha)")
    bounds = None if limits is None else check_array("limits", limits, (len(rows), 2), f"({len(rows)}, 2) = (joints, lower upper)")
    wrong = [number for number in prismatic if not 1 <= number <= len(rows)]
    if wrong:
        raise ValueRangeError("prismatic", f"names joint {wrong[0]}, and the table has joints 1 to {len(rows)}")
    joints = [
        {"name": f"joint{i}", "type": "prismatic" if i in prismatic else "revolute", **dict(zip(COLUMNS, row.tolist(), strict=True))}
        for i, row in enumerate(rows, start=1)
    ]
    if bounds is not None:
        joints = [joint | {"position": row.tolist()} for joint, row in zip(joints, bounds, strict=True)]
    return build_robot(_tree(name, convention, joints), gravity=gravity)


def read_dh_table(source: str, text: str) -> SourceTree:
    """The robot of a CSV file with a heading: theta, d, a, alpha, convention; and name, type, lower, upper, velocity, effort if known.

    Angles may be written as pi/2 or 90deg. convention is in every row, or in the first alone.
    """
    lines = [line for line in split_csv(source, text.lstrip("\ufeff")) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise FileError(source, "has no rows; a heading with theta, d, a, alpha, convention and one row per joint were expected")
    headings = [cell.strip().lower() for cell in lines[0]]
    missing = [column for column in (*COLUMNS, "convention") if column not in headings]
    unknown = [cell for cell in headings if cell not in (*COLUMNS, *_MORE)]
    if missing or unknown or len(set(headings)) != len(headings):
        problem = f"lacks the column {missing[0]!r}" if missing else f"has the column {(unknown or headings)[0]!r}"
        raise FileError(source, f"{problem}; needed: {', '.join((*COLUMNS, 'convention'))}; allowed: {', '.join(_MORE)}", place="line 1")
    rows = [dict(zip(headings, (cell.strip() for cell in line), strict=False)) for line in lines[1:]]
    conventions = {row["convention"].lower() for row in rows if row.get("convention")}
    if len(conventions) != 1 or not conventions <= set(CONVENTIONS):
        conventions_text = ", ".join(sorted(conventions)) or "not given"
        raise FileError(source, f"its convention is {conventions_text}; one of {', '.join(CONVENTIONS)} was expected")
    joints = [_joint(source, number, row) for number, row in enumerate(rows, start=1)]
    return _tree(Path(source).stem, conventions.pop(), joints, source=source)


def _joint(source: str, number: int, row: Mapping[str, str]) -> dict[str, Any]:
    kind = row.get("type", "").lower()
    place = f"row {number}"
    if kind not in _TYPES:
        raise FileError(source, f"its type is {kind!r}; revolute (R, 0) or prismatic (P, 1) was expected", place=place)

    def read(column: str, otherwise: float | None = None) -> float:
        text = row.get(column, "")
        value = otherwise if not text else parse_number(text)
        if value is None or (not math.isfinite(value) and otherwise is None):
            raise FileError(source, f"its {column} is {text!r}; a number such as 0.333, pi/2 or 90deg was expected", place=place)
        return value

    joint: dict[str, Any] = {"name": row.get("name") or f"joint{number}", "type": _TYPES[kind]}
    joint |= {column: read(column) for column in COLUMNS}
    if row.get("lower") or row.get("upper"):
        joint["position"] = [read("lower", -math.inf), read("upper", math.inf)]
    return joint | {column: read(column) for column in ("velocity", "acceleration", "effort", "jerk", "home") if row.get(column)}


def from_toolbox(robot: Any) -> Robot:
    """A `DHRobot` of the Robotics Toolbox for Python, with the inertias that its links have. Its motors and frictions are not read.

    Parameters
    ----------
    robot : object
        Anything with `links`, each of which has theta, d, a, alpha, offset, sigma, mdh, qlim, m, r and I.

    Returns
    -------
    Robot
        With DH frames as parameter frames.
    """
    try:
        links: list[Any] = list(robot.links)
        conventions = {"modified" if bool(link.mdh) else "standard" for link in links}
        joints = [_toolbox_joint(i, link) for i, link in enumerate(links, start=1)]
        inertias = [_toolbox_inertia(i, link) for i, link in enumerate(links, start=1)]
    except (AttributeError, TypeError) as error:
        raise InputError(f"the robot is no DHRobot of the Robotics Toolbox ({error}); read the others from their URDF") from None
    if len(conventions) != 1:
        raise InputError("the robot has no links, or links of both DH conventions; links of one convention were expected")
    base, tool = (np.array(getattr(pose, "A", pose), dtype=float) for pose in (robot.base, robot.tool))
    tree = _tree(str(robot.name or "robot").replace(" ", "_"), conventions.pop(), joints, inertias=inertias, base=base, tool=tool)
    return build_robot(tree, gravity=np.asarray(robot.gravity, dtype=float).ravel())


def _toolbox_joint(number: int, link: Any) -> dict[str, Any]:
    slides = bool(link.sigma)
    offset = float(link.offset or 0.0)
    joint: dict[str, Any] = {
        "name": f"joint{number}",
        "type": "prismatic" if slides else "revolute",
        "theta": float(link.theta) if slides else offset,
        "d": offset if slides else float(link.d),
        "a": float(link.a),
        "alpha": float(link.alpha),
    }
    if link.qlim is not None:
        joint["position"] = np.asarray(link.qlim, dtype=float).ravel().tolist()
    return joint


def _toolbox_inertia(number: int, link: Any) -> dict[str, Any]:
    tensor = np.asarray(link.I, dtype=float).reshape(3, 3)
    elements = [float(tensor[i, k]) for i, k in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    com = np.asarray(link.r, dtype=float).ravel().tolist()
    return {"name": f"link{number}", "mass": float(link.m), "com": com, "inertia": dict(zip(INERTIA_NAMES, elements, strict=True))}


def _tree(
    name: str,
    convention: str,
    joints: list[dict[str, Any]],
    *,
    source: str = "a DH table",
    inertias: Iterable[dict[str, Any]] = (),
    base: Array | None = None,
    tool: Array | None = None,
) -> SourceTree:
    if convention not in CONVENTIONS:
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    content: dict[str, Any] = {"name": name, "convention": convention, "joints": joints}
    for key, pose in (("base", base), ("tool", tool)):
        if pose is not None and not np.array_equal(pose, np.eye(4)):
            xyz, rpy = xyz_rpy_from_pose(pose)
            content[key] = {"xyz": xyz.tolist(), "rpy": rpy.tolist()}
    known = [entry for entry in inertias if entry["mass"] or any(entry["inertia"].values())]
    if known:
        content["inertias"] = {"frame": "link", "about": "com", "links": known}
    return dh_tree(Fields(source, content))
