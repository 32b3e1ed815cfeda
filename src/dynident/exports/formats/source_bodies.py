"""Bodies that were lumped from several source links, taken apart again.

Data tell only the sum over a body. When the description has its own numbers for the links that are fixed to the first, they
are subtracted and the first gets the rest, unless no rigid body can be that rest: then the first link gets everything, and
the others lose theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.parameters import change_of_frame
from dynident.robots.kinematics import inverse_pose
from dynident.robots.robot import Link, Robot
from dynident.robots.verdict import judge


@dataclass(frozen=True)
class Shares:
    """What each source link gets: (10,) in its own frame, or None when its inertial must go. Absent ones stay as they are."""

    parameters: Mapping[str, Array | None]
    notes: tuple[str, ...]


def share_out(robot: Robot, parameters: Array, known: Mapping[str, Array]) -> Shares:
    """Parameters (n, 10) of the bodies as parameters of the source links; `known` are those in the file, in own frames."""
    shares: dict[str, Array | None] = {}
    notes: list[str] = []
    for link, row in zip(robot.links, parameters, strict=True):
        own, note = _split(link, row, known)
        shares |= own
        notes += [note] if note else []
    return Shares(shares, tuple(notes))


def _split(link: Link, row: Array, known: Mapping[str, Array]) -> tuple[dict[str, Array | None], str]:
    head, children = link.pieces[0], [piece for piece in link.pieces[1:] if np.any(known.get(piece.name, np.zeros(10)) != 0.0)]
    into_head = change_of_frame(inverse_pose(head.placement))
    if not children:
        return {head.name: into_head @ row}, ""
    names = ", ".join(child.name for child in children)
    rest = into_head @ (row - sum(change_of_frame(child.placement) @ known[child.name] for child in children))
    if not judge(rest).verdict.inconsistent:
        return {head.name: rest}, f"{link.name}: {names} {_keep(children)} the file's inertia, and {head.name} has the rest of the body's"
    lumped: dict[str, Array | None] = {head.name: into_head @ row}
    return lumped | dict.fromkeys((child.name for child in children), None), (
        f"{link.name}: no rigid body can be what is left without {names}, so {head.name} has all of the body's inertia, and {names} none"
    )


def _keep(children: Sequence[object]) -> str:
    return "keeps" if len(children) == 1 else "keep"
