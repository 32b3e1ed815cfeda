"""Faulty samples: what a recorder lost or spoilt is found, replaced or masked, and counted; what a log does anyway is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynident.data import Dataset
from dynident.data.signals.faulty_samples import FaultCount, describe_faults, find_faults, leave_out_faults
from tests.facts import carries

RATE, SAMPLES = 200.0, 4000


def log(*, noise: float = 0.1, step: float = 0.0, seed: int = 0, **changes: object) -> Dataset:
    """Two joints that move smoothly, with efforts that have noise and may be rounded to a step."""
    rng = np.random.default_rng(seed)
    time = np.arange(SAMPLES) / RATE
    q = np.column_stack([0.8 * np.sin(1.3 * time) + 0.3 * np.sin(4.1 * time), 0.5 + 0.6 * np.cos(2.0 * time)])
    effort = np.column_stack([20.0 * np.cos(q[:, 0]), 8.0 * np.sin(q[:, 1]) + 1.5 * np.sign(np.gradient(q[:, 1]))])
    effort = effort + noise * rng.normal(size=q.shape)
    effort = np.round(effort / step) * step if step else effort
    return replace(Dataset(time=time, q=q, effort=effort, effort_kind="torque"), **changes)


def counted(data: Dataset, limits: object = None) -> dict[tuple[str, str, str], int]:
    return {(count.signal, count.kind, count.joint): count.samples for count in find_faults(data, limits)[1]}


def changed(data: Dataset, name: str, rows: object, joint: int, values: object) -> Dataset:
    array = np.array(getattr(data, name))
    array[rows, joint] = values
    return replace(data, **{name: array})


def test_a_log_without_faults_is_the_same_object():
    data = log()
    found, counts = leave_out_faults(data, [1e3, 1e3])
    assert found is data
    assert counts == ()


SINGLE = np.array([100, 500, 501, 1733, 2900])


@pytest.mark.parametrize(("value", "kind"), [(0.0, "zero"), (45.0, "isolated"), (-300.0, "isolated")])
def test_single_efforts_are_counted_and_replaced_by_what_is_beside_them(value, kind):
    data = log()
    spoilt = changed(data, "effort", SINGLE, 0, value)
    clean, counts = leave_out_faults(spoilt)
    assert counts == (FaultCount("effort", kind, "joint1", len(SINGLE), True),)
    assert clean.mask is None
    # a cubic through four neighbours has no more noise than a sample
    assert np.abs(clean.effort - data.effort)[SINGLE, 0].max() < 6.0 * 0.1
    others = np.delete(np.arange(SAMPLES), SINGLE)
    np.testing.assert_array_equal(clean.effort[others], data.effort[others])


def test_without_a_filter_single_efforts_are_masked_for_their_joint():
    clean, _ = leave_out_faults(changed(log(), "effort", SINGLE, 0, 0.0), filtered=False)
    expected = np.ones((SAMPLES, 2), dtype=bool)
    expected[SINGLE, 0] = False
    np.testing.assert_array_equal(clean.mask, expected)


def test_positions_are_replaced_and_long_runs_masked_for_all_joints():
    data = log()
    spoilt = changed(changed(data, "q", [300, 301, 777], 1, 0.0), "q", slice(2000, 2030), 0, 0.0)
    clean, counts = leave_out_faults(spoilt)
    assert set(counts) == {FaultCount("q", "zero", "joint1", 30, True), FaultCount("q", "zero", "joint2", 3, True)}
    assert np.abs(clean.q - data.q)[[300, 301, 777], 1].max() < 1e-6, "what cubics leave of so slow a motion"
    np.testing.assert_array_equal(np.flatnonzero(~clean.mask.all(axis=1)), np.arange(2000, 2030))
    assert not clean.mask[2000:2030].any()


def test_single_velocities_and_accelerations_are_replaced():
    data = log()
    dq = np.gradient(data.q, data.time, axis=0)
    data = replace(data, dq=dq, ddq=np.gradient(dq, data.time, axis=0))
    spoilt = changed(changed(data, "dq", SINGLE, 0, 30.0), "ddq", [900], 1, 0.0)
    assert counted(spoilt) == {("dq", "isolated", "joint1"): len(SINGLE), ("ddq", "zero", "joint2"): 1}
    clean, _ = leave_out_faults(spoilt)
    assert np.abs(clean.dq - dq).max() < 1e-3
    assert clean.mask is None


def test_values_that_are_held_while_the_joint_moves():
    data = log()
    effort = np.array(data.effort)
    effort[1001:1040, 0] = effort[1000, 0]
    q = np.array(data.q)
    q[3001:3020] = q[3000]
    assert counted(replace(data, effort=effort)) == {("effort", "repeated", "joint1"): 39}
    assert counted(replace(data, q=q)) == {("q", "repeated", "joint1"): 19, ("q", "repeated", "joint2"): 19}


def test_efforts_beyond_the_limit_of_their_joint():
    data = log()
    spoilt = changed(data, "effort", slice(1000, 1010), 1, 30.0 + np.arange(10.0))
    assert counted(spoilt, [60.0, 25.0])[("effort", "beyond_limit", "joint2")] == 10
    assert counted(spoilt, [60.0, np.inf]) == {}
    assert counted(spoilt, [60.0, 0.0]) == {}
    assert counted(replace(spoilt, effort_kind="current"), [60.0, 25.0]) == {}, "amperes have no limit in newton metres"


@pytest.mark.parametrize("limit", [5.0, 19.0])
def test_a_limit_that_the_motion_exceeds_smoothly_is_wrong_and_said_to_be(limit):
    data = log()
    clean, counts = leave_out_faults(data, [limit, 100.0])
    assert clean is data
    expected = np.count_nonzero(np.abs(data.effort[:, 0]) > limit)
    assert counts == (FaultCount("effort", "beyond_limit", "joint1", expected, False),)
    assert carries(next(describe_faults(counts, SAMPLES)), "joint1", "used", "limits")


def test_a_masked_sample_is_no_fault_and_its_neighbours_none_either():
    mask = np.ones((SAMPLES, 2), dtype=bool)
    mask[500:510] = False
    spoilt = changed(log(mask=mask), "effort", slice(500, 510), 0, np.linspace(-900.0, 900.0, 10))
    assert counted(spoilt, [60.0, 60.0]) == {}


def test_segments_are_looked_at_one_by_one():
    """A leap between two recordings is none of their samples' fault."""
    first, second = log(), log(seed=1)
    moved = replace(second, q=second.q + 2.0, effort=second.effort + 40.0)
    both = Dataset.concatenate([first, moved])
    assert counted(both) == {}
    assert counted(changed(both, "effort", [SAMPLES + 5], 0, 0.0)) == {("effort", "zero", "joint1"): 1}


def _rounded(data: Dataset) -> Dataset:
    return replace(data, effort=np.round(data.effort))


def _at_rest(data: Dataset) -> Dataset:
    """No noise, and a pause of a second; the second joint has friction only, and no effort at all while it rests."""
    moment = np.interp(data.time, [0.0, 4.0, 5.0, 20.0], [0.0, 4.0, 4.0, 19.0])
    q = np.column_stack([np.interp(moment, data.time, column) for column in data.q.T])
    speed = np.gradient(q[:, 1])
    return replace(data, q=q, effort=np.column_stack([20.0 * np.cos(q[:, 0]), 3.0 * np.sign(speed)]))


def _saturated(data: Dataset) -> Dataset:
    return replace(data, effort=np.clip(data.effort, -15.0, 15.0))


def _magnitude(data: Dataset) -> Dataset:
    return replace(data, effort=np.abs(data.effort), effort_kind="magnitude")


def _dead_zone(data: Dataset) -> Dataset:
    """A sensor that reads 0 below half a newton metre, in steps."""
    effort = np.round(data.effort / 0.05) * 0.05
    return replace(data, effort=np.where(np.abs(effort) < 0.5, 0.0, effort))


def _slow_sensor(data: Dataset) -> Dataset:
    """Efforts that are read at half the rate of the rows."""
    return replace(data, effort=np.repeat(data.effort[::2], 2, axis=0))


def _bang_bang(data: Dataset) -> Dataset:
    """Real peaks of the effort, one sample long, where the joint is jolted."""
    q, effort = np.array(data.q), np.array(data.effort)
    for k in range(200, SAMPLES, 400):
        q[k:, 0] += 0.03
        effort[k, 0] += 40.0
    return replace(data, q=q, effort=effort)


def _contact(data: Dataset) -> Dataset:
    """A push of 40 ms."""
    push = 30.0 * np.exp(-(((data.time - 7.0) / 0.02) ** 2))
    return replace(data, effort=data.effort + push[:, None])


def _differences(data: Dataset) -> Dataset:
    """Velocities and accelerations by differences of positions in steps."""
    q = np.round(data.q / 2e-3) * 2e-3
    dq = np.gradient(q, data.time, axis=0)
    return replace(data, q=q, dq=dq, ddq=np.gradient(dq, data.time, axis=0))


@pytest.mark.parametrize(
    "honest", [_differences, _rounded, _at_rest, _saturated, _magnitude, _dead_zone, _slow_sensor, _bang_bang, _contact]
)
def test_what_a_log_does_anyway_is_no_fault(honest: Callable[[Dataset], Dataset]):
    assert counted(honest(log())) == {}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.01, 1.0])
def test_noise_is_no_fault(noise, seed):
    rng = np.random.default_rng(seed)
    data = log(noise=noise, seed=seed)
    assert counted(replace(data, q=data.q + 1e-4 * rng.normal(size=data.q.shape))) == {}


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1])
def test_nearly_all_zeros_are_found_however_many(share):
    data = log()
    hit = np.random.default_rng(0).random(data.q.shape) < share
    found, _ = find_faults(replace(data, effort=np.where(hit, 0.0, data.effort)))
    marked = found["effort"] > 0
    assert np.mean(marked[hit & (np.abs(data.effort) > 1.0)]) > 0.99, "nearer to zero they do no harm"
    assert np.count_nonzero(marked & ~hit) <= 0.001 * hit.sum()
