"""Recorded velocities and accelerations that are not the derivatives: found always; noise and rounding of positions: never."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.data import Dataset, differentiate, load_dataset
from dynident.data.signals.agreement import find_disagreements, replace_derivatives
from tests.facts import about, carries
from tests.logs import synthetic_log

RATES = (20.0, 100.0, 1000.0)


def good_log(rate: float = 100.0, *, slow: float = 1.0, noise: float = 0.0, step: float = 0.0, seed: int = 1) -> Dataset:
    """A log with exact velocities and accelerations, and positions with white noise or rounded to steps."""
    log = synthetic_log(samples=round(15 * rate), rate=rate, seed=seed)
    q = slow * log.q + noise * np.random.default_rng(seed).normal(size=log.q.shape)
    return replace(log, q=np.round(q / step) * step if step else q, dq=slow * log.dq, ddq=slow * log.ddq)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("slow", [1.0, 0.1, 0.001, 0.0])
@pytest.mark.parametrize("size", [0.0, 1e-6, 1e-4, 1e-2])
def test_noise_and_steps_of_positions_never_count(rate: float, slow: float, size: float) -> None:
    for log in (good_log(rate, slow=slow, noise=size), good_log(rate, slow=slow, step=size)):
        assert find_disagreements(log) == {}
        assert find_disagreements(replace(log, dq=None)) == {}


def test_some_noise_of_what_is_recorded_does_not_count() -> None:
    log, rng = good_log(noise=1e-4), np.random.default_rng(2)
    noisy = replace(log, dq=log.dq + 0.2 * rng.normal(size=log.q.shape), ddq=log.ddq + 1.0 * rng.normal(size=log.q.shape))
    assert find_disagreements(noisy) == {}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("factor", [1.5, 1 / 1.5, -1.0, 180 / np.pi, np.pi / 180, 0.0, 1000.0])
@pytest.mark.parametrize("quantity", ["dq", "ddq"])
def test_a_factor_a_sign_and_a_unit_are_found(rate: float, factor: float, quantity: str) -> None:
    log = good_log(rate, noise=1e-4)
    scale = np.array([1.0, factor])
    found = find_disagreements(replace(log, **{quantity: scale * getattr(log, quantity)}))
    assert set(found) == {quantity}
    assert found[quantity] == {"joint2": pytest.approx(100 * abs(factor - 1), rel=0.05)}


def test_garbage_is_found_and_the_other_derivative_tells_it() -> None:
    log, rng = good_log(noise=1e-5), np.random.default_rng(2)
    garbage = 30 * rng.normal(size=log.q.shape)
    assert set(find_disagreements(replace(log, ddq=garbage))) == {"ddq"}
    assert set(find_disagreements(replace(log, dq=garbage))) == {"dq"}  # the accelerations are those of the positions
    assert set(find_disagreements(replace(log, dq=garbage, ddq=garbage))) == {"dq", "ddq"}
    assert set(find_disagreements(replace(log, dq=None, ddq=garbage))) == {"ddq"}


def test_masked_samples_and_short_segments_are_not_compared() -> None:
    log = good_log()
    dq, mask = log.dq.copy(), np.ones(log.q.shape, dtype=bool)
    dq[600:700, 1], mask[590:710, 1] = 50.0, False
    assert find_disagreements(replace(log, dq=dq, mask=mask)) == {}
    assert "dq" in find_disagreements(replace(log, dq=dq))
    assert find_disagreements(replace(log.part(0, 0.05), dq=-log.dq[:75])) == {}


def test_what_disagrees_is_replaced_joint_by_joint() -> None:
    log = good_log()
    assert replace_derivatives(log, {}) is log
    wrong = replace(log, dq=log.dq * [1.0, -1.0], ddq=log.ddq * [3.0, 1.0])
    changed = replace_derivatives(wrong, find_disagreements(wrong))
    np.testing.assert_array_equal(changed.dq[:, 0], log.dq[:, 0])
    np.testing.assert_array_equal(changed.dq[:, 1], differentiate(replace(log, dq=None)).dq[:, 1])
    np.testing.assert_array_equal(changed.ddq[:, 0], differentiate(replace(log, ddq=None)).ddq[:, 0])
    np.testing.assert_array_equal(changed.ddq[:, 1], log.ddq[:, 1])


def test_identification_says_so_and_uses_the_derivatives() -> None:
    robot, log = load_robot("planar_2r"), synthetic_log(noise=0.05)
    wrong = replace(log, ddq=-4.0 * log.ddq)
    good, found = identify(robot, replace(log, ddq=None), cutoff=5.0), identify(robot, wrong)
    np.testing.assert_allclose(found.values, good.values, rtol=1e-9)
    (note,) = about(found.notes, "derivative", "joint1")
    assert carries(note, "accelerations", "joint1", 500, "joint2")
    assert carries(note, "instead")
    assert carries(str(found.summary.processing), "wrong", "ddq")
    raw = identify(robot, wrong, cutoff=None)  # differences without a filter would be worse
    assert about(raw.notes, "derivative", "used")
    assert raw.residuals.relative_percent > 5 * found.residuals.relative_percent
    assert not about(identify(robot, log).notes, "derivative")
    arm, log = load_robot("spatial_3r"), synthetic_log("spatial_3r")
    notes = identify(arm, replace(log, dq=-log.dq, ddq=2 * log.ddq)).notes
    assert carries(notes[0], "velocities", "all", 200)
    assert carries(notes[1], "accelerations", "all")


def test_the_recorded_logs_are_good(shared_data: Path) -> None:
    panda = load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz")  # positions rounded to 1e-4 rad
    kuka = load_dataset(shared_data / "kuka_lwr4" / "measurements_1.npz")
    for log in (panda, kuka, replace(kuka, dq=None), kuka.part(0.1, 0.3)):
        assert find_disagreements(log) == {}
    assert len(find_disagreements(replace(panda, dq=1.5 * panda.dq))["dq"]) == 7
    assert len(find_disagreements(replace(kuka, ddq=1.5 * kuka.ddq))["ddq"]) == 7
