"""Validations, cross-validations and the spread of sampled torques: tables, measured and predicted efforts, what is left over, friction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.texts import short_number
from dynident.reports.figures import LINES, Figure, axis, band, figure, grouped_bars, interval, join_clocks, line, points
from dynident.reports.show import show
from dynident.reports.tables import Column, Formatted, Table, rows_of
from dynident.validation.drift import FrictionDrift
from dynident.validation.folds import CrossValidation
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL, RIGID
from dynident.validation.result import Validation
from dynident.validation.series import JointSeries
from dynident.validation.spread import TorqueSpread
from dynident.validation.uncertainty import half_width

#: Trace, label, colour, dash.
_CURVES = (
    (COEFFICIENTS, "predicted by the coefficients", "@predicted", "solid"),
    (COEFFICIENTS + RIGID, "the same without friction", "@rigid", "dot"),
    (LINKS, "predicted by the link parameters", "@links", "dash"),
    (NOMINAL, "predicted by the nominal links", "@nominal", "dashdot"),
)


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
    errors = validation.recommended
    columns = {
        Column("joint"): validation.joints,
        Column("rms", "RMS", ".3g"): errors.rms,
        Column("unit"): [series.unit for series in validation.series],
        Column("mse", "MSE [unit²]", ".3g"): errors.mse,
        Column("relative", "relative [%]", ".3g"): errors.relative_percent,
        Column("ratio", "to best possible", ".1f"): errors.ratio,
        Column("r_squared", "R²", ".4f"): errors.r_squared,
        Column("covered", "within 95 % band [%]", ".1f"): validation.coverage_percent,
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


def validation_figures(validation: Validation) -> tuple[Figure, ...]:
    """One per joint."""
    recommended, series = validation.recommended.model, validation.series
    model = recommended if recommended in series[0].std else COEFFICIENTS  # whose uncertainty is known
    noise = validation.band.noise.get(model, np.zeros(len(series))).tolist()
    band = f"95 % band of the {model}, of motion like that of the fit{'' if model in validation.band.noise else ', without noise'}"
    return tuple(_joint_figure(joint, model, level, band) for joint, level in zip(series, noise, strict=True))


def _joint_figure(series: JointSeries, model: str, noise: float, name: str) -> Figure:
    """Measured and predicted effort of a joint, with the 95 % band of a model, and the errors below. noise : [N·m | N]; name : of the
    band."""
    breaks = np.flatnonzero(np.diff(series.segment)) + 1
    clock = join_clocks(series.time, breaks, pause=0.5)  # segments follow each other, each with its own clock
    time = np.insert(clock, breaks, clock[breaks])

    def draw(values: Array, label: str, colour: str, **more: Any) -> dict[str, Any]:
        """With a gap between segments, where a line would suggest a motion."""
        return line(time, np.insert(values, breaks, np.nan), label, colour, **more)

    half, centre = half_width(series, model, noise), series.predicted[model]  # the uncertainty of the parameters and the noise together
    low, high = (np.insert(centre + side * half, breaks, np.nan) for side in (-1.0, 1.0))
    data = [*band(time, low, high, name, meta="band", hoverinfo="skip"), draw(series.measured, "measured", "@measured", meta="measured")]
    for trace, label, colour, dash in _CURVES:
        if trace in series.predicted:
            shown = trace in (model, COEFFICIENTS, COEFFICIENTS + RIGID)  # before the reader asks for more
            more: dict[str, Any] = {"meta": trace, "visible": True if shown else "legendonly"}
            data.append(draw(series.predicted[trace], label, colour, line={"dash": dash}, **more))
            error = f"error, {label}"
            data.append(draw(series.error(trace), error, colour, line={"dash": dash, "width": 1.0}, yaxis="y2", **more))
    x, what = axis("time [s]", anchor="y2"), "force" if series.prismatic else "torque"
    y, below = axis(f"{what} [{series.unit}]", domain=[0.36, 1.0]), axis("error", domain=[0.0, 0.28], nticks=4)
    label = f"Measured and predicted effort of {series.joint}"
    rest: dict[str, Any] = {"yaxis2": below, "showlegend": False, "hovermode": "x"}
    return figure(label, data, x, y, title=series.joint, height=330, beside=2, **rest)


def spectrum_figure(validation: Validation) -> Figure:
    """Amplitude densities of the prediction errors of all joints."""
    data = [
        line(spectrum.frequency[1:], spectrum.error[1:], series.joint, LINES[j % len(LINES)])
        for j, (series, spectrum) in enumerate(zip(validation.series, validation.spectra, strict=True))
        if len(spectrum.frequency) > 1
    ]
    unit = " or ".join(dict.fromkeys(f"{series.unit}/√Hz" for series in validation.series))
    caption = (
        "Amplitude density of what the recommended model leaves over, by Welch's method. A flat line is noise; a peak is something that "
        "the model leaves out, such as a vibration, or friction that depends on the position."
    )
    y = axis(f"error [{unit}]", type="log", exponentformat="power", dtick=1)
    return figure("Spectrum of the prediction errors", data, "frequency [Hz]", y, caption=caption)


def fold_figure(folds: CrossValidation) -> Figure:
    """Bars of relative errors, a group per joint."""
    parts = enumerate(zip(folds.parts, folds.relative_percent_per_joint, strict=True))
    series = ((part, errors, LINES[k % len(LINES)]) for k, (part, errors) in parts)
    return grouped_bars("Cross-validation", folds.joints, series, "relative error [%]")


def drift_figures(drift: FrictionDrift) -> Iterator[Figure]:
    """Measured friction over that of the model, against time and, where it was recorded, against temperature."""
    for values, what, unit, mode in ((drift.time, "time", "s", "lines+markers"), (drift.temperature, "temperature", "°C", "markers")):
        if values is not None:
            data = [points(values, 100.0 * drift.share, "friction", "@cloud", error_y=interval(100.0 * drift.std), mode=mode)]
            label, x, y = f"Friction of {drift.joint} against {what}", f"{what} [{unit}]", "friction, of the model's [%]"
            yield figure(label, data, x, y, title=drift.joint, height=250, beside=2, showlegend=False)


def spread_figure(spread: TorqueSpread) -> Figure:
    """Per joint the spread beside the error of the links, as shares of the RMS torque."""
    series = [("spread of the samples", spread.percent, "@cloud")]
    if spread.error is not None:
        series.append(("error of the links", 100.0 * spread.error / spread.effort, "@links"))
    return grouped_bars("Spread of the torques", spread.joints, series, axis("share of the RMS torque [%]", rangemode="tozero"), height=300)


def friction_cloud(series: JointSeries) -> tuple[Array, Array]:
    """Velocities and, there, the measured effort minus what the links of the coefficients explain."""
    key = COEFFICIENTS + RIGID if COEFFICIENTS + RIGID in series.predicted else COEFFICIENTS
    return series.velocity, series.error(key)


show(
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
show(
    CrossValidation,
    headline=lambda folds: f"{folds.folds} parts, {folds.percent_text} relative error",
    tables=lambda folds: [fold_table(folds)],
    facts=lambda folds: [folds.sentence],
    records=_fold_records,
    figures=lambda folds: [fold_figure(folds)],
)
