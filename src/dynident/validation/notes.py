"""Notes of a validation: what its numbers mean, where they surprise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynident.regression.estimate import Estimate
from dynident.validation.metrics import ModelErrors
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL
from dynident.validation.result import SEEN

#: New data whose error is so many times that of the fit mean that the model doesn't carry over.
WORSE_THAN_FIT = 1.5


def validation_notes(model: Estimate, seen: float | None, errors: Sequence[ModelErrors]) -> tuple[str, ...]:
    return tuple(_notes(model, seen, errors))


def _notes(model: Estimate, seen: float | None, errors: Sequence[ModelErrors]) -> Iterator[str]:
    complete: dict[str, ModelErrors] = {}
    for item in errors:
        complete.setdefault(item.model, item)  # the one with friction comes first
    found = complete[COEFFICIENTS]
    fitted = model.residuals.relative_percent
    if seen is None:
        yield "it is not known which data the identification has seen, so this may be no test on new data; identify again to know it"
    elif seen >= SEEN:
        yield f"{seen:.1%} of the samples are those of the identification, so this is no test on new data; validate on what was held out"
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
