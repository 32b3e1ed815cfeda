"""f(p) = φ(p) + ξ γ(p), the function of Algorithm 1, in the papers' parameters; and its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.links.constraints.lmi import Batch, Block, Equality, batches
from dynident.links.problem import RetrievalProblem
from dynident.links.solvers.search.box import box_of, to_standard
from dynident.robots.parameters import pseudo_inertia

_DIFFERENCE = 1e-7


@dataclass(frozen=True)
class Charge:
    """How violations γ enter f: φ + ξ γ (RA-L 2019), or φ + δ where there are any (ICRA 2016)."""

    factor: float
    constant: float = math.nan

    def __call__(self, phi: float, gamma: float) -> float:
        if math.isnan(self.constant):
            return phi + self.factor * gamma
        return phi + (self.constant if gamma > 0.0 else 0.0)


class Penalised:
    """Everything that the box doesn't say or hold is charged by its violation.

    The triangle inequality of a link is charged by eq. (32), λ_max(I) - tr(I)/2; linear conditions, other matrix
    inequalities, equalities and functions by how far they are missed.
    """

    def __init__(self, problem: RetrievalProblem) -> None:
        self.problem, self.links = problem, problem.base.robot.n
        A, b = problem.rows
        self.A, self.b = np.ascontiguousarray(A), np.ascontiguousarray(b)
        free = [block for block in problem.terms.blocks if block.side is None]
        self.consistent = np.zeros(self.links, dtype=np.bool_)
        others: list[Block] = []
        for block in free:
            if _is_consistency(block):
                self.consistent[int(block.indices[0]) // 10] = True
            else:
                others.append(block)
        held = box_of(problem).held
        equalities = [equality for number, equality in enumerate(problem.terms.equalities) if number not in held]
        rows, offsets = _linear_rows(problem, others, equalities), _offsets(others, equalities)
        self.G = np.array(rows, dtype=float).reshape(-1, problem.variables)
        self.h = np.array(offsets, dtype=float)
        self.batches: tuple[Batch, ...] = batches([block for block in others if block.size > 1], problem.variables)
        self.functions = tuple(item.violation for item in problem.terms.nonconvex if item.side is None)
        self._x, self._gradient = np.empty(problem.variables), np.empty((2, problem.variables))

    @cached_property
    def _kernels(self) -> Any:
        from dynident.links.solvers.search import kernels  # compiles or loads from the cache, so not at import

        return kernels

    def _run(self, p: Array, want_gradient: bool) -> tuple[float, float]:
        return self._kernels.evaluate(
            p, self.links, self.A, self.b, self.consistent, self.G, self.h, self._x, self._gradient, want_gradient
        )

    def parts(self, p: Array) -> tuple[float, float]:
        """φ and γ = Σ g."""
        phi, gamma = self._run(p, False)
        for batch in self.batches:
            gamma += float(np.sum(np.maximum(0.0, -batch.margins(self._x))))
        for violation in self.functions:
            gamma += max(0.0, violation(self._x))
        return phi, gamma

    def parts_and_gradients(self, p: Array) -> tuple[float, float, Array, Array]:
        """φ and γ with their gradients."""
        phi, gamma = self._run(p, True)
        slopes = self._gradient.copy()
        if self.batches or self.functions:
            x, further = self._x.copy(), np.zeros(len(p))
            for batch in self.batches:
                margins, gradients = batch.margins_and_gradients(x)
                gamma += float(np.sum(np.maximum(0.0, -margins)))
                further -= np.sum(gradients[margins < 0.0], axis=0)
            self._kernels.chain(p, self.links, further, slopes[1])
            for violation in self.functions:
                here = violation(x)
                if here > 0.0:
                    gamma += here
                    slopes[1] += self._differences(violation, p, here)
        return phi, gamma, slopes[0], slopes[1]

    def walk(self, start: Array, low: Array, high: Array, steps: tuple[Array, Array, Array], charge: Charge) -> Array | None:
        """The compiled annealing; None where some condition is Python code."""
        if self.batches or self.functions:
            return None
        data = (self.links, self.A, self.b, self.consistent, self.G, self.h)
        return self._kernels.anneal(start, low, high, *steps, charge.factor, charge.constant, *data)

    def _differences(self, violation: Callable[[Array], float], p: Array, here: float) -> Array:
        gradient = np.empty(len(p))
        for k in range(len(p)):
            moved = p.copy()
            moved[k] += _DIFFERENCE
            gradient[k] = (violation(to_standard(moved, self.links)) - here) / _DIFFERENCE
        return gradient


def _is_consistency(block: Block) -> bool:
    """Whether a block is a link's pseudo-inertia with no margin, which eq. (32) covers together with a positive mass."""
    first = int(block.indices[0])
    return (
        block.size == 4
        and not np.any(block.constant)
        and first % 10 == 0
        and np.array_equal(block.indices, np.arange(first, first + 10))
        and np.array_equal(block.matrices, pseudo_inertia(np.eye(10)))
    )


def _linear_rows(problem: RetrievalProblem, blocks: list[Block], equalities: list[Equality]) -> list[Array]:
    """Rows of G x + h >= 0: linear conditions, then both sides of every equality."""
    rows: list[Array] = []
    for block in blocks:
        if block.size == 1:
            row = np.zeros(problem.variables)
            row[block.indices] = block.matrices[:, 0, 0]
            rows.append(row)
    for equality in equalities:
        row = np.zeros(problem.variables)
        row[equality.indices] = equality.coefficients
        rows += [row, -row]
    return rows


def _offsets(blocks: list[Block], equalities: list[Equality]) -> list[float]:
    offsets = [float(block.constant[0, 0]) for block in blocks if block.size == 1]
    for equality in equalities:
        offsets += [-equality.value, equality.value]
    return offsets
