"""Figures as plain data, for a page that draws them in its own theme and, on demand, as Plotly's objects."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from markupsafe import Markup
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
#: What figures draw over an axis.
Values: TypeAlias = ArrayLike | Sequence[str] | Sequence[float | None]
_DIGITS = 5
#: Of a picture made of several: a usual width, and what titles and labels take of a cell [pixels].
_WIDTH, _LEFT, _RIGHT, _ABOVE, _BELOW = 1100, 70, 20, 40, 50
#: What its title and legend take above, and what the title of a single figure takes [pixels].
_HEADING, _TITLE = 90, 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """A Plotly figure as plain data. Colours are names with an @, which a page replaces by those of its theme.

    beside : how many such figures, where several follow each other, stand side by side.
    """

    label: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    height: int = 320
    caption: str = ""
    beside: int = 1


def numbers(values: Values) -> list[float | None]:
    """Numbers with as many digits as a picture shows; what is not finite is a gap."""
    return [
        float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
        for value in np.asarray(cast("ArrayLike", values), dtype=float).ravel()
    ]


def join_clocks(time: Array, starts: Iterable[int], pause: float = 0.0) -> Array:
    """(N,) time for an axis: pieces follow each other, whatever their own clocks say. starts : of the second piece and those after it."""
    joined = time - time[0]
    for start in starts:
        joined[start:] += joined[start - 1] - joined[start] + pause
    return joined


def thin(count: int, most: int) -> slice:
    """Every so many of the samples, so that at most these are left: more make a picture heavy and show nothing new."""
    return slice(None, None, max(1, -(-count // most)))


def _plain_values(values: Values) -> list[Any]:
    """Numbers for a figure, or texts."""
    items = cast("Sequence[Any]", values)
    return [plain(text) for text in items] if len(items) and isinstance(items[0], str) else numbers(values)


def plain(text: str) -> str:
    """Text for a figure, where Plotly would otherwise understand some HTML; what is marked as HTML stays so."""
    return text if isinstance(text, Markup) else html.escape(text, quote=False)


def line(x: Values, y: Values, name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A curve. `meta` and other attributes of Plotly's scatter as keywords; `line` is merged into the colour."""
    style = {"color": colour, "width": 1.6, **more.pop("line", {})}
    return _trace("scatter", x, y, name, mode="lines", line=style) | more


def points(x: Values, y: Values, name: str, colour: str, **more: Any) -> dict[str, Any]:
    """Markers. Other attributes of Plotly's scatter as keywords; `marker` is merged into the colour."""
    marker = {"color": colour, **more.pop("marker", {})}
    return _trace("scatter", x, y, name, mode="markers", marker=marker) | more


def bars(x: Values, y: Values, name: str, colour: str | list[str], **more: Any) -> dict[str, Any]:
    """Bars. Other attributes of Plotly's bar as keywords."""
    return _trace("bar", x, y, name, marker={"color": colour}) | more


def _trace(kind: str, x: Values, y: Values, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "x": _plain_values(x), "y": _plain_values(y), "name": plain(name), **more}


def band(x: Values, low: Array, high: Array, name: str = "", **more: Any) -> list[dict[str, Any]]:
    """Two invisible lines with the area between them."""
    lower, upper = (line(x, edge, name, "@band", line={"width": 0}, **more) for edge in (low, high))
    return [lower, {**upper, "fill": "tonexty", "fillcolor": "@band"}]


def level(value: float, colour: str, **style: Any) -> dict[str, Any]:
    """A shape: a line across the figure. style : of Plotly's line."""
    return {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": value, "y1": value, "line": {"color": colour, "width": 1, **style}}


def stripe(start: float, stop: float, colour: str, **more: Any) -> dict[str, Any]:
    """A shape: a part of the x axis over the whole height."""
    ends = {"x0": start, "x1": stop, "y0": 0, "y1": 1}
    return {"type": "rect", "xref": "x", "yref": "y domain", **ends, "fillcolor": colour, "line": {"width": 0}, **more}


def interval(half: Values, **more: Any) -> dict[str, Any]:
    """The half length of an error bar of each point."""
    return {"type": "data", "array": numbers(half), **more}


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6}, **more}


def categories(names: Iterable[str], **more: Any) -> dict[str, Any]:
    """An axis of names in this order."""
    return {"type": "category", "categoryorder": "array", "categoryarray": [plain(name) for name in names], **more}


def figure(
    label: str,
    data: list[dict[str, Any]],
    x: str | dict[str, Any],
    y: str | dict[str, Any],
    *,
    title: str = "",
    height: int = 320,
    caption: str = "",
    beside: int = 1,
    **layout: Any,
) -> Figure:
    """A figure with two axes, which are given by their titles or as Plotly's layout has them; its own title, which may hold names of a
    file, is shown as it is. layout : what else Plotly's layout holds."""
    axes = {"xaxis": axis(x) if isinstance(x, str) else x, "yaxis": axis(y) if isinstance(y, str) else y}
    heading = {"title": {"text": plain(title)}} if title else {}
    return Figure(label=label, data=data, layout={**heading, **axes, **layout}, height=height, caption=caption, beside=beside)


def singular_value_figure(label: str, values: Array, direction: str) -> Figure:
    return figure(label, [bars(range(1, len(values) + 1), values, "", "@predicted")], direction, axis("singular value", type="log"))


def grouped_bars(
    label: str, names: Sequence[str], series: Iterable[tuple[str, Values, str]], y: str | dict[str, Any], **more: Any
) -> Figure:
    """Bars beside each other for every name. series : name, values and colour; more : as of `figure`."""
    data = [bars(names, values, name, colour) for name, values, colour in series]
    layout: dict[str, Any] = {"barmode": "group", **more}
    return figure(label, data, {"type": "category"}, y, **layout)


def draw(figures: Sequence[Figure], *, title: str = "") -> PlotlyFigure:
    """One figure of Plotly's in light colours: side by side as each figure says, else below each other."""
    import plotly.graph_objects as go  # slow to import, so only here

    first = figures[0]
    heading = {"title": {"text": plain(title or first.label), "x": 0.01, "xanchor": "left", "y": 1.0, "yanchor": "top", "pad": {"t": 12}}}
    if len(figures) > 1:
        return _sheet(figures).update_layout(heading, template="plotly_white")
    margin = {**first.layout.get("margin", {})}
    margin["t"] = max(margin.get("t", _TITLE), _TITLE)  # a page has the title beside the figure
    layout = {"template": "plotly_white", "height": first.height, **_colour(first.layout), **heading, "margin": margin}
    return go.Figure(data=_colour(first.data), layout=layout)


def _colour(value: Any) -> Any:
    if isinstance(value, str):
        return COLOURS[value[1:]] if value.startswith("@") else value
    if isinstance(value, list):
        return [_colour(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _colour(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


def _sheet(figures: Sequence[Figure]) -> Any:
    """Several figures on one sheet, each in a cell of its own below its title; a legend above says what curves of one kind are."""
    from plotly.subplots import make_subplots  # pyright: ignore[reportUnknownVariableType]

    rows = _rows(figures)
    columns = math.lcm(*(row[0].beside for row in rows))
    heights = [max(figure.height for figure in row) for row in rows]
    total = sum(heights)
    room = {"l": _LEFT / _WIDTH, "r": _RIGHT / _WIDTH, "t": _ABOVE / total, "b": _BELOW / total}
    specs: list[list[dict[str, Any] | None]] = [[None] * columns for _ in rows]
    places: list[tuple[int, int]] = []
    for i, row in enumerate(rows):
        for k, figure in enumerate(row):
            span = columns // figure.beside
            specs[i][k * span] = {"type": "scene" if "scene" in figure.layout else "xy", "colspan": span, **room}
            places.append((i + 1, k * span + 1))
    titles = [figure.layout.get("title", {"text": plain(figure.label)})["text"] for figure in figures]
    sheet = cast("Any", make_subplots)(
        rows=len(rows), cols=columns, specs=specs, row_heights=heights, horizontal_spacing=0, vertical_spacing=0, subplot_titles=titles
    )
    legend = iter(_legend_groups([trace for figure in figures for trace in figure.data]))
    for number, (figure, (row, column), heading) in enumerate(zip(figures, places, list(sheet.layout.annotations), strict=True), start=1):
        left, below = _place_axes(sheet, figure, row, column, panel=len(figures) + number)
        heading.update(x=left, xanchor="left", font={"size": 14})
        for trace in figure.data:
            place = below if trace.get("yaxis") == "y2" else {}
            sheet.add_trace(_colour({**trace, **next(legend), **place}), **({} if place else {"row": row, "col": column}))
        for shape in figure.layout.get("shapes", ()):
            sheet.add_shape(_colour({"yref": "y", **shape}), row=row, col=column)
        if "barmode" in figure.layout:
            sheet.update_layout(barmode=figure.layout["barmode"])
    return sheet.update_layout(
        height=total + _HEADING,
        margin={"l": 0, "r": 0, "b": 0, "t": _HEADING},
        legend={"orientation": "h", "x": 0.0, "y": 1.0, "yanchor": "bottom"},
    )


def _rows(figures: Sequence[Figure]) -> list[list[Figure]]:
    rows: list[list[Figure]] = []
    for figure in figures:
        if rows and rows[-1][0].beside == figure.beside > len(rows[-1]):
            rows[-1].append(figure)
        else:
            rows.append([figure])
    return rows


def _place_axes(sheet: Any, figure: Figure, row: int, column: int, *, panel: int) -> tuple[float, dict[str, str]]:
    """Give the axes of a cell what the figure says of them. panel : number of the axis of a narrow panel below, where it has one.

    The left edge of the cell is returned, and the axes of the panel.
    """
    layout, cell = _colour(figure.layout), sheet.get_subplot(row, column)
    if "scene" in layout:
        cell.update(layout["scene"])
        return cell.domain.x[0], {}
    x, y = cell.xaxis, cell.yaxis
    low, high = y.domain
    place = {"xaxis": x.plotly_name.replace("axis", ""), "yaxis": f"y{panel}"}
    x.update(layout.get("xaxis", {}) | {"anchor": x.anchor})
    y.update(layout.get("yaxis", {}) | {"domain": (low, high)})
    if "yaxis2" in layout:
        sheet.update_layout({f"yaxis{panel}": layout["yaxis2"] | {"anchor": place["xaxis"]}})
        for axis_, name in ((y, "yaxis"), (sheet.layout[f"yaxis{panel}"], "yaxis2")):
            axis_.domain = [low + share * (high - low) for share in layout[name]["domain"]]
        x.anchor = place["yaxis"]
    return x.domain[0], place


def _legend_groups(data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry per kind of curve, which shows and hides all of that kind; none for curves that are alone in theirs."""
    kinds = [trace.get("meta", trace.get("name", "")) for trace in data]
    return [{"legendgroup": kind, "showlegend": kinds.count(kind) > 1 and kinds.index(kind) == k} for k, kind in enumerate(kinds)]
