"""How constraints name parameters: m3, c3x, mc3x, J3xx, I3xx (barycentric), fv3; and where these stand in the columns."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from dynident.errors import UnknownNameError
from dynident.parameters import INERTIA_NAMES
from dynident.regression.columns import Columns
from dynident.robots.robot import Robot

Kind = Literal["mass", "com", "barycentric", "linear"]

_PATTERN = re.compile(r"(?P<kind>m|c|mc|J|I)(?P<link>\d+)(?P<element>[xyz]{0,2})")


class Named(NamedTuple):
    """A parameter: what kind it is, its link (from 0, -1 for friction), its element, and its column (of mc or J for c and I)."""

    kind: Kind
    link: int
    element: int
    column: int


def parse_parameter(name: str, robot: Robot, columns: Columns) -> Named:
    """The parameter of that name; UnknownNameError with what is understood otherwise."""
    match = _PATTERN.fullmatch(name)
    if match is not None and 1 <= int(match["link"]) <= robot.n:
        kind, link, element = match["kind"], int(match["link"]) - 1, match["element"]
        if kind == "m" and not element:
            return Named("mass", link, 0, 10 * link)
        if kind in ("c", "mc") and element in ("x", "y", "z"):
            axis = "xyz".index(element)
            return Named("com" if kind == "c" else "linear", link, axis, 10 * link + 1 + axis)
        if kind in ("J", "I") and element in INERTIA_NAMES:
            slot = INERTIA_NAMES.index(element)
            return Named("barycentric" if kind == "I" else "linear", link, slot, 10 * link + 4 + slot)
    if name in columns.names:
        return Named("linear", -1, 0, columns.names.index(name))
    known = [f"m1..m{robot.n}", "c1x", "mc1x", "J1xx", "I1xx (about the centre of mass)", *columns.names[columns.rigid :]]
    raise UnknownNameError("parameter", name, known)


def unit_of(named: Named) -> str:
    return {"mass": "kg", "com": "m", "barycentric": "kg·m²", "linear": ""}[named.kind]


def link_index(link: int | str, robot: Robot) -> int:
    """A link by its name or its number from 1."""
    if isinstance(link, int) and 1 <= link <= robot.n:
        return link - 1
    if isinstance(link, str) and link in robot.link_names:
        return robot.link_names.index(link)
    raise UnknownNameError("link", str(link), [*robot.link_names, f"or a number from 1 to {robot.n}"])
