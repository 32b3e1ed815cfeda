"""Base parameters, problems, estimates and refits of friction as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dynident.core.texts import as_sentence, listing, number_form, short_number
from dynident.dynamics.friction.model import FrictionModel
from dynident.regression.coefficients import coefficients, friction, route_name
from dynident.regression.comparison import compare
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.rows import row_units
from dynident.regression.equations.symbolic import dh_lengths
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.friction.choice import FrictionChoice
from dynident.regression.friction.refit import FrictionRefit
from dynident.regression.problem import Problem
from dynident.regression.vendor_model import CoefficientVerdict, VendorModelTest
from dynident.reports.regression_figures import base_figure, change_figure, estimate_figures, problem_figure
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, estimated, rows_of
from dynident.robots.robot import Robot

_WORST = 100.0
#: What the equations of an estimate state, in words.
_DATA = {"torque": "a log", "controller": "the controller's M and g", "inertia": "the controller's M", "gravity": "torques of gravity"}

# --------------------------------------------------------------------------------------------------------------------- estimates


def _estimate_headline(estimate: Estimate) -> str:
    kept = f"{int(estimate.kept.sum())} coefficients kept of {estimate.base.rank}"
    return f"{estimate.base.robot.name}, {kept}, {short_number(estimate.residuals.relative_percent)} % relative error"


def _estimate_header(estimate: Estimate) -> list[str]:
    summary, base = estimate.summary, estimate.base
    samples = f"{summary.samples} samples, {summary.equations} equations"
    controller = None if estimate.problem is None else estimate.problem.controller
    if controller is not None:
        samples += f", and {len(controller.values)} coefficients of the controller's M and g at {controller.samples} configurations"
    weights = f"noise {summary.noise}, loss {summary.loss}"
    both = "" if estimate.vendor_model is None else " and the controller's M and g"
    return [
        f"{base.robot.name}, identified from {_DATA[base.equations]}{both} ({summary.source})",
        f"{route_name(estimate)} route, {samples}; {summary.processing}; {weights}",
    ]


def _estimate_tables(estimate: Estimate) -> Iterator[Table | None]:
    """The coefficients as in the Panda supplement, friction, residuals, and what there is beside them."""
    yield coefficient_table(estimate)
    yield constants_table(estimate.base)
    yield vendor_table(estimate.vendor_model)
    yield friction_table(estimate)
    yield shape_table(estimate)
    yield choice_table(estimate.choice)
    yield residual_table(estimate.residuals, estimate.base)


def coefficient_table(estimate: Estimate, *, states: bool = False) -> Table:
    """The coefficients. states : say of each whether it was kept, as on a page; else only why one was dropped."""
    limit = estimate.summary.drop_above_percent
    sources = (Column("noise_std", "by noise", ".2g"), Column("block_std", "between blocks", ".2g"))
    why = Column("dropped", of=lambda c: "" if c.kept else "undetermined" if c.std is None else f"above {limit:g} %")
    state = Column("state", of=lambda c: "kept" if c.kept else "undetermined" if c.std is None else "dropped", badge=str)
    return Table(
        "Dynamic coefficients",
        coefficients(estimate),
        (
            Column("expression", "coefficient", math=True),
            Column("value", "value ± std", estimated, of=lambda c: (c.value, c.std), math=True),
            Column("relative_std_percent", "std [%]", _percent_text, share=lambda value: min(1.0, (value or _WORST) / _WORST)),
            *(() if estimate.blocks is None else sources),
            Column("unit"),
            state if states else why,
        ),
        dimmed=lambda c: not c.kept,
        numbered="no.",
    )


def _percent_text(value: float) -> str:
    return f"{value:.1f}" if value >= 0.1 else f"{value:.1g}"


def constants_table(base: BaseParameters) -> Table | None:
    """The groupings that contain DH constants, with their names; None where there are none."""
    symbols, constants = base.symbolic_expressions, dh_lengths(base.robot)
    if symbols is None or symbols == base.expressions:
        return None
    pairs = enumerate(zip(base.expressions, symbols, strict=True), start=1)
    rows = tuple({"number": number, "symbol": symbol} for number, (expression, symbol) in pairs if symbol != expression)
    used = {name for row in rows for name in re.findall(r"\b[ad]\d+", str(row["symbol"]))}
    values = ", ".join(f"{name} = {value:.6g}" for name, value in constants.items() if name in used)
    title = f"Coefficients with the DH constants, {values} [m]"
    return Table(title, rows, (Column("number", "no."), Column("symbol", "coefficient")))


def vendor_table(tested: VendorModelTest | None) -> Table | None:
    """One row per coefficient of the controller's model; None where none was tested."""
    if tested is None:
        return None
    return Table(
        "The vendor's model, tested",
        tested.coefficients,
        (
            Column("expression", "coefficient"),
            Column("controller", "from M and g", estimated, of=lambda c: (c.controller, c.controller_std)),
            Column("log", "from the log", estimated, of=lambda c: (c.log, c.log_std)),
            Column("unit"),
            Column("difference", "difference [std]", "+.1f"),
            Column("verdict", of=lambda c: c.verdict.value),
        ),
        dimmed=lambda c: c.verdict is CoefficientVerdict.UNTESTABLE,
        numbered="no.",
    )


def friction_table(estimate: Estimate) -> Table | None:
    """Friction parameters per joint: "grouped" where only known inside another coefficient, "dropped" where zero."""
    base, model = estimate.base, estimate.base.friction
    if model is None:
        return None
    dropped = {int(base.independent[item.index]) for item in estimate.dropped}
    rows: list[dict[str, float | str]] = []
    for j, item in enumerate(friction(estimate)):
        row: dict[str, float | str] = {}
        for place, (name, value) in zip(base.columns.of_joint(j).values(), item.parameters.items(), strict=True):
            row[name] = "grouped" if value is None else "dropped" if place in dropped else value
        rows.append(row)
    return joint_friction_table(model, base.robot, rows)


def joint_friction_table(model: FrictionModel, robot: Robot, rows: Sequence[Mapping[str, float | str]], *, shapes: bool = False) -> Table:
    """Friction of all joints. rows : values by the names of the parameters, and of the shapes where these are shown too; a dash is shown
    where the model of a joint has none of that name."""
    values = [row[name] for row in rows for name in model.parameter_names if name in row]
    form = number_form(4, [value for value in values if not isinstance(value, str)])
    names = [(name, form) for name in model.parameter_names] + [(name, ".4g") for name in (model.shape_names if shapes else ())]
    columns = (
        Column(name, heading, form, left=False, of=lambda row, name=name: row.get(name), badge=_dim_words)
        for (name, form), heading in zip(names, model.headings(robot.joints, shapes=shapes), strict=True)
    )
    joints = tuple({"joint": joint, **row} for joint, row in zip(robot.joint_names, rows, strict=True))
    return Table(f"Friction ({model.name})", joints, (Column("joint"), *columns))


def _dim_words(text: str) -> str:
    return "dim" if text in ("grouped", "dropped", "–") else ""


def shape_table(estimate: Estimate) -> Table | None:
    """The shapes of friction that were fitted, with their standard deviations."""
    if not estimate.shapes:
        return None
    value = Column("value", "value ± std", estimated, of=lambda shape: (shape.value, shape.std))
    return Table("Shapes of friction", estimate.shapes, (Column("joint"), Column("label", "shape"), value, Column("unit")))


def choice_table(choice: FrictionChoice | None) -> Table | None:
    """All friction models that were tried, joint by joint; None where none was chosen."""
    if choice is None:
        return None
    units = " or ".join(dict.fromkeys(trial.unit for trial in choice.trials))
    return Table(
        "Friction models that were tried",
        tuple(choice.records()),
        (
            Column("joint"),
            Column("model", "friction model"),
            Column("numbers"),
            Column("held_out_rms", f"held-out error [{units}]", ".4f"),
            Column(
                "change",
                "mean square against the first [%]",
                lambda pair: "{:+.1f} ± {:.1f}".format(*pair),
                of=lambda row: (row["change_percent"], row["standard_error_percent"]),
            ),
            Column("chance", "by chance", ".2g"),
            Column("chosen", "", of=lambda row: "chosen" if row["chosen"] else row["impossible"]),
        ),
        dimmed=lambda row: not row["chosen"],
    )


def residual_table(residuals: Residuals, base: BaseParameters) -> Table:
    """Relative error and RMS per joint and in all; elements of M of one unit are taken together, and those of g."""
    of_joints, units = base.equations == "torque", row_units(base)
    kinds: dict[tuple[str, str], list[int]] = {}
    for i, name in enumerate(residuals.names):
        kinds.setdefault((name if of_joints else name[0], units[name]), []).append(i)
    parts = (residuals.squares, residuals.totals, residuals.counts)
    squares, totals, counts = (np.array([np.sum(part[members]) for members in kinds.values()]) for part in parts)
    relative = 100.0 * np.sqrt(squares / np.where(totals > 0.0, totals, np.where(squares > 0.0, squares, 1.0)))
    names = [kind if of_joints else f"{kind} ({len(members)} elements)" for (kind, _), members in kinds.items()]
    columns = {
        Column("name", ""): [*names, "all"],
        Column("relative", "relative [%]", ".3g"): [*relative, residuals.relative_percent],
        Column("rms", "RMS", ".3g", missing=""): [*np.sqrt(squares / np.maximum(counts, 1.0)), None],
        Column("unit"): [*(unit for _, unit in kinds), ""],
    }
    return Table.of_columns("Residuals", columns)


def _estimate_facts(estimate: Estimate) -> Iterator[str]:
    summary, base = estimate.summary, estimate.base
    yield as_sentence(estimate.status.value)
    rank = f"Rank {summary.rank} of {base.rank} (tolerance {summary.rank_tolerance:.2g}), {int(estimate.kept.sum())} kept"
    yield f"{rank}; condition number {estimate.condition_number:.2f}."
    yield from (evidence.sentence for evidence in (estimate.vendor_model, estimate.choice) if evidence is not None)
    yield from _base_facts(base)


def _base_facts(base: BaseParameters) -> Iterator[str]:
    """What no data of this kind can tell, and what was declared known."""
    if base.unidentifiable:
        yield f"Without effect on such data, whatever the motion: {listing(base.unidentifiable, 40)}."
    if base.known:
        yield f"Declared known: {', '.join(f'{name} = {value:g}' for name, value in base.known.items())}."


show(
    Estimate,
    headline=_estimate_headline,
    header=_estimate_header,
    tables=_estimate_tables,
    facts=_estimate_facts,
    figures=estimate_figures,
)

# ------------------------------------------------------------------------------------------------- base parameters and problems


def _base_records(base: BaseParameters) -> list[dict[str, Any]]:
    """One row per coefficient: name, expression, the same with the names of DH constants, unit."""
    symbolic = base.symbolic_expressions or [None] * base.rank
    return rows_of({"name": base.names, "expression": base.expressions, "symbolic": symbolic, "unit": base.units})


def _base_header(base: BaseParameters) -> list[str]:
    return [f"{base.headline}, {'without friction' if base.friction is None else f'friction {base.friction.name}'}"]


def _base_table(base: BaseParameters) -> Table:
    """The groupings, as the papers print them."""
    columns = (Column("expression", "coefficient"), Column("unit"))
    return Table("Dynamic coefficients", tuple(_base_records(base)), columns, numbered="no.")


def _equation_table(problem: Problem) -> Table:
    """How many equations there are of each kind, and how large what they explain is."""
    columns = {
        Column("group", ""): [group.name for group in problem.groups],
        Column("equations"): problem.counts,
        Column("coefficients"): [len(group.columns) for group in problem.groups],
        Column("rms", "RMS", ".4g"): [np.linalg.norm(R[:, -1]) for R in problem.factors] / np.sqrt(np.maximum(problem.counts, 1)),
        Column("unit"): [group.unit for group in problem.groups],
    }
    return Table.of_columns("Equations", columns)


def _problem_headline(problem: Problem) -> str:
    equations = f"{int(problem.counts.sum())} equations of {problem.samples} samples"
    return f"{problem.base.robot.name}, {equations} for {problem.base.rank} coefficients"


show(
    BaseParameters,
    headline=lambda base: f"{base.robot.name}, {base.rank} coefficients of {len(base.columns)} parameters, {base.equations} equations",
    header=_base_header,
    tables=lambda base: [_base_table(base), constants_table(base)],
    facts=_base_facts,
    figures=lambda base: [base_figure(base)],
)
show(
    Problem,
    headline=_problem_headline,
    header=lambda problem: [problem.headline, f"{problem.source or 'unnamed data'}; {problem.processing}"],
    tables=lambda problem: [_equation_table(problem)],
    facts=lambda problem: _base_facts(problem.base),
    figures=lambda problem: [problem_figure(problem)],
)

# -------------------------------------------------------------------------------------------------------------- refits, two runs


def _refit_headline(refit: FrictionRefit) -> str:
    changed = f"friction of {len(refit.changed)} of {len(refit.changes)} joints has changed"
    what = f"friction of {len(refit.changes)} joints, compared with none" if refit.uncompared else changed
    return f"{refit.estimate.base.robot.name}, {what}"


def _refit_header(refit: FrictionRefit) -> list[str]:
    estimate = refit.estimate
    return [f"{estimate.base.robot.name}: friction of {estimate.summary.source}, links of {refit.links_source}"]


def change_table(refit: FrictionRefit) -> Table:
    """Joint by joint how much of the friction torque is new; without friction before, what friction explains of the log."""
    joint, unit = Column("joint"), Column("unit")
    errors = (Column("error_before", form=".3g"), Column("error_after", "error now", ".3g"))
    if refit.uncompared:
        return Table("What the friction explains", refit.changes, (joint, *errors, unit))
    columns = (
        Column("rms", "change", ".3g"),
        Column("noise", "by noise", ".2g"),
        Column("percent", "of friction [%]", short_number),
        Column("chance", form=".1g"),
        Column("changed", "more than noise", left=True),
    )
    return Table("What has changed", refit.changes, (joint, *columns, *errors, unit), dimmed=lambda change: not change.changed)


def parameter_table(refit: FrictionRefit) -> Table:
    """Friction parameters of all joints before and now; only now where there is nothing to compare with."""
    items = [item for change in refit.changes for item in change.parameters]
    columns = {
        Column("joint"): [change.joint for change in refit.changes for _ in change.parameters],
        Column("parameter"): [f"{item.name} ({item.symbol})" if item.symbol else item.name for item in items],
        Column("before", form=estimated): [(item.before, item.before_std) for item in items],
        Column("now", form=estimated): [(item.now, item.now_std) for item in items],
        Column("difference", "difference [std]", "+.1f"): [
            (item.now - item.before) / item.difference_std if item.before is not None and item.difference_std else None for item in items
        ],
        Column("unit"): [item.unit for item in items],
    }
    table = Table.of_columns("Friction parameters", columns)
    return table.without("before", "difference") if refit.uncompared else table


def _refit_records(refit: FrictionRefit) -> list[dict[str, Any]]:
    """One row per joint: how much its friction changed, and what the model leaves of the new log with either."""
    names = ("joint", "unit", "rms", "noise", "percent", "deviations", "chance", "changed", "error_before", "error_after")
    return [{name: getattr(change, name) for name in names} for change in refit.changes]


show(
    FrictionRefit,
    headline=_refit_headline,
    header=_refit_header,
    tables=lambda refit: [change_table(refit), parameter_table(refit), choice_table(refit.estimate.choice)],
    facts=lambda refit: [refit.sentence],
    notes=lambda refit: refit.estimate.notes,
    records=_refit_records,
    figures=lambda refit: map(change_figure, refit.changes),
)


def comparison_table(estimate: Estimate, other: Estimate, *, headings: tuple[str, str]) -> Table:
    """The coefficients of both, and their difference in standard deviations. headings : what to call the two."""
    result, mine, theirs = compare(estimate, other), coefficients(estimate), coefficients(other)
    columns = {
        Column("expression", "coefficient"): [item.expression for item in mine],
        Column("mine", headings[0], estimated): [(item.value, item.std) for item in mine],
        Column("theirs", headings[1], estimated): [(item.value, item.std) for item in theirs],
        Column("unit"): [item.unit for item in mine],
        Column("difference", "difference [std]", "+.1f"): np.where(result.both, result.deviations, np.nan),
    }
    return Table.of_columns("Coefficients of both", columns, dimmed=lambda row: row["difference"] is None, numbered="no.")
