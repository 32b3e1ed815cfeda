"""A clock that runs too fast or too slowly: rates that were misread, stamps in another unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.checks.position_unit import count_of_turn
from dynident.doctor.checks.velocity import NEAR_UNIT, SAME, compare_velocities, has_common_factor, unit_of
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding, Suspect

#: What the stamps may have to be multiplied by, to look for the best near the best of these.
_FACTORS = (1e-9, 1e-6, 1e-3, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.6, 2.5, 5.0, 10.0, 20.0, 50.0)
#: Of logs with velocities that agree with the positions, fewer.
_FEW_FACTORS = (0.05, 0.2, 0.5, 2.0, 5.0, 20.0)
_UNITS = {1e-3: "ms", 1e-6: "us", 1e-9: "ns"}
#: Rates that loggers have [Hz], times powers of ten.
_USUAL = (1.0, 1.2, 1.25, 1.5, 2.0, 2.4, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_COMMON = (1.0, 1.25, 2.0, 2.5, 5.0)
#: How far from what fits best a common rate may be: links are known to about a factor of two only.
_NEAR = 1.4
_HALVINGS = 6


def usual_rate(rate: float, near: float = 1.02) -> float:
    """The usual sampling rate [Hz] that is nearest to one, where one is near; else itself."""
    ten = 10.0 ** np.floor(np.log10(rate))
    known = _USUAL if near < _USUAL[1] else _COMMON
    candidates = np.array([value * ten * shift for value in known for shift in (0.1, 1.0, 10.0)])
    best = float(candidates[np.argmin(np.abs(np.log(candidates / rate)))])
    return best if abs(np.log(best / rate)) <= np.log(near) else rate


def clock_suspect(case: Case, factor: float, *, near: float) -> tuple[str, Correction]:
    """The sentence and the correction of stamps that have to be multiplied by a factor."""
    rate = case.data.rate
    for exact, unit in _UNITS.items():
        if abs(np.log(factor / exact)) <= np.log(near):
            return f"the stamps are in {unit}, not in s", Correction(units={"time": unit}, clock=exact)
    found = usual_rate(rate / factor, near)
    how = "slowly" if factor < 1.0 else "fast"
    sentence = (
        f"the log's clock runs {max(factor, 1.0 / factor):.3g} times too {how}: it was recorded at about {found:.4g} Hz, not {rate:.4g}"
    )
    return sentence, Correction(rate=found, clock=rate / found)


def _look(case: Case) -> Iterator[Finding]:
    """One factor between all velocities and the derivatives of the positions: of the clock, or a unit of either."""
    found = case.velocities
    if found is None or not has_common_factor(found):
        return
    factor = float(np.median(found.factors[found.moving]))
    if abs(np.log(factor)) <= np.log(SAME):
        return
    candidates = list(_candidates(case, factor))
    if case.excerpt is None or len(candidates) == 1:
        name, sentence, correction = candidates[0]
    else:
        name, sentence, correction = min(candidates, key=lambda item: case.judge(_motion_only(item[2])).cost)
    yield Finding(
        name=name,
        sentence=sentence,
        confidence=Confidence.HIGH,
        evidence=(
            Evidence("velocity over derivative of the position", factor),
            Evidence("least correlation of the two", float(found.own[found.moving].min())),
        ),
        correction=correction,
        spoils=name != "velocity",
        signals=(compare_velocities(case, found, int(found.moving[0])),),
    )


def _candidates(case: Case, factor: float) -> Iterator[tuple[str, str, Correction]]:
    """Name, sentence and correction of what velocities that are so many times the derivative of the positions can be.

    Accelerations decide where there are some: a clock shows the same factor between them and the velocities.
    """
    further = case.accelerations
    known = further is not None and has_common_factor(further)
    second = float(np.median(further.factors[further.moving])) if known and further is not None else None
    said = False
    if counts := count_of_turn(case.data.q, factor):
        ignored = tuple(name for name in ("dq", "ddq") if getattr(case.data, name) is not None)
        correction = Correction(counts=np.full(case.robot.n, counts / (2.0 * np.pi)), ignored=ignored)
        yield "position unit", f"positions are counts of an encoder, {counts:.10g} in a turn", correction
        return
    if second is None or abs(np.log(second / factor)) < np.log(SAME):
        said = True
        sentence, correction = clock_suspect(case, 1.0 / factor, near=NEAR_UNIT)
        yield "time base", sentence, correction
    if unit := unit_of("dq", factor):
        said = True
        yield "velocity", f"the recorded velocities are in {unit}, not in rad/s", Correction(units={"dq": unit})
    if unit := unit_of("q", 1.0 / factor):
        said = True
        stay = {name: rest for name, rest in (("dq", "rad/s"), ("ddq", "rad/s^2")) if getattr(case.data, name) is not None}
        yield "position unit", f"positions are in {unit}, not in rad", Correction(units={"q": unit, **stay})
    if not said:
        sentence = f"the recorded velocities are {factor:.3g} times the derivative of the positions, and the accelerations fit neither"
        yield "velocity", sentence, Correction(ignored=("dq",))


def _motion_only(correction: Correction) -> Correction:
    """What of a correction an excerpt shows, whose velocities are derivatives of the positions where the recorded ones disagree."""
    return replace(correction, units={name: unit for name, unit in correction.units.items() if name == "q"}, rate=None, ignored=())


def _suspects(case: Case) -> Iterator[Suspect]:
    if case.velocities is not None and len(case.velocities.moving):
        return  # they agree with the clock, or have told another one
    factors = _FACTORS if case.data.dq is None else _FEW_FACTORS
    costs = {factor: case.judge(Correction(clock=factor)).cost for factor in factors}
    best = min(costs, key=lambda factor: costs[factor])
    if costs[best] > case.explanation.cost:
        return
    low, high = np.log(best) - 0.7, np.log(best) + 0.7
    for _ in range(_HALVINGS):
        third = (high - low) / 3.0
        left, right = (case.judge(Correction(clock=float(np.exp(place)))).cost for place in (low + third, high - third))
        low, high = (low, high - third) if left < right else (low + third, high)
    factor = float(np.exp(0.5 * (low + high)))
    sentence, correction = clock_suspect(case, factor, near=_NEAR)
    yield Suspect(sentence=sentence, correction=correction, parameters=3.0, evidence=(Evidence("stamps times", correction.clock),))


CHECK = Check(
    name="time base",
    symptom="velocities that are the derivatives of the positions times a factor, inertias that no arm of this weight has",
    cause="a sampling rate that was misread, stamps in another unit",
    fix="`rate: 1000`, or `units: {time: ms}`",
    stage=CheckStage.SIGNALS,
    look=_look,
    suspects=_suspects,
    spoils=True,
)
