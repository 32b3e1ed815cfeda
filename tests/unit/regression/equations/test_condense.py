"""Rows of a log condensed: the factors of its rows, and the same bits on any number of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import Robot, load_robot
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.regression import build_problem
from dynident.regression.equations import condense as module
from dynident.regression.equations.condense import condense, condense_stretches
from dynident.regression.equations.rows import LogRows, collect_tables
from dynident.regression.recordings import weigh_recordings
from tests.oracles.logs import generated_log


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


def log_rows(robot: Robot, data: Dataset, **options: object) -> LogRows:
    """The unfiltered rows of a log."""
    (rows,) = build_problem(robot, data, friction=linear(), cutoff=None, **options).rows  # type: ignore[arg-type]
    assert isinstance(rows, LogRows)
    return rows


def squares(factors: list[list[np.ndarray]]) -> list[np.ndarray]:
    return [R.T @ R for own in factors for R in own]


@pytest.fixture(scope="module")
def awkward(arm: Robot) -> LogRows:
    """Two recordings of three segments, masked here and there, with a known mass, an extra column and weights."""
    logs = [generated_log(arm, friction=linear(), samples=1500, noise=0.1, seed=seed).dataset for seed in (0, 1)]
    data = Dataset.concatenate([replace(logs[0], starts=(0, 700)), logs[1]])
    rng = np.random.default_rng(0)
    data = replace(data, mask=rng.random(data.q.shape) > 0.1, provenance=data.provenance)
    rows = log_rows(arm, data, known={"m3": 1.5, "fv2": 0.2}, extra={"wobble": rng.normal(size=data.q.shape)})
    return replace(rows, weights=rng.uniform(0.5, 2.0, (3, arm.n)))


def factors_of_all_rows(rows: LogRows) -> list[np.ndarray]:
    """RᵀR by the rows as they are, joint by joint."""
    return [np.concatenate(tables, axis=1) @ np.concatenate(tables, axis=1).T for tables in collect_tables([rows], len(rows.groups))]


def test_stretches_give_the_factors_of_their_recordings(awkward: LogRows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STRETCH", 330)
    found = condense(awkward)
    assert len(found.factors) == 2
    whole = [one.T @ one + two.T @ two for one, two in zip(*found.factors, strict=True)]
    for mine, theirs in zip(whole, factors_of_all_rows(awkward), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=1e-12 * np.abs(theirs).max())
    assert awkward.dataset.mask is not None
    np.testing.assert_array_equal(found.counts.sum(axis=0), awkward.dataset.mask.sum(axis=0))


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_the_number_of_threads_changes_no_bit(awkward: LogRows, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STRETCH", 330)
    one, many = condense_stretches(awkward, threads=1), condense_stretches(awkward, threads=threads)
    np.testing.assert_array_equal(one.counts, many.counts)
    for own, others in zip(one.factors, many.factors, strict=True):
        for mine, theirs in zip(own, others, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_progress_goes_up_to_the_end(arm: Robot) -> None:
    rows = log_rows(arm, generated_log(arm, friction=linear(), samples=3 * module.STRETCH, noise=0.1).dataset)
    shares: list[float] = []
    condense(rows, shares.append)
    assert len(shares) == 3
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_joints_that_rest_are_condensed_like_any(arm: Robot) -> None:
    """Columns of zeros and columns that depend on each other."""
    data = generated_log(arm, samples=1000, noise=0.1).dataset
    assert data.dq is not None
    assert data.ddq is not None
    q, dq, ddq = data.q.copy(), data.dq.copy(), data.ddq.copy()
    q[:, 1:], dq[:, 1:], ddq[:, 1:] = q[0, 1:], 0.0, 0.0
    rows = log_rows(arm, replace(data, q=q, dq=dq, ddq=ddq))
    for mine, theirs in zip(squares(condense(rows).factors), factors_of_all_rows(rows), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=1e-12 * np.abs(theirs).max())


def test_stretches_of_a_filtered_log_give_the_rows_of_the_whole(arm: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    data = generated_log(arm, friction=linear(), samples=9000, rate=500.0, noise=0.1).dataset
    mask = np.random.default_rng(0).random(data.q.shape) > 0.02
    problem = build_problem(arm, replace(data, mask=mask, starts=(0, 5000)), friction=linear(), cutoff=5.0)
    monkeypatch.setattr("dynident.regression.equations.rows._FILTERED", 400)
    tables = {}
    for threads in ("1", "3"):
        monkeypatch.setenv("DYNIDENT_THREADS", threads)
        tables[threads] = collect_tables(problem.rows, arm.n)
    assert problem.filtered_rows is not None
    for whole, one, many in zip(problem.filtered_rows, tables["1"], tables["3"], strict=True):
        assert len(whole) == len(one) == 2
        for a, b, c in zip(whole, one, many, strict=True):
            np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-13 * np.abs(a).max())
            np.testing.assert_array_equal(b, c)


def test_filtered_rows_are_kept_with_the_problem(arm: Robot) -> None:
    """They are those that streaming again would give, also where friction was left out and where recordings were weighted."""
    logs = [
        generated_log(arm, friction=linear(), samples=4000, rate=500.0, noise=noise, seed=k).dataset for k, noise in enumerate((0.1, 1.0))
    ]
    plain = build_problem(arm, Dataset.concatenate(logs), cutoff=5.0)
    assert plain.filtered is not None
    for problem in (plain, weigh_recordings(plain)):
        kept, again = problem.filtered_rows, collect_tables(problem.rows, arm.n)
        assert kept is not None
        for own, others in zip(kept, again, strict=True):
            for mine, theirs in zip(own, others, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=1e-13 * np.abs(theirs).max())
