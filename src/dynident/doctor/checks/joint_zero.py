"""Joints whose zero is not that of the description, found from gravity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Evidence, Suspect
from dynident.dynamics import inverse_dynamics
from dynident.robots.robot import JointType

#: Offsets are about this large [rad | m]; smaller ones than the second are those of a careful calibration.
_USUAL, _SMALL = 0.3, 0.02
#: Offsets of zeros that are defined in another pose, near one of which to look too [rad].
_TURNS = (0.5 * np.pi, np.pi, -0.5 * np.pi)
_STEP = 1e-4
_ROUNDS = 4


def _suspects(case: Case) -> Iterator[Suspect]:
    """One joint at a time, as the others then look again: several at once would take up what has other causes."""
    for j in case.moving:
        offset = _settle(case, j)
        if abs(offset) > _SMALL:
            unit = case.robot.joints[j].units.position
            yield Suspect(
                sentence=f"the zero of {case.names[j]} is off by {offset:.3g} {unit}",
                correction=Correction(offsets=_alone(case, j, offset)),
                joints=(j,),
                parameters=0.5 * float(np.log(case.moments.rows)),
                evidence=(Evidence(f"offset of {case.names[j]}", offset, unit),),
            )


def _settle(case: Case, joint: int) -> float:
    """What is best added to the position of a joint, near zero or near the best of the turns."""
    starts = {0.0: case.explanation.cost}
    if case.robot.joints[joint].type is not JointType.PRISMATIC:
        turns = {turn: _cost(case, joint, turn) for turn in _TURNS}
        best = min(turns, key=lambda turn: turns[turn])
        if turns[best] < starts[0.0]:
            starts[best] = turns[best]
    found = [_refine(case, joint, start) for start in starts]
    return found[0] if len(found) == 1 else min(found, key=lambda offset: _cost(case, joint, offset))


def _refine(case: Case, joint: int, offset: float) -> float:
    """A few steps of Gauss and Newton, each at most half a radian long."""
    for _ in range(_ROUNDS):
        moved = case.shift(_alone(case, joint, offset))
        rows = moved.rows
        links, step = moved.explanation.links.reshape(-1, 10), _alone(case, joint, _STEP)
        ahead, behind = (inverse_dynamics(case.robot, links, rows.q + sign * step, rows.dq, rows.ddq) for sign in (1.0, -1.0))
        tangent = (ahead - behind)[:, :, None] / (2.0 * _STEP)
        change = float(np.clip(moved.linearise(tangent, np.array([_USUAL])).tangents[0], -0.5, 0.5))
        offset += change
        if abs(change) < 1e-3:
            break
    return offset


def _cost(case: Case, joint: int, offset: float) -> float:
    return case.shift(_alone(case, joint, offset)).explanation.cost


def _alone(case: Case, joint: int, value: float) -> Array:
    """(n,) a value for one joint, zero for the others."""
    return np.where(np.arange(case.robot.n) == joint, value, 0.0)


CHECK = Check(
    name="joint zero",
    symptom="gravity torques that are largest somewhere else than the description says",
    cause="a joint whose zero was lost, or is defined in another pose",
    fix="`offsets: [0, 0.1, 0]` [rad] in the YAML beside the data",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
    leaves=0.85,
)
