"""load_dataset: names, maps, units, the YAML beside the data, many files, and what it says about unusable ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from dynident.core.options import OptionError
from dynident.data import ControllerSamples, Dataset, EffortKind, load_controller_samples, load_dataset, load_recording, low_pass
from dynident.errors import FileError, InputError, MissingFileError, UnknownNameError, ValueRangeError
from tests.facts import carries, raises

N = 6
TIME = 0.1 * np.arange(N)
Q = np.arange(2.0 * N).reshape(N, 2) / 10


def npz(folder: Path, name: str = "log.npz", **arrays: Any) -> Path:
    file = folder / name
    np.savez(file, **arrays)
    return file


def beside(file: Path, **content: Any) -> None:
    file.with_name(file.name + ".yaml").write_text(yaml.safe_dump(content))


def test_names_of_the_papers_and_plain_ones(tmp_path):
    for names in (("t", "q", "dq", "ddq", "tau"), ("times", "positions", "velocities", "accelerations", "torques")):
        arrays = dict(zip(names, (TIME, Q, 2 * Q, 3 * Q, 4 * Q), strict=True))
        data = load_dataset(npz(tmp_path, **arrays, target_positions=np.zeros((N, 2)), note=np.array("text")))
        assert isinstance(data, Dataset)
        for name, factor in (("q", 1), ("dq", 2), ("ddq", 3), ("effort", 4)):
            np.testing.assert_array_equal(getattr(data, name), factor * Q)
        assert data.effort_kind is EffortKind.TORQUE
        assert data.source == "log.npz"


def test_a_file_counts_once(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, tau=Q)
    with raises(FileError, "log.npz", "twice"):
        load_recording([file, tmp_path / "." / "log.npz"])


def test_columns_per_joint_are_sorted_by_number(tmp_path):
    order = [10, 2, 1, *range(3, 10)]
    arrays = {f"q{j}": np.full(N, float(j)) for j in order} | {f"joint{j}_torque": np.full(N, -float(j)) for j in reversed(order)}
    data = load_dataset(npz(tmp_path, t=TIME, **arrays))
    assert data.q[0].tolist() == list(range(1, 11))
    assert data.effort[0].tolist() == [-j for j in range(1, 11)]


def test_numbering_may_start_at_zero_and_one_joint_needs_no_number(tmp_path):
    data = load_dataset(npz(tmp_path, t=TIME, q0=Q[:, 0], q1=Q[:, 1]))
    np.testing.assert_array_equal(data.q, Q)
    assert data.joint_names == ("joint1", "joint2")
    assert load_dataset(npz(tmp_path, t=TIME, q=Q[:, 0], tau=Q[:, 1])).n == 1


def test_names_of_joints_come_from_the_columns(tmp_path):
    file = npz(tmp_path, t=TIME, elbow_joint_pos=Q[:, 0], base_joint_pos=Q[:, 1], elbow_joint_current=Q[:, 0], base_joint_current=Q[:, 1])
    data = load_dataset(file)
    assert data.joint_names == ("elbow_joint", "base_joint")
    assert data.effort_kind is EffortKind.CURRENT
    turned = load_dataset(file, joints=["base_joint", "elbow_joint"])
    np.testing.assert_array_equal(turned.q, Q[:, ::-1])
    with raises(FileError, "joints", "wrist", "elbow_joint", "base_joint"):
        load_dataset(file, joints=["base_joint", "wrist"])


def test_joints_name_or_order_numbered_columns(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q)
    assert load_dataset(file, joints=["a", "b"]).joint_names == ("a", "b")
    np.testing.assert_array_equal(load_dataset(file, joints=["joint2", "joint1"]).q, Q[:, ::-1])
    with raises(FileError, "joints", 3, "q", 2):
        load_dataset(file, joints=["a", "b", "c"])


def test_samples_in_columns_are_turned_as_the_clock_says(tmp_path):
    np.testing.assert_array_equal(load_dataset(npz(tmp_path, t=TIME[:, None], q=Q.T, tau=Q.T)).effort, Q)


@pytest.mark.parametrize("pattern", ["pos_*", ["pos_1", "pos_2"], "pos_1:pos_2", ["pos_1", "pos_2*"]])
def test_maps(tmp_path, pattern):
    file = npz(tmp_path, clock=TIME, pos_1=Q[:, 0], pos_2=Q[:, 1], load=Q)
    data = load_dataset(file, columns={"q": pattern, "time": "clock", "torque": "load"})
    np.testing.assert_array_equal(data.q, Q)
    np.testing.assert_array_equal(data.time, TIME)
    assert data.effort_kind is EffortKind.TORQUE


def test_a_map_wins_over_names(tmp_path):
    data = load_dataset(npz(tmp_path, t=TIME, q=Q, motor=3 * Q), columns={"q": "motor"})
    np.testing.assert_array_equal(data.q, 3 * Q)


@pytest.mark.parametrize("nothing", [None, [], "none", ["none"]])
def test_a_quantity_without_columns_is_ignored(tmp_path, nothing):
    file = npz(tmp_path, t=TIME, q=Q, dq=2 * Q, ddq=3 * Q, tau=4 * Q, current=5 * Q)
    data = load_dataset(file, columns={"ddq": nothing, "current": nothing})
    assert (data.ddq, data.effort_kind) == (None, EffortKind.TORQUE)
    np.testing.assert_array_equal(data.dq, 2 * Q)
    beside(file, columns={"qd": nothing, "effort": nothing})
    data = load_dataset(file)
    assert data.dq is None
    assert data.effort is None
    np.testing.assert_array_equal(load_dataset(file, columns={"qd": "dq"}).dq, 2 * Q)
    with raises(FileError, "q", "ignored", place="columns.q"):
        load_dataset(file, columns={"q": nothing})


def test_a_quantity_of_its_own_file_is_ignored_too(tmp_path):
    for name, factor in (("q", 1.0), ("dq", 2.0)):
        np.savetxt(tmp_path / f"{name}.csv", factor * Q, delimiter=",", header="a,b", comments="")
    (tmp_path / "log.yaml").write_text(yaml.safe_dump({"files": {"q": "q.csv", "dq": "dq.csv"}, "sampling_rate": 10}))
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.yaml").dq, 2 * Q)
    assert load_dataset(tmp_path / "log.yaml", columns={"dq": None}).dq is None


def test_what_a_map_can_get_wrong(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q)
    with raises(FileError, "pos_*", "q", remedy={"columns": {"q": "..."}}):
        load_dataset(file, columns={"q": "pos_*"})
    with raises(FileError, "x", "q", remedy={"columns": {"q": "..."}}):
        load_dataset(file, columns={"q": ["q", "x"]})
    with raises(UnknownNameError, kind="quantity", name="angle"):
        load_dataset(file, columns={"angle": "q"})
    with raises(FileError, "q", "twice", place="columns.position"):
        load_dataset(file, columns={"q": "q", "position": "q"})


def test_missing_columns_list_those_found(tmp_path):
    with raises(FileError, "q", "angle1", "angle2", remedy={"columns": {"q": "..."}}):
        load_dataset(npz(tmp_path, t=TIME, angle1=Q[:, 0], angle2=Q[:, 1]))
    with raises(FileError, "time", "[Hz]", remedy={"columns": {"time": "..."}, "sampling_rate": 1000.0}):
        load_dataset(npz(tmp_path, q=Q))


def test_ambiguous_names_are_refused(tmp_path):
    with raises(FileError, "q", "positions", remedy={"columns": {"q": "..."}}):
        load_dataset(npz(tmp_path, t=TIME, q=Q, positions=Q))
    both = npz(tmp_path, t=TIME, q=Q, tau=Q, current=2 * Q)
    with raises(FileError, "torque", "current", "tau", remedy={"effort_kind": "torque", "columns": {"effort": "..."}}):
        load_dataset(both)
    np.testing.assert_array_equal(load_dataset(both, effort_kind="current").effort, 2 * Q)
    with raises(FileError, "q", 2, "dq", 1, remedy={"columns": {"dq": "..."}}):
        load_dataset(npz(tmp_path, t=TIME, q1=TIME, q2=TIME, dq1=TIME))
    with raises(FileError, "q", 1, 3, "gap", remedy={"columns": {"q": "..."}}):
        load_dataset(npz(tmp_path, t=TIME, q1=TIME, q3=TIME))


def test_an_effort_whose_kind_is_unknown_is_refused(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, load=Q)
    with raises(FileError, "effort", remedy={"effort_kind": "torque"}):
        load_dataset(file, columns={"effort": "load"})
    assert load_dataset(file, columns={"effort": "load"}, effort_kind="magnitude").effort_kind is EffortKind.MAGNITUDE
    assert load_dataset(file, columns={"effort": "load"}, units={"effort": "mA"}).effort_kind is EffortKind.CURRENT
    assert load_dataset(file, columns={"effort": "load"}, units={"effort": "Nm"}).effort_kind is EffortKind.TORQUE
    with raises(FileError, "effort", "torque", "A"):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=Q), units={"effort": "A"})
    with raises(OptionError, name="effort_kind", value="volts"):
        load_dataset(file, effort_kind="volts")


def test_units(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, dq=Q, ddq=Q, tau=Q)
    units = {"time": "ms", "q": "deg", "dq": "rpm", "ddq": "deg/s²", "tau": "mN·m"}
    data = load_dataset(file, units=units)
    np.testing.assert_allclose(data.time, TIME / 1000)
    np.testing.assert_allclose(data.q, np.radians(Q))
    np.testing.assert_allclose(data.dq, Q * 2 * np.pi / 60)
    np.testing.assert_allclose(data.ddq, np.radians(Q))
    np.testing.assert_allclose(data.effort, Q / 1000)
    mixed = load_dataset(file, units={"q": ["rev", "mm"], "dq": ["rev/s", "mm/s"], "ddq": ["rev/s^2", "mm/s2"]})
    np.testing.assert_allclose(mixed.q, Q * [2 * np.pi, 1e-3])


def test_units_are_checked(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, dq=Q)
    with raises(UnknownNameError, "rad", "mrad", "deg", kind="unit of q", name="degrees"):
        load_dataset(file, units={"q": "degrees"})
    with raises(UnknownNameError, "ms", "us", kind="unit of time", name="deg"):
        load_dataset(file, units={"time": "deg"})
    with raises(FileError, "q", "deg", "dq", remedy={"units": {"dq": "deg/s"}}):
        load_dataset(file, units={"q": "deg"})
    with raises(FileError, "q", 3, 2):
        load_dataset(file, units={"q": ["rad"] * 3})
    with raises(UnknownNameError, kind="quantity with a unit", name="mask"):
        load_dataset(file, units={"mask": "s"})


def test_dates_become_times_since_the_start(tmp_path):
    seconds = load_dataset(npz(tmp_path, times=1.46e9 + TIME, q=Q))
    np.testing.assert_allclose(seconds.time, TIME, atol=1e-6)
    nanoseconds = 1_700_000_000_123_456_789 + np.arange(N) * 1_000_001
    np.testing.assert_array_equal(
        load_dataset(npz(tmp_path, t=nanoseconds, q=Q), units={"time": "ns"}).time, np.arange(N) * 1_000_001 * 1e-9
    )
    np.testing.assert_array_equal(load_dataset(npz(tmp_path, t=5 + TIME, q=Q)).time, 5 + TIME)


def test_absurd_torques_hint_at_the_unit(tmp_path):
    with raises(FileError, "effort", "1.55e+07", remedy={"units": {"effort": "mNm"}}):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=1e7 * (1 + Q)))
    assert load_dataset(npz(tmp_path, t=TIME, q=Q, tau=1e7 * Q), units={"effort": "mNm"}).effort.max() < 1.2e4
    with raises(FileError, "effort", 0, remedy={"units": {"effort": "kNm"}}):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=0 * Q))


def test_a_yaml_beside_the_data(tmp_path):
    file = npz(tmp_path, motor=Q, amps=Q, stamp_ms=1000 * TIME)
    beside(
        file,
        columns={"q": "motor", "effort": "amps", "time": "stamp_ms"},
        units={"time": "ms"},
        joints=["a", "b"],
        signs=[1, -1],
        gear_ratios=[10, 20],
        offsets=["pi/2", 1e-3],
        effort_kind="torque",
        skip=2,
    )
    data = load_dataset(file)
    np.testing.assert_allclose(data.time, TIME[2:])
    np.testing.assert_allclose(data.q, (Q * [1 / 10, -1 / 20] + [np.pi / 2, 1e-3])[2:])
    np.testing.assert_allclose(data.effort, (Q * [10, -20])[2:])
    assert data.joint_names == ("a", "b")
    assert load_dataset(file, joints=["c", "d"], units={"time": "s"}).rate == pytest.approx(0.01)


def test_coupled_motors_conserve_power(tmp_path):
    rng = np.random.default_rng(0)
    R = np.array([[45.0, 0.0], [32.0, 32.0]])
    file = npz(tmp_path, t=TIME, q=rng.normal(size=(N, 2)), dq=rng.normal(size=(N, 2)), tau=rng.normal(size=(N, 2)))
    motor = load_dataset(file)
    beside(file, gear_ratios=R.tolist())
    joint = load_dataset(file)
    np.testing.assert_allclose(joint.q @ R.T, motor.q)
    np.testing.assert_allclose(joint.effort, motor.effort @ R)
    np.testing.assert_allclose((joint.effort * joint.dq).sum(axis=1), (motor.effort * motor.dq).sum(axis=1))
    beside(file, motor_to_joint=np.linalg.inv(R).tolist())
    np.testing.assert_allclose(load_dataset(file).effort, joint.effort)


def test_magnitudes_keep_their_sign_and_refuse_coupling(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, magnitude=Q)
    beside(file, gear_ratios=[-2, 3], signs=[1, -1])
    np.testing.assert_allclose(load_dataset(file).effort, Q * [2, 3])
    beside(file, gear_ratios=[[1, 1], [0, 1]])
    with raises(FileError, "motor_to_joint", "magnitude", "signs"):
        load_dataset(file)


def test_gains_make_currents_torques(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, current=4 * Q)
    assert load_dataset(file).effort_kind is EffortKind.CURRENT
    data = load_dataset(file, effort_gains=[14.9, -12.0], units={"effort": "mA"})
    assert data.effort_kind is EffortKind.TORQUE
    np.testing.assert_allclose(data.effort, 4e-3 * Q * [14.9, -12.0])
    np.testing.assert_array_equal(load_dataset(file, effort_gains=2.0).effort, 8 * Q)
    beside(file, effort_gains=[3, -2], gear_ratios=[10, -5])
    np.testing.assert_allclose(load_dataset(file).effort, 4 * Q * [30.0, 10.0])
    np.testing.assert_allclose(load_dataset(file, effort_gains=1.0).effort, 4 * Q * [10.0, -5.0])
    load = npz(tmp_path, "load.npz", t=TIME, q=Q, load=Q)
    beside(load, columns={"effort": "load"}, effort_gains=5)
    assert load_dataset(load).effort_kind is EffortKind.TORQUE  # which the name alone doesn't say
    magnitude = load_dataset(npz(tmp_path, "abs.npz", t=TIME, q=Q, abs_tau=Q), effort_gains=[-1.0, 2.0])
    assert magnitude.effort_kind is EffortKind.MAGNITUDE
    np.testing.assert_array_equal(magnitude.effort, Q * [1.0, 2.0])


def test_the_magnitude_of_a_current_is_told_by_its_name_or_unit(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, current=4 * Q)
    assert load_dataset(file, effort_kind="magnitude").effort_kind is EffortKind.CURRENT_MAGNITUDE
    assert load_dataset(npz(tmp_path, "abs.npz", t=TIME, q=Q, abs_current=Q)).effort_kind is EffortKind.CURRENT_MAGNITUDE
    load = npz(tmp_path, "load.npz", t=TIME, q=Q, load=Q)
    by_unit = load_dataset(load, columns={"effort": "load"}, effort_kind="magnitude", units={"effort": "mA"})
    assert by_unit.effort_kind is EffortKind.CURRENT_MAGNITUDE
    np.testing.assert_allclose(by_unit.effort, 1e-3 * Q)
    torque = load_dataset(file, effort_kind="magnitude", effort_gains=[2.0, -3.0])
    assert torque.effort_kind is EffortKind.MAGNITUDE
    np.testing.assert_array_equal(torque.effort, 4 * Q * [2.0, 3.0])
    with raises(FileError, "effort", "current_magnitude", "Nm"):
        load_dataset(file, effort_kind="magnitude", units={"effort": "Nm"})


def test_signs_of_efforts_are_separate_from_those_of_positions(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, dq=Q, tau=Q)
    data = load_dataset(file, effort_signs=[1, -1])
    np.testing.assert_array_equal(data.effort, Q * [1, -1])
    np.testing.assert_array_equal(data.q, Q)
    beside(file, signs=[-1, -1])
    np.testing.assert_array_equal(load_dataset(file).effort, -Q)
    np.testing.assert_array_equal(load_dataset(file, effort_gains=[2.0, -2.0]).effort, Q * [-2.0, 2.0])
    data = load_dataset(file, effort_signs=1)
    np.testing.assert_array_equal(data.effort, Q)
    np.testing.assert_array_equal(data.dq, -Q)


@pytest.mark.parametrize(
    ("given", "kind", "facts"),
    [
        ({"effort_gains": 0.0}, OptionError, ("effort_gains", 0)),
        ({"effort_gains": [1.0, np.nan]}, OptionError, ("effort_gains[1]", "nan", 0)),
        ({"effort_gains": [1.0, 2.0, 3.0]}, FileError, ("effort_gains", 3, 2)),
        ({"effort_signs": [1, 2]}, OptionError, ("effort_signs[1]", 1, -1)),
    ],
)
def test_gains_and_signs_are_checked(tmp_path, given, kind, facts):
    with raises(kind, *facts):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=Q), **given)


def test_a_rate_stands_in_for_a_clock(tmp_path):
    file = npz(tmp_path, q=Q)
    beside(file, sampling_rate=50)
    np.testing.assert_allclose(load_dataset(file).time, np.arange(N) / 50)


def test_a_rate_replaces_stamps_that_are_wrong(tmp_path):
    file = npz(tmp_path, t=20 * TIME, q=Q)
    np.testing.assert_allclose(load_dataset(file, sampling_rate=10.0).time, TIME)
    beside(file, sampling_rate=10)
    np.testing.assert_allclose(load_dataset(file).time, TIME)
    with raises(ValueRangeError, -1, name="sampling_rate"):
        load_dataset(file, sampling_rate=-1)


def test_efforts_that_were_stamped_late(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, tau=Q)
    data = load_dataset(file, delay=0.2)
    np.testing.assert_array_equal(data.effort, Q[2:])
    np.testing.assert_array_equal(data.q, Q[:-2])
    assert carries(data.source, "log.npz", 0.2)
    beside(file, delay=[0.1, 0])
    np.testing.assert_array_equal(load_dataset(file).effort, np.column_stack([Q[1:, 0], Q[:-1, 1]]))
    np.testing.assert_array_equal(load_dataset(file, delay=0).effort, Q)
    with raises(FileError, "delay", 3, 2):
        load_dataset(file, delay=[0, 0, 0])
    assert load_dataset(npz(tmp_path, "motion.npz", t=TIME, q=Q), delay=0.2).samples == N, "a motion has no effort to shift"


def test_signals_that_are_filtered_by_themselves(tmp_path):
    rng, time = np.random.default_rng(0), 0.01 * np.arange(600)
    q, effort = rng.normal(size=(2, 600, 2))
    file = npz(tmp_path, t=time, q=q, tau=effort)
    data = load_dataset(file, low_pass={"q": 2.0, "effort": [3.0, 4.0]})
    expected = low_pass(load_dataset(file), {"q": 2.0, "effort": [3.0, 4.0]})
    np.testing.assert_array_equal(data.q, expected.q)
    np.testing.assert_array_equal(data.effort, expected.effort)
    assert carries(data.source, "log.npz", "q", 2, "effort", 3, 4)
    beside(file, low_pass={"q": 2.0, "effort": [3.0, 4.0]}, without=[[1.0, 1.1]])
    both = load_dataset(file, low_pass={"effort": 5.0})
    assert carries(both.source, "log.npz", "without", "1:1.1", "q", 2, "effort", 5, 4)
    uneven = npz(tmp_path, "uneven.npz", t=time + 0.002 * rng.uniform(size=600), q=q, tau=effort)
    assert "resampled" in load_dataset(uneven, low_pass={"q": 2.0}).source
    with raises(FileError, "ddq", "q", "effort", "filter"):
        load_dataset(uneven, low_pass={"ddq": 2.0})
    samples = npz(tmp_path, "samples.npz", q=q, g=effort)
    with raises(FileError, "M", "g", "low-passes", "signs", "offsets"):
        load_recording(samples, low_pass={"q": 2.0})


def test_what_was_not_measured_can_be_left_out(tmp_path):
    time = np.arange(100) / 100.0
    q, effort = np.sin(time[:, None] * [3.0, 5.0]), np.cos(time[:, None] * [3.0, 5.0])
    effort[20:31, 1] = np.nan
    file = tmp_path / "log.npz"
    np.savez(file, t=time, q=q, tau=effort)
    with raises(FileError, "effort", "nan", 20):
        load_dataset(file)
    with raises(FileError, "effort", "nan"):
        load_dataset(file, without=[(0.25, 0.35)])
    data = load_dataset(file, without=[(0.195, 0.305)])
    assert np.isfinite(data.effort).all()
    assert data.mask is not None
    assert np.flatnonzero(~data.mask.any(axis=1)).tolist() == list(range(20, 31))
    np.testing.assert_array_equal(data.effort[:20], effort[:20])
    late = load_dataset(file, without=[(0.195, 0.305)], delay=0.05)  # samples from 0.15 s on have efforts that were not measured
    assert late.mask is not None
    assert np.flatnonzero(~late.mask.all(axis=1)).tolist() == list(range(15, 31))


def test_intervals_that_are_left_out(tmp_path):
    file = npz(tmp_path, t=1.7e9 + TIME, q=Q, tau=Q)
    data = load_dataset(file, without=[(0.15, 0.35), (0.45, np.inf)])
    assert np.flatnonzero(data.mask.all(axis=1)).tolist() == [0, 1, 4]
    assert carries(data.source, "log.npz", "without", "0.15:0.35", "0.45:inf")
    beside(file, without=[[0.0, 0.1]])
    assert np.flatnonzero(~load_dataset(file).mask.any(axis=1)).tolist() == [0, 1]
    other = npz(tmp_path, "other.npz", t=TIME, q=Q, tau=Q)
    both = load_dataset([file, other])
    assert int((~both.mask).sum()) == 4, "the YAML of one file is that of one recording"
    with raises(FileError, 2, "without", remedy={"without": {"other.npz": [[0.0, 0.2]]}}):
        load_dataset([file, other], without=[(0.0, 0.2)])
    one = load_dataset([file, other], without={"other.npz": [(0.0, 0.2)]}, delay={"log.npz": 0.1})
    assert one.recording_names == ("log.npz", "other.npz")
    assert np.flatnonzero(~one.mask.any(axis=1)).tolist() == [0, 1, 5, 6, 7]
    np.testing.assert_allclose(one.effort, np.concatenate([Q[1:], Q]), rtol=1e-5)
    with raises(UnknownNameError, "third.npz", "other.npz"):
        load_dataset([file, other], delay={"third.npz": 0.1})
    with raises(FileError, "without", "12.5:13.1", 0, 0.5):
        load_dataset(file, without=[(12.5, 13.1)])
    with raises(FileError, "without", "shorter"):
        load_dataset(file, without=[(-1.0, 2.0)])


@pytest.mark.parametrize(
    ("content", "place", "expected"),
    [
        ({"without": [[3.0, 1.0]]}, "without", "A:B, numbers [s] with A < B"),
        ({"delay": "late"}, "delay", "a finite number [s]"),
        ({"low_pass": {"x": 1.0}}, "low_pass", "q, dq, ddq or effort"),
        ({"low_pass": {"q": -1.0}}, "low_pass.q", "a number [Hz] above 0"),
        ({"low_pass": 1.0}, "low_pass", "a mapping"),
        ({"signs": [1, 2]}, "signs[1]", "1 or -1"),
        ({"offsets": ["x", 1]}, "offsets[0]", "a finite number [rad | m]"),
        ({"offsets": ["pi/0", 1]}, "offsets[0]", "a finite number [rad | m]"),
        ({"motor_to_joint": [[1, 2]]}, "motor_to_joint", "a square matrix"),
        ({"columns": ["q"]}, "columns", "a mapping"),
        ({"columns": {"q": 3}}, "columns.q", "a text"),
        ({"effort_kind": "force"}, "effort_kind", "torque, current, magnitude, current_magnitude or none"),
        ({"effort_kind": 3}, "effort_kind", "torque, current"),
        ({"sampling_rate": -1}, "sampling_rate", "a number [Hz] from 0.001 to 1e+07"),
        ({"skip": 1.5}, "skip", "a whole number of at least 0"),
        ({"files": {"q": ["a"]}}, "files.q", "a text"),
    ],
)
def test_values_in_the_yaml_are_checked(tmp_path, content, place, expected):
    file = npz(tmp_path, t=TIME, q=Q, tau=Q)
    beside(file, **content)
    with pytest.raises(FileError) as caught:
        load_dataset(file)
    assert (caught.value.file, caught.value.place) == (f"{file}.yaml", place)
    assert expected in caught.value.message


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ({"unit": {}}, ("log.npz.yaml", "unit", "columns", "units", "joints")),
        ({"signs": [1]}, ("signs", 1, 2)),
        ({"gear_ratios": [1, 0]}, ("gears", "inverted")),
        ({"gear_ratios": [1]}, ("gear_ratios", 1, 2)),
        ({"motor_to_joint": [[1]], "gear_ratios": [1]}, ("gear_ratios", "motor_to_joint", "twice")),
        ({"columns": {"angle": "q"}}, ("log.npz.yaml", "quantity", "angle")),
        ({"units": {"q": "degrees"}}, ("log.npz.yaml", "q", "degrees", "deg")),
        ({"skip": 5}, ("skip", 5, 6, 2)),
        ({"joints": "a"}, ("joints", 1, "q", 2)),
    ],
)
def test_the_yaml_is_checked(tmp_path, content, facts):
    file = npz(tmp_path, t=TIME, q=Q, tau=Q)
    beside(file, **content)
    with raises(FileError, *facts):
        load_dataset(file)


def test_a_folder_is_one_dataset_in_natural_order(tmp_path):
    for number in (10, 2):
        npz(tmp_path, f"run{number}.npz", stamp=TIME, q=number * (1 + Q))
    (tmp_path / "dataset.yaml").write_text("columns: {time: stamp}")
    (tmp_path / "README.md").write_text("notes")
    data = load_dataset(tmp_path)
    assert data.starts == (0, N)
    assert data.source == "run2.npz; run10.npz"
    assert data.q[0, 0] == 2
    np.testing.assert_array_equal(load_dataset(tmp_path / "run10.npz").q, data.q[N:])
    listed = load_dataset([tmp_path / "run10.npz", tmp_path / "run2.npz"])
    assert listed.q[0, 0] == 10


def test_files_that_do_not_fit_together(tmp_path):
    a, b = npz(tmp_path, "a.npz", t=TIME, q=Q, tau=Q), npz(tmp_path, "b.npz", q=Q, g=Q)
    with raises(FileError, "b.npz", "q", "M", "g", "a.npz"):
        load_dataset([a, b])
    with raises(FileError, "no", "file", file="data"):
        load_dataset([])
    empty = tmp_path / "empty"
    empty.mkdir()
    with raises(FileError, "no", ".csv", ".tsv"):
        load_dataset(empty)
    with raises(MissingFileError, file=str(tmp_path / "absent.npz")):
        load_dataset(tmp_path / "absent.npz")
    (tmp_path / "a.doc").touch()
    with raises(FileError, ".doc", ".csv"):
        load_dataset(tmp_path / "a.doc")


def test_a_yaml_that_lists_the_files(tmp_path):
    npz(tmp_path, "a.npz", t=TIME, q=Q)
    npz(tmp_path, "b.npz", t=TIME, q=Q)
    recipe = tmp_path / "experiment.yaml"
    recipe.write_text("files: [b.npz, a.npz]\nskip: 1")
    assert load_dataset(recipe).source == "b.npz; a.npz"
    assert load_dataset(recipe).samples == 2 * (N - 1)
    recipe.write_text("skip: 1")
    with raises(FileError, "no", "files"):
        load_dataset(recipe)


def test_a_file_per_quantity(tmp_path):
    header = "Joint_1,Joint_2"
    np.savetxt(tmp_path / "pos.csv", Q, delimiter=",", header=header, comments="")
    np.savetxt(tmp_path / "load.csv", 2 * Q, delimiter=",", header=header, comments="")
    (tmp_path / "dataset.yaml").write_text("files: {q: pos.csv, effort: load.csv}\nsampling_rate: 10\neffort_kind: torque")
    data = load_dataset(tmp_path)
    np.testing.assert_allclose(data.q, Q)
    np.testing.assert_allclose(data.effort, 2 * Q)
    np.testing.assert_allclose(data.time, TIME)
    np.savetxt(tmp_path / "pos.csv", np.column_stack([2 * TIME, Q]), delimiter=",", header="time," + header, comments="")
    np.testing.assert_allclose(load_dataset(tmp_path).time, TIME)  # the rate replaces the stamps
    (tmp_path / "dataset.yaml").write_text("files: {q: pos.csv, effort: load.csv}\neffort_kind: torque")
    np.testing.assert_allclose(load_dataset(tmp_path).time, 2 * TIME)
    (tmp_path / "dataset.yaml").write_text("files: {effort: load.csv}\nsampling_rate: 10\neffort_kind: torque")
    with raises(FileError, "q", "missing", place="files"):
        load_dataset(tmp_path)


def test_controller_samples(tmp_path):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(N, 2, 2))
    M = A @ A.transpose(0, 2, 1)
    for arrays in (
        {"M": M},
        {"M": M.reshape(N, 4)},
        {"M": np.moveaxis(M, 0, 2)},
        {"M11": M[:, 0, 0], "M21": M[:, 1, 0], "M22": M[:, 1, 1]},
        {"M_0_0": M[:, 0, 0], "M_0_1": M[:, 1, 0], "M_1_1": M[:, 1, 1]},
    ):
        data = load_controller_samples(npz(tmp_path, q=Q, g=Q, **arrays))
        assert isinstance(data, ControllerSamples)
        np.testing.assert_array_equal(data.M, M)
        np.testing.assert_array_equal(data.g, Q)
    assert load_controller_samples(npz(tmp_path, q=Q, g=Q)).M is None
    assert load_controller_samples(npz(tmp_path, q=Q, g=Q, dq=Q, c=Q)).c is not None
    assert load_controller_samples(npz(tmp_path, q=Q, M=M), joints=["joint2", "joint1"]).M[0, 0, 0] == M[0, 1, 1]
    assert isinstance(load_dataset(npz(tmp_path, t=TIME, q=Q, g=Q, tau=Q)), Dataset)
    with raises(FileError, "M", "M12", "2 x 2"):
        load_controller_samples(npz(tmp_path, q=Q, M11=TIME, M22=TIME))
    file = npz(tmp_path, q=Q, g=Q)
    beside(file, signs=[1, -1])
    with raises(FileError, "M", "g", "gear", "signs", "offsets"):
        load_dataset(file)
    log = npz(tmp_path, "motion.npz", t=TIME, q=Q, tau=Q)
    with raises(FileError, "M", "g", "load_dataset"):
        load_controller_samples(log)
    samples = npz(tmp_path, "model.npz", q=Q, g=Q)
    with raises(FileError, "q", "g", "load_controller_samples"):
        load_dataset(samples)
    assert isinstance(load_recording(samples), ControllerSamples)


@pytest.mark.parametrize("starts", [[0.0, np.nan], [0.0, np.inf], [0.0, 2.5]])
def test_segments_begin_at_samples(tmp_path, starts):
    with raises(FileError, "segments", "whole", place="starts"):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=Q, starts=starts))
    assert load_dataset(npz(tmp_path, t=TIME, q=Q, tau=Q, starts=[0.0, 3.0])).starts == (0, 3)


def test_an_element_of_the_inertia_matrix_is_a_number_per_sample(tmp_path):
    elements = {"M11": np.ones(N), "M12": np.zeros(N), "M22": np.ones(N)}
    with raises(FileError, 6, 2, place="M11"):
        load_controller_samples(npz(tmp_path, q=Q, **elements | {"M11": np.ones((N, 2))}))
    with raises(FileError, 5, place="M22"):
        load_controller_samples(npz(tmp_path, q=Q, **elements | {"M22": np.ones(N - 1)}))
    column = load_controller_samples(npz(tmp_path, q=Q, **elements | {"M11": np.ones((N, 1))}))
    np.testing.assert_array_equal(column.M, np.tile(np.eye(2), (N, 1, 1)))


def test_one_array_under_the_name_of_an_archive(tmp_path):
    with (tmp_path / "log.npz").open("wb") as stream:
        np.save(stream, Q)
    with raises(FileError, "numpy.savez"):
        load_dataset(tmp_path / "log.npz")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_are_times(tmp_path, unit):
    ticks = np.round(TIME * {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit] * 10).astype(np.int64)
    columns = {"time": pa.array(ticks, pa.duration(unit)), "q1": Q[:, 0], "tau1": Q[:, 1]}
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    np.testing.assert_allclose(load_dataset(tmp_path / "log.parquet").time, 10 * TIME, atol=1e-9)
    parquet.write_table(pa.table(columns | {"q1": columns["time"], "time": TIME}), tmp_path / "log.parquet")
    with raises(FileError, "durations", place="q1"):
        load_dataset(tmp_path / "log.parquet")


def test_the_unit_of_nothing(tmp_path):
    with raises(UnknownNameError, kind="quantity", name="speed", remedy={"units": {"q": "deg"}}):
        load_dataset(npz(tmp_path, t=TIME, q=Q, tau=Q), units={"speed": "deg"})


def test_columns_that_are_no_numbers(tmp_path):
    with raises(FileError, "a", 1, place="q"):
        load_dataset(npz(tmp_path, t=TIME, q=np.array(["a"] * N)))
    with raises(FileError, "lost", 3, place="q"):  # the one that is no number
        load_dataset(npz(tmp_path, t=TIME, q=np.array(["0", "1e-3", "lost", "1", "2", "3"])))
    with raises(FileError, "stored", place="q"):
        load_dataset(npz(tmp_path, t=TIME, q=np.array(["0"] * N)))
    with raises(FileError, "complex", place="q"):
        load_dataset(npz(tmp_path, t=TIME, q=Q * 1j))
    with raises(FileError, "time", "t", remedy={"columns": {"time": "..."}}):
        load_dataset(npz(tmp_path, t=Q, q=Q))
    with raises(FileError, "q", "q2", 6, "q1", 5):
        load_dataset(npz(tmp_path, t=TIME, q1=TIME[1:], q2=TIME))
    with raises(FileError, "segment", 5, "q", 6):
        load_dataset(npz(tmp_path, t=TIME, q=Q, segment=np.ones(5)))


def test_a_column_of_segments(tmp_path):
    data = load_dataset(npz(tmp_path, t=[0, 1, 2, 0, 1, 0], q=Q, segment=[1, 1, 1, 2, 2, 1]))
    assert data.starts == (0, 3, 5)


def test_commanded_columns_are_not_measured_ones(tmp_path):
    arrays = {"joint1_position": Q[:, 0], "target_joint1_position": Q[:, 1], "target_positions": Q, "positions_error": Q}
    np.testing.assert_array_equal(load_dataset(npz(tmp_path, t=TIME, **arrays)).q, Q[:, :1])
    with raises(FileError, "q", "q1", "left_joint_pos", remedy={"columns": {"q": "..."}}):
        load_dataset(npz(tmp_path, t=TIME, q1=TIME, left_joint_pos=TIME))


START = np.datetime64("2024-05-01T12:00:00.020", "ns")


@pytest.mark.parametrize(
    "stamps",
    [
        START + (TIME * 1e9).astype("timedelta64[ns]"),
        (START + (TIME * 1e9).astype("timedelta64[ns]")).astype("datetime64[us]"),
        (TIME * 1e9).astype("timedelta64[ns]"),
    ],
)
def test_dates_and_durations_have_their_unit_in_them(tmp_path, stamps):
    file = npz(tmp_path, t=stamps, q=Q)
    np.testing.assert_allclose(load_dataset(file).time, TIME, atol=1e-12)
    with raises(FileError, "time", "durations"):
        load_dataset(file, units={"time": "ms"})
    with raises(FileError, "durations" if stamps.dtype.kind == "m" else "dates", place="q"):
        load_dataset(npz(tmp_path, t=TIME, q=stamps))


def test_dates_in_a_text_and_in_parquet(tmp_path):
    lines = [f"2024-05-01 12:00:0{0.02 + time:.3f},{q[0]},{q[1]}" for time, q in zip(TIME, Q, strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(["time,q1,q2", *lines]))
    np.testing.assert_allclose(load_dataset(tmp_path / "log.csv").time, TIME, atol=1e-12)
    stamps = pa.array((START + (TIME * 1e9).astype("timedelta64[ns]")).tolist(), pa.timestamp("ns", tz="Europe/Zurich"))
    parquet.write_table(pa.table({"time": stamps, "q1": Q[:, 0]}), tmp_path / "log.parquet")
    np.testing.assert_allclose(load_dataset(tmp_path / "log.parquet").time, TIME, atol=1e-12)


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_dates_in_another_unit_than_seconds_are_named(tmp_path, unit, scale):
    file = npz(tmp_path, t=((1.7e9 + TIME) * scale).astype(np.int64), q=Q)
    with raises(FileError, f"{1.7e9 * scale:.3g}", remedy={"units": {"time": unit}}):
        load_dataset(file)
    np.testing.assert_allclose(load_dataset(file, units={"time": unit}).time, TIME, atol=1e-6)


def test_clocks_that_no_recorder_has(tmp_path):
    q = np.zeros((200, 2))
    with raises(FileError, "time", 1000, remedy={"units": {"time": "ms"}, "sampling_rate": 1000.0}):
        load_dataset(npz(tmp_path, t=1e3 * np.arange(200) + 0.5, q=q))
    with raises(FileError, "time", "1e-07", remedy={"units": {"time": "ms"}, "sampling_rate": 1000.0}):
        load_dataset(npz(tmp_path, t=1e-7 * np.arange(200), q=q))
    counted = npz(tmp_path, t=np.arange(200), q=q)
    with raises(FileError, "time", 1, "whole", remedy={"units": {"time": "ms"}, "sampling_rate": 1000.0}):
        load_dataset(counted)
    assert load_dataset(counted, units={"time": "ms"}).rate == pytest.approx(1000.0)
    assert load_dataset(counted, units={"time": "s"}).rate == pytest.approx(1.0)
    assert load_dataset(counted, sampling_rate=500.0).rate == pytest.approx(500.0)


@pytest.mark.parametrize("name", ["q", "dq", "ddq", "tau"])
def test_absurd_numbers_are_named_where_they_stand(tmp_path, name):
    arrays = {"q": Q, "dq": Q, "ddq": Q, "tau": Q} | {name: np.where(np.arange(2 * N).reshape(N, 2) == 7, -1e200, Q)}
    quantity = "effort" if name == "tau" else name
    with raises(FileError, quantity, "-1e+200", 3, 0.3, "joint2", 1):
        load_dataset(npz(tmp_path, t=TIME, **arrays))


def test_a_controllers_zeros_are_refused(tmp_path):
    with raises(FileError, "M", "zero"):
        load_controller_samples(npz(tmp_path, q=Q, M=np.zeros((N, 2, 2)), g=Q))
    with raises(FileError, "g", "zero"):
        load_controller_samples(npz(tmp_path, q=Q, g=0 * Q))
    horizontal = load_controller_samples(npz(tmp_path, q=Q, M=np.tile(np.eye(2), (N, 1, 1)), g=0 * Q))
    assert not np.any(horizontal.g), "gravity may be zero where there is inertia"


def test_columns_that_have_only_numbers_are_numbered_again_after_they_were_put_in_order(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, tau=2 * Q)
    beside(file, joints=["joint2", "joint1"])
    data = load_dataset(file)
    assert data.joint_names == ("joint1", "joint2")
    np.testing.assert_array_equal(data.q, Q[:, ::-1])
    np.testing.assert_array_equal(data.effort, 2 * Q[:, ::-1])


def test_efforts_in_another_order_than_the_positions(tmp_path):
    file = npz(tmp_path, t=TIME, q=Q, tau=2 * Q)
    beside(file, effort_joints=["joint2", "joint1"], effort_gains=[1.0, 10.0])
    data = load_dataset(file)
    np.testing.assert_array_equal(data.q, Q)
    np.testing.assert_array_equal(data.effort, 2 * Q[:, ::-1] * [1.0, 10.0])
    beside(file, effort_joints=["joint2", "elbow"])
    with raises(FileError, "effort_joints", "joint2", "elbow", "joint1"):
        load_dataset(file)


def test_gears_and_offsets_as_arguments(tmp_path):
    R = np.array([[45.0, 0.0], [32.0, 32.0]])
    motor, torque = np.arange(8.0).reshape(4, 2), np.ones((4, 2))
    np.savez(tmp_path / "log.npz", time=np.arange(4.0), q=motor, tau=torque)
    log = load_dataset(tmp_path / "log.npz", gears=R, offsets=[0.5, 0.0])
    np.testing.assert_allclose(log.q, motor @ np.linalg.inv(R).T + [0.5, 0.0])
    np.testing.assert_allclose(log.effort, torque @ R)
    np.testing.assert_array_equal(log.gears, R)
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.npz", gears=[10, 20]).gears, np.diag([10.0, 20.0]))
    (tmp_path / "log.npz.yaml").write_text("gear_ratios: [10, 20]\nsigns: [1, -1]\n")
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.npz").gears, np.diag([10.0, -20.0]))


@pytest.mark.parametrize(
    ("given", "kind", "name", "fact"),
    [
        ({"gears": [[1, 2], [2, 4]]}, ValueRangeError, "gears", "inverted"),
        ({"gears": [[1, 2, 3]]}, OptionError, "gears", "square"),
        ({"offsets": [float("nan")]}, OptionError, "offsets", "[rad | m]"),
    ],
)
def test_gears_that_no_drive_has(tmp_path, given, kind, name, fact):
    np.savez(tmp_path / "log.npz", time=np.arange(4.0), q=np.zeros((4, 2)), tau=np.ones((4, 2)))
    with raises(kind, fact, name=name):
        load_dataset(tmp_path / "log.npz", **given)


def separate(folder: Path, slow: np.ndarray, effort: np.ndarray, **recipe: Any) -> Path:
    """Positions every 0.1 s, efforts on a clock of their own."""
    np.savetxt(folder / "pos.csv", np.column_stack([TIME, Q]), delimiter=",", header="time,a,b", comments="")
    np.savetxt(folder / "load.csv", np.column_stack([slow, effort]), delimiter=",", header="time,a,b", comments="")
    (folder / "dataset.yaml").write_text(
        yaml.safe_dump({"files": {"q": "pos.csv", "effort": "load.csv"}, "effort_kind": "torque"} | recipe)
    )
    return folder


def test_files_with_clocks_of_their_own_are_put_onto_that_of_the_positions(tmp_path):
    slow = 0.05 + 0.15 * np.arange(5)
    data = load_dataset(separate(tmp_path, slow, np.outer(1 + slow, [1.0, -2.0])))
    np.testing.assert_allclose(data.time, TIME[1:])
    np.testing.assert_allclose(data.q, Q[1:])
    np.testing.assert_allclose(data.effort, np.outer(1 + TIME[1:], [1.0, -2.0]))
    with raises(FileError, "effort", "q", "time", "common"):
        load_dataset(separate(tmp_path, 100 + slow, np.outer(slow, [1.0, 1.0])))
    with raises(FileError, "clock", "effort", "increase"):
        load_dataset(separate(tmp_path, slow[::-1], np.outer(slow, [1.0, 1.0])))
    counted = load_dataset(separate(tmp_path, TIME + 7.0, 3 * Q, sampling_rate=20))
    np.testing.assert_allclose(counted.effort, 3 * Q)


def test_logs_of_one_name_are_told_apart_by_their_folders(tmp_path):
    files = [npz(tmp_path, "other.npz", t=TIME, q=Q, tau=Q)]
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        files.append(npz(tmp_path / folder, t=TIME, q=Q + len(files), tau=Q))
    assert load_dataset(files).recording_names == ("other.npz", "a/log.npz", "b/log.npz")
    data = load_dataset(files, without={"b/log.npz": [(0.15, 0.25)]}, delay={"log.npz": 0.1})
    use = dict(data.by_recording())
    assert [part.mask is None or bool(part.mask.all()) for part in use.values()] == [True, True, False]
    assert [part.samples for part in use.values()] == [N, N - 1, N - 1]
    with raises(InputError, "log.npz", 2, remedy={"without": {"b/log.npz": [[0.15, 0.25]]}}):
        load_dataset(files, without={"log.npz": [(0.15, 0.25)]})


def test_a_log_in_several_files_goes_by_the_yaml_that_lists_them(tmp_path):
    for log in ("one", "two"):
        for name, values in (("q", Q), ("tau", 2.0 * Q if log == "one" else Q)):
            np.savetxt(tmp_path / f"{log}_{name}.csv", values, delimiter=",")
        content = {"files": {"q": f"{log}_q.csv", "torque": f"{log}_tau.csv"}, "sampling_rate": 10.0, "effort_kind": "torque"}
        (tmp_path / f"{log}.yaml").write_text(yaml.safe_dump(content))
    files = [tmp_path / "one.yaml", tmp_path / "two.yaml"]
    assert load_dataset(files).recording_names == ("one.yaml", "two.yaml")
    assert load_dataset(files, delay={"two.yaml": 0.1}).samples == 2 * N - 1
    with raises(UnknownNameError, "two_q.csv", "two.yaml"):
        load_dataset(files, delay={"two_q.csv": 0.1})


def test_a_file_that_was_silent_for_long_says_nothing_there(tmp_path):
    time, slow = 0.01 * np.arange(200), 0.005 + 0.01 * np.delete(np.arange(199), np.arange(60, 90))
    for name, stamps in (("pos", time), ("load", slow)):
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([stamps, stamps]), delimiter=",", header="time,a", comments="")
    content = {"files": {"q": "pos.csv", "effort": "load.csv"}, "effort_kind": "torque"}
    (tmp_path / "log.yaml").write_text(yaml.safe_dump(content))
    data = load_dataset(tmp_path / "log.yaml")
    unused = data.time[~data.in_use[:, 0]]
    assert (round(unused.min(), 3), round(unused.max(), 3), len(unused)) == (0.6, 0.9, 31)
