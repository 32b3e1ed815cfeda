"""Efforts that were stamped later, or earlier, than the positions that belong to them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Evidence, Suspect

#: Delays are about this long, and shorter ones than the second do no harm [s].
_USUAL, _SHORT = 0.05, 0.002
#: Longer ones are not looked for [s].
_LONGEST = 0.5
_ROUNDS = 4


def _suspects(case: Case) -> Iterator[Suspect]:
    delay, shifted = 0.0, case
    for _ in range(_ROUNDS):
        if shifted.excerpt is None or abs(delay) > _LONGEST:
            return
        # an effort that is late by d is the one now plus d times its slope
        late = shifted.linearise(-shifted.excerpt.slope[:, :, None], np.array([_USUAL])).tangents[0]
        delay += float(late)
        if abs(late) < 0.1 * _SHORT or abs(delay) < _SHORT:
            break
        shifted = case.correct(Correction(delay=np.full(case.robot.n, delay)))
    if abs(delay) >= _SHORT:
        word = "later" if delay > 0.0 else "earlier"
        yield Suspect(
            sentence=f"the efforts were stamped {1e3 * abs(delay):.2g} ms {word} than the positions",
            correction=Correction(delay=np.full(case.robot.n, delay)),
            parameters=0.5 * float(np.log(case.moments.rows)) + 1.0,
            evidence=(Evidence("delay", 1e3 * delay, "ms"),),
        )


CHECK = Check(
    name="delay",
    symptom="residuals that look like the slope of the effort",
    cause="efforts that went through a filter or a slower bus than the positions",
    fix="`delay: 0.012`",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    leaves=1.0,
)
