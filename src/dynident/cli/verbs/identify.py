"""`dynident identify`: from a log, or from a controller's M and g, to a run folder with the estimate."""

from __future__ import annotations

from dataclasses import replace

from dynident.cli.arguments import LogFiles, NewRun, RobotFile
from dynident.cli.inputs import typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.pipeline.options import IdentifyChoice
from dynident.pipeline.reading import read_log_and_samples
from dynident.robots.mounting import Mounting

RENAMED = {"--noise": "--noise-model"}
EXAMPLE = """Examples:

dynident identify panda log.npz -o run --friction linear --filter 5 --rate 20 --train 0:0.7

dynident identify panda samples.npz -o run   (q, M and g of the controller)

dynident identify panda samples.npz log.npz -o run   (both, and whether they agree)"""
PRINTS = ("dynident.runs.documents.estimate:EstimateDocument",)


def identify(
    robot: RobotFile, data: LogFiles, /, *, output: NewRun, choice: IdentifyChoice, reading: Reading, mounting: Mounting
) -> Outcome:
    """Identify dynamic coefficients and friction, with their uncertainty.

    The route follows from the data: a log with q and torque is fitted as such; samples of q, M and g are what the robot's
    controller returned. With both each counts by its own noise, and a table tells which coefficients of the controller's model the
    log contradicts; --equations is then about the samples, all else about the log. Joints that the file names are put into the robot's
    order. Writes estimate.safetensors, estimate.json and robot.json into the folder RUN.
    """
    from dynident.pipeline.steps import identify_step
    from dynident.robots import load_robot
    from dynident.runs import RunFolder, Stage, check_stages

    check_stages(output, Stage.ESTIMATE)
    machine = load_robot(robot, mounting)
    with progress_bar("Reading") as progress:
        log, samples = read_log_and_samples(data, machine, reading, choice.train, progress=progress)
        done = identify_step(RunFolder(output), machine, log, samples, choice, typed_call(data, reading), progress)
    folds = done.content.folds
    facts = (folds.sentence,) if folds else (f"Not cross-validated: {done.why_not}.",) if done.why_not else ()
    shown = done.result.tables()
    return Outcome(report=replace(shown, facts=(*facts, *shown.facts)), document=done.document, written=str(output))
