"""What multipliers prove, recomputed here whatever a solver said: lower bounds, contradictions, and which constraints make one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.links.constraints.lmi import Block, Equality
from dynident.links.constraints.terms import MET_WITHIN, Terms
from dynident.links.solvers.conic import ConicProgram, ConicSolution, ConicStatus


def lower_bound(
    A: Array, b: Array, blocks: Sequence[Block], equalities: Sequence[Equality], solution: ConicSolution, scale: float, reach: Array
) -> float:
    """A lower bound on min ‖A x - b‖² over the constraints, from multipliers alone: weak duality, recomputed here.

    For any y and positive semidefinite Z_k (those of the solver, projected), with g = Aᵀ y + Σ E ν - Σ tr(Z_k F_i),
    ‖A x - b‖² >= -‖y‖²/4 - b·y - ... + g·x. What Aᵀ reaches of g is made zero by another y; of the rest,
    g·x >= -|g|·reach where |x_i| <= reach_i. Constraints count as met within their tolerance, as in `violations`, so that no
    answer that passes them can be below the bound.
    """
    # the program minimises ½ s² ‖A x - b‖²; in its Lagrangian the multipliers of r = s (A x - b) are y
    fixed, gradient = _weighed_constraints(blocks, equalities, solution, A.shape[1])
    y = solution.residual_dual
    correction = least_squares(scale * A.T, -(gradient + scale * A.T @ y), rcond=1e-12)
    bounds: list[float] = []
    for multipliers in (y, y + correction):
        value = fixed - 0.5 * float(multipliers @ multipliers) - scale * float(b @ multipliers)
        bounds.append(value - float(np.abs(gradient + scale * A.T @ multipliers) @ reach))
    return 2.0 * max(bounds) / scale**2


def contradict(blocks: Sequence[Block], equalities: Sequence[Equality], reach: Array) -> bool:
    """Whether no |x_i| <= reach_i satisfies the constraints, proven: Farkas' lemma, recomputed from multipliers.

    For positive semidefinite Z_k and any ν, Σ tr(Z_k F_k(x)) + Σ ν (E x - e) >= 0 wherever the constraints hold; if it is negative
    for all x, they hold nowhere. Such multipliers are those of: minimise s, where all F_k(x) + s 1 ⪰ 0.
    """
    p = len(reach)
    pull = np.zeros((p, p + 1))
    pull[:, :p] = 1e-6 * np.diag(1.0 / reach)  # keeps the program bounded where nothing else does
    eased = [
        replace(
            block,
            matrices=np.concatenate([block.matrices, np.eye(block.size)[None]]),
            indices=np.append(block.indices, p),
        )
        for block in blocks
    ]
    solution = ConicProgram(pull, np.zeros(p), eased, equalities).solve(np.append(np.zeros(p), 1.0))
    fixed, gradient = _weighed_constraints(blocks, equalities, solution, p)
    return fixed - float(np.abs(gradient) @ reach) > 0.0


def _weighed_constraints(
    blocks: Sequence[Block], equalities: Sequence[Equality], solution: ConicSolution, variables: int
) -> tuple[float, Array]:
    """c and g with c + g·x = Σ ν (E x - e) - Σ tr(Z_k F_k(x)), less what the tolerances of the constraints can change."""
    fixed, gradient = 0.0, np.zeros(variables)
    for equality, nu in zip(equalities, solution.equality_dual, strict=True):
        gradient[equality.indices] += nu * equality.coefficients
        fixed -= float(nu * equality.value) + abs(float(nu)) * MET_WITHIN * (1.0 + abs(equality.value))
    constant, slope, trace = weigh_blocks(blocks, solution, variables)
    return fixed - constant - MET_WITHIN * trace, gradient - slope


def weigh_blocks(blocks: Sequence[Block], solution: ConicSolution, variables: int) -> tuple[float, Array, float]:
    """c, g (p,) and Σ tr Z_k with c + g·x = Σ tr(Z_k F_k(x)), where Z_k are the solver's multipliers made positive semidefinite."""
    constant, slope, trace = 0.0, np.zeros(variables), 0.0
    for size in sorted({block.size for block in blocks}):
        places = [place for place, block in enumerate(blocks) if block.size == size]
        duals = np.array([solution.cone_duals[place] for place in places])
        values, vectors = np.linalg.eigh(0.5 * (duals + duals.swapaxes(1, 2)))
        values = np.maximum(values, 0.0)
        trace += float(values.sum())
        for Z, place in zip((vectors * values[:, None]) @ vectors.swapaxes(1, 2), places, strict=True):
            block = blocks[place]
            constant += float(np.sum(Z * block.constant))
            slope[block.indices] += block.matrices.reshape(-1, size * size) @ Z.ravel()
    return constant, slope, trace


def conflicting(terms: Terms, variables: int) -> tuple[str, ...]:
    """Names of constraints that can't all hold, while any of them left out makes the others possible (deletion filter)."""
    members: list[Block | Equality] = [*terms.blocks, *terms.equalities]
    for member in tuple(members):
        rest = [other for other in members if other is not member]
        if not _possible(rest, variables):
            members = rest
    return tuple(dict.fromkeys(member.name for member in members))


def _possible(members: list[Block | Equality], variables: int) -> bool:
    blocks = [member for member in members if isinstance(member, Block)]
    equalities = [member for member in members if isinstance(member, Equality)]
    # a tiny pull to the origin keeps the program bounded; only its feasibility matters
    program = ConicProgram(1e-3 * np.eye(variables), np.zeros(variables), blocks, equalities)
    return program.solve(tolerance=1e-8).status is not ConicStatus.INFEASIBLE
