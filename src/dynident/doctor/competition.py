"""The competition of hypotheses: the best is corrected, all look again, and in the end each must still be needed beside the others.

A pair of faults is found so, although neither correction alone explains the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.excerpt import LEAST_FLOOR
from dynident.doctor.explanation import Explanation
from dynident.doctor.finding import Check, Confidence, Evidence, Finding, Suspect
from dynident.doctor.signals import compare_efforts
from dynident.errors import require

#: What a correction must gain in -2 log p to be looked at, to be named, and to be sure.
_LEAST, _CLEAR, SURE = 15.0, 30.0, 60.0
#: A sure correction leaves little of what was unexplained (`Check.leaves`), over all joints or over those that it concerns, or makes links
#: so much more plausible in -2 log p. And of the joints concerned at most this share of their effort stays unexplained.
_PLAUSIBLE, _UNEXPLAINED = 40.0, 0.5
_MOST = 6
#: Checks beside the strongest whose corrections are begun with.
_OTHERS = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Accused:
    """A suspect and its check, and what the log costs with its correction."""

    check: Check
    suspect: Suspect
    explanation: Explanation

    @property
    def cost(self) -> float:
        return self.explanation.cost + 2.0 * self.suspect.parameters


def compete(case: Case, checks: Sequence[Check]) -> tuple[Finding, ...]:
    """What is wrong, the strongest first, found on a case; each correction is for the case with those before it.

    Where one correction is not enough, the strongest may be the wrong one to begin with, so those of some other checks are begun with too.
    """
    if case.excerpt is None:
        return ()
    first = _rank(case, checks)
    if not first:
        return ()
    accepted = _follow(case, checks, first[0])
    if len(accepted) > 1:
        others = {item.check.name: item for item in reversed(first) if item.check.name != first[0].check.name}
        starts = sorted(others.values(), key=lambda item: item.cost)[:_OTHERS]
        accepted = min([accepted, *(_follow(case, checks, start, _total(accepted[:2])) for start in starts)], key=_total)
    return keep_needed(case, accepted)


def _follow(case: Case, checks: Sequence[Check], first: Accused, beat: float = np.inf) -> list[Accused]:
    """From a first correction to all that are worth it, always the strongest; given up where two of them cost more than others do."""
    accepted, current = [first], case.correct(first.suspect.correction)
    while len(accepted) < _MOST and current.excerpt is not None:
        found = _rank(current, checks)
        if not found:
            break
        accepted.append(found[0])
        if len(accepted) == 2 and _total(accepted) >= beat:
            break
        current = current.correct(found[0].suspect.correction)
    return accepted


def _total(accepted: Sequence[Accused]) -> float:
    """What the log costs with all of them."""
    return accepted[-1].cost + 2.0 * sum(item.suspect.parameters for item in accepted[:-1])


def _rank(case: Case, checks: Sequence[Check]) -> list[Accused]:
    """Those whose corrections are worth it, the strongest first."""
    worth = [item for item in _accuse(case, checks) if item.cost <= case.explanation.cost - _LEAST]
    return sorted(worth, key=lambda item: item.cost)


def _accuse(case: Case, checks: Sequence[Check]) -> Iterator[Accused]:
    for check in checks:
        if check.suspects is not None:
            for suspect in check.suspects(case):
                yield Accused(check=check, suspect=suspect, explanation=case.judge(suspect.correction))


def keep_needed(case: Case, accepted: Sequence[Accused]) -> tuple[Finding, ...]:
    """Each of them against the case with all the others but without it; what gains nothing there is left out, the least first."""
    corrected = _with(case, accepted)
    without = [_with(case, [*accepted[:number], *accepted[number + 1 :]]) for number in range(len(accepted))]
    gains = [_gain(*pair, corrected) for pair in zip(accepted, without, strict=True)]
    if gains and min(gains) <= 0.0:
        least = gains.index(min(gains))
        return keep_needed(case, [*accepted[:least], *accepted[least + 1 :]])
    return tuple(_finding(*pair, corrected) for pair in zip(accepted, without, strict=True))


def _gain(accused: Accused, before: Case, after: Case) -> float:
    """What a correction gains in -2 log p."""
    return before.explanation.cost - after.explanation.cost - 2.0 * accused.suspect.parameters


def _with(case: Case, accepted: Sequence[Accused]) -> Case:
    whole = Correction()
    for accused in accepted:
        whole = whole.then(accused.suspect.correction)
    return case.correct(whole) if accepted else case


def _finding(accused: Accused, before: Case, after: Case) -> Finding:
    suspect, joints = accused.suspect, list(accused.suspect.joints or range(before.robot.n))
    old, new = before.explanation, after.explanation
    gain = _gain(accused, before, after)
    doubt = before.judge(Correction(), prior=before.other_prior).cost - after.judge(Correction(), prior=after.other_prior).cost
    left, was = _above_floor(after), _above_floor(before)
    ratio = min(_rms(left) / _rms(was), _rms(left[joints]) / _rms(was[joints]))
    better = ratio <= accused.check.leaves or old.implausibility - new.implausibility >= _PLAUSIBLE
    sure = gain >= SURE and doubt >= 0.0 and better and _rms(left[joints]) <= _UNEXPLAINED
    evidence = (
        *suspect.evidence,
        Evidence("unexplained", 100.0 * old.overall, "%"),
        Evidence("unexplained with the correction", 100.0 * new.overall, "%"),
        Evidence("gain in log-probability", 0.5 * gain),
    )
    return Finding(
        name=accused.check.name,
        sentence=suspect.sentence,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM if gain >= _CLEAR else Confidence.LOW,
        evidence=evidence,
        joints=tuple(before.names[j] for j in suspect.joints),
        correction=suspect.correction,
        spoils=accused.check.spoils,
        signals=(compare_efforts(before, after, joints),),
    )


def _above_floor(case: Case) -> np.ndarray:
    """(n,) what is unexplained of each joint's effort and could be explained: wrists that carry little would hide all others."""
    return np.sqrt(np.maximum(case.explanation.misfit**2 - case.moments.floor**2, 0.0) + LEAST_FLOOR**2)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def merge(first: Finding, second: Finding) -> Finding:
    """Two findings of one check, the second made on a log with the first corrected, as one."""
    corrections = [require(item.correction, "the correction of a finding") for item in (first, second)]
    return replace(
        first,
        sentence=f"{first.sentence}; {second.sentence}",
        confidence=max(first.confidence, second.confidence, key=list(Confidence).index),
        evidence=(*first.evidence, *second.evidence),
        joints=tuple(dict.fromkeys((*first.joints, *second.joints))),
        correction=corrections[0].then(corrections[1]),
        signals=(*first.signals, *second.signals),
    )
