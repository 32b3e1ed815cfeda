"""The result of a search for signs: the signs, how sure they are, and the model that they give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.documents import Unit
from dynident.core.kinds import NOT_STORED
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.core.texts import capitalize
from dynident.data import Dataset, EffortKind
from dynident.links import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.routes.signs.confidence import UNSURE, SignConfidence, SignVerdict
from dynident.routes.signs.segments import Segment


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SignRecovery(Result):
    """Signs of a log that has none, and what follows from them.

    Attributes
    ----------
    log : Dataset
        On a uniform clock, |τ| as recorded [N·m | N].
    soft_signs : (N, n) array
        Expected sign of every sample, between -1 and 1; near zero where |τ| is within its noise.
    segments : tuple
        Runs of samples of one joint that share a sign, joint by joint in the order of time.
    segment_signs : (S,) array
        ±1.
    posterior : (S,) array
        Probability of each segment's sign, 0.5 to 1.
    threshold : (n,) array
        |τ| below which a sample tells no sign by itself [N·m | N].
    estimate : Estimate
        Of the signed torque, for `retrieve`, `validate` and `export`.
    links : LinkParameters
        Feasible ones; None where none explain the signed torque.
    confidence : SignConfidence
        The evidence behind the verdict.
    verdict, reason, advice
        In words: what can be said, why, and what would settle what is open; the last is empty where nothing is.
    method : str
        Name of the search.
    notes : tuple of str
        What a reader of the signs should know.
    """

    log: Dataset
    soft_signs: Annotated[Array, Shape("t n")]
    segments: tuple[Segment, ...]
    segment_signs: Annotated[Array, Shape("s")]
    posterior: Annotated[Array, Shape("s")]
    threshold: Annotated[Array, Shape("n")]
    estimate: Estimate = field(metadata=NOT_STORED)
    links: LinkParameters | None = field(metadata=NOT_STORED)
    confidence: SignConfidence
    verdict: SignVerdict
    reason: str
    advice: str
    method: str
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Verdict, reason and advice in one."""
        text = f"{capitalize(self.verdict.value)}: {self.reason}"
        return f"{text}; {self.advice}." if self.advice else f"{text}."

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
    return log.after("signs recovered", effort=soft_signs * log.require("effort"), effort_kind=EffortKind.TORQUE)


@dataclass(frozen=True, kw_only=True)
class SegmentSign:
    """Samples of a joint that share a sign."""

    joint: str
    start: Annotated[float, "time of its first sample", Unit("s")]
    stop: Annotated[float, "time of its last sample", Unit("s")]
    sign: Literal[-1, 1]
    probability: float


def list_segments(recovery: SignRecovery) -> tuple[SegmentSign, ...]:
    """One row per segment."""
    names, time = recovery.estimate.base.robot.joint_names, recovery.log.time
    return tuple(
        SegmentSign(
            joint=names[segment.joint],
            start=float(time[segment.start]),
            stop=float(time[segment.stop - 1]),
            sign=1 if sign > 0.0 else -1,
            probability=float(probability),
        )
        for segment, sign, probability in zip(recovery.segments, recovery.segment_signs, recovery.posterior, strict=True)
    )
