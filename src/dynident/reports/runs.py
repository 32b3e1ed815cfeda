"""Runs: what their stages show, one after the other."""

from __future__ import annotations

from typing import Any

from dynident.reports import show
from dynident.reports.figures import Figure
from dynident.reports.tables import Report
from dynident.runs.run import Run


@show.headline.register(Run)
def _(run: Run) -> str:
    return f"{run.estimate.base.robot.name} in {run.folder}: {', '.join(type(result).__name__ for result in run.results)}"


@show.tables.register(Run)
def _(run: Run) -> Report:
    reports = [result.tables() for result in run.results]
    return Report(
        header=(run.headline,),
        tables=tuple(table for report in reports for table in report.tables),
        facts=(
            *(fact for report in reports for fact in report.facts),
            *(f"{stage.name}: {why}" for stage, why in run.missing.items()),
            *(f"{name} was not made from the record beside it; do the step again." for name in run.stale),
        ),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
    )


@show.records.register(Run)
def _(run: Run) -> list[dict[str, Any]]:
    """One row per stage: whether it counts, what it is, and why it doesn't count."""
    return [
        {
            "stage": stage.key,
            "done": result is not None,
            "result": "" if result is None else result.headline,
            "missing": run.missing.get(stage, ""),
        }
        for stage, result in run.of_stages.items()
        if result is not None or stage in run.missing
    ]


@show.figures.register(Run)
def _(run: Run) -> tuple[Figure, ...]:
    return tuple(figure for result in run.results for figure in result.figures())
