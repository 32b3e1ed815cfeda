"""What can come of a damaged file, and the rules by which a reading is put into one of these classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

#: Two signals are in one unit whose typical sizes differ by less than this factor; a value is absurd beyond this many times the largest.
_SAME_UNIT, _ABSURD = 2.0, 50.0
#: Rates that differ by less than this share are the same; a step of a clock beyond this many usual ones is a gap.
_SAME_RATE, _GAP = 0.02, 5.0
#: A signal that correlates less with the intact one is another signal, or one of the other sign.
_SAME_SIGNAL = 0.5
_DIGITS = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")


class Outcome(Enum):
    """The value is what the documentation calls it; `passes` says whether it may happen."""

    SENTENCE = "refused with a sentence"
    EQUAL = "read, equal"
    SAID = "read, different, and said"
    ANOTHER = "read as another valid file"
    SILENT = "read, different, not said"
    EXCEPTION = "exception"
    NOISE = "output of a library"
    CRASH = "crash"
    HANG = "hang"
    MEMORY = "memory"

    @property
    def passes(self) -> bool:
        return self in (Outcome.SENTENCE, Outcome.EQUAL, Outcome.SAID, Outcome.ANOTHER)


def _nothing(thorough: bool) -> set[str]:
    return set()


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was read.

    content : arrays and texts by name, by which two readings are compared.
    says : sentences that a user is told about it, notes and findings; thorough asks the doctor too.
    concerns : the intact content and this one to what must be said about the difference; empty where this is another file as good.
    """

    content: Mapping[str, Any]
    says: Callable[[bool], set[str]] = _nothing
    concerns: Callable[[Mapping[str, Any], Mapping[str, Any]], list[str]] = lambda intact, content: not_finite(content)


def judge(intact: Found, found: Found) -> tuple[Outcome, str]:
    """The class of a reading, and what is wrong with it where something is."""
    if same(intact.content, found.content):
        return Outcome.EQUAL, ""
    if _new_sentences(intact, found, thorough=False):
        return Outcome.SAID, ""
    concerns = found.concerns(intact.content, found.content)
    if not concerns:
        return Outcome.ANOTHER, ""
    if _new_sentences(intact, found, thorough=True):
        return Outcome.SAID, ""
    return Outcome.SILENT, "; ".join(concerns)


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one.keys() != other.keys():
        return False
    return all(
        np.array_equal(one[name], other[name], equal_nan=True) if isinstance(one[name], np.ndarray) else one[name] == other[name]
        for name in one
    )


def _new_sentences(intact: Found, found: Found, *, thorough: bool) -> set[str]:
    """What is said now and was not of the intact file, whatever the numbers in it."""
    return _plain(found.says(thorough)) - _plain(intact.says(thorough))


def _plain(sentences: set[str]) -> set[str]:
    return {_DIGITS.sub("#", sentence) for sentence in sentences}


def not_finite(content: Mapping[str, Any]) -> list[str]:
    """Names of the arrays with NaN, or with numbers near the largest that there are."""
    arrays = {name: values for name, values in content.items() if isinstance(values, np.ndarray) and values.dtype.kind == "f"}
    return [f"{name} is not finite" for name, values in arrays.items() if np.any(np.isnan(values))]


def concerns_of_log(intact: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """A clock of another rate or with a gap, signals of another unit, sign or joint, and values far beyond all others."""
    found = not_finite(content)
    steps, before = np.diff(content["time"]), np.diff(intact["time"])
    usual = float(np.median(steps))
    if abs(usual / float(np.median(before)) - 1.0) > _SAME_RATE:
        found.append(f"the rate is {1.0 / usual:.4g} Hz")
    if steps.max() > _GAP * usual:
        found.append(f"a gap of {steps.max():.4g} s in the clock")
    for name in ("q", "dq", "ddq", "effort"):
        if content.get(name) is None or intact.get(name) is None:
            continue
        for j, (values, truth) in enumerate(zip(content[name].T, intact[name].T, strict=False)):
            found += [f"{name} of joint {j + 1} {what}" for what in _concerns_of_signal(values, truth)]
    return found


def _concerns_of_signal(values: np.ndarray, truth: np.ndarray) -> list[str]:
    typical, usual = float(np.median(np.abs(values))), float(np.median(np.abs(truth)))
    found: list[str] = []
    if not usual / _SAME_UNIT < typical < usual * _SAME_UNIT and len(values) > len(truth) // 2:
        found.append("is in another unit")
    if np.abs(values).max() > _ABSURD * np.abs(truth).max():
        found.append(f"has the value {values[np.abs(values).argmax()]:.3g}")
    elif values.shape == truth.shape and np.corrcoef(values, truth)[0, 1] < _SAME_SIGNAL:
        found.append("is another signal")
    return found
