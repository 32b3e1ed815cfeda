"""Recorded quantities: the names that their columns go by in files and what they mean, and their units with the factor to SI."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from dynident.errors import Remedy, UnknownNameError


class EffortKind(StrEnum):
    """What the effort columns hold."""

    TORQUE = "torque"
    """Joint torque or force [N·m | N]."""
    CURRENT = "current"
    """Motor current [A], torque up to a gain per joint."""
    MAGNITUDE = "magnitude"
    """|torque| only, its sign is unknown [N·m | N]."""
    CURRENT_MAGNITUDE = "current_magnitude"
    """|current| only [A]."""

    @property
    def unsigned(self) -> bool:
        """Whether it is a magnitude, without its sign."""
        return self in (EffortKind.MAGNITUDE, EffortKind.CURRENT_MAGNITUDE)

    @property
    def without_sign(self) -> EffortKind:
        """The magnitude of it."""
        return EffortKind.CURRENT_MAGNITUDE if self.is_current else EffortKind.MAGNITUDE

    @property
    def is_current(self) -> bool:
        """Whether it is a current, with its sign or without."""
        return self in (EffortKind.CURRENT, EffortKind.CURRENT_MAGNITUDE)

    @classmethod
    def _missing_(cls, value: object) -> EffortKind:
        raise UnknownNameError("effort kind", str(value), cls)


#: What a column can hold, and the names it is known by without a map (compared in lower case).
ALIASES: dict[str, tuple[str, ...]] = {
    "time": ("t", "time", "times", "timestamp", "timestamps", "stamp"),
    "q": ("q", "position", "positions", "pos"),
    "dq": ("dq", "qd", "velocity", "velocities", "vel"),
    "ddq": ("ddq", "qdd", "acceleration", "accelerations", "acc"),
    "torque": ("tau", "torque", "torques", "effort", "efforts"),
    "current": ("current", "currents"),
    "magnitude": ("abs_tau", "abs_torque", "abs_torques", "magnitude", "magnitudes"),
    "current_magnitude": ("abs_current", "abs_currents", "current_magnitude"),
    "temperature": ("temperature", "temperatures", "temp", "temps"),
    "M": ("m", "mass_matrix", "inertia_matrix"),
    "g": ("g", "gravity"),
    "c": ("c", "coriolis"),
    "mask": ("mask",),
}
#: The roles that fill Dataset.effort; a role's name is the effort's kind.
EFFORT_ROLES: tuple[str, ...] = tuple(kind.value for kind in EffortKind)
#: What a map of columns may give: our names.
MAPPED = ("time", "q", "dq", "ddq", "effort", "temperature", "M", "g", "c", "mask")
#: Entries that describe the data, as dynident's own files carry them.
DESCRIPTIONS = ("joint_names", "effort_kind", "starts", "segment", "gears", "period")

#: Words that mark what was asked for, or how far it was missed, and not what was measured.
_COMMANDED = frozenset(["cmd", "command", "commanded", "des", "desired", "error", "goal", "ref", "reference", "setpoint", "target"])

_ROLE_OF = {alias: role for role, aliases in ALIASES.items() for alias in aliases}
_WORD = "|".join(sorted(_ROLE_OF, key=len, reverse=True))
_NUMBERED = re.compile(rf"({_WORD})[ _.\-]?[\[(]?(\d+)[\])]?")
# a joint's own name needs the word "joint" or "axis", or a letter and a number: target_positions is no joint's
_JOINT = r"[\w\-]*(?:joint|axis)[\w\-]*?|[aj]_?\d+"
_JOINT_FIRST = re.compile(rf"({_JOINT})[ _./\-]({_WORD})")
_JOINT_LAST = re.compile(rf"({_WORD})[ _./\-]({_JOINT})")
_ELEMENT = re.compile(r"m(?:(\d)(\d)|[ _.\-]?[\[(]?(\d+)[ _.,\-]+(\d+)[\])]?)")


class Meaning(NamedTuple):
    """What a name says: the role, and for a column of one joint its number or name; element (row, column) for M."""

    role: str
    joint: int | str | None = None
    element: tuple[int, int] | None = None


def meaning(name: str) -> Meaning | None:
    """What a column's name says by itself; None when it says nothing, or is of a command.

    Folders of HDF5 and structs of MATLAB say no more than that.
    """
    if _COMMANDED & set(re.split(r"[^a-z]+", name.lower())):
        return None
    plain = name.strip().strip("/").rsplit("/", 1)[-1]
    text = plain.lower()
    if text in _ROLE_OF:
        return Meaning(_ROLE_OF[text])
    if parts := _ELEMENT.fullmatch(text):
        row, column = (parts[1], parts[2]) if parts[1] else (parts[3], parts[4])
        return Meaning("M", element=(int(row), int(column)))
    if parts := _NUMBERED.fullmatch(text):
        return Meaning(_ROLE_OF[parts[1]], joint=int(parts[2]))
    if parts := _JOINT_FIRST.fullmatch(text):
        return Meaning(_ROLE_OF[parts[2]], joint=_joint(plain[parts.start(1) : parts.end(1)]))
    if parts := _JOINT_LAST.fullmatch(text):
        return Meaning(_ROLE_OF[parts[1]], joint=_joint(plain[parts.start(2) : parts.end(2)]))
    return None


def natural_order(names: Iterable[str]) -> list[str]:
    """Sorted so that q2 comes before q10."""
    return sorted(names, key=lambda name: [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name)])


def _joint(text: str) -> int | str:
    """joint3, j3 and axis_3 are numbers; panda_joint3 and shoulder_joint are names."""
    number = re.fullmatch(r"(?:joint|axis|[aj])[_\-]?(\d+)", text.lower())
    return int(number[1]) if number else text


_TURN = 2.0 * math.pi
_LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
_ANGLE = {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180.0, "rev": _TURN}
_FORCE = {"N": 1.0, "mN": 1e-3, "kN": 1e3}
_MOMENT = {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3, "Ncm": 1e-2, "kgfcm": 0.0980665}
CURRENT_UNITS = {"A": 1.0, "mA": 1e-3}
_POSITION = _ANGLE | _LENGTH

#: Allowed units of each quantity and their factor to SI.
UNITS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "q": _POSITION,
    "dq": {f"{name}/s": factor for name, factor in _POSITION.items()} | {"rpm": _TURN / 60.0},
    "ddq": {f"{name}/s^2": factor for name, factor in _POSITION.items()},
    "effort": _MOMENT | _FORCE | CURRENT_UNITS,
    "temperature": {"degC": 1.0, "°C": 1.0, "K": 1.0},
    "M": {"kgm^2": 1.0, "gm^2": 1e-3, "kg": 1.0},
    "g": _MOMENT | _FORCE,
    "c": _MOMENT | _FORCE,
}


def factor(quantity: str, unit: str) -> float:
    """What to multiply with to get SI; `rad/s²`, `rad/s2` and `N·m` are understood too."""
    known = UNITS[quantity]
    plain = unit.strip().replace("·", "").replace("*", "").replace("²", "^2")
    if plain.endswith("/s2"):
        plain = plain[:-1] + "^2"
    if plain not in known:
        raise UnknownNameError(f"unit of {quantity}", unit, known)
    return known[plain]


def celsius_zero(unit: str) -> float:
    """What a thermometer of that unit shows at 0 °C."""
    return 273.15 if unit.strip() == "K" else 0.0


def is_current(unit: str) -> bool:
    """Whether a unit of effort is one of current."""
    return unit.strip() in CURRENT_UNITS


#: What to do about a key of a map that is no quantity.
_MAP = Remedy("a map gives our name first, as in {columns}", columns={"q": "pos_*"})


def canonical(name: str, remedy: str = _MAP) -> tuple[str, str]:
    """Our name for a key of a map, and the effort's role when the key says it: "tau" is (effort, torque)."""
    if name in MAPPED:
        return name, ""
    for role, aliases in ALIASES.items():
        if name.lower() in aliases or name == role:
            return ("effort", role) if role in EFFORT_ROLES else (role, "")
    raise UnknownNameError("quantity", name, MAPPED, remedy=remedy)
