"""Signals that show a finding: what was recorded, against what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data import Dataset
from dynident.data.signals.faulty_samples import SIGNALS
from dynident.diagnosis.case import Case
from dynident.diagnosis.evidence import predict
from dynident.diagnosis.kinematics import RateComparison
from dynident.diagnosis.search import Hypothesis

if TYPE_CHECKING:
    from dynident.routes.signs.result import SignRecovery


class Signal(NamedTuple):
    """time, values : (N,)   A curve; NaN where there is nothing."""

    name: str
    role: Literal["recorded", "expected", "corrected", "model", "without"]
    time: Array
    values: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SignalComparison:
    """Signals of one unit over time."""

    title: str
    unit: str
    signals: tuple[Signal, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class RangeComparison:
    """covered, available : (n,)   What the motion covers of each joint's range [rad | m]."""

    joints: tuple[str, ...]
    covered: Array
    available: Array


Shown: TypeAlias = "SignalComparison | RangeComparison | SignRecovery"


def compare_signals(title: str, unit: str, time: Array, recorded: Array, expected: Array, *, what: tuple[str, str]) -> SignalComparison:
    """A recorded signal (N,) and what it should be. what : names of the two."""
    signals = (Signal(what[0], "recorded", time, recorded), Signal(what[1], "expected", time, expected))
    return SignalComparison(title=title, unit=unit, signals=signals)


def mark_rows(
    case: Case, what: str, joint: int, marked: Array | BoolArray, label: str, *, data: Dataset | None = None, shown: slice = slice(None)
) -> tuple[SignalComparison]:
    """The recorded "position", "velocity", "acceleration" or "effort" of a joint, and which rows of it are meant.

    Parameters
    ----------
    marked : (N,) array
        Rows of bool, or what the values should be.
    label
        What the marked rows are.
    data
        The log, where it is not that of the case.
    shown
        The rows of the picture.
    """
    log = case.data if data is None else data
    values = np.asarray(getattr(log, next(name for name, word in SIGNALS.items() if word == what)), dtype=float)[shown, joint]
    expected = np.where(marked[shown], values, np.nan) if marked.dtype == bool else np.asarray(marked[shown], dtype=float)
    unit = getattr(case.robot.joints[joint].units, what)
    return (compare_signals(f"{what} of {case.names[joint]}", unit, log.time[shown], values, expected, what=(f"recorded {what}", label)),)


def compare_efforts(case: Case, before: Hypothesis, after: Hypothesis, joints: Sequence[int]) -> SignalComparison:
    """The effort of the joint that gains most, by the model of the log as it is and of the corrected one."""
    j = max(joints, key=lambda k: before.explanation.misfit[k] - after.explanation.misfit[k])
    time, effort, model = _effort_and_model(case, after, j)
    without_time, _, without = _effort_and_model(case, before, j)
    signals = (
        Signal("corrected", "corrected", time, effort),
        Signal("model of it", "model", time, model),
        Signal("model without", "without", without_time, without),
    )
    return SignalComparison(title=f"effort of {case.names[j]}", unit=case.robot.joints[j].units.effort, signals=signals)


def _effort_and_model(case: Case, reading: Hypothesis, j: int) -> tuple[Array, Array, Array]:
    """Stamps, effort and model (N,) of a joint as a hypothesis reads the log."""
    rows, efforts = case.rows.correct(reading.correction), case.rows.read_efforts(reading.correction)
    source = efforts.source[j]
    effort = efforts.gain[j] * (rows.effort[:, source] + reading.explanation.late * rows.slope[:, source])
    return rows.time, effort, predict(case.mount(reading.correction), rows, reading.explanation)[:, j]


def compare_velocities(case: Case, comparison: RateComparison, joint: int, what: str) -> SignalComparison:
    """A recorded velocity or acceleration of a joint, and the derivative of what was recorded beside it."""
    words = {"velocity": "derivative of the position", "acceleration": "derivative of the velocity"}
    unit = getattr(case.robot.joints[joint].units, what)
    recorded, derived = comparison.recorded[:, joint], comparison.derived[:, joint]
    title = f"{what} of {case.names[joint]}"
    return compare_signals(title, unit, comparison.time, recorded, derived, what=(f"recorded {what}", words[what]))
