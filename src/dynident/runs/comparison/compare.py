"""Runs of one robot, or of many of one model, beside each other: how far each is from the others, in standard deviations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.results import Result
from dynident.errors import InputError
from dynident.regression.estimate import Estimate
from dynident.runs.comparison.quantities import Quantity, read_quantities
from dynident.runs.comparison.scatter import FEWEST, chance_limit, scatter
from dynident.runs.run import Run

#: Runs that have more of their samples in common than this share are not independent.
_COMMON = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedRun:
    """What is kept of a run to compare it.

    Attributes
    ----------
    name : str
        Of the run.
    estimate : Estimate
        Without the problem behind it.
    speeds : (n,) array or None
        Largest |dq| of each joint in its data.
    total_mass : float
        Of the retrieved links [kg]; None where there are none.
    validation_percent
        Error of the recommended model on the data of its validation; None where there was none.
    """

    name: str
    estimate: Estimate
    speeds: Array | None
    total_mass: float | None = None
    validation_percent: float | None = None

    @property
    def training_percent(self) -> float:
        return self.estimate.residuals.relative_percent


def observe(run: Run, name: str | None = None) -> ComparedRun:
    """What of a run is needed for a comparison.

    Parameters
    ----------
    run
        What `load_run` returned.
    name
        By default that of its folder.

    Returns
    -------
    ComparedRun
        For `compare_runs`.
    """
    problem = run.estimate.problem
    return ComparedRun(
        name=run.folder.name if name is None else name,
        estimate=replace(run.estimate, problem=None),
        speeds=None if problem is None else problem.speeds,
        total_mass=None if run.parameters is None else run.parameters.total_mass,
        validation_percent=None if run.validation is None else run.validation.recommended.overall_percent,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunComparison(Result):
    """R runs and the Q quantities that they have in common.

    Attributes
    ----------
    runs : tuple of ComparedRun
        The R runs.
    quantities : tuple of Quantity
        The Q quantities.
    values, std : (R, Q) array
        Estimates with their own standard deviations; NaN where a run does not have the quantity.
    centre : (Q,) array
        The median, or the first of two runs.
    spread : (Q,) array
        How much the runs differ beside the errors of their estimates; zero where there are too few runs to estimate it.
    deviations : (R, Q) array
        From the centre, in standard deviations of the estimate and the spread together.
    limit : float
        Chance alone goes beyond it anywhere in one of twenty comparisons.
    notes : tuple of str
        What a reader of the comparison should know.
    """

    runs: tuple[ComparedRun, ...]
    quantities: tuple[Quantity, ...]
    values: Array
    std: Array
    centre: Array
    spread: Array
    deviations: Array
    limit: float
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(run.name for run in self.runs)

    @property
    def robot(self) -> str:
        return self.runs[0].estimate.base.robot.name

    @property
    def reference(self) -> str:
        """What deviations are from."""
        return self.names[0] if len(self.runs) == 2 else f"the median of {len(self.runs)} runs"

    @cached_property
    def beyond(self) -> BoolArray:
        """(R, Q) what is farther from the centre than chance goes."""
        return np.nan_to_num(np.abs(self.deviations)) > self.limit

    @property
    def runs_beyond(self) -> tuple[int, ...]:
        """The runs with something beyond chance, the farthest first."""
        return tuple(r for r in self.order if self.farthest[r] > self.limit)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The runs, the one with the largest deviation first."""
        return tuple(int(r) for r in np.argsort(-self.farthest, kind="stable"))

    @cached_property
    def farthest(self) -> Array:
        """(R,) the largest |deviation| of each run; zero where it has nothing to compare."""
        return np.max(np.nan_to_num(np.abs(self.deviations)), axis=1, initial=0.0)


def compare_runs(runs: Iterable[ComparedRun | Run]) -> RunComparison:
    """Compare runs of one robot or of robots of one model.

    Of two runs the first is what the second is compared with. Of more, the median is; with five or more, how much robots of this model
    usually differ is part of the standard deviations. Robots that are off spoil neither, as long as two thirds are not.

    Parameters
    ----------
    runs
        What `observe` returned for each.

    Returns
    -------
    RunComparison
        The common quantities, and which runs deviate in which of them.

    Raises
    ------
    InputError
        Where they have nothing in common.
    """
    compared_runs = _with_names([observe(run) if isinstance(run, Run) else run for run in runs])
    _check_comparable(compared_runs)
    quantities, values, std = read_quantities([run.estimate for run in compared_runs], [run.speeds for run in compared_runs])
    if not quantities:
        raise InputError(
            f"{compared_runs[0].name} and {compared_runs[1].name} have no coefficient in common",
            remedy="compare runs of one robot whose friction models share their parameters",
        )
    centre, spread, deviations = np.empty(len(quantities)), np.zeros(len(quantities)), np.full(values.shape, np.nan)
    for q in range(len(quantities)):
        has = np.isfinite(values[:, q])
        if len(compared_runs) == 2:
            centre[q] = values[0, q]
            deviations[:, q] = 0.0, (values[1, q] - values[0, q]) / np.hypot(*std[:, q])
        else:
            here = scatter(values[has, q], std[has, q])
            centre[q], spread[q], deviations[has, q] = here.centre, here.spread, here.deviations
    compared = int(np.sum(np.isfinite(deviations))) - (len(quantities) if len(compared_runs) == 2 else 0)
    return RunComparison(
        runs=tuple(compared_runs),
        quantities=quantities,
        values=values,
        std=std,
        centre=centre,
        spread=spread,
        deviations=deviations,
        limit=chance_limit(len(compared_runs), compared),
        notes=tuple(_notes(compared_runs, quantities)),
    )


def _with_names(runs: Sequence[ComparedRun]) -> list[ComparedRun]:
    """Different names for all runs: a number is added to one that another run has too."""
    seen: dict[str, int] = {}
    named: list[ComparedRun] = []
    for run in runs:
        seen[run.name] = seen.get(run.name, 0) + 1
        named.append(run if seen[run.name] == 1 else replace(run, name=f"{run.name} ({seen[run.name]})"))
    return named


def _check_comparable(runs: Sequence[ComparedRun]) -> None:
    if len(runs) < 2:
        raise InputError(f"{len(runs)} run was given, and there is nothing to compare it with", remedy="name two runs or more")
    first = runs[0]
    for run in runs[1:]:
        ours, theirs = first.estimate.base.robot, run.estimate.base.robot
        if ours.n != theirs.n:
            raise InputError(
                f"{first.name} is of {ours.name!r} with {ours.n} joints, and {run.name} of {theirs.name!r} with {theirs.n}",
                remedy="compare runs of one robot, or of robots of one model",
            )


def _notes(runs: Sequence[ComparedRun], quantities: Sequence[Quantity]) -> Iterable[str]:
    if 2 < len(runs) < FEWEST:
        yield (
            f"with fewer than {FEWEST} runs the spread between robots of this model is not estimated: deviations are in standard "
            "deviations of the estimates alone"
        )
    every = {expression for run in runs for expression in run.estimate.base.expressions}
    alone = len(every - {quantity.expression for quantity in quantities})
    if alone:
        yield f"{alone} coefficients are part of one run's model alone, and not compared"
    pair = _same_samples(runs)
    if pair is not None:
        yield (
            f"{pair[0].name} and {pair[1].name} are of the same samples, so that their errors are not independent: "
            "a difference between them is of more standard deviations than is shown"
        )


def _same_samples(runs: Sequence[ComparedRun]) -> tuple[ComparedRun, ComparedRun] | None:
    """The first two runs that share samples, by the digests of their recordings."""
    seen: dict[str, list[ComparedRun]] = {}
    for run in runs:
        provenance = run.estimate.provenance
        if provenance is None:
            continue
        for recording in provenance.recordings:
            for other in seen.setdefault(recording.numbers, []):
                if other.estimate.provenance is not None and provenance.overlap(other.estimate.provenance) > _COMMON:
                    return other, run
            seen[recording.numbers].append(run)
    return None
