"""Gravity in another direction than was said: a robot on a wall, on a slope or under the ceiling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Evidence, Suspect
from dynident.dynamics import gravity as gravity_torque
from dynident.robots.robot import STANDARD_GRAVITY

#: Tilts below this are those of floors [degrees].
_LEVEL = 3.0
#: A direction is found when it moves by less than this [degrees].
_SETTLED = 0.3
_STEPS = 5


def _suspects(case: Case) -> Iterator[Suspect]:
    size = float(np.linalg.norm(STANDARD_GRAVITY))
    axes = [sign * size * np.eye(3)[k] for k in range(3) for sign in (1.0, -1.0)]
    tried = [(axis, case.judge(Correction(gravity=axis))) for axis in axes if _angle(axis, case.robot.gravity) > _LEVEL]
    for axis, _ in tried:
        yield _suspect(case, axis, 0.5)
    starts = sorted([(case.robot.gravity, case.explanation), *tried], key=lambda item: item[1].cost)[: 1 if case.well_explained else 2]
    for start, _ in starts:
        found = _refine(case, start, size)
        if found is not None and all(_angle(found, axis) > _LEVEL for axis in (*axes, case.robot.gravity)):
            yield _suspect(case, found, 10.0)


def _suspect(case: Case, direction: Array, parameters: float) -> Suspect:
    x, y, z = np.round(direction, 3) + 0.0  # no minus zero
    return Suspect(
        sentence=f"gravity is along ({x:.3g}, {y:.3g}, {z:.3g}) m/s² in the base frame, not as was said",
        correction=Correction(gravity=direction),
        parameters=parameters,
        evidence=(Evidence("angle to the gravity that was said", _angle(direction, case.robot.gravity), "degrees"),),
    )


def _refine(case: Case, start: Array, size: float) -> Array | None:
    """The direction that explains the efforts best near a given one; None where hardly any gravity does."""
    direction = start if np.any(start) else np.array(STANDARD_GRAVITY)
    for _ in range(_STEPS):
        turned = case.turn(direction)
        links = turned.explanation.links.reshape(-1, 10)
        pulls = [gravity_torque(turned.robot.with_gravity(axis), links, turned.rows.q) for axis in np.eye(3)]
        found = direction + turned.linearise(np.stack(pulls, axis=2), np.full(3, size)).tangents
        length = float(np.linalg.norm(found))
        if length < 0.2 * size:
            return None
        moved, direction = _angle(found, direction), found * size / length
        if moved < _SETTLED:
            break
    return direction


def _angle(a: Array, b: Array) -> float:
    """Between two vectors [degrees]; 180 where one is none."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return 180.0 if lengths == 0.0 else float(np.degrees(np.arccos(np.clip(a @ b / lengths, -1.0, 1.0))))


CHECK = Check(
    name="gravity",
    symptom="a model that predicts well with masses that no arm has, or joints near the base that nothing explains",
    cause="a robot that is not mounted upright, or a base frame that is turned against the description's",
    fix="`gravity` of the robot, (9.81, 0, 0)",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
