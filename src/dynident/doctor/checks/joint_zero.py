"""Joints whose zero is not that of the description, found from gravity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.explanation import Explanation
from dynident.doctor.finding import Check, Evidence, Stage, Suspect
from dynident.dynamics import inverse_dynamics

#: Offsets are about this large [rad | m]; smaller ones than the second are those of a careful calibration.
_USUAL, _SMALL = 0.3, 0.02
_STEP = 1e-4
_ROUNDS = 4


def _suspects(case: Case) -> Iterator[Suspect]:
    n = case.robot.n
    offsets = np.zeros(n)
    for _ in range(_ROUNDS):
        moved = _moved(case, offsets)
        change = np.clip(moved.tangents, -0.5, 0.5)
        offsets = offsets + change
        if np.abs(change).max() < 1e-3:
            break
    # only those without which the log is explained worse
    found = [j for j in range(n) if abs(offsets[j]) > _SMALL]
    whole = case.judge(Correction(offsets=offsets)).cost
    needed = [
        j for j in found if case.judge(Correction(offsets=np.where(np.arange(n) == j, 0.0, offsets))).cost > whole + 2.0 * _nats(case)
    ]
    if not needed:
        return
    kept = np.where(np.isin(np.arange(n), needed), offsets, 0.0)
    told = ", ".join(f"{case.names[j]} by {kept[j]:.3g} {case.robot.joints[j].units.position}" for j in needed)
    yield Suspect(
        sentence=f"the zero of {told} is off",
        correction=Correction(offsets=kept),
        joints=tuple(needed),
        parameters=_nats(case) * len(needed),
        evidence=tuple(Evidence(f"offset of {case.names[j]}", kept[j], case.robot.joints[j].units.position) for j in needed),
    )


def _nats(case: Case) -> float:
    """What a fitted number costs: half the logarithm of the rows that it is fitted to."""
    return 0.5 * float(np.log(case.moments.rows))


def _moved(case: Case, offsets: Array) -> Explanation:
    """The explanation of the log with these offsets, its tangents being what is to be added to them."""
    moved = case.shift(offsets)
    rows = moved.excerpt
    assert rows is not None  # noqa: S101 (checks of the model are asked with one)
    links = moved.explanation.links.reshape(-1, 10)
    tangents: list[Array] = []
    for j in range(case.robot.n):
        step = np.zeros(case.robot.n)
        step[j] = _STEP
        ahead, behind = (inverse_dynamics(case.robot, links, rows.q + sign * step, rows.dq, rows.ddq) for sign in (1.0, -1.0))
        tangents.append((ahead - behind) / (2.0 * _STEP))
    return moved.linearise(np.stack(tangents, axis=2), np.full(case.robot.n, _USUAL))


CHECK = Check(
    name="joint zero",
    symptom="gravity torques that are largest somewhere else than the description says",
    cause="a joint whose zero was lost, or is defined in another pose",
    fix="`offsets: [0, 0.1, 0]` [rad] in the YAML beside the data",
    stage=Stage.MODEL,
    suspects=_suspects,
    spoils=True,
    leaves=0.85,
)
