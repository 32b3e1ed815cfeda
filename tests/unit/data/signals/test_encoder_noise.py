"""Noise of positions: measured as it is, smoothed as far as promised, and never carried from where nothing is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident.data import Dataset
from dynident.data.signals.agreement import smooth_motion
from dynident.data.signals.encoder_noise import SHARE, bridge, derive_motion, fill_derivatives, find_step, velocity_noise
from dynident.errors import ValueRangeError
from tests.facts import raises

AMPLITUDES, FREQUENCIES = np.array([0.8, 0.3]), 2.0 * np.pi * np.array([0.2, 0.7])


def swing(rate: float = 500.0, noise: float = 0.0, *, seconds: float = 30.0, seed: int = 0, **changes: object) -> tuple[Dataset, ...]:
    """A log of positions with noise, and the exact one."""
    time = np.arange(round(seconds * rate)) / rate
    angle = np.outer(time, FREQUENCIES)
    exact = Dataset(
        time=time,
        q=AMPLITUDES * np.sin(angle),
        dq=AMPLITUDES * FREQUENCIES * np.cos(angle),
        ddq=-AMPLITUDES * FREQUENCIES**2 * np.sin(angle),
        effort=np.ones((len(time), 2)),
        effort_kind="torque",
    )
    q = exact.q + noise * np.random.default_rng(seed).normal(size=exact.q.shape)
    return replace(exact, **{"q": q, "dq": None, "ddq": None, **changes}), exact


@pytest.mark.parametrize(("rate", "tolerance"), [(100.0, 0.11), (1000.0, 0.03)])
@pytest.mark.parametrize("noise", [1e-5, 3e-4])
def test_noise_and_speed_are_measured(rate, tolerance, noise):
    """A block of N differences has N / 2.9 degrees of freedom (2.9 = binomial(20, 10) / binomial(10, 5)²), 16 at 100 Hz and 170 at 1,000.

    Their median over 60 blocks is 4 % and 0.4 % too small, and has a standard deviation of 6 % and 1.7 %; the root half of both. The
    tolerance is the bias and three standard deviations.
    """
    _, found = derive_motion(swing(rate, noise)[0], cutoff=5.0)
    np.testing.assert_allclose(found.position, noise, rtol=tolerance)
    # the mean speed over a lag of 0.05 s, and the noise at its ends
    expected = np.hypot(AMPLITUDES * FREQUENCIES / np.sqrt(2.0) * np.sinc(FREQUENCIES * 0.05 / (2.0 * np.pi)), np.sqrt(2.0) * noise / 0.05)
    np.testing.assert_allclose(found.speed, expected, rtol=0.02)


@pytest.mark.parametrize(("rate", "noise"), [(500.0, 1e-4), (1000.0, 1e-4), (1000.0, 3e-4)])
def test_the_velocity_has_the_noise_that_is_told(rate, noise):
    """The formula is that of an ideal low-pass; the Butterworth filter run twice leaves √(3 ∫ x² / (1 + x⁸)² dx) = 0.90 of it."""
    log, exact = swing(rate, noise, seconds=60.0)
    derived, found = derive_motion(log, cutoff=5.0)
    error = (derived.dq - exact.dq)[round(rate) : -round(rate)].std(axis=0)
    np.testing.assert_allclose(error / found.after, 0.90, atol=0.1)
    assert np.all(found.after < 0.2 * found.before)
    np.testing.assert_allclose(found.share, SHARE, rtol=1e-6)


def test_the_bandwidth_is_at_least_twice_the_cutoff():
    _, found = derive_motion(swing(500.0, 3e-3)[0], cutoff=8.0)
    np.testing.assert_array_equal(found.bandwidth, 16.0)
    assert np.all(found.share > SHARE)


def test_quiet_positions_stay_as_they_are_and_efforts_always():
    log, exact = swing(100.0)
    derived, found = derive_motion(log, cutoff=5.0)
    assert np.all(np.isinf(found.bandwidth))
    np.testing.assert_array_equal(derived.q, log.q)
    noisy = swing(500.0, 1e-4)[0]
    np.testing.assert_array_equal(derive_motion(noisy, cutoff=5.0)[0].effort, noisy.effort)
    # five points: relative error ω⁴h⁴/30 of the velocity, ω⁴h⁴/90 of the acceleration
    np.testing.assert_allclose(derived.dq, exact.dq, atol=2e-6)
    np.testing.assert_allclose(derived.ddq[2:-2], exact.ddq[2:-2], atol=1e-6)


def test_recorded_accelerations_are_kept():
    log, exact = swing(500.0, 1e-4)
    np.testing.assert_array_equal(derive_motion(replace(log, ddq=exact.ddq), cutoff=5.0)[0].ddq, exact.ddq)


@pytest.mark.parametrize("samples", [3, 4, 5, 6, 50])
def test_derivatives_by_five_points_are_exact_for_polynomials(samples):
    time, degree = 0.01 * np.arange(samples), min(4, samples - 1)
    polynomial = np.polynomial.Polynomial(np.arange(1.0, degree + 2.0))
    found = fill_derivatives(Dataset(time=time, q=polynomial(time)[:, None]))
    np.testing.assert_allclose(found.dq[:, 0], polynomial.deriv()(time), atol=1e-10)
    np.testing.assert_allclose(found.ddq[:, 0], polynomial.deriv(2)(time), atol=1e-8)


def test_two_samples_have_no_derivative():
    with raises(ValueRangeError, 3, name="segment"):
        fill_derivatives(Dataset(time=[0.0, 0.1], q=[[0.0], [1.0]]))


def test_segments_never_mix():
    first, second = swing(500.0, 1e-4, seconds=4.0)[0], swing(500.0, 3e-4, seconds=3.0, seed=1)[0]
    together, noise = derive_motion(Dataset.concatenate([first, second]), cutoff=5.0)
    apart = [derive_motion(log, cutoff=5.0) for log in (first, second)]
    for name in ("q", "dq", "ddq"):
        np.testing.assert_array_equal(getattr(together, name), np.concatenate([getattr(log, name) for log, _ in apart]))
    pooled = np.sqrt((4.0 * apart[0][1].position ** 2 + 3.0 * apart[1][1].position ** 2) / 7.0)
    np.testing.assert_allclose(noise.position, pooled)
    np.testing.assert_array_equal(noise.bandwidth, np.minimum(apart[0][1].bandwidth, apart[1][1].bandwidth))


@pytest.mark.parametrize("masked", [slice(0, 700), slice(4000, 4700), slice(-900, None)])
def test_masked_garbage_reaches_no_other_sample(masked):
    """What is put in its place has the right value and slope at either side. Its wrong curvature, at most the acceleration, acts for as
    long as the filter remembers, 1 / (2π bandwidth)."""
    log, exact = swing(500.0, 1e-4)
    mask = np.ones(log.q.shape, dtype=bool)
    mask[masked] = False
    spoiled, used = replace(log, q=np.where(mask, log.q, 1e3), mask=mask), mask[:, 0]
    derived, noise = derive_motion(spoiled, cutoff=5.0)
    clean = derive_motion(log, cutoff=5.0)[0]
    for found, reference, bandwidth in (
        (derived, clean, float(noise.bandwidth.min())),
        (smooth_motion(spoiled, 5.0), smooth_motion(log, 5.0), 5.0),
    ):
        allowed = np.abs(reference.dq - exact.dq)[used].max() + np.abs(exact.ddq).max() / (2.0 * np.pi * bandwidth)
        assert np.abs(found.dq - exact.dq)[used].max() < allowed


def test_a_bridge_has_the_values_and_slopes_of_both_sides():
    x = np.linspace(-1.0, 1.0, 201)
    values = np.column_stack([x**3 - x, 1.0 + 2.0 * x])
    used = (x < -0.3) | (x > 0.4)
    bridged = bridge(np.where(used[:, None], values, 99.0), used, rate=100.0)
    np.testing.assert_allclose(bridged, values, atol=5e-3)
    np.testing.assert_array_equal(bridged[used], values[used])
    np.testing.assert_allclose(bridged[:, 1], values[:, 1], atol=1e-12)
    assert bridge(values, None, 100.0) is values


def test_steps_count_as_noise():
    """A joint that creeps over coarse steps hardly shows them in differences."""
    log = swing(500.0, seconds=20.0)[0]
    log = replace(log, q=np.round(0.02 * log.q / 2e-3) * 2e-3)
    assert find_step(log.q[:, 0]) == pytest.approx(2e-3)
    assert np.all(derive_motion(log, cutoff=5.0)[1].position >= 2e-3 / np.sqrt(12.0) * (1.0 - 1e-9))
    told = derive_motion(swing(500.0, 1e-5)[0], cutoff=5.0, steps=np.array([1e-3, 0.0]))[1].position
    np.testing.assert_allclose(told, [1e-3 / np.sqrt(12.0), 1e-5], rtol=0.04)


def test_a_joint_that_stands_still_is_no_division_by_zero():
    log, _ = swing(500.0, 1e-4)
    q = np.array(log.q)
    q[:, 1] = 0.3
    derived, found = derive_motion(replace(log, q=q), cutoff=5.0)
    assert found.share[1] == 0.0
    np.testing.assert_allclose(derived.dq[:, 1], 0.0, atol=1e-9)


def test_noise_of_recorded_velocities():
    log, exact = swing(500.0)
    noisy = exact.dq + 0.01 * np.random.default_rng(3).normal(size=exact.dq.shape)
    noise, speed = velocity_noise(replace(log, dq=noisy))
    np.testing.assert_allclose(noise, 0.01, rtol=0.04)
    np.testing.assert_allclose(speed, AMPLITUDES * FREQUENCIES / np.sqrt(2.0), rtol=0.02)
