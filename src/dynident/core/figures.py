"""Figures as plain data, for a page that draws them in its own theme and, on demand, as Plotly's objects."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

#: Colours by the names that figures use, light theme; curves can be told apart by people who don't see all colours (Okabe and Ito).
COLOURS = {
    "measured": "#1b1f24", "predicted": "#0072b2", "rigid": "#c75300", "links": "#00805c", "nominal": "#a8417f",
    "band": "rgba(0, 114, 178, 0.16)", "cloud": "#c75300", "bone": "#8b95a1", "bad": "#b3261e",
    "data": "#00805c", "constraint": "#0072b2", "prior": "#b9c0c9",
    "line1": "#0072b2", "line2": "#c75300", "line3": "#00805c", "line4": "#a8417f",
    "line5": "#8a6d00", "line6": "#3a9bd1", "line7": "#59626d", "line8": "#7a3cc2",
}  # fmt: skip
LINES = ("@line1", "@line2", "@line3", "@line4", "@line5", "@line6", "@line7", "@line8")
_DIGITS = 5
#: Of a picture made of several: width of all columns, and what titles and labels take of a cell [pixels].
_WIDTH, _LEFT, _RIGHT, _ABOVE, _BELOW = 1100, 70, 20, 40, 50


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """A Plotly figure as plain data. Colours are names with an @, which a page replaces by those of its theme.

    small : figures that follow each other are set side by side.
    """

    label: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    height: int = 320
    caption: str = ""
    small: bool = False
    kind: str = "figure"


def numbers(values: ArrayLike) -> list[float | None]:
    """Numbers with as many digits as a picture shows; what is not finite is a gap."""
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float).ravel()]


def plain(text: str) -> str:
    """Text for a figure, where Plotly would otherwise understand some HTML."""
    return html.escape(text, quote=False)


def line(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A curve. `meta` and other attributes of Plotly's scatter as keywords; `line` is merged into the colour."""
    style = {"color": colour, "width": 1.6, **more.pop("line", {})}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": plain(name), "line": style, **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6}, **more}


def draw(figures: Sequence[Figure]) -> PlotlyFigure:
    """One figure of Plotly's in light colours: small ones side by side, the others below each other."""
    import plotly.graph_objects as go  # a second to import, so only here

    whole = (
        {"data": figures[0].data, "layout": {"height": figures[0].height, **figures[0].layout}} if len(figures) == 1 else _mosaic(figures)
    )
    coloured = _coloured(whole)
    return go.Figure(data=coloured["data"], layout={"template": "plotly_white", **coloured["layout"]})


def _coloured(value: Any) -> Any:
    if isinstance(value, str):
        return COLOURS[value[1:]] if value.startswith("@") else value
    if isinstance(value, list):
        return [_coloured(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _coloured(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _mosaic(figures: Sequence[Figure]) -> dict[str, Any]:
    """Several figures as one: every axis gets its own number and its share of the sheet; a title becomes a text above its cell."""
    rows = _rows(figures)
    total = sum(max(figure.height for figure in row) for row in rows)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"height": total, "width": _WIDTH, "showlegend": False, "annotations": [], "shapes": []}
    layout["margin"] = dict.fromkeys("lrtb", 0)
    count, top = 0, 1.0
    for row in rows:
        height = max(figure.height for figure in row) / total
        for k, figure in enumerate(row):
            count += 1
            width = 1.0 / len(row)
            x = (k * width + _LEFT / _WIDTH, (k + 1) * width - _RIGHT / _WIDTH)
            y = (top - height + _BELOW / total, top - _ABOVE / total)
            title = figure.layout.get("title", {"text": plain(figure.label)})["text"]
            place = {"x": x[0], "y": y[1], "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
            layout["annotations"].append({**place, "text": title, "showarrow": False, "font": {"size": 14}})
            _place(figure, count, x, y, data, layout)
        top -= height
    return {"data": data, "layout": layout}


def _rows(figures: Sequence[Figure]) -> list[list[Figure]]:
    rows: list[list[Figure]] = []
    for figure in figures:
        if figure.small and rows and rows[-1][0].small and len(rows[-1]) < 2:
            rows[-1].append(figure)
        else:
            rows.append([figure])
    return rows


def _place(
    figure: Figure, number: int, x: tuple[float, float], y: tuple[float, float], data: list[dict[str, Any]], layout: dict[str, Any]
) -> None:
    """Add a figure's traces and axes. Axis a of the k-th figure is number 2 k - 1, its second one 2 k."""
    renamed = {"": str(2 * number - 1), "2": str(2 * number)}
    for key, value in figure.layout.items():
        found = re.fullmatch(r"([xy])axis(2?)", key)
        if found:
            low, high = x if found[1] == "x" else y
            start, stop = value.get("domain", (0.0, 1.0))
            moved = {**value, "domain": [low + start * (high - low), low + stop * (high - low)]}
            other = str(value.get("anchor", "y" if found[1] == "x" else "x"))
            moved["anchor"] = other[0] + renamed[other[1:]]
            layout[f"{found[1]}axis{renamed[found[2]]}"] = moved
        elif key == "scene":
            layout[f"scene{number}"] = {**value, "domain": {"x": list(x), "y": list(y)}}
        elif key == "barmode":
            layout[key] = value
    for shape in figure.layout.get("shapes", ()):
        layout["shapes"].append({**shape, "xref": f"x{renamed['']} domain", "yref": f"y{renamed['']}"})
    for trace in figure.data:
        if trace["type"] in ("scatter3d", "mesh3d"):
            data.append({**trace, "scene": f"scene{number}"})
        else:
            axes = {name: name[0] + renamed[str(trace.get(name, name[0]))[1:]] for name in ("xaxis", "yaxis")}
            data.append({**trace, **axes})
