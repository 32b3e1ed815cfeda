"""The run beside another one of the same robot: what was identified twice, and how far the two differ."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.errors import require
from dynident.regression.comparison import compare
from dynident.reports.blocks import Block, Section, Text
from dynident.reports.regression import comparison_table
from dynident.reports.tables import named_values
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    other = require(run.beside, "the other run")
    yield Text(f"{compare(run.estimate, other.estimate)}.", headline=True)
    yield named_values("The two runs", {"this run": f"{run.folder}: {_what(run)}", "the other": f"{other.folder}: {_what(other)}"})
    yield comparison_table(run.estimate, other.estimate, headings=("this run", "the other"))


SECTION = Section(
    key="beside", title="Beside another run", stage=Stage.ESTIMATE, blocks=_blocks, applies=lambda run: run.beside is not None
)


def _what(run: Run) -> str:
    estimate = run.estimate
    return f"{estimate.headline}, from {estimate.summary.source}"
