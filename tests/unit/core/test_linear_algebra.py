"""Least squares and singular values have an answer where NumPy's SVD gives up."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.core.linear_algebra import condition_number, least_squares, nearest_within, singular_vectors


@pytest.fixture(params=["converges", "gives up"])
def numpy_svd(request, monkeypatch):
    if request.param == "gives up":

        def fail(*_, **__):
            raise np.linalg.LinAlgError("SVD did not converge")

        monkeypatch.setattr(np.linalg, "lstsq", fail)
        monkeypatch.setattr(np.linalg, "svd", fail)


@pytest.mark.usefixtures("numpy_svd")
def test_least_squares_is_the_shortest_answer():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 6))
    b = rng.normal(size=12)
    x = least_squares(A, b, rcond=1e-10)
    np.testing.assert_allclose(A.T @ (A @ x - b), 0.0, atol=1e-10)
    np.testing.assert_allclose(x, A.T @ least_squares(A @ A.T, b, rcond=1e-10), atol=1e-8)


@pytest.mark.usefixtures("numpy_svd")
@pytest.mark.parametrize("full", [False, True])
def test_singular_vectors_make_the_matrix(full):
    A = np.random.default_rng(1).normal(size=(4, 7))
    U, s, V = singular_vectors(A, full=full)
    assert V.shape == (7, 7) if full else (4, 7)
    np.testing.assert_allclose((U * s) @ V[:4], A, atol=1e-12)
    assert condition_number(A) == pytest.approx(s[0] / s[-1])


def test_a_singular_matrix_has_no_finite_condition():
    assert condition_number(np.diag([1.0, 0.0])) == np.inf


def test_the_nearest_point_within_half_spaces_meets_the_conditions_of_kuhn_and_tucker():
    rng = np.random.default_rng(7)
    for _ in range(50):
        R, z = np.triu(rng.normal(size=(5, 5))) + 2.0 * np.eye(5), rng.normal(size=5)
        G = rng.normal(size=(7, 5))
        h = G @ rng.normal(size=5) - rng.uniform(0.0, 0.3, 7)  # so that there are such points
        x, multipliers = nearest_within(R, z, G, h)
        slack = G @ x - h
        assert slack.min() > -1e-9
        assert multipliers.min() >= 0.0
        np.testing.assert_allclose(R.T @ (R @ x - z), G.T @ multipliers, atol=1e-8)
        np.testing.assert_allclose(multipliers * slack, 0.0, atol=1e-8)


def test_where_half_spaces_have_no_common_point_there_is_no_multiplier():
    G, h = np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])
    x, multipliers = nearest_within(np.eye(1), np.array([0.3]), G, h)
    assert (x[0], multipliers.tolist()) == (0.3, [0.0, 0.0])
