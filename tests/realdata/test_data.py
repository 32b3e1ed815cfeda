"""The recorded logs load as they come: names, clocks and units of three robots."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from dynident.data import (
    ControllerSamples,
    Dataset,
    EffortKind,
    ParallelFilter,
    differentiate,
    is_uniform,
    load_controller_samples,
    load_dataset,
    resample,
)


@pytest.fixture(scope="module")
def panda(shared_data) -> Dataset:
    data = load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz")
    assert isinstance(data, Dataset)
    return data


def test_the_panda_log_needs_no_map(panda):
    assert (panda.samples, panda.n) == (20544, 7)
    steps = np.diff(panda.time)
    assert steps.min() == pytest.approx(0.7e-3)
    assert steps.max() == pytest.approx(8.81e-3)
    assert panda.effort_kind is EffortKind.TORQUE
    assert panda.ddq is None
    assert not is_uniform(panda)


def test_the_pandas_clock_is_made_uniform_without_splitting(panda):
    data = differentiate(resample(panda, 1000.0))
    assert is_uniform(data)
    assert len(data.starts) == 1
    assert data.duration == pytest.approx(panda.duration, abs=2e-3)
    # where packets were lost, a sample repeats and the next one leaps
    assert np.abs(np.interp(data.time, panda.time, panda.q[:, 3]) - data.q[:, 3]).max() < 1e-3
    # positions and velocities were recorded independently: filtered alike, one is the derivative of the other
    band = ParallelFilter(cutoff=5.0, rate_in=1000.0, rate_out=20.0)
    from_q = band.apply(np.gradient(data.q, data.time, axis=0))
    from_dq = band.apply(data.dq)
    assert np.linalg.norm(from_q - from_dq) < 0.01 * np.linalg.norm(from_dq)


def test_the_pandas_model_loads_as_controller_samples(shared_data):
    data = load_controller_samples(shared_data / "panda_gaz2019" / "derived_M_g_1010.npz")
    assert isinstance(data, ControllerSamples)
    assert data.M.shape == (1010, 7, 7)
    assert np.linalg.eigvalsh(data.M).min() > 0
    assert np.abs(data.g[:, 0]).max() < 1e-9


def test_static_configurations_without_a_header(shared_data):
    from dynident.data.formats.registry import read_table

    table = read_table(shared_data / "panda_gaz2019" / "configurations_1010.txt")
    q = np.column_stack(list(table.values()))
    np.testing.assert_allclose(q, load_controller_samples(shared_data / "panda_gaz2019" / "derived_M_g_1010.npz").q, atol=1e-12)


def test_the_kuka_logs_are_one_dataset_with_a_boundary(shared_data):
    files = [shared_data / "kuka_lwr4" / f"measurements_{i}.npz" for i in (1, 2)]
    data = load_dataset(files)
    assert isinstance(data, Dataset)
    assert (data.samples, data.n, data.starts) == (2 * 5027, 7, (0, 5027))
    assert data.time[0] == data.time[5027] == 0.0
    assert data.rate == pytest.approx(200, abs=1)
    with np.load(files[0]) as raw:
        np.testing.assert_array_equal(data.q[:5027], raw["positions"])
        np.testing.assert_array_equal(data.effort[:5027], raw["torques"])
    assert len(resample(data, 200.0).starts) == 2


def test_the_tx40s_motors_through_a_yaml(shared_data, tmp_path):
    source = shared_data / "staubli_tx40"
    R = np.diag([32.0, 32, 45, -48, 45, 32])
    R[5, 4] = 32.0
    recipe = {
        "files": {"q": str(source / "pos_read_data.csv"), "effort": str(source / "curr_data.csv")},
        "sampling_rate": 5000,
        "effort_kind": "torque",
        "gear_ratios": R.tolist(),
        "offsets": [0, "-pi/2", "pi/2", 0, 0, 0],
    }
    (tmp_path / "tx40.yaml").write_text(yaml.safe_dump(recipe))
    data = load_dataset(tmp_path / "tx40.yaml")
    assert isinstance(data, Dataset)
    assert (data.samples, data.n) == (45000, 6)
    assert data.duration == pytest.approx(9.0, abs=1e-3)
    motor = np.loadtxt(source / "pos_read_data.csv", delimiter=",", skiprows=1)
    current = np.loadtxt(source / "curr_data.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(data.q, motor @ np.linalg.inv(R).T + [0, -np.pi / 2, np.pi / 2, 0, 0, 0], atol=1e-12)
    Rt = np.diag([32.0, 32, 45, -48, 45, 32])
    Rt[4, 5] = 32.0
    np.testing.assert_allclose(data.effort, current @ Rt.T, atol=1e-10)
    assert np.abs(data.q[0]).max() < 0.01  # the recording starts upright
