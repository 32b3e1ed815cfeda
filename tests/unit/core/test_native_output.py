"""What is printed past Python is caught, and the terminal is as before; MuJoCo warns neither there nor in a file."""

from __future__ import annotations

import os

import mujoco
import numpy as np
import pytest

from dynident.core.native_output import catch_native_errors, silence_mujoco
from dynident.errors import FileError
from dynident.motions.simulation.integrate import Physics, SimulationError
from dynident.motions.simulation.plant import build_plant
from dynident.robots import load_robot


def test_lines_are_caught_and_not_shown(capfd):
    lines: list[str] = []
    with catch_native_errors(lines):
        os.write(2, b"Error: one\nError: two\n")
    assert lines == ["Error: one", "Error: two"]
    os.write(2, b"shown again\n")
    assert capfd.readouterr().err == "shown again\n"


def test_an_exception_passes_and_the_lines_are_kept(capfd):
    lines: list[str] = []
    with pytest.raises(ValueError, match="refused"), catch_native_errors(lines):
        _refuse()
    assert lines == ["Error: because"]
    assert capfd.readouterr().err == ""


def _refuse() -> None:
    os.write(2, b"Error: because\n")
    raise ValueError("refused")


def test_a_simulation_that_runs_away_is_one_error_and_no_file(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    robot = load_robot("pendulum_1r")
    physics = Physics(build_plant(robot), None, period=1e-3, steps=1, q=np.zeros(1), dq=np.full(1, 1e300))
    with pytest.raises(SimulationError):
        physics.advance(np.zeros(1))
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_the_handler_of_the_user_is_there_again():
    told: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(told.append)
    try:
        mine = mujoco.get_mju_user_warning()
        with pytest.raises(FileError), silence_mujoco(mujoco):
            raise FileError("arm.xml", "is damaged")
        assert mujoco.get_mju_user_warning() is mine
    finally:
        mujoco.set_mju_user_warning(before)
