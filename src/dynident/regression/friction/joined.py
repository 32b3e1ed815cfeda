"""What two data sets say of one model, the links from one and the friction from the other, as rows in units of their noise."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.regression.equations.factors import triangular
from dynident.regression.estimate import Estimate, JoinedData
from dynident.regression.friction.hold_rigid import friction_places
from dynident.regression.problem import Problem


def join_data(before: Estimate, after: Estimate) -> JoinedData | None:
    """What is known of the coefficients of `after`, whose links are those of `before`.

    before : the data of its links count, with its friction eliminated; None is returned where they are not there any more.
    after : of its log only what it says about friction for given links counts, because the links were held.
    """
    known, problem, new, old = _data(before), after.problem, after.base, before.base
    if known is None or problem is None:
        return None
    of_friction, levels = friction_places(old), after.row_noise
    links = _split(known.factor, of_friction)[1]
    places = np.zeros((len(new.columns), new.rank))  # standard parameters that go with coefficients of links
    held = np.flatnonzero(~friction_places(new))
    places[new.independent[held], held] = 1.0
    link_slice = old.columns.link_slice
    T = old.grouping[~of_friction][:, link_slice] @ places[link_slice]
    left = np.append(np.zeros(new.rank), np.sqrt(float(np.sum(after.residuals.squares / levels**2))))
    rows = [np.concatenate([links[:, :-1] @ T, links[:, -1:]], axis=1), left[None]]
    for group, factor, level in zip(problem.groups, problem.factors, levels, strict=True):
        mine = friction_places(new)[group.columns]
        wide = np.zeros((int(mine.sum()), new.rank + 1))
        wide[:, np.append(group.columns, new.rank)] = _split(factor / level, mine)[0]
        rows.append(wide)
    return JoinedData(factor=triangular(rows), noise=known.noise + _noise(after, problem))


def _data(estimate: Estimate) -> JoinedData | None:
    if estimate.joined is not None or estimate.problem is None:
        return estimate.joined
    factor = triangular([estimate.problem.stack(1.0 / estimate.row_noise)])
    return JoinedData(factor=factor, noise=_noise(estimate, estimate.problem))


def _noise(estimate: Estimate, problem: Problem) -> float:
    """What is left of as many rows that are independent, in units of the noise."""
    return float(np.sum(problem.counts / estimate.row_scale**2))


def _split(rows: Array, first: BoolArray) -> tuple[Array, Array]:
    """Rows (r, c + 1) in two parts, by the columns (c,) that are eliminated first.

    What the rows say of the first for given others, (k, c + 1), in the order of the columns; and of the others alone, the right-hand side
    included, (c - k + 1, c - k + 1).
    """
    k, c = int(first.sum()), len(first)
    order = np.append(np.concatenate([np.flatnonzero(first), np.flatnonzero(~first)]), c)
    R = triangular([rows[:, order]])
    given = np.zeros((k, c + 1))
    given[:, order] = R[:k]
    return given, R[k:, k:]
