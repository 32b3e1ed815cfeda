"""The one table: rows are records, columns say how a field of them is shown. Numbers stay numbers until then.

The terminal, `print`, a notebook, the pages, CSV and `records()` all take the same table.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from dynident.core.documents import document_fields, to_json
from dynident.core.texts import value_text

#: What infinite numbers are sorted as.
_LARGEST = 1e300


@dataclass(frozen=True)
class Column:
    """How a table shows one field of its rows.

    name : str           Field of the rows, or key where they are mappings.
    heading : str        Above the column; by default the name with spaces.
    form : str or function   Format of a number, as ".3g", also of each number of a tuple; or a function from the value to its text.
    missing : str        Text of None.
    separator : str      Between the numbers of a tuple.
    left : bool          Flush left; by default where all values are texts.
    math : bool          On a page, typeset names of parameters and powers.
    share : function     On a page, of the value the length of a bar behind it, from 0 to 1.
    badge : function     On a page, of the text the kind of mark that it is shown as; "" for none.
    of : function        Of a row the value, in place of the field.
    """

    name: str
    heading: str | None = None
    form: str | Callable[[Any], str] = ""
    missing: str = "–"
    separator: str = " "
    left: bool | None = None
    math: bool = False
    share: Callable[[Any], float] | None = None
    badge: Callable[[str], str] = lambda text: ""
    of: Callable[[Any], Any] | None = None

    @property
    def title(self) -> str:
        return self.name.replace("_", " ") if self.heading is None else self.heading

    def value(self, row: Any) -> Any:
        if self.of is not None:
            return self.of(row)
        return cast("Mapping[str, Any]", row)[self.name] if isinstance(row, Mapping) else getattr(row, self.name)

    def settle(self, rows: Sequence[Any]) -> Column:
        """The column with its alignment, which may depend on all of its values."""
        if self.left is not None:
            return self
        present = [value for value in map(self.value, rows) if value is not None]
        return replace(self, left=bool(present) and all(isinstance(value, str) for value in present))

    def cell(self, row: Any) -> Cell:
        value = self.value(row)
        text = self.text(value)
        share = None if self.share is None else self.share(value)
        return Cell(text, sort=_sort_key(value), math=self.math, share=share, badge=self.badge(text))

    def text(self, value: Any) -> str:
        if value is None:
            return self.missing
        if isinstance(value, Formatted):
            return format(value.value, value.form)
        if callable(self.form):
            return self.form(value)
        if isinstance(value, tuple):
            return self.separator.join(format(item, self.form) for item in cast("tuple[Any, ...]", value))
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value if isinstance(value, str) else format(value, self.form)


@dataclass(frozen=True)
class Formatted:
    """A number with a format of its own, in a column of others."""

    value: float
    form: str


@dataclass(frozen=True)
class Cell:
    """What a column makes of a value. sort : the number that it is sorted by, its text where None."""

    text: str
    sort: float | None = None
    math: bool = False
    share: float | None = None
    badge: str = ""


@dataclass(frozen=True)
class Line:
    """Cells of a row; a dimmed one is not part of the model."""

    cells: tuple[Cell, ...]
    dimmed: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(cell.text for cell in self.cells)


@dataclass(frozen=True)
class Table:
    """Rows and how they are shown.

    rows : records           Dataclasses, named tuples or mappings, all of one kind.
    columns : of Column      What is shown of a row.
    dimmed : function        Of a row, whether it is shown faintly.
    numbered : str           Heading of a first column that numbers the rows; None without one.
    """

    title: str
    rows: tuple[Any, ...]
    columns: tuple[Column, ...]
    dimmed: Callable[[Any], bool] = lambda row: False
    numbered: str | None = None

    @staticmethod
    def of_columns(
        title: str,
        columns: Mapping[Column, Iterable[Any] | None],
        *,
        dimmed: Callable[[Any], bool] = lambda row: False,
        numbered: str | None = None,
    ) -> Table:
        """A table of columns with their values, all of one length; None and NaN are shown as missing."""
        plain = {column.name: None if values is None else _plain(values) for column, values in columns.items()}
        empty = [None] * max(len(values) for values in plain.values() if values is not None)
        rows = rows_of({name: [None if v != v else v for v in values or empty] for name, values in plain.items()})
        return Table(title, tuple(rows), tuple(columns), dimmed, numbered)

    @cached_property
    def shown(self) -> tuple[Column, ...]:
        """The columns with their formats."""
        return tuple(column.settle(self.rows) for column in self.columns)

    @property
    def headings(self) -> tuple[str, ...]:
        first = () if self.numbered is None else (self.numbered,)
        return (*first, *(column.title for column in self.shown))

    @property
    def left(self) -> frozenset[int]:
        """Indices of the columns that are flush left."""
        first = self.numbered is not None
        return frozenset(i + first for i, column in enumerate(self.shown) if column.left)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The rows as they are shown."""
        lines: list[Line] = []
        for number, row in enumerate(self.rows, start=1):
            first = () if self.numbered is None else (Cell(str(number), sort=number),)
            lines.append(Line((*first, *(column.cell(row) for column in self.shown)), dimmed=self.dimmed(row)))
        return tuple(lines)

    def without(self, *names: str) -> Table:
        """The table without some of its columns."""
        return replace(self, columns=tuple(column for column in self.shown if column.name not in names))


def named_values(title: str, values: Mapping[str, object]) -> Table:
    """Names and what they are, without headings."""
    rows = tuple({"name": name, "value": str(value)} for name, value in values.items())
    return Table(title, rows, (Column("name", ""), Column("value", "")))


def rows_of(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Columns of one length as rows of plain values."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*map(_plain, columns.values()), strict=True)]


def plain_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Dataclasses and mappings as dictionaries of plain values, all with the same keys."""
    return [
        dict(cast("Mapping[str, Any]", row))
        if isinstance(row, Mapping)
        else {item.name: to_json(getattr(row, item.name)) for item in document_fields(row.__class__)}
        for row in rows
    ]


def _plain(values: Iterable[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def estimated(pair: tuple[float | None, float | None]) -> str:
    """value ± std, or the value alone where its standard deviation is not known."""
    value, std = pair
    return f"{value:.4g}" if value is not None and std is None else value_text(value, std)


def _numbers(value: Any) -> list[float]:
    """The numbers of a value: itself, or those of a tuple."""
    value = value.value if isinstance(value, Formatted) else value
    items = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
    return [float(item) for item in items if isinstance(item, (int, float)) and not math.isnan(item)]


def _sort_key(value: Any) -> float | None:
    numbers = _numbers(value)
    return max(min(numbers[0], _LARGEST), -_LARGEST) if numbers else None


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that is to be said about a result, in order."""

    header: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def numbered_notes(self) -> tuple[str, ...]:
        return tuple(f"Note {number}: {note.removesuffix('.')}." for number, note in enumerate(self.notes, start=1))

    def __str__(self) -> str:
        parts = ["\n".join(self.header), *map(_table_text, self.tables), "\n".join(self.facts)]
        parts.append("\n".join(self.numbered_notes))
        return "\n\n".join(part for part in parts if part)

    def html(self) -> str:
        """For a notebook: the header, the tables, the facts and the numbered notes, all text escaped."""
        from dynident.reports.html import environment  # only notebooks need Jinja

        return environment().get_template("notebook.html").render(report=self)


def _table_text(table: Table) -> str:
    lines = [table.headings, *(line.texts for line in table.lines)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.headings))]
    aligned = [
        "  ".join(text.ljust(w) if i in table.left else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths, strict=True)))
        for line in lines
    ]
    return "\n".join([table.title, *(line.rstrip() for line in aligned)])


def csv_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as CSV with the keys as the first line; numbers with every digit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()
