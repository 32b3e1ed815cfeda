"""A program for arms of Universal Robots: a slow movej to the start, and a servoj per sample.

servoj(q, a, v, t, lookahead_time, gain) keeps the arm on its way to q [rad] for t [s], a whole number of control cycles: 2 ms of e-Series
and later, 8 ms of CB3. lookahead_time is 0.03 to 0.2 s, gain 100 to 2000; a and v are not used (URScript manual 5.20, servoj). The
controller loads the whole program before it begins, and programs of several thousand lines load slowly: 125 Hz suits both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_text
from dynident.core.kinds import number
from dynident.core.options import Options, option
from dynident.data.dataset import Dataset
from dynident.data.reading.reading import Reading
from dynident.errors import FileError, InputError
from dynident.motions.formats.format import TrajectoryFormat

_MOVEJ = re.compile(r"^\s*movej\(\s*\[([^\]]*)\]", re.MULTILINE)
_SERVOJ = re.compile(r"^\s*servoj\(\s*\[([^\]]*)\][^#\n]*?\bt\s*=\s*([0-9.eE+-]+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class URScriptOptions(Options):
    """Of servoj and of the move to the start."""

    lookahead: Annotated[float, number("s", low=0.03, high=0.2)] = option(
        0.1, "Lookahead time of servoj in s, 0.03 to 0.2; more is smoother and follows later."
    )
    gain: Annotated[float, number(low=100.0, high=2000.0)] = option(
        300.0, "Gain of servoj, 100 to 2000; more follows closer, shakes sooner."
    )
    approach: Annotated[float, number(low=0.01, high=3.0)] = option(0.25, "Joint velocity of the move to the start in rad/s.")


def _encode(samples: Dataset, lines: Sequence[str], options: URScriptOptions) -> str:
    period = float(samples.time[-1] - samples.time[0]) / (samples.samples - 1)
    step = f"t={round(period, 9):.9g}, lookahead_time={options.lookahead:g}, gain={options.gain:g}"
    text = [f"# {line}" for line in lines]
    text += [
        "def dynident_trajectory():",
        '  popup("The arm drives straight to the start of the trajectory, then along it. Is the way clear?", "dynident", blocking=True)',
        f"  movej({_row(samples.q[0])}, a=0.5, v={options.approach:g})",
        *(f"  servoj({_row(q)}, {step})" for q in samples.q[1:]),
        "  stopj(2.0)",
        "end",
    ]
    return "\n".join(text) + "\n"


def _row(q: Array) -> str:
    return f"[{', '.join(repr(float(value)) for value in q)}]"


def _read(path: Path, reading: Reading) -> Dataset:
    text = read_text(path)
    start, steps = _MOVEJ.search(text), list(_SERVOJ.finditer(text))
    if start is None or not steps:
        raise FileError(path, "holds no movej and servoj lines with numbers; only such programs as dynident writes can be read")
    q: list[list[float]] = []
    for match in (start, *steps):
        row = [_number(path, text, match, word) for word in match[1].split(",")]
        if q and len(row) != len(q[0]):
            raise FileError(path, f"has {len(row)} joints where {len(q[0])} were before", place=_place(text, match))
        q.append(row)
    periods = np.array([_number(path, text, match, match[2]) for match in steps])
    same = periods[0] > 0.0 and np.all(periods == periods[0])  # of a rate, whose instants are k / rate
    time = np.arange(len(q)) / round(1.0 / periods[0], 6) if same else np.concatenate([[0.0], np.cumsum(periods)])
    try:
        return Dataset(time=time, q=np.array(q), source=path.name)
    except InputError as error:
        raise FileError(path, error.message, remedy=error.remedy) from None


def _number(path: Path, text: str, match: re.Match[str], word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise FileError(path, f"{word.strip()!r} is not a number", place=_place(text, match)) from None


def _place(text: str, match: re.Match[str]) -> str:
    return f"line {text.count(chr(10), 0, match.start(1)) + 1}"


FORMAT = TrajectoryFormat(
    name="urscript",
    about="servoj lines for arms of Universal Robots",
    suffixes=(".script",),
    encode=_encode,
    read=_read,
    rate=125.0,
    joints=6,
    periods=range(2, 102, 2),
    options=URScriptOptions,
)
