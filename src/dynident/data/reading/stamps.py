"""Time stamps as files have them, dates and counts of any unit among them, as seconds; stamps that can't be seconds are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, all_finite
from dynident.data.reading.quantities import factor
from dynident.errors import FileError, Remedy

#: A first stamp beyond this is a date (seconds since 1970), not a time since the start [s].
_UNIX = 1e8
#: Dates are before this one, 2128 [s]; later ones are in a smaller unit.
_LATEST = 5e9
_DATE_UNITS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
#: Longest step [s] and highest rate [Hz] of a clock whose unit nobody has said.
_SLOWEST, _FASTEST = 60.0, 1e6
_EXAMPLES: dict[str, Any] = {"units": {"time": "ms"}, "sampling_rate": 1000.0}
#: A clock of so few samples may count whole seconds.
_FEW_SAMPLES = 100


def seconds_of(file: Path, stamps: NDArray[Any], unit: str | None) -> Array:
    """(N,) seconds; dates begin with 0. unit : of the stamps, None where nobody said it."""
    if stamps.dtype.kind in "mM":  # dates and durations, which have their unit in them
        if unit is not None:
            raise FileError(file, "time holds dates or durations, whose unit is known; leave its unit out")
        start = stamps[0] if stamps.dtype.kind == "M" else np.timedelta64(0, "ns")
        return np.asarray((stamps - start) / np.timedelta64(1, "ns"), dtype=float) * 1e-9
    scale = factor("time", unit or "s")
    first = stamps[0] if len(stamps) else 0
    # integers are shifted before they become floats, which hold the digits of a nanosecond clock since 1970 only to 0.3 us
    shifted = stamps - first if _UNIX < abs(float(first)) * scale < np.inf else stamps
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused with its place
        time = np.asarray(shifted, dtype=float) * scale
    if unit is None:
        _check_clock(file, stamps, time)
    return time


def _check_clock(file: Path, stamps: NDArray[Any], time: Array) -> None:
    """Stamps of which nobody said the unit, and that are no seconds: the remedy names the unit that they seem to have."""
    first, steps = abs(float(stamps[0])), np.diff(time)
    if not (len(steps) and all_finite(steps)):
        return  # which the checks of the dataset say
    since_1970 = next((unit for unit, scale in _DATE_UNITS.items() if _UNIX < scale * first < _LATEST), None)
    step = float(np.median(steps, overwrite_input=True))  # the order of the steps doesn't matter below
    if first > _LATEST and since_1970 is not None:
        message = f"time begins with {first:.10g}, which is no date in seconds, but one in {since_1970}"
        raise FileError(file, message, remedy=Remedy("give its unit, {units}", units={"time": since_1970}))
    if step > 0.0 and not 1.0 / _FASTEST <= step <= _SLOWEST:
        remedy = Remedy("give the unit of the time, such as {units}, or the rate, such as {sampling_rate}", **_EXAMPLES)
        raise FileError(file, f"time advances by {step:.4g} s from sample to sample, as no recorder does", remedy=remedy)
    if step >= 1.0 and len(time) > _FEW_SAMPLES and np.all(steps == np.round(steps)):
        remedy = Remedy("give its unit, such as {units} (or s), or the rate, such as {sampling_rate}", **_EXAMPLES)
        raise FileError(file, f"time counts in whole numbers ({step:g} from sample to sample), as seconds seldom do", remedy=remedy)
