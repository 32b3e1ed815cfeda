"""The one table: values stay numbers, a column says how they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from dynident.core.documents import LEFT_OUT
from dynident.reports.tables import Column, Formatted, Report, Table, csv_text, estimated, named_values, plain_rows


class Row(NamedTuple):
    joint: str
    torque: float | None
    std: tuple[float, float]
    hidden: int = 7


ROWS = (Row("b", 10.0, (1.25, 0.031)), Row("a", 9.5, (math.inf, 0.5)), Row("c", None, (-2.0, 0.5)))
COLUMNS = (Column("joint"), Column("torque", "torque [N·m]", ".2f"), Column("std", "value ± std", estimated))


def test_rows_are_shown_by_columns():
    table = Table("Torques", ROWS, COLUMNS, dimmed=lambda row: row.torque is None, numbered="no.")
    assert table.headings == ("no.", "joint", "torque [N·m]", "value ± std")
    assert table.left == {1}
    assert [line.texts for line in table.lines] == [
        ("1", "b", "10.00", "1.250 ± 0.031"),
        ("2", "a", "9.50", "inf ± 0.50"),
        ("3", "c", "–", "-2.00 ± 0.50"),
    ]
    assert [line.dimmed for line in table.lines] == [False, False, True]


def test_cells_are_sorted_by_their_numbers_not_by_their_texts():
    cells = [line.cells for line in Table("Torques", ROWS, COLUMNS).lines]
    assert [line[1].sort for line in cells] == [10.0, 9.5, None]
    assert [line[2].sort for line in cells] == [1.25, 1e300, -2.0]
    assert all(line[0].sort is None for line in cells)


@dataclass(frozen=True)
class Named:
    joint: str
    torques: tuple[float, float]
    note: str = field(default="", metadata=LEFT_OUT)


def test_rows_as_plain_values_have_the_same_keys():
    assert plain_rows([Named("b", (1.0, math.nan)), Named("a", (2.0, 3.0), "new")]) == [
        {"joint": "b", "torques": [1.0, None], "note": ""},
        {"joint": "a", "torques": [2.0, 3.0], "note": "new"},
    ]
    assert plain_rows([{"joint": "b", "limit": math.inf}]) == [{"joint": "b", "limit": math.inf}]


def test_a_table_of_arrays_shows_nan_as_missing():
    columns = {
        Column("joint"): ("a", "b"),
        Column("rms", "RMS", ".3g", missing="?"): np.array([1.0, np.nan]),
        Column("n"): [3, 4],
        Column("no"): None,
    }
    table = Table.of_columns("Errors", columns)
    assert [line.texts for line in table.lines] == [("a", "1", "3", "–"), ("b", "?", "4", "–")]
    assert list(table.rows) == [{"joint": "a", "rms": 1.0, "n": 3, "no": None}, {"joint": "b", "rms": None, "n": 4, "no": None}]
    with pytest.raises(ValueError, match="shorter"):
        Table.of_columns("Errors", {Column("a"): [1, 2], Column("b"): [1]})


@pytest.mark.parametrize(
    ("item", "value", "text"),
    [
        (Column("x"), True, "yes"),
        (Column("x", form=".1f"), (1.0, -0.02), "1.0 -0.0"),
        (Column("x", form="z.1f", separator=" .. "), (1.0, -0.02), "1.0 .. 0.0"),
        (Column("x", form=lambda value: f"<{value}>"), 3, "<3>"),
        (Column("x", form=".3g"), Formatted(1.234, ".1f"), "1.2"),
        (Column("x", missing=""), None, ""),
    ],
)
def test_how_a_value_is_shown(item, value, text):
    assert item.text(value) == text


def test_text_and_html_have_the_same_cells_and_escape_names():
    report = Report(header=("a & b",), tables=(named_values("<i>", {"<b>": 3}),), notes=("so it is.",))
    assert str(report) == "a & b\n\n<i>\n\n<b>  3\n\nNote 1: so it is."
    assert "<b>" not in report.html()
    assert "&lt;b&gt;" in report.html()


def test_csv_has_every_digit():
    assert csv_text([{"a": 1 / 3, "b": "x,y"}]) == 'a,b\n0.3333333333333333,"x,y"\n'
