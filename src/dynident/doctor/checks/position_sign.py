"""Joints that count the other way than those of the description: their position alone, or position and effort together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction, flip
from dynident.doctor.finding import Check, CheckStage, Suspect


def _suspects(case: Case) -> Iterator[Suspect]:
    n = case.robot.n
    groups: list[tuple[str, Sequence[int]]] = [] if case.well_explained else [(name, [j]) for j, name in enumerate(case.names)]
    if n > 1 or case.well_explained:
        groups.append(("all joints", range(n)))
    for who, joints in groups:
        signs, own = flip(n, joints), tuple(joints) if len(joints) < n else ()
        few = 0.5 if own else 0.0
        # a joint whose position is mirrored has its effort right, or mirrored too
        alone = Correction(signs=signs)
        yield Suspect(
            sentence=f"the position of {who} counts the other way than in the description", correction=alone, joints=own, parameters=few
        )
        both = Correction(signs=signs, effort_signs=signs)
        sentence = f"position and effort of {who} count the other way than in the description"
        yield Suspect(sentence=sentence, correction=both, joints=own, parameters=few)


CHECK = Check(
    name="position sign",
    symptom="most of several joints is unexplained, although each of them looks right by itself",
    cause="a joint that the controller counts the other way than the description does",
    fix="`signs: [1, -1, 1]` in the YAML beside the data, with `effort_signs` where efforts are right",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
