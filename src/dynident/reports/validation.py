"""Validations, cross-validations and the spread of sampled torques as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dynident.core.arrays import Array
from dynident.core.texts import short_number
from dynident.reports.show import View, register
from dynident.reports.tables import Column, Formatted, Table, rows_of
from dynident.reports.validation_figures import fold_figure, validation_figures
from dynident.validation.folds import CrossValidation
from dynident.validation.result import Validation
from dynident.validation.spread import TorqueSpread


def _headline(validation: Validation) -> str:
    summary = validation.summary
    return f"{summary.robot} on {summary.source}, {validation.recommended.model}: {validation.percent_text} relative error"


def _header(validation: Validation) -> list[str]:
    """With what was compared: the filter's edges, masks and decimation leave fewer rows than samples."""
    summary = validation.summary
    least, most = min(summary.rows), max(summary.rows)
    each = f"{least}" if least == most else f"{least} to {most}"
    rows = f"{summary.samples} samples, of which {each} rows per joint were used ({summary.equations} equations)"
    return [f"{summary.robot}: the model of {summary.identified_from} on {summary.source}", f"{rows}; {summary.processing}"]


def _records(validation: Validation) -> list[dict[str, Any]]:
    """One row per joint and model: RMS, relative error and R², with and without friction."""
    return [
        row
        for item in validation.models
        for row in rows_of(
            {
                "joint": validation.joints,
                "model": [item.model] * len(validation.joints),
                "friction": [item.friction] * len(validation.joints),
                "rms": item.rms,
                "mse": item.mse,
                "unit": [series.unit for series in validation.series],
                "relative_percent": item.relative_percent,
                "r_squared": item.r_squared,
                "ratio": item.ratio,
            }
        )
    ]


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


def fold_table(folds: CrossValidation) -> Table:
    errors, overall = folds.relative_percent_per_joint, folds.relative_percent.tolist()
    return _by_joint("Cross-validation: relative error [%]", folds.joints, folds.parts, errors, overall, {})


def _by_joint(
    title: str,
    joints: Sequence[str],
    headings: Sequence[str],
    columns: Sequence[Array] | Array,
    overall: Sequence[float],
    more: dict[str, list[Any]],
) -> Table:
    """A row per joint and one for all of them, then more by name; a column per model or part."""
    rows = {name: [float(values[j]) for values in columns] for j, name in enumerate(joints)} | {"all": [*overall]} | more
    shown = (Column(heading, heading, ".3g", of=lambda row, k=k: row["values"][k]) for k, heading in enumerate(headings))
    return Table(title, tuple({"joint": name, "values": values} for name, values in rows.items()), (Column("joint"), *shown))


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


def _facts(validation: Validation) -> Iterator[str]:
    summary, errors = validation.summary, validation.recommended
    yield validation.advice
    times = f"{short_number(errors.overall_ratio)} times what the best model in hindsight leaves"
    blocks = f", ± is the spread of {len(errors.block_percent)} blocks" if len(errors.block_percent) else ""
    yield f"It predicts {validation.judgement}: {times}{blocks}."
    fitted = f"{summary.identified_percent:.3g} % of its own data are unexplained by the fit"
    if summary.cross_validated is not None:
        mean, spread = map(short_number, summary.cross_validated)
        fitted += f", {mean} ± {spread} % where parts of them are predicted by a fit to the others"
    yield f"{fitted}."
    if validation.folds is not None:
        yield validation.folds.sentence


def _fold_records(folds: CrossValidation) -> list[dict[str, Any]]:
    """One row per part and joint: relative error and RMS."""
    return [
        {"part": part, **row}
        for part, errors, rms in zip(folds.parts, folds.relative_percent_per_joint, folds.rms_per_joint, strict=True)
        for row in rows_of({"joint": folds.joints, "relative_percent": errors, "rms": rms})
    ]


register(
    View(
        Validation,
        headline=_headline,
        header=_header,
        tables=lambda validation: [
            joint_table(validation),
            model_table(validation),
            worst_table(validation, 1),
            None if validation.folds is None else fold_table(validation.folds),
        ],
        facts=_facts,
        records=_records,
        figures=validation_figures,
    )
)
register(
    View(
        CrossValidation,
        headline=lambda folds: f"{folds.folds} parts, {folds.percent_text} relative error",
        tables=lambda folds: [fold_table(folds)],
        facts=lambda folds: [folds.sentence],
        records=_fold_records,
        figures=lambda folds: [fold_figure(folds)],
    )
)
