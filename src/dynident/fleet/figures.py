"""Pictures of a comparison: all deviations as one sheet, and small multiples of the quantities in which runs differ most."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.figures import Figure, axis, numbers, plain
from dynident.fleet.comparison import RunComparison
from dynident.fleet.tables import quantity_order

#: Small figures, and runs on the sheet of all deviations; more can't be told apart.
_MOST_FIGURES, _MOST_RUNS = 24, 60
#: Names of runs are written below a small figure up to this many.
_NAMED = 12


def comparison_figures(comparison: RunComparison) -> tuple[Figure, ...]:
    return deviation_sheet(comparison), *small_multiples(comparison)


def deviation_sheet(comparison: RunComparison) -> Figure:
    """Every quantity of every run: the colour is the deviation, white at the middle, full at the limit of chance."""
    order, limit = comparison.order[:_MOST_RUNS], comparison.limit
    rows = [numbers(comparison.deviations[r]) for r in order]
    trace = {
        "type": "heatmap",
        "x": [plain(item.name) for item in comparison.quantities],
        "y": [plain(comparison.names[r]) for r in order],
        "z": rows,
        "zmin": -limit,
        "zmid": 0.0,
        "zmax": limit,
        "colorscale": "RdBu",
        "xgap": 1,
        "ygap": 1,
        "colorbar": {"title": {"text": "std", "side": "right"}, "thickness": 12},
        "hovertemplate": "%{y}: %{x} %{z:+.1f} std<extra></extra>",
    }
    layout = {
        "xaxis": {"type": "category", "tickangle": -60, "tickfont": {"size": 10}, "showgrid": False},
        "yaxis": axis("", type="category", autorange="reversed", automargin=True, showgrid=False),
        "margin": {"b": 80},
    }
    caption = f"Deviation from {comparison.reference} in standard deviations; colours are full at {limit:.1f}, the limit of chance."
    if len(comparison.runs) > len(order):
        caption += f" The {len(order)} farthest of {len(comparison.runs)} runs."
    height = 150 + max(18 * len(order), 60)
    return Figure(label="Deviations of all runs", data=[trace], layout=layout, height=height, caption=caption)


def small_multiples(comparison: RunComparison) -> tuple[Figure, ...]:
    """A small figure for each quantity in which a run is far from the others."""
    return tuple(_strip(comparison, q) for q in quantity_order(comparison)[:_MOST_FIGURES])


def _strip(comparison: RunComparison, q: int) -> Figure:
    """The estimates of one quantity with their own standard deviations, over the middle and the spread between runs."""
    item, names = comparison.quantities[q], [plain(name) for name in comparison.names]
    data: list[dict[str, Any]] = []
    beyond = comparison.beyond[:, q]
    for chosen, label, colour in ((~beyond, "within chance", "@predicted"), (beyond, "beyond chance", "@bad")):
        has = chosen & np.isfinite(comparison.values[:, q])
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [names[r] for r in np.flatnonzero(has)],
                "y": numbers(comparison.values[has, q]),
                "error_y": {"type": "data", "array": numbers(comparison.std[has, q]), "thickness": 1, "width": 0},
                "name": label,
                "marker": {"color": colour, "size": 5},
                "showlegend": False,
            }
        )
    centre, spread = float(comparison.centre[q]), float(comparison.spread[q])
    style = {"color": "@bone", "width": 1}
    shapes: list[dict[str, Any]] = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": centre, "y1": centre, "line": style}]
    if spread > 0.0:
        edges = {"y0": centre - spread, "y1": centre + spread}
        shapes.append(
            {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, **edges, "fillcolor": "@band", "line": {"width": 0}, "layer": "below"}
        )
    few = len(names) <= _NAMED
    layout = {
        "title": {"text": plain(f"{item.name}, {item.place}" if item.place else item.name)},
        "xaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names,
            "showticklabels": few,
            "tickfont": {"size": 9},
            "showgrid": False,
        },
        "yaxis": axis(item.unit),
        "shapes": shapes,
    }
    return Figure(label=f"{item.expression} of all runs", data=data, layout=layout, height=210 + 30 * few, small=True, beside=3)
