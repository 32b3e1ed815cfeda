"""Many linear objectives over one feasible set: conditions enter a program when an answer breaks them, and not before.

An answer of the program without some conditions that satisfies those too is the answer of the whole. Of dozens of conditions
(dissipation at every speed, centres of mass within the reach) a few matter, and variables that none of these mentions, such as friction,
are minimised out of ‖A x - b‖ <= radius beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.feasibility.constraints.lmi import Block, Equality, Margins
from dynident.feasibility.solvers.conic import ConicProgram, ConicSolution, ConicStatus

#: Conditions count as broken beyond this, in the units of the parameters: what the solver leaves of those that it was given.
BROKEN = 1e-7
#: Columns of A whose triangular factor is worse conditioned are kept.
_INDEPENDENT = 1e-10


class WorkingSet:
    """minimise direction · x  subject to  ‖A x - b‖ <= radius, equalities and blocks, for one direction after the other.

    asked : (p,) bool   Variables that directions may contain.
    tight : (p,)        A feasible point; conditions that are tight there are in the program from the start.
    units : (p,)        What the variables are counted in.
    """

    def __init__(
        self,
        A: Array,
        b: Array,
        blocks: Sequence[Block],
        equalities: Sequence[Equality],
        *,
        radius: float,
        units: Array,
        tolerance: float,
        asked: BoolArray,
        tight: Array,
    ) -> None:
        self._A, self._b, self._units = A * units, b, units
        self._blocks = tuple(block.counted(units) for block in blocks)
        self._equalities = tuple(equality.counted(units) for equality in equalities)
        self._radius, self._tolerance, self._asked = radius, tolerance, asked
        self._margins = Margins(self._blocks, A.shape[1])
        self._chosen = self._margins(tight / units) <= 10.0 * BROKEN
        self._run = self._prepare()

    def minimise(self, direction: Array) -> ConicSolution:
        """The answer of the whole program; its multipliers are not filled in."""
        while True:
            solution = self._run(direction * self._units)
            solved = solution.status is ConicStatus.SOLVED
            broken = self._margins(solution.x) < -BROKEN if solved else np.ones_like(self._chosen)
            if np.all(self._chosen) or (solved and not np.any(broken & ~self._chosen)):
                return replace(solution, x=self._units * solution.x)
            self._chosen = self._chosen | broken
            self._run = self._prepare()

    def _prepare(self) -> Callable[[Array], ConicSolution]:
        """The program of the chosen conditions, in the variables that they or the directions contain."""
        chosen = [block for block, wanted in zip(self._blocks, self._chosen, strict=True) if wanted]
        kept = self._asked.copy()
        for item in (*chosen, *self._equalities):
            kept[item.indices] = True
        out = int(np.sum(~kept))
        R = np.asarray(np.linalg.qr(np.column_stack([self._A[:, ~kept], self._A[:, kept], self._b]), mode="r"), dtype=float)
        diagonal = np.abs(np.diag(R)[:out])
        if out and diagonal.min() <= _INDEPENDENT * diagonal.max():
            kept, out = np.ones_like(kept), 0
            R = np.asarray(np.linalg.qr(np.column_stack([self._A, self._b]), mode="r"), dtype=float)
        place = np.cumsum(kept) - 1
        rows = R[out:, out:]
        blocks = [replace(block, indices=place[block.indices]) for block in chosen]
        equalities = [replace(equality, indices=place[equality.indices]) for equality in self._equalities]
        program = ConicProgram(rows[:, :-1], rows[:, -1], blocks, equalities, scale=1.0 / self._radius)
        solve = program.prepared(radius=1.0, tolerance=self._tolerance)

        def run(direction: Array) -> ConicSolution:
            solution = solve(direction[kept])
            x = np.zeros(len(kept))
            x[kept] = solution.x
            x[~kept] = np.linalg.solve(R[:out, :out], R[:out, -1] - R[:out, out:-1] @ solution.x)
            return replace(solution, x=x)

        return run
