"""Friction curves over what the links leave unexplained (Fig. 4 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.regression.estimate import Estimate
from dynident.reports.blocks import Block, Heading, Key, Text
from dynident.reports.regression import change_table, choice_table, friction_table, parameter_table, shape_table
from dynident.reports.regression_figures import friction_figure
from dynident.reports.validation import drift_figures, friction_cloud
from dynident.runs import Run, Stage
from dynident.validation.drift import friction_drift


def friction(run: Run) -> Iterator[Block | None]:
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
        joints = range(estimate.base.robot.n)
        clouds = [None] * len(joints) if run.validation is None else map(friction_cloud, run.validation.series)
        figures = [friction_figure(estimate, j, cloud) for j, cloud in zip(joints, clouds, strict=True)]
        if estimate.choice is not None:
            yield Key.of(figures)
        yield from figures
    yield friction_table(estimate)
    yield shape_table(estimate)
    yield from _choice(estimate)
    yield from _refit(run)
    yield from _drift(run)


def _choice(estimate: Estimate) -> Iterator[Block | None]:
    if estimate.choice is None:
        return
    yield Heading("Why these models")
    yield Text(estimate.choice.sentence)
    yield Text(
        "Each part of the log was predicted by a fit to the others. The simplest model is taken whose held-out error is that of the best "
        "to within a standard error, if it explains more of the whole log than noise would: the last number is the chance that it doesn't."
    )
    yield choice_table(estimate.choice)


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
    yield change_table(run.friction)
    yield parameter_table(run.friction)


def _drift(run: Run) -> Iterator[Block]:
    drifts = [] if run.validation is None else [friction_drift(series) for series in run.validation.series]
    drifting = [drift for drift in drifts if drift is not None and drift.drifts]
    if not drifting:
        return
    yield Heading("Friction that changes over the log")
    names = ", ".join(f"{drift.joint} ({100.0 * drift.trend:+.0f} %)" for drift in drifting)
    yield Text(f"From the beginning to the end of the validation's log the friction changes by more than noise: {names}.")
    for drift in drifting:
        yield from drift_figures(drift)
