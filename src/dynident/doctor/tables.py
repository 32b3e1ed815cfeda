"""A diagnosis as tables and plain values: what the terminal, `print(diagnosis)`, the report and JSON show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dynident.core.results import Report, Row, Table
from dynident.doctor.correction import Correction
from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Confidence, Finding

Say = Callable[[Correction], str]


def in_python(correction: Correction) -> str:
    """A correction as lines of a YAML beside the data, gravity as the robot's argument."""
    lines = [f"{name}: {value_text(value)}" for name, value in correction.recipe.items()]
    gravity = correction.arguments.get("gravity")
    if gravity is not None:
        lines.append(f"robot.with_gravity({value_text(gravity)})")
    return "; ".join(lines)


def diagnosis_report(diagnosis: Diagnosis, say: Say = in_python) -> Report:
    """All findings. say : how a correction is told."""
    rows: list[Row] = []
    for number, finding in enumerate(diagnosis.findings, start=1):
        remedy = finding_remedy(diagnosis, finding, say)
        joints = "all" if len(finding.joints) == diagnosis.robot.n > 1 else ", ".join(finding.joints) or "–"
        rows.append(Row((f"{number}", finding.name, finding.confidence.name.lower(), joints, remedy)))
    none = Row(("–", "nothing found", "–", "–", "–"))
    headings = ("", "finding", "confidence", "joints", "remedy")
    table = Table(title="Findings", headings=headings, rows=tuple(rows) or (none,), left=frozenset(range(1, 5)))
    return Report(header=(diagnosis.headline,), tables=(table,), facts=tuple(_sentences(diagnosis, say)), notes=())


def _sentences(diagnosis: Diagnosis, say: Say) -> Iterator[str]:
    for number, finding in enumerate(diagnosis.findings, start=1):
        yield f"{number}. {finding.sentence[:1].upper()}{finding.sentence[1:]} ({finding_evidence(finding)})."
    if not diagnosis.correction.nothing:
        yield f"All sure corrections together: {say(diagnosis.in_file)}"
    if not diagnosis.findings:
        yield "Nothing found. That says that this log and this robot fit together, not that the motion excites all parameters."
    elif any(finding.confidence is not Confidence.HIGH for finding in diagnosis.findings):
        yield "Findings of medium and low confidence are not corrected; try their remedy and see whether the log is explained better."


def finding_remedy(diagnosis: Diagnosis, finding: Finding, say: Say = in_python) -> str:
    """What mends a finding: its correction for the columns of the file, with what sure ones before it need, and advice."""
    if finding.correction is None or finding.correction.nothing:
        return finding.advice
    mended = say(finding.correction.in_file(diagnosis.columns, diagnosis.width))
    return f"{mended}; {finding.advice}" if finding.advice else mended


def finding_evidence(finding: Finding) -> str:
    return ", ".join(map(str, finding.evidence))


def finding_records(diagnosis: Diagnosis) -> list[dict[str, Any]]:
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


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Plain values for JSON."""
    gravity = diagnosis.correction.gravity
    return {
        "robot": diagnosis.robot.name,
        "source": diagnosis.data.source,
        "samples": diagnosis.data.samples,
        "findings": [
            {
                "name": finding.name,
                "sentence": finding.sentence,
                "confidence": finding.confidence.name.lower(),
                "rule": finding.confidence.value,
                "joints": list(finding.joints),
                "evidence": [item._asdict() for item in finding.evidence],
                "remedy": finding_remedy(diagnosis, finding),
                "recipe": {} if finding.correction is None else finding.correction.in_file(diagnosis.columns, diagnosis.width).recipe,
                "gravity": None if finding.correction is None else finding.correction.arguments.get("gravity"),
                "spoils": finding.spoils,
            }
            for finding in diagnosis.findings
        ],
        "recipe": diagnosis.in_file.recipe,
        "gravity": None if gravity is None else diagnosis.correction.arguments["gravity"],
    }


def value_text(value: object) -> str:
    """A value of a recipe as a YAML has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(item)}" for name, item in value.items()) + "}"  # pyright: ignore
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"  # pyright: ignore
    return f"{value:g}" if isinstance(value, float) else str(value)
