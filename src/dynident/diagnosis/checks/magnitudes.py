"""Efforts without their sign: |torque| or |current| that was taken for a torque or a current.

A motion that reverses makes efforts of either sign. Gravity can keep that of one joint positive, but an effort that comes down to zero
again and again and never goes through has lost its sign. Where it does so a few times only, the robot decides: it must explain the log
with signs that are found, and far better than as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data import Reading
from dynident.diagnosis.case import Case, is_well_explained
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows
from dynident.diagnosis.verdict import SURE
from dynident.errors import InputError, Remedy

#: An effort is at zero below this share of its RMS, and away from it above that one.
_AT_ZERO, _AWAY = 0.05, 0.25
#: Returns from zero, of all joints together, that no signed effort makes: half of them would go through it.
_RETURNS = 10


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    if not data.seems_unsigned:
        return
    places = [find_returns(values) for values in data.require("effort").T]
    count = sum(map(len, places))
    if count == 0:  # nothing says that a sign was lost
        return
    joint = int(np.argmax([len(returns) for returns in places]))
    effort = data.require("effort")[:, joint]
    turned = np.searchsorted(places[joint], np.arange(data.samples), side="right") % 2
    explained = case.excerpt is not None and is_well_explained(case.explanation)
    sure = (count >= _RETURNS and not explained) or _gain_with_signs(case) >= SURE
    if explained and not sure:
        return
    yield Finding(
        name=CHECK.name,
        sentence=f"no effort is ever negative{': these are' if sure else ', as if these were'} magnitudes without their signs",
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        evidence=(Evidence("returns from zero that never go through it", float(count)),),
        correction=Correction.of(data.n, Reading(effort_kind="magnitude")),
        advice=Remedy("then recover the signs, {recover_signs}", recover_signs=...),
        spoils=True,
        signals=mark_rows(case, "effort", joint, np.where(turned == 1, -effort, effort), "the same with a sign that changes at zero"),
    )


def _gain_with_signs(case: Case) -> float:
    """What signs gain in -2 log p; zero where none can be found that the robot explains."""
    from dynident.routes.signs import recover_signs

    try:
        recovery = recover_signs(case.robot, case.data)
    except InputError:
        return 0.0
    signed = replace(case, data=recovery.signed)
    if case.excerpt is None or signed.excerpt is None or not recovery.verdict.settled:
        return 0.0
    return case.explanation.cost - signed.explanation.cost


def find_returns(effort: Array) -> IntArray:
    """(k,) samples at which an effort (N,) that is never negative was at zero, after and before samples at which it was far from it."""
    size = float(np.sqrt(np.mean(effort**2)))
    place = np.flatnonzero((effort < _AT_ZERO * size) | (effort > _AWAY * size))
    low = effort[place] < _AT_ZERO * size
    edges = np.flatnonzero(np.diff(low.astype(int)))
    first, last = edges[low[edges + 1]] + 1, edges[low[edges]]  # of each run at zero
    last = last[last >= first[0]] if len(first) else last[:0]
    runs = zip(first[: len(last)].tolist(), last.tolist(), strict=True)
    return np.array([place[a + int(np.argmin(effort[place[a : b + 1]]))] for a, b in runs], dtype=np.int64)


CHECK = Check(
    name="magnitudes",
    symptom="efforts of which none is negative, although joints move both ways",
    cause="a controller that gives the magnitude of torque or current",
    fix="`effort_kind: magnitude`, then `dynident signs` ([how](../tutorials/unsigned.md))",
    stage=CheckStage.SIGNALS,
    look=_look,
    spoils=True,
)
