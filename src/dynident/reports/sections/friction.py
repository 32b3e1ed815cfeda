"""Friction curves over what the links leave unexplained (Fig. 4 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.regression.figures import friction_figure
from dynident.regression.tables import friction as friction_records
from dynident.regression.tables import friction_texts
from dynident.reports.blocks import Block, Cell, Grid, Section, Text
from dynident.runs import Run, Stage
from dynident.validation.figures import friction_cloud


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    if estimate.base.friction is None:
        yield Text(
            "The identification had no friction model. What friction there is shows in the clouds, and is missing from the predictions."
        )
    elif run.validation is None:
        yield Text(
            f"Without a validation there is no cloud of residuals behind the curves; make it with: {Stage.VALIDATION.command(run.folder)}"
        )
    else:
        yield Text("Each dot is a moment: measured torque minus what the links explain. The line is the friction model at constant speed.")
    if estimate.base.friction is not None or run.validation is not None:
        for j in range(estimate.base.robot.n):
            cloud = None if run.validation is None else friction_cloud(run.validation.series[j])
            yield friction_figure(estimate, j, cloud)
    if estimate.base.friction is not None:
        yield _table(run)


SECTION = Section(key="friction", title="Friction", stage=Stage.ESTIMATE, blocks=_blocks)


def _table(run: Run) -> Grid:
    model = run.estimate.base.friction
    assert model is not None  # noqa: S101 (the caller has seen to it)
    rows: list[tuple[tuple[Cell, ...], bool]] = []
    for item, texts in zip(friction_records(run.estimate), friction_texts(run.estimate), strict=True):
        values = zip(map(item.parameters.get, model.parameter_names), texts, strict=True)
        cells = [Cell(text=text, sort=value, badge="dim" if text in ("grouped", "dropped", "–") else "") for value, text in values]
        rows.append(((Cell(text=item.joint), *cells), False))
    headings = ("joint", *model.headings(run.estimate.base.robot.joints))
    return Grid(title=f"Friction ({model.name})", headings=headings, rows=tuple(rows), left=frozenset({0}))
