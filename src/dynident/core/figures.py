"""Figures as plain data, for a page that draws them in its own theme and, on demand, as Plotly's objects."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array

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
#: Of a picture made of several: a usual width, and what titles and labels take of a cell [pixels].
_WIDTH, _LEFT, _RIGHT, _ABOVE, _BELOW = 1100, 70, 20, 40, 50
#: What its title and legend take above, and what the title of a single figure takes [pixels].
_HEADING, _TITLE = 90, 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """A Plotly figure as plain data. Colours are names with an @, which a page replaces by those of its theme.

    small : on a page, figures that follow each other are set side by side.
    beside : how many stand beside each other in one picture; 0 for two of small ones, else one.
    """

    label: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    height: int = 320
    caption: str = ""
    small: bool = False
    beside: int = 0
    kind: str = "figure"

    @property
    def columns(self) -> int:
        return self.beside or (2 if self.small else 1)


def numbers(values: ArrayLike) -> list[float | None]:
    """Numbers with as many digits as a picture shows; what is not finite is a gap."""
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float).ravel()]


def join_clocks(time: Array, starts: Iterable[int], pause: float = 0.0) -> Array:
    """(N,) time for an axis: pieces follow each other, whatever their own clocks say. starts : of the second piece and those after it."""
    joined = time - time[0]
    for start in starts:
        joined[start:] += joined[start - 1] - joined[start] + pause
    return joined


def plain(text: str) -> str:
    """Text for a figure, where Plotly would otherwise understand some HTML."""
    return html.escape(text, quote=False)


def line(x: Sequence[float | None], y: Sequence[float | None], name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A curve. `meta` and other attributes of Plotly's scatter as keywords; `line` is merged into the colour."""
    style = {"color": colour, "width": 1.6, **more.pop("line", {})}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": plain(name), "line": style, **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6}, **more}


def draw(figures: Sequence[Figure], *, title: str = "") -> PlotlyFigure:
    """One figure of Plotly's in light colours: small ones side by side, the others below each other."""
    import plotly.graph_objects as go  # slow to import, so only here

    first = figures[0]
    heading = {"title": {"text": plain(title or first.label), "x": 0.01, "xanchor": "left", "y": 1.0, "yanchor": "top", "pad": {"t": 12}}}
    margin = {**first.layout.get("margin", {})}
    margin["t"] = max(margin.get("t", _TITLE), _TITLE)  # a page has the title beside the figure
    alone = {"data": first.data, "layout": {"height": first.height, **first.layout, **heading, "margin": margin}}
    whole = _colour(alone if len(figures) == 1 else _mosaic(figures, heading))
    return go.Figure(data=whole["data"], layout={"template": "plotly_white", **whole["layout"]})


def _colour(value: Any) -> Any:
    if isinstance(value, str):
        return COLOURS[value[1:]] if value.startswith("@") else value
    if isinstance(value, list):
        return [_colour(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _colour(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _mosaic(figures: Sequence[Figure], heading: dict[str, Any]) -> dict[str, Any]:
    """Several figures as one: every axis gets its own number and its share of the sheet; a title becomes a text above its cell."""
    rows = _rows(figures)
    total = sum(max(figure.height for figure in row) for row in rows)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {**heading, "height": total + _HEADING, "annotations": [], "shapes": []}
    layout["margin"] = {"l": 0, "r": 0, "b": 0, "t": _HEADING}
    layout["legend"] = {"orientation": "h", "x": 0.0, "y": 1.0, "yanchor": "bottom"}
    count, top = 0, 1.0
    for row in rows:
        height = max(figure.height for figure in row) / total
        for k, figure in enumerate(row):
            count += 1
            width = 1.0 / figure.columns
            x = (k * width + _LEFT / _WIDTH, (k + 1) * width - _RIGHT / _WIDTH)
            y = (top - height + _BELOW / total, top - _ABOVE / total)
            text = figure.layout.get("title", {"text": plain(figure.label)})["text"]
            place = {"x": x[0], "y": y[1], "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
            layout["annotations"].append({**place, "text": text, "showarrow": False, "font": {"size": 14}})
            layout |= _place_axes(figure, count, x, y)
            layout["shapes"] += [_place_shape(shape, count) for shape in figure.layout.get("shapes", ())]
            data += [_place_trace(trace, count) for trace in figure.data]
        top -= height
    return {"data": _merge_legends(data), "layout": layout}


def _rows(figures: Sequence[Figure]) -> list[list[Figure]]:
    rows: list[list[Figure]] = []
    for figure in figures:
        if rows and rows[-1][0].columns == figure.columns > len(rows[-1]):
            rows[-1].append(figure)
        else:
            rows.append([figure])
    return rows


def _axis(name: str, figure: int) -> str:
    """The axis "x", "y" or "y2" of the k-th figure among those of all: its first has number 2 k - 1, its second 2 k."""
    number = 2 * figure if name.endswith("2") else 2 * figure - 1
    return name[0] + ("" if number == 1 else str(number))


def _place_axes(figure: Figure, number: int, x: tuple[float, float], y: tuple[float, float]) -> dict[str, Any]:
    """A figure's axes on the part of the sheet between x and y, and what else of its layout holds for the whole."""
    layout: dict[str, Any] = {}
    for key, value in figure.layout.items():
        if key in ("xaxis", "yaxis", "yaxis2"):
            low, high = x if key[0] == "x" else y
            start, stop = value.get("domain", (0.0, 1.0))
            name = _axis(key.replace("axis", ""), number)
            layout[f"{name[0]}axis{name[1:]}"] = {
                **value,
                "domain": [low + start * (high - low), low + stop * (high - low)],
                "anchor": _axis(value.get("anchor", "y" if key[0] == "x" else "x"), number),
            }
        elif key == "scene":
            layout["scene" if number == 1 else f"scene{number}"] = {**value, "domain": {"x": list(x), "y": list(y)}}
        elif key == "barmode":
            layout[key] = value
    return layout


def _place_shape(shape: dict[str, Any], number: int) -> dict[str, Any]:
    """A shape with the axes of its figure; "paper", which is what x is unless it says otherwise, is all of the figure's width or height."""
    given = {"xref": shape.get("xref", "paper"), "yref": shape.get("yref", "y")}
    names = {key: _axis(key[0], number) for key in given}
    return {**shape, **{key: f"{names[key]} domain" if ref == "paper" else names[key] for key, ref in given.items()}}


def _place_trace(trace: dict[str, Any], number: int) -> dict[str, Any]:
    if trace["type"] in ("scatter3d", "mesh3d"):
        return {**trace, "scene": "scene" if number == 1 else f"scene{number}"}
    return {**trace, **{key: _axis(trace.get(key, key[0]), number) for key in ("xaxis", "yaxis")}}


def _merge_legends(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per kind of curve, which shows and hides all of that kind; none for curves that are alone in theirs."""
    kinds = [trace.get("meta", trace.get("name", "")) for trace in data]
    return [
        {**trace, "legendgroup": kind, "showlegend": kinds.count(kind) > 1 and kinds.index(kind) == k}
        for k, (trace, kind) in enumerate(zip(data, kinds, strict=True))
    ]
