"""Logs of noisy positions: as many coefficients within two standard deviations as with the exact motion, and notes that tell the noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.encoder import MOTIONS, NOISES, RATES, SEEDS, hard_cases, make_case, measure, robots
from dynident import identify, load_robot
from dynident.core.documents import to_json
from dynident.data import Dataset, differentiate
from dynident.dynamics.friction import SmoothCoulomb, linear
from dynident.regression import build_problem
from tests.facts import about
from tests.logs import synthetic_log

ARM = load_robot("planar_2r")


def bare_log(noise: float = 1e-4, rate: float = 500.0, **changes: object) -> Dataset:
    log = synthetic_log(samples=round(20 * rate), rate=rate, noise=0.05)
    q = log.q + noise * np.random.default_rng(5).normal(size=log.q.shape)
    return replace(log, **{"q": q, "dq": None, "ddq": None, **changes})


@pytest.mark.parametrize("name", ["7-axis by DH", "6-axis by URDF"])
def test_coefficients_are_as_near_as_their_standard_deviations_tell(name):
    """500 Hz, 1e-4 rad, three seeds: 90 % of about 180 correlated coefficients; central differences have about 63 %."""
    found = measure("now", lambda seed: make_case(robots()[name], 500.0, 1e-4, seed), seeds=3)
    assert found.share > 0.9
    assert measure("differences", lambda seed: make_case(robots()[name], 500.0, 1e-4, seed), seeds=1).share < 0.8


def test_a_masked_fault_of_the_recorder_spoils_nothing():
    make = hard_cases(robots()["6-axis by URDF"])["two seconds of garbage, masked; 500 Hz, 1e-4 rad"]
    assert measure("now", make, seeds=2).share > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("name", ["panda", "7-axis by DH", "6-axis by URDF"])
def test_the_whole_grid(name, motion):
    """Every cell has 96 % within two standard errors of its 16 seeds, and so have all cells together."""
    shares: list[np.ndarray] = []
    for rate in RATES:
        for noise in NOISES:
            base = MOTIONS[motion]
            inside = measure("now", lambda seed, r=rate, s=noise, b=base: make_case(robots()[name], r, s, seed, base=b)).inside
            assert inside.mean() + 2.0 * inside.std() / np.sqrt(SEEDS) > 0.96, (rate, noise)
            shares.append(inside)
    together = np.mean(shares, axis=0)  # the cells of one seed share an arm and a motion
    assert together.mean() + 2.0 * together.std() / np.sqrt(SEEDS) > 0.96


def test_recorded_velocities_are_used_as_they_are():
    log = synthetic_log(samples=4000, rate=200.0, noise=0.05)
    for given in (log, replace(log, ddq=None)):
        rows = build_problem(ARM, given, friction=linear()).rows[0].dataset
        expected = differentiate(given)
        for name in ("q", "dq", "ddq"):
            np.testing.assert_array_equal(getattr(rows, name), getattr(expected, name))


def test_positions_are_smooth_everywhere_and_the_effort_is_not_touched():
    log = bare_log()
    rows = build_problem(ARM, log, friction=linear()).rows[0].dataset
    assert np.std(np.diff(rows.q, 5, axis=0)) < 0.01 * np.std(np.diff(log.q, 5, axis=0))
    np.testing.assert_array_equal(rows.effort, log.effort)


def test_velocities_that_are_wrong_are_derived_likewise():
    log = bare_log()
    exact = synthetic_log(samples=log.samples, rate=500.0, noise=0.05)
    wrong = np.array(exact.dq)
    wrong[:, 1] *= -3.0
    found = build_problem(ARM, replace(log, dq=wrong), friction=linear())
    alone = build_problem(ARM, log, friction=linear())
    rows, reference = found.rows[0].dataset, alone.rows[0].dataset
    np.testing.assert_array_equal(rows.q[:, 1], reference.q[:, 1])
    np.testing.assert_array_equal(rows.dq[:, 1], reference.dq[:, 1])
    np.testing.assert_array_equal(rows.dq[:, 0], exact.dq[:, 0])
    np.testing.assert_array_equal(rows.q[:, 0], log.q[:, 0])
    noise = found.processing.motion_noise
    assert "position" in noise[log.joint_names[1]]
    assert "position" not in noise[log.joint_names[0]]


def test_the_noise_is_told_and_remembered():
    estimate = identify(ARM, bare_log(), friction=linear())
    noise = estimate.summary.processing.motion_noise
    assert set(noise) == set(bare_log().joint_names)
    for values in noise.values():
        assert values["position"] == pytest.approx(1e-4, rel=0.05)
        assert values["unsmoothed_velocity"] == pytest.approx(1e-4 * 500.0 / np.sqrt(2.0), rel=0.05)
        assert values["velocity"] == pytest.approx(0.003 * values["speed"], rel=1e-6) or values["bandwidth_hz"] == 10.0
    assert len(about(estimate.notes, "positions", "derived")) == 1
    quiet = identify(ARM, bare_log(0.0), friction=linear())
    assert not about(quiet.notes, "positions", "derived")
    assert to_json(estimate.summary.processing)["motion_noise"] == noise


def test_samples_without_a_sign_of_friction_are_left_out():
    with_leap = build_problem(ARM, bare_log(), friction=linear()).rows[0].dataset
    assert 0.0 < 1.0 - with_leap.mask.mean() < 0.03
    limits = [2.0 * values["velocity"] for values in build_problem(ARM, bare_log(), friction=linear()).processing.motion_noise.values()]
    np.testing.assert_array_equal(with_leap.mask, np.abs(with_leap.dq) >= limits)
    assert build_problem(ARM, bare_log(), friction=None).rows[0].dataset.mask is None
    assert build_problem(ARM, bare_log(), friction=SmoothCoulomb()).rows[0].dataset.mask is None


def test_all_is_kept_of_a_joint_that_stands_still():
    log = bare_log()
    q = np.array(log.q)
    q[:, 1] = 0.3 + 1e-4 * np.random.default_rng(1).normal(size=len(q))
    mask = build_problem(ARM, replace(log, q=q), friction=linear()).rows[0].dataset.mask
    assert mask is None or mask[:, 1].all()


def test_noise_of_recorded_velocities_is_told_where_it_biases():
    log = synthetic_log(samples=8000, rate=500.0, noise=0.05)
    rng, size = np.random.default_rng(2), np.sqrt(np.mean(log.dq**2, axis=0))
    for share, told in ((0.002, False), (0.03, True)):
        noisy = replace(log, dq=log.dq + share * size * rng.normal(size=log.dq.shape))
        estimate = identify(ARM, noisy, friction=linear())
        assert bool(about(estimate.notes, "noise", "velocities")) is told
        for values in estimate.summary.processing.motion_noise.values():
            assert values["velocity"] / values["speed"] == pytest.approx(share, rel=0.05)
