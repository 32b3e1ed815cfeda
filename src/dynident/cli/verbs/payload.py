"""`dynident payload`: the tool or payload of a loaded log, from an identified arm or from a log without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, parse_reading, read_data, read_robot, remember_reading, running_command
from dynident.cli.terminal import print_result, spinner
from dynident.errors import InputError, ValueRangeError

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.payload import Declared
    from dynident.regression import Estimate
    from dynident.regression.summary import Reading
    from dynident.robots import Robot

EXAMPLE = """Examples:

[bold]dynident payload run loaded.npz --declared-mass 1.4 --declared-com 0,0,0.05[/bold]

[bold]dynident payload panda loaded.npz --unloaded bare.npz -o run[/bold]"""


def payload(
    arm: Annotated[str, typer.Argument(metavar="RUN", help="Folder that dynident identify wrote; with --unloaded, a ROBOT instead.")],
    data: opt.DataArgument,
    *,
    unloaded: Annotated[
        list[Path] | None,
        typer.Option("--unloaded", metavar="DATA", help="Identify the bare arm from this log first; into the folder of -o. Repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RUN", help="Folder for the results; with --unloaded only. Default: RUN itself."),
    ] = None,
    declared_mass: Annotated[
        float | None, typer.Option("--declared-mass", metavar="KG", help="What the teach pendant was told, to compare with.")
    ] = None,
    declared_com: Annotated[
        str | None, typer.Option("--declared-com", metavar="X,Y,Z", help="Likewise, the centre of mass in the flange frame, in m.")
    ] = None,
    link: Annotated[
        str | None, typer.Option("--link", metavar="NAME", help="The link that carries it. Default: the last, through the tool frame.")
    ] = None,
    keep_friction: Annotated[
        bool, typer.Option("--keep-friction", help="Hold the friction at that of the arm instead of fitting it again.")
    ] = False,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of DATA, as fractions: 0.2:1.")] = None,
    cutoff: Annotated[
        str | None, typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter, or none. Default: as for the arm.")
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: 4 x the cutoff.")
    ] = None,
    urdf: Annotated[
        Path | None, typer.Option("--urdf", metavar="FILE", help="Write the payload alone as a URDF, whose lines a robot's can take over.")
    ] = None,
    mjcf: Annotated[Path | None, typer.Option("--mjcf", metavar="FILE", help="Likewise as an MJCF.")] = None,
    read: opt.DataReading,
    mounting: opt.Mounting,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Identify mass, centre of mass and inertia of what hangs on the flange, and compare them with what was declared.

    Standard deviations count those of the arm. Writes payload.json and payload.npz into RUN; dynident export RUN --payload writes the robot
    with it.
    """
    from dynident.core.together import write_files
    from dynident.exports import payload_fragment
    from dynident.payload import identify_payload
    from dynident.runs import read_estimate, write_estimate, write_payload
    from dynident.runs.stages import gather_stages

    declared = _declared(declared_mass, declared_com)
    filtering: dict[str, Any] = {"cutoff": opt.parse_cutoff(cutoff), "rate": opt.parse_frequency(rate, "--rate")}
    fractions, without = opt.parse_part(part, "--part"), opt.parse_without(read["without"])
    folder = _folder(arm, unloaded, output, mounting)
    fragments = {target: file for target, file in (("urdf", urdf), ("mjcf", mjcf)) if file is not None}
    for file in fragments.values():
        check_output(file, "payload", inputs=(*data, *(unloaded or ())), runs=() if unloaded else (folder,))
    estimate = _identify_arm(read_robot(arm, **mounting), unloaded, parse_reading(read)) if unloaded else read_estimate(folder)
    reading = estimate.summary.processing.read.override(parse_reading(read))
    with spinner("Reading"):
        loaded = _read_log(data, estimate.base.robot, reading, fractions, without)
    with spinner("Identifying the payload"):
        found = identify_payload(estimate, loaded, link=link, declared=declared, refit_friction=not keep_friction, **filtering)
    write_files({file: payload_fragment(found, target) for target, file in fragments.items()})
    provenance = {"command": running_command(), "part": list(fractions), "files": loaded.provenance.files}
    if unloaded:
        with gather_stages(folder) as draft:
            write_estimate(draft, estimate, provenance={"command": running_command()})
            document = write_payload(draft, found, provenance=provenance)
    else:
        document = write_payload(folder, found, provenance=provenance)
    print_result(found.tables(), document, as_json=as_json, written=" and ".join(map(str, (folder, *fragments.values()))))


def _folder(arm: str, unloaded: list[Path] | None, output: Path | None, mounting: opt.Values) -> Path:
    """Where the results go; an error where the arguments don't go together."""
    from dynident.runs import Stage, check_stages

    if unloaded:
        if output is None:
            raise InputError("--unloaded identifies the arm first, and needs a folder for it; name one with -o RUN")
        check_stages(output, Stage.ESTIMATE, Stage.PAYLOAD)
        return output
    given = opt.name_given({f"--{name}": value for name, value in mounting.items()} | {"--output": output})
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


def _identify_arm(robot: Robot, files: list[Path], reading: Reading) -> Estimate:
    from dynident.regression import identify

    with spinner("Identifying the arm"):
        return remember_reading(identify(robot, _read_log(files, robot, reading, (0.0, 1.0), None)), reading)


def _read_log(
    files: list[Path], robot: Robot, reading: Reading, part: tuple[float, float], without: list[tuple[float, float]] | None
) -> Dataset:
    from dynident.data import Dataset

    found = read_data(files, robot, reading, part, without=without)
    if not isinstance(found, Dataset):
        raise InputError(f"{', '.join(map(str, files))}: samples of a controller's M and g, and a log was expected, with torques")
    return found


def _declared(mass: float | None, com: str | None) -> Declared | None:
    """What was declared; None where nothing was."""
    from dynident.core.fields import parse_numbers
    from dynident.payload import Declared

    if mass is None:
        if com is not None:
            raise ValueRangeError("--declared-com", "needs --declared-mass too: the two are compared together")
        return None
    numbers = (0.0, 0.0, 0.0) if com is None else tuple(parse_numbers(com))
    if len(numbers) != 3:
        raise ValueRangeError("--declared-com", f"got {com!r}; three numbers in m were expected, such as 0,0,0.05")
    return Declared(mass=mass, com=numbers)
