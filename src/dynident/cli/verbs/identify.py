"""`dynident identify`: from a log, or from a controller's M and g, to a run folder with the estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from dynident.cli.arguments import LogFiles, NewRun, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.pipeline.reading import choose_periods, read_log_and_samples, remember_reading
from dynident.regression.options import FitChoice, PeriodChoice, ProblemChoice, TrainingPart
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident identify panda log.npz -o run --friction linear --filter 5 --rate 20 --train 0:0.7

dynident identify panda samples.npz -o run   (q, M and g of the controller)

dynident identify panda samples.npz log.npz -o run   (both, and whether they agree)"""


def identify(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    problem_choice: ProblemChoice,
    training: TrainingPart,
    reading: Reading,
    mounting: Mounting,
    period_choice: PeriodChoice,
    fit_choice: FitChoice,
    ignore_doctor: Annotated[
        bool, Argument(help="Identify also from a log with a fault that makes the result meaningless.", group="Advanced")
    ] = False,
) -> Outcome:
    """Identify dynamic coefficients and friction, with their uncertainty.

    The route follows from the data: a log with q and torque is fitted as such; samples of q, M and g are what the robot's
    controller returned. With both each counts by its own noise, and a table tells which coefficients of the controller's model the
    log contradicts; --equations is then about the samples, all else about the log. Joints that the file names are put into the robot's
    order. Writes estimate.safetensors, estimate.json and robot.json into the folder RUN.
    """
    from dynident.pipeline.guard import refuse_spoiled
    from dynident.regression.identify import build_problems, fit_problem
    from dynident.robots import load_robot
    from dynident.runs import Stage, check_stages, write_estimate
    from dynident.validation.folds import cross_validate_fit

    seed, fitting, building = problem_choice.seed, fit_choice.fitting(), problem_choice.building()
    check_stages(output, Stage.ESTIMATE)
    machine = load_robot(robot, mounting)
    with progress_bar("Reading") as progress:
        log, samples = read_log_and_samples(data, machine, reading, training.train, progress=progress)
    with progress_bar("Building the regression") as progress:
        first, *others = [item for item in (log, samples) if item is not None]
        first = choose_periods(first, period_choice.periods, average=period_choice.average_periods)
        problem, controller = build_problems(machine, [first, *others], **building, progress=progress)
    if log is not None and not ignore_doctor:
        with spinner("Examining"):
            refuse_spoiled(machine, log)
    with spinner("Fitting") as say:
        fitted = fit_problem(problem, controller, auto=problem_choice.friction == "auto", seed=seed, **fitting, progress=say)
        estimate = remember_reading(fitted, reading)
    folds, facts = None, tuple[str, ...]()
    if estimate.base.equations == "torque":
        with progress_bar("Cross-validating") as progress:
            folds, why_not = cross_validate_fit(estimate, progress=progress)
        facts = (f"Not cross-validated: {why_not}." if folds is None else folds.sentence,)
    document = write_estimate(output, estimate, folds=folds, seed=seed, provenance={"command": running_command()})
    shown = estimate.tables()
    return Outcome(report=replace(shown, facts=(*facts, *shown.facts)), document=document, written=str(output))
