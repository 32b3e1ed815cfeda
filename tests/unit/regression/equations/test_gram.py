"""Gram matrices of preconditioned rows keep the digits that QR keeps, and say where they would not."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.regression.equations.factors import compress
from dynident.regression.equations.gram import LARGEST_CONDITION, LARGEST_GROWTH, GramSum, precondition, restore
from dynident.regression.equations.row_kernels import LINES, WIDTH


def by_gram(rows: np.ndarray, chosen: np.ndarray) -> GramSum:
    """The sum over rows (N, c), preconditioned by the chosen ones."""
    count, columns = rows.shape
    height = -(-columns // LINES) * LINES
    total = GramSum(np.array([0, height]), [precondition(chosen.T)])
    for start in range(0, count, WIDTH):
        lines = np.zeros((height, WIDTH))
        part = rows[start : start + WIDTH].T
        lines[:columns, : part.shape[1]] = part
        total.add(lines)
    return total


def by_qr(rows: np.ndarray) -> np.ndarray:
    factor = np.zeros((rows.shape[1], rows.shape[1]), order="F")
    for start in range(0, len(rows), WIDTH):
        factor = compress(factor, rows[start : start + WIDTH].T.copy())
    return np.triu(factor)


def exact_factor(rows: np.ndarray) -> np.ndarray:
    """Householder's QR in extended precision, with a positive diagonal."""
    A = rows.astype(np.longdouble)
    for k in range(A.shape[1]):
        v = A[k:, k].copy()
        v[0] += np.copysign(np.sqrt(np.sum(v * v)), v[0])
        A[k:, k:] -= np.outer(v, 2 * (v @ A[k:, k:]) / (v @ v))
    R = np.triu(A[: A.shape[1]])
    return R * np.sign(np.diag(R))[:, None]


def solution(R: np.ndarray) -> np.ndarray:
    """Least squares of the last column, in the precision of R."""
    c = R.shape[1] - 1
    x = np.zeros(c, dtype=R.dtype)
    for i in range(c - 1, -1, -1):
        x[i] = (R[i, c] - R[i, i + 1 : c] @ x[i + 1 :]) / R[i, i]
    return x


def problem(condition: float, seed: int, *, noise: float, samples: int = 4000, columns: int = 11) -> np.ndarray:
    """Rows (N, c + 1) of a regressor with that condition number and a right-hand side."""
    rng = np.random.default_rng(seed)
    U, V = np.linalg.qr(rng.normal(size=(samples, columns)))[0], np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    Y = (U * np.logspace(0, -np.log10(condition), columns)) @ V * np.sqrt(samples)
    return np.column_stack([Y, Y @ rng.normal(size=columns) + noise * rng.normal(size=samples)])


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs extended precision")
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_at_condition_1e6_it_is_as_exact_as_qr_and_normal_equations_are_not(noise: float) -> None:
    errors: dict[str, list[float]] = {"gram": [], "qr": [], "normal equations": []}
    for seed in range(5):
        rows = problem(1e6, seed, noise=noise)
        exact = solution(exact_factor(rows))
        chosen = rows[np.random.default_rng(seed).choice(len(rows), 300, replace=False)]
        found = by_gram(rows, chosen).factors()
        assert found is not None
        Y, z = rows[:, :-1], rows[:, -1]
        values = {"gram": solution(found[0]), "qr": solution(by_qr(rows)), "normal equations": np.linalg.solve(Y.T @ Y, Y.T @ z)}
        for name, x in values.items():
            errors[name].append(float(np.linalg.norm(x - exact) / np.linalg.norm(exact)))
    gram, qr, normal = (float(np.median(errors[name])) for name in ("gram", "qr", "normal equations"))
    assert gram < 3.0 * qr
    assert normal > 1000.0 * gram


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs extended precision")
def test_every_column_of_the_factor_has_the_digits_of_qr() -> None:
    rows = problem(1e6, 0, noise=0.01)
    exact = exact_factor(rows)
    found = by_gram(rows, rows[::13]).factors()
    assert found is not None
    lengths = np.linalg.norm(exact.astype(float), axis=0)
    signed = [R * np.sign(np.diag(R))[:, None] for R in (found[0], by_qr(rows))]
    mine, theirs = (np.linalg.norm((R - exact).astype(float), axis=0) / lengths for R in signed)
    assert np.median(mine) < 3.0 * np.median(theirs)


def test_rows_that_the_preconditioner_has_not_seen_are_noticed() -> None:
    """Two columns that are one in the chosen rows and not in the others: what tells them apart is lost in what they share."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 6))
    chosen = rows[:300].copy()
    chosen[:, 2:4] *= 1e-9
    chosen[:, 3] = chosen[:, 2]
    rows[:, 3] = rows[:, 2] + 1e-5 * rows[:, 3]
    total = by_gram(rows, chosen)
    assert total.factors() is None
    _, precision = restore(total.grams[0], total.preconditioners[0])
    assert precision.condition > LARGEST_CONDITION or precision.growth > LARGEST_GROWTH


def test_a_motion_that_only_begins_after_the_chosen_rows_is_noticed_or_harmless() -> None:
    """Rest at first: whatever the preconditioner has seen, a factor that is given is that of the rows."""
    for seed in range(4):
        rows = problem(1e3, seed, noise=0.1)
        rest = np.tile(rows[0], (300, 1)) * (1.0 + 1e-7 * np.random.default_rng(seed).normal(size=(300, 1)))
        found = by_gram(rows, rest).factors()
        if found is not None:
            qr = by_qr(rows)
            np.testing.assert_allclose(found[0].T @ found[0], qr.T @ qr, rtol=1e-9, atol=1e-9 * np.abs(qr).max() ** 2)


def test_columns_of_zeros_and_columns_that_are_sums_of_others() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1000, 7))
    rows[:, 2], rows[:, 5] = 0.0, rows[:, 0] - 2.0 * rows[:, 1]
    found = by_gram(rows, rows[:200]).factors()
    R = by_qr(rows) if found is None else found[0]
    np.testing.assert_allclose(R.T @ R, rows.T @ rows, atol=1e-10)
    assert not R[:, 2].any()
    assert abs(R[5, 5]) < 1e-12 * np.linalg.norm(R[:, 5])


def test_values_that_are_no_numbers_are_not_compressed() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 4))
    chosen = rows[:200].copy()
    rows[400, 1] = np.nan
    assert by_gram(rows, chosen).factors() is None
