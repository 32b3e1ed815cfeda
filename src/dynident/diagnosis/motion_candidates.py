"""What may be wrong with the motion of a log: its clock, units, order, signs and zeros, and the direction of gravity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Reading
from dynident.data.reading.quantities import UNITS
from dynident.diagnosis.case import Case, is_well_explained
from dynident.diagnosis.correction import Correction, flip
from dynident.diagnosis.evidence import explain, moments, take_tangents
from dynident.diagnosis.finding import Evidence
from dynident.diagnosis.search import Candidate, Hypothesis
from dynident.dynamics import gravity as gravity_torque
from dynident.dynamics import inverse_dynamics
from dynident.robots.robot import STANDARD_GRAVITY, JointType

#: What the stamps may have to be multiplied by, to look for the best near the best of these; of logs with velocities, fewer.
_CLOCKS = (1e-9, 1e-6, 1e-3, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.6, 2.5, 5.0, 10.0, 20.0, 50.0)
#: Rates that a logger can have [Hz].
_LOGGED = (1.0, 1e5)
_TIME_UNITS = {1e-3: "ms", 1e-6: "us", 1e-9: "ns"}
#: Rates that loggers have [Hz], times powers of ten; of the second a clock that only the links tell is one, within this factor.
_RATES, _COMMON_RATES, _NEAR_RATE = (1.0, 1.2, 1.25, 1.5, 2.0, 2.4, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0), (1.0, 1.25, 2.0, 2.5, 5.0), 1.4
#: How near a measured factor is to that of a unit or a rate.
_NEAR = 1.03
_POSITION_UNITS = {"deg": 1.0, "rev": 4.0, "mrad": 4.0}
#: Counts per turn that encoders have; positions this far beyond any joint may be counts [rad].
_COUNTS = (*(2.0**k for k in range(8, 26)), 360.0, 1e3, 2e3, 3.6e3, 4e3, 5e3, 1e4, 3.6e4, 1e5, 3.6e5, 1e6, 1e7)
_BEYOND = 100.0
#: Robots of so many joints have few enough orders to try them all.
_FEW_JOINTS = 4
#: Tilts below this are those of floors [degrees], and a direction is found when it moves by less than the second.
_LEVEL, _SETTLED = 3.0, 0.3
#: Zeros are about this far off [rad | m]; smaller offsets than the second are those of a careful calibration. A linear step must gain the
#: third in -2 log p to be followed, by steps of at most half a radian, in the few best joints.
_USUAL_ZERO, _SMALL_ZERO, _WORTH, _FOLLOWED = 0.3, 0.02, 6.0, 3
#: What is against a zero of which gravity tells nothing [nats], times the share of the largest effort that a turn by a radian changes.
_LIGHT = 0.5
_TURNS = (0.5 * np.pi, np.pi, -0.5 * np.pi)
_STEP = 1e-4


def usual_rate(rate: float, near: float = 1.02) -> float:
    """The usual sampling rate [Hz] that is nearest to one, where one is near; else itself."""
    ten = 10.0 ** np.floor(np.log10(rate))
    known = _RATES if near < _RATES[1] else _COMMON_RATES
    candidates = np.array([value * ten * shift for value in known for shift in (0.1, 1.0, 10.0)])
    best = float(candidates[np.argmin(np.abs(np.log(candidates / rate)))])
    return best if abs(np.log(best / rate)) <= np.log(near) else rate


def clocks(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Stamps in another unit, or of another rate."""
    if parent.has("time base"):
        return
    velocities = case.kinematics.velocities
    if velocities is not None and len(velocities.moving):
        ratio = velocities.common_factor
        if ratio is not None and ratio > 0.0 and abs(np.log(ratio)) > np.log(1.06) and _can_be_logged(case, 1.0 / ratio):
            yield _clock(case, 1.0 / ratio, near=_NEAR)
        return
    costs = {clock: _clock_cost(case, parent, clock) for clock in possible_clocks(case)}
    best = min(costs, key=lambda clock: costs[clock], default=1.0)
    if costs.get(best, np.inf) > parent.explanation.cost:
        return
    low, high = np.log(best) - 0.7, np.log(best) + 0.7
    for _ in range(6):
        third = (high - low) / 3.0
        left, right = (_clock_cost(case, parent, float(np.exp(place))) for place in (low + third, high - third))
        low, high = (low, high - third) if left < right else (low + third, high)
    yield _clock(case, float(np.exp(0.5 * (low + high))), near=_NEAR_RATE)


def possible_clocks(case: Case) -> list[float]:
    """Factors of the stamps with which a logger can have recorded the log."""
    return [clock for clock in _CLOCKS if _can_be_logged(case, clock)]


def _can_be_logged(case: Case, clock: float) -> bool:
    return _LOGGED[0] <= case.data.rate / clock <= _LOGGED[1]


def _clock_cost(case: Case, parent: Hypothesis, clock: float) -> float:
    correction = parent.correction.then(Correction.of(case.robot.n, Reading(clock=clock)))
    return case.explain(correction, start=parent.explanation).cost


def _clock(case: Case, clock: float, *, near: float) -> Candidate:
    """Stamps that have to be multiplied by a factor."""
    rate = case.data.rate
    evidence = (Evidence("stamps times", clock),)
    for exact, unit in _TIME_UNITS.items():
        if abs(np.log(clock / exact)) <= np.log(near):
            correction = replace(Correction.of(case.robot.n, Reading(clock=exact)), options=Reading(units={"time": unit}))
            return Candidate("time base", f"the stamps are in {unit}, not in s", correction, nats=1.0, evidence=evidence)
    true_rate = usual_rate(rate / clock, near)
    how = "slowly" if clock < 1.0 else "fast"
    sentence = (
        f"the log's clock runs {max(clock, 1.0 / clock):.3g} times too {how}: it was recorded at about {true_rate:.4g} Hz, not {rate:.4g}"
    )
    return Candidate("time base", sentence, Correction.of(case.robot.n, Reading(sampling_rate=true_rate)), nats=3.0, evidence=evidence)


def position_units(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Positions in degrees, turns or counts of an encoder, with the other quantities of the motion or alone."""
    if any(joint.type is JointType.PRISMATIC for joint in case.robot.joints) or parent.has("position unit"):
        return
    n, largest = case.robot.n, float(np.abs(case.data.q).max())
    evidence = (Evidence("largest position", largest, "rad"),)
    derived = [name for name in ("dq", "ddq") if getattr(case.data, name) is not None]
    rests = {"dq": "/s", "ddq": "/s^2"}
    for unit, nats in _POSITION_UNITS.items():
        sentence = f"positions are in {unit}, not in rad"
        units = {"q": unit, **{name: unit + rests[name] for name in derived}}
        yield Candidate("position unit", sentence, Correction.of(n, Reading(units=units)), nats=nats, evidence=evidence, which=unit)
        if derived:
            stay = Correction.of(n, Reading(units={"q": unit, **{name: "rad" + rests[name] for name in derived}}))
            yield Candidate(
                "position unit", f"{sentence}, and velocities are not", stay, nats=nats + 1.0, evidence=evidence, which=f"{unit} alone"
            )
    if largest > _BEYOND and bool(np.all(case.data.q == np.round(case.data.q))):
        velocities = case.kinematics.velocities
        ratio = None if velocities is None else velocities.common_factor
        turns = _COUNTS
        if ratio is not None and ratio > 0.0:
            turn = 2.0 * np.pi / ratio
            nearest = min(_COUNTS, key=lambda count: abs(np.log(count / turn)))
            turns = (nearest if abs(np.log(nearest / turn)) < np.log(_NEAR) else float(round(turn)),)
        for turn in turns:
            counts = np.full(n, turn / (2.0 * np.pi))
            # what divides positions also multiplies efforts there, as gears do
            correction = Correction.of(n, Reading(gears=counts, effort_gains=1.0 / counts, columns=dict.fromkeys(derived)))
            sentence = f"positions are counts of an encoder, {turn:.10g} in a turn"
            yield Candidate("position unit", sentence, correction, nats=3.0, evidence=evidence, which=f"{turn:g}")


def derivatives(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Velocities and accelerations in another unit, or that are not those of the motion."""
    n = case.robot.n
    for name, check, word in (("dq", "velocity", "velocities"), ("ddq", "acceleration", "accelerations")):
        comparison = case.kinematics.comparison(name)
        if comparison is None or not len(comparison.moving) or name in parent.correction.transform.ignored:
            continue
        correlation = comparison.correlation[comparison.moving]
        worst = int(comparison.moving[np.argmin(correlation)])
        evidence = (
            Evidence(f"least correlation, that of {case.names[worst]}", float(correlation.min())),
            Evidence("factor", float(np.median(comparison.factors[comparison.moving]))),
        )
        if not parent.has(check, "position unit"):
            for unit, size in UNITS[name].items():
                if unit.startswith(("deg", "rev", "rpm", "mrad")) and abs(np.log(abs(evidence[1].value) * size + 1e-300)) < np.log(1.3):
                    si = "rad/s" if name == "dq" else "rad/s²"
                    sentence = f"the recorded {word} are in {unit}, not in {si}"
                    yield Candidate(check, sentence, Correction.of(n, Reading(units={name: unit})), nats=1.0, evidence=evidence, which=unit)
        joints = tuple(wrong_joints(case, name))
        correction = Correction.of(n, Reading(columns={name: None}))
        yield Candidate(check, _unlike(case, name), correction, joints, nats=2.0, evidence=evidence, which="ignored")


def _unlike(case: Case, name: str) -> str:
    """What recorded velocities or accelerations are, where they are not the derivatives."""
    comparison = case.kinematics.comparison(name)
    word, source = ("velocities", "positions") if name == "dq" else ("accelerations", "velocities")
    if comparison is None:
        return f"the recorded {word} are not the derivatives of the {source}"
    wrong = wrong_joints(case, name)
    who = "all joints" if len(wrong) == len(comparison.moving) else ", ".join(case.names[j] for j in wrong)
    if name == "dq" and not wrong:
        lag = 1e3 * case.kinematics.lag
        how, who = ("later", "filtered, perhaps") if lag > 0.0 else ("earlier", "commanded ones, perhaps")
        return f"the recorded velocities come {abs(lag):.2g} ms {how} than the derivative of the positions: {who}, not measured ones"
    if wrong and np.all(np.abs(comparison.correlation[wrong]) > 0.95):
        listing = ", ".join(f"{comparison.factors[j]:.3g}" for j in wrong)
        return f"the recorded {word} of {who} are the derivatives of the {source} times {listing}"
    likest = [int(comparison.moving[np.argmax(np.abs(comparison.likeness[j][comparison.moving]))]) for j in wrong]
    if wrong and all(k != j and abs(comparison.likeness[j, k]) > 0.95 for j, k in zip(wrong, likest, strict=True)):
        others = ", ".join(case.names[k] for k in likest)
        return f"the recorded {word} of {who} are those of {others}: their columns are in another order"
    return f"the recorded {word} of {who or 'some joints'} are not the derivatives of the {source}"


def wrong_joints(case: Case, name: str) -> list[int]:
    """Joints, from 0, whose recorded derivative is far from that of the motion."""
    comparison = case.kinematics.comparison(name)
    if comparison is None:
        return []
    least = 0.95 if name == "dq" else 0.6
    near = np.abs(np.log(np.maximum(comparison.factors, 1e-9))) < np.log(1.06 if name == "dq" else 1.5)
    return [int(j) for j in comparison.moving if comparison.correlation[j] < least or not near[j]]


def orders(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Columns in another order than the joints, or the efforts of two exchanged."""
    if is_well_explained(parent.explanation) or parent.has("joint order"):
        return
    n = case.robot.n
    for order in _orders(n):
        moved = tuple(j for j in range(n) if order[j] != j)
        listing, columns = ", ".join(str(column + 1) for column in order), [f"joint{column + 1}" for column in order]
        sentence = f"the columns are in another order than the joints: those of the joints in turn are {listing}"
        correction = Correction.of(n, Reading(joints=columns))
        yield Candidate("joint order", sentence, correction, moved, nats=min(len(moved), 4.0), which=f"columns {listing}")
        if len(moved) == 2 and n > 1:
            sentence = f"the efforts of {case.names[moved[0]]} and {case.names[moved[1]]} are exchanged"
            yield Candidate("joint order", sentence, Correction.of(n, Reading(effort_joints=columns)), moved, nats=3.0, which="efforts")


def _orders(n: int) -> Iterator[tuple[int, ...]]:
    """All of few, else two exchanged, all reversed, all moved by some places."""
    plain = tuple(range(n))
    if n <= _FEW_JOINTS:
        yield from (order for order in permutations(plain) if order != plain)
        return
    for i, k in combinations(plain, 2):
        order = list(plain)
        order[i], order[k] = k, i
        yield tuple(order)
    yield plain[::-1]
    for shift in range(1, n):
        yield plain[shift:] + plain[:shift]


def position_signs(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Joints that count the other way than those of the description: their position alone, or position and effort together."""
    n = case.robot.n
    groups: list[tuple[str, tuple[int, ...]]] = (
        [] if is_well_explained(parent.explanation) else [(name, (j,)) for j, name in enumerate(case.names)]
    )
    if n > 1:
        groups.append(("all joints", tuple(range(n))))
    for who, joints in groups:
        signs, concerned = flip(n, joints), joints if len(joints) < n or n == 1 else ()
        few = 1.5 if len(joints) < n else 1.0
        sentence = f"the position of {who} counts the other way than in the description"
        alone, both = (Correction.of(n, Reading(signs=signs, effort_signs=efforts)) for efforts in ([1.0], None))
        yield Candidate("position sign", sentence, alone, concerned, nats=few, which="positions")
        sentence = f"position and effort of {who} count the other way than in the description"
        yield Candidate("position sign", sentence, both, concerned, nats=few, which="both")


def mountings(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Gravity in another direction than was given, or none, as if the controller had compensated it."""
    if parent.has("gravity", "gravity compensated"):
        return
    given, size = case.robot.gravity, float(np.linalg.norm(STANDARD_GRAVITY))
    if np.any(given):
        sentence = "the efforts don't contain gravity, as if the controller had compensated it before they were recorded"
        yield Candidate("gravity compensated", sentence, Correction.of(case.robot.n, gravity=np.zeros(3)), nats=1.5)
    axes = [sign * size * np.eye(3)[k] for k in (2, 0, 1) for sign in (1.0, -1.0)]
    costs: list[tuple[float, Array]] = [(parent.explanation.cost, given)]
    for axis in axes:
        if angle(axis, given) > _LEVEL:
            candidate = _mounting(case, axis, 0.5 if angle(axis, given) > 170.0 else 1.0)
            yield candidate
            costs.append((case.explain(parent.correction.then(candidate.correction), start=parent.explanation).cost, axis))
    starts = sorted(costs, key=lambda item: item[0])[: 1 if is_well_explained(parent.explanation) else 2]
    for _, start in starts:
        direction = _refine_gravity(case, parent, start, size)
        if direction is not None and all(angle(direction, axis) > _LEVEL for axis in (*axes, given)):
            yield _mounting(case, direction, 10.0, which="tilted")


def _mounting(case: Case, direction: Array, nats: float, which: str = "") -> Candidate:
    x, y, z = np.round(direction, 3) + 0.0  # no minus zero
    sentence = f"gravity is along ({x:.3g}, {y:.3g}, {z:.3g}) m/s² in the base frame, not as was given"
    evidence = (Evidence("angle to the gravity that was given", angle(direction, case.robot.gravity), "degrees"),)
    return Candidate(
        "gravity",
        sentence,
        Correction.of(case.robot.n, gravity=direction),
        nats=nats,
        evidence=evidence,
        which=which or f"{x:.1f} {y:.1f} {z:.1f}",
    )


def _refine_gravity(case: Case, parent: Hypothesis, start: Array, size: float) -> Array | None:
    """The direction that explains the efforts best near a given one; None where hardly any gravity does."""
    direction = start if np.any(start) else np.array(STANDARD_GRAVITY)
    for _ in range(4):
        correction = parent.correction.then(Correction.of(case.robot.n, gravity=direction))
        explanation = case.explain(correction, start=parent.explanation)
        q = case.rows.correct(correction).q
        pulls = [gravity_torque(case.robot.with_gravity(axis), explanation.links.reshape(-1, 10), q) for axis in np.eye(3)]
        step = case.linearise(correction, np.stack(pulls, axis=2), np.full(3, size / explanation.scale)).tangents
        length = float(np.linalg.norm(direction + step))
        if length < 0.2 * size:
            return None
        moved, direction = angle(direction + step, direction), (direction + step) * size / length
        if moved < _SETTLED:
            break
    return direction


def angle(a: Array, b: Array) -> float:
    """Between two vectors [degrees]; 180 where one is none."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return 180.0 if lengths == 0.0 else float(np.degrees(np.arccos(np.clip(a @ b / lengths, -1.0, 1.0))))


def zeros(case: Case, parent: Hypothesis) -> Iterator[Candidate]:
    """Joints whose zero is not that of the description: one at a time, as several at once would take up what has other causes."""
    linear = _linear_zeros(case, parent, parent.correction) if case.moving else {}
    starts: list[tuple[float, int, float]] = []
    for j in case.moving:
        if any(item.check == "joint zero" and item.joints == (j,) for item in parent.candidates):
            continue
        offset, gain = linear[j]
        tried = {offset: gain}
        if not is_well_explained(parent.explanation) and case.robot.joints[j].type is not JointType.PRISMATIC:
            for turn in _TURNS:
                cost = case.explain(parent.correction.then(_shift(case, j, turn)), start=parent.explanation).cost
                tried[turn] = parent.explanation.cost - cost
        best = max(tried, key=lambda start: tried[start])
        starts.append((tried[best], j, best))
    for gain, j, start in sorted(starts, reverse=True)[:_FOLLOWED]:
        if gain > _WORTH:
            offset = refine_zero(case, parent, j, start)
            if abs(offset) > _SMALL_ZERO:
                yield zero_candidate(case, parent, j, offset)


def zero_candidate(case: Case, parent: Hypothesis, joint: int, offset: float) -> Candidate:
    """A zero is the more improbable the less gravity tells of it: what a light wrist leaves unexplained has other causes."""
    unit = case.robot.joints[joint].units.position
    load = gravity_of_turn(case, parent, joint)
    return Candidate(
        "joint zero",
        f"the zero of {case.names[joint]} is off by {offset:.3g} {unit}",
        _shift(case, joint, offset),
        (joint,),
        nats=4.0 + min(_LIGHT / max(load, 1e-3), 30.0),
        evidence=(Evidence(f"offset of {case.names[joint]}", offset, unit),),
    )


def gravity_of_turn(case: Case, reading: Hypothesis, joint: int) -> float:
    """How much a turn of a joint changes the gravity that some joint bears, per radian, as a share of the largest effort of all."""
    rows, robot = case.rows.correct(reading.correction), case.mount(reading.correction)
    step, links = np.where(np.arange(case.robot.n) == joint, _STEP, 0.0), reading.explanation.links.reshape(-1, 10)
    change = (gravity_torque(robot, links, rows.q + step) - gravity_torque(robot, links, rows.q - step)) / (2.0 * _STEP)
    return float(np.sqrt(np.mean(change**2, axis=0)).max() / max(float(reading.explanation.sizes.max()), 1e-300))


def _shift(case: Case, joint: int, offset: float) -> Correction:
    """An offset of a joint after the corrections of a hypothesis."""
    return Correction.of(case.robot.n, Reading(offsets=np.where(np.arange(case.robot.n) == joint, offset, 0.0)))


def refine_zero(case: Case, parent: Hypothesis, joint: int, offset: float) -> float:
    """A few steps of Gauss and Newton, each at most half a radian long."""
    for _ in range(3):
        correction = parent.correction.then(_shift(case, joint, offset))
        change = _linear_zeros(case, parent, correction, (joint,))[joint][0]
        offset += change
        if abs(change) < 2e-3:
            break
    return offset


def _linear_zeros(
    case: Case, parent: Hypothesis, correction: Correction, joints: tuple[int, ...] | None = None
) -> dict[int, tuple[float, float]]:
    """{joint: offset [rad | m], gain in -2 log p} of each joint alone, by one linear step."""
    chosen = case.moving if joints is None else joints
    explanation = case.explain(correction, start=parent.explanation)
    rows, robot = case.rows.correct(correction), case.mount(correction)
    links = explanation.links.reshape(-1, 10)  # the inertia of a rotor does not depend on the pose
    tangents: list[Array] = []
    for j in chosen:
        step = np.where(np.arange(case.robot.n) == j, _STEP, 0.0)
        ahead, behind = (inverse_dynamics(robot, links, rows.q + sign * step, rows.dq, rows.ddq) for sign in (1.0, -1.0))
        tangents.append((ahead - behind) / (2.0 * _STEP))
    second_moments = moments(robot, rows, case.prior, np.stack(tangents, axis=2))
    efforts = case.rows.read_efforts(correction)
    b, result = case.prior.root.shape[1], dict[int, tuple[float, float]]()
    for place, j in enumerate(chosen):
        alone = explain(
            take_tangents(second_moments, b, [place]), case.prior, efforts, np.array([_USUAL_ZERO / explanation.scale]), explanation
        )
        result[j] = float(np.clip(alone.tangents[0], -0.5, 0.5)), explanation.cost - alone.cost
    return result
