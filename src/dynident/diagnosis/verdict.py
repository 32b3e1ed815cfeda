"""From the best reading that a search has found to findings: how sure each candidate of it is, and what is tied with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.diagnosis.case import Case
from dynident.diagnosis.effort_candidates import delay_candidate, payloads
from dynident.diagnosis.evidence import DELAY_STD, ON_TIME
from dynident.diagnosis.finding import Check, Confidence, Evidence, Finding
from dynident.diagnosis.motion_candidates import gravity_of_turn, wrong_joints
from dynident.diagnosis.search import Candidate, Hypothesis, Search, join_corrections, margin
from dynident.diagnosis.signals import Shown, compare_efforts, compare_velocities

#: What a correction must gain in -2 log p to be named, and to be sure; no correction of a clean log of fourteen arms that were made for the
#: study gains the first.
_CLEAR, SURE = 30.0, 60.0
#: What a delay must gain to be worth a look: seven times as probable as none. At 0 the clean logs of two arms have one, of -7 and -5 ms.
_HINT = 4.0
#: An arm is heavier than the description says whose links are beyond this factor: six clean ones are at 0.7 or 1, with a load at 1.4 or 2.
_HEAVY = 1.2
#: What another reading's links are more plausible [nats] counts so much more against a best one that is to be sure: what no model explains
#: is no noise. Of a slow arm whose gravity was compensated 31 nats spoke for gains, which made the links less plausible by 170.
_NEARER = 0.25
#: Readings within so many nats are tied, and a sure one is ahead of all that are otherwise by more.
_TIED = 5.0
#: A sure correction leaves little of what was unexplained (`Check.leaves`), over all joints or over those that it concerns, or makes links
#: so much more plausible in -2 log p. And of the joints concerned at most this share of their effort stays unexplained.
_PLAUSIBLE, _UNEXPLAINED, _LEAST = 20.0, 0.25, 0.02
#: With a correction that makes it worse `identify` leaves so many times as much unexplained.
_WORSE = 1.01
#: The zero of a joint is sure where a turn of it by a radian changes gravity by this share of the largest effort.
_LOADED = 0.1
_ROUNDS = 3


def judge(search: Search, checks: Mapping[str, Check]) -> list[Finding]:
    """The findings of the best reading, the strongest first."""
    best = search.run()
    for _ in range(_ROUNDS):  # a reading without one of them, and with others, may be better still
        others = {item.key: search.alternatives(best, item) for item in best.candidates}
        better = min((items[0] for items in others.values() if items), key=lambda item: item.cost, default=best)
        if better.cost > best.cost - 1e-6:
            break
        best = search.prune(better)
    else:
        others = {item.key: search.alternatives(best, item) for item in best.candidates}
    findings = {item.key: _finding(search, best, item, others[item.key], checks) for item in best.candidates}
    hints = dict(filter(None, (_late(search, best, checks), _loaded(search, best, checks))))
    findings |= {item.key: finding for item, finding in hints.items()}
    candidates = [*best.candidates, *hints]
    sure = [item for item in candidates if findings[item.key].sure]
    quoted = [_quote(search.case, sure, item, findings[item.key]) for item in candidates]
    return sorted(quoted, key=lambda finding: list(Confidence).index(finding.confidence))


def _quote(case: Case, sure: Sequence[Candidate], candidate: Candidate, finding: Finding) -> Finding:
    """A finding with what `identify` leaves unexplained beside the sure corrections, without its own and with it.

    What is not sure, and lets `identify` explain less, is a mere doubt. (It explains no less of efforts in other units.)
    """
    if finding.correction is None or (finding.confidence is Confidence.LOW and candidate.check != "delay"):
        return finding
    n = case.robot.n
    errors = [case.identify_error(join_corrections(n, [item for item in sure if item is not candidate]))]
    errors.append(case.identify_error(join_corrections(n, [*sure, *([] if candidate in sure else [candidate])])))
    names = ("unexplained", "unexplained with the correction")
    evidence = (Evidence(name, error, "%") for name, error in zip(names, errors, strict=True) if error is not None)
    *others, gain = finding.evidence
    before, after = errors
    doubtful = finding.confidence is Confidence.MEDIUM and before is not None and after is not None and after > _WORSE * before
    return replace(finding, evidence=(*others, *evidence, gain), confidence=Confidence.LOW if doubtful else finding.confidence)


def _finding(search: Search, best: Hypothesis, candidate: Candidate, others: Sequence[Hypothesis], checks: Mapping[str, Check]) -> Finding:
    case = search.case
    without = search.judge([item for item in best.candidates if item is not candidate], best)
    gain = without.cost - best.cost
    tied = _tied(case.data, best, candidate, others)
    ahead = min((margin(best, other) for other in _simplest(best, others)), default=np.inf)
    sure = (
        not candidate.payload
        and not tied
        and ahead > _TIED
        and not any(_is_nearer(other, best) for other in others)
        and gain >= SURE
        and _is_better(case, best, without, candidate, checks[candidate.check])
    )
    group = sorted([candidate, *tied], key=lambda item: item.nats)
    first, *rest = (_describe(case, best, without, item, checks, gain) for item in group)
    confidence = _confidence(gain, sure=sure)
    return replace(first, confidence=confidence, tied=tuple(replace(item, confidence=confidence) for item in rest))


def _confidence(gain: float, *, sure: bool) -> Confidence:
    return Confidence.HIGH if sure else Confidence.MEDIUM if gain >= _CLEAR else Confidence.LOW


def _is_nearer(other: Hypothesis, best: Hypothesis) -> bool:
    """Whether another reading is hardly worse for how much nearer its links are to the description."""
    return margin(best, other) < _NEARER * 0.5 * (best.explanation.implausibility - other.explanation.implausibility)


def _late(search: Search, best: Hypothesis, checks: Mapping[str, Check]) -> tuple[Candidate, Finding] | None:
    """A delay of the efforts where the log says that there is one: every reading has its own, so that nothing else competes with it."""
    if "delay" not in search.names:
        return None
    case, read = search.case, best.correction
    on_time, late = (case.anew(read, payload=best.payload, delay_std=std) for std in (ON_TIME, DELAY_STD))
    gain = on_time.cost - late.cost
    if gain < _HINT:
        return None
    candidate = delay_candidate(case, best)
    uniform, uniform_late = (case.anew(read, nominal=False, delay_std=std).cost for std in (ON_TIME, DELAY_STD))
    sure = gain >= SURE and _rms(best.explanation.excess) <= _UNEXPLAINED and uniform_late <= uniform
    finding = _describe(case, best, replace(best, explanation=on_time), candidate, checks, gain)
    return candidate, replace(finding, confidence=_confidence(gain, sure=sure))


def _loaded(search: Search, best: Hypothesis, checks: Mapping[str, Check]) -> tuple[Candidate, Finding] | None:
    """A payload where an arm that is heavier in all than the description says explains the log hardly better."""
    for candidate in payloads(search.case, best) if best.explanation.scale > _HEAVY and "payload" in search.names else ():
        loaded = search.judge([*best.candidates, candidate], best)
        if margin(best, loaded) < _TIED and loaded.explanation.scale < best.explanation.scale:
            finding = _describe(search.case, loaded, best, candidate, checks, best.cost - loaded.cost)
            sentence = f"{candidate.sentence}, or its links are {best.explanation.scale:.2g} times as heavy as it says"
            return candidate, replace(finding, sentence=sentence)
    return None


def _simplest(best: Hypothesis, others: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Those to which nothing was added that the best reading, or a simpler one of them, could have as well."""
    near = [item for item in others if margin(best, item) < 4.0 * _TIED]
    kept: list[Hypothesis] = []
    for item in sorted(near, key=lambda other: len(other.candidates)):
        if not any(other.keys < item.keys for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda other: other.cost)


def _tied(data: Dataset, best: Hypothesis, candidate: Candidate, others: Sequence[Hypothesis]) -> list[Candidate]:
    """What explains the log about as well in the place of a candidate."""
    tied: list[Candidate] = []
    for other in _simplest(best, others):
        instead = [item for item in other.candidates if item.key not in best.keys]
        kept = sum(item.key in best.keys for item in other.candidates)
        if margin(best, other) > _TIED or not instead or (kept < len(best.candidates) - 1 and len(instead) > 1):
            continue
        whole = instead[0]
        for item in instead[1:]:
            whole = Candidate(
                check=whole.check,
                sentence=f"{whole.sentence}, and {item.sentence}",
                correction=whole.correction.then(item.correction).spell(data),
                joints=tuple(sorted({*whole.joints, *item.joints})),
                nats=whole.nats + item.nats,
                evidence=(*whole.evidence, *item.evidence),
                which=f"{whole.which} {item.check} {item.which}",
            )
        if all(item.key != whole.key for item in tied) and len(tied) < 4:
            tied.append(whole)
    return tied


def _is_better(case: Case, best: Hypothesis, without: Hypothesis, candidate: Candidate, check: Check) -> bool:
    """Whether a correction makes the log explained much better, or by much more plausible links, and leaves no doubt."""
    old, new = without.explanation, best.explanation
    joints = list(candidate.joints or range(case.robot.n))
    kinematic = case.kinematics.cost(without.correction) - case.kinematics.cost(best.correction)
    if kinematic >= SURE:
        return True
    before, after = (np.sqrt(item.excess**2 + _LEAST**2) for item in (old, new))
    ratio = min(_rms(after) / _rms(before), _rms(after[joints]) / _rms(before[joints]))
    if ratio > check.leaves and old.implausibility - new.implausibility < _PLAUSIBLE:
        return False
    if _rms(new.excess[joints]) > _UNEXPLAINED:
        return False
    if candidate.check == "joint zero" and gravity_of_turn(case, best, candidate.joints[0]) < _LOADED:
        return False
    if not case.prior.nominal:
        return True
    worse, better = (case.anew(item.correction, nominal=False).cost for item in (without, best))
    return better <= worse


def _describe(case: Case, best: Hypothesis, without: Hypothesis, candidate: Candidate, checks: Mapping[str, Check], gain: float) -> Finding:
    joints = list(candidate.joints or range(case.robot.n))
    return Finding(
        name=candidate.check,
        sentence=candidate.sentence,
        confidence=Confidence.LOW,
        evidence=(*candidate.evidence, Evidence("gain in log-probability", 0.5 * min(gain, 2e3))),
        joints=tuple(case.names[j] for j in candidate.joints),
        correction=None if candidate.payload else candidate.correction,
        advice=checks[candidate.check].advice,
        spoils=checks[candidate.check].spoils,
        signals=(_picture(case, best, without, candidate, joints),),
    )


def _picture(case: Case, best: Hypothesis, without: Hypothesis, candidate: Candidate, joints: Sequence[int]) -> Shown:
    name, what = ("ddq", "acceleration") if candidate.check == "acceleration" else ("dq", "velocity")
    comparison = case.kinematics.comparison(name)
    if comparison is None or candidate.check not in ("velocity", "time base", "acceleration"):
        return compare_efforts(case, without, best, joints)
    wrong = wrong_joints(case, name) or [0]
    return compare_velocities(case, comparison, min(wrong, key=lambda j: comparison.correlation[j]), what)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
