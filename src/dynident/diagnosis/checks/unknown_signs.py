"""Magnitudes that the robot explains with no signs, or with several: what other checks look for needs signs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.errors import InputError

_UNTOLD = "units, order, signs of positions and mounting are not checked where signs are unknown"


def _look(case: Case) -> Iterator[Finding]:
    kind = case.data.effort_kind
    if case.data.effort is None or kind is None or not kind.unsigned:
        return
    from dynident.routes.signs import recover_signs

    try:
        recovery = recover_signs(case.robot, case.data)
    except InputError as error:
        yield Finding(
            name=CHECK.name,
            sentence=f"the signs can't be recovered, so whether the robot explains the efforts is not known: {error}",
            confidence=Confidence.MEDIUM,
            advice=_UNTOLD,
        )
        return
    if recovery.verdict.settled:
        return
    shares = recovery.confidence.levels / np.sqrt(np.mean(recovery.log.require("effort") ** 2, axis=0))
    margins = recovery.confidence.flip_margins
    worst, closest = int(np.argmax(shares)), int(np.argmin(margins))
    evidence = [Evidence(f"left by the model of {case.names[worst]}", 100.0 * float(shares[worst]), "% of its effort")]
    if np.isfinite(margins[closest]):
        evidence.append(Evidence(f"margin of other signs of {case.names[closest]} in log-probability", float(margins[closest])))
    yield Finding(
        name=CHECK.name,
        sentence=f"{recovery.verdict.value}: {recovery.reason}",
        confidence=Confidence.MEDIUM,
        evidence=tuple(evidence),
        advice=f"{recovery.advice}; {_UNTOLD}",
        signals=(recovery,),
    )


CHECK = Check(
    name="unknown signs",
    symptom="magnitudes that the robot explains with no signs, or with several",
    cause="friction that the model lacks, a wrong unit, order or mounting, or a motion that doesn't tell",
    fix="a friction model that fits (`auto` chooses one) when signs are recovered; a longer and faster motion",
    stage=CheckStage.REST,
    look=_look,
)
