"""A diagnosis as one page: a section for every finding, with the figure that shows it, recorded against what it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dynident.doctor.correction import Correction
from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Confidence, Finding
from dynident.doctor.tables import diagnosis_report, finding_remedy, in_python
from dynident.reports.blocks import Block, Card, Cards, Listing, Section, Text, facts, grid
from dynident.reports.page import FilledSection, Page, render
from dynident.runs import Stage

_TONES = {Confidence.HIGH: "bad", Confidence.MEDIUM: "fair", Confidence.LOW: ""}


def diagnosis_page(diagnosis: Diagnosis, say: Callable[[Correction], str] = in_python) -> Page:
    """The page of a diagnosis, complete in itself. say : how a correction is told."""
    sections = [FilledSection(_section("findings", "Findings"), blocks=tuple(_summary(diagnosis, say)))]
    for number, finding in enumerate(diagnosis.findings, start=1):
        section = _section(f"finding-{number}", finding.name.capitalize())
        sections.append(FilledSection(section, blocks=tuple(_blocks(diagnosis, finding, say))))
    name = diagnosis.robot.name
    return render(f"{name}: diagnosis", "diagnosis of a log", name, diagnosis.data.source or "a log", sections)


def _section(key: str, title: str) -> Section:
    return Section(key=key, title=title, stage=Stage.ESTIMATE, blocks=lambda run: iter(()))


def _summary(diagnosis: Diagnosis, say: Callable[[Correction], str]) -> Iterator[Block]:
    report = diagnosis_report(diagnosis, say)
    yield Text(diagnosis.headline, headline=True)
    yield grid(report.tables[0])
    yield Listing(title="In words", items=report.facts)
    if not diagnosis.findings:
        yield from diagnosis.figures()


def _blocks(diagnosis: Diagnosis, finding: Finding, say: Callable[[Correction], str]) -> Iterator[Block]:
    yield Text(f"{finding.sentence[:1].upper()}{finding.sentence[1:]}.", headline=True)
    confidence = finding.confidence
    yield Cards((Card(label="Confidence", value=confidence.name.lower(), detail=confidence.value, tone=_TONES[confidence]),))
    yield Text(f"Remedy: {finding_remedy(diagnosis, finding, say)}")
    yield facts(
        "Evidence", {f"{k}. {item.what}": f"{item.value:.4g} {item.unit}".strip() for k, item in enumerate(finding.evidence, start=1)}
    )
    yield from finding.figures
