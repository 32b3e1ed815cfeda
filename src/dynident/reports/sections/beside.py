"""The run beside another one of the same robot: what was identified twice, and how far the two differ."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.regression.comparison import compare, comparison_table
from dynident.reports.blocks import Block, Section, Text, facts, grid
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    other = run.beside
    assert other is not None  # noqa: S101 (the section applies)
    yield Text(f"{compare(run.estimate, other.estimate)}.", headline=True)
    yield facts("The two runs", {"this run": f"{run.folder}: {_what(run)}", "the other": f"{other.folder}: {_what(other)}"})
    yield grid(comparison_table(run.estimate, other.estimate, headings=("this run", "the other")))


SECTION = Section(
    key="beside", title="Beside another run", stage=Stage.ESTIMATE, blocks=_blocks, applies=lambda run: run.beside is not None
)


def _what(run: Run) -> str:
    estimate = run.estimate
    return f"{estimate.headline}, from {estimate.summary.source}"
