"""What the numbers of a validation mean, where they surprise: in plain words, and with the remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynident.core.texts import listing, short_number
from dynident.validation.models import COEFFICIENTS
from dynident.validation.result import CLEARLY_WORSE, SEEN, WORSE_THAN_FIT, Validation
from dynident.validation.uncertainty import Departure

#: A motion of which more than this share repeats that of the fit says little about other motions.
_MOSTLY_REPEATED = 0.5
#: A 95 % band that holds less than this of a joint's samples is too narrow, whatever chance did [%].
_COVERED = 80.0


def validation_notes(validation: Validation, repeated: float | None, no_folds: str) -> Iterator[str]:
    """repeated : share of the motion that repeats that of the fit; no_folds : why the data of the fit were not cross-validated."""
    errors, summary, seen = validation.coefficients, validation.summary, validation.seen
    fitted = summary.identified_percent
    if seen is None:
        yield "it is not known which data the identification has seen, so this may be no test on new data; identify again to know it"
    elif seen >= SEEN:
        yield f"{seen:.1%} of the samples are those of the identification, so this is no test on new data; validate on what was held out"
    elif repeated is not None and repeated > _MOSTLY_REPEATED:
        crossed = summary.cross_validated
        other = ""
        if crossed is not None:
            error = " ± ".join(map(short_number, crossed))
            other = f"; predicted without having seen its like, the log of the fit has {error} %"
        yield f"{repeated:.0%} of this motion repeats that of the fit, so its error says little about other motions{other}"
    if validation.band.departures:
        yield departure_text(validation.band.departures)
    if COEFFICIENTS in validation.band.noise and no_folds:
        yield f"the noise in the bands is what the fit left over, and may be too small, because the fit was not cross-validated: {no_folds}"
    if summary.of_torques and COEFFICIENTS not in validation.band.noise:
        known = "without a filter" if summary.identified_cutoff_hz is None else f"at {summary.identified_cutoff_hz:g} Hz"
        yield f"the noise of the fit is known {known} only, so here the bands have none, and how much they cover is not said"
    if summary.of_torques and errors.overall_percent > WORSE_THAN_FIT * fitted > 0.0:
        yield (
            f"the error of the coefficients is {errors.overall_percent:.3g} %, and {fitted:.3g} % on the data of the fit; they don't carry "
            "over fully to this motion, and a longer or richer log for the fit would help"
        )
    covered = validation.coverage_percent
    if covered is not None and covered.min() < _COVERED:
        narrow = [f"{name} {share:.0f} %" for name, share in zip(validation.joints, covered, strict=True) if share < _COVERED]
        yield (
            f"few samples lie within the 95 % bands ({listing(narrow)}), which are too narrow there: since the log of the fit the motion, "
            "the robot or its load has changed, or the robot does what the model can't"
        )
    links, nominal = validation.links, validation.nominal
    if links is not None and links.overall_percent > CLEARLY_WORSE * errors.overall_percent:
        yield (
            f"the link parameters are off by {links.overall_percent:.3g} %, the coefficients by {errors.overall_percent:.3g} %; "
            "the constraints of the retrieval, or its prior, cost accuracy"
        )
    if nominal is not None and nominal is validation.recommended:
        yield (
            f"the nominal links with the identified friction are off by {nominal.overall_percent:.3g} % only, less than what was "
            "identified; prefer them, or identify again from a better log"
        )


def departure_text(departures: Sequence[Departure]) -> str:
    """Which joints leave what the data of the fit cover, how much, since when, and what follows."""
    worst = sorted(departures, key=lambda item: -item.share)
    joints = listing([f"{item.joint} ({item.share:.0%} of the samples, from {item.since:.3g} s on)" for item in worst], 3)
    factor = short_number(max(item.factor for item in departures))
    return (
        f"this motion leaves what the log of the fit covers: {joints}; there torques are up to {factor} times as uncertain as on that "
        "log, and rest on the form of the model rather than on data; identify from a log that moves like this one"
    )
