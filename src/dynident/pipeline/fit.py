"""The whole chain as one function: guard, identification or recovery of signs, cross-validation, links, validation, export, report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from dynident.core.files import read_bytes
from dynident.data import ControllerSamples, Dataset
from dynident.data.reading.reading import Reading
from dynident.errors import DynidentError, FileError, InputError
from dynident.exports import EXPORTERS, export, model_from_run
from dynident.exports.registry import find_original
from dynident.feasibility import FeasibleSet, LinkParameters, retrieval_problem, solve_retrieval, with_ranges
from dynident.friction.model import FrictionModel
from dynident.pipeline.guard import refuse_spoiled
from dynident.pipeline.model import Model
from dynident.pipeline.reading import read_log_and_samples, remember_reading_of_signs
from dynident.pipeline.steps import identify_data, ignore_steps
from dynident.regression.estimate import Estimate
from dynident.regression.identify import Auto, Default
from dynident.regression.prepare import order_joints
from dynident.reports import report
from dynident.robots import Robot, load_robot
from dynident.runs import Stage, check_stages, load_run, save_run, write_estimate, write_parameters, write_result
from dynident.signs import SignRecovery, recover_signs
from dynident.validation import validate

#: A log, a controller's samples, files of them, or several of these.
Data: TypeAlias = str | Path | Dataset | ControllerSamples | Sequence[str | Path] | Sequence[Dataset | ControllerSamples]
#: What `fit` writes into its folder beside the stages.
MODEL, PAGE = "model.urdf", "report.html"


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What `fit` was asked for, beside the data.

    friction, cutoff : of the identification.
    total_mass, constraints : of the links.
    ignore_doctor : identify also from a log with a fault that makes the result meaningless.
    reading : how the data were read, for the run to remember; command : what was typed.
    """

    friction: FrictionModel | Default | Auto | None = "default"
    cutoff: float | Auto | None = "auto"
    total_mass: tuple[float, float] | None = None
    constraints: Callable[[Estimate], FeasibleSet] | FeasibleSet | None = None
    ignore_doctor: bool = False
    seed: int = 0
    reading: Reading = field(default_factory=Reading)
    command: str = ""


def fit(
    robot: str | Path | Robot,
    data: Data,
    *,
    test: Data | None = None,
    output: str | Path | None = None,
    friction: FrictionModel | Default | Auto | None = "default",
    cutoff: float | Auto | None = "auto",
    total_mass: tuple[float, float] | None = None,
    constraints: FeasibleSet | None = None,
    ignore_doctor: bool = False,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
    **keywords: Any,
) -> Model:
    """Identify a robot's dynamic model from logs, and say how good it is.

    The kind of data decides the route: torques, currents, magnitudes of either, or the M(q) and g(q) that a controller returns.

    Parameters
    ----------
    robot
        A description (.urdf, .xacro, .xml, .yaml), the name of a robot in the library, or a `Robot`.
    data
        Logs to train with: files, or what `load_dataset` and `load_controller_samples` return.
    test
        Logs to validate with, read as the others.
    output
        Folder for the run, with report.html and model.urdf; without it nothing is written.
    friction
        As for `identify`.
    cutoff
        Of the filter that both sides of the equations go through [Hz]; None for none.
    total_mass
        Least and largest mass of all links together [kg].
    constraints
        What else the links must hold.
    ignore_doctor
        Fit also a log with a fault that makes the result meaningless.
    seed
        Of random samples.
    on_step
        Called with the step that begins.
    **keywords
        As for `load_dataset`: columns, units, effort_kind, rate, ...

    Returns
    -------
    Model
        `print(model)` is the verdict; `model.links`, `model.validation`, `model.export("better.urdf")`.

    Examples
    --------
    >>> model = dynident.fit("arm.urdf", "log.csv", test="other.csv")  # doctest: +SKIP
    >>> model.export("better.urdf")  # doctest: +SKIP
    """
    machine, reading = robot if isinstance(robot, Robot) else load_robot(robot), Reading(**keywords)
    log, samples = read_training_data(machine, data, reading)
    held, _ = (None, None) if test is None else read_training_data(machine, test, replace(reading, without=()))
    if test is not None and held is None:
        raise InputError("the test data are a controller's samples, and a model is validated on a log of torques; give one")
    settings = FitSettings(
        friction=friction,
        cutoff=cutoff,
        total_mass=total_mass,
        constraints=constraints,
        ignore_doctor=ignore_doctor,
        seed=seed,
        reading=reading,
    )
    return fit_data(machine, log, samples, settings, test=held, output=None if output is None else Path(output), on_step=on_step)


def read_training_data(robot: Robot, data: Data, reading: Reading) -> tuple[Dataset | None, ControllerSamples | None]:
    """A log and a controller's samples, with joints in the robot's order; None for what is not there."""
    items = [data] if isinstance(data, (str, Path, Dataset, ControllerSamples)) else list(data)
    files = [Path(item) for item in items if isinstance(item, (str, Path))]
    if files and len(files) < len(items):
        raise InputError("data are either files or what load_dataset returns, not both")
    if files:
        return read_log_and_samples(files, robot, reading)
    logs = [item for item in items if isinstance(item, Dataset)]
    controllers = [item for item in items if isinstance(item, ControllerSamples)]
    if not logs and not controllers:
        raise InputError("there are no data to fit; give a log, or a controller's samples")
    log = Dataset.concatenate(logs) if logs else None
    samples = ControllerSamples.concatenate(controllers) if controllers else None
    log = None if log is None else cast("Dataset", order_joints(robot, log))
    return log, None if samples is None else cast("ControllerSamples", order_joints(robot, samples))


def fit_data(
    robot: Robot,
    log: Dataset | None,
    samples: ControllerSamples | None,
    settings: FitSettings,
    *,
    test: Dataset | None = None,
    output: Path | None = None,
    on_step: Callable[[str], None] | None = None,
) -> Model:
    """`fit` of data that were read. What a step has found is written before the next one begins."""
    tell = on_step or ignore_steps
    if output is not None:
        check_stages(output, Stage.ESTIMATE, Stage.SIGNS, Stage.PARAMETERS, Stage.VALIDATION)
        _refuse_foreign(output)
    tell("Examining the log")
    if log is not None and not settings.ignore_doctor:
        refuse_spoiled(robot, log)
    unsigned = log is not None and log.effort_kind is not None and log.effort_kind.unsigned
    if unsigned and samples is None:
        model = _recover(robot, cast("Dataset", log), settings, output, tell)
    else:
        model = _identify(robot, [item for item in (log, samples) if item is not None], settings, output, tell)
    if model.links is None:
        model = _retrieve(model, settings, tell)
    if test is not None:
        tell("Validating")
        result = validate(model.estimate, test, links=model.links)
        if output is not None:
            write_result(output, result, provenance={"command": settings.command, "part": [0.0, 1.0]})
        model = replace(model, validation=result)
    return model if output is None else _publish(model, output, tell)


def _refuse_foreign(output: Path) -> None:
    """FileError where model.urdf or report.html of somebody else is in the folder."""
    for file in (output / MODEL, output / PAGE):
        if os.path.lexists(file) and b"dynident" not in read_bytes(file):
            raise FileError(file, "is there already, and was not written by dynident; it is not replaced; name another folder")


def _identify(
    robot: Robot,
    data: Sequence[Dataset | ControllerSamples],
    settings: FitSettings,
    output: Path | None,
    tell: Callable[[str], None],
) -> Model:
    identified = identify_data(
        robot, data, settings.reading, on_step=tell, friction=settings.friction, cutoff=settings.cutoff, seed=settings.seed
    )
    estimate, folds = identified.estimate, identified.folds
    if output is not None:
        write_estimate(output, estimate, folds=folds, seed=settings.seed, provenance={"command": settings.command})
    return Model(estimate=estimate, cross_validation=folds, folder=output)


def _recover(robot: Robot, log: Dataset, settings: FitSettings, output: Path | None, tell: Callable[[str], None]) -> Model:
    tell("Searching for the signs")
    found: SignRecovery = recover_signs(
        robot, log, friction=settings.friction, cutoff=settings.cutoff or "auto", seed=settings.seed, progress=tell
    )
    found = remember_reading_of_signs(found, log, settings.reading)
    asked = settings.total_mass is not None or settings.constraints is not None
    links = None if asked else found.links
    if output is not None:
        save_run(output, found.estimate, signs=found, parameters=links, seed=settings.seed, provenance={"command": settings.command})
    return Model(estimate=found.estimate, signs=found, links=links, folder=output)


def _retrieve(model: Model, settings: FitSettings, tell: Callable[[str], None]) -> Model:
    """The model with links, or with the sentence that says why there are none."""
    tell("Retrieving links")
    estimate, constraints = model.estimate, settings.constraints
    try:
        conditions = constraints(estimate) if callable(constraints) else constraints
        problem = retrieval_problem(estimate, constraints=conditions or FeasibleSet(), total_mass=settings.total_mass)
        links: LinkParameters = with_ranges(solve_retrieval(problem, progress=tell))
    except InputError:
        raise
    except DynidentError as error:
        return replace(model, failures={**model.failures, "retrieve": error})
    if model.folder is not None:
        write_parameters(model.folder, links, seed=settings.seed)
    return replace(model, links=links)


def _publish(model: Model, output: Path, tell: Callable[[str], None]) -> Model:
    """model.urdf where there are feasible links, and report.html."""
    failures = dict(model.failures)
    if model.links is not None:
        tell("Exporting")
        try:
            original = find_original(EXPORTERS["urdf"], model.estimate.base.robot)
            export(model_from_run(output), "urdf", path=output / MODEL, original=original)
        except DynidentError as error:
            failures["export"] = error
    tell("Writing the report")
    report(load_run(output)).save(output / PAGE)
    return replace(model, failures=failures)
