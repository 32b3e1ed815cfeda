"""A motion that tells too little: which coefficients this log can't determine, and what motion would."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.texts import listing
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import RangeComparison
from dynident.errors import InputError, Remedy
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import estimate
from dynident.regression.identify import build_problem

#: Coefficients whose standard deviation is beyond this share of themselves are not determined; and the share of them that is too much.
_UNKNOWN, _TOO_MANY = 100.0, 0.4
#: A joint must cover this much of its range [share], or this angle [rad | m] where it has none.
_RANGE, _ANGLE = 0.05, 0.2


def _look(case: Case) -> Iterator[Finding]:
    spans = np.ptp(case.data.q, axis=0)
    drawn = np.ptp(case.robot.drawn_range, axis=1)
    still = [j for j in range(case.robot.n) if spans[j] < np.minimum(_ANGLE, _RANGE * drawn[j])]
    estimate = _estimate(case)
    unknown = [] if estimate is None else np.flatnonzero(~(estimate.relative_std_percent < _UNKNOWN)).tolist()
    share = 0.0 if estimate is None else len(unknown) / estimate.base.rank
    if not still and share < _TOO_MANY:
        return
    names = tuple(case.names[j] for j in still)
    problems: list[str] = []
    if still:
        problems.append(f"{', '.join(names)} hardly move{'s' if len(names) == 1 else ''}")
    if unknown and estimate is not None:
        weak = listing([estimate.base.names[i] for i in unknown], 8)
        problems.append(f"{len(unknown)} of {estimate.base.rank} coefficients are not determined by this motion ({weak})")
    evidence = [Evidence(f"span of {case.names[j]}", float(spans[j]), case.robot.joints[j].units.position) for j in still]
    evidence.append(Evidence("coefficients that are not determined", 100.0 * share, "%"))
    yield Finding(
        name=CHECK.name,
        sentence=" and ".join(problems),
        confidence=Confidence.MEDIUM,
        evidence=tuple(evidence),
        joints=names,
        advice=_advice(estimate, unknown, names),
        signals=(RangeComparison(joints=case.names, covered=spans, available=drawn),),
    )


def _estimate(case: Case) -> Estimate | None:
    """None where the log is too short for one, or holds no torque."""
    if not case.is_torque:
        return None
    try:
        return estimate(build_problem(case.robot, case.data))
    except InputError:
        return None


def _advice(estimate: Estimate | None, unknown: list[int], still: tuple[str, ...]) -> str:
    """What motion would tell what this one doesn't: what friction models say about their parameters, and a design for the rest."""
    moves: list[str] = [f"move {', '.join(still)} through most of the range"] if still else []
    if estimate is not None and estimate.base.friction is not None:
        for i in unknown:
            column = estimate.base.columns[int(estimate.base.independent[i])]
            if isinstance(column, FrictionColumn):
                motion = estimate.base.friction.parameters[column.slot].motion
                if motion not in moves:
                    moves.append(motion)
    moves.append("{design_trajectory} finds a motion that tells the most")
    return Remedy("; ".join(moves), design_trajectory=...)


CHECK = Check(
    name="excitation",
    symptom="coefficients with standard deviations larger than themselves",
    cause="a motion that is too small, too slow, or of too few joints",
    fix="`design_trajectory`, which finds a motion that tells the most",
    stage=CheckStage.REST,
    look=_look,
)
