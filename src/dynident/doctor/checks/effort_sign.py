"""Efforts that count the other way than positions do: friction would drive the motion, and the joint contradicts the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction, flip
from dynident.doctor.finding import Check, CheckStage, Suspect


def _suspects(case: Case) -> Iterator[Suspect]:
    n = case.robot.n
    for j, name in enumerate(() if case.well_explained else case.names):
        yield Suspect(
            sentence=f"the effort of {name} counts the other way than its position",
            correction=Correction(effort_signs=flip(n, [j])),
            joints=(j,),
            parameters=0.5,
        )
    if n > 1:
        yield Suspect(sentence="all efforts count the other way than the positions", correction=Correction(effort_signs=-np.ones(n)))


CHECK = Check(
    name="effort sign",
    symptom="negative friction, a joint of which most is unexplained, masses that no arm has",
    cause="an effort that counts the other way than the position, in one joint or in all",
    fix="`effort_signs: [1, -1, 1]`",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
