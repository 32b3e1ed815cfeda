"""What a URDF says of the friction in its joints: <dynamics friction="…" damping="…">.

Many descriptions have numbers there that make a simulator stable and are no robot's: friction that at the joint's largest velocity takes
less than 0.2 % or more than 40 % of what the joint can give is not believed. (Published tables of four arms, 26 joints, have 0.3 to 36 %.)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import parse_xml
from dynident.errors import DynidentError
from dynident.robots.formats.urdf_xml import read_numbers
from dynident.robots.robot import Robot

#: Friction below and above these shares of a joint's effort limit is not believed.
LEAST, MOST = 0.002, 0.4


def described_friction(robot: Robot) -> Array:
    """(n, 2) Coulomb friction [N·m | N] and viscous friction [N·m·s/rad | N·s/m] of every joint; nan where nothing is said or believed."""
    found = np.full((robot.n, 2), np.nan)
    source = Path(robot.source)
    if source.suffix.lower() != ".urdf" or not source.is_file():
        return found
    try:
        said = _read(source)
    except (DynidentError, OSError, UnicodeDecodeError):  # the robot is known without its file, which may have changed since
        return found
    for j, joint in enumerate(robot.joints):
        coulomb, viscous = said.get(joint.name, (0.0, 0.0))
        fastest = viscous * joint.velocity if viscous > 0.0 else 0.0
        if min(coulomb, viscous) >= 0.0 and 0.0 < LEAST * joint.effort <= coulomb + fastest <= MOST * joint.effort < np.inf:
            found[j] = coulomb, viscous
    return found


def _read(source: Path) -> dict[str, tuple[float, float]]:
    """Friction and damping by joint."""
    said: dict[str, tuple[float, float]] = {}
    for joint in parse_xml(source, source.read_text(encoding="utf-8")).findall("joint"):
        place = f"joint {joint.get('name')!r}"
        numbers = read_numbers(source, place, joint.find("dynamics"), optional=("friction", "damping"))
        friction, damping = (float(numbers[name][0]) if name in numbers else 0.0 for name in ("friction", "damping"))
        said[joint.get("name", "")] = friction, damping
    return said
