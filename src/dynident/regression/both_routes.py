"""A controller's M and g and a log in one estimate, each by its own noise, and the test of one by the other.

Each is estimated alone. What M and g say is then all in their coefficients and the covariance of these: they join the rows of the log as
equations in units of their standard deviations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.data.provenance import Provenance
from dynident.regression.equations.base import BaseParameters, expressed_in, join_bases, link_grouping
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import EstimateOptions, estimate
from dynident.regression.problem import ControllerCoefficients, Problem
from dynident.regression.solution import largest_coefficients
from dynident.regression.vendor_model import FALSE_ALARM, UNTESTABLE, CoefficientVerdict, TestedCoefficient, VendorModelTest


def combine(
    log: Estimate, controller: Estimate, *, progress: Callable[[str], None] | None = None, **fitting: Unpack[EstimateOptions]
) -> Estimate:
    """The estimate from both.

    log : from a log alone, with its friction; its shapes of friction stay as they are.
    controller : from M and g alone, of the same robot.
    fitting : the options of `fit`.
    """
    problem = add_controller(_problem(log), controller)
    combined = estimate(problem, progress=progress, **fitting)
    tested = check_vendor_model(log, controller)
    return replace(
        combined,
        # how well the motion excites, which the weights of M and g would hide
        summary=replace(combined.summary, condition_number=log.summary.condition_number),
        shapes=log.shapes,
        choice=log.choice,
        vendor_model=tested,
        notes=tuple(dict.fromkeys((*tested.notes, *controller.notes, *combined.notes))),
    )


def add_controller(problem: Problem, controller: Estimate) -> Problem:
    """The problem of a log with what M and g of the controller say beside it."""
    base = join_bases(problem.base, controller.base)
    combinations, _ = expressed_in(base, link_grouping(base, controller.base))
    kept = controller.kept
    coefficients = ControllerCoefficients(
        combinations=combinations[kept] + _taken_over(controller) @ combinations[~kept],
        values=controller.values[kept],
        covariance=controller.covariance[np.ix_(kept, kept)],
        samples=controller.summary.samples,
    )
    provenance = [item for item in (problem.provenance, controller.provenance) if item is not None]
    return replace(
        _on_base(problem, base),
        controller=coefficients,
        source=f"{problem.source}; {controller.summary.source}",
        provenance=Provenance.join(provenance) if len(provenance) == 2 else None,
    )


def check_vendor_model(log: Estimate, controller: Estimate) -> VendorModelTest:
    """Test the coefficients of a controller's M and g by those of a log of the same robot."""
    from scipy.special import gammaincc, ndtri  # here, because importing SciPy takes longer than all of dynident

    base, V = controller.base, log.covariance
    x, same = expressed_in(log.base, link_grouping(log.base, base))
    l_values, l_std = x @ log.values, np.sqrt(np.einsum("ib,bc,ic->i", x, V, x))
    apart = same & controller.kept & (l_std > 0.0)
    apart &= (_mixed(log, x) <= l_std) & (_mixed(controller, np.eye(base.rank)) <= l_std)
    difference = l_values - controller.values
    std = np.sqrt(l_std**2 + np.diag(controller.covariance))
    z = np.divide(difference, std, out=np.zeros_like(std), where=apart)
    limit = -float(ndtri(0.5 * FALSE_ALARM / max(int(apart.sum()), 1)))
    items: list[TestedCoefficient] = []
    for i in np.flatnonzero(controller.kept).tolist():
        testable = apart[i] and std[i] <= 0.01 * UNTESTABLE * abs(controller.values[i])
        wrong = apart[i] and abs(z[i]) > limit
        items.append(
            TestedCoefficient(
                name=base.names[i],
                expression=base.expressions[i],
                unit=base.units[i],
                controller=float(controller.values[i]),
                controller_std=float(controller.std[i]),
                log=float(l_values[i]) if apart[i] else None,
                log_std=float(l_std[i]) if apart[i] else None,
                difference=float(z[i]) if apart[i] else None,
                verdict=CoefficientVerdict.CONTRADICTED
                if wrong
                else CoefficientVerdict.AGREES
                if testable
                else CoefficientVerdict.UNTESTABLE,
            )
        )
    chi_squared, freedom = _chi_squared(difference[apart], (x @ V @ x.T + controller.covariance)[np.ix_(apart, apart)])
    probability = float(gammaincc(0.5 * freedom, 0.5 * chi_squared)) if freedom else 1.0
    return VendorModelTest(coefficients=tuple(items), limit=limit, chi_squared=chi_squared, freedom=freedom, probability=probability)


def _mixed(estimate: Estimate, x: Array) -> Array:
    """(k,) by how much combinations (k, b) of coefficients may be off because of those that the data do not determine."""
    problem, kept = _problem(estimate), estimate.kept
    sizes = largest_coefficients(problem, np.asarray(estimate.summary.noise_levels, dtype=float))
    return np.abs(x[:, kept] @ _taken_over(estimate) - x[:, ~kept]) @ sizes[~kept]


def _taken_over(estimate: Estimate) -> Array:
    """(kept, others) C: where columns that are not determined are A_u ≈ A_d C of those that are, what is estimated is β_d + C β_u."""
    rows = _problem(estimate).stack_groups(1.0 / np.asarray(estimate.summary.noise_levels, dtype=float))[:, :-1]
    return least_squares(rows[:, estimate.kept], rows[:, ~estimate.kept])


def _chi_squared(difference: Array, covariance: Array) -> tuple[float, int]:
    """χ² of differences with that covariance, and its degrees of freedom; directions without variance beyond rounding don't count."""
    std = np.sqrt(np.diag(covariance))
    if not len(std):
        return 0.0, 0
    values, vectors = np.linalg.eigh(covariance / np.outer(std, std))
    used = values > 1e-12 * values[-1]
    return float(np.sum((vectors.T @ (difference / std))[used] ** 2 / values[used])), int(used.sum())


def _on_base(problem: Problem, base: BaseParameters) -> Problem:
    """The problem of a log in the coefficients of a base that tells more apart, from its compressed rows."""
    if base is problem.base:
        return problem
    X, _ = expressed_in(base, problem.base.grouping)
    rows = tuple(replace(source, base=base) for source in problem.rows if isinstance(source, LogRows))
    maps: list[Array] = []  # of a group's columns and its right-hand side
    for old, new in zip(problem.groups, rows[0].groups, strict=True):
        block = np.zeros((len(old.columns) + 1, len(new.columns) + 1))
        block[:-1, :-1], block[-1, -1] = X[np.ix_(old.columns, new.columns)], 1.0
        maps.append(block)
    tables = problem.filtered
    return replace(
        problem,
        base=base,
        groups=rows[0].groups,
        factors=tuple(triangular([factor @ block]) for factor, block in zip(problem.factors, maps, strict=True)),
        rows=rows,
        filtered=None if tables is None else tuple(tuple(block.T @ table for table in of) for of, block in zip(tables, maps, strict=True)),
        parts=tuple(
            tuple(part._replace(factor=triangular([part.factor @ block])) for part, block in zip(recording, maps, strict=True))
            for recording in problem.parts
        ),
    )


def _problem(estimate: Estimate) -> Problem:
    return estimate.require_problem()
