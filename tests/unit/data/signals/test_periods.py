"""Logs with marked repetitions: which samples are used, and the mean of them."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.data import Dataset, average_periods, keep_periods, load_dataset, resample, write_dataset
from dynident.data.signals.periods import marks_at
from dynident.errors import InputError, ValueRangeError
from tests.facts import carries, raises

RATE, PERIOD = 100.0, 4.0


def log(
    repeats: int = 5, *, noise: float = 0.0, seed: int = 0, jitter: float = 0.0, late: float = 0.0, period: float = PERIOD, n: int = 2
) -> Dataset:
    """One second of standing, the repetitions of a motion, and one second of standing; `late` : the clock's offset to the marks [s]."""
    rng = np.random.default_rng(seed)
    time = np.arange(round((repeats * period + 2.0) * RATE) + 1) / RATE
    stamps = time + jitter * rng.uniform(-0.5, 0.5, len(time)) / RATE
    phase = 2 * np.pi * (stamps - 1.0 - late) / period
    q = np.column_stack([np.sin((j + 1) * phase) for j in range(n)])
    marks = np.floor((stamps - 1.0 + 1e-9) / period).astype(int) + 1
    return Dataset(
        time=stamps,
        q=q + noise * rng.normal(size=q.shape),
        effort=np.cos(phase)[:, None] + noise * rng.normal(size=q.shape),
        effort_kind="torque",
        period=np.where((marks >= 1) & (marks <= repeats), marks, 0),
    )


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_marks_are_read_as_they_were_written(tmp_path, suffix):
    write_dataset(log(), tmp_path / f"log{suffix}")
    read = load_dataset(tmp_path / f"log{suffix}")
    np.testing.assert_array_equal(read.period, log().period)
    assert carries(" ".join(str(read).split()).replace("91%", "90%"), "90%", 5)


def test_a_column_of_that_name_that_numbers_nothing_is_left_alone(tmp_path):
    (tmp_path / "log.csv").write_text("time,q1,period\n0,0.1,0.001\n1,0.2,0.001\n2,0.3,0.002\n")
    assert load_dataset(tmp_path / "log.csv").period is None
    (tmp_path / "log.csv").write_text("time,q1,period\n0,0.1,0\n1,0.2,0\n2,0.3,0\n")
    assert load_dataset(tmp_path / "log.csv").period is None


def test_parts_joints_and_other_clocks_keep_the_marks():
    data = log()
    half = data.part(0.5, 1.0)
    np.testing.assert_array_equal(half.period, data.period[-half.samples :])
    np.testing.assert_array_equal(data.select([1]).period, data.period)
    fast = resample(data, 4 * RATE)
    np.testing.assert_array_equal(fast.period[::4], data.period)
    np.testing.assert_array_equal(marks_at(data, np.array([0.5, 1.0, 4.999, 5.0, 20.999, 21.0, 99.0])), [0, 1, 1, 2, 5, 0, 0])
    plain = Dataset(time=[0.0, 1.0], q=[[0.0, 0.0]] * 2, effort=[[0.0, 0.0]] * 2, effort_kind="torque")
    joined = Dataset.concatenate([data, plain])
    np.testing.assert_array_equal(joined.period[-2:], 1)
    assert marks_at(plain, np.array([0.0])) is None


def test_only_whole_periods_are_used_and_no_sample_is_cut():
    data = log()
    kept = keep_periods(data)
    assert kept.samples == data.samples
    np.testing.assert_array_equal(kept.mask, np.repeat(data.period[:, None] > 0, 2, axis=1))
    np.testing.assert_array_equal(keep_periods(data, 2, 4).mask[:, 0], (data.period >= 2) & (data.period <= 4))
    np.testing.assert_array_equal(keep_periods(keep_periods(data, 2, 4), 4).mask[:, 0], data.period == 4)
    with raises(ValueRangeError, "6:6", 1, 5, name="periods"):
        keep_periods(data, 6, 6)
    with raises(InputError, "period", "column"):
        keep_periods(Dataset(time=data.time, q=data.q))


def test_the_mean_of_equal_periods_is_the_period():
    mean = average_periods(log())
    assert (mean.samples, int(mean.mask[:, 0].sum())) == (1200, 400)
    np.testing.assert_allclose(mean.q[mean.period == 1], log().q[100:500], atol=1e-12)
    np.testing.assert_allclose(mean.q[:400], mean.q[400:800])
    np.testing.assert_allclose(np.diff(mean.time), 1 / RATE)
    assert mean.provenance.samples == mean.samples
    assert mean.used.overlap(log().provenance) == pytest.approx(1.0)
    assert log().provenance.overlap(mean.used) == pytest.approx(2000 / 2201, abs=0.01)


def test_n_periods_have_one_over_the_root_of_n_of_the_noise():
    data = log(16, noise=0.01)
    mean = average_periods(data)
    rest = mean.effort[mean.period == 1] - log().effort[100:500]
    assert np.std(rest) == pytest.approx(0.01 / 4.0, rel=0.1)
    chosen = average_periods(keep_periods(data, 5, 8))
    assert np.std(chosen.effort[chosen.period == 1] - log().effort[100:500]) == pytest.approx(0.01 / 2.0, rel=0.1)


def test_periods_that_begin_between_samples_are_laid_on_each_other():
    """A period of 4.0037 s at 100 Hz, and a clock that is uneven by half a sample."""
    for data in (log(period=4.0037), log(jitter=1.0)):
        mean = average_periods(data)
        one = mean.period == 1
        length = 4.0037 if data.samples > 2201 else 4.0
        expected = np.sin(2 * np.pi * (mean.time[one] - 1.0) / length)
        np.testing.assert_allclose(mean.q[one][:-2, 0], expected[:-2], atol=1e-4)


def test_different_motions_and_single_periods_are_refused():
    data = log(2)
    q = np.array(data.q)
    q[data.period == 2] *= 1.5
    with raises(InputError, "joint1", "repetitions"):
        average_periods(data.after("", q=q))
    with raises(InputError, "one", "average"):
        average_periods(keep_periods(data, 2))
    with raises(InputError, "period", "column"):
        average_periods(Dataset(time=data.time, q=data.q))
    with raises(ValueRangeError, 0, 1, 2, name="period"):
        Dataset(time=data.time, q=data.q, period=np.full(data.samples, 0.5))


def test_a_period_that_was_not_driven_to_its_end_is_left_out():
    whole = average_periods(log(3))
    cut = log(4).part(0.0, 0.8)
    assert cut.period.max() == 4
    np.testing.assert_allclose(average_periods(cut).q, whole.q, atol=1e-9)
