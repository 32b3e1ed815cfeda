"""Torques of every joint: with their recovered signs, and measured beside predicted (Figs. 3 and 5 of the Panda paper)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dynident.errors import require
from dynident.reports.blocks import Block, Card, Cards, Heading, Key, Text, notes_listing
from dynident.reports.signs import joint_table as sign_table
from dynident.reports.validation import CURVES, band_model, fold_table, is_shown, joint_table, model_table, spectrum_figure, worst_table
from dynident.runs import Run
from dynident.signs.confidence import SignVerdict
from dynident.signs.result import SignRecovery
from dynident.validation.result import Validation

_TONES = {SignVerdict.CERTAIN: "good", SignVerdict.LIKELY: "fair", SignVerdict.AMBIGUOUS: "bad", SignVerdict.UNEXPLAINED: "bad"}


def torques(run: Run) -> Iterator[Block]:
    """Measured and predicted torque of every joint, what is left over, and its spectrum."""
    validation = require(run.validation, "the validation")
    yield Text(
        "Drag over a figure to zoom, double-click to see all of it again. The narrow panel below each joint is what the prediction leaves "
        "over. Both sides went through the same filter, so no delay or damping is hidden in the comparison."
    )
    yield _key(validation)
    yield from validation.figures()
    yield Heading("How large the errors are")
    yield joint_table(validation)
    yield model_table(validation)
    yield worst_table(validation, 3)
    if validation.folds is not None:
        yield fold_table(validation.folds)
    yield Heading("Spectrum of what is left over")
    yield spectrum_figure(validation)


def _key(validation: Validation) -> Key:
    model = band_model(validation)
    drawn = [(trace, label, colour) for trace, label, colour, _ in CURVES if trace in validation.series[0].predicted]
    without = "" if model in validation.band.noise else ", without noise"
    entries = (("measured", "measured", "@measured"), *drawn, ("band", f"95 % band of the {model}{without}", "@band"))
    return Key(entries, hidden=frozenset(trace for trace, *_ in drawn if not is_shown(trace, model)))


def signs(run: Run) -> Iterator[Block]:
    """|torque| as recorded, the torque with its signs, and what is in doubt (Figs. 11 to 14 of the unsigned-torque report)."""
    recovery = require(run.signs, "the recovered signs")
    yield Text(recovery.sentence, headline=True)
    yield Cards(tuple(_sign_cards(recovery)))
    yield Text(
        "The log has the magnitude of the torque only. A segment is a run of samples of one joint in which its torque keeps one sign. "
        "The bars along zero are the segments, green for a positive and orange for a negative sign. Dotted lines are the threshold below "
        "which a sample tells no sign by itself. Red is in doubt: the other sign is more probable than one in a hundred."
    )
    yield Key(
        (
            ("magnitude", "|torque| as recorded", "@measured"),
            ("signed", "torque with its signs", "@predicted"),
            ("threshold", "threshold", "@bone"),
            ("segments", "segments", "@line3"),
            ("doubt", "in doubt", "@bad"),
        )
    )
    yield from recovery.figures()
    yield Heading("How sure the signs are")
    yield sign_table(recovery)
    yield notes_listing("Notes", recovery.notes)


def _sign_cards(recovery: SignRecovery) -> Iterator[Card]:
    confidence = recovery.confidence
    yield Card("Verdict", recovery.verdict.name.lower(), f"method {recovery.method}", _TONES[recovery.verdict])
    yield Card("Segments", str(len(recovery.segments)), f"{len(recovery.unsure)} in doubt")
    yield Card("Next best signs", f"{confidence.gap:.0f}" if math.isfinite(confidence.gap) else "none", "below in log-likelihood")
    yield Card("No better signs", "proven" if confidence.proven else "not proven", "for these segments")
