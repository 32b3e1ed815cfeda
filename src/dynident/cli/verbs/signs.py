"""`dynident signs`: from a log of |torque| or |current| to its signs, an estimate and feasible links in a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, MagnitudeReading, NewRun, RandomSeed, RobotFile, Scheduler
from dynident.cli.command_line import Argument, Selected
from dynident.cli.inputs import check_output, running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.pipeline.reading import choose_periods, read_log, remember_reading_of_signs
from dynident.regression.options import PeriodChoice, TrainingPart
from dynident.robots.mounting import Mounting
from dynident.signs.options import SignChoice

EXAMPLE = """Examples:

dynident signs panda log.npz -o run

dynident signs arm.urdf log.csv -o run --map effort=amps_* --effort-kind magnitude --effort-gains 14.9,12.1"""


def signs(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    choice: SignChoice,
    training: TrainingPart,
    signed_log: Annotated[
        Path | None, Argument(help="Also write the log with its signs, for verbs that need them: .npz, .csv or .parquet.")
    ] = None,
    reading: MagnitudeReading,
    mounting: Mounting,
    scheduler: Scheduler = None,
    period_choice: Annotated[PeriodChoice, Selected(("periods",))],
    seed: RandomSeed = 0,
) -> Outcome:
    """Recover the signs of torques of which only the magnitude was recorded, and identify the robot with them.

    Writes what dynident identify writes into RUN, signs.safetensors and signs.json, and feasible links where there are some; retrieve,
    validate, export and report work on it as usual. Exits with 1 when the signs are ambiguous or the model doesn't explain the data.
    """
    from dynident.core.cluster import open_executor
    from dynident.data import write_dataset
    from dynident.data.formats.writing import WRITERS
    from dynident.robots import load_robot
    from dynident.runs import Stage, check_stages, save_run
    from dynident.signs import recover_signs

    check_stages(output, Stage.ESTIMATE, Stage.SIGNS)
    if signed_log is not None:
        check_output(signed_log, "log", WRITERS, inputs=data)
    machine = load_robot(robot, mounting)
    with progress_bar("Reading") as progress:
        everything = read_log(
            data, machine, reading, training.train, progress=progress, remedy="they have their signs; use dynident identify"
        )
        recorded = choose_periods(everything, period_choice.periods)
    with open_executor(1, scheduler) as executor, spinner("Searching for the signs") as say:
        found = recover_signs(
            machine,
            recorded,
            method=choice.method,
            friction=choice.model,
            cutoff=choice.cutoff,
            options=choice.method_option,
            seed=seed,
            executor=executor,
            progress=say,
        )
    found = remember_reading_of_signs(found, recorded, reading)
    known = {"command": running_command()}
    documents = save_run(output, found.estimate, signs=found, parameters=found.links, seed=seed, provenance=known)
    if signed_log is not None:
        write_dataset(found.signed, signed_log)
    return Outcome(
        report=found.tables(),
        document=documents[Stage.SIGNS],
        written=f"{output}, {signed_log}" if signed_log else str(output),
        code=0 if found.verdict.settled else 1,
    )
