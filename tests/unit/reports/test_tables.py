"""The one table: values stay numbers, a column says how they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dynident.reports.tables import Column, Formatted, Report, Table, column, csv_text, estimated, named_values


@dataclass(frozen=True)
class Row:
    joint: str = column()
    torque: float | None = column("torque [N·m]", ".2f")
    std: tuple[float, float] = column("value ± std", estimated)
    hidden: int = 7


ROWS = (Row("b", 10.0, (1.25, 0.031)), Row("a", 9.5, (math.inf, 0.5)), Row("c", None, (-2.0, 0.5)))


def test_columns_come_from_the_class_of_the_rows():
    table = Table("Torques", ROWS, dimmed=lambda row: row.torque is None, numbered="no.")
    assert table.headings == ("no.", "joint", "torque [N·m]", "value ± std")
    assert table.left == {1}
    assert [line.texts for line in table.lines] == [
        ("1", "b", "10.00", "1.250 ± 0.031"),
        ("2", "a", "9.50", "inf ± 0.50"),
        ("3", "c", "–", "-2.00 ± 0.50"),
    ]
    assert [line.dimmed for line in table.lines] == [False, False, True]


def test_cells_are_sorted_by_their_numbers_not_by_their_texts():
    cells = [line.cells for line in Table("Torques", ROWS).lines]
    assert [line[1].sort for line in cells] == [10.0, 9.5, None]
    assert [line[2].sort for line in cells] == [1.25, 1e300, -2.0]
    assert all(line[0].sort is None for line in cells)


def test_records_have_the_values():
    assert Table("Torques", ROWS).without("std").records()[0] == {"joint": "b", "torque": 10.0}


def test_a_table_of_arrays_shows_nan_as_missing():
    columns = {Column("joint"): ("a", "b"), Column("rms", "RMS", ".3g", missing="?"): np.array([1.0, np.nan]), Column("n"): [3, 4]}
    table = Table.of_columns("Errors", columns)
    assert [line.texts for line in table.lines] == [("a", "1", "3"), ("b", "?", "4")]
    assert table.records() == [{"joint": "a", "rms": 1.0, "n": 3}, {"joint": "b", "rms": None, "n": 4}]
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


def test_decimals_are_those_of_the_whole_column():
    small, usual = ({"m": 1e-9}, {"m": 2e-6}), ({"m": 1e-9}, {"m": 0.5})
    column = Column("m", decimals=4)
    assert [line.texts for line in Table("", small, (column,)).lines] == [("1.00e-09",), ("2.00e-06",)]
    assert [line.texts for line in Table("", usual, (column,)).lines] == [("0.0000",), ("0.5000",)]


def test_text_and_html_have_the_same_cells_and_escape_names():
    report = Report(header=("a & b",), tables=(named_values("<i>", {"<b>": 3}),), notes=("so it is.",))
    assert str(report) == "a & b\n\n<i>\n\n<b>  3\n\nNote 1: so it is."
    assert "<b>" not in report.html()
    assert "&lt;b&gt;" in report.html()


def test_csv_has_every_digit():
    assert csv_text([{"a": 1 / 3, "b": "x,y"}]) == 'a,b\n0.3333333333333333,"x,y"\n'
