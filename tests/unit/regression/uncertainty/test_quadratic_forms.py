"""The tail of a sum of squares of normal numbers, against the χ² distribution and against draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from dynident.regression.uncertainty.quadratic_forms import tail_of_squares


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("times", [0.1, 0.9, 1.0, 1.1, 3.0, 15.0, 100.0])
def test_of_equal_weights_it_is_chi_square(k, times):
    assert tail_of_squares(times * k, np.eye(k)) == pytest.approx(chi2.sf(times * k, k), rel=1.0 / 6.0)


@pytest.mark.parametrize("weights", [(1.0, 0.1), (1.0, 0.5, 0.1, 0.01), (3.0, 2.9, 1e-14)])
def test_of_other_weights_it_is_what_draws_show(weights):
    draws = np.random.default_rng(1).normal(size=(200_000, len(weights))) ** 2 @ np.array(weights)
    for share in (0.9, 0.5, 0.1, 0.001):
        assert tail_of_squares(float(np.quantile(draws, 1.0 - share)), np.diag(weights)) == pytest.approx(share, rel=0.2)


def test_it_does_not_depend_on_units_or_axes():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(4, 4))
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    plain = tail_of_squares(20.0, A @ A.T)
    assert tail_of_squares(20.0e-12, 1e-12 * A @ A.T) == pytest.approx(plain)
    assert tail_of_squares(20.0, Q @ A @ A.T @ Q.T) == pytest.approx(plain)


def test_without_variance_nothing_is_chance():
    assert tail_of_squares(0.0, np.zeros((2, 2))) == 1.0
    assert tail_of_squares(1.0, np.zeros((2, 2))) == 0.0
    assert tail_of_squares(0.0, np.eye(2)) == 1.0
    assert 0.0 <= tail_of_squares(1e9, np.eye(2)) < 1e-300
