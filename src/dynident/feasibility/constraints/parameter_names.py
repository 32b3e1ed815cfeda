"""How constraints name parameters: m3, c3x, mc3x, J3xx, I3xx (barycentric), fv3; and where these stand in the columns."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from dynident.errors import UnknownNameError
from dynident.parameters import INERTIA_NAMES, ParameterEntry
from dynident.regression.equations.columns import Columns
from dynident.robots.robot import Robot

Kind = Literal["mass", "com", "barycentric", "linear"]

_AXES = ("x", "y", "z")
_DERIVED = re.compile(r"(?P<kind>c|I)(?P<link>\d+)(?P<element>[xyz]{1,2})")


class Named(NamedTuple):
    """A parameter: what kind it is, its link (from 0, -1 for friction), its element of c or I, and its column (of mc or J for c and I)."""

    kind: Kind
    link: int
    element: int
    column: int


def parse_parameter(name: str, robot: Robot, columns: Columns) -> Named:
    """The parameter of that name; UnknownNameError with what is understood otherwise."""
    if name in columns.names:
        column = columns.index(name)
        entry = columns[column]
        if not isinstance(entry, ParameterEntry):
            return Named("linear", -1, 0, column)
        return Named("mass" if entry.quantity == "m" else "linear", entry.link, 0, column)
    match = _DERIVED.fullmatch(name)
    if match is not None and 1 <= int(match["link"]) <= robot.n:
        link, element = int(match["link"]) - 1, match["element"]
        places = columns.of_link(link)
        if match["kind"] == "c" and element in _AXES:
            return Named("com", link, _AXES.index(element), places[1:4][_AXES.index(element)])
        if match["kind"] == "I" and element in INERTIA_NAMES:
            return Named("barycentric", link, INERTIA_NAMES.index(element), places[4:][INERTIA_NAMES.index(element)])
    known = [f"m1..m{robot.n}", "c1x", "mc1x", "J1xx", "I1xx (about the centre of mass)", *columns.names[columns.link_slice.stop :]]
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
