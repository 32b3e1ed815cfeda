"""Designs of motions, experiments and checks of their limits as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.core.texts import count_text, percent_text
from dynident.motions.design.assumptions import Assumptions
from dynident.motions.design.design import Design
from dynident.motions.design.experiment import Experiment
from dynident.motions.design.goal import MATTERS
from dynident.motions.design.precision import KNOWN, ExpectedPrecision, precision_of
from dynident.motions.design.static_design import StaticDesign
from dynident.motions.documents import (
    PrecisionOverTime,
    list_coefficients,
    list_margins,
    list_precisions,
    moving_ends,
    precision_after,
)
from dynident.motions.limits.margins import LimitMargin, LimitReport
from dynident.motions.limits.motion_check import MotionCheck
from dynident.motions.moves.sequence import STAND
from dynident.regression.equations.base import BaseParameters
from dynident.reports.motion_figures import design_figures, experiment_figures, static_figures
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, rows_of

#: Coefficients whose deviation falls by less than this are not named among those that an experiment adds to, nor more than so many.
_GAIN, _GAINS = 1.1, 10
#: Drives that all stand in the table; of more, those at which a trajectory ends and the time has doubled.
_ALL = 10

# ----------------------------------------------------------------------------------------------------------------------- designs


def _design_headline(design: Design) -> str:
    error = f"predicted torque error on other motions {_share_text(design.precision.relative_error)}"
    return (
        f"{design.base.robot.name}, {design.trajectory.duration:g} s, {error}, condition number {_condition_text(design.condition_number)}"
    )


def _condition_text(number: float) -> str:
    """A condition number; beyond what doubles resolve, some columns are not excited at all."""
    return "infinite" if number > 1e15 else f"{number:.2f}" if number < 1e5 else f"{number:.2g}"


def _design_header(design: Design) -> Iterator[str]:
    """With what will be known, in a line each."""
    robot, precision, task = design.base.robot, design.precision, design.assumptions.task.source
    yield f"{robot.name}: {design.trajectory.duration:.6g} s, {design.description}"
    if robot.parameters is None:
        yield f"Predicted torque error {_numbers(precision.torque_error)} {robot.unit('effort')} on {task}."
    else:
        known, of = precision.known
        which = "coefficients of links" if np.isnan(precision.nominal).any() else "coefficients"
        yield f"Predicted torque error on other motions {_share_text(precision.relative_error)} of the torque ({task})."
        yield f"{known} of {of} {which} will be known to {100.0 * KNOWN:g} %."
    starts = len(design.history)
    best = f", best of {count_text(starts, 'start')}" if starts else ""
    condition = _condition_text(design.condition_number)
    yield f"Condition number {condition} of the stacked regressor with {design.base.rank} columns{best}."


def _numbers(values: Array) -> str:
    """A number, or those of all joints."""
    texts = [f"{value:.2g}" for value in values]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _share_text(share: float) -> str:
    return percent_text(100.0 * share)


def _torque_table(design: Design) -> Table:
    """Per joint the error of the predicted torque in the task."""
    precision, robot = design.precision, design.base.robot
    columns = {
        Column("joint"): robot.joint_names,
        Column("noise", form=".3g"): design.assumptions.noise,
        Column("error", form=".2g"): precision.torque_error,
        Column("torque", form=".3g"): precision.torque,
        Column("relative", form=percent_text): 100.0 * precision.torque_error / precision.torque,
        Column("unit"): [joint.units.effort for joint in robot.joints],
    }
    return Table.of_columns("Predicted torque on other motions, RMS", columns)


def _gain_table(base: BaseParameters, before: ExpectedPrecision, after: ExpectedPrecision) -> Table | None:
    """What an experiment adds to what earlier runs told, the largest gains first; None where there were none."""
    if not np.any(before.information):
        return None
    factor = np.where(np.isinf(before.std), np.inf, before.std / after.std)
    order = [int(i) for i in np.argsort(-factor, kind="stable") if np.isfinite(after.std[i]) and factor[i] > _GAIN][:_GAINS]
    columns = {
        Column("coefficient", left=True): [base.expressions[i] for i in order],
        Column("before", "std before", ".3g", missing=""): before.std[order],
        Column("after", form=".3g", missing=""): after.std[order],
        Column("value", form=".3g", missing=""): after.nominal[order],
        Column("factor", "times better", ".2g"): factor[order],
        Column("unit", left=True): [base.units[i] for i in order],
    }
    return Table.of_columns("What this adds to what is known already", columns)


def _precision_table(base: BaseParameters, precision: ExpectedPrecision, assumptions: Assumptions) -> Table:
    """What every coefficient will be known to."""
    std, nominal = precision.std, precision.nominal
    share = np.divide(100.0 * std, np.abs(nominal), out=np.full(len(std), np.nan), where=np.isfinite(nominal) & (nominal != 0.0))
    columns = {
        Column("coefficient"): base.expressions,
        Column("std", form=".3g", missing=""): std,
        Column("nominal", form=".3g", missing=""): nominal,
        Column("relative", form=percent_text, missing=""): share,
        Column("unit"): base.units,
    }
    noise = f"{_numbers(assumptions.noise)} {base.robot.unit('effort')} ({assumptions.noise_source})"
    title = f"Expected standard deviations for a torque noise of {noise}, {assumptions.rate:g} independent samples/s"
    table = Table.of_columns(title, columns)
    return table.without("nominal", "relative") if np.all(np.isnan(nominal)) else table


def _design_tables(design: Design) -> Iterator[Table | None]:
    """Expected errors and standard deviations, and the worst margins."""
    yield _torque_table(design)
    yield _gain_table(design.base, precision_of(design.base, design.assumptions.before, design.assumptions), design.precision)
    yield _precision_table(design.base, design.precision, design.assumptions)
    yield limit_table(design.report)


show(
    Design,
    headline=_design_headline,
    header=_design_header,
    tables=_design_tables,
    facts=lambda design: (
        [] if design.drive is None else [design.drive.sentence, f"It begins and ends at rest at {design.drive.home.sentence}."]
    ),
    notes=lambda design: [*design.notes, *moving_ends(design), *design.report.notes],
    records=list_coefficients,
    figures=design_figures,
)

# ------------------------------------------------------------------------------------------------------------------------ limits


def _limits_headline(report: LimitReport) -> str:
    state = f"{len(report.broken)} of {len(report.margins)} limits broken" if report.broken else f"all {len(report.margins)} limits hold"
    return f"{state}, checked at {report.rate:g} Hz"


def limit_table(report: LimitReport) -> Table:
    """Every limit, where and when it comes closest, and what is left of it."""
    columns = (
        Column("name", "limit", left=True),
        Column("where", "closest at", left=True),
        Column("time", "time [s]", ".3f"),
        Column("margin", form=lambda pair: f"{pair[0]:.4g} {pair[1]}", of=lambda margin: (margin.margin, margin.unit)),
        Column("used", of=_used, left=False),
    )
    return Table(f"Limits, checked at {report.rate:g} Hz", report.margins, columns)


def _used(margin: LimitMargin) -> str:
    """How much of the limit is used up."""
    if not margin.holds:
        return "BROKEN"
    if not np.isnan(margin.distance):
        return f"at least {1e3 * margin.distance:.1f} mm"
    return "" if np.isnan(margin.share) else f"{margin.share:.1%}"


def _check_header(check: MotionCheck) -> list[str]:
    data = check.samples
    derivatives = " and ".join(name for name, values in (("velocities", data.dq), ("accelerations", data.ddq)) if values is not None)
    known = f", {derivatives}" if derivatives else " alone; their derivatives are those of the spline through them"
    length = f"{data.duration:g} s of {check.robot.name}, {data.samples} samples at {data.rate:.6g} Hz"
    return [f"{data.source}: {length}", f"The file has positions{known}."]


def _range_table(design: StaticDesign) -> Table:
    columns = {
        Column("joint"): design.robot.joint_names,
        Column("low", "from", ".4f"): design.q.min(axis=0),
        Column("high", "to", ".4f"): design.q.max(axis=0),
        Column("unit"): [joint.units.position for joint in design.robot.joints],
    }
    return Table.of_columns("Range of the configurations", columns)


def _static_header(design: StaticDesign) -> list[str]:
    what = "g" if design.base.equations == "gravity" else "M and g"
    return [
        f"{design.robot.name}: {len(design.q)} static configurations, {design.method}",
        f"Condition number {design.condition_number:.2f} of the regressor of {what} with {design.base.rank} columns.",
    ]


show(
    LimitReport,
    headline=_limits_headline,
    tables=lambda report: [limit_table(report)],
    records=list_margins,
)
show(
    MotionCheck,
    headline=lambda check: check.sentence,
    header=_check_header,
    tables=lambda check: [limit_table(check.report)],
    notes=lambda check: [*check.notes, *check.report.notes],
    records=lambda check: list_margins(check.report),
)
show(
    StaticDesign,
    headline=lambda design: (
        f"{design.robot.name}, {len(design.q)} {design.method} configurations, condition number {design.condition_number:.3g}"
    ),
    header=_static_header,
    tables=lambda design: [_range_table(design), limit_table(design.report)],
    facts=lambda design: [
        f"To all of them and back in {design.duration:.0f} s, standing {STAND:g} s at each.",
        f"It begins and ends at rest at {design.home.sentence}.",
    ],
    notes=lambda design: [*design.notes, *design.report.notes],
    records=lambda design: rows_of(dict(zip(design.robot.joint_names, design.q.T, strict=True))),
    figures=static_figures,
)

# ------------------------------------------------------------------------------------------------------------------- experiments


def _experiment_headline(experiment: Experiment) -> str:
    reached = "" if experiment.reached else ", goal not reached"
    return f"{experiment.designs[0].base.robot.name}, {experiment.duration:g} s of {experiment.trajectories}{reached}"


def _experiment_header(experiment: Experiment) -> Iterator[str]:
    goal, parts = experiment.goal, list[str]()
    if goal.precision is not None:
        parts.append(
            f"{int(goal.matters.sum())} of {len(goal.matters)} coefficients, those that make {MATTERS:.0%} of a joint's torque or more, "
            f"known to {_share_text(goal.precision)}"
        )
    if goal.torque_error is not None:
        parts.append(f"torques in other motions predicted to {_share_text(goal.torque_error)}")
    yield f"{experiment.designs[0].base.robot.name}: {'; '.join(parts)}"
    if not experiment.reached:
        yield f"Not reached in {experiment.duration:g} s; driving longer gains little, as the table shows."
        return
    yield f"Reached in {experiment.duration:g} s: {count_text(sum(experiment.repeats), 'drive')} of {experiment.trajectories}."
    if len(experiment.designs) > 1:
        alone = f"{experiment.alone:g} s" if np.isfinite(experiment.alone) else "more than the longest that was looked for"
        yield f"The first trajectory alone would take {alone}."


def _experiment_tables(experiment: Experiment) -> Iterator[Table | None]:
    """What to drive, precision over time, then the limits of every trajectory."""
    first, last = experiment.designs[0], experiment.steps[-1].precision
    yield _plan_table(experiment)
    yield _time_table(experiment)
    yield _gain_table(first.base, experiment.before, last)
    yield _precision_table(first.base, last, first.assumptions)
    for i, design in enumerate(experiment.designs, start=1):
        limits = limit_table(design.report)
        yield replace(limits, title=f"Trajectory {i}: {limits.title[:1].lower()}{limits.title[1:]}")


def _plan_table(experiment: Experiment) -> Table:
    columns = {
        Column("drives"): experiment.repeats,
        Column("seconds", form="g"): [
            count * design.trajectory.duration for design, count in zip(experiment.designs, experiment.repeats, strict=True)
        ],
        Column("condition", "condition number", ".1f"): [design.condition_number for design in experiment.designs],
    }
    return Table.of_columns("What to drive", columns, numbered="trajectory")


def _time_table(experiment: Experiment) -> Table:
    columns = (
        Column("time", "time [s]", "g"),
        Column("trajectory", missing="", of=lambda step: step.trajectory or None),
        Column("worst_coefficient"),
        Column("worst_relative_std", "", _share_text, missing="", of=lambda step: finite_or_none(step.worst_relative_std)),
        Column("torque_error", form=_share_text),
        Column("known", f"known to {KNOWN:.0%}", left=False, of=lambda step: f"{step.known} of {step.of}"),
    )
    return Table("Precision over time", (precision_after(experiment, 0.0, 0, experiment.before), *_shown_steps(experiment)), columns)


def _shown_steps(experiment: Experiment) -> Iterator[PrecisionOverTime]:
    steps, doubled = list_precisions(experiment), 0.0
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        ends = following is None or following.trajectory != step.trajectory
        if len(steps) <= _ALL or ends or step.time >= 2.0 * doubled:
            doubled = step.time
            yield step


def _experiment_facts(experiment: Experiment) -> Iterator[str]:
    drives = [design.drive for design in experiment.designs if design.drive is not None]
    yield from (f"Trajectory {i}: {drive.sentence[:1].lower()}{drive.sentence[1:]}" for i, drive in enumerate(drives, start=1))
    if drives:
        yield f"They begin and end at rest at {drives[0].home.sentence}."


def _experiment_notes(experiment: Experiment) -> Iterator[str]:
    yield from experiment.notes
    last, goal = experiment.steps[-1].precision, experiment.goal
    ratios = goal.ratios(last)
    if goal.precision is not None and (far := np.flatnonzero(ratios > 1.0)).size:
        names = experiment.designs[0].base.names
        listed = ", ".join(f"{names[i]} ({_share_text(goal.precision * float(ratios[i]))})" for i in far[np.argsort(-ratios[far])])
        yield f"not known to {_share_text(goal.precision)} by then: {listed}"
    if goal.precision is not None and np.any(np.isnan(last.nominal)):
        yield "friction has no value to be precise about before a first run"
    for design in experiment.designs:
        yield from (*design.notes, *design.report.notes)


show(
    Experiment,
    headline=_experiment_headline,
    header=_experiment_header,
    tables=_experiment_tables,
    facts=_experiment_facts,
    notes=_experiment_notes,
    records=list_precisions,
    figures=experiment_figures,
)
