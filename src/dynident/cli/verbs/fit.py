"""`dynident fit`: from a robot and logs to a model, its report and its URDF, with a verdict in five lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, NewRun, RandomSeed, RobotFile
from dynident.cli.command_line import Argument, Selected
from dynident.cli.exits import sentence
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.feasibility.options import RetrievalChoice
from dynident.pipeline.reading import read_log, read_log_and_samples
from dynident.regression.options import ProblemChoice
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident fit arm.urdf log.csv -o run

dynident fit arm.urdf monday.csv tuesday.csv --test wednesday.csv -o run --unit q=deg"""


def fit(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    test: Annotated[Sequence[Path], Argument(help="Validate with this log, which is read as the others.", metavar="LOG")] = (),
    problem: Annotated[ProblemChoice, Selected(("friction", "cutoff"))],
    links: Annotated[RetrievalChoice, Selected(("total_mass", "constraints", "run_python"))],
    reading: Reading,
    mounting: Mounting,
    ignore_doctor: Annotated[
        bool, Argument(help="Fit also a log with a fault that makes the result meaningless.", group="Advanced")
    ] = False,
    seed: RandomSeed = 0,
) -> Outcome:
    """Identify a robot's dynamic model from logs, and say how good it is.

    All of DATA train; --test validates. The kind of data decides the route: torques, currents, magnitudes of either, or the M and g of a
    controller. Does what identify (or signs), retrieve, validate, export --urdf and report do, one after the other, and writes what they
    write into the folder RUN, with report.html and model.urdf. Exits with 1 when there are no links that a real robot can have.
    """
    from dynident.pipeline.fit import MODEL, PAGE, FitSettings, fit_data
    from dynident.pipeline.model import FitDocument, judge
    from dynident.pipeline.retrieval import read_conditions
    from dynident.reports.tables import Report
    from dynident.robots import load_robot

    settings = FitSettings(
        friction=problem.model,
        cutoff=problem.cutoff,
        total_mass=links.total_mass,
        constraints=partial(read_conditions, choice=links) if links.constraints else None,
        ignore_doctor=ignore_doctor,
        seed=seed,
        reading=reading,
        command=running_command(),
    )
    machine = load_robot(robot, mounting)
    with progress_bar("Reading") as progress:
        log, samples = read_log_and_samples(data, machine, reading, progress=progress)
        remedy = "a model is validated on a log"
        held = read_log(test, machine, replace(reading, without=()), remedy=remedy) if test else None
    with spinner("Fitting") as say:
        model = fit_data(machine, log, samples, settings, test=held, output=output, on_step=say)
    verdict = judge(model, sentence)
    failures = {step: sentence(error) for step, error in model.failures.items()}
    files = [output / PAGE] if model.links is None else [output / PAGE, output / MODEL]
    return Outcome(
        report=Report(header=(model.headline, *verdict.lines, *(f"Next: {step}" for step in verdict.next))),
        document=FitDocument(robot=machine.name, verdict=verdict.lines, next=verdict.next, failures=failures),
        written=f"{output}: {', '.join(map(str, files))}",
        code=1 if model.links is None else 0,
    )
