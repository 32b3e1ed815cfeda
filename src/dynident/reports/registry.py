"""The sections of a report in order. A new one is a function that gives its blocks, and a row here; the contract suite then finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dynident.reports.blocks import Block
from dynident.reports.sections import estimate, friction, links, torques, verdict
from dynident.runs import Run, Stage


@dataclass(frozen=True)
class Section:
    """A section of the report.

    stage : what must have been done for it. blocks : what it shows of a run where it has been.
    applies : whether a run has use for it; where it has none, the page is without it.
    """

    key: str
    title: str
    stage: Stage
    blocks: Callable[[Run], Iterable[Block | None]]
    applies: Callable[[Run], bool] = lambda run: True


SECTIONS: dict[str, Section] = {
    section.key: section
    for section in (
        Section("verdict", "Verdict", Stage.ESTIMATE, verdict.verdict),
        Section("signs", "Signs", Stage.ESTIMATE, torques.signs, lambda run: run.signs is not None),
        Section("beside", "Beside another run", Stage.ESTIMATE, estimate.beside, lambda run: run.beside is not None),
        Section("torques", "Measured and predicted torques", Stage.VALIDATION, torques.torques),
        Section("friction", "Friction", Stage.ESTIMATE, friction.friction),
        Section("coefficients", "Coefficients", Stage.ESTIMATE, estimate.coefficients),
        Section("links", "Link parameters", Stage.PARAMETERS, links.links),
        Section("samples", "What the data leave open", Stage.SAMPLES, links.samples),
        Section("payload", "Payload", Stage.ESTIMATE, links.payload, lambda run: run.payload is not None),
        Section("robot", "The robot in 3D", Stage.PARAMETERS, links.robot),
        Section("excitation", "Excitation and data", Stage.ESTIMATE, estimate.excitation),
        Section("provenance", "Provenance", Stage.ESTIMATE, estimate.provenance),
    )
}
"""The sections of a report, by key, in the order of the page."""
