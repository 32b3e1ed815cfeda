"""`dynident signs`: from a log of |torque| or |current| to its signs, an estimate and feasible links in a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, MagnitudeReading, NewRun, RobotFile, Scheduler
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.pipeline.options import SignRecoveryChoice
from dynident.pipeline.reading import read_log
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident signs panda log.npz -o run

dynident signs arm.urdf log.csv -o run --map effort=amps_* --effort-kind magnitude --effort-gains 14.9,12.1"""
PRINTS = ("dynident.runs.documents.signs:SignsDocument",)


def signs(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    choice: SignRecoveryChoice,
    signed_log: Annotated[
        Path | None, Argument(help="Also write the log with its signs, for verbs that need them: .npz, .csv or .parquet.")
    ] = None,
    reading: MagnitudeReading,
    mounting: Mounting,
    scheduler: Scheduler = None,
) -> Outcome:
    """Recover the signs of torques of which only the magnitude was recorded, and identify the robot with them.

    Writes what dynident identify writes into RUN, signs.safetensors and signs.json, and feasible links where there are some; retrieve,
    validate, export and report work on it as usual. Exits with 1 when the signs are ambiguous or the model doesn't explain the data.
    """
    from dynident.data import write_dataset
    from dynident.data.formats.writing import WRITERS
    from dynident.pipeline.steps import recover_signs_step
    from dynident.robots import load_robot
    from dynident.runs import RunFolder, Stage, check_stages

    check_stages(output, Stage.ESTIMATE, Stage.SIGNS)
    if signed_log is not None:
        check_output(signed_log, "log", WRITERS, inputs=data)
    machine = load_robot(robot, mounting)
    with progress_bar("Reading") as progress:
        remedy = "they have their signs; use dynident identify"
        log = read_log(data, machine, reading, choice.train, progress=progress, remedy=remedy)
        done = recover_signs_step(RunFolder(output), machine, log, choice, typed_call(data, reading), progress, scheduler=scheduler)
    if signed_log is not None:
        write_dataset(done.result.signed, signed_log)
    return Outcome(
        report=done.result.tables(),
        document=done.document,
        written=f"{output}, {signed_log}" if signed_log else str(output),
        code=0 if done.result.verdict.settled else 1,
    )
