"""Designs of motions, experiments and checks of their limits as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.excitation.assumptions import Assumptions
from dynident.excitation.design import Design
from dynident.excitation.documents import design_records, experiment_records, limit_documents, moving_ends, worst_coefficient
from dynident.excitation.experiment import Experiment, ExperimentStep
from dynident.excitation.goal import MATTERS
from dynident.excitation.limits.margins import LimitMargin, LimitReport
from dynident.excitation.motion_check import MotionCheck
from dynident.excitation.precision import KNOWN, ExpectedPrecision, precision_of
from dynident.excitation.sequence import STAND
from dynident.excitation.static_design import StaticDesign
from dynident.regression.equations.base import BaseParameters
from dynident.reports import show
from dynident.reports.excitation_figures import design_figures, experiment_figures, static_figures
from dynident.reports.tables import Column, Report, Table, column

#: Coefficients whose deviation falls by less than this are not named among those that an experiment adds to, nor more than so many.
_GAIN, _GAINS = 1.1, 10
#: Drives that all stand in the table; of more, those at which a trajectory ends and the time has doubled.
_ALL = 10


@show.headline.register(Design)
def _(design: Design) -> str:
    error = f"predicted torque error on other motions {100.0 * design.precision.relative_error:.2g} %"
    condition = f"condition number {_condition_text(design.condition_number)}"
    return f"{design.base.robot.name}, {design.trajectory.duration:g} s, {error}, {condition}"


@show.tables.register(Design)
def _(design: Design) -> Report:
    """Header, expected standard deviations, worst margins, notes."""
    starts = f", best of {len(design.history)} {'start' if len(design.history) == 1 else 'starts'}" if design.history else ""
    condition = f"Condition number {_condition_text(design.condition_number)} of the stacked regressor"
    before = precision_of(design.base, design.assumptions.before, design.assumptions)
    tables = (
        _torque_table(design),
        _gain_table(design.base, before, design.precision),
        _precision_table(design.base, design.precision, design.assumptions),
        limit_table(design.report),
    )
    return Report(
        header=(
            f"{design.base.robot.name}: {design.trajectory.duration:.6g} s, {design.description}",
            *_promises(design),
            f"{condition} with {design.base.rank} columns{starts}.",
        ),
        tables=tuple(table for table in tables if table is not None),
        facts=() if design.drive is None else (design.drive.sentence, f"It begins and ends at rest at {design.drive.home.sentence}."),
        notes=(*design.notes, *moving_ends(design), *design.report.notes),
    )


show.records.register(Design, design_records)
show.figures.register(Design, design_figures)


def _condition_text(number: float) -> str:
    """A condition number; beyond what doubles resolve, some columns are not excited at all."""
    return "infinite" if number > 1e15 else f"{number:.2f}" if number < 1e5 else f"{number:.2g}"


def _promises(design: Design) -> Iterator[str]:
    """What will be known, in a line each."""
    precision, (known, of) = design.precision, design.precision.known
    task = design.assumptions.task.source
    if design.base.robot.parameters is None:
        yield f"Predicted torque error {_numbers(precision.torque_error)} {design.base.robot.unit('effort')} on {task}."
        return
    yield f"Predicted torque error on other motions {100.0 * precision.relative_error:.2g} % of the torque ({task})."
    which = "coefficients of links" if np.isnan(precision.nominal).any() else "coefficients"
    yield f"{known} of {of} {which} will be known to {100.0 * KNOWN:g} %."


def _numbers(values: Array) -> str:
    """A number, or those of all joints."""
    texts = [f"{value:.2g}" for value in values]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _share_text(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else f"{100.0 * share:.0f} %"


def _percent_text(percent: float) -> str:
    return f"{percent:.2g} %"


def _torque_table(design: Design) -> Table:
    """Per joint the error of the predicted torque in the task."""
    precision, robot = design.precision, design.base.robot
    columns = {
        Column("joint"): robot.joint_names,
        Column("noise", form=".3g"): design.assumptions.noise,
        Column("error", form=".2g"): precision.torque_error,
        Column("torque", form=".3g"): precision.torque,
        Column("relative", form=_percent_text): 100.0 * precision.torque_error / precision.torque,
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
        Column("relative", form=_percent_text, missing=""): share,
        Column("unit"): base.units,
    }
    noise = f"{_numbers(assumptions.noise)} {base.robot.unit('effort')} ({assumptions.noise_source})"
    title = f"Expected standard deviations for a torque noise of {noise}, {assumptions.rate:g} independent samples/s"
    table = Table.of_columns(title, columns)
    return table.without("nominal", "relative") if np.all(np.isnan(nominal)) else table


@show.headline.register(LimitReport)
def _(report: LimitReport) -> str:
    state = f"{len(report.broken)} of {len(report.margins)} limits broken" if report.broken else f"all {len(report.margins)} limits hold"
    return f"{state}, checked at {report.rate:g} Hz"


@show.tables.register(LimitReport)
def _(report: LimitReport) -> Report:
    return Report(tables=(limit_table(report),), notes=report.notes)


show.records.register(LimitReport, limit_documents)


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


@show.headline.register(MotionCheck)
def _(check: MotionCheck) -> str:
    return check.sentence


@show.tables.register(MotionCheck)
def _(check: MotionCheck) -> Report:
    data = check.samples
    known = " and ".join(name for name, values in (("velocities", data.dq), ("accelerations", data.ddq)) if values is not None)
    header = (
        f"{data.source}: {data.duration:g} s of {check.robot.name}, {data.samples} samples at {data.rate:.6g} Hz",
        f"The file has positions{f', {known}' if known else ' alone; their derivatives are those of the spline through them'}.",
    )
    return Report(header=header, tables=(limit_table(check.report),), notes=(*check.notes, *check.report.notes))


@show.records.register(MotionCheck)
def _(check: MotionCheck) -> list[dict[str, Any]]:
    """One row per limit."""
    return limit_documents(check.report)


@show.headline.register(StaticDesign)
def _(design: StaticDesign) -> str:
    return f"{design.robot.name}, {len(design.q)} {design.method} configurations, condition number {design.condition_number:.3g}"


@show.tables.register(StaticDesign)
def _(design: StaticDesign) -> Report:
    ranges = {
        Column("joint"): design.robot.joint_names,
        Column("low", "from", ".4f"): design.q.min(axis=0),
        Column("high", "to", ".4f"): design.q.max(axis=0),
        Column("unit"): [joint.units.position for joint in design.robot.joints],
    }
    what = "g" if design.base.equations == "gravity" else "M and g"
    return Report(
        header=(
            f"{design.robot.name}: {len(design.q)} static configurations, {design.method}",
            f"Condition number {design.condition_number:.2f} of the regressor of {what} with {design.base.rank} columns.",
        ),
        tables=(Table.of_columns("Range of the configurations", ranges), limit_table(design.report)),
        facts=(
            f"To all of them and back in {design.duration:.0f} s, standing {STAND:g} s at each.",
            f"It begins and ends at rest at {design.home.sentence}.",
        ),
        notes=tuple(dict.fromkeys([*design.notes, *design.report.notes])),
    )


@show.records.register(StaticDesign)
def _(design: StaticDesign) -> list[dict[str, Any]]:
    """One row per configuration: the position of every joint."""
    return [dict(zip(design.robot.joint_names, row, strict=True)) for row in design.q.tolist()]


show.figures.register(StaticDesign, static_figures)


@show.headline.register(Experiment)
def _(experiment: Experiment) -> str:
    reached = "" if experiment.reached else ", goal not reached"
    return f"{experiment.designs[0].base.robot.name}, {experiment.duration:g} s of {experiment.trajectories}{reached}"


@show.tables.register(Experiment)
def _(experiment: Experiment) -> Report:
    """What to drive, precision over time, then every trajectory's own tables."""
    last, base = experiment.steps[-1].precision, experiment.designs[0].base
    tables = [_plan_table(experiment), _time_table(experiment), _gain_table(base, experiment.before, last)]
    tables.append(_precision_table(base, last, experiment.designs[0].assumptions))
    notes = [*experiment.notes, *_unreached(experiment)]
    for i, design in enumerate(experiment.designs, start=1):
        limits = limit_table(design.report)
        tables.append(replace(limits, title=f"Trajectory {i}: {limits.title[:1].lower()}{limits.title[1:]}"))
        notes += [note for note in (*design.notes, *design.report.notes) if note not in notes]
    drives = [design.drive for design in experiment.designs if design.drive is not None]
    facts = [f"Trajectory {i}: {drive.sentence[:1].lower()}{drive.sentence[1:]}" for i, drive in enumerate(drives, start=1)]
    facts += [f"They begin and end at rest at {drives[0].home.sentence}."] if drives else []
    return Report(
        header=(f"{base.robot.name}: {_goal_text(experiment)}", *_verdict(experiment)),
        tables=tuple(table for table in tables if table is not None),
        facts=tuple(facts),
        notes=tuple(notes),
    )


show.records.register(Experiment, experiment_records)
show.figures.register(Experiment, experiment_figures)


def _goal_text(experiment: Experiment) -> str:
    goal, parts = experiment.goal, list[str]()
    if goal.precision is not None:
        parts.append(
            f"{int(goal.matters.sum())} of {len(goal.matters)} coefficients, those that make {MATTERS:.0%} of a joint's torque or more, "
            f"known to {_share_text(goal.precision)}"
        )
    if goal.torque_error is not None:
        parts.append(f"torques in other motions predicted to {_share_text(goal.torque_error)}")
    return "; ".join(parts)


def _verdict(experiment: Experiment) -> Iterator[str]:
    if not experiment.reached:
        yield f"Not reached in {experiment.duration:g} s; driving longer gains little, as the table shows."
        return
    drives = sum(experiment.repeats)
    yield f"Reached in {experiment.duration:g} s: {drives} drive{'s' * (drives > 1)} of {experiment.trajectories}."
    if len(experiment.designs) > 1:
        alone = f"{experiment.alone:g} s" if np.isfinite(experiment.alone) else "more than the longest that was looked for"
        yield f"The first trajectory alone would take {alone}."


def _plan_table(experiment: Experiment) -> Table:
    rows = tuple(zip(experiment.designs, experiment.repeats, strict=True))
    columns = (
        Column("drives", of=lambda row: row[1]),
        Column("seconds", form="g", of=lambda row: row[1] * row[0].trajectory.duration),
        Column("condition", "condition number", ".1f", of=lambda row: row[0].condition_number),
    )
    return Table("What to drive", rows, columns, numbered="trajectory")


@dataclass(frozen=True)
class _Known:
    time: float = column("time [s]", "g")
    trajectory: int | None = column(missing="")
    worst: str = column("worst coefficient")
    share: float | None = column("", _share_text, missing="")
    torque: float = column("torque error", _share_text)
    known: str = column(f"known to {KNOWN:.0%}", left=False)


def _time_table(experiment: Experiment) -> Table:
    rows = [_known_then(experiment, 0.0, None, experiment.before)]
    rows += [_known_then(experiment, step.time, step.trajectory + 1, step.precision) for step in _shown_steps(experiment)]
    return Table("Precision over time", tuple(rows))


def _known_then(experiment: Experiment, time: float, trajectory: int | None, precision: ExpectedPrecision) -> _Known:
    name, share = worst_coefficient(experiment, precision)
    known, of = precision.known
    return _Known(time, trajectory, name, finite_or_none(share), precision.relative_error, f"{known} of {of}")


def _shown_steps(experiment: Experiment) -> Iterator[ExperimentStep]:
    steps, doubled = experiment.steps, 0.0
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        ends = following is None or following.trajectory != step.trajectory
        if len(steps) <= _ALL or ends or step.time >= 2.0 * doubled:
            doubled = step.time
            yield step


def _unreached(experiment: Experiment) -> Iterator[str]:
    ratios, goal = experiment.goal.ratios(experiment.steps[-1].precision), experiment.goal
    if goal.precision is not None and (far := np.flatnonzero(ratios > 1.0)).size:
        names = experiment.designs[0].base.names
        listed = ", ".join(f"{names[i]} ({_share_text(goal.precision * float(ratios[i]))})" for i in far[np.argsort(-ratios[far])])
        yield f"not known to {_share_text(goal.precision)} by then: {listed}"
    if goal.precision is not None and np.any(np.isnan(experiment.steps[-1].precision.nominal)):
        yield "friction has no value to be precise about before a first run"
