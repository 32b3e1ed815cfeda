"""Validations, cross-validations and the spread of sampled torques as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dynident.core.arrays import Array
from dynident.core.texts import short_number
from dynident.reports import show
from dynident.reports.figures import Figure
from dynident.reports.tables import Column, Formatted, Report, Table
from dynident.reports.validation_figures import fold_figure, validation_figures
from dynident.validation.folds import CrossValidation
from dynident.validation.result import Validation
from dynident.validation.spread import TorqueSpread


@show.headline.register(Validation)
def _(validation: Validation) -> str:
    summary = validation.summary
    return f"{summary.robot} on {summary.source}, {validation.recommended.model}: {validation.percent_text} relative error"


@show.tables.register(Validation)
def _(validation: Validation) -> Report:
    summary = validation.summary
    tables = [joint_table(validation), model_table(validation), worst_table(validation, 1), *fold_tables(validation.folds)]
    return Report(
        header=(
            f"{summary.robot}: the model of {summary.identified_from} on {summary.source}",
            f"{_rows_text(validation)}; {summary.processing}",
        ),
        tables=tuple(tables),
        facts=_facts(validation),
        notes=validation.notes,
    )


@show.records.register(Validation)
def _(validation: Validation) -> list[dict[str, Any]]:
    """One row per joint and model: RMS, relative error and R², with and without friction."""
    return [
        {
            "joint": series.joint,
            "model": item.model,
            "friction": item.friction,
            "rms": float(item.rms[j]),
            "mse": float(item.mse[j]),
            "unit": series.unit,
            "relative_percent": float(item.relative_percent[j]),
            "r_squared": float(item.r_squared[j]),
            "ratio": float(item.ratio[j]),
        }
        for item in validation.models
        for j, series in enumerate(validation.series)
    ]


show.figures.register(Validation, validation_figures)


def _rows_text(validation: Validation) -> str:
    """What was compared: the filter's edges, masks and decimation leave fewer rows than samples."""
    counts = validation.summary.rows
    each = f"{counts[0]}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{validation.summary.samples} samples, of which {each} rows per joint were used ({validation.summary.equations} equations)"


def joint_table(validation: Validation) -> Table:
    """Errors of the recommended model, joint by joint."""
    errors, covered = validation.recommended, validation.coverage_percent
    columns = {
        Column("joint"): validation.joints,
        Column("rms", "RMS", ".3g"): errors.rms,
        Column("unit"): [series.unit for series in validation.series],
        Column("mse", "MSE [unit²]", ".3g"): errors.mse,
        Column("relative", "relative [%]", ".3g"): errors.relative_percent,
        Column("ratio", "to best possible", ".1f"): errors.ratio,
        Column("r_squared", "R²", ".4f"): errors.r_squared,
        Column("covered", "within 95 % band [%]", ".1f"): [None] * len(validation.joints) if covered is None else covered,
    }
    return Table.of_columns(f"Errors per joint, {errors.model}", columns)


def model_table(validation: Validation) -> Table:
    """Relative errors of all models, with and without friction."""
    models = validation.models
    has_friction = any(item.friction for item in models)
    headings = [item.model if item.friction or not has_friction else f"{item.model}, no friction" for item in models]
    more: dict[str, list[Any]] = {"to best possible": [Formatted(float(item.overall_ratio), ".1f") for item in models]}
    wide = [item.wide_percent for item in models if item.wide_percent is not None]
    if len(wide) == len(models):
        more[f"all, {validation.summary.wide_hz:g} Hz"] = wide
    errors, overall = [item.relative_percent for item in models], [item.overall_percent for item in models]
    return _by_joint("Relative error of each model [%]", validation.joints, headings, errors, overall, more)


def worst_table(validation: Validation, most: int) -> Table:
    """The moments with the largest errors, at most so many of a joint."""
    units = {item.joint: item.unit for item in validation.series}
    moments = tuple(moment for name in validation.joints for moment in [item for item in validation.worst if item.joint == name][:most])
    columns = (
        Column("joint", left=True),
        Column("time", "time [s]", ".3f"),
        Column("error", form="+.3g"),
        Column("measured", form=".3g"),
        Column("unit", of=lambda moment: units[moment.joint], left=True),
        Column("sigmas", "error / RMS", ".1f"),
    )
    return Table("Worst moments", moments, columns)


def fold_tables(folds: CrossValidation | None) -> list[Table]:
    """The cross-validation's, where there was one."""
    if folds is None:
        return []
    errors, overall = list(folds.relative_percent_per_joint), folds.relative_percent.tolist()
    return [_by_joint("Cross-validation: relative error [%]", folds.joints, folds.parts, errors, overall, {})]


def _by_joint(
    title: str,
    joints: Sequence[str],
    headings: Sequence[str],
    columns: Sequence[Array],
    overall: Sequence[float],
    more: dict[str, list[Any]],
) -> Table:
    """A row per joint and one for all of them, then more by name; a column per model or part."""
    rows = {name: [float(values[j]) for values in columns] for j, name in enumerate(joints)} | {"all": [*overall]} | more
    shown = (Column(heading, heading, ".3g", of=lambda row, k=k: row["values"][k]) for k, heading in enumerate(headings))
    return Table(title, tuple({"joint": name, "values": values} for name, values in rows.items()), (Column("joint"), *shown))


def _facts(validation: Validation) -> tuple[str, ...]:
    summary = validation.summary
    fitted = f"{summary.identified_percent:.3g} % of its own data are unexplained by the fit"
    if summary.cross_validated is not None:
        mean, spread = summary.cross_validated
        fitted += f", {short_number(mean)} ± {short_number(spread)} % where parts of them are predicted by a fit to the others"
    facts = [validation.advice, f"It predicts {validation.judgement}: {_to_best(validation)}.", f"{fitted}."]
    if validation.folds is not None:
        facts.append(validation.folds.sentence)
    return tuple(facts)


def _to_best(validation: Validation) -> str:
    found = validation.recommended
    times = f"{short_number(found.overall_ratio)} times what the best model in hindsight leaves"
    return f"{times}, ± is the spread of {len(found.block_percent)} blocks" if len(found.block_percent) else times


@show.headline.register(CrossValidation)
def _(folds: CrossValidation) -> str:
    return f"{folds.folds} parts, {folds.percent_text} relative error"


@show.tables.register(CrossValidation)
def _(folds: CrossValidation) -> Report:
    return Report(tables=tuple(fold_tables(folds)), facts=(folds.sentence,))


@show.records.register(CrossValidation)
def _(folds: CrossValidation) -> list[dict[str, Any]]:
    """One row per part and joint: relative error and RMS."""
    return [
        {
            "part": part,
            "joint": joint,
            "relative_percent": float(folds.relative_percent_per_joint[k, j]),
            "rms": float(folds.rms_per_joint[k, j]),
        }
        for k, part in enumerate(folds.parts)
        for j, joint in enumerate(folds.joints)
    ]


@show.figures.register(CrossValidation)
def _(folds: CrossValidation) -> tuple[Figure, ...]:
    """The error of each joint on each part."""
    return (fold_figure(folds),)


def torque_table(spread: TorqueSpread) -> Table:
    """Per joint how far the torques of the samples are apart."""
    share = 100.0 / spread.effort
    columns = {
        Column("joint"): spread.joints,
        Column("unit"): spread.units,
        Column("effort", "RMS torque", ".3g"): spread.effort,
        Column("rms", "spread", ".3g"): spread.rms,
        Column("percent", "spread [%]", ".3g"): spread.percent,
        Column("largest", "farthest sample [%]", ".3g"): share * spread.largest,
    }
    if spread.error is not None:
        columns[Column("error", "error of the links [%]", ".3g")] = share * spread.error
    return Table.of_columns("Torques of the samples", columns)
