"""One declaration of how a log is read: the same from words of a command line, from YAML and from Python."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import yaml

from dynident.core.options import OptionError, changes, read_options, typed_words
from dynident.data.reading.reading import Reading, read_reading
from dynident.errors import FileError, InputError
from tests.facts import raises

WORDS = {
    "columns": ["q=pos_*", "time=a=b", "dq=a, b,c", "ddq=none"],
    "units": ["q=deg", "tau=N,Nm"],
    "effort_kind": "current",
    "effort_gains": "14.9,-12.1",
    "effort_signs": "-1",
    "gear_ratios": "32,45",
    "gear_coupling": ["2:1=8"],
    "offsets": "0,-90 deg",
    "delay": "4 ms",
    "sampling_rate": "1 kHz",
    "without": [":2", "12.5:13.1"],
    "low_pass": ["q=1", "effort=2,3"],
    "preset": "ur_rtde",
    "topic": ["/a", "/b"],
    "reader_options": ["clock=received"],
}
READING = Reading(
    columns={"q": "pos_*", "time": ["a=b"], "dq": ["a", "b", "c"], "ddq": None},
    units={"q": "deg", "effort": ["N", "Nm"]},
    effort_kind="current",
    effort_gains=[14.9, -12.1],
    effort_signs=-1,
    gears=np.array([[32.0, 0.0], [8.0, 45.0]]),
    offsets=[0.0, -math.pi / 2],
    delay=0.004,
    sampling_rate=1000,
    without=[(-math.inf, 2.0), (12.5, 13.1)],
    low_pass={"q": 1.0, "effort": [2.0, 3.0]},
    preset="ur_rtde",
    reader_options={"clock": "received", "topic": "/a,/b"},
)


def test_words_yaml_and_keywords_say_the_same(tmp_path):
    assert read_options(Reading, WORDS, typed=True) == READING
    file = tmp_path / "log.csv.yaml"
    file.write_text(yaml.safe_dump({**changes(READING, by_key=True), "without": [[-math.inf, 2.0], [12.5, 13.1]]}))
    assert read_reading(file) == READING


def test_a_run_remembers_how_its_log_was_read_but_not_what_was_left_out():
    remembered = changes(READING)
    assert "without" not in remembered
    assert remembered["gears"] == [[32.0, 0.0], [8.0, 45.0]]
    assert remembered["columns"] == {"q": ["pos_*"], "time": ["a=b"], "dq": ["a", "b", "c"], "ddq": ["none"]}
    assert changes(Reading(**remembered)) == remembered
    assert changes(Reading()) == {}


def test_what_is_given_goes_before_the_file_and_the_file_before_the_preset():
    preset = Reading(columns={"q": "actual_q_*", "effort": "current_*"}, effort_kind="current", sampling_rate=500.0, units={"time": "ms"})
    file = Reading(columns={"q": "pos_*"}, sampling_rate=250.0)
    reading = Reading(columns={"dq": "vel_*"}, delay=0.1, robot_joints=("a",)).over(file).over(preset)
    assert reading.columns == {"q": ("pos_*",), "dq": ("vel_*",), "effort": ("current_*",)}
    assert (reading.sampling_rate, reading.delay, reading.effort_kind, reading.units, reading.robot_joints) == (
        250.0,
        (0.1,),
        "current",
        {"time": "ms"},
        ("a",),
    )


def test_what_is_said_of_one_file(tmp_path):
    words = {"without": ["a.csv=1:2,3:4", "b.csv=5:6"], "delay": ["4 ms", "b.csv=1,2"], "sampling_rate": "x/a.csv=100"}
    reading = read_options(Reading, words, typed=True)
    assert reading == Reading(
        without={"a.csv": [(1, 2), (3, 4)], "b.csv": [(5, 6)]}, delay={"*": 0.004, "b.csv": [1.0, 2.0]}, sampling_rate={"x/a.csv": 100}
    )
    typed = typed_words(reading)
    words = [word for flag, word in pairwise(typed) if flag == "--without"]
    assert read_options(Reading, {"without": words}, typed=True).without == reading.without
    of_a, of_b = reading.of_recording("y/x/a.csv"), reading.of_recording("b.csv")
    assert (of_a.without, of_a.delay, of_a.sampling_rate) == (((1.0, 2.0), (3.0, 4.0)), (0.004,), 100.0)
    assert (of_b.without, of_b.delay, of_b.sampling_rate) == (((5.0, 6.0),), (1.0, 2.0), None)
    assert reading.without_recordings() == Reading(delay=0.004)
    file = tmp_path / "log.csv.yaml"
    file.write_text("rate: 100\n")
    assert read_reading(file) == Reading(sampling_rate=100.0)
    file.write_text("rate: 100\nsampling_rate: 100\n")
    with raises(FileError, "rate", "sampling_rate"):
        read_reading(file)
    with pytest.raises(OptionError):
        read_options(Reading, {"sampling_rate": ["1", "2"]}, typed=True)


def test_the_inverse_of_the_gears_and_their_coupling():
    assert Reading(motor_to_joint=[[0.1, 0.0], [0.0, 0.05]]).gears == ((10.0, 0.0), (0.0, 20.0))
    assert Reading(gears=[32, 45], gear_coupling={"2:1": 8}).gears == ((32.0, 0.0), (8.0, 45.0))
    for wrong in ({"gear_coupling": {"2:1": 8.0}}, {"gears": [1, 2], "gear_coupling": {"1:1": 8.0}}, {"gears": [1, 0]}):
        with pytest.raises(InputError):
            Reading(**wrong)


def test_gains_from_a_file(tmp_path):
    (tmp_path / "gains.yaml").write_text("effort_gains: [14.9, -12.1]\n")
    assert read_options(Reading, {"effort_gains": str(tmp_path / "gains.yaml")}, typed=True).effort_gains == (14.9, -12.1)
    (tmp_path / "gains.yaml").write_text("sampling_rate: 100\n")
    with raises(FileError, "effort_gains"):
        read_options(Reading, {"effort_gains": str(tmp_path / "gains.yaml")}, typed=True)


@pytest.mark.parametrize(
    ("name", "words", "place", "value"),
    [
        ("columns", ["q"], "columns", "q"),
        ("units", ["q=deg", "q=rad"], "units", "q=rad"),
        ("sampling_rate", "fast", "sampling_rate", "fast"),
        ("offsets", "1,x", "offsets[1]", "x"),
        ("without", ["3:1"], "without", "3:1"),
    ],
)
def test_an_error_names_the_option_and_the_place_in_it(name, words, place, value):
    with pytest.raises(OptionError) as caught:
        read_options(Reading, {name: words}, typed=True)
    assert (caught.value.name, caught.value.value) == (place, value)
