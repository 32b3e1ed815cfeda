"""What every registered kind of trajectory promises. A new kind is tested here once it has an example below."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from dynident.data import load_dataset
from dynident.errors import ShapeError, ValueRangeError
from dynident.motions import (
    TRAJECTORIES,
    CubicTrajectory,
    DrivenTrajectory,
    FourierTrajectory,
    QuinticTrajectory,
    Repeated,
    SampledTrajectory,
    SinusoidTrajectory,
    Trajectory,
    WaypointTrajectory,
    kuka_table_5,
    panda_table_1,
    trajectory_dataset,
    trajectory_from_dict,
    trajectory_to_dict,
)
from dynident.motions.formats.registry import write_trajectory

JOINTS = ("hip", "knee", "ankle")


def fourier(**changes) -> FourierTrajectory:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 3, 4))
    return FourierTrajectory(**{"joints": JOINTS, "base_frequency": 0.1, "a": a, "b": b, "q0": rng.normal(size=3), **changes})


def sampled(*, derivatives: int) -> SampledTrajectory:
    t = np.array([0.0, 0.3, 0.5, 1.0, 1.2])
    motion = fourier().sample(t)
    known = dict(zip(("dq", "ddq")[:derivatives], motion[1:], strict=False))
    return SampledTrajectory(joints=JOINTS, times=t, q=motion.q, **known)


def driven() -> DrivenTrajectory:
    start, end = fourier().sample([2.0 - 0.5, 2.0 + 0.3]).q
    ways = [QuinticTrajectory(joints=JOINTS, start=a, end=b, duration=1.5) for a, b in ((np.zeros(3), start), (end, np.zeros(3)))]
    return DrivenTrajectory(trajectory=fourier(), approach=ways[0], retreat=ways[1], repeats=2, ease_in=1.0, ease_out=0.6, phase=2.0)


EXAMPLES: dict[str, Sequence[Trajectory]] = {
    "fourier": [fourier(), fourier(duration=13.0).constrain_ends(), fourier().constrain_ends(start=[0.1, -0.2, 0.3])],
    "sinusoid": [panda_table_1(), SinusoidTrajectory(joints=("a",), amplitude=[0.5], period=[2.0], start=[1.0], duration=3.0)],
    "cubic": [kuka_table_5(), CubicTrajectory(joints=("a",), times=[0, 1, 3], knots=[[0], [1], [-1]])],
    "quintic": [QuinticTrajectory(joints=JOINTS, start=[0, 1, 2], end=[1, 1, -2], duration=2.5)],
    "driven": [driven()],
    "waypoints": [WaypointTrajectory(joints=JOINTS, times=[0, 1, 1.5, 3], points=[[0, 1, 2], [1, 1, 0], [1, 1, 0], [0, 0, 0]])],
    "repeated": [Repeated(trajectory=fourier(), repeats=4, warm_up=1, cool_down=2)],
    "sampled": [sampled(derivatives=derivatives) for derivatives in range(3)],
}


def test_every_registered_kind_has_an_example():
    assert set(EXAMPLES) == set(TRAJECTORIES)


@pytest.fixture(params=[(kind, i) for kind in sorted(EXAMPLES) for i in range(len(EXAMPLES[kind]))], ids=lambda p: f"{p[0]}-{p[1]}")
def trajectory(request: pytest.FixtureRequest) -> Trajectory:
    kind, index = request.param
    found = EXAMPLES[kind][index]
    assert found.kind == kind
    assert isinstance(found, Trajectory)
    return found


def test_samples_have_a_row_per_time_and_a_column_per_joint(trajectory):
    motion = trajectory.sample(np.linspace(0.0, trajectory.duration, 17))
    for values in motion:
        assert values.shape == (17, len(trajectory.joints))
        assert np.all(np.isfinite(values))


def test_derivatives_are_those_of_the_positions(trajectory):
    rng = np.random.default_rng(0)
    h = 1e-5
    t = rng.uniform(2 * h, trajectory.duration - 2 * h, 200)
    knots = getattr(trajectory, "times", np.zeros(0))  # the acceleration of cubics jumps at their knots
    t = t[np.all(np.abs(t[:, None] - knots) > 2 * h, axis=1)] if len(knots) else t
    behind, here, ahead = (trajectory.sample(t + step) for step in (-h, 0.0, h))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * h), here.dq, atol=1e-6)
    np.testing.assert_allclose((ahead.dq - behind.dq) / (2 * h), here.ddq, atol=1e-5)


def test_the_samples_do_not_depend_on_each_other(trajectory):
    t = np.linspace(0.0, trajectory.duration, 50)
    rng = np.random.default_rng(1)
    order = rng.permutation(50)
    for all_at_once, shuffled in zip(trajectory.sample(t), trajectory.sample(t[order]), strict=True):
        np.testing.assert_allclose(all_at_once[order], shuffled, atol=1e-12)


def test_as_plain_data_and_back(trajectory):
    again = trajectory_from_dict(json.loads(json.dumps(trajectory_to_dict(trajectory), allow_nan=False)))
    t = np.linspace(0.0, trajectory.duration, 20)
    assert again.joints == trajectory.joints
    assert again.duration == trajectory.duration
    for before, after in zip(trajectory.sample(t), again.sample(t), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_files_load_as_they_were_written(trajectory, suffix, tmp_path):
    written = trajectory_dataset(trajectory, 50.0)
    file = tmp_path / f"trajectory{suffix}"
    write_trajectory(written, file)
    read = load_dataset(file)
    assert read.joint_names == trajectory.joints
    for name in ("time", "q", "dq", "ddq"):
        np.testing.assert_array_equal(getattr(read, name), getattr(written, name))
    assert read.effort is None
    np.testing.assert_array_equal(read.period is None, written.period is None)
    if written.period is not None:
        np.testing.assert_array_equal(read.period, written.period)
    np.testing.assert_array_equal(read.mask is None, written.mask is None)
    if written.mask is not None:
        np.testing.assert_array_equal(read.mask, written.mask)


def test_a_dataset_covers_the_trajectory(trajectory):
    log = trajectory_dataset(trajectory, 100.0)
    assert log.time[0] == 0.0
    assert 0.0 <= trajectory.duration - log.time[-1] < 0.01
    np.testing.assert_allclose(np.diff(log.time), 0.01, rtol=1e-9)


def test_arrays_can_not_be_changed(trajectory):
    for value in vars(trajectory).values():
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0.0


def test_bad_times_are_refused(trajectory):
    with pytest.raises(ShapeError, match="time"):
        trajectory.sample(np.zeros((2, 2)))
    with pytest.raises(ValueRangeError, match="NaN"):
        trajectory.sample([0.0, np.nan])
    for rate in (0.0, -1.0, np.inf, 1e-6):
        with pytest.raises(ValueRangeError, match="rate"):
            trajectory_dataset(trajectory, rate)
