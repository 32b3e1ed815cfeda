"""Recorded velocities that are not those of the positions: another unit, sign or order, a command instead of a measurement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data.reading.quantities import UNITS
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.rates_of_change import RateComparison
from dynident.doctor.signals import SignalComparison, compare_signals

#: Velocities that are those of the positions have at least this correlation with their derivative, and this factor at most.
LIKE, SAME = 0.95, 1.06
#: Accelerations, whose noise is larger and makes factors smaller, are wrong below this correlation, or above the second by this factor.
UNLIKE, CLEAN, ABOUT = 0.6, 0.9, 1.3
#: Velocities that lag or lead by more are filtered, or commanded [s]. Those of a Panda lag by 5 ms, those of a KUKA LWR 4+ by 3 ms.
_LAG, _SURELY = 0.008, 0.02
#: A command leads what is measured [s].
_LEAD = 0.005
#: How near a factor must be to that of a unit.
NEAR_UNIT = 1.03


def unit_of(quantity: str, factor: float) -> str:
    """The unit of which SI has so many, of angles: "deg/s" for 57.3 and dq; empty where there is none."""
    for unit, size in UNITS[quantity].items():
        if unit.startswith(("rad", "m/", "cm", "mm", "um", "N")) or unit in ("m", "rad"):
            continue
        if abs(np.log(factor * size)) < np.log(NEAR_UNIT):
            return unit
    return ""


def find_wrong(found: RateComparison, like: float = LIKE, same: float = SAME, clean: float = 0.0) -> list[int]:
    """Joints, from 0, whose recorded quantity is not the derivative.

    like, same : least correlation and largest factor. clean : correlation from which on the factor means something.
    """
    own, factors = found.own[found.moving], found.factors[found.moving]
    return found.moving[(own < like) | ((own > clean) & (np.abs(np.log(np.maximum(factors, 1e-9))) > np.log(same)))].tolist()


def has_common_factor(found: RateComparison) -> bool:
    """Whether all joints that move agree about one factor."""
    own, factors = found.own[found.moving], found.factors[found.moving]
    return len(own) > 0 and bool(np.all(own > LIKE) and np.ptp(np.log(np.maximum(factors, 1e-9))) < np.log(SAME))


def _look(case: Case) -> Iterator[Finding]:
    found = case.velocities
    if found is None or not len(found.moving):
        return
    wrong = find_wrong(found)
    if len(wrong):
        yield _wrong(case, found, wrong)
        return
    lag = float(np.median(found.lags[found.moving]))
    if lag > _LAG or lag < -_LEAD:
        how, who = ("later", "filtered, perhaps") if lag > 0.0 else ("earlier", "commanded ones, perhaps")
        yield _finding(
            case,
            found,
            int(found.moving[0]),
            f"the recorded velocities come {1e3 * abs(lag):.2g} ms {how} than the derivative of the positions: {who}, not measured ones",
            Confidence.HIGH if lag > _SURELY or lag < -_LAG else Confidence.MEDIUM,
            (Evidence("median lag", 1e3 * lag, "ms"),),
            (),
        )


def _wrong(case: Case, found: RateComparison, wrong: list[int]) -> Finding:
    names = tuple(case.names[j] for j in wrong)
    who = "all joints" if len(wrong) == len(found.moving) else ", ".join(names)
    best = np.argmax(np.abs(found.likeness[wrong][:, found.moving]), axis=1)
    likest: list[int] = found.moving[best].tolist()
    if np.all(np.abs(found.own[wrong]) > LIKE):
        listing = ", ".join(f"{found.factors[j]:.3g}" for j in wrong)
        what = f"the recorded velocities of {who} are the derivatives of the positions times {listing}"
    elif all(k != j for j, k in zip(wrong, likest, strict=True)) and np.all(np.abs(found.likeness[wrong, likest]) > LIKE):
        what = (
            f"the recorded velocities of {who} are those of {', '.join(case.names[j] for j in likest)}: their columns are in another order"
        )
    else:
        what = f"the recorded velocities of {who} are not the derivatives of the positions"
    worst = min(wrong, key=lambda j: found.own[j])
    evidence = (Evidence(f"correlation of {case.names[worst]}", float(found.own[worst])), Evidence("factor", float(found.factors[worst])))
    return _finding(case, found, worst, what, Confidence.HIGH, evidence, names)


def _finding(
    case: Case,
    found: RateComparison,
    joint: int,
    sentence: str,
    confidence: Confidence,
    evidence: tuple[Evidence, ...],
    names: tuple[str, ...],
) -> Finding:
    return Finding(
        name=CHECK.name,
        sentence=sentence,
        confidence=confidence,
        evidence=evidence,
        joints=names,
        correction=Correction(ignored=("dq",)),
        signals=(compare_velocities(case, found, joint),),
    )


def compare_velocities(case: Case, found: RateComparison, joint: int) -> SignalComparison:
    """The recorded velocity of a joint, and the derivative of its position."""
    what = ("recorded velocity", "derivative of the position")
    recorded, derived = found.recorded[:, joint], found.derived[:, joint]
    return compare_signals(
        f"velocity of {case.names[joint]}", case.robot.joints[joint].units.velocity, found.time, recorded, derived, what=what
    )


CHECK = Check(
    name="velocity",
    symptom="recorded velocities that are not the derivatives of the positions",
    cause="velocities in another unit, order or sign than the positions, or commanded instead of measured ones",
    fix="`columns: {dq: none}`, which takes the derivative of the positions, or their unit: `units: {dq: deg/s}`",
    stage=CheckStage.SIGNALS,
    look=_look,
)
