"""Text tables: how they are written, and where they are broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident.data.formats.csv import read_csv
from dynident.errors import FileError
from tests.facts import raises


def write(folder: Path, text: str, name: str = "log.csv") -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize(
    "text",
    [
        "t,q1\n0,1.5\n1,-2e-3\n",
        "t;q1\n0;1.5\n1;-2e-3\n",
        "t\tq1\r\n0\t1.5\r\n1\t-2e-3\r\n",
        "t q1\n0 1.5\n1 -2e-3\n",
        "  t   q1\n 0   1.5\n 1  -2e-3\n",
        "# recorded on a Tuesday\n\nt,q1\n0,1.5\n1,-2e-3\n",
        "# t q1\n0 1.5\n1 -2e-3\n",
        "# t,q1\n0,1.5\n1,-2e-3\n",
        "\ufefft, q1\n0, 1.5\n1, -2e-3",
        '"t","q1"\n0,1.5\n1,-2e-3\n',
        "t;q1\n0,0;1,5\n1,0;-2e-3\n",
        "t,q1\n0,1.5\n\n1,-2e-3\n\n",
    ],
)
def test_layouts(tmp_path, text):
    table = read_csv(write(tmp_path, text))
    assert list(table) == ["t", "q1"]
    np.testing.assert_array_equal(table["t"], [0, 1])
    np.testing.assert_array_equal(table["q1"], [1.5, -2e-3])


def test_without_a_header_columns_are_numbered(tmp_path):
    table = read_csv(write(tmp_path, "0 1 2\n3 4 5\n", "log.txt"))
    assert list(table) == ["column1", "column2", "column3"]
    np.testing.assert_array_equal(table["column3"], [2, 5])
    assert list(read_csv(write(tmp_path, "1\n2\n"))) == ["column1"]


def test_texts_and_missing_values_are_kept_for_whoever_needs_the_column(tmp_path):
    table = read_csv(write(tmp_path, "t,q1,state\n0,1,on\n1,,\n2,nan,off\n"))
    assert np.isnan(table["q1"]).tolist() == [False, True, True]
    assert table["state"].tolist() == ["on", "", "off"]


@pytest.mark.parametrize(
    ("text", "place", "facts"),
    [
        ("t,q1\n0,1\n1,2\n2,1.2.3\n", "line 4, column 'q1'", ("log.csv", "1.2.3")),
        ("# note\nt,q1\n0,1\n\n1,x\n", "line 5, column 'q1'", ("x", "number")),
        ("t q1\n0 1\n1 2\n2 oops\n", "line 4, column 'q1'", ("oops", "number")),
        ("t,q1\n0,1\n1,2,3\n", "line 3", (3, 2, "cells")),
        ("t q1\n0 1\n1 2 3\n", "line 3", (3, 2, "cells")),
        ("t q1 q2\n0 1\n1 2\n", "line 2", (2, 3, "cells")),
        ("t,q1,q1\n0,1,2\n", "line 1", ("two", "q1")),
        ("", "", ("no", "data")),
        ("# nothing\n\n", "", ("no", "data")),
        ("# dynident: {\nt,q1\n0,1\n", "line 1", ("dynident", "damaged")),
        ("# dynident: [1]\nt,q1\n0,1\n", "line 1", ("dynident", "damaged")),
        ("t,q1\0\n0,1\n", "", ("not", "text")),
    ],
)
def test_broken_tables_are_located(tmp_path, text, place, facts):
    with raises(FileError, *facts, place=place):
        read_csv(write(tmp_path, text))


def test_another_encoding_is_refused(tmp_path):
    file = tmp_path / "log.csv"
    file.write_bytes("t,Größe\n0,1\n".encode("latin-1"))
    with raises(FileError, "UTF-8"):
        read_csv(file)
