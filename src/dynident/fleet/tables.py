"""A comparison as tables and records: the terminal, the page, JSON and CSV all show these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table, short_number
from dynident.fleet.comparison import RunComparison
from dynident.fleet.quantities import FRICTION, LINKS
from dynident.regression.tables import value_text

SCHEMA = "dynident/comparison/1"
#: A terminal shows so many runs and quantities; the page and the files have all.
_MOST = 30


def comparison_report(comparison: RunComparison) -> Report:
    """The farthest runs, what is beyond chance, and the quantities in which runs differ most."""
    hidden = len(comparison.runs) - _MOST
    rest = (f"{hidden} more runs are nearer to {comparison.reference}.",) if hidden > 0 else ()
    return Report(
        header=(
            comparison.headline,
            f"compared with {comparison.reference}; chance goes beyond {comparison.limit:.1f} standard deviations once in twenty times",
        ),
        tables=(run_table(comparison, _MOST), *_some_beyond(comparison), quantity_table(comparison, _MOST)),
        facts=(*rest, *sentences(comparison)[:_MOST]),
        notes=comparison.notes,
    )


def _some_beyond(comparison: RunComparison) -> tuple[Table, ...]:
    table = beyond_table(comparison, _MOST)
    return (table,) if table.rows else ()


def run_table(comparison: RunComparison, most: int | None = None) -> Table:
    """The runs, the farthest first: in what, how far in links and friction, and how well each model predicts."""
    rows: list[Row] = []
    for place, r in enumerate(comparison.order[:most], start=1):
        run, z = comparison.runs[r], comparison.deviations[r]
        reference = len(comparison.runs) == 2 and r == 0
        q = int(np.nanargmax(np.abs(z))) if np.any(np.isfinite(z)) else None
        cells = ("–", "–") if q is None or reference else (comparison.quantities[q].name, f"{z[q]:+.1f}")
        rows.append(
            Row(
                (
                    str(place),
                    run.name,
                    *cells,
                    str(int(comparison.beyond[r].sum())),
                    *(_largest(comparison, r, part) for part in (LINKS, FRICTION)),
                    short_number(run.training_percent),
                    "–" if run.validation_percent is None else short_number(run.validation_percent),
                    "–" if run.total_mass is None else f"{run.total_mass:.3f}",
                ),
                dimmed=r not in comparison.runs_beyond,
            )
        )
    headings = (
        "", "run", "farthest", "[std]", "beyond chance", "links [std]", "friction [std]", "fit [%]", "validation [%]", "mass [kg]",
    )  # fmt: skip
    return Table(title="Runs, the farthest first", headings=headings, rows=tuple(rows), left=frozenset({1, 2}))


def beyond_table(comparison: RunComparison, most: int | None = None) -> Table:
    """What is farther from the others than chance goes, the farthest first."""
    pairs = [(int(r), int(q)) for r, q in zip(*np.nonzero(comparison.beyond), strict=True)]
    pairs.sort(key=lambda pair: -abs(float(comparison.deviations[pair])))
    rows: list[Row] = []
    for r, q in pairs[:most]:
        item, value, centre = comparison.quantities[q], float(comparison.values[r, q]), float(comparison.centre[q])
        rows.append(
            Row(
                (
                    comparison.names[r],
                    item.name,
                    item.place,
                    value_text(value, float(comparison.std[r, q])),
                    f"{centre:.4g}",
                    _percent(value, centre),
                    f"{comparison.deviations[r, q]:+.1f}",
                    item.unit,
                )
            )
        )
    headings = ("run", "quantity", "of", "value", "the others", "difference [%]", "[std]", "unit")
    return Table(title="Beyond chance", headings=headings, rows=tuple(rows), left=frozenset({0, 1, 2, 7}))


def quantity_table(comparison: RunComparison, most: int | None = None) -> Table:
    """The quantities, those in which a run is farthest first: middle, spread between runs, precision of an estimate, who is farthest."""
    rows: list[Row] = []
    for q in quantity_order(comparison)[:most]:
        item, z = comparison.quantities[q], comparison.deviations[:, q]
        r = int(np.nanargmax(np.abs(z)))
        centre, spread = float(comparison.centre[q]), float(comparison.spread[q])
        rows.append(
            Row(
                (
                    item.name,
                    item.expression,
                    item.unit,
                    f"{centre:.4g}",
                    "–" if spread == 0.0 else f"{spread:.2g}",
                    f"{float(np.nanmedian(comparison.std[:, q])):.2g}",
                    comparison.names[r],
                    f"{z[r]:+.1f}",
                ),
                dimmed=not comparison.beyond[:, q].any(),
            )
        )
    headings = ("quantity", "coefficient", "unit", "middle", "between runs ±", "estimate ±", "farthest", "[std]")
    return Table(title="Quantities, the most different first", headings=headings, rows=tuple(rows), left=frozenset({0, 1, 2, 6}))


def quantity_order(comparison: RunComparison) -> list[int]:
    """The quantities, the one with the largest deviation first."""
    return [int(q) for q in np.argsort(-np.nanmax(np.abs(comparison.deviations), axis=0), kind="stable")]


def sentences(comparison: RunComparison) -> list[str]:
    """A sentence for every run that is beyond chance, the farthest first: what differs, and what that usually means."""
    found = [f"{comparison.names[r]}: {_sentence(comparison, r)}" for r in comparison.runs_beyond]
    return found or [f"No run differs from {comparison.reference} by more than chance."]


def _sentence(comparison: RunComparison, r: int) -> str:
    parts = list(_friction_words(comparison, r))
    links = [comparison.quantities[q] for q in np.flatnonzero(comparison.beyond[r]) if comparison.quantities[q].part == LINKS]
    if links:
        common = [name for name in links[0].links if all(name in item.links for item in links)]
        places = common[-1:] or list(dict.fromkeys(item.place for item in links))
        coefficients = "1 coefficient differs" if len(links) == 1 else f"{len(links)} coefficients differ"
        parts.append(f"{coefficients} in which {', '.join(places)} takes part: another link, or what it carries")
    others = [
        comparison.quantities[q].name
        for q in np.flatnonzero(comparison.beyond[r])
        if comparison.quantities[q].part not in (LINKS, FRICTION)
    ]
    parts += [f"{', '.join(others)} differ"] if others else []
    return "; ".join(parts) + "."


def _friction_words(comparison: RunComparison, r: int) -> Iterator[str]:
    """Joints whose friction is more, and those whose friction is less, each with the share of its farthest parameter."""
    farthest: dict[str, int] = {}
    for q in sorted(np.flatnonzero(comparison.beyond[r]), key=lambda q: -abs(float(comparison.deviations[r, q]))):
        if comparison.quantities[q].part == FRICTION:
            farthest.setdefault(comparison.quantities[q].place, int(q))
    for sign, word, cause in (
        (1.0, "more", "wear, a tight belt, old or cold grease"),
        (-1.0, "less", "a loose belt, fresh or warm grease"),
    ):
        told = [
            f"{place} ({comparison.quantities[q].name} {_percent(float(comparison.values[r, q]), float(comparison.centre[q]))} %)"
            for place, q in farthest.items()
            if sign * comparison.deviations[r, q] * np.sign(comparison.centre[q] or 1.0) > 0.0
        ]
        if told:
            yield f"{word} friction in {', '.join(told)}: {cause}"


def _largest(comparison: RunComparison, r: int, part: str) -> str:
    own = [comparison.deviations[r, q] for q, item in enumerate(comparison.quantities) if item.part == part]
    known = [value for value in own if np.isfinite(value)]
    return f"{max(known, key=abs):+.1f}" if known else "–"


def _percent(value: float, centre: float) -> str:
    return "–" if centre == 0.0 else f"{100.0 * (value - centre) / abs(centre):+.3g}"


def comparison_records(comparison: RunComparison) -> list[dict[str, Any]]:
    return [
        {
            "run": comparison.names[r],
            "quantity": item.name,
            "expression": item.expression,
            "part": item.part,
            "place": item.place,
            "unit": item.unit,
            "value": float(comparison.values[r, q]),
            "std": float(comparison.std[r, q]),
            "centre": float(comparison.centre[q]),
            "spread": float(comparison.spread[q]),
            "deviations": float(comparison.deviations[r, q]),
            "beyond_chance": bool(comparison.beyond[r, q]),
        }
        for r in comparison.order
        for q, item in enumerate(comparison.quantities)
        if np.isfinite(comparison.values[r, q])
    ]


def comparison_document(comparison: RunComparison) -> dict[str, Any]:
    """Standard JSON: what a run hasn't is null."""
    return {
        "schema": SCHEMA,
        "robot": comparison.robot,
        "reference": comparison.reference,
        "limit": comparison.limit,
        "quantities": [
            {**vars(item), "links": list(item.links), "centre": float(comparison.centre[q]), "spread": float(comparison.spread[q])}
            for q, item in enumerate(comparison.quantities)
        ],
        "runs": [
            {
                "run": comparison.names[r],
                "farthest": float(comparison.farthest[r]),
                "beyond_chance": [comparison.quantities[q].name for q in np.flatnonzero(comparison.beyond[r])],
                "training_percent": comparison.runs[r].training_percent,
                "validation_percent": comparison.runs[r].validation_percent,
                "total_mass": comparison.runs[r].total_mass,
                "values": [finite_or_none(value) for value in comparison.values[r]],
                "std": [finite_or_none(value) for value in comparison.std[r]],
                "deviations": [finite_or_none(value) for value in comparison.deviations[r]],
            }
            for r in comparison.order
        ],
        "sentences": sentences(comparison),
        "notes": list(comparison.notes),
    }
