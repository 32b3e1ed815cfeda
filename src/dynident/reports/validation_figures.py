"""Pictures of a validation: measured and predicted efforts, what is left over, its spectrum, and friction's cloud."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.reports.figures import LINES, Figure, axis, band, figure, grouped_bars, interval, join_clocks, line, points
from dynident.validation.drift import FrictionDrift
from dynident.validation.folds import CrossValidation
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL, RIGID
from dynident.validation.result import Validation
from dynident.validation.series import JointSeries
from dynident.validation.spread import TorqueSpread
from dynident.validation.uncertainty import half_width

#: Trace, label, colour, dash.
CURVES = (
    (COEFFICIENTS, "predicted by the coefficients", "@predicted", "solid"),
    (COEFFICIENTS + RIGID, "the same without friction", "@rigid", "dot"),
    (LINKS, "predicted by the link parameters", "@links", "dash"),
    (NOMINAL, "predicted by the nominal links", "@nominal", "dashdot"),
)


def validation_figures(validation: Validation) -> tuple[Figure, ...]:
    """One per joint."""
    model = band_model(validation)
    noise = validation.band.noise.get(model, np.zeros(len(validation.series)))
    return tuple(joint_figure(series, model, level) for series, level in zip(validation.series, noise.tolist(), strict=True))


def band_model(validation: Validation) -> str:
    """The model whose band is drawn: the recommended one where its uncertainty is known."""
    return validation.recommended.model if validation.recommended.model in validation.series[0].std else COEFFICIENTS


def is_shown(trace: str, model: str) -> bool:
    """Whether a curve is there before the reader asks: the model whose band is drawn, the coefficients, and what friction makes of them."""
    return trace in (model, COEFFICIENTS, COEFFICIENTS + RIGID)


def joint_figure(series: JointSeries, model: str, noise: float) -> Figure:
    """Measured and predicted effort of a joint, with the 95 % band of a model, and the errors below. noise : [N·m | N]."""
    breaks = np.flatnonzero(np.diff(series.segment)) + 1
    clock = join_clocks(series.time, breaks, pause=0.5)  # segments follow each other, each with its own clock
    time = np.insert(clock, breaks, clock[breaks])

    def draw(values: Array, label: str, colour: str, **more: Any) -> dict[str, Any]:
        """With a gap between segments, where a line would suggest a motion."""
        return line(time, np.insert(values, breaks, np.nan), label, colour, **more)

    half, centre = half_width(series, model, noise), series.predicted[model]  # the uncertainty of the parameters and the noise together
    low, high = (np.insert(centre + side * half, breaks, np.nan) for side in (-1.0, 1.0))
    data = [*band(time, low, high, "band", meta="band", hoverinfo="skip"), draw(series.measured, "measured", "@measured", meta="measured")]
    for trace, label, colour, dash in CURVES:
        if trace in series.predicted:
            more: dict[str, Any] = {"meta": trace, "visible": True if is_shown(trace, model) else "legendonly"}
            data.append(draw(series.predicted[trace], label, colour, line={"dash": dash}, **more))
            error = f"error, {label}"
            data.append(draw(series.error(trace), error, colour, line={"dash": dash, "width": 1.0}, yaxis="y2", **more))
    x, what = axis("time [s]", anchor="y2"), "force" if series.prismatic else "torque"
    y, below = axis(f"{what} [{series.unit}]", domain=[0.36, 1.0]), axis("error", domain=[0.0, 0.28], nticks=4)
    label = f"Measured and predicted effort of {series.joint}"
    rest: dict[str, Any] = {"yaxis2": below, "showlegend": False, "hovermode": "x"}
    return figure(label, data, x, y, title=series.joint, height=330, small=True, **rest)


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
            yield figure(label, data, x, y, title=drift.joint, height=250, small=True, showlegend=False)


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
