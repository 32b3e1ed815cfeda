"""Comparisons of runs: tables, all deviations as one sheet, and small multiples of the quantities in which runs differ most."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.comparison.compare import RunComparison
from dynident.comparison.documents import comparison_records, sentences
from dynident.comparison.quantities import FRICTION, LINKS
from dynident.core.texts import short_number
from dynident.reports import show
from dynident.reports.figures import Figure, axis, figure, numbers, plain, points
from dynident.reports.tables import Column, Report, Table, estimated

#: A terminal shows so many runs and quantities; the page and the files have all.
_MOST = 30
#: Small figures, and runs on the sheet of all deviations; more can't be told apart.
_MOST_FIGURES, _MOST_RUNS = 24, 60
#: Names of runs are written below a small figure up to this many.
_NAMED = 12


@show.headline.register(RunComparison)
def _(comparison: RunComparison) -> str:
    beyond = f"{len(comparison.runs_beyond)} runs beyond chance"
    return f"{comparison.robot}, {len(comparison.runs)} runs, {len(comparison.quantities)} quantities, {beyond}"


@show.tables.register(RunComparison)
def _(comparison: RunComparison) -> Report:
    """The farthest runs, what is beyond chance, and the quantities in which runs differ most."""
    hidden = len(comparison.runs) - _MOST
    rest = (f"{hidden} more runs are nearer to {comparison.reference}.",) if hidden > 0 else ()
    beyond = beyond_table(comparison, _MOST)
    return Report(
        header=(
            comparison.headline,
            f"compared with {comparison.reference}; chance goes beyond {comparison.limit:.1f} standard deviations once in twenty times",
        ),
        tables=(run_table(comparison, _MOST), *((beyond,) if beyond.rows else ()), quantity_table(comparison, _MOST)),
        facts=(*rest, *sentences(comparison)[:_MOST]),
        notes=comparison.notes,
    )


show.records.register(RunComparison, comparison_records)


def run_table(comparison: RunComparison, most: int | None = None) -> Table:
    """The runs, the farthest first: in what, how far in links and friction, and how well each model predicts."""
    order = comparison.order[:most]
    runs, farthest = [comparison.runs[r] for r in order], [_farthest(comparison, r) for r in order]
    columns = {
        Column("run"): [run.name for run in runs],
        Column("farthest", left=True): [None if q is None else comparison.quantities[q].name for q in farthest],
        Column("deviations", "[std]", "+.1f"): [
            None if q is None else float(comparison.deviations[r, q]) for r, q in zip(order, farthest, strict=True)
        ],
        Column("beyond", "beyond chance"): [int(comparison.beyond[r].sum()) for r in order],
        Column("links", "links [std]", "+.1f"): [_largest(comparison, r, LINKS) for r in order],
        Column("friction", "friction [std]", "+.1f"): [_largest(comparison, r, FRICTION) for r in order],
        Column("fit", "fit [%]", short_number): [run.training_percent for run in runs],
        Column("validation", "validation [%]", short_number): [run.validation_percent for run in runs],
        Column("mass", "mass [kg]", ".3f"): [run.total_mass for run in runs],
    }
    return Table.of_columns("Runs, the farthest first", columns, dimmed=lambda row: row["beyond"] == 0, numbered="")


def beyond_table(comparison: RunComparison, most: int | None = None) -> Table:
    """What is farther from the others than chance goes, the farthest first."""
    r, q = np.nonzero(comparison.beyond)
    order = np.argsort(-np.abs(comparison.deviations[r, q]), kind="stable")[:most]
    r, q = r[order], q[order]
    items, centre, values = [comparison.quantities[int(k)] for k in q], comparison.centre[q], comparison.values[r, q]
    columns = {
        Column("run"): [comparison.names[int(k)] for k in r],
        Column("quantity"): [item.name for item in items],
        Column("place", "of"): [item.place for item in items],
        Column("value", form=estimated): zip(values.tolist(), comparison.std[r, q].tolist(), strict=True),
        Column("centre", "the others", ".4g"): centre,
        Column("difference", "difference [%]", "+.3g"): 100.0 * (values - centre) / np.where(centre == 0.0, np.nan, np.abs(centre)),
        Column("deviations", "[std]", "+.1f"): comparison.deviations[r, q],
        Column("unit"): [item.unit for item in items],
    }
    return Table.of_columns("Beyond chance", columns)


def quantity_table(comparison: RunComparison, most: int | None = None) -> Table:
    """The quantities, those in which a run is farthest first: middle, spread between runs, precision of an estimate, who is farthest."""
    order = quantity_order(comparison)[:most]
    items, spread, z = [comparison.quantities[q] for q in order], comparison.spread[order], comparison.deviations[:, order]
    farthest = np.nanargmax(np.abs(z), axis=0)
    columns = {
        Column("name", "quantity"): [item.name for item in items],
        Column("expression", "coefficient"): [item.expression for item in items],
        Column("unit"): [item.unit for item in items],
        Column("centre", "middle", ".4g"): comparison.centre[order],
        Column("spread", "between runs ±", ".2g"): np.where(spread == 0.0, np.nan, spread),
        Column("std", "estimate ±", ".2g"): np.nanmedian(comparison.std[:, order], axis=0),
        Column("farthest"): [comparison.names[int(r)] for r in farthest],
        Column("deviations", "[std]", "+.1f"): z[farthest, np.arange(len(order))],
    }
    title = "Quantities, the most different first"
    return Table.of_columns(title, columns, dimmed=lambda row: abs(row["deviations"]) <= comparison.limit)


def _farthest(comparison: RunComparison, r: int) -> int | None:
    """The quantity in which a run is farthest from the others; None of the one that another is compared with, and where there is none."""
    reference, z = len(comparison.runs) == 2 and r == 0, comparison.deviations[r]
    return None if reference or not np.any(np.isfinite(z)) else int(np.nanargmax(np.abs(z)))


def _largest(comparison: RunComparison, r: int, part: str) -> float | None:
    deviations = [float(comparison.deviations[r, q]) for q, item in enumerate(comparison.quantities) if item.part == part]
    known = [value for value in deviations if np.isfinite(value)]
    return max(known, key=abs) if known else None


@show.figures.register(RunComparison)
def comparison_figures(comparison: RunComparison) -> tuple[Figure, ...]:
    return deviation_sheet(comparison), *small_multiples(comparison)


def quantity_order(comparison: RunComparison) -> list[int]:
    """The quantities, the one with the largest deviation first."""
    return [int(q) for q in np.argsort(-np.nanmax(np.abs(comparison.deviations), axis=0), kind="stable")]


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
    x = {"type": "category", "tickangle": -60, "tickfont": {"size": 10}, "showgrid": False}
    y = axis("", type="category", autorange="reversed", automargin=True, showgrid=False)
    caption = f"Deviation from {comparison.reference} in standard deviations; colours are full at {limit:.1f}, the limit of chance."
    if len(comparison.runs) > len(order):
        caption += f" The {len(order)} farthest of {len(comparison.runs)} runs."
    height = 150 + max(18 * len(order), 60)
    return figure("Deviations of all runs", [trace], x, y, height=height, caption=caption, margin={"b": 80})


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
        runs, values = [names[r] for r in np.flatnonzero(has)], numbers(comparison.values[has, q])
        errors = {"type": "data", "array": numbers(comparison.std[has, q]), "thickness": 1, "width": 0}
        data.append(points(runs, values, label, colour, marker={"size": 5}, error_y=errors, showlegend=False))
    centre, spread = float(comparison.centre[q]), float(comparison.spread[q])
    style = {"color": "@bone", "width": 1}
    shapes: list[dict[str, Any]] = [{"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": centre, "y1": centre, "line": style}]
    if spread > 0.0:
        edges = {"y0": centre - spread, "y1": centre + spread}
        shapes.append(
            {"type": "rect", "xref": "x domain", "x0": 0, "x1": 1, **edges, "fillcolor": "@band", "line": {"width": 0}, "layer": "below"}
        )
    few = len(names) <= _NAMED
    order = {"type": "category", "categoryorder": "array", "categoryarray": names}
    x = {**order, "showticklabels": few, "tickfont": {"size": 9}, "showgrid": False}
    label, title = f"{item.expression} of all runs", f"{item.name}, {item.place}" if item.place else item.name
    return figure(label, data, x, item.unit, title=title, height=210 + 30 * few, small=True, beside=3, shapes=shapes)
