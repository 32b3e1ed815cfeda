"""The result of a search for signs: the signs, how sure they are, and the model that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure
from dynident.core.results import Report, Result
from dynident.data import Dataset, EffortKind
from dynident.feasibility import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.signs.confidence import UNSURE, Confidence, SignVerdict
from dynident.signs.segments import Segment


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SignRecovery(Result):
    """Signs of a log that has none, and what follows from them.

    log : Dataset             On a uniform clock, |τ| as recorded [N·m | N].
    soft_signs : (N, n)       Expected sign of every sample, between -1 and 1; near zero where |τ| is within its noise.
    segments : tuple          Runs of samples of one joint that share a sign, joint by joint in the order of time.
    segment_signs : (S,)      ±1.
    posterior : (S,)          Probability of each segment's sign, 0.5 to 1.
    threshold : (n,)          |τ| below which a sample tells no sign by itself [N·m | N].
    estimate : Estimate       Of the signed torque, for `retrieve`, `validate` and `export`.
    links : LinkParameters    Feasible ones; None where none explain the signed torque.
    confidence : Confidence   The evidence behind the verdict.
    verdict, reason, advice   In words: what can be said, why, and what would settle what is open; the last is empty where nothing is.
    method : str              Name of the search.
    """

    log: Dataset
    soft_signs: Array
    segments: tuple[Segment, ...]
    segment_signs: Array
    posterior: Array
    threshold: Array
    estimate: Estimate
    links: LinkParameters | None
    confidence: Confidence
    verdict: SignVerdict
    reason: str
    advice: str
    method: str
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        return f"{self.estimate.base.robot.name}, {len(self.segments)} segments of |torque|, {self.verdict.value}"

    @property
    def sentence(self) -> str:
        """Verdict, reason and advice in one."""
        text = f"{self.verdict.value[:1].upper()}{self.verdict.value[1:]}: {self.reason}"
        return f"{text}; {self.advice}." if self.advice else f"{text}."

    def tables(self) -> Report:
        from dynident.signs.tables import recovery_report  # the tables know SignRecovery, not the other way round

        return recovery_report(self)

    def records(self) -> list[dict[str, Any]]:
        """One row per segment: joint, first and last time, sign, probability."""
        from dynident.signs.tables import segment_records

        return segment_records(self)

    def figures(self) -> tuple[Figure, ...]:
        """|τ| and the recovered torque of each joint, with its segments."""
        from dynident.signs.figures import recovery_figures

        return recovery_figures(self)

    @property
    def signs(self) -> Array:
        """(N, n) ±1 of every sample."""
        return np.where(self.soft_signs < 0.0, -1.0, 1.0)

    @property
    def unsure(self) -> tuple[int, ...]:
        """Numbers of the segments whose other sign is more probable than one in a hundred."""
        return tuple(np.flatnonzero(self.posterior < 1.0 - UNSURE).tolist())

    @property
    def signed(self) -> Dataset:
        """The log with the expected signed torque, as `identify` takes it."""
        return signed_log(self.log, self.soft_signs)


def signed_log(log: Dataset, soft_signs: Array) -> Dataset:
    """A log of magnitudes with the expected torque in their place."""
    assert log.effort is not None  # noqa: S101 (prepared)
    return log.after("signs recovered", effort=soft_signs * log.effort, effort_kind=EffortKind.TORQUE)
