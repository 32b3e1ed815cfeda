"""The whole chain as one function: guard, identification or recovery of signs, cross-validation, links, validation, export, report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from dynident.core.files import read_bytes
from dynident.core.options import names_given, narrow, takes
from dynident.data import ControllerSamples, Dataset
from dynident.data.reading.reading import Reading
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import DynidentError, FileError, InputError
from dynident.exports import EXPORTERS, export, model_from_run
from dynident.exports.registry import find_original
from dynident.links import FeasibleSet
from dynident.pipeline.identify import refuse_spoiled
from dynident.pipeline.model import Model
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice, SignRecoveryChoice, ValidateChoice
from dynident.pipeline.reading import read_log_and_samples, take_part
from dynident.pipeline.steps import OnStep, identify_step, ignore_steps, recover_signs_step, retrieve_step, validate_step
from dynident.regression.identify import Auto, Default
from dynident.reports import report
from dynident.robots import Robot, load_robot
from dynident.runs import RunFolder, Stage, check_stages, load_run
from dynident.runs.stages import StageOrigin

#: A log, a controller's samples, files of them, or several of these.
Data: TypeAlias = str | Path | Dataset | ControllerSamples | Sequence[str | Path] | Sequence[Dataset | ControllerSamples]
#: What `fit` writes into its folder beside the stages.
MODEL, PAGE = "model.urdf", "report.html"


@dataclass(frozen=True, kw_only=True)
class FitOptions(Reading):
    """What `fit` takes beside a robot and logs: options of its own, and how the logs are read.

    Attributes
    ----------
    test : files or data, optional
        Logs to validate with, read as the others.
    output : str or Path
        Folder for the run, with report.html and model.urdf; without it nothing is written.
    friction
        As for `identify`.
    cutoff : float, "auto" or None
        Of the filter that both sides of the equations go through [Hz]; None for none.
    total_mass : tuple of float
        Least and largest mass of all links together [kg].
    constraints : FeasibleSet
        What else the links must hold.
    ignore_doctor : bool
        Fit also a log with a fault that makes the result meaningless.
    seed : int
        Of random samples.
    on_step : callable
        Called with the step that begins.
    """

    test: Data | None = None
    output: str | Path | None = None
    friction: FrictionModel | Default | Auto | None = "default"
    cutoff: float | Auto | None = "auto"
    total_mass: tuple[float, float] | None = None
    constraints: FeasibleSet | None = None
    ignore_doctor: bool = False
    seed: int = 0
    on_step: Callable[[str], None] | None = None


@takes(FitOptions)
def fit(robot: str | Path | Robot, data: Data, options: FitOptions) -> Model:
    """Identify a robot's dynamic model from logs, and say how good it is.

    The kind of data decides the route: torques, currents, magnitudes of either, or the M(q) and g(q) that a controller returns.

    Parameters
    ----------
    robot
        A description (.urdf, .xacro, .xml, .yaml), the name of a robot in the library, or a `Robot`.
    data
        Logs to train with: files, or what `load_dataset` and `load_controller_samples` return.
    options : FitOptions
        Its fields are keywords of this function; those of `load_dataset` are among them.

    Returns
    -------
    Model
        `print(model)` is the verdict; `model.links`, `model.validation`, `model.export("better.urdf")`.

    Examples
    --------
    >>> model = dynident.fit("arm.urdf", "log.csv", test="other.csv")  # doctest: +SKIP
    >>> model.export("better.urdf")  # doctest: +SKIP
    """
    machine, reading = robot if isinstance(robot, Robot) else load_robot(robot), narrow(options, Reading)
    of_test = replace(reading, without=())
    log, samples = read_training_data(machine, data, reading)
    held, _ = (None, None) if options.test is None else read_training_data(machine, options.test, of_test)
    if options.test is not None and held is None:
        raise InputError("the test data are a controller's samples, and a model is validated on a log of torques; give one")
    named = options.friction is None or isinstance(options.friction, str)
    chosen: dict[str, Any] = {"friction": options.friction} if named else {}
    return fit_data(
        machine,
        log,
        samples,
        IdentifyChoice(cutoff=options.cutoff, ignore_doctor=options.ignore_doctor, seed=options.seed, **chosen),
        RetrieveChoice(total_mass=options.total_mass, seed=options.seed),
        origin=StageOrigin(data=_file_names(data), reading=reading),
        test=held,
        test_origin=StageOrigin(data=() if options.test is None else _file_names(options.test), reading=of_test),
        output=None if options.output is None else Path(options.output),
        on_step=ignore_steps if options.on_step is None else _names_of(options.on_step),
        friction=None if named else cast("FrictionModel", options.friction),
        constraints=options.constraints,
    )


def read_training_data(robot: Robot, data: Data, reading: Reading) -> tuple[Dataset | None, ControllerSamples | None]:
    """A log and a controller's samples, with joints in the robot's order; None for what is not there."""
    items, files = _list(data), list(map(Path, _file_names(data)))
    if files and len(files) < len(items):
        raise InputError("data are either files or what load_dataset returns, not both")
    if files:
        return read_log_and_samples(files, robot, reading)
    logs = [item for item in items if isinstance(item, Dataset)]
    controllers = [item for item in items if isinstance(item, ControllerSamples)]
    if not logs and not controllers:
        raise InputError("there are no data to fit; give a log, or a controller's samples")
    log = Dataset.concatenate(logs) if logs else None
    return take_part(robot, log, ControllerSamples.concatenate(controllers) if controllers else None)


def _names_of(tell: Callable[[str], None]) -> OnStep:
    """Tells the steps that begin, and not how much of one is done."""

    def on_step(step: str | float, share: float | None = None, /) -> None:
        if isinstance(step, str) and share is None:
            tell(step)

    return on_step


def _file_names(data: Data) -> tuple[str, ...]:
    return tuple(str(item) for item in _list(data) if isinstance(item, (str, Path)))


def _list(data: Data) -> list[str | Path | Dataset | ControllerSamples]:
    return [data] if isinstance(data, (str, Path, Dataset, ControllerSamples)) else list(data)


def fit_data(
    robot: Robot,
    log: Dataset | None,
    samples: ControllerSamples | None,
    identify: IdentifyChoice,
    retrieve: RetrieveChoice,
    *,
    origin: StageOrigin,
    test: Dataset | None = None,
    test_origin: StageOrigin | None = None,
    output: Path | None = None,
    on_step: OnStep = ignore_steps,
    friction: FrictionModel | None = None,
    constraints: FeasibleSet | None = None,
) -> Model:
    """`fit` of data that were read. What a step gives is written before the next one begins.

    friction, constraints : that no option names. origin, test_origin : for the run to remember.
    """
    if output is not None:
        check_stages(output, Stage.ESTIMATE, Stage.SIGNS, Stage.PARAMETERS, Stage.VALIDATION)
        _refuse_foreign(output)
    run = None if output is None else RunFolder(output)
    if log is not None and samples is None and log.effort_kind is not None and log.effort_kind.unsigned:
        model = _recover(run, robot, log, identify, retrieve, origin, on_step, friction, constraints is not None)
    else:
        identified = identify_step(run, robot, log, samples, identify, origin, on_step, friction=friction)
        model = Model(estimate=identified.result, cross_validation=identified.content.folds, folder=output)
    if model.links is None:
        try:
            links = retrieve_step(run, model.estimate, retrieve, origin, on_step, constraints=constraints).result
            model = replace(model, links=links)
        except InputError:
            raise
        except DynidentError as error:
            model = replace(model, failures={**model.failures, "retrieve": error})
    if test is not None:
        done = validate_step(run, model.estimate, model.links, test, ValidateChoice(), test_origin or StageOrigin(), on_step)
        model = replace(model, validation=done.result)
    return model if output is None else _publish(model, output, on_step)


def _recover(
    run: RunFolder | None,
    robot: Robot,
    log: Dataset,
    identify: IdentifyChoice,
    retrieve: RetrieveChoice,
    origin: StageOrigin,
    on_step: OnStep,
    friction: FrictionModel | None,
    constrained: bool,
) -> Model:
    """From a log of magnitudes; its own links, unless others are asked for."""
    if not identify.ignore_doctor:
        on_step("Examining the log")
        refuse_spoiled(robot, log)
    choice = SignRecoveryChoice(friction=identify.friction, cutoff=identify.cutoff or "auto", seed=identify.seed)
    keep_links = not (constrained or names_given(retrieve, "total_mass", "constraints"))
    signs = recover_signs_step(run, robot, log, choice, origin, on_step, keep_links=keep_links, friction=friction).result
    return Model(estimate=signs.estimate, signs=signs, links=signs.links if keep_links else None, folder=None if run is None else run.path)


def _refuse_foreign(output: Path) -> None:
    """FileError where model.urdf or report.html of somebody else is in the folder."""
    for file in (output / MODEL, output / PAGE):
        if os.path.lexists(file) and b"dynident" not in read_bytes(file):
            raise FileError(file, "is there already, and was not written by dynident; it is not replaced; name another folder")


def _publish(model: Model, output: Path, on_step: OnStep) -> Model:
    """model.urdf where there are feasible links, and report.html."""
    failures = dict(model.failures)
    if model.links is not None:
        on_step("Exporting")
        try:
            original = find_original(EXPORTERS["urdf"], model.estimate.base.robot)
            export(model_from_run(output), "urdf", path=output / MODEL, original=original)
        except DynidentError as error:
            failures["export"] = error
    on_step("Writing the report")
    report(load_run(output)).save(output / PAGE)
    return replace(model, failures=failures)
