"""Conic programs over the blocks of a problem, straight to Clarabel.

minimise ½ ‖r‖² + c·x  subject to  r = scale (A x - b),  equalities,  F(x) ⪰ 0. The residual r is a variable of its own,
so that AᵀA, and with it the square of the condition number, never appears; scaling it keeps small objectives above
the solver's tolerances, and x is counted in the unit of its size, so that a robot of grams and one of tons are the same problem.
"""

# pyright: basic, reportAttributeAccessIssue=false, reportOptionalSubscript=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from typing import Any

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.linear_algebra import least_squares
from dynident.links.constraints.lmi import Block, Equality

TOLERANCE = 1e-10
#: The right-hand side is scaled to this length, so that objectives far below its square are still resolved.
_LENGTH = 400.0
#: Parameters of this size (kg, kg·m, kg·m²) are counted in SI units.
_ORDINARY = (0.1, 20.0)
_SQRT2 = np.sqrt(2.0)


class ConicStatus(Enum):
    SOLVED = "solved"
    INFEASIBLE = "the constraints contradict each other"
    UNBOUNDED = "the problem is unbounded"
    INACCURATE = "the solver stopped before reaching its tolerance"


#: By Clarabel's name, without the Almost of an answer within its wider tolerances: bounds and margins are recomputed here anyway.
_STATUS = {"Solved": ConicStatus.SOLVED, "PrimalInfeasible": ConicStatus.INFEASIBLE, "DualInfeasible": ConicStatus.UNBOUNDED}


@dataclass(frozen=True, kw_only=True, eq=False)
class ConicSolution:
    """x : (p,) primal; residual_dual, equality_dual, cone_vector: multipliers, those of the blocks in the solver's order."""

    status: ConicStatus
    x: Array
    residual_dual: Array
    equality_dual: Array
    cone_vector: Array
    order: tuple[int, ...]
    sizes: tuple[int, ...]
    iterations: int

    @cached_property
    def cone_duals(self) -> tuple[Array, ...]:
        """(k, k) the multiplier of each block, in the order in which they were given."""
        duals: list[Array] = [np.zeros((0, 0))] * len(self.order)
        at = 0
        for i, size in zip(self.order, self.sizes, strict=True):
            length = size * (size + 1) // 2
            duals[i] = _unpack(self.cone_vector[at : at + length], size)
            at += length
        return tuple(duals)


def residual_scale(b: Array) -> float:
    """The factor on the residual that a program with right-hand side b works best with."""
    return _LENGTH / max(float(np.linalg.norm(b)), 1e-300)


def typical_size(A: Array, b: Array, values: Array, of: BoolArray | None = None) -> float:
    """The power of ten that the parameters (those of `of`) are about as large as: 1 for an arm of kilograms, 1000 for one of tons."""
    fitted = least_squares(A, b, rcond=1e-8) if np.any(b) else np.zeros(A.shape[1])
    fitted = fitted if of is None else fitted[of]
    size = max(float(np.abs(fitted).max(initial=0.0)), float(np.abs(values).max(initial=0.0)))
    return 1.0 if size == 0.0 or _ORDINARY[0] <= size <= _ORDINARY[1] else 10.0 ** round(np.log10(size))


def solve_counted(
    A: Array,
    b: Array,
    blocks: Sequence[Block],
    equalities: Sequence[Equality],
    units: Array,
    *,
    scale: float | None = None,
    tolerance: float = TOLERANCE,
) -> ConicSolution:
    """minimise ‖A x - b‖² with x counted in `units` (p,), in which robots of any size are alike; conditions and their multipliers are
    those on x / units (`counted`)."""
    program = ConicProgram(A * units, b, blocks, equalities, scale=residual_scale(b) if scale is None else scale)
    solution = program.solve(tolerance=tolerance)
    return replace(solution, x=units * solution.x)


class ConicProgram:
    """The data of a conic program, assembled once and solved for several linear objectives."""

    def __init__(self, A: Array, b: Array, blocks: Sequence[Block], equalities: Sequence[Equality], *, scale: float = 1.0) -> None:
        rows, p = A.shape
        self.rows, self.p = rows, p
        # small blocks first, all 1x1 ones in a single cone
        self.order = sorted(range(len(blocks)), key=lambda i: blocks[i].size)
        self.sizes = [blocks[i].size for i in self.order]
        G, h = _cone_rows([blocks[i] for i in self.order], p)
        E = np.zeros((len(equalities), p))
        for line, equality in enumerate(equalities):
            E[line, equality.indices] = equality.coefficients
        e = np.array([equality.value for equality in equalities])
        self.unit = typical_size(A, b, e)
        self.residual = scale * self.unit * A
        self.conditions = np.concatenate([E, G])
        self.rhs = np.concatenate([scale * b, e / self.unit, h / self.unit])
        self.equalities = len(equalities)

    def solve(self, linear: Array | None = None, *, radius: float | None = None, tolerance: float = TOLERANCE) -> ConicSolution:
        """Minimise ½ ‖r‖² + linear·x; with a radius, minimise linear·x subject to ‖r‖ <= radius instead."""
        return self.prepared(radius=radius, tolerance=tolerance)(linear)

    def prepared(self, *, radius: float | None = None, tolerance: float = TOLERANCE) -> Callable[[Array | None], ConicSolution]:
        """`solve` for many linear objectives: the solver is set up once, and only its linear term changes."""
        import clarabel
        import scipy.linalg.cython_blas
        import scipy.linalg.cython_lapack  # noqa: F401 (Clarabel loads both in its first solve, and solves nothing after a Ctrl-C there)
        from scipy import sparse

        p, rows = self.p, self.rows
        linear_blocks = self.sizes.count(1)
        inequalities = [clarabel.NonnegativeConeT(linear_blocks)] if linear_blocks else []
        inequalities += [clarabel.PSDTriangleConeT(size) for size in self.sizes if size > 1]
        if radius is None:
            top = np.concatenate([self.residual, -np.eye(rows)], axis=1)
            below = np.concatenate([self.conditions, np.zeros((len(self.conditions), rows))], axis=1)
            matrix, rhs = _sparse(np.concatenate([top, below])), self.rhs
            cones = [clarabel.ZeroConeT(rows + self.equalities), *inequalities]
            P = sparse.block_diag([sparse.csc_matrix((p, p)), sparse.eye(rows)], format="csc")
        else:  # without squares in the objective the residual needs no variables of its own
            matrix = _sparse(np.concatenate([self.conditions, np.zeros((1, p)), self.residual]))
            rhs = np.concatenate([self.rhs[rows:], [radius], self.rhs[:rows]])
            cones = [clarabel.ZeroConeT(self.equalities), *inequalities, clarabel.SecondOrderConeT(rows + 1)]
            P = _no_squares(p)
        settings = _settings(tolerance)

        def new_solver() -> Any:
            return clarabel.DefaultSolver(P, np.zeros(matrix.shape[1]), matrix, rhs, cones, settings)

        solver = new_solver()

        def run(linear: Array | None) -> ConicSolution:
            nonlocal solver
            q = np.zeros(matrix.shape[1])
            if linear is not None:
                q[:p] = self.unit * linear
            solver.update(q=q)
            try:
                return self._solution(solver.solve(), with_radius=radius is not None)
            except BaseException as error:
                if type(error).__name__ != "PanicException":  # the solver's own, which is no Exception and can't be imported
                    raise
                solver = new_solver()  # the other is in no state to go on
                return self._unsolved

        return run

    @property
    def _unsolved(self) -> ConicSolution:
        """What a solver that broke down leaves: the origin, which is no answer, and multipliers that prove nothing."""
        return ConicSolution(
            status=ConicStatus.INACCURATE,
            x=np.zeros(self.p),
            residual_dual=np.zeros(self.rows),
            equality_dual=np.zeros(self.equalities),
            cone_vector=np.zeros(sum(size * (size + 1) // 2 for size in self.sizes)),
            order=tuple(self.order),
            sizes=tuple(self.sizes),
            iterations=0,
        )

    def _solution(self, result, *, with_radius: bool) -> ConicSolution:
        z = np.array(result.z)
        if with_radius:  # the residual comes last there, after the multiplier of the radius itself
            z = np.concatenate([z[len(z) - self.rows :], z[: len(z) - self.rows - 1]])
        z[self.rows :] /= self.unit
        return ConicSolution(
            status=_STATUS.get(str(result.status).removeprefix("Almost"), ConicStatus.INACCURATE),
            x=self.unit * np.array(result.x)[: self.p],
            residual_dual=z[: self.rows],
            equality_dual=z[self.rows : self.rows + self.equalities],
            cone_vector=z[self.rows + self.equalities :],
            order=tuple(self.order),
            sizes=tuple(self.sizes),
            iterations=int(result.iterations),
        )


@cache
def _settings(tolerance: float) -> Any:
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.max_iter = 200
    # both would forbid to change the objective later, and the matrices are too small to gain from them
    settings.presolve_enable = settings.chordal_decomposition_enable = False
    return settings


@cache
def _no_squares(p: int) -> Any:
    from scipy import sparse

    return sparse.csc_matrix((p, p))


def _sparse(matrix: Array) -> Any:
    """The matrix by its columns, without its zeros; SciPy's own way from a dense one takes five times as long."""
    from scipy import sparse

    columns, rows = np.nonzero(matrix.T)
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=matrix.shape[1]))])
    return sparse.csc_matrix((matrix[rows, columns], rows, starts), shape=matrix.shape)


def _cone_rows(blocks: Sequence[Block], p: int) -> tuple[Array, Array]:
    """G and h with h - G x = svec(F(x)): the upper triangle column by column, off-diagonals times √2."""
    lengths = [block.size * (block.size + 1) // 2 for block in blocks]
    G, h = np.zeros((sum(lengths), p)), np.zeros(sum(lengths))
    at = 0
    for block, length in zip(blocks, lengths, strict=True):
        rows, columns = _triangle(block.size)
        weight = np.where(rows == columns, 1.0, _SQRT2)
        G[at : at + length, block.indices] = -(weight * block.matrices[:, rows, columns]).T
        h[at : at + length] = weight * block.constant[rows, columns]
        at += length
    return G, h


@cache
def _triangle(size: int) -> tuple[IntArray, IntArray]:
    columns, rows = np.tril_indices(size)
    return rows.astype(np.int64), columns.astype(np.int64)


def _unpack(vector: Array, size: int) -> Array:
    rows, columns = _triangle(size)
    matrix = np.zeros((size, size))
    matrix[rows, columns] = matrix[columns, rows] = vector / np.where(rows == columns, 1.0, _SQRT2)
    return matrix
