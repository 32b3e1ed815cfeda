"""Datasets: what they refuse and say about it, and how they are cut, ordered and joined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.data import Dataset, EffortKind, load_dataset, write_dataset
from dynident.errors import ShapeError, UnknownNameError, ValueRangeError
from tests.facts import carries, raises


def log(samples: int = 10, n: int = 3, **changes: object) -> Dataset:
    rng = np.random.default_rng(samples)
    content: dict = {
        "time": 0.01 * np.arange(samples),
        "q": rng.normal(size=(samples, n)),
        "dq": rng.normal(size=(samples, n)),
        "effort": rng.normal(size=(samples, n)),
        "effort_kind": "torque",
        "source": "log",
    }
    return Dataset(**content | changes)


def test_what_it_holds():
    data = log(101)
    assert (data.n, data.samples, data.joint_names) == (3, 101, ("joint1", "joint2", "joint3"))
    assert data.rate == pytest.approx(100)
    assert data.duration == pytest.approx(1)
    assert data.effort_kind is EffortKind.TORQUE
    assert data.ddq is None
    assert list(data.segments) == [slice(0, 101)]


def test_arrays_are_read_only_and_contiguous_and_leave_the_callers_own_alone():
    q = np.asfortranarray(np.random.default_rng(0).normal(size=(10, 3)).astype(np.float32))
    mine = np.arange(10.0)
    data = log(q=q, time=mine)
    for array in (data.time, data.q, data.dq, data.effort):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert not array.flags.writeable
    mine[0] = 0.0
    with pytest.raises(AttributeError):
        data.q = q


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"q": np.zeros((9, 3))}, ("q", "(9, 3)", "(10, 3)", 9, 10)),
        ({"effort": np.zeros((10, 2))}, ("effort", "(10, 2)", "(10, 3)")),
        ({"dq": np.zeros(10)}, ("dq", "(10,)", "(10, 3)")),
        ({"q": np.zeros(10)}, ("q", "(10,)", "(10, n)")),
        ({"time": np.zeros((10, 1))}, ("time", "(10, 1)", "(samples,)")),
        ({"mask": np.ones((10, 2), dtype=bool)}, ("mask", "(10, 2)", "(10, 3)")),
    ],
)
def test_lengths_that_disagree_are_both_named(changes, facts):
    with raises(ShapeError, *facts):
        log(**changes)


def broken(value: float) -> np.ndarray:
    values = np.zeros((10, 3))
    values[4:6, 1] = value
    return values


def test_an_undefined_number_is_located():
    with raises(ValueRangeError, "nan", 4, "joint2", 2, name="dq"):
        log(dq=broken(np.nan))
    with raises(ValueRangeError, "-inf", 4, "b", name="effort"):
        log(effort=broken(-np.inf), joint_names=("a", "b", "c"))
    with raises(ValueRangeError, "nan", 9, name="time"):
        log(time=np.append(np.arange(9.0), np.nan))


def test_numbers_whose_sum_overflows_are_not_infinite():
    assert log(q=np.full((10, 3), 1e308)).q[0, 0] == 1e308


def test_time_that_repeats_or_goes_back_is_told_apart():
    with raises(ValueRangeError, "twice", 2, 3, name="time"):
        log(time=[0, 1, 2, 2, 4, 5, 6, 7, 7, 9])
    with raises(ValueRangeError, "back", 3, 1, 4, "segment", name="time"):
        log(time=[0, 1, 2, 3, 1, 5, 6, 7, 8, 9])
    data = log(time=[0, 1, 2, 3, 1, 5, 6, 7, 8, 9], starts=(0, 4))
    assert list(data.segments) == [slice(0, 4), slice(4, 10)]
    assert data.duration == 3 + 8


@pytest.mark.parametrize("starts", [(), (1,), (0, 0), (0, 5, 4), (0, 10)])
def test_starts_are_checked(starts):
    with raises(ValueRangeError, 0, 10, name="starts"):
        log(starts=starts)


def test_effort_needs_its_kind():
    with raises(ValueRangeError, "torque", "current", "magnitude", name="effort_kind"):
        log(effort_kind=None)
    with raises(ValueRangeError, "magnitude", "negative", name="effort"):
        log(effort_kind="magnitude")
    with raises(ValueRangeError, "current_magnitude", "current", name="effort"):
        log(effort_kind="current_magnitude")
    with raises(UnknownNameError, "torque", "current", "magnitude", kind="effort kind", name="force"):
        log(effort_kind="force")
    assert log(effort=None, effort_kind="torque").effort_kind is None


def test_names_and_length_are_checked():
    with raises(ValueRangeError, 2, "q", 3, name="joint_names"):
        log(joint_names=("a", "b"))
    with raises(ValueRangeError, name="joint name 'a'"):
        log(joint_names=("a", "b", "a"))
    with raises(ValueRangeError, "samples", 1, 2, name="time"):
        log(1)


@given(st.integers(4, 60), st.floats(0.05, 0.95), st.sets(st.integers(1, 59)))
def test_two_parts_make_the_whole(samples, fraction, inner):
    starts = (0, *sorted(s for s in inner if s < samples))
    data = log(samples, starts=starts)
    cut = round(fraction * samples)
    if not 2 <= cut <= samples - 2:
        return
    first, second = data.part(0, fraction), data.part(fraction, 1)
    np.testing.assert_array_equal(np.concatenate([first.effort, second.effort]), data.effort)
    np.testing.assert_array_equal(first.q, data.q[:cut])
    assert {*first.starts, *(s + cut for s in second.starts)} == {*starts, cut}


def test_parts_are_checked_and_say_what_they_are():
    data = log()
    assert carries(data.part(0, 0.5).source, "log", "part", "0:0.5")
    for start, stop in ((0.5, 0.5), (-0.1, 1), (0, 1.1), (0.7, 0.2)):
        with raises(ValueRangeError, 0, 1, name="part"):
            data.part(start, stop)
    with raises(ValueRangeError, "0:0.1", 10, 1, 2, name="part"):
        data.part(0, 0.1)


def test_joints_are_selected_by_name_or_index():
    data = log(joint_names=("a", "b", "c"), mask=np.eye(10, 3, dtype=bool))
    chosen = data.select(["c", "a"])
    assert chosen.joint_names == ("c", "a")
    np.testing.assert_array_equal(chosen.q, data.q[:, [2, 0]])
    np.testing.assert_array_equal(chosen.mask, data.mask[:, [2, 0]])
    np.testing.assert_array_equal(data.select([1]).effort, data.effort[:, [1]])
    with raises(UnknownNameError, kind="joint", name="d", known=("a", "b", "c")):
        data.select(["d"])
    with raises(ValueRangeError, "twice", name="joints"):
        data.select(["a", "a"])
    with raises(ValueRangeError, 3, 0, 2, name="joints"):
        data.select([3])


def test_datasets_are_joined_with_their_boundaries():
    first, second = log(10, source="a"), log(6, starts=(0, 4), source="b", mask=np.zeros((6, 3), dtype=bool))
    joined = Dataset.concatenate([first, second])
    assert joined.starts == (0, 10, 14)
    assert joined.source == "a; b"
    assert joined.mask.sum() == 30
    np.testing.assert_array_equal(joined.time, np.concatenate([first.time, second.time]))
    assert joined.duration == pytest.approx(first.duration + second.duration)
    assert Dataset.concatenate([first]) is first


def test_datasets_that_differ_are_not_joined():
    with raises(ValueRangeError, 3, "joint1", "joint2", "joint3", "log", name="joint_names"):
        Dataset.concatenate([log(), log(n=2, source="other")])
    with raises(ValueRangeError, "torque", "log", "current", name="effort_kind"):
        Dataset.concatenate([log(), log(effort_kind="current")])
    with raises(ValueRangeError, "log", "other", name="dq"):
        Dataset.concatenate([log(), log(dq=None, source="other")])
    with raises(ValueRangeError, "empty", name="datasets"):
        Dataset.concatenate([])


def test_it_prints_a_table():
    text = str(log(11, joint_names=("shoulder", "elbow", "wrist"), mask=np.arange(33).reshape(11, 3) % 3 > 0))
    assert carries(text.splitlines()[0], "log", 11, 3, "0.100 s", "100 Hz", 1)
    assert "max |torque|" in text
    assert [line.split()[0] for line in text.splitlines()[2:]] == ["shoulder", "elbow", "wrist"]
    assert text.splitlines()[2].endswith("0.0%")


def test_a_rate_needs_two_samples_in_a_segment():
    with raises(ValueRangeError, "segment", "sample", name="time"):
        _ = log(2, starts=(0, 1)).rate


class TestGears:
    """R of the drives, which stays with a log whatever is done to it."""

    GEARS = np.array([[32.0, 0.0], [16.0, 45.0]])

    def log(self, gears: np.ndarray | None = GEARS) -> Dataset:
        return Dataset(time=np.arange(6.0), q=np.arange(12.0).reshape(6, 2), gears=gears)

    def test_they_are_cut_and_ordered_with_the_joints(self) -> None:
        log = self.log()
        np.testing.assert_array_equal(log.part(0, 0.5).gears, self.GEARS)
        np.testing.assert_array_equal(log.select(["joint2", "joint1"]).gears, [[45.0, 16.0], [0.0, 32.0]])

    def test_logs_of_one_dataset_have_the_same(self) -> None:
        np.testing.assert_array_equal(Dataset.concatenate([self.log(), self.log()]).gears, self.GEARS)
        for other in (None, 2.0 * self.GEARS):
            with raises(ValueRangeError, "datasets", name="gears"):
                Dataset.concatenate([self.log(), self.log(other)])

    def test_they_are_square(self) -> None:
        with raises(ShapeError, "(2, 2)", name="gears", shape=(2, 3)):
            self.log(np.ones((2, 3)))

    @pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
    def test_they_come_back_from_a_file(self, suffix: str, tmp_path: Path) -> None:
        file = tmp_path / f"log{suffix}"
        write_dataset(self.log(), file)
        np.testing.assert_array_equal(load_dataset(file).gears, self.GEARS)
        np.testing.assert_array_equal(load_dataset(file).q, self.log().q)
