"""A comparison of runs as one page: who is farthest from the others and in what, at a glance and in small multiples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dynident.comparison import RunComparison
from dynident.comparison.documents import sentences
from dynident.reports.blocks import Block, Listing, Text, notes_listing
from dynident.reports.comparison_tables import beyond_table, deviation_sheet, quantity_table, run_table, small_multiples
from dynident.reports.page import FilledSection, Page, render
from dynident.reports.tables import Table

#: Lines of a table on the page; the files have all.
_MOST = 400


def comparison_page(comparison: RunComparison) -> Page:
    """The page of a comparison, complete in itself."""
    parts = [("runs", "Runs", _runs(comparison)), *_details(comparison)]
    return _page(comparison.robot, "comparison of runs", ", ".join(_named(comparison.names)), parts)


def fleet_page(
    robot: str, headline: str, comparison: RunComparison | None, tables: Sequence[tuple[str, Table]], facts: Sequence[str] = ()
) -> Page:
    """The page of a fleet: what became of all robots, and their comparison where there is one. tables : with titles of sections."""
    first = _runs(comparison) if comparison is not None else (Text("There are too few robots to compare.", headline=True),)
    parts = [("fleet", "Fleet", (*(Text(sentence) for sentence in facts), *first))]
    parts += [(f"table-{k}", title, (table,)) for k, (title, table) in enumerate(tables, start=1)]
    return _page(robot, "a fleet", headline, [*parts, *(() if comparison is None else _details(comparison))])


def _details(comparison: RunComparison) -> tuple[tuple[str, str, Iterable[Block]], ...]:
    return (
        ("deviations", "All deviations", (deviation_sheet(comparison),)),
        ("multiples", "Where they differ", _multiples(comparison)),
        ("quantities", "Quantities", (quantity_table(comparison),)),
    )


def _page(robot: str, kind: str, source: str, parts: Sequence[tuple[str, str, Iterable[Block]]]) -> Page:
    sections = [FilledSection(key, heading, tuple(blocks)) for key, heading, blocks in parts]
    return render(f"{robot}: {kind}", kind, robot, source, sections)


def _runs(comparison: RunComparison) -> Iterator[Block]:
    out = len(comparison.runs_beyond)
    told = "No run differs" if out == 0 else f"{out} of {len(comparison.runs)} runs differ"
    yield Text(f"{told} from {comparison.reference} by more than chance.", headline=True)
    spread = comparison.spread.any()
    scale = "its own estimate and of the usual spread between these runs" if spread else "the estimates"
    yield Text(
        f"A deviation is counted in standard deviations of {scale}. By chance alone anything at all goes beyond {comparison.limit:.1f} "
        "in one of twenty comparisons like this one."
    )
    yield run_table(comparison, _MOST)
    if out:
        yield Listing("In words", tuple(sentences(comparison)[:_MOST]), "bad")
        yield beyond_table(comparison, _MOST)
    if comparison.notes:
        yield notes_listing("Notes", comparison.notes)


def _multiples(comparison: RunComparison) -> Iterator[Block]:
    yield Text(
        f"Each dot is a run, with the standard deviation of its own estimate; the line is {comparison.reference}"
        + (", the band what runs usually differ by." if comparison.spread.any() else ".")
    )
    yield from small_multiples(comparison)


def _named(names: Sequence[str], most: int = 6) -> list[str]:
    return [*names] if len(names) <= most else [*names[:most], f"{len(names) - most} more"]
