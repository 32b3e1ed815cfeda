"""Notes of a validation: what its numbers mean, where they surprise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dynident.regression.estimate import Estimate
from dynident.validation.metrics import ModelErrors
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL

#: New data whose error is so many times that of the fit mean that the model doesn't carry over.
WORSE_THAN_FIT = 1.5
_PART = re.compile(r"^(?P<name>.*?)(?:, part (?P<start>[\d.e-]+):(?P<stop>[\d.e-]+))?$")


def validation_notes(model: Estimate, source: str, errors: Sequence[ModelErrors]) -> tuple[str, ...]:
    return tuple(_notes(model, source, errors))


def _notes(model: Estimate, source: str, errors: Sequence[ModelErrors]) -> Iterator[str]:
    complete: dict[str, ModelErrors] = {}
    for item in errors:
        complete.setdefault(item.model, item)  # the one with friction comes first
    found = complete[COEFFICIENTS]
    fitted = model.residuals.relative_percent
    if share := overlap(model.summary.source, source):
        yield f"{share} of the identification, so this is no test on new data; validate on a part or a log that was held out"
    if model.base.equations == "torque" and found.overall_percent > WORSE_THAN_FIT * fitted > 0.0:
        yield (
            f"the error is {found.overall_percent:.3g} %, and {fitted:.3g} % on the data of the fit; the model doesn't carry over fully to "
            "this motion, and a longer or richer log for the fit would help"
        )
    if LINKS in complete and complete[LINKS].overall_percent > 1.1 * found.overall_percent:
        yield (
            f"the link parameters are off by {complete[LINKS].overall_percent:.3g} %, the coefficients by {found.overall_percent:.3g} %; "
            "the constraints of the retrieval, or its prior, cost accuracy"
        )
    if NOMINAL in complete and complete[NOMINAL].overall_percent < found.overall_percent:
        yield (
            f"the nominal links with the identified friction are off by {complete[NOMINAL].overall_percent:.3g} % only, less than what was "
            "identified; prefer them, or identify again from a better log"
        )


def overlap(fitted: str, validated: str) -> str:
    """What the two sources have in common, as the beginning of a sentence; empty when nothing. Names are all that is known of files."""
    a, b = (_PART.fullmatch(text) for text in (fitted, validated))
    if a is None or b is None or not a["name"]:
        return ""
    (first, low), (second, high) = ((_interval(match), match["name"]) for match in (a, b))
    if low == high:
        shared = min(first[1], second[1]) - max(first[0], second[0])
        return f"the samples from {max(first[0], second[0]):.0%} to {min(first[1], second[1]):.0%} are those" if shared > 0 else ""
    common = sorted(set(low.split("; ")) & set(high.split("; ")))
    return f"{', '.join(common)} may hold data" if common else ""


def _interval(match: re.Match[str]) -> tuple[float, float]:
    return float(match["start"] or 0.0), float(match["stop"] or 1.0)
