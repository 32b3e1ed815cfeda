# pyright: basic
"""Smoothing and derivatives of logs: pure functions from Dataset to Dataset that never cross a segment.

To identify a model, prefer ParallelFilter: smoothing positions and efforts separately, as low_pass and savitzky_golay
do, biases the model, because the regressor is not linear in q.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, per_joint
from dynident.core.large_arrays import allocate, concatenate_rows, row_blocks
from dynident.data.dataset import Dataset
from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.data.signals.encoder_noise import bridge, used_rows
from dynident.data.signals.sampling import is_uniform
from dynident.errors import UnknownNameError, ValueRangeError

_SIGNALS = ("q", "dq", "ddq", "effort", "temperature")
#: Jitter that a filter of uniform samples puts up with, as a fraction of the period.
JITTER = 0.01


def differentiate(dataset: Dataset) -> Dataset:
    """Fill in dq (from q) and ddq (from dq) where they are missing, by central differences on the recorded stamps.

    Exact for quadratics, at the edges of a segment too. Differences amplify noise: white noise of standard deviation s
    in q becomes s / (√2 h) in dq at a step of h, and noise of dq likewise in ddq. Filter afterwards, as ParallelFilter does
    to the regressor: differences and a linear filter commute, so the order costs nothing.

    Parameters
    ----------
    dataset : Dataset
        The log.

    Returns
    -------
    Dataset
        With dq and ddq; the log itself where it has both.
    """
    if dataset.dq is not None and dataset.ddq is not None:
        return dataset
    dq = dataset.dq if dataset.dq is not None else derivative(dataset, dataset.q)
    ddq = dataset.ddq if dataset.ddq is not None else derivative(dataset, dq)
    missing = " and ".join(name for name in ("dq", "ddq") if getattr(dataset, name) is None)
    return dataset.after(f"{missing} by differences", dq=dq, ddq=ddq)


def derivative(dataset: Dataset, values: Array) -> Array:
    """Central differences of values (N, ...) on the log's stamps."""
    return _by_segment(dataset, values, 3, "a derivative", central_differences)


def central_differences(values: Array, time: Array) -> Array:
    """(N, ...) derivative of values on a clock of at least three stamps; at the ends that of the parabola through three samples."""
    result = allocate(values.shape)
    for block in row_blocks(len(values), values, result, width=values[0].size):
        # a sample more on either side, and never fewer than three
        start = max(0, min(block.start - 1, len(values) - 3))
        stop = min(len(values), max(block.stop + 1, start + 3))
        inner = np.gradient(values[start:stop], time[start:stop], axis=0, edge_order=2)
        result[block] = inner[block.start - start : block.stop - start]
    return result


def low_pass(dataset: Dataset, cutoff: float | Mapping[str, ArrayLike], *, order: int = 4) -> Dataset:
    """Signals through a Butterworth low-pass run forward and backward: no delay, -6 dB at `cutoff` [Hz].

    Parameters
    ----------
    dataset : Dataset
        The log.
    cutoff : float or mapping
        One frequency for all signals of the log [Hz]; or by name, as papers do, `{"q": 1.0, "effort": 2.0}`: each signal at its own
        frequency, one for all joints or one per joint, and signals that are not named as they are. Of q, dq, ddq, effort and temperature,
        those that were recorded can be named; what is derived later is derived from the filtered ones.
    order : int
        Order of the filter that is run twice.

    Returns
    -------
    Dataset
        With the filtered signals.

    Notes
    -----
    White noise keeps about 1.8 cutoff / rate of its variance (order 4), and what is left is correlated over 1 / (2 cutoff)
    seconds: decimate before computing standard deviations. Edges are extrapolated; trim about 1 / cutoff seconds there. Samples that are
    masked for all joints are bridged first, so that they reach no other.
    """
    rate = _uniform_rate(dataset, "low_pass")
    present = [name for name in _SIGNALS if getattr(dataset, name) is not None]
    given = cutoff if isinstance(cutoff, Mapping) else dict.fromkeys(present, cutoff)
    for name in given:
        if name not in present:
            raise UnknownNameError("signal to filter", name, present, remedy="name signals that the log has recorded")
    frequencies = {name: per_joint(f"cutoff of {name}", given[name], dataset.n, sign="positive") for name in present if name in given}
    smoothed = {name: _filter_segments(dataset, getattr(dataset, name), each, rate, order) for name, each in frequencies.items()}
    if dataset.effort_kind is not None and dataset.effort_kind.unsigned and "effort" in smoothed:
        smoothed["effort"] = np.maximum(smoothed["effort"], 0.0)  # where a magnitude touches zero the filter undershoots
    if isinstance(cutoff, Mapping):
        filtered = ", ".join(f"{name} at {_text(each)} Hz" for name, each in frequencies.items())
        return dataset.after(f"low-pass of {filtered}, order {order}", **smoothed)
    return dataset.after(f"low-pass {cutoff:g} Hz of order {order}", **smoothed)


def _filter_segments(dataset: Dataset, values: Array, cutoffs: Array, rate: float, order: int) -> Array:
    """(N, n) values, each joint at its cutoff (n,) [Hz]."""
    parts: list[Array] = []
    for number, segment in enumerate(dataset.segments):
        _check_length(number, segment, shortest(order), "this filter")
        bridged = bridge(values[segment], used_rows(dataset, segment), rate)
        result = np.empty_like(bridged)
        for frequency in np.unique(cutoffs):
            columns = cutoffs == frequency
            result[:, columns] = forward_backward(bridged[:, columns], cutoff=float(frequency), rate=rate, order=order)
        parts.append(result)
    return parts[0] if len(parts) == 1 else concatenate_rows(parts)


def _text(frequencies: Array) -> str:
    return f"{frequencies[0]:g}" if np.all(frequencies == frequencies[0]) else ", ".join(f"{each:g}" for each in frequencies)


def savitzky_golay(dataset: Dataset, window: int, polynomial: int) -> Dataset:
    """Every signal smoothed by fitting a polynomial to `window` samples around each; dq and ddq, where missing, are its derivatives.

    Polynomials up to the degree `polynomial` pass unchanged. For the degrees 2 and 3 white noise keeps about 9 / (4 window)
    of its variance. Of the degree 1 or 2, noise of standard deviation s in q becomes √12 s / (window^1.5 h) in dq at a
    step of h, far less than differences of neighbours leave.

    Parameters
    ----------
    dataset : Dataset
        The log.
    window : int
        Samples that a polynomial is fitted to; odd.
    polynomial : int
        Its degree.

    Returns
    -------
    Dataset
        With smooth signals, dq and ddq.
    """
    from scipy.signal import savgol_filter

    rate = _uniform_rate(dataset, "savitzky_golay")
    if window % 2 == 0 or not 0 <= polynomial < window:
        raise ValueRangeError("window", f"is {window} for polynomials of degree {polynomial}; it must be odd and above the degree")
    needed = 1 if dataset.dq is not None or dataset.ddq is not None else 2
    if dataset.ddq is None and polynomial < needed:
        raise ValueRangeError("polynomial", f"is {polynomial}; the missing accelerations need at least {needed}")

    def fit(values: Array, derivative: int) -> Array:
        return _by_segment(
            dataset,
            values,
            window,
            f"a window of {window}",
            lambda x, _: np.asarray(savgol_filter(x, window, polynomial, derivative, 1.0 / rate, axis=0)),
        )

    smoothed = {name: fit(values, 0) for name in _SIGNALS if (values := getattr(dataset, name)) is not None}
    if dataset.dq is None:
        smoothed["dq"] = fit(dataset.q, 1)
    if dataset.ddq is None:
        smoothed["ddq"] = fit(dataset.q, 2) if dataset.dq is None else fit(dataset.dq, 1)
    return dataset.after(f"Savitzky-Golay {window}/{polynomial}", **smoothed)


def _by_segment(dataset: Dataset, values: Array, needed: int, what: str, step: Callable[[Array, Array], Array]) -> Array:
    """The step applied to each segment on its own; refused where one is too short for it."""
    parts: list[Array] = []
    for number, segment in enumerate(dataset.segments):
        _check_length(number, segment, needed, what)
        parts.append(step(values[segment], dataset.time[segment]))
    return parts[0] if len(parts) == 1 else concatenate_rows(parts)


def _check_length(number: int, segment: slice, needed: int, what: str) -> None:
    length = segment.stop - segment.start
    if length < needed:
        raise ValueRangeError("segment", f"{number} has {length} samples, but {what} needs {needed}; drop it, or use a shorter filter")


def _uniform_rate(dataset: Dataset, name: str) -> float:
    if not is_uniform(dataset, tolerance=JITTER):
        raise ValueRangeError("time", f"is not uniform (steps differ by more than {JITTER:.0%}), as {name} needs; resample first")
    return dataset.rate
