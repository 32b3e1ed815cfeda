"""Diagnoses as tables and as a page: every finding with the signals that show it, recorded against what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from dynident.core.texts import as_sentence, count_text
from dynident.diagnosis.diagnosis import Diagnosis
from dynident.diagnosis.finding import Confidence, Finding
from dynident.diagnosis.remedies import Say, finding_evidence, finding_remedy, in_python
from dynident.diagnosis.signals import RangeComparison, SignalComparison
from dynident.reports.blocks import Block, Card, Cards, Listing, Text
from dynident.reports.figures import Figure, figure, grouped_bars, line, plain, thin
from dynident.reports.page import Page, fill, render
from dynident.reports.show import show
from dynident.reports.tables import Column, Report, Table, named_values

#: Points of a curve.
_POINTS = 1500
_COLOURS = {"recorded": "@measured", "expected": "@predicted", "corrected": "@measured", "model": "@predicted", "without": "@bad"}
_TONES = {Confidence.HIGH: "bad", Confidence.MEDIUM: "fair", Confidence.LOW: ""}


def _headline(diagnosis: Diagnosis) -> str:
    count = f"{count_text(len(diagnosis.findings), 'finding')}, {len(diagnosis.sure)} of them sure"
    return f"{diagnosis.data.source or 'unnamed'} of {diagnosis.robot.name}, {count if diagnosis.findings else 'nothing found'}"


def diagnosis_report(diagnosis: Diagnosis, say: Say = in_python) -> Report:
    """All findings. say : how a correction is told."""
    return Report(header=(diagnosis.headline,), tables=_finding_tables(diagnosis, say), facts=tuple(_sentences(diagnosis, say)))


def _finding_tables(diagnosis: Diagnosis, say: Say = in_python) -> tuple[Table, ...]:
    """One, or none where nothing was found."""
    robot, everybody = diagnosis.robot, ", ".join(diagnosis.robot.joint_names)
    columns = (
        Column("finding"),
        Column("confidence"),
        Column("joints", left=True, of=lambda row: "all" if row["joints"] == everybody and robot.n > 1 else row["joints"] or None),
        Column("remedy", left=True),
    )
    rows = tuple(_records(diagnosis, say))
    return (Table("Findings", rows, columns, numbered=""),) if rows else ()


def _sentences(diagnosis: Diagnosis, say: Say = in_python) -> Iterator[str]:
    for number, finding in enumerate(diagnosis.findings, start=1):
        yield f"{number}. {as_sentence(f'{finding.sentence} ({finding_evidence(finding)})')}"
        for other in finding.tied:
            yield f"{number}, or about as likely: {as_sentence(other.sentence)} Remedy: {finding_remedy(diagnosis, other, say)}"
    if not diagnosis.correction.nothing:
        yield f"All sure corrections together: {say(diagnosis.in_file)}"
    if not diagnosis.findings:
        yield "Nothing found. That says that this log and this robot fit together, not that the motion excites all parameters."
    elif any(finding.confidence is not Confidence.HIGH for finding in diagnosis.findings):
        yield "Findings of medium and low confidence are not corrected; try their remedy and see whether the log is explained better."


def _records(diagnosis: Diagnosis, say: Say = in_python) -> list[dict[str, Any]]:
    """One row per finding: name, confidence, sentence, joints, remedy, evidence."""
    return [
        {
            "finding": finding.name,
            "confidence": finding.confidence.name.lower(),
            "sentence": finding.sentence,
            "joints": ", ".join(finding.joints),
            "remedy": finding_remedy(diagnosis, finding, say),
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
    tables=_finding_tables,
    facts=_sentences,
    records=_records,
    figures=_figures,
)


def diagnosis_page(diagnosis: Diagnosis, say: Say = in_python) -> Page:
    """The page of a diagnosis, complete in itself: a section for every finding. say : how a correction is told."""
    sections = [fill("findings", "Findings", _summary(diagnosis, say))]
    for number, finding in enumerate(diagnosis.findings, start=1):
        sections.append(fill(f"finding-{number}", finding.name.capitalize(), _finding_blocks(diagnosis, finding, say)))
    return render(diagnosis.robot.name, "diagnosis of a log", diagnosis.data.source or "a log", sections)


def _summary(diagnosis: Diagnosis, say: Say) -> Iterator[Block]:
    yield Text(diagnosis.headline, headline=True)
    yield from _finding_tables(diagnosis, say)
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
