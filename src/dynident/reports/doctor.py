"""Diagnoses as tables, and the signals that show their findings as figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Confidence, Finding
from dynident.doctor.remedies import Say, finding_evidence, finding_remedy, in_python
from dynident.doctor.signals import RangeComparison, SignalComparison
from dynident.reports import show
from dynident.reports.figures import Figure, bars, figure, line, numbers, plain
from dynident.reports.tables import Report, Table, column

#: Points of a curve.
_POINTS = 1500
_COLOURS = {"recorded": "@measured", "expected": "@predicted", "corrected": "@measured", "model": "@predicted", "without": "@bad"}


@show.headline.register(Diagnosis)
def _(diagnosis: Diagnosis) -> str:
    count = f"{len(diagnosis.findings)} finding{'' if len(diagnosis.findings) == 1 else 's'}, {len(diagnosis.sure)} of them sure"
    return f"{diagnosis.data.source or 'unnamed'} of {diagnosis.robot.name}, {count if diagnosis.findings else 'nothing found'}"


@dataclass(frozen=True)
class _Row:
    number: int | None = column("")
    finding: str = column()
    confidence: str = column()
    joints: str = column()
    remedy: str = column()


@show.tables.register(Diagnosis)
def diagnosis_report(diagnosis: Diagnosis, say: Say = in_python) -> Report:
    """All findings. say : how a correction is told."""
    rows: list[_Row] = []
    for number, finding in enumerate(diagnosis.findings, start=1):
        joints = "all" if len(finding.joints) == diagnosis.robot.n > 1 else ", ".join(finding.joints) or "–"
        rows.append(_Row(number, finding.name, finding.confidence.name.lower(), joints, finding_remedy(diagnosis, finding, say)))
    table = Table("Findings", tuple(rows) or (_Row(None, "nothing found", "–", "–", "–"),))
    return Report(header=(diagnosis.headline,), tables=(table,), facts=tuple(_sentences(diagnosis, say)))


@show.records.register(Diagnosis)
def _(diagnosis: Diagnosis) -> list[dict[str, Any]]:
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


@show.figures.register(Diagnosis)
def _(diagnosis: Diagnosis) -> tuple[Figure, ...]:
    """What was recorded against what it should be, of every finding; the log where there is none."""
    return tuple(item for finding in diagnosis.findings for item in finding_figures(finding)) or diagnosis.data.figures()


def _sentences(diagnosis: Diagnosis, say: Say) -> Iterator[str]:
    for number, finding in enumerate(diagnosis.findings, start=1):
        yield f"{number}. {finding.sentence[:1].upper()}{finding.sentence[1:]} ({finding_evidence(finding)})."
    if not diagnosis.correction.nothing:
        yield f"All sure corrections together: {say(diagnosis.in_file)}"
    if not diagnosis.findings:
        yield "Nothing found. That says that this log and this robot fit together, not that the motion excites all parameters."
    elif any(finding.confidence is not Confidence.HIGH for finding in diagnosis.findings):
        yield "Findings of medium and low confidence are not corrected; try their remedy and see whether the log is explained better."


def finding_figures(finding: Finding) -> tuple[Figure, ...]:
    """What shows a finding."""
    return tuple(_figure(item) for item in finding.signals)


@singledispatch
def _figure(item: Any) -> Figure:
    """The first figure of a result."""
    return item.figures()[0]


@_figure.register(SignalComparison)
def _(item: SignalComparison) -> Figure:
    curves: list[dict[str, Any]] = []
    for name, role, time, values in item.signals:
        step = max(1, len(time) // _POINTS)
        curves.append(line(numbers(time[::step]), numbers(values[::step]), name, _COLOURS[role], meta=role))
    return figure(item.title, curves, "time [s]", f"[{plain(item.unit)}]", title=item.title, height=280, hovermode="x")


@_figure.register(RangeComparison)
def _(item: RangeComparison) -> Figure:
    names = [plain(name) for name in item.joints]
    data = [
        bars(names, numbers(item.covered), "covered by this log", "@measured"),
        bars(names, numbers(item.available), "range of the joint", "@prior"),
    ]
    label = "what the motion covers"
    return figure(label, data, "joint", "[rad | m]", title=label, height=280, barmode="group")
