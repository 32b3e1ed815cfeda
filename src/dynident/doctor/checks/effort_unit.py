"""Efforts in another unit: the same factor in all joints, by which the links weigh too much or too little."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Suspect

#: Units that efforts come in, with what is against them beforehand [nats].
UNITS = {"mNm": 1.0, "kNm": 2.0, "Ncm": 4.0}


def _suspects(case: Case) -> Iterator[Suspect]:
    for unit, rare in UNITS.items():
        yield Suspect(sentence=f"the efforts are in {unit}, not in N·m", correction=Correction(units={"effort": unit}), parameters=rare)


CHECK = Check(
    name="effort unit",
    symptom="links that weigh a thousand times too much or too little",
    cause="efforts in mN·m, N·cm or kN·m that were taken for N·m",
    fix="`units: {effort: mNm}`",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
