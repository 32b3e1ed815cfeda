"""The verdict in plain words: five numbers, what to trust, and what not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynident.core.texts import decimal_text, listing, short_number
from dynident.links.result import LinkParameters, RetrievalStatus
from dynident.regression.estimate import Estimate, EstimateStatus
from dynident.regression.notes import HIGH_CONDITION
from dynident.reports.blocks import Block, Card, Cards, Listing, Text
from dynident.robots.parameters import consistency_margin
from dynident.routes.signs.confidence import SignVerdict
from dynident.runs import Run, Stage
from dynident.validation.metrics import Grade
from dynident.validation.notes import departure_text
from dynident.validation.result import CLEARLY_WORSE, WORSE_THAN_FIT, Validation

_TONES = {Grade.GOOD: "good", Grade.FAIR: "fair", Grade.POOR: "bad"}
_LABELS = {True: "Held-out error", False: "Error on the fit's own data", None: "Error, on new data or not"}
_LEFT = {Grade.POOR: "far more than a model of this form must leave", Grade.FAIR: "visibly more than it must leave"}
_OF_LINKS = "they are of {} alone, and torques are predicted by the links"
_MADE_OF = {equations: _OF_LINKS.format(equations) for equations in ("inertia", "gravity")}


def verdict(run: Run) -> Iterator[Block]:
    yield Text(headline(run), headline=True)
    yield Cards((_error_card(run), *_estimate_cards(run.estimate), *_link_cards(run)))
    yield Listing("What to trust", tuple(what_to_trust(run)), "good")
    yield Listing("What not to trust", tuple(what_not_to_trust(run)), "bad")


def headline(run: Run) -> str:
    """One sentence that a hurried reader can take away."""
    validation = run.validation
    if validation is None:
        return "How good this model is on data that it has not seen is not known yet."
    number = f"it leaves {validation.percent_text} of the torque unexplained"
    if validation.on_new_data is None:
        return f"Whether the model has seen the data that it was judged on is not known; there {number}."
    if not validation.on_new_data:
        return f"The model was judged on data of its own fit, where {number}; that says little about other motions."
    errors = validation.recommended
    times = f"{short_number(errors.overall_ratio)} times what the best model in hindsight leaves"
    if errors.grade is Grade.POOR:
        return f"No model predicts torques that it has not seen: at best {number}, {times}. Don't use one before that is understood."
    return f"{validation.advice} It predicts torques that it has not seen {validation.judgement}: {times}."


def what_to_trust(run: Run) -> Iterator[str]:
    estimate, validation, parameters = run.estimate, run.validation, run.parameters
    if estimate.doubts:
        return
    if validation is not None and validation.on_new_data:
        nominal, errors = validation.nominal, validation.recommended
        good = [name for name, grade in zip(validation.joints, errors.joint_grades, strict=True) if grade is Grade.GOOD]
        if good:
            names = "all joints" if len(good) == len(validation.joints) else listing(good)
            yield f"Torques of {names}: about as near as any model of this form comes on held-out data."
        if nominal is not None and nominal.overall_percent > errors.overall_percent:
            factor = nominal.overall_percent / max(errors.overall_percent, 1e-12)
            yield f"That it is better than the nominal links with the same friction: their error is {short_number(factor)} times as large."
    if estimate.vendor_model is None or not estimate.vendor_model.contradicted:
        made_of = _MADE_OF.get(estimate.base.equations, "they are what the predictions above are made of")
        yield f"The {int(estimate.kept.sum())} coefficients that were kept, taken together: {made_of}."
    if parameters is not None and _links_hold(parameters, run):
        yield "The link parameters as a whole: a robot with them can exist, so simulators and controllers can use them."
        determined = _determined(parameters)
        if determined["data"]:
            counts = f"{determined['data']} of {determined.total()}"
            yield f"{counts} link parameters by themselves, as far as the model leaves nothing out."


def _links_hold(parameters: LinkParameters, run: Run) -> bool:
    """Whether the links are those of a robot that can exist and is like this one, and predict about as well as the coefficients."""
    if not parameters.feasible or parameters.status is RetrievalStatus.DOUBTFUL:
        return False
    if run.validation is not None and run.validation.links_hold is not None and run.links_validated:
        return run.validation.links_hold
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
    estimate, validation = run.estimate, run.validation
    yield from (Doubt(f"Any model of these data: {doubt}.") for doubt in estimate.doubts)
    if estimate.status in (EstimateStatus.LOSS_UNSETTLED, EstimateStatus.WEIGHTS_UNSETTLED):
        yield Doubt(f"The coefficients to their last digits: {estimate.status.value}.")
    if run.signs is not None and run.signs.verdict is SignVerdict.LIKELY:  # what is less than that is a doubt of the estimate
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
    yield from _of_links(run)


def _of_validation(run: Run, validation: Validation) -> Iterator[str]:
    errors = validation.recommended
    held_out = short_number(errors.overall_percent)
    for grade, meaning in _LEFT.items():
        joints = [
            f"{name} ({short_number(error)} %, {ratio:.1f} times)"
            for name, error, ratio, of_joint in zip(
                validation.joints, errors.relative_percent, errors.ratio, errors.joint_grades, strict=True
            )
            if of_joint is grade
        ]
        if joints:
            yield f"Torques of {listing(joints, len(joints))}: that much of them is unexplained, {meaning}."
    if validation.band.departures:
        yield f"Torques where nothing was measured: {departure_text(validation.band.departures)}."
    fitted, other = run.estimate.residuals.relative_percent, validation.coefficients.overall_percent
    if run.estimate.base.equations == "torque" and other > WORSE_THAN_FIT * fitted:
        yield f"The error of the fit ({short_number(fitted)} %) as a forecast: on other data it is {short_number(other)} %."
    crossed = validation.summary.cross_validated
    if validation.on_new_data and crossed is not None and crossed[0] > WORSE_THAN_FIT * errors.overall_percent:
        yield (
            f"The held-out error ({held_out} %) as a forecast of other motions: parts of the fit's own log, "
            f"each predicted by a fit to the others, have {' ± '.join(map(short_number, crossed))} %."
        )
    links = validation.links if run.links_validated else None
    if links is not None and links.overall_percent > CLEARLY_WORSE * other:
        yield f"The link parameters for torques of that accuracy: their own error is {short_number(links.overall_percent)} %."
    if run.parameters is not None and not run.links_validated:
        yield f"The link parameters' error: it was not measured for these. To do so: {Stage.VALIDATION.command(run.folder)}"


def _of_links(run: Run) -> Iterator[Doubt]:
    parameters = run.parameters
    if parameters is None:
        to_do = Stage.PARAMETERS.command(run.folder)
        yield Doubt(f"Masses and inertias of single links: they have not been retrieved. To do so: {to_do}", general=True)
        return
    yield from (Doubt(f"The link parameters: {doubt}.") for doubt in parameters.doubts if doubt not in run.estimate.doubts)
    if parameters.status is RetrievalStatus.NOT_CONVERGED:
        yield Doubt(f"The link parameters: they are {parameters.status.value}.")
    if not parameters.feasible:
        yield Doubt("The link parameters in a simulator: they violate constraints, and no real robot has them.")
    determined = _determined(parameters)
    if determined["prior"]:
        yield Doubt(
            f"{determined['prior']} of {determined.total()} link parameters by themselves: other values would fit as well, and a prior "
            "chose among them. Together they give the torques above."
        )


def _determined(parameters: LinkParameters) -> Counter[str]:
    """How many parameters each of data, constraint and prior determines."""
    return Counter(item.determined_by for item in parameters.ranges)


def _error_card(run: Run) -> Card:
    validation = run.validation
    if validation is None:
        return Card("Held-out error", "not measured", Stage.VALIDATION.command(run.folder))
    errors, summary = validation.recommended, validation.summary
    percent: list[float] = errors.relative_percent.tolist()  # infinite where a joint's effort is zero throughout
    most = max([error for error in percent if math.isfinite(error)], default=0.0) or 1.0
    bars = tuple((name, f"{short_number(error)} %", min(error / most, 1.0)) for name, error in zip(validation.joints, percent, strict=True))
    lines = [f"{short_number(errors.overall_ratio)} times the best in hindsight"]
    if summary.cross_validated is not None:
        lines.append("cross-validated in the fit: {} ± {} %".format(*map(short_number, summary.cross_validated)))
    if summary.processing.cutoff_hz is not None:
        wide = "" if errors.wide_percent is None else f"; {short_number(errors.wide_percent)} % at {summary.wide_hz:g} Hz"
        lines.insert(0, f"at {summary.processing.cutoff_hz:g} Hz{wide}")
    tone = "bad" if validation.doubts else _TONES[errors.grade]
    return Card(_LABELS[validation.on_new_data], errors.percent_text, "\n".join(lines), tone, bars)


def _estimate_cards(estimate: Estimate) -> Iterator[Card]:
    rank, full, condition = estimate.summary.rank, estimate.base.rank, estimate.condition_number
    kept = f"{int(estimate.kept.sum())} coefficients kept"
    yield Card("Rank", f"{rank} of {full}", kept, "good" if rank == full else "fair")
    tone = "good" if condition <= 100.0 else "fair" if condition <= HIGH_CONDITION else "bad"
    yield Card("Condition number", f"{condition:.3g}" if math.isfinite(condition) else "infinite", "about 50 is good", tone)


def _link_cards(run: Run) -> Iterator[Card]:
    parameters = run.parameters
    if parameters is None:
        yield from (Card(label, "no links yet", Stage.PARAMETERS.command(run.folder)) for label in ("Gap to the optimum", "Feasible"))
        return
    share, of, whole = parameters.gap_in_words.partition(" of ")
    detail = f"{of.strip()} {whole}\nobjective {parameters.objective:.3g}".strip()
    yield Card("Gap to the optimum", share, detail, "good" if parameters.status is RetrievalStatus.OPTIMAL else "fair")
    margin = float(np.min(consistency_margin(parameters.parameters)))
    detail = f"total mass {decimal_text(parameters.total_mass, 2)} kg\nmargin {margin:.0e}"
    doubtful = parameters.status is RetrievalStatus.DOUBTFUL
    tone = "bad" if doubtful or not parameters.feasible else "good"
    yield Card("Feasible", "no" if not parameters.feasible else "yes, but doubtful" if doubtful else "yes", detail, tone)
