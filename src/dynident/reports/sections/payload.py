"""The payload: what hangs on the flange, how certain that is, and how it compares with what the controller was told."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.core.texts import decimal_text
from dynident.errors import require
from dynident.payload.result import PayloadEstimate, PayloadStatus
from dynident.reports.blocks import Block, Card, Cards, Section, Text, notes_listing
from dynident.runs import Run, Stage

_TONES = {PayloadStatus.TOLD: "good", PayloadStatus.INERTIA_OPEN: "good", PayloadStatus.CENTRE_OPEN: "fair"}


def _blocks(run: Run) -> Iterator[Block]:
    payload = require(run.payload, "the payload")
    report = payload.tables()
    yield Text(report.facts[0], headline=True)
    yield Cards(tuple(_cards(payload)))
    yield Text(
        f"A rigid body on {payload.link}, in the flange frame: {payload.evidence.source}, compared with the arm of {payload.evidence.arm}. "
        "Bars are 95 % intervals, the arm's own uncertainty included. What the data don't tell is what a usual body of this mass has."
    )
    yield from payload.figures()
    yield from report.tables
    yield Text(" ".join(report.facts[1:]))
    yield notes_listing("Notes", payload.notes)


SECTION = Section(key="payload", title="Payload", stage=Stage.ESTIMATE, blocks=_blocks, applies=lambda run: run.payload is not None)


def _cards(payload: PayloadEstimate) -> Iterator[Card]:
    tone = _TONES.get(payload.status, "bad")
    yield Card(label="Mass", value=f"{decimal_text(payload.mass, 3)} kg", detail=f"± {payload.std[0]:.2g} kg", tone=tone)
    x, y, z = (float(value) for value in 1e3 * payload.com)
    form = ".0f" if max(abs(x), abs(y), abs(z)) >= 1.0 else ".2g"
    detail = f"± {1e3 * float(payload.std[1:4].max()):.2g} mm at most"
    yield Card(label="Centre of mass", value=f"{', '.join(format(value, form) for value in (x, y, z))} mm", detail=detail, tone=tone)
    yield Card(label="Told by the data", value=f"{int(payload.told.sum())} of 10", detail="numbers of the body")
    if payload.declared is not None:
        far = (payload.declared.mass - payload.mass) / float(payload.std[0])
        detail = f"{payload.declared.mass - payload.mass:+.3f} kg, {far:+.1f} standard deviations"
        yield Card(label="Declared mass", value=f"{payload.declared.mass:g} kg", detail=detail)
