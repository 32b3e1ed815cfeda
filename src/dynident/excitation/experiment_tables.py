"""An experiment as tables, plain data and pictures: precision over time, and the trajectories to drive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dynident.core.figures import Figure, axis, line, numbers
from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table
from dynident.excitation.experiment import Experiment, Step
from dynident.excitation.goal import MATTERS
from dynident.excitation.precision import KNOWN, Precision
from dynident.excitation.tables import design_document, gain_table, precision_table

#: Drives that all stand in the table; of more, those at which a trajectory ends and the time has doubled.
_ALL = 10


def experiment_report(experiment: Experiment) -> Report:
    """What to drive, precision over time, then every trajectory's own tables."""
    last, base = experiment.steps[-1].precision, experiment.designs[0].base
    tables = [_plan_table(experiment), _time_table(experiment), gain_table(base, experiment.before, last)]
    tables.append(precision_table(base, last, experiment.designs[0].assumptions))
    notes = [*experiment.notes, *_unreached(experiment)]
    for i, design in enumerate(experiment.designs, start=1):
        limits = design.report.table()
        tables.append(replace(limits, title=f"Trajectory {i}: {limits.title[:1].lower()}{limits.title[1:]}"))
        notes += [note for note in (*design.notes, *design.report.notes) if note not in notes]
    header = (f"{base.robot.name}: {_asked(experiment)}", *_verdict(experiment))
    drives = [design.drive for design in experiment.designs if design.drive is not None]
    facts = [f"Trajectory {i}: {drive.sentence[:1].lower()}{drive.sentence[1:]}" for i, drive in enumerate(drives, start=1)]
    facts += [f"They begin and end at rest at {drives[0].home.sentence}."] if drives else []
    return Report(header=header, tables=tuple(table for table in tables if table is not None), facts=tuple(facts), notes=tuple(notes))


def _asked(experiment: Experiment) -> str:
    goal, parts = experiment.goal, list[str]()
    if goal.precision is not None:
        parts.append(
            f"{int(goal.matters.sum())} of {len(goal.matters)} coefficients, those that make {MATTERS:.0%} of a joint's torque or more, "
            f"known to {_percent(goal.precision)}"
        )
    if goal.torque_error is not None:
        parts.append(f"torques in other motions predicted to {_percent(goal.torque_error)}")
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
    rows = tuple(
        Row((str(i), str(repeats), f"{repeats * design.trajectory.duration:g}", f"{design.condition_number:.1f}"))
        for i, (design, repeats) in enumerate(zip(experiment.designs, experiment.repeats, strict=True), start=1)
    )
    headings = ("trajectory", "drives", "seconds", "condition number")
    return Table(title="What to drive", headings=headings, rows=rows, left=frozenset())


def _time_table(experiment: Experiment) -> Table:
    rows = [Row(("0", "", *_cells(experiment, experiment.before)))]
    rows += [Row((f"{step.time:g}", str(step.trajectory + 1), *_cells(experiment, step.precision))) for step in _shown(experiment)]
    headings = ("time [s]", "trajectory", "worst coefficient", "", "torque error", f"known to {KNOWN:.0%}")
    return Table(title="Precision over time", headings=headings, rows=tuple(rows), left=frozenset({2}))


def _shown(experiment: Experiment) -> Iterator[Step]:
    steps, doubled = experiment.steps, 0.0
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        ends = following is None or following.trajectory != step.trajectory
        if len(steps) <= _ALL or ends or step.time >= 2.0 * doubled:
            doubled = step.time
            yield step


def _cells(experiment: Experiment, precision: Precision) -> tuple[str, str, str, str]:
    name, share = worst_coefficient(experiment, precision)
    known, of = precision.known
    return name, _percent(share) if np.isfinite(share) else "", _percent(precision.relative_error), f"{known} of {of}"


def worst_coefficient(experiment: Experiment, precision: Precision) -> tuple[str, float]:
    """Of the coefficients that matter, the name of that which is known worst, and its deviation as a share of its value."""
    matters = experiment.goal.matters
    if not matters.any():
        return "", np.nan
    values = np.where(matters, np.abs(precision.nominal), 1.0)
    shares = np.where(matters, precision.std / values, 0.0)
    worst = int(shares.argmax())
    return (experiment.designs[0].base.names[worst] if np.isfinite(shares[worst]) else "not all determined"), float(shares[worst])


def _unreached(experiment: Experiment) -> Iterator[str]:
    ratios, goal = experiment.goal.ratios(experiment.steps[-1].precision), experiment.goal
    if goal.precision is not None and (far := np.flatnonzero(ratios > 1.0)).size:
        names = experiment.designs[0].base.names
        listed = ", ".join(f"{names[i]} ({_percent(goal.precision * float(ratios[i]))})" for i in far[np.argsort(-ratios[far])])
        yield f"not known to {_percent(goal.precision)} by then: {listed}"
    if goal.precision is not None and np.any(np.isnan(experiment.steps[-1].precision.nominal)):
        yield "friction has no value to be precise about before a first run"


def experiment_records(experiment: Experiment) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for step in experiment.steps:
        name, share = worst_coefficient(experiment, step.precision)
        known, of = step.precision.known
        rows.append(
            {"time": step.time, "trajectory": step.trajectory + 1, "worst_coefficient": name, "worst_relative_std": finite_or_none(share)}
            | {"torque_error": step.precision.relative_error, "known": known, "of": of}
        )
    return rows


def experiment_document(experiment: Experiment) -> dict[str, Any]:
    """Ready for standard JSON."""
    goal, base = experiment.goal, experiment.designs[0].base
    return {
        "schema": "dynident/experiment/1",
        "robot": base.robot.name,
        "precision": goal.precision,
        "torque_error": goal.torque_error,
        "coefficients_that_matter": [name for name, counts in zip(base.names, goal.matters, strict=True) if counts],
        "reached": experiment.reached,
        "duration": experiment.duration,
        "first_trajectory_alone": finite_or_none(experiment.alone),
        "repeats": list(experiment.repeats),
        "over_time": experiment_records(experiment),
        "trajectories": [design_document(design) for design in experiment.designs],
    }


def experiment_figures(experiment: Experiment) -> tuple[Figure, ...]:
    steps, goal = experiment.steps, experiment.goal
    found = [_over_time(experiment, "Torque in other motions", [step.precision.relative_error for step in steps], goal.torque_error)]
    if goal.matters.any():
        worst = [worst_coefficient(experiment, step.precision)[1] for step in steps]
        found.insert(0, _over_time(experiment, "Worst coefficient that matters", worst, goal.precision))
    return (*found, *(_numbered(figure, i) for i, design in enumerate(experiment.designs, start=1) for figure in design.figures()))


def _over_time(experiment: Experiment, title: str, shares: list[float], goal: float | None) -> Figure:
    """A share over the time that is driven, both axes logarithmic: driving again is a line of slope -½."""
    time = numbers([step.time for step in experiment.steps])
    dashed = {"color": "@bad", "dash": "dash", "width": 1}
    across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "line": dashed}
    layout = {
        "title": {"text": f"{title}; dashed: asked for" if goal is not None else title},
        "xaxis": axis("driven time [s]", type="log"),
        "yaxis": axis("relative deviation [%]", type="log"),
        "shapes": [] if goal is None else [across | {"y0": 100.0 * goal, "y1": 100.0 * goal}],
    }
    data = [line(time, numbers([100.0 * share for share in shares]), title, "@predicted", mode="lines+markers")]
    return Figure(label=f"Precision over time: {title.lower()}", data=data, layout=layout, height=300, small=True)


def _numbered(figure: Figure, number: int) -> Figure:
    """With the number of its trajectory."""
    title = {"text": f"{number}, {figure.layout['title']['text']}"}
    return replace(figure, label=f"Trajectory {number}, {figure.label}", layout={**figure.layout, "title": title})


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else f"{100.0 * share:.0f} %"
