# pyright: basic
"""How a text table is written, from its first lines: comments, delimiter, decimal sign and the names of its columns."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from dynident.data.formats.reader import parse_description
from dynident.errors import FileError

#: Marks the comment line in which write_dataset keeps what a table of numbers can't.
DESCRIPTION = "# dynident: "
#: What stands where there is no number, in lower case.
MISSING = ("", "nan", "na", "n/a", "null", "none")


#: Characters of a line, and columns of a table, that are looked at; more are no log.
_LONGEST_LINE, _MOST_COLUMNS = 1 << 20, 10_000


class Layout(NamedTuple):
    """How the file is written: comment lines before the table, delimiter ("" for blanks, in whose place Arrow gets tabs), and names."""

    skip: int
    delimiter: str
    names: list[str]
    header: bool
    decimal: str


def look_at(path: Path) -> tuple[Layout, dict[str, Any]]:
    """The layout, from the first lines of the file."""
    lines, comments, description = _first_lines(path)
    skip = len(comments)
    if not lines:
        raise FileError(path, "holds no data; check that it is the right file")
    delimiter = _delimiter(lines)
    cells = split_cells(lines[0], delimiter)
    # European spreadsheets: semicolons between the cells, commas in the numbers
    decimal = "," if delimiter == ";" and any("," in line for line in lines[1:]) else "."
    header = any(not is_number(cell, decimal) for cell in cells)
    names = [cell.strip().strip('"') for cell in cells] if header else _commented_names(comments, delimiter, len(cells))
    if header and len(lines) == 1:
        raise FileError(path, "holds no data below its first line; check that it is the right file")
    if len(names) > _MOST_COLUMNS:
        raise FileError(path, f"has {len(names)} columns; at most {_MOST_COLUMNS} were expected, and a line per sample")
    for name, count in Counter(names).items():
        if count > 1:
            raise FileError(path, f"two columns are named {name!r}; names must be unique", place=f"line {skip + 1}")
    return Layout(skip, delimiter, names, header, decimal), description


def _first_lines(path: Path) -> tuple[list[str], list[str], dict[str, Any]]:
    """Up to ten lines of the table, the lines above it, and the description found there."""
    lines: list[str] = []
    comments: list[str] = []
    description: dict[str, Any] = {}
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(iter(lambda: stream.readline(_LONGEST_LINE), ""), start=1):
                if len(line) == _LONGEST_LINE:
                    message = f"is longer than {_LONGEST_LINE >> 20} MB; check that it is a table, with a line per sample"
                    raise FileError(path, message, place=f"line {number}")
                if not lines and (line.startswith("#") or not line.strip()):
                    comments.append(line.strip())
                    if line.startswith(DESCRIPTION):
                        description = parse_description(path, line.removeprefix(DESCRIPTION), f"line {len(comments)}")
                elif line.strip():
                    lines.append(line.rstrip("\r\n"))
                if len(lines) == 10:
                    break
    except UnicodeDecodeError:
        raise FileError(path, "is not text (UTF-8); save it as UTF-8") from None
    return lines, comments, description


def _commented_names(comments: list[str], delimiter: str, count: int) -> list[str]:
    """The names that numpy.savetxt leaves in the last comment line; else column1, column2, ..."""
    cells = split_cells(comments[-1].lstrip("#").strip(), delimiter) if comments else []
    if len(cells) == count and not any(is_number(cell, ".") for cell in cells):
        return cells
    return [f"column{i + 1}" for i in range(count)]


def _delimiter(lines: list[str]) -> str:
    for delimiter in ("\t", ";", ","):
        if all(delimiter in line for line in lines):
            return delimiter
    return "" if any(re.search(r"\S\s+\S", line.strip()) for line in lines[-1:]) else ","


def split_cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in (line.split(delimiter) if delimiter else line.split())]


def is_number(text: str, decimal: str) -> bool:
    try:
        float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return text.lower() in MISSING
    return True


def arrow_options(layout: Layout) -> tuple[Any, Any, Any]:
    from pyarrow import csv

    read = csv.ReadOptions(skip_rows=layout.skip + layout.header, column_names=layout.names)
    convert = csv.ConvertOptions(decimal_point=layout.decimal, null_values=[*MISSING, "NaN", "NAN", "NA", "N/A", "NULL", "None"])
    return read, csv.ParseOptions(delimiter=layout.delimiter or "\t"), convert
