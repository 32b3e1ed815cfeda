"""Columns in another order than the robot's joints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Suspect

#: Robots of so many joints have few enough orders to try them all.
_FEW = 4


def _suspects(case: Case) -> Iterator[Suspect]:
    if case.well_explained:
        return
    n = case.robot.n
    for order in _orders(n):
        moved = tuple(j for j in range(n) if order[j] != j)
        listing = ", ".join(str(column + 1) for column in order)
        yield Suspect(
            sentence=f"the columns are in another order than the joints: those of the joints in turn are {listing}",
            correction=Correction(order=order),
            joints=moved,
            parameters=len(moved),
        )
        if n > 1 and len(moved) == 2:
            i, k = moved
            yield Suspect(
                sentence=f"the efforts of {case.names[i]} and {case.names[k]} are exchanged",
                correction=Correction(effort_order=order),
                joints=moved,
                parameters=len(moved) + 1.0,
            )


def _orders(n: int) -> Iterator[tuple[int, ...]]:
    """All of few, else two exchanged, all reversed, all moved by some places."""
    plain = tuple(range(n))
    if n <= _FEW:
        yield from (order for order in permutations(plain) if order != plain)
        return
    for i, k in combinations(plain, 2):
        order = list(plain)
        order[i], order[k] = k, i
        yield tuple(order)
    yield plain[::-1]
    for shift in range(1, n):
        yield plain[shift:] + plain[:shift]


CHECK = Check(
    name="joint order",
    symptom="most of several joints is unexplained, positions or efforts beyond the limits of their joints",
    cause="columns in another order than the robot's joints",
    fix="`joints: [joint2, joint1, joint3]` in the YAML beside the data, `effort_joints` where efforts alone are in another order",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
