"""Programs for arms of Universal Robots."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dynident.core.options import OptionError
from dynident.data import Dataset
from dynident.errors import FileError
from dynident.motions import read_trajectory, write_trajectory
from tests.facts import raises

SAMPLES = Dataset(time=np.arange(11) / 125.0, q=np.linspace(0.0, 0.01, 66).reshape(11, 6))


def test_the_program(tmp_path):
    write_trajectory(SAMPLES, tmp_path / "t.script", options={"gain": "600", "lookahead": 0.05})
    lines = (tmp_path / "t.script").read_text().splitlines()
    assert lines[0].startswith("# NOT CHECKED")
    body = [line.strip() for line in lines if not line.startswith("#")]
    assert (body[0], body[-2:]) == ("def dynident_trajectory():", ["stopj(2.0)", "end"])
    assert body[1].startswith("popup(")
    assert body[2].startswith("movej([0.0, ")
    servo = [line for line in body if line.startswith("servoj(")]
    assert len(servo) == SAMPLES.samples - 1
    assert all(re.fullmatch(r"servoj\(\[[-0-9., e]+\], t=0\.008, lookahead_time=0\.05, gain=600\)", line) for line in servo)
    assert len(body) == len(servo) + 5


@pytest.mark.parametrize(("name", "value"), [("gain", 50), ("gain", 2001), ("lookahead", 0.02), ("approach", 10)])
def test_what_the_controller_does_not_allow(name, value, tmp_path):
    with raises(OptionError, value, name=f"option {name} of format urscript"):
        write_trajectory(SAMPLES, tmp_path / "t.script", options={name: value})


def test_steps_of_different_lengths(tmp_path):
    zeros = ", 0" * 5
    (tmp_path / "t.script").write_text(f"movej([1{zeros}])\n  servoj([2{zeros}], t=0.1)\nservoj([3{zeros}], 0, 0, t=0.2, gain=300)\n")
    samples = read_trajectory(tmp_path / "t.script").samples
    np.testing.assert_allclose(samples.time, [0.0, 0.1, 0.3])
    np.testing.assert_array_equal(samples.q[:, 0], [1, 2, 3])


@pytest.mark.parametrize(
    ("text", "place", "facts"),
    [
        ("movej(home)\nservoj(q, t=0.1)\n", "", ("movej", "servoj")),
        ("movej([1, 2])\nservoj([1, 2, 3], t=0.1)\n", "line 2", (3, 2)),
        ("movej([1, 2])\n\nservoj([1, q], t=0.1)\n", "line 3", ("q",)),
        ("movej([1, 2])\nservoj([1, 2], t=0)\nservoj([1, 2], t=0.1)\n", "", ("stamp", 0, 1)),
    ],
)
def test_programs_that_can_not_be_read(text, place, facts, tmp_path):
    (tmp_path / "t.script").write_text(text)
    with raises(FileError, *facts, place=place):
        read_trajectory(tmp_path / "t.script")
