"""`dynident fit`: from a robot and logs to a model, its report and its URDF, with a verdict in five lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, NewRun, RandomSeed, RobotFile
from dynident.cli.command_line import Argument, Selected
from dynident.cli.exits import sentence
from dynident.cli.inputs import typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice
from dynident.pipeline.reading import read_log, read_log_and_samples
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident fit arm.urdf log.csv -o run

dynident fit arm.urdf monday.csv tuesday.csv --test wednesday.csv -o run --unit q=deg"""
PRINTS = ("dynident.pipeline.model:FitDocument",)


def fit(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    test: Annotated[Sequence[Path], Argument(help="Validate with this log, which is read as the others.", metavar="LOG")] = (),
    identify: Annotated[IdentifyChoice, Selected(("friction", "cutoff", "ignore_doctor"))],
    retrieve: Annotated[RetrieveChoice, Selected(("total_mass", "constraints", "run_python"))],
    reading: Reading,
    mounting: Mounting,
    seed: RandomSeed = 0,
) -> Outcome:
    """Identify a robot's dynamic model from logs, and say how good it is.

    All of DATA train; --test validates. The kind of data decides the route: torques, currents, magnitudes of either, or the M and g of a
    controller. Does what identify (or signs), retrieve, validate, export --urdf and report do, one after the other, and writes what they
    write into the folder RUN, with report.html and model.urdf. Exits with 1 when there are no links that a real robot can have, or a stage
    doubts them or the unit of the efforts.
    """
    from dynident.pipeline.fit import MODEL, PAGE, fit_data
    from dynident.pipeline.model import FitDocument, judge
    from dynident.reports.tables import Report
    from dynident.robots import load_robot

    machine, of_test = load_robot(robot, mounting), replace(reading, without=())
    with progress_bar("Reading") as progress:
        log, samples = read_log_and_samples(data, machine, reading, progress=progress)
        model = fit_data(
            machine,
            log,
            samples,
            replace(identify, seed=seed),
            replace(retrieve, seed=seed),
            origin=typed_call(data, reading),
            test=read_log(test, machine, of_test, remedy="a model is validated on a log") if test else None,
            test_origin=typed_call(test, of_test),
            output=output,
            on_step=progress,
        )
    verdict = judge(model, sentence)
    failures = {step: sentence(error) for step, error in model.failures.items()}
    files = [output / PAGE] if model.links is None else [output / PAGE, output / MODEL]
    return Outcome(
        report=Report(header=(model.headline, *verdict.lines, *(f"Next: {step}" for step in verdict.next))),
        document=FitDocument(robot=machine.name, verdict=verdict.lines, next=verdict.next, failures=failures),
        written=f"{output}: {', '.join(map(str, files))}",
        code=0 if model.trusted else 1,
    )
