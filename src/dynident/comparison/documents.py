"""A comparison as records, sentences and a document: JSON and CSV have these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.comparison.compare import RunComparison
from dynident.comparison.quantities import FRICTION, LINKS
from dynident.core.files import finite_or_none

SCHEMA = "dynident/comparison/1"


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
