"""The steps of the pipeline on a run folder, by declared options: each does what its command does, and writes what that writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from dynident.core.options import narrow
from dynident.data import ControllerSamples, Dataset
from dynident.data.reading.reading import Reading
from dynident.feasibility import LinkParameters, with_ranges
from dynident.feasibility.options import RetrievalChoice
from dynident.pipeline.guard import refuse_spoiled
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice
from dynident.pipeline.reading import choose_periods, remember_reading
from dynident.pipeline.retrieval import retrieve_links
from dynident.regression.estimate import Estimate
from dynident.regression.identify import IdentifyOptions, identify
from dynident.robots.robot import Robot
from dynident.runs import RunFolder, Stage, check_stages, read_estimate, read_parameters, write_estimate, write_parameters, write_result
from dynident.validation import Validation, validate
from dynident.validation.folds import CrossValidation, cross_validate_fit

#: Called with the step that begins.
OnStep = Callable[[str], None]


def ignore_steps(step: str) -> None:
    """For those who don't want to know."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Identified:
    """An estimate with the cross-validation of its data. why_not : why it has none; empty for a controller's samples, which have none."""

    estimate: Estimate
    folds: CrossValidation | None = None
    why_not: str = ""


def identify_data(
    robot: Robot,
    data: Sequence[Dataset | ControllerSamples],
    reading: Reading,
    *,
    on_step: OnStep = ignore_steps,
    **options: Unpack[IdentifyOptions],
) -> Identified:
    """The estimate from data that were read so, and what it predicts of parts of a log that it has not seen. No guard looks at the data."""
    on_step("Identifying")
    options["progress"] = on_step
    estimate = remember_reading(identify(robot, data, **options), reading)
    if estimate.base.equations != "torque":
        return Identified(estimate=estimate)
    on_step("Cross-validating")
    folds, why_not = cross_validate_fit(estimate)
    return Identified(estimate=estimate, folds=folds, why_not=why_not)


def identify_run(
    run: RunFolder,
    robot: Robot,
    log: Dataset | None,
    samples: ControllerSamples | None,
    choice: IdentifyChoice,
    reading: Reading,
    *,
    provenance: Mapping[str, Any],
    on_step: OnStep = ignore_steps,
) -> Identified:
    """Guard, estimate and cross-validation."""
    check_stages(run.path, Stage.ESTIMATE)
    if log is not None and not choice.ignore_doctor:
        on_step("Examining the log")
        refuse_spoiled(robot, log)
    first, *others = (item for item in (log, samples) if item is not None)
    used = choose_periods(first, choice.periods, average=choice.average_periods)
    identified = identify_data(robot, [used, *others], reading, on_step=on_step, **choice.building(), **choice.fitting())
    write_estimate(run, identified.estimate, folds=identified.folds, seed=choice.seed, provenance=provenance)
    return identified


def retrieve_run(
    run: RunFolder, choice: RetrieveChoice, *, provenance: Mapping[str, Any], on_step: OnStep = ignore_steps
) -> LinkParameters:
    """Links, and how far each of their parameters can move."""
    estimate = read_estimate(run)  # what is written is made from this one, whatever happens to its file meanwhile
    check_stages(run.path, Stage.PARAMETERS)
    on_step("Retrieving links")
    links = retrieve_links(run, estimate, narrow(choice, RetrievalChoice), choice, on_step)
    if choice.ranges:
        on_step("Ranges of the parameters")
        links = with_ranges(links)
    write_parameters(run, links, seed=choice.seed, held=choice.hold_gravity, provenance=provenance)
    return links


def validate_run(run: RunFolder, log: Dataset, *, provenance: Mapping[str, Any]) -> Validation:
    """The errors of coefficients and links on a log."""
    check_stages(run.path, Stage.VALIDATION)
    validation = validate(read_estimate(run), log, links=read_parameters(run))
    write_result(run, validation, provenance=provenance)
    return validation
