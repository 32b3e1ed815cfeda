"""`dynident payload`: the tool or payload of a loaded log, from an identified arm or from a log without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.options import declared_options, names_given
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, OptionsError
from dynident.pipeline.options import IdentifyChoice, PayloadFitChoice
from dynident.pipeline.reading import read_log
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident payload run loaded.npz --declared-mass 1.4 --declared-com 0,0,0.05

dynident payload panda loaded.npz --unloaded bare.npz -o run"""
PRINTS = ("dynident.runs.documents.payload:PayloadDocument",)


def payload(
    robot: Annotated[str, Argument(metavar="RUN", help="Folder that dynident identify wrote; with --unloaded, a ROBOT instead.")],
    data: LogFiles,
    /,
    *,
    choice: PayloadFitChoice,
    unloaded: Annotated[
        Sequence[Path], Argument(help="Identify the bare arm from this log first; into the folder of -o.", metavar="DATA")
    ] = (),
    output: Annotated[
        Path | None, Argument(help="Folder for the results; with --unloaded only.", metavar="RUN", short="-o", shown="RUN itself")
    ] = None,
    reading: Reading,
    mounting: Mounting,
    urdf: Annotated[
        Path | None, Argument(help="Write the payload alone as a URDF, whose lines a robot's can take over.", group="Advanced")
    ] = None,
    mjcf: Annotated[Path | None, Argument(help="Write the payload alone as an MJCF.", group="Advanced")] = None,
) -> Outcome:
    """Identify mass, centre of mass and inertia of what hangs on the flange, and compare them with what was declared.

    Standard deviations count those of the arm. Writes payload.safetensors and payload.json into RUN; dynident export RUN
    --with-payload writes the robot with it.
    """
    from dynident.core.files import write_files
    from dynident.exports import payload_fragment
    from dynident.pipeline.steps import identify_step, payload_step
    from dynident.robots import load_robot
    from dynident.runs import RunFolder, read_estimate

    _ = choice.declared  # an error before anything is done
    run = RunFolder(_folder(robot, unloaded, output, mounting))
    fragments = {target: file for target, file in (("urdf", urdf), ("mjcf", mjcf)) if file is not None}
    for file in fragments.values():
        check_output(file, "payload", inputs=(*data, *unloaded), runs=() if unloaded else (run.path,))
    with progress_bar("Reading") as progress:
        arm = None
        if unloaded:
            machine, bare = load_robot(robot, mounting), replace(reading, without=())
            log, unguarded = read_log(unloaded, machine, bare), IdentifyChoice(ignore_doctor=True)
            arm = identify_step(None, machine, log, None, unguarded, typed_call(unloaded, bare), progress).content
        estimate = read_estimate(run) if arm is None else arm.result
        reading = reading.over(estimate.summary.processing.read)
        loaded = read_log(data, estimate.base.robot, reading, choice.part)
        done = payload_step(run, estimate, loaded, choice, typed_call(data, reading), progress, arm=arm)
    write_files({file: payload_fragment(done.result, target) for target, file in fragments.items()})
    return Outcome(report=done.result.tables(), document=done.document, written=" and ".join(map(str, (run.path, *fragments.values()))))


def _folder(arm: str, unloaded: Sequence[Path], output: Path | None, mounting: Mounting) -> Path:
    """Where the results go; an error where the arguments don't go together."""
    from dynident.runs import Stage, check_stages

    if unloaded:
        if output is None:
            raise InputError("--unloaded identifies the arm first, and needs a folder for it; name one with -o RUN")
        check_stages(output, Stage.ESTIMATE, Stage.PAYLOAD)
        return output
    if names := names_given(mounting, *(item.name for item in declared_options(Mounting))) + ["output"] * (output is not None):
        raise OptionsError("{}: only with {unloaded}, for RUN knows its robot and is the folder; leave it out", names)
    run = Path(arm)
    if not run.is_dir():
        raise InputError(
            f"{arm} is no run folder of an identified arm; make one with: dynident identify ROBOT DATA -o RUN, or give a log without the "
            "payload with --unloaded"
        )
    check_stages(run, Stage.PAYLOAD)
    return run
