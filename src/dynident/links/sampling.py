"""Parameter sets drawn from the posterior: the normal distribution at its mode, cut off where the conditions end.

In linear parameters the valleys that data leave open are straight, so that the curvature at the mode describes them (in logarithms of
the links they are bent). What is drawn and breaks a condition, by being no body for example, is rejected: nine of ten for a whole arm.
Conditions that are active at the mode would reject nearly all, so these are half-spaces first: linear ones are, and F(x) ⪰ 0 implies
vᵀ F(x) v >= 0 for the v with F v = 0 at the mode. Within half-spaces the few coordinates that they depend on are drawn by Gibbs
sampling (Geweke 1991), and the others follow. The gradient that active conditions leave at the mode moves the centre beyond them, so that
the largest density of the samples is at the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.sizes import check_count
from dynident.errors import DynidentError, InputError, ValueRangeError
from dynident.links.constraints.lmi import Batch, Block, batches
from dynident.links.constraints.terms import MET_WITHIN
from dynident.links.interior.reduced import Reduced
from dynident.links.posterior import root_of
from dynident.links.problem import RetrievalProblem
from dynident.links.solvers.conic import ConicStatus
from dynident.links.truncated_normal import truncated_normal

#: Half-spaces farther than this from the centre, in standard deviations, cut off so little that rejection is cheaper.
_NEAR = 2.0
#: Eigenvalues below this, in the units of the problem, are zero: the matrix inequality is active along their eigenvectors.
_ACTIVE = 1e-6
#: Rounds of Gibbs sampling from the mode to the first draw of a chain, and from one to the next.
_FIRST_ROUNDS, _ROUNDS = 30, 5
#: Chains at once, and how many times as many as are asked for are tried.
_CHAINS, _MOST = 1000, 200


class SamplingError(DynidentError):
    """Nearly all that is drawn breaks a condition. Attributes: `acceptance`, the share that doesn't, and `draws`."""

    def __init__(self, acceptance: float, draws: int) -> None:
        self.acceptance, self.draws = acceptance, draws
        super().__init__(
            f"of {draws} draws {100.0 * acceptance:.2g} % are within the constraints, too few for samples",
            remedy="ask for fewer samples, or retrieve with constraints that leave more room",
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """Draws from a posterior, every one within the constraints.

    x : (count, p)        Standard columns: links, then friction.
    acceptance : float    The share of all that were drawn that is within the constraints.
    """

    x: Array
    acceptance: float


def draw_posterior(
    problem: RetrievalProblem,
    count: int,
    *,
    at: Array | None = None,
    beside: Sequence[Block] = (),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Draws:
    """Draw `count` parameter sets from the posterior of a problem whose prior is knowledge in units of the noise.

    at : (p,)   Where the density is approximated, the mode by default.
    beside : further convex conditions.

    Raises InputError where data and prior together leave a direction open or links need not be bodies, and SamplingError where nearly
    nothing that is drawn is within the conditions.
    """
    if count < 1:
        raise ValueRangeError("count", f"is {count}; at least one sample is needed")
    check_count("count", count, each=20 * len(problem.base.columns.names), what="parameter sets")
    normal = _Normal.at(problem, problem.relaxed.x if at is None else at, beside)
    draws, accepted, drawn = normal.draw(np.random.default_rng(seed)), list[Array](), 0
    while (have := sum(map(len, accepted))) < count:
        if drawn >= _MOST * max(count, _CHAINS):
            raise SamplingError(have / drawn, drawn)
        x = next(draws)
        drawn += len(x)
        accepted.append(x[normal.holds(x)])
        if progress is not None:
            progress(min(1.0, (have + len(accepted[-1])) / count))
    return Draws(x=np.concatenate(accepted)[:count], acceptance=sum(map(len, accepted)) / drawn)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Normal:
    """x = units (origin + basis (y + root u)) with u standard normal, where G u >= h and every F(x / units) ⪰ 0.

    start : (d,) the u of the mode.
    """

    reduced: Reduced
    y: Array
    root: Array
    start: Array
    G: Array
    h: Array
    batches: tuple[Batch, ...]

    @staticmethod
    def at(problem: RetrievalProblem, x: Array, beside: Sequence[Block]) -> _Normal:
        reduced = Reduced.of(problem)
        interior, mode = reduced.interior(), reduced.y(x)
        root = root_of(interior.curvature(mode)) if problem.relaxed.status is ConicStatus.SOLVED else None
        if root is None:
            raise InputError("data and prior together leave a parameter open, so there is no posterior to draw from; give a prior")
        goal = problem.goal
        slope = 0.5 * root.T @ (reduced.basis.T @ (reduced.units * goal.gradient(reduced.x(mode))))
        blocks = [*problem.counted[0], *(block.counted(reduced.units) for block in beside)]
        held = batches(blocks, problem.variables)
        G, h = _half_spaces(held, reduced, mode, root)
        h = h + G @ slope  # in coordinates about the centre, which is where the gradient would be zero
        near = h > -_NEAR
        order = np.argsort(-h[near])
        return _Normal(reduced=reduced, y=mode - root @ slope, root=root, start=slope, G=G[near][order], h=h[near][order], batches=held)

    def draw(self, rng: np.random.Generator) -> Iterator[Array]:
        """(chains, p) within the half-spaces, as often as they are asked for."""
        # few coordinates z = Q u matter; those of the half-spaces that are cut off most come first
        Q, R = np.linalg.qr(self.G.T)
        signs = np.where(np.diag(R) < 0.0, -1.0, 1.0)
        Q, R = Q * signs, signs[:, None] * R
        z, rounds = np.tile(Q.T @ self.start, (_CHAINS, 1)), _FIRST_ROUNDS
        while True:
            u = rng.normal(size=(_CHAINS, len(self.y)))
            if len(self.G):
                z, rounds = truncated_normal(R.T, self.h, z, rounds, rng), _ROUNDS
                u += (z - u @ Q) @ Q.T
            yield self.reduced.units * (self.reduced.origin + (self.y + u @ self.root.T) @ self.reduced.basis.T)

    def holds(self, x: Array) -> BoolArray:
        """(count,) whether all conditions hold."""
        counted, inside = x / self.reduced.units, np.ones(len(x), dtype=bool)
        for batch in self.batches:
            left = np.flatnonzero(inside)
            values = batch.constant + np.einsum("bklp,np->nbkl", batch.tensor, counted[left], optimize=True)
            inside[left] = np.all(values[..., 0, 0] >= -MET_WITHIN if values.shape[-1] == 1 else _positive(values), axis=1)
        return inside


def _half_spaces(held: Sequence[Batch], reduced: Reduced, mode: Array, root: Array) -> tuple[Array, Array]:
    """G (m, d) of unit length and h (m,) of the half-spaces G u >= h that the conditions imply, u about the mode."""
    rows, offsets = [np.zeros((0, root.shape[1]))], [np.zeros(0)]
    for batch in held:
        values, vectors = np.linalg.eigh(batch.values(reduced.origin + reduced.basis @ mode))
        slopes = np.einsum("bkv,bklp,blv->bvp", vectors, batch.tensor, vectors, optimize=True).reshape(-1, batch.variables)
        rows.append(slopes @ reduced.basis @ root)
        offsets.append(-values.ravel())
        if batch.blocks[0].size > 1:
            felt = values.ravel() < _ACTIVE
            rows[-1], offsets[-1] = rows[-1][felt], offsets[-1][felt]
    G, h = np.concatenate(rows), np.concatenate(offsets)
    lengths = np.linalg.norm(G, axis=1)
    felt = lengths > 0.0
    return G[felt] / lengths[felt, None], np.minimum(h[felt], 0.0) / lengths[felt]  # what rounding leaves outside of a condition is on it


def _positive(matrices: Array) -> BoolArray:
    """Whether matrices (..., k, k) are positive definite, by elimination: of thousands of small ones in a tenth of the time."""
    left, positive = matrices.copy(), np.ones(matrices.shape[:-2], dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for k in range(matrices.shape[-1]):
            pivot = left[..., k, k]
            positive &= pivot > 0.0
            left = left - left[..., :, k, None] * left[..., None, k, :] / pivot[..., None, None]
    return positive
