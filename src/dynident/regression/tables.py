"""Base parameters, a problem and an estimate as records and tables: the terminal, `print` and JSON all show these."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table, number_form
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.rows import row_units
from dynident.regression.equations.symbolic import dh_lengths
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.notes import listing
from dynident.regression.problem import Problem

#: Both sources of uncertainty, of which the larger is printed beside the value.
SOURCE_HEADINGS = ("by noise", "between blocks")
#: Standard deviations below this are shown as powers of ten; decimals would be all zeros.
_SMALLEST_DECIMAL = 1e-8
#: Beside such a deviation, values below this too, those of a robot of grams and millimetres.
_SMALLEST_VALUE = 1e-5


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One base parameter. value, std and relative_std_percent are None where the data don't determine them;
    for a dropped one they are as they were when it was dropped, and `reason` says why it was.

    symbolic : the expression with the names of the DH constants; None for a robot that is not described by a DH table.
    noise_std, block_std : std by the noise and by the variation between blocks of the log, of which std is the larger; the second is
        None where it was not measured.
    """

    name: str
    expression: str
    symbolic: str | None
    value: float | None
    std: float | None
    noise_std: float | None
    block_std: float | None
    relative_std_percent: float | None
    unit: str
    kept: bool
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class JointFriction:
    """Friction of one joint, as its model has it. parameters : value by name; None for one that is only known as part of another
    coefficient."""

    joint: str
    model: str
    parameters: Mapping[str, float | None]


def report(estimate: Estimate) -> Report:
    """Header, coefficient table as in the Panda supplement, friction, residuals, evidence of rank, notes."""
    choice = None if estimate.choice is None else estimate.choice.table()
    friction_tables = (_friction_table(estimate), shape_table(estimate), choice)
    vendor = None if estimate.vendor_model is None else estimate.vendor_model.table()
    tables = (
        _coefficient_table(estimate),
        constants_table(estimate.base),
        vendor,
        *friction_tables,
        residual_table(estimate.residuals, estimate.base),
    )
    return Report(
        header=_header(estimate),
        tables=tuple(table for table in tables if table is not None),
        facts=_facts(estimate),
        notes=estimate.notes,
    )


def coefficients(estimate: Estimate) -> tuple[Coefficient, ...]:
    """One record per base parameter."""
    base, std, relative = estimate.base, estimate.std, estimate.relative_std_percent
    noise_std, block_std = estimate.noise_std, estimate.block_std
    dropped = {item.index: item for item in estimate.dropped}
    records: list[Coefficient] = []
    for i, name in enumerate(base.names):
        item = dropped.get(i)
        value = float(estimate.values[i]) if item is None else item.value
        records.append(
            Coefficient(
                name=name,
                expression=base.expressions[i],
                symbolic=None if base.symbolic_expressions is None else base.symbolic_expressions[i],
                value=value if math.isfinite(std[i]) else None,
                std=finite_or_none(std[i]),
                noise_std=finite_or_none(noise_std[i]),
                block_std=None if block_std is None else finite_or_none(block_std[i]),
                relative_std_percent=finite_or_none(relative[i]),
                unit=base.units[i],
                kept=bool(estimate.kept[i]),
                reason="" if item is None else item.reason,
            )
        )
    return tuple(records)


def base_records(base: BaseParameters) -> list[dict[str, Any]]:
    rows = zip(base.names, base.expressions, base.symbolic_expressions or [None] * base.rank, base.units, strict=True)
    return [dict(zip(("name", "expression", "symbolic", "unit"), row, strict=True)) for row in rows]


def constants_table(base: BaseParameters) -> Table | None:
    """The groupings that contain DH constants, with their names; None where there are none."""
    symbols, constants = base.symbolic_expressions, dh_lengths(base.robot)
    if symbols is None or symbols == base.expressions:
        return None
    pairs = enumerate(zip(base.expressions, symbols, strict=True), start=1)
    rows = tuple(Row((str(number), symbol)) for number, (expression, symbol) in pairs if symbol != expression)
    used = {name for row in rows for name in re.findall(r"\b[ad]\d+", row.cells[1])}
    values = ", ".join(f"{name} = {value:.6g}" for name, value in constants.items() if name in used)
    return Table(title=f"Coefficients with the DH constants, {values} [m]", headings=("no.", "coefficient"), rows=rows, left=frozenset({1}))


def base_report(base: BaseParameters) -> Report:
    """The groupings, as the papers print them."""
    rows = tuple(Row((str(k), item["expression"], item["unit"])) for k, item in enumerate(base_records(base), start=1))
    table = Table(title="Dynamic coefficients", headings=("no.", "coefficient", "unit"), rows=rows, left=frozenset({1, 2}))
    friction = "without friction" if base.friction is None else f"friction {base.friction.name}"
    tables = tuple(item for item in (table, constants_table(base)) if item is not None)
    return Report(header=(f"{base.headline}, {friction}",), tables=tables, facts=_base_facts(base), notes=())


def problem_records(problem: Problem) -> list[dict[str, Any]]:
    return [
        {
            "group": group.name,
            "equations": int(count),
            "coefficients": len(group.columns),
            "rms": float(np.linalg.norm(factor[:, -1]) / math.sqrt(max(int(count), 1))),
            "unit": group.unit,
        }
        for group, count, factor in zip(problem.groups, problem.counts, problem.factors, strict=True)
    ]


def problem_report(problem: Problem) -> Report:
    """How many equations there are of each kind, and how large what they explain is."""
    rows = [
        Row((item["group"], str(item["equations"]), str(item["coefficients"]), f"{item['rms']:.4g}", item["unit"]))
        for item in problem_records(problem)
    ]
    headings = ("", "equations", "coefficients", "RMS", "unit")
    return Report(
        header=(problem.headline, f"{problem.source or 'unnamed data'}; {problem.processing}"),
        tables=(Table(title="Equations", headings=headings, rows=tuple(rows), left=frozenset({0, 4})),),
        facts=_base_facts(problem.base),
        notes=problem.notes,
    )


def friction(estimate: Estimate) -> tuple[JointFriction, ...]:
    """One record per joint; empty without a friction model. A dropped parameter is zero, a known one has its known value."""
    base, values = estimate.base, estimate.friction_parameters
    if base.friction is None or values is None:
        return ()
    separate = {int(i) for i in base.independent} | {base.columns.index(name) for name in base.known}
    records: list[JointFriction] = []
    for j, joint in enumerate(base.robot.joint_names):
        own = zip(base.columns.of_joint(j).values(), base.friction.values_of(j, values[j]).items(), strict=True)
        parameters = {name: value if place in separate else None for place, (name, value) in own}
        records.append(JointFriction(joint=joint, model=base.friction.of_joint(j).name, parameters=parameters))
    return tuple(records)


def friction_texts(estimate: Estimate) -> list[list[str]]:
    """(n, k) the friction parameters as tables show them: "grouped" where only known inside another coefficient, "dropped" where zero,
    a dash where the joint's model has no such parameter."""
    base = estimate.base
    dropped = {int(base.independent[item.index]) for item in estimate.dropped}
    names = () if base.friction is None else base.friction.parameter_names
    texts: list[list[str]] = []
    found = friction(estimate)
    form = number_form(4, [value for item in found for value in item.parameters.values()])
    for j, item in enumerate(found):
        places = dict(zip(item.parameters, base.columns.of_joint(j).values(), strict=True))
        texts.append([_friction_text(item.parameters, name, form, dropped=places.get(name) in dropped) for name in names])
    return texts


def _friction_text(parameters: Mapping[str, float | None], name: str, form: str, *, dropped: bool) -> str:
    if name not in parameters:
        return "–"
    value = parameters[name]
    return "grouped" if value is None else "dropped" if dropped else format(value, form)


def _coefficient_table(estimate: Estimate) -> Table:
    limit = estimate.summary.drop_above_percent
    sources = () if estimate.blocks is None else SOURCE_HEADINGS
    rows: list[Row] = []
    for number, item in enumerate(coefficients(estimate), start=1):
        state = "" if item.kept else "undetermined" if item.std is None else f"above {limit:g} %"
        stds = (std_text(item.noise_std), std_text(item.block_std))[: len(sources)]
        printed = (value_text(item.value, item.std), percent_text(item.relative_std_percent), *stds)
        rows.append(Row((str(number), item.expression, *printed, item.unit, state), dimmed=not item.kept))
    headings = ("no.", "coefficient", "value ± std", "std [%]", *sources, "unit", "dropped")
    left = frozenset({1, len(headings) - 2, len(headings) - 1})
    return Table(title="Dynamic coefficients", headings=headings, rows=tuple(rows), left=left)


def _friction_table(estimate: Estimate) -> Table | None:
    model = estimate.base.friction
    if model is None:
        return None
    rows = [Row((item.joint, *texts)) for item, texts in zip(friction(estimate), friction_texts(estimate), strict=True)]
    headings = ("joint", *model.headings(estimate.base.robot.joints))
    return Table(title=f"Friction ({model.name})", headings=headings, rows=tuple(rows), left=frozenset({0}))


def shape_table(estimate: Estimate) -> Table | None:
    """The shapes of friction that were fitted, with their standard deviations."""
    if not estimate.shapes:
        return None
    rows = tuple(
        Row((shape.joint, shape.label, value_text(shape.value, shape.std) if shape.std is not None else f"{shape.value:.4g}", shape.unit))
        for shape in estimate.shapes
    )
    return Table(title="Shapes of friction", headings=("joint", "shape", "value ± std", "unit"), rows=rows, left=frozenset({0, 1, 3}))


def residual_table(found: Residuals, base: BaseParameters) -> Table:
    """Relative error and RMS per joint and in all; elements of M of one unit are taken together, and those of g."""
    units = row_units(base)
    kinds: dict[tuple[str, str], list[int]] = {}
    for i, name in enumerate(found.names):
        kinds.setdefault((name if base.equations == "torque" else name[0], units[name]), []).append(i)
    rows: list[Row] = []
    for (kind, unit), members in kinds.items():
        name = kind if base.equations == "torque" else f"{kind} ({len(members)} elements)"
        squares, totals, counts = (float(np.sum(values[members])) for values in (found.squares, found.totals, found.counts))
        relative = 100.0 * math.sqrt(squares / (totals or squares or 1.0))
        rows.append(Row((name, f"{relative:.3g}", f"{math.sqrt(squares / max(counts, 1.0)):.3g}", unit)))
    rows.append(Row(("all", f"{found.relative_percent:.3g}", "", "")))
    return Table(title="Residuals", headings=("", "relative [%]", "RMS", "unit"), rows=tuple(rows), left=frozenset({0, 3}))


def _header(estimate: Estimate) -> tuple[str, ...]:
    summary, base = estimate.summary, estimate.base
    what = {"torque": "a log", "controller": "the controller's M and g", "inertia": "the controller's M", "gravity": "torques of gravity"}
    samples = f"{summary.samples} samples, {summary.equations} equations"
    told = None if estimate.problem is None else estimate.problem.controller
    if told is not None:
        samples += f", and {len(told.values)} coefficients of the controller's M and g at {told.samples} configurations"
    weights = f"noise {summary.noise}, loss {summary.loss}"
    both = "" if estimate.vendor_model is None else " and the controller's M and g"
    return (
        f"{base.robot.name}, identified from {what[base.equations]}{both} ({summary.source})",
        f"{route_name(estimate)} route, {samples}; {summary.processing}; {weights}",
    )


def route_name(estimate: Estimate) -> str:
    """By which route an estimate was made: from a log, from a controller's samples, or from both."""
    if estimate.vendor_model is not None:
        return "combined"
    return "classical" if estimate.base.equations == "torque" else "controller"


def _facts(estimate: Estimate) -> tuple[str, ...]:
    summary, base = estimate.summary, estimate.base
    rank = f"Rank {summary.rank} of {base.rank} (tolerance {summary.rank_tolerance:.2g}), {int(estimate.kept.sum())} kept"
    verdict = estimate.status.value
    facts = [f"{verdict[0].upper()}{verdict[1:]}.", f"{rank}; condition number {estimate.condition_number:.2f}."]
    chosen = () if estimate.choice is None else (estimate.choice.sentence,)
    vendor = () if estimate.vendor_model is None else (estimate.vendor_model.sentence,)
    return (*facts, *vendor, *chosen, *_base_facts(base))


def _base_facts(base: BaseParameters) -> tuple[str, ...]:
    """What no data of this kind can tell, and what was declared known."""
    facts: list[str] = []
    if base.unidentifiable:
        facts.append(f"Without effect on such data, whatever the motion: {listing(base.unidentifiable, 40)}.")
    if base.known:
        facts.append(f"Declared known: {', '.join(f'{name} = {value:g}' for name, value in base.known.items())}.")
    return tuple(facts)


def value_text(value: float | None, std: float | None) -> str:
    """value ± std with two digits of the standard deviation; a dash where the data determine neither."""
    if value is None or std is None:
        return "–"
    if std < _SMALLEST_DECIMAL and 0.0 < abs(value) < _SMALLEST_VALUE:
        digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(std)) if std > 0.0 else 9
        return f"{value:.{min(max(digits, 1), 15)}e} ± {std:.0e}"
    if std < _SMALLEST_DECIMAL:
        return f"{value:.9f} ± {std:.0e}"
    decimals = max(0, 1 - math.floor(math.log10(std)))
    return f"{value:.{decimals}f} ± {std:.{decimals}f}"


def std_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"


def percent_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if value >= 0.1 else f"{value:.1g}"
