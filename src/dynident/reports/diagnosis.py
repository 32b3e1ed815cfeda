"""A diagnosis as one page: a section for every finding, with the figure that shows it, recorded against what it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynident.doctor.correction import Correction
from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Confidence, Finding
from dynident.doctor.remedies import finding_remedy, in_python
from dynident.reports.blocks import Block, Card, Cards, Listing, Text
from dynident.reports.doctor import diagnosis_report, finding_figures
from dynident.reports.page import FilledSection, Page, render
from dynident.reports.tables import named_values

_TONES = {Confidence.HIGH: "bad", Confidence.MEDIUM: "fair", Confidence.LOW: ""}


def diagnosis_page(diagnosis: Diagnosis, say: Callable[[Correction], str] = in_python) -> Page:
    """The page of a diagnosis, complete in itself. say : how a correction is told."""
    sections = [FilledSection("findings", "Findings", tuple(_summary(diagnosis, say)))]
    for number, finding in enumerate(diagnosis.findings, start=1):
        blocks = tuple(_blocks(diagnosis, finding, say))
        sections.append(FilledSection(f"finding-{number}", finding.name.capitalize(), blocks))
    name = diagnosis.robot.name
    return render(f"{name}: diagnosis", "diagnosis of a log", name, diagnosis.data.source or "a log", sections)


def _summary(diagnosis: Diagnosis, say: Callable[[Correction], str]) -> Iterator[Block]:
    report = diagnosis_report(diagnosis, say)
    yield Text(diagnosis.headline, headline=True)
    yield report.tables[0]
    yield Listing(title="In words", items=report.facts)
    if not diagnosis.findings:
        yield from diagnosis.figures()


def _blocks(diagnosis: Diagnosis, finding: Finding, say: Callable[[Correction], str]) -> Iterator[Block]:
    yield Text(f"{finding.sentence[:1].upper()}{finding.sentence[1:]}.", headline=True)
    confidence = finding.confidence
    yield Cards((Card(label="Confidence", value=confidence.name.lower(), detail=confidence.value, tone=_TONES[confidence]),))
    yield Text(f"Remedy: {finding_remedy(diagnosis, finding, say)}")
    yield named_values(
        "Evidence", {f"{k}. {item.what}": f"{item.value:.4g} {item.unit}".strip() for k, item in enumerate(finding.evidence, start=1)}
    )
    yield from finding_figures(finding)
