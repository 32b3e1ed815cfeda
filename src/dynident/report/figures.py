"""Small helpers for figures as plain data: numbers short enough for a page, names that can't be taken for markup."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.validation.series import JointSeries

#: Colours that can be told apart by people who don't see all of them (after Okabe and Ito); the page has a light and a dark set.
LINES = ("@line1", "@line2", "@line3", "@line4", "@line5", "@line6", "@line7", "@line8")
_DIGITS = 5


def numbers(values: ArrayLike) -> list[float | None]:
    """Numbers with as many digits as a picture shows; what is not finite is a gap."""
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float).ravel()]


def plain(text: str) -> str:
    """Text for a figure, where Plotly would otherwise understand some HTML."""
    return html.escape(text, quote=False)


def line(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A curve. `meta` and other attributes of Plotly's scatter as keywords; `line` is merged into the colour."""
    style = {"color": colour, "width": 1.6, **more.pop("line", {})}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": plain(name), "line": style, **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6}, **more}


def continuous_time(series: JointSeries) -> Array:
    """(N,) time for an axis: segments follow each other, each with its own clock from where the one before ended."""
    time = series.time - series.time[0]
    for k in np.flatnonzero(np.diff(series.segment)) + 1:
        time[k:] += time[k - 1] - time[k] + 0.5
    return time


def with_gaps(series: JointSeries, values: Array) -> list[float | None]:
    """Values with a gap between segments, where a line would suggest a motion; as long as `time_with_gaps`."""
    return numbers(np.insert(values, np.flatnonzero(np.diff(series.segment)) + 1, np.nan))


def time_with_gaps(series: JointSeries) -> list[float | None]:
    time = continuous_time(series)
    breaks = np.flatnonzero(np.diff(series.segment)) + 1
    return numbers(np.insert(time, breaks, time[breaks]))
