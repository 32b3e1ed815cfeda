"""What is printed past Python is caught, and the terminal is as before."""

from __future__ import annotations

import os

import pytest

from dynident.core.native_output import catch_native_errors


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
