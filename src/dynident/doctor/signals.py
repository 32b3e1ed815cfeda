"""Signals that show a finding: what was recorded, against what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.explanation import predict

if TYPE_CHECKING:
    from dynident.signs.result import SignRecovery


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


def compare_efforts(before: Case, after: Case, joints: Sequence[int]) -> SignalComparison:
    """The effort of the joint that gains most, by the model of the log as it is and of the corrected one."""
    j = max(joints, key=lambda k: before.explanation.misfit[k] - after.explanation.misfit[k])
    old, new = before.rows, after.rows
    signals = (
        Signal("corrected", "corrected", new.time, new.effort[:, j]),
        Signal("model of it", "model", new.time, predict(after.robot, new, after.explanation)[:, j]),
        Signal("model without", "without", old.time, predict(before.robot, old, before.explanation)[:, j]),
    )
    return SignalComparison(title=f"effort of {before.names[j]}", unit=before.robot.joints[j].units.effort, signals=signals)
