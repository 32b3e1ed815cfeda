"""Gains of the drives and the model at once: total least squares to start with, then the most probable gains and parameters.

With i_j the current of joint j, g_j its gain and Y_j its rows, g_j i_j = Y_j χ is linear in gains and parameters together, but its noise
lies in the columns of the currents: least squares would shrink the gains. Total least squares doesn't, and needs a scale from outside
(Gautier, Briot, "Global identification of joint drive gains and dynamic parameters of robots", J. Dyn. Sys. Meas. Control 136, 2014).
Noise in the currents alone, of another level in each joint, makes it the bilinear problem i_j = Y_j χ / g_j + noise, which Gauss and
Newton's method solves from there, with what is known beforehand as further rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares, singular_vectors
from dynident.errors import InputError
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import Tables
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.autocovariance import SMALLEST_SHARE, Correlated, Influence, correlated_meat, correlated_rows
from dynident.regression.uncertainty.blocks import cluster_variance, cut_blocks, larger_of_both
from dynident.regression.uncertainty.losses import Squared

_TLS_ITERATIONS = 20
#: Weights have settled when the gains change by less than this share.
_CLOSE = 1e-3
_ITERATIONS = 50
_LEVEL_ROUNDS = 3
_SMALLEST_STEP = 1e-6
#: Gauss and Newton's method has settled when a step moves the unknowns by less than this share of their standard deviations.
_SETTLED = 1e-2
#: A scale that nothing fixes is held where it is, to this share.
_HELD = 1e-6
#: Noise of exact data, as a share of them.
_EXACT = 1e-12
#: Singular values below this share of the largest are rounding.
_DEPENDENT = 1e-12


class CurrentLog(NamedTuple):
    """A log of currents as a problem, and which coefficients its motion had: χ = mixing @ unknowns, mixing (b, m)."""

    problem: Problem
    mixing: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """What is known beforehand, in units of its standard deviation.

    rows : (r, m)                  rows @ unknowns is about `values` (r,).
    gains, log_std : (n,)          Gains, and to how many powers of e; nobody has to know them better than to a factor of ten.
    fixes_scale : bool             Whether twice the gains with twice the unknowns would contradict it.
    """

    rows: Array
    values: Array
    gains: Array
    log_std: Array
    fixes_scale: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class GainFit:
    """Gains and parameters that explain the currents best.

    gains : (n,)               Torque per unit of effort.
    unknowns : (m,)            Of the model.
    levels : (n,)              Standard deviation of what the model leaves of each current.
    cost : float               Of rows and knowledge together, in units of their noise.
    log_determinant : float    Of the information on all unknowns; with the cost the evidence for the knowledge.
    """

    gains: Array
    unknowns: Array
    levels: Array
    cost: float
    log_determinant: float


def fit_gains(logs: Sequence[CurrentLog], knowledge: Knowledge, start: Array) -> GainFit:
    """The most probable gains and unknowns of the model. start : (n,) gains to begin with, of the right signs."""
    levels, gains = _own_levels(logs), start
    x = _unknowns(logs, knowledge, levels, gains)
    for _ in range(_LEVEL_ROUNDS):  # the levels are those that the common model leaves, once there is one
        gains, x = _descend(logs, knowledge, levels, gains, x)
        levels = _left_levels(logs, gains, x)
    J, r = _linearise(logs, knowledge, levels, gains, x)
    scale = np.linalg.norm(J, axis=0)
    R = np.linalg.qr(J / scale, mode="r")
    return GainFit(
        gains=gains,
        unknowns=x,
        levels=levels,
        cost=float(r @ r),
        log_determinant=2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(scale))),
    )


def _own_levels(logs: Sequence[CurrentLog]) -> Array:
    """(n,) noise of each current: what rows with coefficients of their own leave of it."""
    squares, sizes, freedom = np.zeros((3, len(logs[0].problem.groups)))
    for problem, _ in logs:
        for j, (factor, count) in enumerate(zip(problem.factors, problem.counts.tolist(), strict=True)):
            squares[j] += factor[-1, -1] ** 2
            sizes[j] += np.sum(factor[:, -1] ** 2)
            freedom[j] += max(count - len(factor), 1)
    if not np.all(sizes > 0.0):
        name = logs[0].problem.groups[int(np.argmin(sizes))].name
        raise InputError(f"the effort of joint {name!r} is zero all the time, so it has no gain; check the columns")
    return np.sqrt(np.maximum(squares, _EXACT**2 * sizes) / freedom)


def _left_levels(logs: Sequence[CurrentLog], gains: Array, x: Array) -> Array:
    """(n,) standard deviation of what the common model leaves of each current."""
    squares, counts = np.zeros((2, len(gains)))
    for problem, mixing in logs:
        chi = mixing @ x
        for j, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
            squares[j] += np.sum((factor[:, -1] - factor[:, :-1] @ chi[group.columns] / gains[j]) ** 2)
            counts[j] += problem.counts[j]
    return np.sqrt(np.maximum(squares / np.maximum(counts - len(x) / len(gains), 1.0), np.finfo(float).tiny))


def total_least_squares(logs: Sequence[CurrentLog], knowledge: Knowledge) -> Array:
    """(n,) gains: those of the smallest generalised singular vector of [rows, currents, what is known].

    Rows are weighed by the noise that the gains give them, so it takes a few rounds. What is known fixes the scale; where nothing is,
    the gains have a geometric mean of one.
    """
    levels, counts = _own_levels(logs), np.sum([log.problem.counts for log in logs], axis=0)
    n, m, fixed = len(levels), len(knowledge.rows.T), bool(np.any(knowledge.values != 0.0))
    gains: Array = 1.0 / levels
    for _ in range(_TLS_ITERATIONS):
        weights = 1.0 / (np.abs(gains) * levels)
        stacked = np.concatenate([_known_columns(knowledge, n), *_homogeneous(logs, weights)])
        ordered = np.concatenate([stacked[:, :m], stacked[:, m + n :] if fixed else stacked[:, :0], stacked[:, m : m + n]], axis=1)
        scale = np.linalg.norm(ordered, axis=0)
        R = triangular([ordered / np.where(scale > 0.0, scale, 1.0)])[m:, m:] * scale[m:]
        # the gains for which least is left over, per noise of the currents
        noise = weights * levels * np.sqrt(counts)
        direction = np.asarray(singular_vectors(R[-n:, -n:] / noise, full=True)[2][-1], dtype=float) / noise
        size = -float(R[0, 1:] @ direction) / float(R[0, 0]) if fixed else _geometric_mean(direction)
        before, gains = gains, direction / size
        escaped = not np.all(np.isfinite(gains) & (gains != 0.0))  # where no scale suits what is known
        if escaped or np.allclose(np.abs(gains), np.abs(before), rtol=_CLOSE, atol=0.0):
            break
    return gains


def _geometric_mean(values: Array) -> float:
    return float(np.exp(np.mean(np.log(np.abs(values)))))


def _homogeneous(logs: Sequence[CurrentLog], weights: Array) -> Iterator[Array]:
    """Blocks (·, m + n + 1) of rows that are zero at (unknowns, gains, 1), but for noise."""
    for problem, mixing in logs:
        m, n = mixing.shape[1], len(weights)
        for j, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
            block = np.zeros((len(factor), m + n + 1))
            block[:, :m] = weights[j] * factor[:, :-1] @ mixing[group.columns]
            block[:, m + j] = -weights[j] * factor[:, -1]
            yield block


def _known_columns(knowledge: Knowledge, n: int) -> Array:
    """The same of what is known."""
    return np.concatenate([knowledge.rows, np.zeros((len(knowledge.rows), n)), -knowledge.values[:, None]], axis=1)


def _unknowns(logs: Sequence[CurrentLog], knowledge: Knowledge, levels: Array, gains: Array) -> Array:
    """(m,) what goes with these gains, by least squares."""
    whole = np.concatenate([_known_columns(knowledge, len(gains)), *_homogeneous(logs, 1.0 / (np.abs(gains) * levels))])
    m = len(knowledge.rows.T)
    return _solve(whole[:, :m], -whole[:, m:] @ np.append(gains, 1.0))


def _solve(A: Array, right: Array) -> Array:
    """Least squares with columns of one length; the shortest answer where they are dependent."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0.0] = 1.0
    return least_squares(A / scale, right, rcond=1e-13) / scale


def _descend(logs: Sequence[CurrentLog], knowledge: Knowledge, levels: Array, gains: Array, x: Array) -> tuple[Array, Array]:
    """Gauss and Newton's method on the logarithms of |gain| and the unknowns, with halved steps."""
    n = len(gains)
    J, r = _linearise(logs, knowledge, levels, gains, x)
    for _ in range(_ITERATIONS):
        step, share, cost = _solve(J, -r), 1.0, float(r @ r)
        while True:
            moved = (gains * np.exp(share * step[:n]), x + share * step[n:])
            J, r = _linearise(logs, knowledge, levels, *moved)
            if float(r @ r) <= cost or share < _SMALLEST_STEP:
                break
            share /= 2.0
        gains, x = moved
        if cost - float(r @ r) < _SETTLED**2 * len(step):
            break
    return gains, x


def _linearise(logs: Sequence[CurrentLog], knowledge: Knowledge, levels: Array, gains: Array, x: Array) -> tuple[Array, Array]:
    """Derivatives (rows, n + m) by log |gain| and unknowns, and values (rows,), of all that is to be small, in units of noise."""
    n, m = len(gains), len(x)
    blocks, values = list[Array](), list[Array]()
    for problem, mixing in logs:
        chi = mixing @ x
        for j, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
            weighted = factor / levels[j]
            predicted = weighted[:, :-1] @ chi[group.columns] / gains[j]
            block = np.zeros((len(factor), n + m))
            block[:, j] = -predicted
            block[:, n:] = weighted[:, :-1] @ mixing[group.columns] / gains[j]
            blocks.append(block)
            values.append(predicted - weighted[:, -1])
    blocks.append(np.concatenate([np.zeros((len(knowledge.rows), n)), knowledge.rows], axis=1))
    values.append(knowledge.rows @ x - knowledge.values)
    of_gains, about = _gain_rows(knowledge, gains)
    blocks.append(np.concatenate([of_gains, np.zeros((len(of_gains), m))], axis=1))
    values.append(about)
    return np.concatenate(blocks), np.concatenate(values)


def _gain_rows(knowledge: Knowledge, gains: Array) -> tuple[Array, Array]:
    """What is known of the gains themselves, and the row that holds a scale which nothing fixes."""
    away = np.log(np.abs(gains / knowledge.gains))
    rows, values = np.diag(1.0 / knowledge.log_std), away / knowledge.log_std
    if knowledge.fixes_scale:
        return rows, values
    held = np.full((1, len(gains)), 1.0 / (len(gains) * _HELD))
    return np.concatenate([rows, held]), np.append(values, held @ away)


def gain_covariance(logs: Sequence[CurrentLog], knowledge: Knowledge, fit: GainFit) -> Array:
    """(n, n) of the logarithms of |gain|.

    Where the filtered rows are there: with noise that is correlated in time, and larger where blocks of the logs differ by more.
    """
    n, (J, _) = len(fit.gains), _linearise(logs, knowledge, fit.levels, fit.gains, fit.unknowns)
    scale = np.linalg.norm(J, axis=0)
    scale[scale == 0.0] = 1.0
    _, s, Vt = singular_vectors(J / scale)
    used = s > _DEPENDENT * s[0]
    half = (Vt[used].T / s[used]) / scale[:, None]  # the inverse of JᵀJ is half halfᵀ
    rows = [item for log in logs if (item := correlated_rows(log.problem)) is not None]
    if len(rows) < len(logs):
        return (half @ half.T)[:n, :n]
    count = len(J.T)
    tables = tuple(_linear_tables(logs, rows, j, fit.gains[j], fit.unknowns) for j in range(n))
    weights = 1.0 / fit.levels
    influence = Influence(
        values=np.zeros(count), inverse=half @ half.T, weights=weights, levels=np.ones(n), slopes=np.ones(n), loss=Squared()
    )
    together = Correlated(rate=rows[0].rate, lags=rows[0].lags, tables=tables)
    meat, _ = correlated_meat([np.arange(count)] * n, together, influence)
    of_gains, _ = _gain_rows(knowledge, fit.gains)
    known = np.zeros((len(of_gains) + len(knowledge.rows), count))
    known[: len(of_gains), :n], known[len(of_gains) :, n:] = of_gains, knowledge.rows
    values, vectors = np.linalg.eigh(half.T @ (meat + known.T @ known) @ half)
    root = half @ vectors * np.sqrt(np.maximum(values, SMALLEST_SHARE))
    noise = root @ root.T
    ratios = np.sqrt(_block_variance(tables, weights, half, known) / np.diag(noise))
    return larger_of_both(noise, ratios)[:n, :n]


def _linear_tables(logs: Sequence[CurrentLog], rows: Sequence[Correlated], joint: int, gain: float, x: Array) -> tuple[Array, ...]:
    """Per segment of all logs the derivatives of a joint's current by logarithms of gains and unknowns, and what is left of it."""
    tables: list[Array] = []
    for (problem, mixing), item in zip(logs, rows, strict=True):
        chi, columns, n = mixing @ x, problem.groups[joint].columns, len(problem.groups)
        for table in item.tables[joint]:
            linear = np.zeros((n + len(x) + 1, table.shape[1]))
            linear[joint] = -chi[columns] @ table[:-1] / gain
            linear[n:-1] = mixing[columns].T @ table[:-1] / gain
            linear[-1] = table[-1] + linear[joint]
            tables.append(linear)
    return tuple(tables)


def _block_variance(tables: Tables, weights: Array, half: Array, known: Array) -> Array:
    """(n + m,) variances by how much blocks of the logs differ, and by what is known."""
    blocks = cut_blocks([table.shape[1] for table in tables[0]])
    scores, grams = np.zeros((len(blocks), half.shape[1])), np.zeros((len(blocks), half.shape[1], half.shape[1]))
    for k, block in enumerate(blocks):
        for of_joint, weight in zip(tables, weights, strict=True):
            for segment, start, stop in block:
                table = of_joint[segment]
                part = weight * table[:, round(start * table.shape[1]) : round(stop * table.shape[1])]
                whitened = half.T @ part[:-1]
                scores[k] += whitened @ part[-1]
                grams[k] += whitened @ whitened.T
    variance, _ = cluster_variance(half, scores, grams)
    return variance + np.sum((known @ half @ half.T) ** 2, axis=0)
