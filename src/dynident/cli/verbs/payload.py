"""`dynident payload`: the tool or payload of a loaded log, from an identified arm or from a log without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, running_command
from dynident.cli.terminal import Outcome, spinner
from dynident.core.options import declared_options, names_given
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, OptionsError
from dynident.payload.options import PayloadChoice
from dynident.pipeline.reading import read_log, remember_reading
from dynident.regression.options import DataPart, SameFilter
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident payload run loaded.npz --declared-mass 1.4 --declared-com 0,0,0.05

dynident payload panda loaded.npz --unloaded bare.npz -o run"""


def payload(
    arm: Annotated[str, Argument(metavar="RUN", help="Folder that dynident identify wrote; with --unloaded, a ROBOT instead.")],
    data: LogFiles,
    /,
    *,
    choice: PayloadChoice,
    unloaded: Annotated[
        Sequence[Path], Argument(help="Identify the bare arm from this log first; into the folder of -o.", metavar="DATA")
    ] = (),
    output: Annotated[
        Path | None, Argument(help="Folder for the results; with --unloaded only.", metavar="RUN", short="-o", shown="RUN itself")
    ] = None,
    chosen: DataPart,
    reading: Reading,
    mounting: Mounting,
    urdf: Annotated[
        Path | None, Argument(help="Write the payload alone as a URDF, whose lines a robot's can take over.", group="Advanced")
    ] = None,
    mjcf: Annotated[Path | None, Argument(help="Write the payload alone as an MJCF.", group="Advanced")] = None,
    filtering: SameFilter,
) -> Outcome:
    """Identify mass, centre of mass and inertia of what hangs on the flange, and compare them with what was declared.

    Standard deviations count those of the arm. Writes payload.safetensors and payload.json into RUN; dynident export RUN --payload writes
    the robot with it.
    """
    from dynident.core.files import write_files
    from dynident.exports import payload_fragment
    from dynident.payload import identify_payload
    from dynident.regression import identify
    from dynident.robots import load_robot
    from dynident.runs import RunFolder, Stage, read_estimate
    from dynident.runs.folder import write_stages
    from dynident.runs.results import make_origin
    from dynident.runs.stages import StageContent

    declared = choice.declared
    source = RunFolder(_folder(arm, unloaded, output, mounting))
    fragments = {target: file for target, file in (("urdf", urdf), ("mjcf", mjcf)) if file is not None}
    for file in fragments.values():
        check_output(file, "payload", inputs=(*data, *unloaded), runs=() if unloaded else (source.path,))
    if unloaded:
        machine, bare = load_robot(arm, mounting), replace(reading, without=())
        with spinner("Identifying the arm"):
            estimate = remember_reading(identify(machine, read_log(unloaded, machine, bare)), bare)
    else:
        estimate = read_estimate(source)
    with spinner("Reading"):
        loaded = read_log(data, estimate.base.robot, reading.over(estimate.summary.processing.read), chosen.part)
    with spinner("Identifying the payload"):
        found = identify_payload(
            estimate, loaded, link=choice.link, declared=declared, refit_friction=not choice.keep_friction, **vars(filtering)
        )
    write_files({file: payload_fragment(found, target) for target, file in fragments.items()})
    provenance = {"command": running_command(), "part": list(chosen.part), "files": loaded.provenance.files}
    contents = {Stage.PAYLOAD: StageContent(result=found, origin=make_origin(0, provenance))}
    if unloaded:
        contents = {Stage.ESTIMATE: StageContent(result=estimate, origin=make_origin(0, {"command": running_command()})), **contents}
    document = write_stages(source, contents)[Stage.PAYLOAD]
    return Outcome(report=found.tables(), document=document, written=" and ".join(map(str, (source.path, *fragments.values()))))


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
