"""A validation as tables: what the terminal, `print(validation)` and the report show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dynident.core.arrays import Array
from dynident.core.results import Report, Row, Table, short_number
from dynident.validation.folds import CrossValidation
from dynident.validation.result import Validation


def report(validation: Validation) -> Report:
    summary = validation.summary
    tables = [joint_table(validation), model_table(validation), worst_table(validation, 1), *fold_tables(validation.folds)]
    return Report(
        header=(
            f"{summary.robot}: the model of {summary.identified_from} on {summary.source}",
            f"{rows_text(validation)}; {summary.processing}",
        ),
        tables=tuple(tables),
        facts=_facts(validation),
        notes=validation.notes,
    )


def rows_text(validation: Validation) -> str:
    """What was compared: the filter's edges, masks and decimation leave fewer rows than samples."""
    counts = validation.summary.rows
    each = f"{counts[0]}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return f"{validation.summary.samples} samples, of which {each} rows per joint were used ({validation.summary.equations} equations)"


def joint_table(validation: Validation) -> Table:
    """Errors of the recommended model, joint by joint."""
    found = validation.recommended
    covered = validation.coverage_percent
    rows: list[Row] = []
    for j, item in enumerate(validation.series):
        cells = [item.joint, f"{found.rms[j]:.3g}", item.unit, f"{found.mse[j]:.3g}", f"{found.relative_percent[j]:.3g}"]
        cells += [f"{found.ratio[j]:.1f}", _r_squared(found.r_squared[j]), "–" if covered is None else f"{covered[j]:.1f}"]
        rows.append(Row(tuple(cells)))
    headings = ("joint", "RMS", "unit", "MSE [unit²]", "relative [%]", "to best possible", "R²", "within 95 % band [%]")
    return Table(title=f"Errors per joint, {found.model}", headings=headings, rows=tuple(rows), left=frozenset({0, 2}))


def model_table(validation: Validation) -> Table:
    """Relative errors of all models, with and without friction."""
    headings = ["joint"]
    has_friction = any(item.friction for item in validation.models)
    for item in validation.models:
        headings.append(item.model if item.friction or not has_friction else f"{item.model}, no friction")
    columns = [item.relative_percent for item in validation.models]
    rows = _by_joint(validation.joints, columns, [item.overall_percent for item in validation.models])
    rows += (Row(("to best possible", *(f"{item.overall_ratio:.1f}" for item in validation.models))),)
    wide = [item.wide_percent for item in validation.models if item.wide_percent is not None]
    if len(wide) == len(validation.models):
        rows += (Row((f"all, {validation.summary.wide_hz:g} Hz", *(f"{value:.3g}" for value in wide))),)
    return Table(title="Relative error of each model [%]", headings=tuple(headings), rows=rows, left=frozenset({0}))


def worst_table(validation: Validation, most: int) -> Table:
    """The moments with the largest errors, at most so many of a joint."""
    units = {item.joint: item.unit for item in validation.series}
    rows: list[Row] = []
    for name in validation.joints:
        for m in [moment for moment in validation.worst if moment.joint == name][:most]:
            rows.append(Row((name, f"{m.time:.3f}", f"{m.error:+.3g}", f"{m.measured:.3g}", units[name], f"{m.sigmas:.1f}")))
    headings = ("joint", "time [s]", "error", "measured", "unit", "error / RMS")
    return Table(title="Worst moments", headings=headings, rows=tuple(rows), left=frozenset({0, 4}))


def fold_tables(folds: CrossValidation | None) -> list[Table]:
    """The cross-validation's, where there was one."""
    if folds is None:
        return []
    rows = _by_joint(folds.joints, list(folds.relative_percent_per_joint), folds.relative_percent.tolist())
    return [Table(title="Cross-validation: relative error [%]", headings=("joint", *folds.parts), rows=rows, left=frozenset({0}))]


def cross_validation_report(folds: CrossValidation) -> Report:
    return Report(header=(), tables=tuple(fold_tables(folds)), facts=(folds.sentence,), notes=())


def error_records(validation: Validation) -> list[dict[str, Any]]:
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


def fold_records(folds: CrossValidation) -> list[dict[str, Any]]:
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


def _by_joint(joints: Sequence[str], columns: Sequence[Array], overall: Sequence[float]) -> tuple[Row, ...]:
    rows = [Row((name, *(f"{column[j]:.3g}" for column in columns))) for j, name in enumerate(joints)]
    return (*rows, Row(("all", *(f"{value:.3g}" for value in overall))))


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


def _r_squared(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"
