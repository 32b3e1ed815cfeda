"""Variable projection: the shapes of a joint's friction, with all that the equations are linear in eliminated.

For given shapes everything else follows by linear least squares, so that the search is over the shapes alone (Golub, Pereyra, SIAM J.
Numer. Anal. 10, 1973). Other joints take part through the coefficients of the links that they share with this one: their rows, with
their own friction eliminated, are one small triangular factor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.linear_algebra import least_squares
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.shapes import shape_constants, shape_values, with_shapes
from dynident.regression.equations.factors import triangular
from dynident.regression.friction.joint_rows import JointRows

#: Starts of the search beside the model's own shapes.
STARTS = 4
#: A shape whose bounds are this many times apart, and positive, is searched by its logarithm.
_DECADES = 20.0
#: Directions of a joint's friction columns below this share of the largest explain nothing.
_SMALLEST = 1e-9
#: A start must be better by this share of the cost to be taken instead of an earlier one.
_BETTER = 1e-6
#: Evaluations of the residual, beside those for its slope: of every start, and of the best of them to the end.
_FEW_EVALUATIONS, _EVALUATIONS = 6, 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection:
    """A joint's equations after elimination of all coefficients but those of its friction.

    basis : (e + rows, c)   Orthonormal: what the other coefficients in these rows can explain; c is 0 where they are known.
    R : (c, c)              Of the factorisation that the basis comes from.
    target : (e + rows,)    The right-hand side, whole.
    others : int            e, rows that other joints contribute, in which this friction does not occur.
    rows : (rows,) bool     Those of the joint's rows that are used.
    weight : float          One over the noise of the joint's rows.
    """

    basis: Array
    R: Array
    target: Array
    others: int
    rows: BoolArray
    weight: float

    def solve(self, phi: Array) -> tuple[Array, Array]:
        """(k,) friction parameters for columns phi (k, all rows), and the residual (e + rows,) of the equations."""
        A = self.place(phi)
        free, z = A - self.basis @ (self.basis.T @ A), self.target - self.basis @ (self.basis.T @ self.target)
        scale = np.maximum(np.linalg.norm(A, axis=0), np.finfo(float).tiny)
        f: Array = least_squares(free / scale, z, rcond=_SMALLEST) / scale
        return f, z - free @ f

    def rest(self, phi: Array, f: Array) -> Array:
        """(c,) the other coefficients of the joint's rows that go with friction parameters f (k,)."""
        return np.asarray(np.linalg.solve(self.R, self.basis.T @ (self.target - self.place(phi) @ f)), dtype=float)

    def place(self, phi: Array) -> Array:
        """(e + rows, k) friction columns beside the rows of other joints."""
        return np.concatenate([np.zeros((self.others, len(phi))), self.weight * phi[:, self.rows].T])


def project(rows: JointRows, weight: float, others: Sequence[Array], ridge: Array, chosen: BoolArray | None = None) -> Projection:
    """The equations of a joint and what the other joints say about its coefficients.

    others : (·, b + 1) each   Factors of the other joints in the columns of the problem, their friction eliminated.
    ridge : (b,)               Standard deviation of each coefficient beforehand; wide, so that it only settles what no data tell.
    chosen : (rows,)           The joint's rows to be used; all by default.
    """
    selected = np.ones(len(rows.z), dtype=bool) if chosen is None else chosen
    T = _eliminate_others(rows.rest, others, ridge)
    table = np.concatenate([rows.Y[:, selected], rows.z[None, selected]]).T
    joined = np.concatenate([T, weight * table])
    Q, R = np.linalg.qr(joined[:, :-1])
    return Projection(basis=Q, R=R, target=joined[:, -1], others=len(T), rows=selected, weight=weight)


def project_known(rows: JointRows, weight: float, values: Array, chosen: BoolArray | None = None) -> Projection:
    """The equations of a joint whose other coefficients are known: values (b,) of the problem's."""
    selected = np.ones(len(rows.z), dtype=bool) if chosen is None else chosen
    left = weight * (rows.z - values[rows.rest] @ rows.Y)[selected]
    return Projection(basis=np.zeros((len(left), 0)), R=np.zeros((0, 0)), target=left, others=0, rows=selected, weight=weight)


def eliminate_friction(rows: JointRows, phi: Array, weight: float, columns: int, chosen: BoolArray | None = None) -> Array:
    """(c + 1, columns + 1) the factor of a joint's rows outside of what its friction columns phi (k, rows) can explain."""
    selected = np.ones(len(rows.z), dtype=bool) if chosen is None else chosen
    size = np.linalg.norm(phi[:, selected], axis=1)
    used = phi[size > 0.0][:, selected]
    R = triangular([weight * np.concatenate([used, rows.Y[:, selected], rows.z[None, selected]]).T])
    factor = np.zeros((len(rows.rest) + 1, columns + 1))
    factor[:, np.append(rows.rest, columns)] = R[len(used) :, len(used) :]
    return factor


def fit_shapes(
    model: FrictionModel, columns: Callable[[FrictionModel], Array], projection: Projection, *, starts: int = STARTS, seed: int = 0
) -> FrictionModel:
    """The model with the shapes that explain the equations best.

    columns : model -> (k, rows) its columns in all rows of the joint.
    starts : beside the shapes that the model has; drawn within their bounds, the same for the same seed.
    """
    constants = shape_constants(model)
    if not constants:
        return model
    import scipy.optimize  # here, because importing SciPy takes longer than all of dynident

    least_squares = cast("Callable[..., Any]", cast("Any", scipy.optimize).least_squares)
    logarithmic = np.array([shape.lower > 0.0 and shape.upper > _DECADES * shape.lower for shape in constants])

    def to_search(shapes: Array) -> Array:
        return np.where(logarithmic, np.log(np.where(logarithmic, shapes, 1.0)), shapes)

    def from_search(u: Array) -> Array:
        return np.clip(np.where(logarithmic, np.exp(np.where(logarithmic, u, 0.0)), u), lower, upper)

    lower, upper = (np.array([getattr(shape, end) for shape in constants]) for end in ("lower", "upper"))
    low, high = to_search(lower), to_search(upper)
    size = max(float(np.linalg.norm(projection.target)), np.finfo(float).tiny)

    def residual(u: Array) -> Array:
        return projection.solve(columns(with_shapes(model, from_search(u).tolist())))[1] / size

    inside = 1e-6 * (high - low)

    def descend(start: Array, evaluations: int) -> tuple[float, Array]:
        solution = least_squares(
            residual, np.clip(start, low + inside, high - inside), bounds=(low, high), x_scale=0.25 * (high - low), max_nfev=evaluations
        )
        return float(solution.cost), np.asarray(solution.x, dtype=float)

    draws = np.random.default_rng(seed).uniform(low, high, (starts, len(constants)))
    first = to_search(np.clip(shape_values(model), lower, upper))
    cost, best = descend(first, _FEW_EVALUATIONS if starts else _EVALUATIONS)
    for start in draws:
        other, u = descend(start, _FEW_EVALUATIONS)
        if other < (1.0 - _BETTER) * cost:
            cost, best = other, u
    return with_shapes(model, from_search(descend(best, _EVALUATIONS)[1] if starts else best).tolist())


def _eliminate_others(own: IntArray, others: Sequence[Array], ridge: Array) -> Array:
    """(c + 1, c + 1) what other joints and the ridge say about a joint's own coefficients."""
    prior = np.concatenate([np.diag(1.0 / ridge), np.zeros((len(ridge), 1))], axis=1)
    order = [*np.setdiff1d(np.arange(len(ridge)), own).tolist(), *own.tolist(), len(ridge)]
    R = triangular([*(factor[:, order] for factor in others), prior[:, order]])
    first = len(order) - len(own) - 1
    return R[first:, first:]
