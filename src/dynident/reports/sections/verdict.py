"""The verdict in plain words: five numbers, what to trust, and what not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynident.core.texts import decimal_text, listing, short_number
from dynident.feasibility.result import RetrievalStatus
from dynident.parameters import consistency_margin
from dynident.regression.notes import HIGH_CONDITION
from dynident.reports.blocks import Block, Card, Cards, Listing, Text
from dynident.runs import Run, Stage
from dynident.signs.confidence import SignVerdict
from dynident.validation.metrics import Grade
from dynident.validation.notes import departure_text
from dynident.validation.result import CLEARLY_WORSE, WORSE_THAN_FIT, Validation

_TONES = {Grade.GOOD: "good", Grade.FAIR: "fair", Grade.POOR: "bad"}
_LABELS = {True: "Held-out error", False: "Error on the fit's own data", None: "Error, on new data or not"}
_MADE_OF = "they are what the predictions above are made of"


def verdict(run: Run) -> Iterator[Block]:
    yield Text(headline(run), headline=True)
    yield Cards((_error(run), _rank(run), _condition(run), _gap(run), _feasible(run)))
    yield Listing("What to trust", tuple(what_to_trust(run)), "good")
    yield Listing("What not to trust", tuple(what_not_to_trust(run)), "bad")


def headline(run: Run) -> str:
    """One sentence that a hurried reader can take away."""
    if run.validation is None:
        return "How good this model is on data that it has not seen is not known yet."
    found = run.validation.recommended
    number = f"it leaves {run.validation.percent_text} of the torque unexplained"
    if run.validation.on_new_data is None:
        return f"Whether the model has seen the data that it was judged on is not known; there {number}."
    if not run.validation.on_new_data:
        return f"The model was judged on data of its own fit, where {number}; that says little about other motions."
    times = f"{short_number(found.overall_ratio)} times what the best model in hindsight leaves"
    if found.grade is Grade.POOR:
        return f"No model predicts torques that it has not seen: at best {number}, {times}. Don't use one before that is understood."
    return f"{run.validation.advice} It predicts torques that it has not seen {run.validation.judgement}: {times}."


def what_to_trust(run: Run) -> Iterator[str]:
    estimate, validation, parameters = run.estimate, run.validation, run.parameters
    if validation is not None and validation.on_new_data:
        good = [name for name, grade in zip(validation.joints, validation.recommended.joint_grades, strict=True) if grade is Grade.GOOD]
        if good:
            names = "all joints" if len(good) == len(validation.joints) else listing(good)
            yield f"Torques of {names}: about as near as any model of this form comes on held-out data."
        nominal, found = validation.nominal, validation.recommended
        if nominal is not None and nominal.overall_percent > found.overall_percent:
            factor = nominal.overall_percent / max(found.overall_percent, 1e-12)
            yield f"That it is better than the nominal links with the same friction: their error is {short_number(factor)} times as large."
    kept, known = int(estimate.kept.sum()), estimate.base.equations
    made_of = f"they are of {known} alone, and torques are predicted by the links" if known in ("inertia", "gravity") else _MADE_OF
    if estimate.vendor_model is None or not estimate.vendor_model.contradicted:
        yield f"The {kept} coefficients that were kept, taken together: {made_of}."
    if parameters is None or not _links_hold(run):
        return
    yield "The link parameters as a whole: a robot with them can exist, so simulators and controllers can use them."
    determined = _determined(run)
    if determined["data"]:
        yield f"{determined['data']} of {sum(determined.values())} link parameters by themselves, as far as the model leaves nothing out."


def _links_hold(run: Run) -> bool:
    """Whether the links are those of a robot that can exist and is like this one, and predict about as well as the coefficients."""
    parameters, validation = run.parameters, run.validation
    if parameters is None or not parameters.feasible or parameters.status is RetrievalStatus.DOUBTFUL:
        return False
    if validation is not None and validation.links_hold is not None and run.links_validated:
        return validation.links_hold
    training = parameters.training  # all that is known of their error: on the data of the fit
    return training is None or training[1] <= CLEARLY_WORSE * training[0]


class Doubt(NamedTuple):
    """What not to trust. general : holds of every model, or says what steps and status of the links say by themselves."""

    sentence: str
    general: bool = False


def what_not_to_trust(run: Run) -> Iterator[str]:
    return (doubt.sentence for doubt in find_doubts(run))


def find_doubts(run: Run) -> Iterator[Doubt]:
    """In the order in which they are read."""
    estimate, validation, parameters = run.estimate, run.validation, run.parameters
    if run.signs is not None and run.signs.verdict is not SignVerdict.CERTAIN:
        yield Doubt(f"The signs of the torque, on which everything else stands. {run.signs.sentence}")
    if estimate.vendor_model is not None:
        yield from (Doubt(f"The coefficients: {note}.") for note in estimate.vendor_model.notes)
    if validation is None:
        yield Doubt(f"Anything beyond the motion of the fit. To find out: {Stage.VALIDATION.command(run.folder)}", general=True)
    else:
        yield from map(Doubt, _of_validation(run, validation))
    # measured on made-up arms: a ripple of 0.1 N·m leaves half of the coefficients outside two standard deviations at 0.2 % error
    counted = "noise only" if estimate.blocks is None else "noise, and what differs between parts of the log"
    yield Doubt(
        f"Standard deviations as the whole error: they count {counted}. What the model leaves out all the time, such as elastic joints or "
        "dropped coefficients, can shift a coefficient by several of them while torques are still predicted well.",
        general=True,
    )
    if estimate.dropped:
        names = listing([estimate.base.names[item.index] for item in estimate.dropped], 8)
        share = f"{len(estimate.dropped)} of {estimate.base.rank} coefficients"
        yield Doubt(f"{share} ({names}): this log doesn't determine them, and the model has them at zero.")
    if estimate.condition_number > HIGH_CONDITION:
        number = f"{estimate.condition_number:.3g}"
        yield Doubt(f"Single coefficients: the condition number is {number}, so some of them are only known together.")
    if parameters is None:
        to_do = Stage.PARAMETERS.command(run.folder)
        yield Doubt(f"Masses and inertias of single links: they have not been retrieved. To do so: {to_do}", general=True)
        return
    if parameters.status is RetrievalStatus.DOUBTFUL:
        yield Doubt(f"The link parameters: they are {parameters.status.value}.", general=True)
    if not parameters.feasible:
        yield Doubt("The link parameters in a simulator: they violate constraints, and no real robot has them.")
    determined = _determined(run)
    if determined["prior"]:
        total = sum(determined.values())
        yield Doubt(
            f"{determined['prior']} of {total} link parameters by themselves: other values would fit as well, and a prior chose among "
            "them. Together they give the torques above."
        )


def _of_validation(run: Run, validation: Validation) -> Iterator[str]:
    found = validation.recommended
    for grade, meaning in ((Grade.POOR, "far more than a model of this form must leave"), (Grade.FAIR, "visibly more than it must leave")):
        joints = [
            f"{name} ({short_number(error)} %, {ratio:.1f} times)"
            for name, error, ratio, own in zip(validation.joints, found.relative_percent, found.ratio, found.joint_grades, strict=True)
            if own is grade
        ]
        if joints:
            yield f"Torques of {listing(joints, len(joints))}: that much of them is unexplained, {meaning}."
    if validation.band.departures:
        yield f"Torques where nothing was measured: {departure_text(validation.band.departures)}."
    fitted = run.estimate.residuals.relative_percent
    if run.estimate.base.equations == "torque" and validation.coefficients.overall_percent > WORSE_THAN_FIT * fitted:
        other = short_number(validation.coefficients.overall_percent)
        yield f"The error of the fit ({short_number(fitted)} %) as a forecast: on other data it is {other} %."
    crossed = validation.summary.cross_validated
    if validation.on_new_data and crossed is not None and crossed[0] > WORSE_THAN_FIT * found.overall_percent:
        error = " ± ".join(map(short_number, crossed))
        yield (
            f"The held-out error ({short_number(found.overall_percent)} %) as a forecast of other motions: parts of the fit's own log, "
            f"each predicted by a fit to the others, have {error} %."
        )
    links = validation.links if run.links_validated else None
    if links is not None and links.overall_percent > CLEARLY_WORSE * validation.coefficients.overall_percent:
        yield f"The link parameters for torques of that accuracy: their own error is {short_number(links.overall_percent)} %."
    if run.parameters is not None and not run.links_validated:
        yield f"The link parameters' error: it was not measured for these. To do so: {Stage.VALIDATION.command(run.folder)}"


def _error(run: Run) -> Card:
    validation = run.validation
    if validation is None:
        return Card(label="Held-out error", value="not measured", detail=Stage.VALIDATION.command(run.folder))
    found, summary = validation.recommended, validation.summary
    errors: list[float] = found.relative_percent.tolist()  # infinite where a joint's effort is zero throughout
    most = max([error for error in errors if math.isfinite(error)], default=0.0) or 1.0
    bars = tuple((name, f"{short_number(error)} %", min(error / most, 1.0)) for name, error in zip(validation.joints, errors, strict=True))
    lines = [f"{short_number(found.overall_ratio)} times the best in hindsight"]
    if summary.cross_validated is not None:
        lines.append("cross-validated in the fit: {} ± {} %".format(*map(short_number, summary.cross_validated)))
    if summary.processing.cutoff_hz is not None:
        wide = "" if found.wide_percent is None else f"; {short_number(found.wide_percent)} % at {summary.wide_hz:g} Hz"
        lines.insert(0, f"at {summary.processing.cutoff_hz:g} Hz{wide}")
    label = _LABELS[validation.on_new_data]
    return Card(label=label, value=found.percent_text, detail="\n".join(lines), tone=_TONES[found.grade], bars=bars)


def _rank(run: Run) -> Card:
    estimate = run.estimate
    rank, full = estimate.summary.rank, estimate.base.rank
    tone = "good" if rank == full else "fair"
    return Card(label="Rank", value=f"{rank} of {full}", detail=f"{int(estimate.kept.sum())} coefficients kept", tone=tone)


def _condition(run: Run) -> Card:
    value = run.estimate.condition_number
    tone = "good" if value <= 100.0 else "fair" if value <= HIGH_CONDITION else "bad"
    shown = f"{value:.3g}" if math.isfinite(value) else "infinite"
    return Card(label="Condition number", value=shown, detail="about 50 is good", tone=tone)


def _gap(run: Run) -> Card:
    parameters = run.parameters
    if parameters is None:
        return Card(label="Gap to the optimum", value="no links yet", detail=Stage.PARAMETERS.command(run.folder))
    tone = "good" if parameters.status is RetrievalStatus.OPTIMAL else "fair"
    share, of, whole = parameters.gap_in_words.partition(" of ")
    detail = f"{of.strip()} {whole}\nobjective {parameters.objective:.3g}".strip()
    return Card(label="Gap to the optimum", value=share, detail=detail, tone=tone)


def _feasible(run: Run) -> Card:
    parameters = run.parameters
    if parameters is None:
        return Card(label="Feasible", value="no links yet", detail=Stage.PARAMETERS.command(run.folder))
    margin = float(np.min(consistency_margin(parameters.parameters)))
    tone, value = ("good", "yes") if parameters.feasible else ("bad", "no")
    return Card(
        label="Feasible", value=value, detail=f"total mass {decimal_text(parameters.total_mass, 2)} kg\nmargin {margin:.0e}", tone=tone
    )


def _determined(run: Run) -> dict[str, int]:
    ranges = () if run.parameters is None else run.parameters.ranges
    return {kind: sum(item.determined_by == kind for item in ranges) for kind in ("data", "constraint", "prior")}
