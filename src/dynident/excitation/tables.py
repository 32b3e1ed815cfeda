"""A design as tables and as plain data: what the terminal, `print(design)` and JSON show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table
from dynident.excitation.assumptions import Assumptions
from dynident.excitation.design import Design
from dynident.excitation.drive import Drive
from dynident.excitation.limits.margins import LimitReport
from dynident.excitation.precision import KNOWN, Precision, precision_of
from dynident.excitation.sequence import STAND
from dynident.excitation.static_design import StaticDesign
from dynident.excitation.trajectories.registry import trajectory_to_dict
from dynident.regression.equations.base import BaseParameters

#: Coefficients whose deviation falls by less than this are not named among those that an experiment adds to, nor more than so many.
_GAIN, _GAINS = 1.1, 10


def design_report(design: Design) -> Report:
    """Header, expected standard deviations, worst margins, notes."""
    starts = f", best of {len(design.history)} {'start' if len(design.history) == 1 else 'starts'}" if design.history else ""
    header = (
        f"{design.base.robot.name}: {design.trajectory.duration:.6g} s, {design.description}",
        *_promises(design),
        f"Condition number {condition_text(design.condition_number)} of the stacked regressor with {design.base.rank} columns{starts}.",
    )
    before = precision_of(design.base, design.assumptions.before, design.assumptions)
    tables = (
        _torque_table(design),
        gain_table(design.base, before, design.precision),
        precision_table(design.base, design.precision, design.assumptions),
        design.report.table(),
    )
    found = tuple(table for table in tables if table is not None)
    facts = () if design.drive is None else (design.drive.sentence, f"It begins and ends at rest at {design.drive.home.sentence}.")
    return Report(header=header, tables=found, facts=facts, notes=(*design.notes, *_moving_ends(design), *design.report.notes))


def condition_text(number: float) -> str:
    """A condition number; beyond what doubles resolve, some columns are not excited at all."""
    return "infinite" if number > 1e15 else f"{number:.2f}" if number < 1e5 else f"{number:.2g}"


def design_document(design: Design) -> dict[str, Any]:
    """Ready for standard JSON; infinite standard deviations are null."""
    base = design.base
    return {
        "schema": "dynident/excite/1",
        "robot": base.robot.name,
        "criterion": design.criterion,
        "description": design.description,
        "condition_number": finite_or_none(design.condition_number),
        "value": design.value,
        "rank": base.rank,
        "torque_noise": design.assumptions.noise.tolist(),
        "torque_noise_source": design.assumptions.noise_source,
        "independent_samples_per_second": design.assumptions.rate,
        "task": design.assumptions.task.source,
        "torque_error": _torque_document(design),
        "known_to_30_percent": _known_document(design),
        "coefficients": design_records(design),
        "limits": limit_documents(design.report),
        "check_rate": design.report.rate,
        "history": list(design.history),
        "unchecked": design.unchecked,
        "trajectory": trajectory_to_dict(design.trajectory),
        "drive": None if design.drive is None else _drive_document(design.drive),
        "notes": [*design.notes, *_moving_ends(design), *design.report.notes],
    }


def _drive_document(drive: Drive) -> dict[str, Any]:
    driven = drive.trajectory
    return {
        "duration": driven.duration,
        "repeats": driven.repeats,
        "period": driven.period,
        "parts": [part._asdict() for part in driven.parts],
        "home": drive.home.q.tolist(),
        "home_source": str(drive.home.source),
        "trajectory": trajectory_to_dict(driven),
    }


def _moving_ends(design: Design) -> tuple[str, ...]:
    """A note on a trajectory that starts in motion, where nothing leads there."""
    speeds = np.abs(design.trajectory.sample([0.0]).dq[0])
    fastest = int(speeds.argmax())
    if design.drive is not None or speeds[fastest] < 1e-9:
        return ()
    velocity = f"{speeds[fastest]:.2g} {design.base.robot.joints[fastest].units.velocity}"
    return (f"the trajectory starts with a velocity of {velocity}; a robot that starts it from rest needs a run-up, or a start at rest",)


def design_records(design: Design) -> list[dict[str, Any]]:
    base = design.base
    rows = zip(base.names, base.expressions, base.units, design.std, design.precision.nominal, strict=True)
    return [
        {"name": name, "expression": expression, "unit": unit, "std": finite_or_none(std), "nominal": finite_or_none(value)}
        for name, expression, unit, std, value in rows
    ]


def static_records(design: StaticDesign) -> list[dict[str, Any]]:
    return [dict(zip(design.robot.joint_names, row, strict=True)) for row in design.q.tolist()]


def limit_documents(report: LimitReport) -> list[dict[str, Any]]:
    return [
        {"limit": m.name, "where": m.where, "margin": m.margin, "unit": m.unit}
        | {"share": finite_or_none(m.share), "time": m.time, "holds": m.holds}
        for m in report.margins
    ]


def static_report(design: StaticDesign) -> Report:
    q = design.q
    rows = tuple(
        Row((joint.name, f"{low:.4f}", f"{high:.4f}", joint.units.position))
        for joint, low, high in zip(design.robot.joints, q.min(axis=0), q.max(axis=0), strict=True)
    )
    ranges = Table(title="Range of the configurations", headings=("joint", "from", "to", "unit"), rows=rows, left=frozenset({0, 3}))
    return Report(
        header=(
            f"{design.robot.name}: {len(q)} static configurations, {design.method}",
            f"Condition number {design.condition_number:.2f} of the regressor of {_asked(design)} with {design.base.rank} columns.",
        ),
        tables=(ranges, design.report.table()),
        facts=(
            f"To all of them and back in {design.duration:.0f} s, standing {STAND:g} s at each.",
            f"It begins and ends at rest at {design.home.sentence}.",
        ),
        notes=tuple(dict.fromkeys([*design.notes, *design.report.notes])),
    )


def _asked(design: StaticDesign) -> str:
    return "g" if design.base.equations == "gravity" else "M and g"


def static_document(design: StaticDesign) -> dict[str, Any]:
    return {
        "schema": "dynident/excite-static/1",
        "robot": design.robot.name,
        "method": design.method,
        "configurations": len(design.q),
        "condition_number": finite_or_none(design.condition_number),
        "rank": design.base.rank,
        "unchecked": design.unchecked,
        "equations": design.base.equations,
        "duration": design.duration,
        "home": design.home.q.tolist(),
        "home_source": str(design.home.source),
        "limits": limit_documents(design.report),
        "notes": list(design.notes),
    }


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


def _torque_table(design: Design) -> Table:
    """Per joint the error of the predicted torque in the task."""
    precision, robot = design.precision, design.base.robot
    rows = tuple(
        Row((joint.name, f"{noise:.3g}", f"{error:.2g}", f"{torque:.3g}", f"{100.0 * error / torque:.2g} %", joint.units.effort))
        for joint, noise, error, torque in zip(
            robot.joints, design.assumptions.noise, precision.torque_error, precision.torque, strict=True
        )
    )
    headings = ("joint", "noise", "error", "torque", "relative", "unit")
    return Table(title="Predicted torque on other motions, RMS", headings=headings, rows=rows, left=frozenset({0, 5}))


def gain_table(base: BaseParameters, before: Precision, after: Precision) -> Table | None:
    """What an experiment adds to what earlier runs told, the largest gains first; None where there were none."""
    if not np.any(before.information):
        return None
    factor = np.where(np.isinf(before.std), np.inf, before.std / after.std)
    order = [int(i) for i in np.argsort(-factor, kind="stable") if np.isfinite(after.std[i]) and factor[i] > _GAIN][:_GAINS]
    rows = tuple(
        Row((base.expressions[i], _text(before.std[i]), _text(after.std[i]), _text(after.nominal[i]), f"{factor[i]:.2g}", base.units[i]))
        for i in order
    )
    headings = ("coefficient", "std before", "after", "value", "times better", "unit")
    return Table(title="What this adds to what is known already", headings=headings, rows=rows, left=frozenset({0, 5}))


def _torque_document(design: Design) -> dict[str, Any]:
    precision = design.precision
    described = design.base.robot.parameters is not None
    return {
        "relative": precision.relative_error if described else None,
        "rms": dict(zip(design.base.robot.joint_names, precision.torque_error.tolist(), strict=True)),
        "torque": dict(zip(design.base.robot.joint_names, precision.torque.tolist(), strict=True)),
    }


def _known_document(design: Design) -> dict[str, int] | None:
    known, of = design.precision.known
    return {"known": known, "of": of} if of else None


def _numbers(values: Array) -> str:
    """A number, or those of all joints."""
    texts = [f"{value:.2g}" for value in values]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def precision_table(base: BaseParameters, precision: Precision, assumptions: Assumptions) -> Table:
    """What every coefficient will be known to."""
    nominal = precision.nominal
    known = not np.all(np.isnan(nominal))
    rows: list[Row] = []
    for expression, unit, std, value in zip(base.expressions, base.units, precision.std, nominal, strict=True):
        share = f"{100.0 * std / abs(value):.2g} %" if np.isfinite(value) and value != 0.0 else ""
        extra = (_text(value), share) if known else ()
        rows.append(Row((expression, _text(std), *extra, unit)))
    headings = ("coefficient", "std", *(("nominal", "relative") if known else ()), "unit")
    noise = f"{_numbers(assumptions.noise)} {base.robot.unit('effort')} ({assumptions.noise_source})"
    title = f"Expected standard deviations for a torque noise of {noise}, {assumptions.rate:g} independent samples/s"
    return Table(title=title, headings=headings, rows=tuple(rows), left=frozenset({0, len(headings) - 1}))


def _text(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"
