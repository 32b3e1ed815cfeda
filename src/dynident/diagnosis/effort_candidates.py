"""What may be wrong with the efforts of a log: their unit, gains and signs, a payload, and how late they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Reading
from dynident.data.reading.quantities import factor
from dynident.diagnosis.case import Case, is_well_explained
from dynident.diagnosis.correction import Correction, flip
from dynident.diagnosis.evidence import DELAY_STD, DRIVE, slope_of_efforts
from dynident.diagnosis.finding import Evidence
from dynident.diagnosis.search import Candidate, Hypothesis

#: Units that efforts come in, with what is against them beforehand [nats]; one is tried whose factor is this near to what the links say.
_UNITS, _NEAR = {"mNm": 1.0, "kNm": 3.0, "Ncm": 3.0, "kgfcm": 3.0}, 8.0
#: A common gain this near to a unit is that unit.
_SAME_UNIT = 1.35
#: Gains within this factor of one are those of calibrated torques. A common gain is improbable by so many nats, single ones by the third,
#: and those of all joints by the last and three each, as each is a number between 0.1 and 10 that is told to 5 %.
_CALIBRATED, _COMMON, _SINGLE, _EACH = 1.4, 5.0, 5.0, 6.0
#: A gain of one joint that costs hardly more [-2 log p] is one of these.
_PLAIN, _HARDLY = (0.5, 2.0, 0.1, 10.0, 0.01, 100.0, 0.001, 1000.0), 3.0
#: A joint of whose effort this share stays unexplained does not tell its gain; it then gets the one in the middle.
_UNTOLD = 0.4
#: Larger gains are those of gears, and none are beyond the second.
_GEARS, _LARGEST_GAIN = 30.0, 1e8
#: The lightest payload, as a share of the arm.
_LEAST_PAYLOAD = 0.02
#: How often an effort is shifted to measure what is left of its delay.
_SHIFTS = 2
#: While gains are looked for: how much stiffer links are than else, so that they do not take up a common gain; and how far from the
#: middle one the gains are, as a share.
_ROUNDS, _STIFF, _ALIKE = 10, 10.0, 1.0


def units(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """The same factor in all joints, which the weight of the links tells: a unit, or a gain."""
    if parent.has("effort unit", "effort gains"):
        return
    scale = parent.explanation.scale
    for unit, nats in _UNITS.items():
        if abs(np.log(factor("effort", unit) * scale)) < np.log(_NEAR):
            correction = Correction.of(case.robot.n, Reading(units={"effort": unit}))
            yield Candidate("effort unit", f"the efforts are in {unit}, not in N·m", correction, nats=nats, which=unit)
    if case.prior.nominal and not 0.4 < scale < 2.5:
        gain = -np.log(_slope(case, parent.correction, parent))
        if all(abs(gain - np.log(factor("effort", unit))) > np.log(_SAME_UNIT) for unit in _UNITS):
            yield _gains(case, np.full(case.robot.n, float(f"{np.exp(gain):.3g}")), _COMMON, which="common")


def gains(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """A factor of one joint, or one of each: torque sensors that were set up wrongly, motor currents, torques before the gears."""
    if parent.has("effort gains") or case.robot.n < 2:
        return
    n = case.robot.n
    for j in range(n):
        costs = {gain: _cost(case, parent, _alone(n, j, gain)) for gain in (0.5, 2.0)}
        best = min(costs, key=lambda gain: costs[gain])
        if costs[best] > parent.explanation.cost - 2.0 * _SINGLE:
            continue
        log = _settle(lambda log, j=j: _cost(case, parent, _alone(n, j, np.exp(log))), np.log(best), 0.3)
        lowest = _cost(case, parent, _alone(n, j, np.exp(log)))
        plain = min(_PLAIN, key=lambda gain: abs(np.log(gain) - log))
        near = abs(np.log(plain) - log) < 0.35 and _cost(case, parent, _alone(n, j, plain)) < lowest + _HARDLY
        gain = plain if near else float(f"{np.exp(log):.3g}")
        if not 1.0 / _CALIBRATED < gain < _CALIBRATED:
            sentence = f"the effort of {case.names[j]} has to be multiplied by {gain:.3g}"
            correction = multiply(_alone(n, j, gain))
            yield Candidate("effort gains", sentence, correction, (j,), _SINGLE, (Evidence(f"gain of {case.names[j]}", gain),))
    magnitudes = np.abs(find_gains(case, parent))
    middle = float(np.median(magnitudes))
    if np.count_nonzero(np.abs(np.log(magnitudes / middle)) > np.log(_CALIBRATED)) > 1 or not 0.4 < middle < 2.5:
        correction = parent.correction.then(multiply(magnitudes))
        determined = case.explain(correction, start=parent.explanation).misfit < _UNTOLD
        yield _gains(case, np.where(determined, magnitudes, middle), _EACH + 3.0 * n, which="each")


def _gains(case: Case, values: Array, nats: float, *, which: str) -> Candidate:
    what = "torques of the motors, before the gears" if np.median(np.abs(values)) > _GEARS else "motor currents"
    values = np.array([float(f"{gain:.4g}") for gain in values])
    listing = f"{values[0]:.3g}" if np.ptp(values) == 0.0 else ", ".join(f"{gain:.3g}" for gain in values)
    sentence = f"the efforts are not joint torques but, as it seems, {what}: torque per unit of them is about {listing}"
    evidence = tuple(Evidence(f"gain of {name}", gain) for name, gain in zip(case.names, values.tolist(), strict=True))
    correction = multiply(values)
    return Candidate("effort gains", sentence, correction, nats=nats, evidence=evidence, which=which)


def multiply(gains: Array) -> Correction:
    """The efforts times gains (n,), which a reading limits."""
    sizes = np.clip(np.nan_to_num(np.abs(gains), nan=1.0), 1.0 / _LARGEST_GAIN, _LARGEST_GAIN)
    return Correction.of(len(gains), Reading(effort_gains=np.copysign(sizes, gains)))


def _alone(n: int, joint: int, gain: float) -> Array:
    return np.where(np.arange(n) == joint, gain, 1.0)


def _cost(case: Case, parent: Hypothesis, values: Array) -> float:
    correction = parent.correction.then(multiply(values))
    return case.explain(correction, start=parent.explanation).cost


def _slope(case: Case, correction: Correction, parent: Hypothesis) -> float:
    """How heavy the links are, for what the description says, as a correction reads the efforts."""
    return slope_of_efforts(case.moments(correction), case.prior, case.rows.read_efforts(correction), parent.explanation)


def _settle(cost: Callable[[float], float], start: float, step: float) -> float:
    """The lowest point of a smooth function near a start, by parabolas."""
    best = start
    for _ in range(3):
        low, middle, high = cost(best - step), cost(best), cost(best + step)
        bend = low - 2.0 * middle + high
        best += (
            float(np.clip(0.5 * step * (low - high) / bend, -2.0 * step, 2.0 * step)) if bend > 1e-9 else step * float(np.sign(low - high))
        )
        step *= 0.5
    return best


def find_gains(case: Case, parent: Hypothesis) -> Array:
    """(n,) gains for which all joints agree about the links that they carry.

    With a = 1 / gain the recorded effort is a_j (c_j + A_j z) + φ_j f_j, linearised in a_j and z together, from the nominal links on; the
    prior tells how heavy an arm is, and so the gain that all have in common.
    """
    second_moments, b, n = case.moments(parent.correction), case.prior.root.shape[1], case.robot.n
    efforts = case.rows.read_efforts(parent.correction)
    M = second_moments.matrices
    y = [M[j, :, b + DRIVE + 1 + efforts.source[j]] * efforts.gain[j] for j in range(n)]
    size = np.sqrt([max(y[j][b + DRIVE + 1 + efforts.source[j]] * efforts.gain[j], 1e-300) for j in range(n)])
    weight, m = second_moments.rows / (0.1 * size) ** 2, b + 1 + DRIVE
    z, a = np.zeros(b), np.full(n, parent.explanation.scale)
    rms = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2)[:, b : b + DRIVE], 1e-24))
    for round_ in range(_ROUNDS + 1):
        H, r = np.zeros((b + (1 + DRIVE) * n,) * 2), np.zeros(b + (1 + DRIVE) * n)
        H[:b, :b] = np.eye(b) * (1e9 if round_ == 0 else _STIFF)  # the first round: nominal links
        alike = float(np.exp(np.median(np.log(np.abs(a)))))
        for j in range(n):
            A = np.zeros((b + DRIVE + 1, m))  # from the columns of the moments to the unknowns of this joint
            A[:b, :b] = a[j] * np.eye(b)
            A[:b, b], A[b + DRIVE, b] = z, 1.0
            A[b : b + DRIVE, b + 1 :] = np.eye(DRIVE)
            columns = M[j, : b + DRIVE + 1, : b + DRIVE + 1]
            places = [*range(b), *range(b + (1 + DRIVE) * j, b + (1 + DRIVE) * (j + 1))]
            H[np.ix_(places, places)] += weight[j] * A.T @ columns @ A
            r[places] += weight[j] * A.T @ (y[j][: b + DRIVE + 1] - a[j] * columns[:, b + DRIVE])
            std = np.append(_ALIKE * alike, size[j] / rms[j])
            H[places[b:], places[b:]] += 1.0 / std**2
            r[places[b]] += (alike - a[j]) / std[0] ** 2
        scale = 1.0 / np.sqrt(np.diag(H))
        x = scale * np.linalg.solve(H * np.outer(scale, scale) + 1e-12 * np.eye(len(r)), scale * r)
        z, change = x[:b], x[b :: 1 + DRIVE]
        ratio = np.clip((a + change) / a, 1.0 / 3.0, 3.0)
        a = a * ratio
        if round_ and np.abs(ratio - 1.0).max() < 1e-3:
            break
    return _weigh(case, parent, 1.0 / a)


def _weigh(case: Case, parent: Hypothesis, relative: Array) -> Array:
    """Gains times the factor for which the links are as heavy as the description says, or unchanged on average where it says nothing."""
    relative = relative / np.exp(np.mean(np.log(np.abs(relative))))
    if not case.prior.nominal:
        return relative
    correction = parent.correction.then(multiply(relative))
    return relative / _slope(case, correction, parent)


def payloads(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """A tool or a payload that the description doesn't have."""
    if case.prior.nominal and not parent.payload and np.any(case.mount(parent.correction).gravity):
        loaded = case.explain(parent.correction, payload=True, start=parent.explanation)
        mass, *moments = loaded.tangents.tolist()
        if mass > _LEAST_PAYLOAD * float(case.prior.links[::10].sum()):
            middle = case.robot.tool[:3, 3] + np.array(moments) / mass
            centre = (Evidence(f"centre {axis} in the last link's frame", value, "m") for axis, value in zip("xyz", middle, strict=True))
            sentence = f"the arm carries about {mass:.2g} kg that the description doesn't have, a tool or a payload"
            evidence = (Evidence("mass", mass, "kg"), *centre)
            yield Candidate("payload", sentence, Correction.of(case.robot.n), nats=1.0, evidence=evidence, payload=True)


def signs(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Efforts that count the other way than positions do: friction would drive the motion, and the joint contradicts the others."""
    n = case.robot.n
    for j, name in enumerate(() if is_well_explained(parent.explanation) else case.names):
        sentence = f"the effort of {name} counts the other way than its position"
        yield Candidate("effort sign", sentence, Correction.of(n, Reading(effort_signs=flip(n, [j]))), (j,), nats=1.0, which="one")
    if n > 1:
        sentence = "all efforts count the other way than the positions"
        yield Candidate("effort sign", sentence, Correction.of(n, Reading(effort_signs=-np.ones(n))), nats=0.5)


def delay_candidate(case: Case, reading: Hypothesis) -> Candidate:
    """That efforts were stamped later, or earlier, than the positions that belong to them: by as much as the whole reading says."""
    n, late = case.robot.n, reading.explanation.late
    for _ in range(_SHIFTS):  # the whole effort is shifted, as its slope tells of small delays alone
        if abs(late) < DELAY_STD:
            break
        shifted = case.correct(reading.correction.then(Correction.of(n, Reading(delay=[late]))))
        late += 0.0 if shifted.excerpt is None else shifted.explain(Correction.of(n), payload=reading.payload).late
    late = float(f"{late:.3g}")
    return Candidate(
        "delay",
        f"the efforts were stamped {1e3 * abs(late):.2g} ms {'later' if late > 0.0 else 'earlier'} than the positions",
        Correction.of(n, Reading(delay=[late])),
        evidence=(Evidence("delay", 1e3 * late, "ms"), Evidence("standard deviation", 1e3 * reading.explanation.late_std, "ms")),
    )
