"""Runs: what their stages show, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynident.reports.show import show
from dynident.runs.run import Run
from dynident.runs.stages import Stage


def _headline(run: Run) -> str:
    return f"{run.estimate.base.robot.name} in {run.folder}: {', '.join(type(result).__name__ for result in run.results)}"


def _facts(run: Run) -> Iterator[str]:
    for result in run.results:
        yield from result.tables().facts
    yield from (f"{stage.name}: {why}" for stage, why in run.missing.items())
    yield from (f"{name} was not made from the record beside it; do the step again." for name in run.stale)


def _records(run: Run) -> list[dict[str, Any]]:
    """One row per stage: whether it counts, what it is, and why it doesn't count."""
    return [
        {
            "stage": stage.key,
            "done": result is not None,
            "result": "" if result is None else result.headline,
            "missing": run.missing.get(stage, ""),
        }
        for stage, result in ((stage, run.result_of(stage)) for stage in Stage)
        if result is not None or stage in run.missing
    ]


show(
    Run,
    headline=_headline,
    header=lambda run: [run.headline],
    tables=lambda run: [table for result in run.results for table in result.tables().tables],
    facts=_facts,
    notes=lambda run: [note for result in run.results for note in result.tables().notes],
    records=_records,
    figures=lambda run: [figure for result in run.results for figure in result.figures()],
)
