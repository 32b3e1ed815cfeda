"""Diagnoses as tables and as a page: every finding with the signals that show it, recorded against what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Confidence, Finding
from dynident.doctor.remedies import Say, finding_evidence, finding_remedy, in_python
from dynident.doctor.signals import RangeComparison, SignalComparison
from dynident.reports.blocks import Block, Card, Cards, Listing, Text, as_sentence
from dynident.reports.figures import Figure, figure, grouped_bars, line, plain, thin
from dynident.reports.page import Page, fill, render
from dynident.reports.show import show
from dynident.reports.tables import Report, Table, column, named_values

#: Points of a curve.
_POINTS = 1500
_COLOURS = {"recorded": "@measured", "expected": "@predicted", "corrected": "@measured", "model": "@predicted", "without": "@bad"}
_TONES = {Confidence.HIGH: "bad", Confidence.MEDIUM: "fair", Confidence.LOW: ""}


def _headline(diagnosis: Diagnosis) -> str:
    count = f"{len(diagnosis.findings)} finding{'' if len(diagnosis.findings) == 1 else 's'}, {len(diagnosis.sure)} of them sure"
    return f"{diagnosis.data.source or 'unnamed'} of {diagnosis.robot.name}, {count if diagnosis.findings else 'nothing found'}"


@dataclass(frozen=True)
class _Row:
    number: int | None = column("")
    finding: str = column()
    confidence: str = column()
    joints: str = column()
    remedy: str = column()


def diagnosis_report(diagnosis: Diagnosis, say: Say = in_python) -> Report:
    """All findings. say : how a correction is told."""
    return Report(header=(diagnosis.headline,), tables=(_finding_table(diagnosis, say),), facts=tuple(_sentences(diagnosis, say)))


def _finding_table(diagnosis: Diagnosis, say: Say = in_python) -> Table:
    rows: list[_Row] = []
    for number, finding in enumerate(diagnosis.findings, start=1):
        joints = "all" if len(finding.joints) == diagnosis.robot.n > 1 else ", ".join(finding.joints) or "–"
        rows.append(_Row(number, finding.name, finding.confidence.name.lower(), joints, finding_remedy(diagnosis, finding, say)))
    return Table("Findings", tuple(rows) or (_Row(None, "nothing found", "–", "–", "–"),))


def _sentences(diagnosis: Diagnosis, say: Say = in_python) -> Iterator[str]:
    for number, finding in enumerate(diagnosis.findings, start=1):
        yield f"{number}. {as_sentence(f'{finding.sentence} ({finding_evidence(finding)})')}"
    if not diagnosis.correction.nothing:
        yield f"All sure corrections together: {say(diagnosis.in_file)}"
    if not diagnosis.findings:
        yield "Nothing found. That says that this log and this robot fit together, not that the motion excites all parameters."
    elif any(finding.confidence is not Confidence.HIGH for finding in diagnosis.findings):
        yield "Findings of medium and low confidence are not corrected; try their remedy and see whether the log is explained better."


def _records(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """One row per finding: name, confidence, sentence, joints, remedy, evidence."""
    return [
        {
            "finding": finding.name,
            "confidence": finding.confidence.name.lower(),
            "sentence": finding.sentence,
            "joints": ", ".join(finding.joints),
            "remedy": finding_remedy(diagnosis, finding),
            "evidence": finding_evidence(finding),
            "spoils": finding.spoils,
        }
        for finding in diagnosis.findings
    ]


def _figures(diagnosis: Diagnosis) -> tuple[Figure, ...]:
    """What was recorded against what it should be, of every finding; the log where there is none."""
    return tuple(_figure(item) for finding in diagnosis.findings for item in finding.signals) or diagnosis.data.figures()


@singledispatch
def _figure(item: Any) -> Figure:
    """The first figure of a result."""
    return item.figures()[0]


@_figure.register(SignalComparison)
def _(item: SignalComparison) -> Figure:
    curves: list[dict[str, Any]] = []
    for name, role, time, values in item.signals:
        shown = thin(len(time), _POINTS)
        curves.append(line(time[shown], values[shown], name, _COLOURS[role], meta=role))
    return figure(item.title, curves, "time [s]", f"[{plain(item.unit)}]", title=item.title, height=280, hovermode="x")


@_figure.register(RangeComparison)
def _(item: RangeComparison) -> Figure:
    series = (("covered by this log", item.covered, "@measured"), ("range of the joint", item.available, "@prior"))
    label = "what the motion covers"
    return grouped_bars(label, item.joints, series, "[rad | m]", title=label, height=280)


show(
    Diagnosis,
    headline=_headline,
    header=lambda diagnosis: [diagnosis.headline],
    tables=lambda diagnosis: [_finding_table(diagnosis)],
    facts=_sentences,
    records=_records,
    figures=_figures,
)


def diagnosis_page(diagnosis: Diagnosis, say: Say = in_python) -> Page:
    """The page of a diagnosis, complete in itself: a section for every finding. say : how a correction is told."""
    sections = [fill("findings", "Findings", _summary(diagnosis, say))]
    for number, finding in enumerate(diagnosis.findings, start=1):
        sections.append(fill(f"finding-{number}", finding.name.capitalize(), _finding_blocks(diagnosis, finding, say)))
    return render(diagnosis.robot.name, "diagnosis", diagnosis.data.source or "a log", sections, kicker="diagnosis of a log")


def _summary(diagnosis: Diagnosis, say: Say) -> Iterator[Block]:
    yield Text(diagnosis.headline, headline=True)
    yield _finding_table(diagnosis, say)
    yield Listing("In words", tuple(_sentences(diagnosis, say)))
    if not diagnosis.findings:
        yield from diagnosis.figures()


def _finding_blocks(diagnosis: Diagnosis, finding: Finding, say: Say) -> Iterator[Block]:
    yield Text(as_sentence(finding.sentence), headline=True)
    confidence = finding.confidence
    yield Cards((Card("Confidence", confidence.name.lower(), confidence.value, _TONES[confidence]),))
    yield Text(f"Remedy: {finding_remedy(diagnosis, finding, say)}")
    evidence = {f"{k}. {item.what}": f"{item.value:.4g} {item.unit}".strip() for k, item in enumerate(finding.evidence, start=1)}
    yield named_values("Evidence", evidence)
    yield from (_figure(item) for item in finding.signals)
