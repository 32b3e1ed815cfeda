"""What every registered format of trajectory files promises; a new one is tested here as soon as it has its line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dynident.core.options import declared_options, option
from dynident.data import Dataset
from dynident.errors import FileError, InputError, UnknownNameError, ValueRangeError
from dynident.motions import FORMATS, FileHeader, FourierTrajectory, read_trajectory, trajectory_dataset, write_trajectory
from dynident.motions.formats.format import TrajectoryFormat
from dynident.motions.formats.registry import describe_formats, format_of, format_options

HEADER = FileHeader(robot="wally", checked=("position", "velocity", "floor"), unchecked="", units=("rad",))
NAMES = ("a: b", "#2", "no", "größe", "j5", "j6", "j7")


def motion(form: TrajectoryFormat, rate: float | None = None) -> Dataset:
    n = form.joints or 3
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, n, 3))
    series = FourierTrajectory(joints=NAMES[:n], base_frequency=0.5, a=a, b=b, q0=1e-7 * rng.normal(size=n))
    return trajectory_dataset(series, rate or form.rate)


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> TrajectoryFormat:
    return FORMATS[request.param]


def test_what_is_written_is_read_back(form, tmp_path):
    samples = motion(form)
    for suffix in form.suffixes:
        write_trajectory(samples, tmp_path / f"t{suffix}", header=HEADER, format=form.name)
        back = read_trajectory(tmp_path / f"t{suffix}")
        assert back.format == form.name
        assert back.samples.samples == samples.samples
        np.testing.assert_allclose(back.samples.time, samples.time, rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(back.samples.q, samples.q, rtol=1e-15, atol=1e-22)
        for name in ("dq", "ddq"):
            if (values := getattr(back.samples, name)) is not None:
                np.testing.assert_array_equal(values, getattr(samples, name))
        assert back.samples.joint_names in (samples.joint_names, Dataset(time=samples.time, q=samples.q).joint_names)


def test_marks_of_periods_are_read_back(form, tmp_path):
    samples, file = motion(form), tmp_path / f"t{form.suffixes[0]}"
    marks = np.repeat([0, 1, 2, 0], [20, 30, 30, samples.samples - 80])
    write_trajectory(replace(samples, period=marks), file, header=HEADER, format=form.name)
    np.testing.assert_array_equal(read_trajectory(file).samples.period, marks)
    write_trajectory(samples, file, header=HEADER, format=form.name)
    assert read_trajectory(file).samples.period is None


def test_the_first_lines_say_what_it_is_and_that_it_was_checked(form, tmp_path):
    samples, file = motion(form), tmp_path / f"t{form.suffixes[0]}"
    write_trajectory(samples, file, header=HEADER, format=form.name)
    back = read_trajectory(file)
    assert back.comments[0] == "dynident trajectory for wally, checked for position, velocity and floor"
    joints = ", ".join(samples.joint_names)
    assert back.comments[1] == f"format {form.name}; {form.rate:g} Hz, {samples.samples} samples, 2 s; joints {joints}, in rad"
    assert back.unchecked == ""


def test_a_file_that_was_not_checked_says_so_first_and_in_capitals(form, tmp_path):
    file = tmp_path / f"t{form.suffixes[0]}"
    write_trajectory(motion(form), file, format=form.name, header=FileHeader(robot="wally", unchecked="its links\nhave no shapes."))
    assert read_trajectory(file).unchecked == "NOT CHECKED: its links have no shapes. dynident trajectory for wally"
    assert b"NOT CHECKED" in file.read_bytes()[:200] or form.name in ("npz", "parquet")
    write_trajectory(motion(form), file, format=form.name)
    assert read_trajectory(file).unchecked.startswith("NOT CHECKED: nobody has compared this motion with any limits.")


def test_robots_and_rates_that_it_is_not_for(form, tmp_path):
    file = tmp_path / f"t{form.suffixes[0]}"
    if form.joints:
        with pytest.raises(InputError, match=rf"format '{form.name}' is for robots with {form.joints} joints, and this one has 3"):
            write_trajectory(motion(FORMATS["csv"], form.rate), file, format=form.name)
    if form.periods:
        assert round(1e3 / form.rate) in form.periods
        with pytest.raises(ValueRangeError, match=r"rate is 30 Hz, a sample every 33\.33 ms; format .* has one every"):
            form.require(form.joints, 30.0)
        samples = motion(form)
        uneven = Dataset(time=samples.time + 1e-4 * np.sin(samples.time), q=samples.q)
        with pytest.raises(InputError, match=r"equally far apart|a sample every"):
            write_trajectory(uneven, file, format=form.name)
    assert not file.exists()


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\x80", b"{", b"points:\n- {}\n", b'{"joint_names": [], "points": [{}]}', b"time,q1\n0,x\n1,2\n"]
)
def test_what_is_not_such_a_file(form, content, tmp_path):
    for suffix in form.suffixes:
        (tmp_path / f"t{suffix}").write_bytes(content)
        with pytest.raises(FileError, match=rf"t\{suffix}"):
            read_trajectory(tmp_path / f"t{suffix}")
        with pytest.raises(FileError, match="no such file"):
            read_trajectory(tmp_path / f"absent{suffix}")


def test_its_options_are_explained(form):
    assert all(own.help.endswith(".") for own in declared_options(form.options))
    assert form.about in describe_formats()
    assert "[" not in describe_formats() + format_options(), "a terminal takes brackets for colours"


def test_names_and_suffixes():
    assert format_of("t.csv").name == "csv"
    assert format_of("t.csv", "franka").name == "franka"
    with pytest.raises(UnknownNameError, match="no trajectory format named 'abb'; known: csv, npz, "):
        format_of("t.csv", "abb")
    with pytest.raises(FileError, match=r"unknown suffix '.doc' for the trajectory; known: .csv, .npz, .parquet, .yaml, .yml, .json"):
        format_of("t.doc")
    with pytest.raises(FileError, match=r"unknown suffix '.csv' for the trajectory for format 'urscript'; known: .script"):
        format_of("t.csv", "urscript")


def test_a_new_format(monkeypatch, tmp_path):
    @dataclass(frozen=True, kw_only=True)
    class Options:
        loud: bool = option(False, "Shout.")

    def encode(samples, lines, options):
        return ("\n".join(lines).upper() if options.loud else "quiet") + "\n"

    shout = TrajectoryFormat(
        name="shout", about="loud", suffixes=(".shout",), encode=encode, read=FORMATS["csv"].read, rate=10.0, options=Options
    )
    monkeypatch.setitem(FORMATS, "shout", shout)
    write_trajectory(motion(shout), tmp_path / "t.shout", options={"loud": "yes"}, header=HEADER)
    assert (tmp_path / "t.shout").read_text().startswith("DYNIDENT TRAJECTORY FOR WALLY")
