"""Torques of every joint: with their recovered signs, and measured beside predicted (Figs. 3 and 5 of the Panda paper)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dynident.errors import require
from dynident.reports.blocks import Block, Card, Cards, Heading, Key, Text, result_blocks
from dynident.reports.validation import fold_table, joint_table, model_table, spectrum_figure, worst_table
from dynident.routes.signs.confidence import SignVerdict
from dynident.routes.signs.result import SignRecovery
from dynident.runs import Run

_TONES = {SignVerdict.CERTAIN: "good", SignVerdict.LIKELY: "fair", SignVerdict.AMBIGUOUS: "bad", SignVerdict.UNEXPLAINED: "bad"}


def torques(run: Run) -> Iterator[Block]:
    """Measured and predicted torque of every joint, what is left over, and its spectrum."""
    validation = require(run.validation, "the validation")
    figures = validation.figures()
    yield Text(
        "Drag over a figure to zoom, double-click to see all of it again. The narrow panel below each joint is what the prediction leaves "
        "over. Both sides went through the same filter, so no delay or damping is hidden in the comparison."
    )
    yield Key.of(figures)
    yield from figures
    yield Heading("How large the errors are")
    yield joint_table(validation)
    yield model_table(validation)
    yield worst_table(validation, 3)
    if validation.folds is not None:
        yield fold_table(validation.folds)
    yield Heading("Spectrum of what is left over")
    yield spectrum_figure(validation)


def signs(run: Run) -> Iterator[Block]:
    """|torque| as recorded, the torque with its signs, and what is in doubt (Figs. 11 to 14 of the unsigned-torque report)."""
    recovery = require(run.signs, "the recovered signs")
    about = (
        "The log has the magnitude of the torque only. A segment is a run of samples of one joint in which its torque keeps one sign. "
        "The bars along zero are the segments, green for a positive and orange for a negative sign. Dotted lines are the threshold below "
        "which a sample tells no sign by itself. Red is in doubt: the other sign is more probable than one in a hundred."
    )
    return result_blocks(recovery, Cards(tuple(_sign_cards(recovery))), Text(about))


def _sign_cards(recovery: SignRecovery) -> Iterator[Card]:
    confidence = recovery.confidence
    yield Card("Verdict", recovery.verdict.name.lower(), f"method {recovery.method}", _TONES[recovery.verdict])
    yield Card("Segments", str(len(recovery.segments)), f"{len(recovery.unsure)} in doubt")
    yield Card("Next best signs", f"{confidence.gap:.0f}" if math.isfinite(confidence.gap) else "none", "below in log-likelihood")
    yield Card("No better signs", "proven" if confidence.proven else "not proven", "for these segments")
