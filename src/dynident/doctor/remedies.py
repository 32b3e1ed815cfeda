"""What mends findings, in words."""

from __future__ import annotations

from collections.abc import Callable

from dynident.doctor.correction import Correction
from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Finding
from dynident.errors import Remedy

Say = Callable[[Correction], str]


def in_python(correction: Correction) -> str:
    """A correction as lines of a YAML beside the data, gravity as the robot's argument."""
    lines = [f"{name}: {value_text(value)}" for name, value in correction.recipe.items()]
    gravity = correction.arguments.get("gravity")
    if gravity is not None:
        lines.append(f"robot.with_gravity({value_text(gravity)})")
    return "; ".join(lines)


def correction_remedy(correction: Correction) -> Remedy:
    """A correction as arguments, which an interface says in its own words, and as lines of the YAML where there is no argument."""
    recipe, arguments = correction.recipe, correction.arguments
    named = {name: value for name, value in arguments.items() if recipe.get(name, value) == value}
    lines = [f"{name}: {value_text(value)}" for name, value in recipe.items() if arguments.get(name) != value]
    beside = f"{'and ' if named else ''}in the YAML beside the data: {'; '.join(lines)}" if lines else ""
    return Remedy(" ".join(filter(None, (*(f"{{{name}}}" for name in named), beside))), **named)


def finding_remedy(diagnosis: Diagnosis, finding: Finding, say: Say = in_python) -> str:
    """What mends a finding: its correction for the columns of the file, with what sure ones before it need, and advice."""
    if finding.correction is None or finding.correction.nothing:
        return finding.advice
    mended = say(finding.correction.in_file(diagnosis.columns, diagnosis.width))
    return f"{mended}; {finding.advice}" if finding.advice else mended


def finding_evidence(finding: Finding) -> str:
    return ", ".join(map(str, finding.evidence))


def value_text(value: object) -> str:
    """A value of a recipe as a YAML has it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {value_text(item)}" for name, item in value.items()) + "}"  # pyright: ignore
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"  # pyright: ignore
    return f"{value:g}" if isinstance(value, float) else str(value)
