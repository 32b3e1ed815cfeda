"""Friction curves over what the links leave unexplained (Fig. 4 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.regression.estimate import Estimate
from dynident.regression.figures import FRICTION_MODEL, friction_figure, law_colours
from dynident.regression.tables import friction as friction_records
from dynident.regression.tables import friction_texts, shape_table
from dynident.reports.blocks import Block, Cell, Grid, Heading, Key, Section, Text, grid
from dynident.runs import Run, Stage
from dynident.validation.drift import friction_drift
from dynident.validation.figures import drift_figures, friction_cloud


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
        laws = law_colours(estimate)
        if laws:
            model = (FRICTION_MODEL, "the model that was chosen", "predicted", True)
            yield Key(entries=(model, *((name, name, colour[1:], True) for name, colour in laws.items())))
        for j in range(estimate.base.robot.n):
            cloud = None if run.validation is None else friction_cloud(run.validation.series[j])
            yield friction_figure(estimate, j, cloud)
    if estimate.base.friction is not None:
        yield _table(run)
    shapes = shape_table(estimate)
    if shapes is not None:
        yield grid(shapes)
    yield from _choice(estimate)
    yield from _refit(run)
    yield from _drift(run)


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


def _choice(estimate: Estimate) -> Iterator[Block]:
    if estimate.choice is None:
        return
    yield Heading("Why these models")
    yield Text(estimate.choice.sentence)
    yield Text(
        "Each part of the log was predicted by a fit to the others. The simplest model is taken whose held-out error is that of the best "
        "to within a standard error, if it explains more of the whole log than noise would: the last number is the chance that it doesn't."
    )
    yield grid(estimate.choice.table())


def _refit(run: Run) -> Iterator[Block]:
    if run.friction is None:
        return
    refit = run.friction
    yield Heading("Friction of a new log" if refit.uncompared else "What has changed since")
    yield Text(refit.sentence, headline=True)
    source = run.estimate.summary.source
    if refit.uncompared:
        yield Text(f"The links are those of {refit.links_source}. The line is the friction of {source}, the band its 95 % interval.")
    else:
        yield Text(
            f"Dashed is the friction of {refit.links_source}, whose links this run has; the line is that of {source}, and the band around "
            "it the 95 % interval of the difference."
        )
    yield from run.friction.figures()
    yield grid(run.friction.change_table())
    yield grid(run.friction.parameter_table())


def _drift(run: Run) -> Iterator[Block]:
    found = [] if run.validation is None else [friction_drift(series) for series in run.validation.series]
    drifting = [drift for drift in found if drift is not None and drift.drifts]
    if not drifting:
        return
    yield Heading("Friction that changes over the log")
    names = ", ".join(f"{drift.joint} ({100.0 * drift.trend:+.0f} %)" for drift in drifting)
    yield Text(f"From the beginning to the end of the validation's log the friction changes by more than noise: {names}.")
    for drift in drifting:
        yield from drift_figures(drift)
