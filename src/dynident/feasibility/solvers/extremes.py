"""The ends of one variable after the other over an ellipsoid and conditions, each by a program of a few links.

‖A x - b‖ <= radius is x = x₀ + M u with ‖u‖ <= 1 where A tells every direction. Over the ellipsoid alone the end of a variable is known
in closed form, and is the answer where it breaks no condition. Else the conditions that it breaks mention few variables S:
x_S = x₀ + Tᵀ y with ‖y‖ <= 1 and M_Sᵀ = Q T, a program of as many unknowns as S has members and not of all; the other variables follow
as x₀ + M Q y. Its answer is that of the whole if it breaks none of the other conditions; those that it breaks join, and it is solved again.

A solver is not believed: an end is feasible where the margins say so, and no farther one exists than the multipliers prove.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.feasibility.constraints.lmi import Block, Margins
from dynident.feasibility.solvers.certificates import weigh_blocks
from dynident.feasibility.solvers.conic import ConicProgram, ConicSolution, ConicStatus
from dynident.feasibility.solvers.working_set import BROKEN

#: A triangular factor of A that is worse conditioned leaves directions open.
_OPEN = 1e-10
#: An end that is farther from what the multipliers prove, as a share of half the ellipsoid's width, was not found.
_PROVEN = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class Extremes:
    """centre : (p,) x₀; spread : (p, d) M; blocks : the conditions on x; tolerance : of the solver; programs : those set up so far."""

    centre: Array
    spread: Array
    blocks: tuple[Block, ...]
    margins: Margins
    tolerance: float
    programs: dict[tuple[bytes, bytes], _Program]

    @staticmethod
    def of(A: Array, b: Array, blocks: Sequence[Block], *, radius: float, origin: Array, basis: Array, tolerance: float) -> Extremes | None:
        """Over x = origin + basis v with ‖A x - b‖ <= radius; None where A leaves a direction of v open, or nothing is as near as that."""
        rows, right = A @ basis, b - A @ origin
        sizes = np.linalg.norm(rows, axis=0)
        if len(rows) < len(sizes) or not np.all(sizes > 0.0):
            return None
        Q, R = np.linalg.qr(rows / sizes)
        diagonal = np.abs(np.diag(R))
        if diagonal.min(initial=1.0) <= _OPEN * diagonal.max(initial=1.0):
            return None
        inverse = np.linalg.inv(R) / sizes[:, None]
        best = inverse @ (Q.T @ right)
        room = radius**2 - float(np.sum((rows @ best - right) ** 2))
        if room <= 0.0:
            return None
        return Extremes(
            centre=origin + basis @ best,
            spread=np.sqrt(room) * (basis @ inverse),
            blocks=tuple(blocks),
            margins=Margins(blocks, len(origin)),
            tolerance=tolerance,
            programs={},
        )

    def end(self, column: int, sign: float) -> float:
        """The smallest (sign 1) or largest (sign -1) value of a variable; nan where it was not found."""
        width = float(np.linalg.norm(self.spread[column]))
        if width == 0.0:
            return float(self.centre[column])
        x = self.centre - sign * (self.spread @ self.spread[column]) / width
        held = np.zeros(len(self.blocks), dtype=bool)
        while np.any(broken := (self.margins(x) < -BROKEN) & ~held):
            held |= broken
            found = self._program(held, column).minimise(column, sign)
            if found is None:
                return float("nan")
            x = self.centre + self.spread @ found
        return float(x[column])

    def _program(self, held: BoolArray, column: int) -> _Program:
        """Of the held conditions, in their variables and the one that is asked for; kept, for many ends have the same."""
        numbers = np.flatnonzero(held)
        chosen = np.unique(np.concatenate([[column], *(self.blocks[k].indices for k in numbers)]))
        key = (numbers.tobytes(), chosen.tobytes())
        if key not in self.programs:
            self.programs[key] = _Program(self, [self.blocks[k] for k in numbers], chosen)
        return self.programs[key]


class _Program:
    """minimise one of the chosen variables x₀ + Tᵀ y over ‖y‖ <= 1 and some conditions."""

    def __init__(self, whole: Extremes, blocks: Sequence[Block], chosen: IntArray) -> None:
        self.chosen = chosen
        self.Q, self.T = np.linalg.qr(whole.spread[chosen].T)
        self.blocks = [_in_ball(block, whole.centre, self.T[:, np.searchsorted(chosen, block.indices)]) for block in blocks]
        k = len(self.T)
        self.solve = ConicProgram(np.eye(k), np.zeros(k), self.blocks, []).prepared(radius=1.0, tolerance=whole.tolerance)

    def minimise(self, column: int, sign: float) -> Array | None:
        """(d,) u = Q y at the end; None where it was not found."""
        cost = sign * self.T[:, np.searchsorted(self.chosen, column)]
        cost = cost / np.linalg.norm(cost)
        solution = self.solve(cost)
        found = solution.status is ConicStatus.SOLVED and float(cost @ solution.x) - prove(cost, self.blocks, solution) <= _PROVEN
        return self.Q @ solution.x if found else None


def prove(cost: Array, blocks: Sequence[Block], solution: ConicSolution) -> float:
    """What cost · y is at least over ‖y‖ <= 1 and the blocks, by the solver's multipliers, made positive semidefinite.

    cost·y >= cost·y - Σ tr(Z F(y)) >= -Σ tr(Z F₀) - ‖cost - Σ tr(Z F_i)‖ for any Z ⪰ 0.
    """
    constant, slope, _ = weigh_blocks(blocks, solution, len(cost))
    return -constant - float(np.linalg.norm(cost - slope))


def _in_ball(block: Block, centre: Array, T: Array) -> Block:
    """A condition on y, where the variables of the block are centre + Tᵀ y; divided by the largest change that y can make."""
    matrices = (T @ block.matrices.reshape(len(block.indices), -1)).reshape(-1, block.size, block.size)
    size = max(float(np.abs(matrices).max()), float(np.finfo(float).tiny))
    return replace(block, constant=block.value(centre) / size, matrices=matrices / size, indices=np.arange(len(T)))
