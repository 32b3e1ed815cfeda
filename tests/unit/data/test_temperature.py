"""Temperatures of joints: a channel like the others, which a log may lack."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident.data import Dataset, load_dataset, low_pass, resample, write_dataset
from dynident.errors import FileError, ShapeError
from tests.facts import raises

N = 50
TIME = 0.01 * np.arange(N)
Q = np.random.default_rng(0).normal(size=(N, 2))
WARM = np.linspace(20.0, 30.0, N)


def log(**changes: object) -> Dataset:
    return Dataset(**{"time": TIME, "q": Q, "effort": Q, "effort_kind": "torque"} | changes)


@pytest.mark.parametrize("shape", [(N,), (N, 1), (N, 2)])
def test_one_thermometer_may_be_for_all_joints(shape):
    given = np.broadcast_to(WARM if len(shape) == 1 else WARM[:, None], shape)
    np.testing.assert_array_equal(log(temperature=given).temperature, np.stack([WARM, WARM], axis=1))


def test_another_number_of_them_is_refused():
    with raises(ShapeError, name="temperature", shape=(50, 3)):
        log(temperature=np.ones((N, 3)))


def test_it_goes_where_the_samples_go():
    both = np.stack([WARM, WARM + 5.0], axis=1)
    data = log(temperature=both)
    np.testing.assert_array_equal(data.part(0.5, 1.0).temperature, both[N // 2 :])
    np.testing.assert_array_equal(data.select([1]).temperature, both[:, 1:])
    np.testing.assert_allclose(resample(data, 73.0).temperature[:, 0], np.interp(resample(data, 73.0).time, TIME, WARM))
    assert np.abs(low_pass(data, 5.0).temperature - both)[10:-10].max() < 0.1
    twice = Dataset.concatenate([data, data])
    np.testing.assert_array_equal(twice.temperature, np.concatenate([both, both]))
    assert Dataset.concatenate([data, log()]).temperature is None
    assert data.records()[-1]["temperature_joint2"] == 35.0


@pytest.mark.parametrize("suffix", ["npz", "csv", "parquet"])
def test_files_bring_it_back(tmp_path, suffix):
    data = log(temperature=np.stack([WARM, WARM + 5.0], axis=1))
    write_dataset(data, tmp_path / f"log.{suffix}")
    np.testing.assert_array_equal(load_dataset(tmp_path / f"log.{suffix}").temperature, data.temperature)


def csv(folder: Path, **columns: np.ndarray) -> Path:
    path = folder / "log.csv"
    named = {"time": TIME, "q1": Q[:, 0], "q2": Q[:, 1], **columns}
    np.savetxt(path, np.column_stack(list(named.values())), delimiter=",", header=",".join(named), comments="", fmt="%.12g")
    return path


def test_columns_are_known_by_their_names(tmp_path):
    file = csv(tmp_path, temp1=WARM, temp2=WARM + 5.0)
    np.testing.assert_allclose(load_dataset(file).temperature, np.stack([WARM, WARM + 5.0], axis=1))
    assert load_dataset(file, columns={"temperature": ""}).temperature is None
    np.testing.assert_allclose(load_dataset(csv(tmp_path, temperature=WARM)).temperature[:, 1], WARM)
    np.testing.assert_allclose(load_dataset(csv(tmp_path, oil=WARM), columns={"temperature": "oil"}).temperature[:, 1], WARM)


def test_those_of_other_things_are_left_alone_unless_asked_for(tmp_path):
    file = csv(tmp_path, temp1=WARM, temp2=WARM, temp3=WARM)
    assert load_dataset(file).temperature is None
    with raises(FileError, "temperature", "(50, 3)", "(50, 2)"):
        load_dataset(file, columns={"temperature": "temp*"})


def test_kelvins_become_degrees(tmp_path):
    file = csv(tmp_path, temperature=WARM + 273.15)
    np.testing.assert_allclose(load_dataset(file, units={"temperature": "K"}).temperature[:, 0], WARM)
    with raises(FileError, 298.1, "°C", remedy={"units": {"temperature": "K"}, "columns": {"temperature": ""}}):
        load_dataset(file)


def test_a_missing_value_is_called_that(tmp_path):
    file = csv(tmp_path, temperature=np.where(np.arange(len(WARM)) == 3, np.nan, WARM))
    with raises(FileError, "temperature", 3):
        load_dataset(file)


def test_universal_robots_log_temperatures(tmp_path):
    path = tmp_path / "rtde.csv"
    names = [f"{name}_{j}" for name in ("actual_q", "actual_qd", "actual_current_as_torque", "joint_temperatures") for j in (0, 1)]
    rows = np.column_stack([TIME, Q, Q, Q, WARM, WARM + 5.0])
    np.savetxt(path, rows, delimiter=" ", header=" ".join(["timestamp", *names]), comments="", fmt="%.12g")
    np.testing.assert_allclose(load_dataset(path, preset="ur_rtde_torque").temperature, rows[:, -2:])
