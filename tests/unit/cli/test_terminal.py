"""Tables in a terminal and in a file: all digits are there, however long the names are."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dynident.cli.terminal import print_table
from dynident.reports.tables import Column, Table

NAME = "gripper_left_motor_double_link_of_a_robot_with_very_long_names"
CELLS = (NAME, "1.629243", "0.000 .. 6.077", "0.0257  0.0128 -0.0510", "2.49e-03 7.90e-03 7.95e-03", "data 3, constraint 2, prior 5")
HEADINGS = ("link", "mass", "from .. to", "centre", "inertias", "by")
TABLE = Table("Links", (dict(zip(HEADINGS, CELLS, strict=True)),), tuple(Column(name, left=name == "link") for name in HEADINGS))


def test_a_file_gets_lines_as_long_as_they_are(capsys):
    print_table(TABLE, Console(file=io.StringIO(), width=100))
    printed = capsys.readouterr().out
    assert any(all(cell in line for cell in CELLS) for line in printed.splitlines())
    assert "…" not in printed


@pytest.mark.parametrize("width", [70, 100, 250])
def test_a_narrow_terminal_folds_cells_and_leaves_nothing_out(width):
    file = io.StringIO()
    print_table(TABLE, Console(file=file, width=width, force_terminal=True, color_system=None))
    printed = file.getvalue()
    assert "…" not in printed
    assert max(len(line) for line in printed.splitlines()) <= width
    letters = "".join(printed.split())
    assert all(number in letters for number in ("1.629243", "6.077", "-0.0510", "7.95e-03"))
