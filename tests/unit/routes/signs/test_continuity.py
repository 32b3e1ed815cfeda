"""The chain of signs against all 2^N sequences, and its limits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dynident.routes.signs.continuity import LEAP, chain_signs


def by_enumeration(evidence: np.ndarray, price: np.ndarray) -> np.ndarray:
    """Expected signs of a chain, from every sequence of signs."""
    total, mean = 0.0, np.zeros(len(evidence))
    for signs in product((1.0, -1.0), repeat=len(evidence)):
        s = np.array(signs)
        weight = np.exp(0.5 * s @ evidence - price @ (s[1:] != s[:-1]))
        total, mean = total + weight, mean + weight * s
    return mean / total


@pytest.mark.parametrize("seed", range(5))
def test_expected_signs_are_those_of_all_sequences(seed):
    rng = np.random.default_rng(seed)
    evidence, clear, step = rng.normal(size=9), rng.uniform(0.0, 2.0, 9), 1.3
    price = np.minimum(2.0 * clear[1:] * clear[:-1] / step**2, LEAP)
    np.testing.assert_allclose(chain_signs(evidence, clear, step, 1.0), by_enumeration(evidence, price), atol=1e-12)


def test_samples_within_the_noise_stand_alone():
    evidence = np.random.default_rng(0).normal(size=50)
    np.testing.assert_allclose(chain_signs(evidence, np.zeros(50), 0.1, 20.0), np.tanh(0.5 * evidence), atol=1e-12)


def test_a_model_that_turns_late_does_not_turn_a_clear_torque():
    time = np.arange(400) / 1000.0
    torque = np.where(time < 0.2, -1.0, 1.0) * np.minimum(1.0, 40.0 * np.abs(time - 0.2))
    late = np.roll(torque, 15)
    late[:15] = -1.0
    b, sigma = np.abs(torque), 0.3
    signs = chain_signs(2.0 * b * late / sigma**2, np.maximum(b - 0.01, 0.0), float(np.sqrt(np.mean(np.diff(b) ** 2))), 100.0)
    clear = b > 0.1
    assert np.all((signs * torque)[clear] > 0.0)
    assert np.any((late * torque)[clear] < 0.0)


def test_a_leap_is_followed_where_the_model_insists():
    torque = np.repeat([1.0, -1.0], 100)
    evidence = 2.0 * torque / 0.2**2
    assert np.all(chain_signs(evidence, np.ones(200), 0.1, 10.0) * torque > 0.9)


def test_overwhelming_evidence_does_not_overflow():
    signs = chain_signs(np.array([1e6, -1e6, 1e6]), np.full(3, 1e6), 1e-9, 1.0)
    np.testing.assert_array_equal(signs, [1.0, -1.0, 1.0])
