"""Recovered signs: |torque| as recorded, the torque with its signs, and what is in doubt (Figs. 11 to 14 of the unsigned-torque report)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dynident.errors import require
from dynident.reports.blocks import Block, Card, Cards, Heading, Key, Section, Text, notes_listing
from dynident.reports.signs import joint_table, recovery_figures
from dynident.runs import Run, Stage
from dynident.signs.confidence import SignVerdict
from dynident.signs.result import SignRecovery

_TONES = {SignVerdict.CERTAIN: "good", SignVerdict.LIKELY: "fair", SignVerdict.AMBIGUOUS: "bad", SignVerdict.UNEXPLAINED: "bad"}


def _blocks(run: Run) -> Iterator[Block]:
    recovery = require(run.signs, "the recovered signs")
    yield Text(recovery.sentence, headline=True)
    yield Cards(tuple(_cards(recovery)))
    yield Text(
        "The log has the magnitude of the torque only. A segment is a run of samples of one joint in which its torque keeps one sign. "
        "The bars along zero are the segments, green for a positive and orange for a negative sign. Dotted lines are the threshold below "
        "which a sample tells no sign by itself. Red is in doubt: the other sign is more probable than one in a hundred."
    )
    yield Key(
        entries=(
            ("magnitude", "|torque| as recorded", "measured", True),
            ("signed", "torque with its signs", "predicted", True),
            ("threshold", "threshold", "bone", True),
            ("segments", "segments", "line3", True),
            ("doubt", "in doubt", "bad", True),
        )
    )
    yield from recovery_figures(recovery)
    yield Heading("How sure the signs are")
    yield joint_table(recovery)
    yield notes_listing("Notes", recovery.notes)


SECTION = Section(key="signs", title="Signs", stage=Stage.ESTIMATE, blocks=_blocks, applies=lambda run: run.signs is not None)


def _cards(recovery: SignRecovery) -> Iterator[Card]:
    confidence = recovery.confidence
    yield Card(label="Verdict", value=recovery.verdict.name.lower(), detail=f"method {recovery.method}", tone=_TONES[recovery.verdict])
    yield Card(label="Segments", value=str(len(recovery.segments)), detail=f"{len(recovery.unsure)} in doubt")
    gap = f"{confidence.gap:.0f}" if math.isfinite(confidence.gap) else "none"
    yield Card(label="Next best signs", value=gap, detail="below in log-likelihood")
    proof = "proven" if confidence.proven else "not proven"
    yield Card(label="No better signs", value=proof, detail="for these segments")
