"""The steps of the pipeline, one function each, which the command line, `fit`, a fleet and a bundle call.

A step gets what was read and its declared options, and keeps its result in the run folder with the options that it was made with. Of a
run that is None nothing is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dynident.core.cluster import open_executor
from dynident.data import ControllerSamples, Dataset
from dynident.dynamics.friction import FrictionModel, friction_model
from dynident.errors import InputError, OptionsError, Remedy
from dynident.pipeline.identify import refuse_spoiled
from dynident.pipeline.options import (
    FrictionRefitChoice,
    IdentifyChoice,
    PayloadFitChoice,
    RetrieveChoice,
    SampleChoice,
    SignRecoveryChoice,
    ValidateChoice,
)
from dynident.pipeline.reading import choose_periods, remember_reading, remember_reading_of_signs
from dynident.regression import refit_friction
from dynident.regression.estimate import Estimate
from dynident.regression.friction.refit import FrictionRefit
from dynident.regression.identify import build_problems, fit_problem
from dynident.robots.robot import Robot
from dynident.runs import MissingStageError, RunFolder, Stage, StageContent, check_stages, read_estimate, write_result
from dynident.runs.folder import write_stages
from dynident.runs.results import find_parameters
from dynident.runs.run import write_results
from dynident.runs.stages import StageOrigin
from dynident.validation.folds import cross_validate_fit

if TYPE_CHECKING:  # rooms of single steps, which import them when they are taken
    from dynident.links import FeasibleSet, LinkParameters
    from dynident.links.samples import PosteriorSamples
    from dynident.routes.payload import PayloadEstimate
    from dynident.routes.signs import SignRecovery
    from dynident.validation import Validation
    from dynident.validation.monitoring import ContactMonitor
    from dynident.validation.monitoring.options import ObserverChoice

T = TypeVar("T")


class OnStep(Protocol):
    """Called with what begins, the share of it that is done, or both."""

    def __call__(self, step: str | float, share: float | None = None, /) -> None: ...


def ignore_steps(step: str | float, share: float | None = None, /) -> None:
    """For those who don't want to know."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Done(Generic[T]):
    """The result of a step, and its document as it was written; empty where nothing was written."""

    result: T
    document: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, kw_only=True, eq=False)
class Identified(Done[Estimate]):
    """content : estimate, cross-validation and origin, for a run. why_not : why there is no cross-validation of a log; else empty."""

    content: StageContent
    why_not: str = ""


def identify_step(
    run: RunFolder | None,
    robot: Robot,
    log: Dataset | None,
    samples: ControllerSamples | None,
    choice: IdentifyChoice,
    origin: StageOrigin,
    on_step: OnStep = ignore_steps,
    *,
    friction: FrictionModel | None = None,
) -> Identified:
    """Guard, estimate and cross-validation of the part of the data that is to be fitted.

    friction : a model that no name stands for, in place of that of `choice`.
    """
    if run is not None:
        check_stages(run.path, Stage.ESTIMATE)
    on_step("Building the regression")
    first, *more = (item for item in (log, samples) if item is not None)
    used = choose_periods(first, choice.periods, average=choice.average_periods)
    building: dict[str, Any] = {**choice.building(), **({"friction": friction} if friction else {})}
    problem, controller = build_problems(robot, [used, *more], **building, progress=on_step)
    if log is not None and not choice.ignore_doctor:
        on_step("Examining the log")
        refuse_spoiled(robot, log)
    on_step("Fitting")
    auto = building["friction"] == "auto"
    fitted = fit_problem(problem, controller, auto=auto, seed=choice.seed, **choice.fitting(), progress=on_step)
    estimate = remember_reading(fitted, origin.reading)
    folds, why_not = None, ""
    if estimate.base.equations == "torque":
        on_step("Cross-validating")
        folds, why_not = cross_validate_fit(estimate, wide=True, progress=partial(on_step, "Cross-validating"))
    origin = origin.of_step("identify", None if friction else choice, seed=choice.seed)
    content = StageContent(result=estimate, folds=folds, origin=origin)
    document = {} if run is None else write_stages(run, {Stage.ESTIMATE: content})[Stage.ESTIMATE]
    return Identified(result=estimate, document=document, content=content, why_not=why_not)


def recover_signs_step(
    run: RunFolder | None,
    robot: Robot,
    log: Dataset,
    choice: SignRecoveryChoice,
    origin: StageOrigin,
    on_step: OnStep = ignore_steps,
    *,
    keep_links: bool = True,
    scheduler: str | None = None,
    friction: FrictionModel | None = None,
) -> Done[SignRecovery]:
    """The signs of a log of magnitudes, with the estimate and, unless others are to be retrieved, the links that follow from them."""
    from dynident.routes.signs import recover_signs

    if run is not None:
        check_stages(run.path, Stage.ESTIMATE, Stage.SIGNS)
    used = choose_periods(log, choice.periods)
    on_step("Searching for the signs")
    with open_executor(1, scheduler) as executor:
        recovered = recover_signs(
            robot,
            used,
            method=choice.method,
            friction=friction or choice.model,
            cutoff=choice.cutoff,
            options=choice.method_option,
            seed=choice.seed,
            executor=executor,
            progress=on_step,
        )
    recovered = remember_reading_of_signs(recovered, used, origin.reading)
    if run is None:
        return Done(result=recovered)
    links = recovered.links if keep_links else None
    origin = origin.of_step("signs", None if friction else choice, seed=choice.seed)
    written = write_results(run, recovered.estimate, signs=recovered, parameters=links, origin=origin)
    run.forget(Stage)
    return Done(result=recovered, document=written[Stage.SIGNS])


def retrieve_step(
    run: RunFolder | None,
    estimate: Estimate,
    choice: RetrieveChoice,
    origin: StageOrigin,
    on_step: OnStep = ignore_steps,
    *,
    constraints: FeasibleSet | None = None,
) -> Done[LinkParameters]:
    """Links, and how far each of their parameters can move.

    constraints : beside those of the files that `choice` names.
    """
    from dynident.links import with_ranges
    from dynident.pipeline.retrieval import retrieve_links

    if run is not None:
        check_stages(run.path, Stage.PARAMETERS)
    on_step("Retrieving links")
    links = retrieve_links(run, estimate, choice, on_step, constraints=constraints)
    held = None if choice.hold_gravity is None else RunFolder(choice.hold_gravity)
    origin = origin.of_step("retrieve", None if constraints else choice, seed=choice.seed)
    if held is not None:
        digests = {stage.key: held.digest(stage) or None for stage in (Stage.ESTIMATE, Stage.PARAMETERS)}
        origin = replace(origin, held={"run": str(held.path), **digests})
    if choice.ranges:
        if run is not None and not origin.inputs:  # whatever happens to the ranges, which may take long
            without = {**origin.options, "ranges": False} if origin.step else {}
            write_result(run, links, origin=replace(origin, options=without))
        on_step("Ranges of the parameters")
        links = with_ranges(links, progress=partial(on_step, "Ranges of the parameters"))
    return Done(result=links, document={} if run is None else write_result(run, links, origin=origin))


def validate_step(
    run: RunFolder | None,
    estimate: Estimate,
    links: LinkParameters | None,
    log: Dataset,
    choice: ValidateChoice,
    origin: StageOrigin,
    on_step: OnStep = ignore_steps,
) -> Done[Validation]:
    """The errors of coefficients and links on the part of a log that is to be predicted."""
    from dynident.validation import validate

    if run is not None:
        check_stages(run.path, Stage.VALIDATION)
    on_step("Validating")
    filtering: dict[str, Any] = {"cutoff": choice.cutoff, "rate": choice.rate}
    validation = validate(estimate, log, links=links, folds=choice.folds, **filtering, progress=partial(on_step, "Validating"))
    if run is None:
        return Done(result=validation)
    return Done(result=validation, document=write_result(run, validation, origin=origin.of_step("validate", choice, part=choice.part)))


def sample_step(run: RunFolder, choice: SampleChoice, origin: StageOrigin, on_step: OnStep = ignore_steps) -> Done[PosteriorSamples]:
    """Parameter sets that the data, the prior and the constraints of the retrieval leave open."""
    links: LinkParameters = run.read(Stage.PARAMETERS).result
    check_stages(run.path, Stage.SAMPLES)
    drawn = links.sample(choice.count, seed=choice.seed, progress=partial(on_step, "Drawing samples"))
    return Done(result=drawn, document=write_result(run, drawn, origin=origin.of_step("sample", choice)))


def payload_step(
    run: RunFolder,
    estimate: Estimate,
    loaded: Dataset,
    choice: PayloadFitChoice,
    origin: StageOrigin,
    on_step: OnStep = ignore_steps,
    *,
    arm: StageContent | None = None,
) -> Done[PayloadEstimate]:
    """The payload of a log, from the estimate of a bare arm. arm : that estimate, where the run does not have it yet."""
    from dynident.routes.payload import identify_payload

    stages = {} if arm is None else {Stage.ESTIMATE: arm}
    check_stages(run.path, *stages, Stage.PAYLOAD)
    on_step("Identifying the payload")
    payload = identify_payload(
        estimate,
        loaded,
        link=choice.link,
        declared=choice.declared,
        refit_friction=not choice.keep_friction,
        cutoff=choice.cutoff,
        rate=choice.rate,
    )
    origin = origin.of_step("payload", choice, part=choice.part, files=loaded.provenance.files)
    written = write_stages(run, {**stages, Stage.PAYLOAD: StageContent(result=payload, origin=origin)})
    return Done(result=payload, document=written[Stage.PAYLOAD])


def refit_friction_step(
    source: RunFolder, output: Path, log: Dataset, choice: FrictionRefitChoice, origin: StageOrigin, on_step: OnStep = ignore_steps
) -> Done[FrictionRefit]:
    """The friction of a new log with the links of a run, kept as a run of its own."""
    from dynident.links.new_friction import with_new_friction

    if output.resolve() == source.path.resolve():
        raise InputError(f"the results would replace {source.path}, whose friction they are compared with; name another folder with -o")
    check_stages(output, Stage.ESTIMATE, Stage.PARAMETERS, Stage.FRICTION)
    model = None if choice.model is None else "auto" if choice.model == "auto" else friction_model(choice.model)
    filtering: dict[str, Any] = {"cutoff": choice.cutoff, "rate": choice.rate}
    progress = partial(on_step, "Fitting friction")
    refit = refit_friction(read_estimate(source), log, model=model, seed=choice.seed, **filtering, progress=progress)
    old = find_parameters(source)
    links = None if old is None else with_new_friction(old, refit.estimate)
    estimate = replace(remember_reading(refit.estimate, origin.reading), problem=None)  # whose rows say nothing about the links
    origin = origin.of_step("friction", choice, seed=choice.seed, part=choice.part, links=str(source.path))
    written = write_results(RunFolder(output), estimate, parameters=links, friction=refit, origin=origin)
    return Done(result=refit, document=written[Stage.FRICTION])


def monitor_step(
    run: RunFolder, recorded: Dataset, quiet: Dataset | None, choice: ObserverChoice, origin: StageOrigin, on_step: OnStep = ignore_steps
) -> ContactMonitor:
    """What a robot is watched with: thresholds from a log without contacts, else those that the run keeps, else from the data themselves.

    recorded : the log that is to be watched. quiet : a log without contacts; only the thresholds that come from one are kept.
    """
    from dynident.validation.monitoring import contact_monitor

    settings = {name: value for name, value in vars(choice).items() if value is not None}
    if quiet is None and (run.path / Stage.MONITOR.file).is_file():
        if settings:
            template = f"{{}}: {run.path} has thresholds for other settings; give a log without contacts too, with {{free}} FILE"
            raise OptionsError(template, settings)
        kept = run.find(Stage.MONITOR)
        if isinstance(kept, MissingStageError):
            raise InputError(kept.message, remedy=Remedy("give a log without contacts again, with {free}", free="FILE"))
        return kept.result
    if quiet is not None:
        check_stages(run.path, Stage.MONITOR)
    on_step("Finding thresholds")
    free = recorded if quiet is None else quiet
    monitor = contact_monitor(read_estimate(run), free, links=find_parameters(run), contacts_possible=quiet is None, **settings)
    if quiet is not None:
        write_result(run, monitor, origin=origin.of_step("monitor", choice, files=quiet.provenance.files))
    return monitor
