"""What mends findings, in words."""

from __future__ import annotations

from collections.abc import Callable

from dynident.diagnosis.correction import Correction
from dynident.diagnosis.diagnosis import Diagnosis
from dynident.diagnosis.finding import Finding
from dynident.errors import Remedy

Say = Callable[[Correction | Remedy], str]


def in_python(correction: Correction | Remedy) -> str:
    """A correction as lines of a YAML beside the data, gravity as the robot's argument; advice as it is."""
    if isinstance(correction, Remedy):
        return str(correction)
    lines = [f"{name}: {value_text(value)}" for name, value in correction.recipe.items()]
    gravity = correction.arguments.get("gravity")
    if gravity is not None:
        lines.append(f"robot.with_gravity({value_text(gravity)})")
    return "; ".join(lines)


def correction_remedy(correction: Correction) -> Remedy:
    """A correction as arguments, which an interface says in its own words."""
    return Remedy(" ".join(f"{{{name}}}" for name in correction.arguments), **correction.arguments)


def finding_remedy(diagnosis: Diagnosis, finding: Finding, say: Say = in_python) -> str:
    """What mends a finding: its correction for the columns of the file, with what sure ones before it need, and advice."""
    advice = say(finding.advice) if isinstance(finding.advice, Remedy) else finding.advice
    if finding.correction is None or finding.correction.nothing:
        return advice
    mended = say(diagnosis.in_columns(finding.correction))
    return f"{mended}; {advice}" if advice else mended


def finding_evidence(finding: Finding) -> str:
    return ", ".join(map(str, finding.evidence))


def value_text(value: object) -> str:
    """A value of a recipe as a YAML has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(item)}" for name, item in value.items()) + "}"  # pyright: ignore
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"  # pyright: ignore
    return f"{value:g}" if isinstance(value, float) else str(value)
