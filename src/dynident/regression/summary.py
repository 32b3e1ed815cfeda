"""What an estimate remembers of how it came about: how the data were read and processed, and how they were fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynident.core.documents import LEFT_OUT
from dynident.data.reading.reading import Reading
from dynident.data.signals.faulty_samples import FaultCount
from dynident.errors import ValueRangeError

#: One noise level for all rows (ordinary least squares), or one per group, estimated in turn with the coefficients.
Noise: TypeAlias = Literal["uniform", "per_group"]
NOISES: tuple[Noise, ...] = ("uniform", "per_group")


@dataclass(frozen=True, kw_only=True)
class Processing:
    """What was done to the data before they became rows; None or empty where it was not done.

    resampled_to_hz : float or None   Uniform clock that an uneven one was put on.
    differentiated : names            Of dq and ddq, those that were not recorded.
    motion_noise : {joint: values}    Noise and RMS speed of the velocity that is used, "velocity" and "speed" [rad/s | m/s]. Where it was
                                      derived, also "position" [rad | m], "unsmoothed_velocity" (by central differences of the recorded
                                      positions) and, where these were smoothed, "bandwidth_hz" of their low-pass.
    disagreeing : {name: {joint: %}}  Recorded dq and ddq that differ from the derivatives, which replace them where there is a filter.
    faulty : counts                   Samples that are faults of the recording, by signal, kind and joint.
    filter, order, cutoff_hz          The filter that both sides of the equations went through; -6 dB frequency.
    rate_hz : float or None           Samples per second that were kept after it.
    read : Reading                    How the files were read.
    """

    resampled_to_hz: float | None = field(default=None, metadata=LEFT_OUT)
    differentiated: tuple[str, ...] = field(default=(), metadata=LEFT_OUT)
    motion_noise: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, "Mapping[str, float]"], metadata=LEFT_OUT)
    disagreeing: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, "Mapping[str, float]"], metadata=LEFT_OUT)
    faulty: tuple[FaultCount, ...] = field(default=(), metadata=LEFT_OUT)
    filter: str = field(default="", metadata=LEFT_OUT)
    order: int | None = field(default=None, metadata=LEFT_OUT)
    cutoff_hz: float | None = field(default=None, metadata=LEFT_OUT)
    rate_hz: float | None = field(default=None, metadata=LEFT_OUT)
    read: Reading = field(default_factory=Reading, metadata=LEFT_OUT)

    def __post_init__(self) -> None:
        if self.cutoff_hz is not None and self.rate_hz is None:
            raise ValueRangeError("rate_hz", "is missing; a filtered log has a rate")

    def __str__(self) -> str:
        words: list[str] = []
        if left_out := sum(count.samples for count in self.faulty if count.left_out):
            words.append(f"{left_out} faulty values left out")
        if self.resampled_to_hz is not None:
            words.append(f"resampled to {self.resampled_to_hz:.6g} Hz")
        if self.differentiated:
            words.append(f"{' and '.join(self.differentiated)} by differences")
        if self.disagreeing and self.cutoff_hz is not None:
            words.append(f"wrong {' and '.join(self.disagreeing)} replaced by differences")
        if self.cutoff_hz is not None:
            words.append(f"filtered at {self.cutoff_hz:g} Hz in parallel, {self.rate_hz:.4g} samples per second kept")
        return ", ".join(words) or "as recorded"


@dataclass(frozen=True, kw_only=True)
class FitSummary:
    """The data behind an estimate and the choices of its fit.

    samples, equations : int         Samples that were read, rows that were made of them.
    noise_levels : (groups,)         Standard deviation of each group's rows.
    inflation : float                How many times larger correlated residuals make the variance of a coefficient, in the median.
    correlation_times : (groups,)    How long the residuals of each group stay correlated [s]; empty where it was not measured.
    loss : str                       Name of the loss.
    drop_above_percent : float       Relative standard deviation above which coefficients were dropped; None where all were kept.
    condition_number : float         Of the stacked regressor of the kept coefficients, lengths in `length_unit` of the robot.
    rank, rank_tolerance             How many coefficients the data determine, and the largest share of a column that counted as dependent.
    """

    source: str
    samples: int
    equations: int
    processing: Processing
    noise: Noise
    noise_levels: tuple[float, ...]
    loss: str
    drop_above_percent: float | None
    condition_number: float
    rank: int
    rank_tolerance: float
    inflation: float = 1.0
    correlation_times: tuple[float, ...] = ()
