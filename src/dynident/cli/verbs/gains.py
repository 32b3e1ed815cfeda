"""`dynident gains`: torque per ampere of every drive, from currents and something that is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, parse_reading, read_data, read_robot
from dynident.cli.terminal import print_json, print_report, print_result, spinner
from dynident.errors import InputError, ValueRangeError

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.drives import KnownMasses, KnownPayload

EXAMPLE = """Examples:

[bold]dynident gains ur10.urdf unloaded.npz --loaded loaded.npz --payload-mass 2.8 -o gains.yaml[/bold]

[bold]dynident gains ur10.urdf log.npz --total-mass 28.7±5% -o gains.yaml[/bold]"""


def gains(
    robot: opt.RobotArgument,
    data: Annotated[list[Path], typer.Argument(metavar="UNLOADED...", help="Logs of currents without payload.")],
    *,
    loaded: Annotated[
        list[Path] | None, typer.Option("--loaded", metavar="FILE", help="Log with a known payload on the tool. Repeatable.")
    ] = None,
    payload_mass: Annotated[
        str | None,
        typer.Option(
            "--payload-mass", metavar="KG", help="Its mass, such as 2.8 or 2.8±0.05; ± (or +-) is one deviation, 0.2 % unless said."
        ),
    ] = None,
    payload_com: Annotated[
        str | None,
        typer.Option("--payload-com", metavar="X,Y,Z", help="Its centre of mass in the tool frame (m), each ± 5 mm unless said: 0±0.01."),
    ] = None,
    total_mass: Annotated[
        str | None, typer.Option("--total-mass", metavar="KG", help="Mass of all links that move (without the base), such as 28.7±5%.")
    ] = None,
    mass: Annotated[
        list[str] | None, typer.Option("--mass", metavar="NAME=KG", help="Mass of one link, such as m3=3.9±2%. Repeatable.")
    ] = None,
    vendor: Annotated[
        str | None, typer.Option("--vendor", metavar="G,...", help="Gains that the vendor tells, one per joint, each ± 20 % unless said.")
    ] = None,
    friction: Annotated[str | None, typer.Option("--friction", metavar="NAME", help="Friction model. Default: linear+armature.")] = None,
    cutoff: Annotated[str | None, typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter. Default: 5.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="YAML for --effort-gains of identify, or beside a log.")
    ] = None,
    read: opt.DataReading,
    mounting: opt.Mounting,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Find the torque per ampere of every drive, with its uncertainty.

    Currents alone tell only the ratios of the gains. Their scale comes from a second log with a known payload, from known
    masses, or from the vendor's numbers. Of a log of torques that are wrong by a factor per joint, these factors are found.
    """
    from dynident.core.files import write_atomically
    from dynident.drives import Known, identify_gains

    if output is not None:
        check_output(output, "gains", (".yaml", ".yml"), inputs=(robot, *data, *(loaded or ())))
    payload = _payload(payload_mass, payload_com)
    masses = _masses(total_mass, mass)
    told = None if vendor is None else [Known.of(word, share=VENDOR_SHARE) for word in vendor.split(",")]
    model = opt.parse_friction(friction)
    reading, without = parse_reading(read), opt.parse_without(read["without"])
    if without and loaded:
        raise InputError("--without is for one recording, and there are two; write it into the YAML beside the one")
    machine = read_robot(robot, **mounting)
    with spinner("Reading"):
        unloaded = _log(read_data(data, machine, reading, without=without))
        carrying = _log(read_data(loaded, machine, reading)) if loaded else None
    with spinner("Fitting"):
        result = identify_gains(
            machine,
            unloaded,
            loaded=carrying,
            payload=payload,
            masses=masses,
            vendor=told,
            friction=model,
            cutoff=opt.parse_frequency(cutoff, "--filter"),
        )
    document: dict[str, Any] = {"status": result.status.name.lower(), "gains": result.records(), "notes": list(result.notes)}
    if output is not None:
        write_atomically(output, result.recipe())
        print_result(result.tables(), document, as_json=as_json, written=str(output))
    elif as_json:
        print_json(document)
    else:
        print_report(result.tables())


#: What a vendor's number is taken to be good for, and where a payload's centre is [m].
VENDOR_SHARE, COM_STD = 0.2, 0.005


def _payload(mass: str | None, com: str | None) -> KnownPayload | None:
    from dynident.drives import Known, KnownPayload

    if mass is None:
        if com is not None:
            raise InputError("--payload-com needs --payload-mass")
        return None
    if com is None:
        return KnownPayload(mass=Known.of(mass))
    words = com.split(",")
    if len(words) != 3:
        raise ValueRangeError("--payload-com", f"got {com!r}; three numbers in m were expected, such as 0,0,0.05")
    x, y, z = (Known.of(word, std=COM_STD) for word in words)
    return KnownPayload(mass=Known.of(mass), com=(x, y, z))


def _masses(total: str | None, single: list[str] | None) -> KnownMasses | None:
    from dynident.drives import Known, KnownMasses

    if total is None and not single:
        return None
    return KnownMasses(
        total=None if total is None else Known.of(total),
        single={name: Known.of(value) for name, value in opt.parse_options("--mass", single).items()},
    )


def _log(data: object) -> Dataset:
    from dynident.data import Dataset

    if not isinstance(data, Dataset):
        raise InputError("gains need logs of currents; the data are a controller's M and g, which are in torques already")
    return data
