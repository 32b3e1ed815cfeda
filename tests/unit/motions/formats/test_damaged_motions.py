"""A motion that would be given to a robot: one that was cut off, or that no joint can do, is refused."""

from __future__ import annotations

import pytest

from dynident.errors import FileError
from dynident.motions import kuka_table_5, read_trajectory, trajectory_dataset, write_trajectory
from tests.facts import raises


@pytest.fixture
def motion(tmp_path):
    file = tmp_path / "motion.csv"
    write_trajectory(trajectory_dataset(kuka_table_5(), 50.0), file)
    return file


def test_a_file_that_was_cut_off_is_refused(motion):
    lines = motion.read_text().splitlines(keepends=True)
    motion.write_text("".join(lines[: len(lines) // 2]))
    with raises(FileError, 699, 1401):
        read_trajectory(motion)
    motion.write_text("".join(line for line in lines[: len(lines) // 2] if not line.startswith("#")))
    assert read_trajectory(motion).samples.samples == len(lines) // 2 - sum(line.startswith("#") for line in lines) - 1


@pytest.mark.parametrize(("column", "quantity"), [(1, "position"), (8, "velocity"), (15, "acceleration")])
def test_what_no_joint_does_is_refused(motion, column, quantity):
    *lines, last = motion.read_text().splitlines()
    cells = last.split(",")
    cells[column] = "-248949539"
    motion.write_text("\n".join([*lines, ",".join(cells)]))
    with raises(FileError, quantity, "2.49e+08"):
        read_trajectory(motion)
