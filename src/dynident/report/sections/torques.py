"""Measured and predicted torque of every joint, what is left over, and its spectrum (Figs. 3 and 5 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynident.report.blocks import Block, Figure, Heading, Key, Section, Text, grid
from dynident.report.figures import LINES, axis, line, numbers, plain, time_with_gaps, with_gaps
from dynident.runs.run import Run, Stage
from dynident.validation.metrics import BAND
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL, RIGID
from dynident.validation.result import Validation
from dynident.validation.series import JointSeries
from dynident.validation.tables import fold_tables, joint_table, model_table, worst_table

#: Trace, label, colour, dash, shown at first.
_CURVES = (
    (COEFFICIENTS, "predicted by the coefficients", "@predicted", "solid", True),
    (COEFFICIENTS + RIGID, "the same without friction", "@rigid", "dot", True),
    (LINKS, "predicted by the link parameters", "@links", "dash", False),
    (NOMINAL, "predicted by the nominal links", "@nominal", "dashdot", False),
)


def _blocks(run: Run) -> Iterator[Block]:
    validation = run.validation
    assert validation is not None  # noqa: S101 (the section's stage)
    yield Text(
        "Drag over a figure to zoom, double-click to see all of it again. The narrow panel below each joint is what the prediction leaves "
        "over. Both sides went through the same filter, so no delay or damping is hidden in the comparison."
    )
    yield _key(validation)
    for j, series in enumerate(validation.series):
        yield _joint(series, None if validation.noise is None else float(validation.noise[j]))
    yield Heading("How large the errors are")
    yield grid(joint_table(validation))
    yield grid(model_table(validation))
    yield grid(worst_table(validation, 3))
    for table in fold_tables(validation):
        yield grid(table)
    yield Heading("Spectrum of what is left over")
    yield _spectra(validation)


SECTION = Section(key="torques", title="Measured and predicted torques", stage=Stage.VALIDATION, blocks=_blocks)


def _key(validation: Validation) -> Key:
    entries = [("measured", "measured", "measured", True)]
    entries += [(trace, label, colour[1:], shown) for trace, label, colour, _, shown in _CURVES if trace in validation.series[0].predicted]
    entries.append(("band", "95 % band" if validation.noise is not None else "95 % band of the coefficients", "band", True))
    return Key(entries=tuple(entries))


def _joint(series: JointSeries, noise: float | None) -> Figure:
    time = time_with_gaps(series)
    data = [*_band(series, noise, time), line(time, with_gaps(series, series.measured), "measured", "@measured", meta="measured")]
    for trace, label, colour, dash, shown in _CURVES:
        if trace not in series.predicted:
            continue
        more: dict[str, Any] = {"meta": trace, "visible": True if shown else "legendonly", "line": {"dash": dash}}
        data.append(line(time, with_gaps(series, series.predicted[trace]), label, colour, **more))
        more["line"] = {"dash": dash, "width": 1.0}
        data.append(line(time, with_gaps(series, series.error(trace)), f"error, {label}", colour, yaxis="y2", **more))
    layout = {
        "title": {"text": plain(series.joint)},
        "xaxis": axis("time [s]", anchor="y2"),
        "yaxis": axis(f"torque [{series.unit}]" if not series.prismatic else f"force [{series.unit}]", domain=[0.36, 1.0]),
        "yaxis2": axis("error", domain=[0.0, 0.28], nticks=4),
        "showlegend": False,
        "hovermode": "x",
    }
    return Figure(label=f"Measured and predicted effort of {series.joint}", data=data, layout=layout, height=330, small=True)


def _band(series: JointSeries, noise: float | None, time: list[float | None]) -> list[dict[str, Any]]:
    """Two invisible lines with the area between them: the uncertainty of the coefficients and the noise of the fit together."""
    half = BAND * (series.std**2 + (noise or 0.0) ** 2) ** 0.5
    centre = series.predicted[COEFFICIENTS]
    shared: dict[str, Any] = {"meta": "band", "hoverinfo": "skip", "line": {"width": 0}}
    return [
        line(time, with_gaps(series, centre - half), "band", "@band", **shared),
        line(time, with_gaps(series, centre + half), "band", "@band", fill="tonexty", fillcolor="@band", **shared),
    ]


def _spectra(validation: Validation) -> Figure:
    data: list[dict[str, Any]] = []
    for j, (series, found) in enumerate(zip(validation.series, validation.spectra, strict=True)):
        if len(found.frequency) > 1:
            data.append(line(numbers(found.frequency[1:]), numbers(found.error[1:]), series.joint, LINES[j % len(LINES)]))
    unit = "N·m/√Hz" if not any(series.prismatic for series in validation.series) else "N·m/√Hz or N/√Hz"
    layout = {"xaxis": axis("frequency [Hz]"), "yaxis": axis(f"error [{unit}]", type="log", exponentformat="power", dtick=1)}
    caption = (
        "Amplitude density of the errors of the coefficients, by Welch's method. A flat line is noise; a peak is something that the model "
        "leaves out, such as a vibration, or friction that depends on the position."
    )
    return Figure(label="Spectrum of the prediction errors", data=data, layout=layout, caption=caption)
