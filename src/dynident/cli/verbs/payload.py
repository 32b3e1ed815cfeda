"""`dynident payload`: the tool or payload of a loaded log, from an identified arm or from a log without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import AsJson, LogFiles, name_given
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, running_command
from dynident.cli.terminal import print_result, spinner
from dynident.core.options import changes, declared_options
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, ValueRangeError
from dynident.pipeline.reading import read_data, remember_reading
from dynident.regression.options import DataPart, SameFilter
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.payload import Declared
    from dynident.regression import Estimate
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident payload run loaded.npz --declared-mass 1.4 --declared-com 0,0,0.05

dynident payload panda loaded.npz --unloaded bare.npz -o run"""


def payload(
    arm: Annotated[str, Argument(metavar="RUN", help="Folder that dynident identify wrote; with --unloaded, a ROBOT instead.")],
    data: LogFiles,
    /,
    *,
    declared_mass: Annotated[float | None, Argument(help="What the teach pendant was told (kg), to compare with.", metavar="KG")] = None,
    declared_com: Annotated[
        tuple[float, float, float] | None, Argument(help="Likewise, the centre of mass in the flange frame, in m.")
    ] = None,
    unloaded: Annotated[
        Sequence[Path], Argument(help="Identify the bare arm from this log first; into the folder of -o.", metavar="DATA")
    ] = (),
    output: Annotated[
        Path | None, Argument(help="Folder for the results; with --unloaded only. Default: RUN itself.", metavar="RUN", short="-o")
    ] = None,
    chosen: DataPart,
    as_json: AsJson = False,
    reading: Reading,
    mounting: Mounting,
    urdf: Annotated[
        Path | None, Argument(help="Write the payload alone as a URDF, whose lines a robot's can take over.", group="Advanced")
    ] = None,
    mjcf: Annotated[Path | None, Argument(help="Likewise as an MJCF.", group="Advanced")] = None,
    link: Annotated[
        str | None, Argument(help="The link that carries it. Default: the last, through the tool frame.", metavar="NAME", group="Advanced")
    ] = None,
    keep_friction: Annotated[
        bool, Argument(help="Hold the friction at that of the arm instead of fitting it again.", group="Advanced")
    ] = False,
    filtering: SameFilter,
) -> None:
    """Identify mass, centre of mass and inertia of what hangs on the flange, and compare them with what was declared.

    Standard deviations count those of the arm. Writes payload.safetensors and payload.json into RUN; dynident export RUN --payload writes
    the robot with it.
    """
    from dynident.core.files import write_files
    from dynident.exports import payload_fragment
    from dynident.payload import identify_payload
    from dynident.robots import load_robot
    from dynident.runs import RunFolder, Stage, read_estimate, write_result
    from dynident.runs.folder import write_stages
    from dynident.runs.results import make_origin
    from dynident.runs.stages import StageContent

    declared = _declared(declared_mass, declared_com)
    folder = _folder(arm, unloaded, output, mounting)
    source = RunFolder(folder)
    fragments = {target: file for target, file in (("urdf", urdf), ("mjcf", mjcf)) if file is not None}
    for file in fragments.values():
        check_output(file, "payload", inputs=(*data, *unloaded), runs=() if unloaded else (folder,))
    estimate = _identify_arm(load_robot(arm, mounting), unloaded, replace(reading, without=())) if unloaded else read_estimate(source)
    reading = reading.over(estimate.summary.processing.read)
    with spinner("Reading"):
        loaded = _read_log(data, estimate.base.robot, reading, chosen.part)
    with spinner("Identifying the payload"):
        found = identify_payload(estimate, loaded, link=link, declared=declared, refit_friction=not keep_friction, **vars(filtering))
    write_files({file: payload_fragment(found, target) for target, file in fragments.items()})
    provenance = {"command": running_command(), "part": list(chosen.part), "files": loaded.provenance.files}
    if unloaded:
        contents = {
            Stage.ESTIMATE: StageContent(result=estimate, origin=make_origin(0, {"command": running_command()})),
            Stage.PAYLOAD: StageContent(result=found, origin=make_origin(0, provenance)),
        }
        document = write_stages(folder, contents)[Stage.PAYLOAD]
    else:
        document = write_result(source, found, provenance=provenance)
    print_result(found.tables(), document, as_json=as_json, written=" and ".join(map(str, (folder, *fragments.values()))))


def _folder(arm: str, unloaded: Sequence[Path], output: Path | None, mounting: Mounting) -> Path:
    """Where the results go; an error where the arguments don't go together."""
    from dynident.runs import Stage, check_stages

    if unloaded:
        if output is None:
            raise InputError("--unloaded identifies the arm first, and needs a folder for it; name one with -o RUN")
        check_stages(output, Stage.ESTIMATE, Stage.PAYLOAD)
        return output
    given = name_given({item.flag: item.name in changes(mounting) for item in declared_options(Mounting)} | {"--output": output})
    if given:
        raise InputError(f"{given}: only with --unloaded, for RUN knows its robot and is the folder; leave it out")
    run = Path(arm)
    if not run.is_dir():
        raise InputError(
            f"{arm} is no run folder of an identified arm; make one with: dynident identify ROBOT DATA -o RUN, or give a log without the "
            "payload with --unloaded"
        )
    check_stages(run, Stage.PAYLOAD)
    return run


def _identify_arm(robot: Robot, files: Sequence[Path], reading: Reading) -> Estimate:
    from dynident.regression import identify

    with spinner("Identifying the arm"):
        return remember_reading(identify(robot, _read_log(files, robot, reading, (0.0, 1.0))), reading)


def _read_log(files: Sequence[Path], robot: Robot, reading: Reading, part: tuple[float, float]) -> Dataset:
    from dynident.data import Dataset

    found = read_data(files, robot, reading, part)
    if not isinstance(found, Dataset):
        raise InputError(f"{', '.join(map(str, files))}: samples of a controller's M and g, and a log was expected, with torques")
    return found


def _declared(mass: float | None, com: tuple[float, float, float] | None) -> Declared | None:
    """What was declared; None where nothing was."""
    from dynident.payload import Declared

    if mass is None:
        if com is not None:
            raise ValueRangeError("--declared-com", "needs --declared-mass too: the two are compared together")
        return None
    return Declared(mass=mass, com=com or (0.0, 0.0, 0.0))
