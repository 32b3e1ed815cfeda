"""From a problem to an estimate: weighted or robust least squares, covariance, and dropping of what is not determined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypedDict

import numpy as np

from dynident.core.arrays import BoolArray
from dynident.core.linear_algebra import condition_number
from dynident.core.texts import listing
from dynident.errors import UnknownNameError
from dynident.regression.effort_scale import doubt_scale
from dynident.regression.equations.factors import compress, triangular
from dynident.regression.equations.sizes import unit_sizes
from dynident.regression.estimate import Dropped, Estimate, EstimateStatus
from dynident.regression.notes import estimate_notes
from dynident.regression.problem import Problem
from dynident.regression.recordings import weigh_recordings
from dynident.regression.solution import ITERATIONS, Prior, WeightedSolution, prior_rows, residuals
from dynident.regression.summary import NOISES, FitSummary, Noise
from dynident.regression.uncertainty.autocovariance import Correlated, correlated_rows
from dynident.regression.uncertainty.covariance import Spread, median_levels, spread
from dynident.regression.uncertainty.gross_errors import choose_loss
from dynident.regression.uncertainty.losses import Loss, Squared
from dynident.robots.kinematics import length_unit

#: A robust loss has settled when an iteration moves the coefficients by less than this share of their standard deviations.
_SETTLED = 1e-4


class EstimateOptions(TypedDict, total=False):
    """The options of `estimate`, all of which can be left out."""

    noise: Noise | None
    loss: Loss | None
    prior: Prior | None
    drop_above_percent: float | None


def estimate(
    problem: Problem,
    *,
    noise: Noise | None = None,
    loss: Loss | None = None,
    prior: Prior | None = None,
    drop_above_percent: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Estimate:
    """Estimate the base parameters of a problem.

    Parameters
    ----------
    problem
        What `build_problem` returned.
    noise
        "per_group" weighs each joint, each of several recordings, and each element of a controller's M and g by its own noise, iterated
        (default); "uniform" is ordinary least squares, as in the papers, which adds kg·m² to N·m.
    loss
        Squared() is least squares, Huber() and Tukey() are for logs with gross errors. By default least squares, or Huber() where a log has
        residuals that are far beyond what noise makes; a note says so. Rows that were not kept are made again at every iteration.
    prior
        Ridge toward values with given standard deviations.
    drop_above_percent
        Coefficients whose relative standard deviation exceeds this are dropped one at a time, the worst first, and the rest estimated
        again: the papers' shorter tables (30 there). What is dropped counts as zero, so that the rest looks more certain than it is; by
        default all that the data determine are kept. Noise alone decides here, as in the papers.
    progress
        Called now and then with a sentence about what is being done.

    Returns
    -------
    Estimate
        Values, covariance, residuals and notes.

    Raises
    ------
    ValueRangeError
        Where there are fewer equations than unknown coefficients.
    """
    noise = noise or "per_group"
    if noise not in NOISES:
        raise UnknownNameError("noise model", noise, NOISES)
    if prior is not None:
        prior.check(problem.base.rank)
    if noise == "per_group":
        problem = weigh_recordings(problem, prior)
    solution, loss_unsettled = WeightedSolution.of(problem, noise, prior), ""
    loss, gross = (loss, ()) if loss is not None else choose_loss(problem, solution.values)
    if not isinstance(loss, Squared):
        solution, loss_unsettled = _reweight(problem, solution, noise, loss, prior, progress)
    correlated = correlated_rows(problem)
    uncertainty = spread(
        problem,
        values=solution.values,
        weights=solution.weights,
        determined=solution.determined,
        prior_rows=prior_rows(prior),
        loss=loss,
        rows=correlated,
    )
    dropped = [*_list_undetermined(solution), *_drop(solution, uncertainty, drop_above_percent)]
    kept = np.isin(np.arange(problem.base.rank), [item.index for item in dropped], invert=True)
    values, covariance = solution.restrict(kept), uncertainty.covariance(kept)
    status = EstimateStatus.of_dropped(dropped)
    if loss_unsettled or solution.unsettled:
        status = EstimateStatus.LOSS_UNSETTLED if loss_unsettled else EstimateStatus.WEIGHTS_UNSETTLED
    unsettled = [*gross, *(note for note in (loss_unsettled, solution.unsettled) if note)]
    result = Estimate(
        base=problem.base,
        values=values,
        covariance=covariance,
        kept=kept,
        dropped=tuple(dropped),
        residuals=residuals(problem, values),
        singular_values=solution.singular_values,
        summary=_summary(problem, noise, loss, drop_above_percent, solution, kept, uncertainty),
        status=status,
        provenance=problem.provenance,
        problem=problem,
        blocks=uncertainty.blocks,
        reached=problem.reached,
    )
    notes = (*problem.notes, *unsettled, *_notes(problem, solution, correlated), *estimate_notes(result))
    return replace(result, notes=notes, doubts=doubt_scale(result))


def _reweight(
    problem: Problem, solution: WeightedSolution, noise: Noise, loss: Loss, prior: Prior | None, progress: Callable[[str], None] | None
) -> tuple[WeightedSolution, str]:
    """The solution under a robust loss, and a note where it did not settle."""
    change = float("inf")
    for iteration in range(1, ITERATIONS + 1):
        levels = median_levels(problem, solution.values)
        factors = [np.zeros_like(factor, order="F") for factor in problem.factors]
        for group, table in problem.row_tables():
            columns = problem.groups[group].columns
            weight = loss.weight((table[-1] - solution.values[columns] @ table[:-1]) / levels[group])
            factors[group] = compress(factors[group], table * np.sqrt(weight))
        weighted = replace(problem, factors=tuple(np.ascontiguousarray(factor) for factor in factors))
        updated = WeightedSolution.of(weighted, noise, prior)
        # in standard deviations, on average over the coefficients
        change = float(np.linalg.norm(updated.factor[:, :-1] @ (updated.values - solution.values)) / np.sqrt(problem.base.rank))
        exact = np.linalg.norm(updated.values - solution.values) <= 1e-12 * np.linalg.norm(updated.values)
        solution = updated
        if progress is not None:
            progress(f"{loss.name} iteration {iteration}: change of {change:.1e} standard deviations")
        if change < _SETTLED or exact:
            return solution, ""
    return (
        solution,
        f"the {loss.name} loss did not settle in {ITERATIONS} iterations; the last one moved by {change:.1e} standard deviations",
    )


def _list_undetermined(solution: WeightedSolution) -> list[Dropped]:
    reason = "not determined by these data (dependent within their noise)"
    return [Dropped(int(i), 0.0, float("inf"), reason) for i in np.flatnonzero(~solution.determined)]


def _drop(solution: WeightedSolution, uncertainty: Spread, above_percent: float | None) -> Iterator[Dropped]:
    """The coefficients that are too uncertain, the worst first, each as it was estimated when it was dropped."""
    kept, values = solution.determined.copy(), solution.values
    while above_percent is not None and kept.sum() > 1:
        std = np.sqrt(np.diag(uncertainty.noise_covariance(kept)))
        relative = 100.0 * std / np.maximum(np.abs(values), np.finfo(float).tiny)
        worst = int(np.argmax(np.where(kept, relative, -1.0)))
        if not relative[worst] > above_percent:
            return
        reason = f"relative standard deviation {relative[worst]:.0f} % is above {above_percent:g} %"
        yield Dropped(worst, float(values[worst]), float(std[worst] * uncertainty.scale[worst]), reason)
        kept[worst] = False
        values = solution.restrict(kept)


def _notes(problem: Problem, solution: WeightedSolution, correlated: Correlated | None) -> list[str]:
    notes: list[str] = []
    missing = [problem.base.names[int(i)] for i in np.flatnonzero(~solution.determined)]
    if missing:
        notes.append(f"these data don't determine {listing(missing, 40)} apart from the others; a richer motion would")
    if correlated is None and problem.base.equations == "torque":
        filtered = problem.processing.cutoff_hz is not None
        what = "the rows are too many, or not there any more, to measure their correlation" if filtered else "nothing was filtered"
        notes.append(f"standard deviations assume independent residuals, because {what}; where they are correlated they come out too small")
    return notes


def _summary(
    problem: Problem, noise: Noise, loss: Loss, drop: float | None, solution: WeightedSolution, kept: BoolArray, uncertainty: Spread
) -> FitSummary:
    R = triangular([problem.stack_groups(np.ones(len(problem.groups)))[:, :-1][:, kept]])
    lengths = unit_sizes(problem.base.units, length=length_unit(problem.base.robot))[kept]
    return FitSummary(
        source=problem.source,
        samples=problem.samples,
        equations=int(problem.counts.sum()),
        processing=problem.processing,
        noise=noise,
        noise_levels=tuple(float(level) for level in 1.0 / solution.weights),
        loss=loss.name,
        drop_above_percent=drop,
        condition_number=condition_number(R * lengths),
        rank=solution.rank,
        rank_tolerance=solution.rank_tolerance,
        inflation=uncertainty.inflation(solution.determined),
        correlation_times=tuple(uncertainty.correlation_times.tolist()),
    )
