"""A comparison as records, sentences and a document: JSON and CSV have these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from dynident.core.documents import Document, Number, Unit, fill
from dynident.runs.comparison.compare import RunComparison
from dynident.runs.comparison.quantities import FRICTION, LINKS


def sentences(comparison: RunComparison) -> list[str]:
    """A sentence for every run that is beyond chance, the farthest first: what differs, and what that usually means."""
    differences = [f"{comparison.names[r]}: {_sentence(comparison, r)}" for r in comparison.runs_beyond]
    return differences or [f"No run differs from {comparison.reference} by more than chance."]


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
        joints = [
            f"{place} ({comparison.quantities[q].name} {_percent(float(comparison.values[r, q]), float(comparison.centre[q]))} %)"
            for place, q in farthest.items()
            if sign * comparison.deviations[r, q] * np.sign(comparison.centre[q] or 1.0) > 0.0
        ]
        if joints:
            yield f"{word} friction in {', '.join(joints)}: {cause}"


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


@dataclass(frozen=True, kw_only=True)
class ComparedQuantity:
    """What is compared: a coefficient, or a joint's friction."""

    name: str
    expression: str
    unit: str
    part: Annotated[str, "links, friction or other"]
    place: Annotated[str, "the link or joint"]
    links: tuple[str, ...]
    centre: Annotated[float, "the median, or what the first run has"]
    spread: Annotated[float, "how much robots of this model usually differ"]


@dataclass(frozen=True, kw_only=True)
class RunDocument:
    """A run beside the others; values, std and deviations are in the order of the quantities, null where it has none."""

    run: str
    farthest: Annotated[float, "of its deviations"]
    beyond_chance: Annotated[tuple[str, ...], "quantities that differ by more than chance"]
    training_percent: Number
    validation_percent: Number
    total_mass: Annotated[Number, Unit("kg")]
    values: tuple[Number, ...]
    std: tuple[Number, ...]
    deviations: Annotated[tuple[Number, ...], "in standard deviations"]


@dataclass(frozen=True, kw_only=True)
class ComparisonDocument(Document):
    """What `dynident compare --json` prints."""

    FILE = "comparison.json"
    SCHEMA = "dynident/comparison/1"

    robot: str
    reference: Annotated[str, "what the runs are compared with"]
    limit: Annotated[float, "deviations beyond which chance does not reach"]
    quantities: tuple[ComparedQuantity, ...]
    runs: Annotated[tuple[RunDocument, ...], "the farthest first"]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]

    @staticmethod
    def of(comparison: RunComparison) -> ComparisonDocument:
        """Null for a quantity that a run does not have."""
        return fill(
            ComparisonDocument,
            comparison,
            quantities=tuple(
                fill(ComparedQuantity, item, centre=float(comparison.centre[q]), spread=float(comparison.spread[q]))
                for q, item in enumerate(comparison.quantities)
            ),
            runs=tuple(
                fill(
                    RunDocument,
                    comparison.runs[r],
                    run=comparison.names[r],
                    farthest=float(comparison.farthest[r]),
                    beyond_chance=tuple(comparison.quantities[q].name for q in np.flatnonzero(comparison.beyond[r])),
                    values=tuple(comparison.values[r].tolist()),
                    std=tuple(comparison.std[r].tolist()),
                    deviations=tuple(comparison.deviations[r].tolist()),
                )
                for r in comparison.order
            ),
            sentences=tuple(sentences(comparison)),
        )
