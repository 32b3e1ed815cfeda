"""How much coefficients differ between parts of a log: what the noise within it can't tell, such as model error that depends on the motion.

The log is cut into blocks, trajectories where it has several. With Q_k the rows of block k, whitened such that Σ Q_kᵀ Q_k = 1,
and e_k its residuals, block k moves the estimate by x_k = R⁻¹ (1 - Q_kᵀ Q_k)^(-1/2) Q_kᵀ e_k, and the variance is Σ x_k²: the
cluster-robust CR2 of Bell and McCaffrey (Survey Methodology 28, 2002), whose root undoes what the fit absorbed of each block, so
that white noise gives the variance that it has. So few blocks tell a variance only roughly: intervals need Student's t with the
degrees of freedom of Satterthwaite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.records import Shape
from dynident.regression.equations.factors import compress, triangular
from dynident.regression.equations.rows import Tables
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.autocovariance import Influence, influenced_residuals

#: Blocks that a log is cut into; more would be shorter than what makes them differ, fewer tell less.
BLOCKS = 8
#: A direction that one block alone determines to within this share leaves no residual to judge it by.
_ALONE = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockVariation:
    """Standard deviations by the variation between blocks, beside those by noise.

    blocks : int             How many there were.
    ratios : (b,)            Standard deviation between blocks over that of noise; 1 where the data determine neither.
    freedom : (b,)           Degrees of freedom of the former.
    group_ratios : (groups,) Median ratio of the coefficients that the rows of a group decide; 1 for a group that decides none.
    """

    blocks: int
    ratios: Annotated[Array, Shape("b", finite=False)]
    freedom: Annotated[Array, Shape("b", finite=False)]
    group_ratios: Annotated[Array, Shape("g", finite=False)]

    @property
    def scale(self) -> Array:
        """(b,) by which the standard deviations of noise grow, where blocks differ by more than noise explains."""
        return np.maximum(self.ratios, 1.0)

    @property
    def group_scale(self) -> Array:
        """(groups,) by which the noise levels grow."""
        return np.maximum(self.group_ratios, 1.0)


def larger_of_both(noise: Array, ratios: Array) -> Array:
    """(b, b) covariance by the noise, with each standard deviation at least that between blocks: D N D, D the ratios above one.

    Every covariance of coefficients, gains and what is made of them (links, bands, payloads, monitors) is made here. Of six that were
    compared it is the best calibrated, by the root mean square of errors over deviations, which should be 1: 1.01 and 0.99 on virtual
    arms, 0.95 and 0.89 between halves of 15 recorded logs. The noise alone has 0.99 and 1.24, the blocks alone (CR2) 1.41 and 1.44, a
    Whittle likelihood 1.50 and 1.45, and larger errors. `python -m benchmarks.run trust` compares the first three.

    noise : (b, b)   Of noise that is correlated in time.
    ratios : (b,)    Standard deviations between blocks over those of noise.
    """
    scale = np.maximum(ratios, 1.0)
    return noise * np.outer(scale, scale)


def measure_blocks(
    problem: Problem,
    tables: Tables,
    influence: Influence,
    *,
    factor: Array,
    determined: BoolArray,
    known: Sequence[Array],
    noise_variance: Array,
) -> BlockVariation | None:
    """The variation between blocks of a fit; None where the rows are too few to cut.

    factor : (·, b)           A = factorᵀ factor, prior included.
    known : (·, b) each       Rows beside the log, of a prior or a controller, which vary as they say.
    noise_variance : (b,)     Of each coefficient; zero where it is not determined.
    """
    parts = cut_blocks([table.shape[1] for table in tables[0]])
    if len(parts) < 2:
        return None
    half = np.zeros((len(determined), int(determined.sum())))  # A⁻¹ = half halfᵀ
    half[determined] = np.linalg.inv(triangular([factor[:, determined]]))
    psi = [influenced_residuals(tables[g], group.columns, g, influence) for g, group in enumerate(problem.groups)]
    scores, grams = np.zeros((len(parts), half.shape[1])), np.zeros((len(parts), half.shape[1], half.shape[1]))
    for k, block in enumerate(parts):
        for g, group in enumerate(problem.groups):
            for segment, start, stop in block:
                table = tables[g][segment]
                rows = slice(round(start * table.shape[1]), round(stop * table.shape[1]))
                Y, e, weight = table[:-1, rows], psi[g][segment][rows], influence.weights[g] ** 2
                scores[k] += weight * (Y @ e) @ half[group.columns]
                R = np.ascontiguousarray(compress(np.zeros((len(Y), len(Y)), order="F"), Y.copy())) @ half[group.columns]
                grams[k] += influence.slopes[g] * weight * (R.T @ R)
    variance, freedom = cluster_variance(half, scores, grams)
    inverse = half @ half.T
    variance += sum((np.sum((rows @ inverse) ** 2, axis=0) for rows in known), np.zeros(len(determined)))
    ratios = np.sqrt(np.where(determined, variance, 1.0) / np.where(determined, noise_variance, 1.0))
    decided = _deciding_groups(problem, influence, inverse)
    medians = [float(np.median(ratios[mask])) if np.any(mask := determined & (decided == g)) else 1.0 for g in range(len(problem.groups))]
    return BlockVariation(blocks=len(parts), ratios=ratios, freedom=freedom, group_ratios=np.array(medians))


def cut_blocks(lengths: Sequence[int]) -> list[list[tuple[int, float, float]]]:
    """Blocks as (segment, from, to), the latter as shares of the segment.

    lengths : rows of each segment. Segments are cut until there are about BLOCKS parts; of more than twice as many, neighbours are joined.
    """
    shares = np.asarray(lengths, dtype=float) / max(sum(lengths), 1)
    counts = [max(1, round(BLOCKS * share)) if share > 0.0 else 0 for share in shares.tolist()]
    parts = [(segment, i / count, (i + 1) / count) for segment, count in enumerate(counts) for i in range(count)]
    most = min(len(parts), 2 * BLOCKS)
    return [parts[k * len(parts) // most : (k + 1) * len(parts) // most] for k in range(most)]


def cluster_variance(half: Array, scores: Array, grams: Array) -> tuple[Array, Array]:
    """(b,) variances and their degrees of freedom.

    half : (b, r)        A⁻¹ = half halfᵀ.
    scores : (K, r)      Q_kᵀ e_k of each block; they sum to zero but for a prior.
    grams : (K, r, r)    Q_kᵀ Q_k.
    """
    values, vectors = np.linalg.eigh(grams)
    rest = 1.0 - values
    roots = np.where(rest > _ALONE, 1.0 / np.sqrt(np.maximum(rest, _ALONE)), 0.0)
    adjusted = (vectors * roots[:, None, :]) @ vectors.swapaxes(1, 2)
    effects = np.einsum("krs,ks->kr", adjusted, scores) @ half.T
    # of white noise cov(Q_kᵀe_k, Q_lᵀe_l) = δ_kl G_k - G_k G_l, and with it the covariance P (K, K) of each coefficient's effects
    directions = adjusted @ half.T
    seen = grams @ directions
    P = -np.einsum("kri,lri->ikl", seen, seen, optimize=True)
    blocks = np.arange(len(scores))
    P[:, blocks, blocks] += np.einsum("kri,kri->ik", directions, seen)
    total = np.trace(P, axis1=1, axis2=2)
    freedom = total**2 / np.maximum(np.sum(P**2, axis=(1, 2)), np.finfo(float).tiny)
    return np.sum(effects**2, axis=0), np.maximum(freedom, 1.0)


def _deciding_groups(problem: Problem, influence: Influence, inverse: Array) -> Array:
    """(b,) the group whose rows add most to the variance of each coefficient."""
    added = np.zeros((len(problem.groups), len(inverse)))
    for g, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        added[g] = np.sum((influence.weights[g] * factor[:, :-1] @ inverse[group.columns]) ** 2, axis=0)
    return np.argmax(added, axis=0)
