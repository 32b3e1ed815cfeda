"""Comparisons of runs: tables, all deviations as one sheet, small multiples of the quantities in which runs differ most, and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynident.core.texts import listing, short_number
from dynident.reports.blocks import Block, Listing, Text, notes_listing
from dynident.reports.figures import Figure, axis, categories, figure, interval, level, numbers, plain, points
from dynident.reports.page import FilledSection, Page, fill, render
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, estimated
from dynident.runs.comparison.compare import RunComparison
from dynident.runs.comparison.documents import comparison_records, sentences
from dynident.runs.comparison.quantities import FRICTION, LINKS

#: A terminal shows so many runs and quantities, a page so many; the files have all.
_MOST, _MOST_ON_PAGE = 30, 400
#: Small figures, and runs on the sheet of all deviations; more can't be told apart.
_MOST_FIGURES, _MOST_RUNS = 24, 60
#: Names of runs are written below a small figure up to this many.
_NAMED = 12


def _headline(comparison: RunComparison) -> str:
    beyond = f"{len(comparison.runs_beyond)} runs beyond chance"
    return f"{comparison.robot}, {len(comparison.runs)} runs, {len(comparison.quantities)} quantities, {beyond}"


def _header(comparison: RunComparison) -> list[str]:
    chance = f"chance goes beyond {comparison.limit:.1f} standard deviations once in twenty times"
    return [comparison.headline, f"compared with {comparison.reference}; {chance}"]


def _facts(comparison: RunComparison) -> Iterator[str]:
    hidden = len(comparison.runs) - _MOST
    if hidden > 0:
        yield f"{hidden} more runs are nearer to {comparison.reference}."
    yield from sentences(comparison)[:_MOST]


def _run_table(comparison: RunComparison, most: int) -> Table:
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


def _beyond_table(comparison: RunComparison, most: int) -> Table | None:
    """What is farther from the others than chance goes, the farthest first."""
    rows = [row for row in comparison_records(comparison) if row["beyond_chance"]]
    rows.sort(key=lambda row: -abs(row["deviations"]))
    columns = (
        Column("run"),
        Column("quantity"),
        Column("place", "of"),
        Column("value", form=estimated, of=lambda row: (row["value"], row["std"])),
        Column("centre", "the others", ".4g"),
        Column("difference", "difference [%]", "+.3g", of=_difference_percent),
        Column("deviations", "[std]", "+.1f"),
        Column("unit"),
    )
    return Table("Beyond chance", tuple(rows[:most]), columns) if rows else None


def _difference_percent(row: dict[str, Any]) -> float | None:
    return 100.0 * (row["value"] - row["centre"]) / abs(row["centre"]) if row["centre"] else None


def _quantity_table(comparison: RunComparison, most: int | None = None) -> Table:
    """The quantities, those in which a run is farthest first: middle, spread between runs, precision of an estimate, who is farthest."""
    order = _quantity_order(comparison)[:most]
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


def _quantity_order(comparison: RunComparison) -> list[int]:
    """The quantities, the one with the largest deviation first."""
    return [int(q) for q in np.argsort(-np.nanmax(np.abs(comparison.deviations), axis=0), kind="stable")]


def _deviation_sheet(comparison: RunComparison) -> Figure:
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


def _small_multiples(comparison: RunComparison) -> Iterator[Figure]:
    """A small figure for each quantity in which a run is far from the others: its estimates with their own standard deviations, over the
    middle and the spread between runs."""
    names, few = comparison.names, len(comparison.names) <= _NAMED
    x = categories(names, showticklabels=few, tickfont={"size": 9}, showgrid=False)
    for q in _quantity_order(comparison)[:_MOST_FIGURES]:
        item, values, beyond = comparison.quantities[q], comparison.values[:, q], comparison.beyond[:, q]
        data: list[dict[str, Any]] = []
        for chosen, label, colour in ((~beyond, "within chance", "@predicted"), (beyond, "beyond chance", "@bad")):
            has = np.flatnonzero(chosen & np.isfinite(values))
            errors = interval(comparison.std[has, q], thickness=1, width=0)
            runs = [names[r] for r in has]
            data.append(points(runs, values[has], label, colour, marker={"size": 5}, error_y=errors, showlegend=False))
        centre, spread = float(comparison.centre[q]), float(comparison.spread[q])
        shapes = [level(centre, "@bone")]
        if spread > 0.0:
            ends = {"x0": 0, "x1": 1, "y0": centre - spread, "y1": centre + spread}
            shapes.append({"type": "rect", "xref": "x domain", **ends, "fillcolor": "@band", "line": {"width": 0}, "layer": "below"})
        label, title = f"{item.expression} of all runs", f"{item.name}, {item.place}" if item.place else item.name
        yield figure(label, data, x, item.unit, title=title, height=210 + 30 * few, beside=3, shapes=shapes)


show(
    RunComparison,
    headline=_headline,
    header=_header,
    tables=lambda runs: [_run_table(runs, _MOST), _beyond_table(runs, _MOST), _quantity_table(runs, _MOST)],
    facts=_facts,
    records=comparison_records,
    figures=lambda runs: [_deviation_sheet(runs), *_small_multiples(runs)],
)


def comparison_page(comparison: RunComparison) -> Page:
    """A comparison of runs as one page: who is farthest from the others and in what, at a glance and in small multiples."""
    sections = [fill("runs", "Runs", _run_blocks(comparison)), *_details(comparison)]
    return render(comparison.robot, "comparison of runs", listing(comparison.names, 6), sections)


def fleet_page(
    robot: str, headline: str, comparison: RunComparison | None, tables: Sequence[tuple[str, Table]], facts: Sequence[str] = ()
) -> Page:
    """The page of a fleet: what became of all robots, and their comparison where there is one. tables : with titles of sections."""
    few = Text("There are too few robots to compare.", headline=True)
    first = (few,) if comparison is None else _run_blocks(comparison)
    sections = [
        fill("fleet", "Fleet", (*map(Text, facts), *first)),
        *(fill(f"table-{k}", title, (table,)) for k, (title, table) in enumerate(tables, start=1)),
        *(() if comparison is None else _details(comparison)),
    ]
    return render(robot, "a fleet", headline, sections)


def _details(comparison: RunComparison) -> tuple[FilledSection, ...]:
    dots = f"Each dot is a run, with the standard deviation of its own estimate; the line is {comparison.reference}"
    dots += ", the band what runs usually differ by." if comparison.spread.any() else "."
    return (
        fill("deviations", "All deviations", (_deviation_sheet(comparison),)),
        fill("multiples", "Where they differ", (Text(dots), *_small_multiples(comparison))),
        fill("quantities", "Quantities", (_quantity_table(comparison),)),
    )


def _run_blocks(comparison: RunComparison) -> Iterator[Block | None]:
    out = len(comparison.runs_beyond)
    differ = "No run differs" if out == 0 else f"{out} of {len(comparison.runs)} runs differ"
    yield Text(f"{differ} from {comparison.reference} by more than chance.", headline=True)
    scale = "its own estimate and of the usual spread between these runs" if comparison.spread.any() else "the estimates"
    yield Text(
        f"A deviation is counted in standard deviations of {scale}. By chance alone anything at all goes beyond {comparison.limit:.1f} "
        "in one of twenty comparisons like this one."
    )
    yield _run_table(comparison, _MOST_ON_PAGE)
    if out:
        yield Listing("In words", tuple(sentences(comparison)[:_MOST_ON_PAGE]), "bad")
    yield _beyond_table(comparison, _MOST_ON_PAGE)
    yield notes_listing("Notes", comparison.notes)
