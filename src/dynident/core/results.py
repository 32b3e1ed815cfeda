"""What every result can do: one line in a list, tables as text and in a notebook, rows for pandas, a picture; and what tables are."""

from __future__ import annotations

import csv
import io
import math
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cached_property, wraps
from html import escape
from typing import TYPE_CHECKING, Any, cast

from dynident.core.arrays import freeze_arrays, freeze_fields
from dynident.core.figures import Figure, draw
from dynident.errors import import_optional

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure


def short_number(value: float) -> str:
    """Two digits, or all before the point: 0.81, 5.3, 228."""
    return f"{value:.0f}" if 10.0 <= abs(value) < 1e6 else f"{value:.2g}"


def number_form(decimals: int, values: Iterable[float | None]) -> str:
    """The format of a column of numbers: so many decimals, or three digits and a power of ten where decimals would show next to nothing
    of the largest, or far too much."""
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    return f".{decimals}f" if largest == 0.0 or 10.0 ** (1 - decimals) <= largest < 1e6 else ".2e"


def decimal_text(value: float, decimals: int) -> str:
    """One number with so many decimals, or with a power of ten where it is too small or too large for that."""
    return format(value, number_form(decimals, [value]))


@dataclass(frozen=True)
class Row:
    """Cells of one line of a table; a dimmed line is not part of the model."""

    cells: tuple[str, ...]
    dimmed: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of texts. left : indices of the columns that are set flush left; numbers are set flush right."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    left: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that is to be said about a result, in order."""

    header: tuple[str, ...]
    tables: tuple[Table, ...]
    facts: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def numbered_notes(self) -> tuple[str, ...]:
        return tuple(f"Note {number}: {note.removesuffix('.')}." for number, note in enumerate(self.notes, start=1))

    def __str__(self) -> str:
        parts = ["\n".join(self.header), *map(_table_text, self.tables), "\n".join(self.facts)]
        parts.append("\n".join(self.numbered_notes))
        return "\n\n".join(part for part in parts if part)


def _table_text(table: Table) -> str:
    lines = [table.headings, *(row.cells for row in table.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.headings))]
    aligned = [
        "  ".join(cell.ljust(w) if i in table.left else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    ]
    return "\n".join([table.title, *(line.rstrip() for line in aligned)])


def report_html(report: Report) -> str:
    """HTML for a notebook: the header, the tables, the facts and the numbered notes, all text escaped."""
    parts = [f"<p>{escape(line)}</p>" for line in report.header]
    parts += map(_table_html, report.tables)
    parts += [f"<p>{escape(sentence)}</p>" for sentence in (*report.facts, *report.numbered_notes)]
    return "\n".join(parts)


def _table_html(table: Table) -> str:
    def cells(tag: str, texts: tuple[str, ...]) -> str:
        number = "text-align: right" if tag == "th" else "text-align: right; white-space: nowrap"
        styles = ("text-align: left" if i in table.left else number for i in range(len(texts)))
        return "".join(f'<{tag} style="{style}">{escape(text)}</{tag}>' for text, style in zip(texts, styles, strict=True))

    faint = ' style="opacity: 0.55"'
    rows = [f"<tr{faint if row.dimmed else ''}>{cells('td', row.cells)}</tr>" for row in table.rows]
    heading = f"<thead><tr>{cells('th', table.headings)}</tr></thead>"
    return f"<table><caption>{escape(table.title)}</caption>{heading}<tbody>{''.join(rows)}</tbody></table>"


def csv_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as CSV with the keys as the first line; numbers with every digit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


class _ReadOnlyArrays(ABCMeta):
    """Of classes whose objects, once made, hold no array that can be changed in place: in no field, and in no cached property."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **options: Any) -> None:
        super().__init__(name, bases, namespace, **options)
        for attribute in namespace.values():
            if isinstance(attribute, cached_property):
                attribute.func = _freeze_returned(cast("Callable[[Any], Any]", attribute.func))

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        made = super().__call__(*arguments, **named)
        if is_dataclass(made):
            freeze_fields(made)
        return made


def _freeze_returned(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(function)
    def frozen(instance: Any) -> Any:
        return freeze_arrays(function(instance))

    return frozen


class Tabular(metaclass=_ReadOnlyArrays):
    """Prints itself. A class says what it is in one line, its tables and its rows; dataclasses need `repr=False` beside it."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """What it is, in one line."""

    @abstractmethod
    def tables(self) -> Report:
        """What `print` shows."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Rows of plain values, one dictionary each with the same keys, as pandas, csv and json take them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline})"

    def __str__(self) -> str:
        return str(self.tables())

    def _repr_html_(self) -> str:
        return report_html(self.tables())

    def to_dataframe(self) -> Any:
        """The records as a pandas DataFrame; needs the extra `pandas`."""
        return import_optional("pandas", "a data frame").DataFrame(self.records())


class Result(Tabular):
    """A result with a picture."""

    @abstractmethod
    def figures(self) -> tuple[Figure, ...]:
        """What `plot` shows, as plain data."""

    def plot(self, *, title: str | None = None) -> PlotlyFigure:
        """The picture as a Plotly figure; in a notebook it shows itself, `plot().show()` opens a browser."""
        return draw(self.figures(), title=self.headline if title is None else title)
