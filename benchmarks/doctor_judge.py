"""Whether the doctor's answer to a log that was made wrong is right. All rules and tolerances were written before the first examination.

Where a correction can restore the log, it is right if it does, channel by channel. Where none can, a finding must name the fault, by a stem
of its name, and the joint or the samples. The right answer comes first, or is shown as tied with the first; findings that the doctor also
has of the log without the fault, or that are known to be true of it, do not count. The only door to the doctor is `findings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from benchmarks.faults import GAIN, Case, Kind, loaded_joints
from dynident import Robot
from dynident.data import Dataset
from dynident.diagnosis import doctor
from dynident.errors import DynidentError

#: Relative errors: gain of positions, velocities and accelerations, clock with recorded velocities, and without (inertias tell it alone).
MOTION_GAIN, DERIVATIVE, CLOCK, CLOCK_OF_INERTIAS = 0.05, 0.05, 0.02, 0.25
#: Direction of gravity [degrees]; its size where there should be none [m/s²].
DIRECTION, WEIGHTLESS = 5.0, 1.0
#: Least likeness (cosine) of restored efforts with the true ones.
LIKENESS = 0.85
#: Largest error of a restored delay: 30 % of it, or so much [s].
LAG, LAG_SHARE = 0.0015, 0.3
#: Largest share of masked samples that are none of the bad ones.
MASKED_WRONGLY = 0.5
#: How many combinations of tied answers are tried.
TIED = 64


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A finding as the study sees it. correction : has apply(robot, data), or is None. tied : what is shown as equally likely."""

    name: str
    sure: bool
    joints: tuple[str, ...]
    correction: Any
    tied: tuple[Answer, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.name} ({', '.join(self.joints)}){' sure' if self.sure else ''}"

    def says(self, words: Sequence[str]) -> bool:
        """Whether its name contains one of these stems."""
        return any(word in self.name.lower() for word in words)


def findings(robot: Robot, data: Dataset) -> list[Answer]:
    """What the doctor says of a log, in its order."""
    return [_answer(finding) for finding in doctor(robot, data).findings]


def _answer(finding: Any) -> Answer:
    tied = tuple(_answer(other) for other in getattr(finding, "tied", ()))
    return Answer(name=finding.name, sure=finding.sure, joints=tuple(finding.joints), correction=finding.correction, tied=tied)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """right : the right answer is first or tied with the first.  surely : the sure findings alone say it.  wrong : sure, about else."""

    right: bool
    surely: bool
    wrong: tuple[str, ...]


def judge(case: Case, kinds: Sequence[Kind], answers: Sequence[Answer], known: Sequence[str]) -> Judgement:
    """Compare answers with what was done to a log. known : keys of the findings that the log without the fault has."""
    words = [word for word in case.log.true_words if not any(word in kind.words for kind in kinds)]
    is_old = [answer.key in known or answer.says(words) for answer in answers]
    old = [answer for answer, skip in zip(answers, is_old, strict=True) if skip and answer.sure]
    new = [answer for answer, skip in zip(answers, is_old, strict=True) if not skip]
    options = product(*((answer, *answer.tied) for answer in new[: len(kinds)]))
    sure = [answer for answer in new if answer.sure]
    return Judgement(
        right=any(_is_right(case, kinds, old, option) for option in (sure, *islice(options, TIED))),
        surely=_is_right(case, kinds, old, sure),
        wrong=tuple(_wrong(case, kinds, old, sure)),
    )


def apply(case: Case, answers: Sequence[Answer]) -> tuple[Robot, Dataset] | None:
    """The robot and the log with these corrections, one after another; None where they cannot be applied."""
    state = (case.robot, case.data)
    try:
        for answer in answers:
            if answer.correction is not None:
                state = answer.correction.apply(*state)
    except (DynidentError, ValueError, IndexError):
        return None
    return state


def _is_right(case: Case, kinds: Sequence[Kind], old: Sequence[Answer], chosen: Sequence[Answer]) -> bool:
    state = apply(case, [*old, *chosen])
    if state is None:
        return False
    wrong = wrong_parts(case, kinds, *state)
    if any(kind.words and kind.gain > GAIN for kind in kinds) and np.array_equal(state[1].effort, case.data.effort):
        wrong = {part for part in wrong if not part.startswith("effort")}  # a scale that nobody knows may be named alone
    return not wrong and all(not kind.words or any(_names(case, kind, old, answer) for answer in chosen) for kind in kinds)


def _names(case: Case, kind: Kind, old: Sequence[Answer], answer: Answer) -> bool:
    """Whether a finding is about this kind, and about its joint or its samples."""
    if not answer.says(kind.words):
        return False
    joints = {case.robot.joint_names[joint] for joint in case.joints if "joint" in kind.group}
    if not joints or (joints <= set(answer.joints) and len(answer.joints) <= 2):
        return True
    state = apply(case, [*old, answer])
    return state is not None and state[1].mask is not None and not _masks_wrongly(case, state[1])


def _wrong(case: Case, kinds: Sequence[Kind], old: Sequence[Answer], sure: Sequence[Answer]) -> Iterator[str]:
    """Sure findings that make something wrong, or neither mend anything, nor name a fault, nor mask bad samples."""
    done = list(old)
    state = apply(case, done) or (case.robot, case.data)
    before, off = wrong_parts(case, kinds, *state), _scale_error(case, state[1])
    for answer in sure:
        done.append(answer)
        state = apply(case, done)
        if state is None:
            yield answer.name
            return
        after, off_after = wrong_parts(case, kinds, *state), _scale_error(case, state[1])
        named = any(_names(case, kind, old, answer) for kind in kinds) or _masks_rightly(case, state[1])
        if after - before or off_after > off + 0.3 or not (after < before or named):
            yield answer.name
        before, off = after, off_after


def wrong_parts(case: Case, kinds: Sequence[Kind], robot: Robot, data: Dataset) -> set[str]:
    """What is not as it should be: clock, gravity, lag, mask, dq, ddq, and q and effort of each joint."""
    true, wrong = case.true_data, set[str]()
    clock = CLOCK if true.dq is not None else CLOCK_OF_INERTIAS
    if abs(data.rate / true.rate - 1.0) > clock:
        wrong.add("clock")
    if not _same_gravity(robot.gravity, case.true_robot.gravity):
        wrong.add("gravity")
    if case.data.mask is None and data.mask is not None and _masks_wrongly(case, data):
        wrong.add("mask")
    rows = _rows(data, true)
    zero = np.deg2rad(max(kind.zero for kind in kinds))
    slipped = np.zeros(data.n) + case.slipped
    for joint, (found, right) in enumerate(zip(data.q.T, true.q[rows].T, strict=True)):
        if not (_same_positions(found, right, zero) or _same_positions(found, right - slipped[joint], zero)):
            wrong.add(f"q {joint}")
    for name in ("dq", "ddq"):
        found, right = getattr(data, name), getattr(true, name)
        if found is not None and right is not None and np.linalg.norm(found - right[rows]) > DERIVATIVE * np.linalg.norm(right):
            wrong.add(name)
    wrong |= {f"effort {joint}" for joint in _wrong_efforts(case, kinds, data, rows)}
    delay = next((kind for kind in kinds if kind.name.startswith("delay")), None)
    if delay is not None and abs(_lag(data, true)) > max(LAG, LAG_SHARE * float(delay.sizes[0])):
        wrong.add("lag")
    return wrong


def _rows(data: Dataset, true: Dataset) -> np.ndarray:
    """The row of the true log of each row of another, which may be shorter at its ends."""
    if data.samples == true.samples:
        return np.arange(true.samples)
    time = data.time * (true.rate / data.rate) ** (abs(data.rate / true.rate - 1.0) > CLOCK)
    return np.clip(np.round(np.interp(time, true.time, np.arange(true.samples))).astype(int), 0, true.samples - 1)


def _same_positions(found: np.ndarray, right: np.ndarray, zero: float) -> bool:
    difference = np.mean(found - right)
    same_zero = abs((difference + np.pi) % (2.0 * np.pi) - np.pi) <= zero
    moved, should = found - found.mean(), right - right.mean()
    power = should @ should
    return bool(same_zero and (power < 1e-6 * len(right) or abs(moved @ should / power - 1.0) <= MOTION_GAIN))


def _wrong_efforts(case: Case, kinds: Sequence[Kind], data: Dataset, rows: np.ndarray) -> Iterator[int]:
    assert data.effort is not None
    assert case.true_data.effort is not None
    tolerance = max(kind.gain for kind in kinds)
    judged = np.ones(data.n, dtype=bool) if tolerance == GAIN else loaded_joints(case.log)
    for joint, (found, right) in enumerate(zip(data.effort.T, case.true_data.effort[rows].T, strict=True)):
        power = right @ right
        if not judged[joint] or power < 1e-12:
            continue
        gain, likeness = found @ right / power, found @ right / np.sqrt(power * max(found @ found, 1e-30))
        if likeness < LIKENESS or not 1.0 / tolerance <= gain <= tolerance:
            yield joint


def _scale_error(case: Case, data: Dataset) -> float:
    """Median over the loaded joints of |log2| of the gain of the efforts."""
    assert data.effort is not None
    assert case.true_data.effort is not None
    sizes = [np.sqrt(np.mean(effort[:, loaded_joints(case.log)] ** 2, axis=0)) for effort in (data.effort, case.true_data.effort)]
    return float(np.median(np.abs(np.log2(np.maximum(sizes[0], 1e-9) / np.maximum(sizes[1], 1e-9)))))


def _same_gravity(found: np.ndarray, right: np.ndarray) -> bool:
    size, expected = np.linalg.norm(found), np.linalg.norm(right)
    if expected < WEIGHTLESS:
        return bool(size < WEIGHTLESS)
    return bool(size > WEIGHTLESS and found @ right >= np.cos(np.deg2rad(DIRECTION)) * size * expected)


def _masks_rightly(case: Case, data: Dataset) -> bool:
    return case.data.mask is None and data.mask is not None and not _masks_wrongly(case, data)


def _masks_wrongly(case: Case, data: Dataset) -> bool:
    """Whether most of the samples that a correction masks are none of the bad ones."""
    assert data.mask is not None
    masked = np.flatnonzero((~data.mask).any(axis=1))
    if len(masked) == 0:
        return False
    bad = np.zeros(case.true_data.samples, dtype=bool)
    if case.bad is not None:
        bad |= case.bad.any(axis=1)
    return bool(np.mean(~bad[_rows(data, case.true_data)[masked]]) > MASKED_WRONGLY)


def _lag(data: Dataset, true: Dataset) -> float:
    """How much later than the true efforts those of a log are [s], median over joints."""
    assert data.effort is not None
    assert true.effort is not None
    lags = np.arange(-0.04, 0.0401, 0.0005)
    inner = slice(round(0.1 * data.samples), round(0.9 * data.samples))
    width = max(round(0.03 * true.rate), 1)
    kernel = np.ones(width) / width
    best: list[float] = []
    for columns in zip(data.effort.T, true.effort.T, strict=True):
        found, right = (np.convolve(column, kernel, mode="same") for column in columns)
        errors = [np.sum((found[inner] - np.interp(data.time[inner] - lag, true.time, right)) ** 2) for lag in lags]
        best.append(float(lags[int(np.argmin(errors))]))
    return float(np.median(best))
