"""`dynident gains`: torque per ampere of every drive, from currents and something that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, cast

from dynident.cli.arguments import AsJson, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import print_json, print_report, print_result, spinner
from dynident.core.kinds import Hertz
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, ValueRangeError
from dynident.pipeline.reading import read_data
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.drives import KnownMasses, KnownPayload
    from dynident.friction import FrictionModel

EXAMPLE = """Examples:

dynident gains ur10.urdf unloaded.npz --loaded loaded.npz --payload-mass 2.8 -o gains.yaml

dynident gains ur10.urdf log.npz --total-mass 28.7±5% -o gains.yaml"""


def gains(
    robot: RobotFile,
    data: Annotated[Sequence[Path], Argument(metavar="UNLOADED...", help="Logs of currents without payload.")],
    /,
    *,
    loaded: Annotated[Sequence[Path], Argument(help="Log with a known payload on the tool.", metavar="FILE")] = (),
    payload_mass: Annotated[
        str | None, Argument(help="Its mass, such as 2.8 or 2.8±0.05; ± (or +-) is one deviation, 0.2 % unless said.", metavar="KG")
    ] = None,
    total_mass: Annotated[
        str | None, Argument(help="Mass of all links that move (without the base), such as 28.7±5%.", metavar="KG")
    ] = None,
    output: Annotated[Path | None, Argument(help="YAML for --effort-gains of identify, or beside a log.", short="-o")] = None,
    as_json: AsJson = False,
    reading: Reading,
    mounting: Mounting,
    payload_com: Annotated[
        str | None,
        Argument(help="Its centre of mass in the tool frame (m), each ± 5 mm unless said: 0±0.01.", metavar="X,Y,Z", group="Advanced"),
    ] = None,
    mass: Annotated[
        Mapping[str, str], Argument(help="Mass of one link, such as m3=3.9±2%.", metavar="NAME=KG", group="Advanced")
    ] = MappingProxyType({}),
    vendor: Annotated[
        str | None,
        Argument(help="Gains that the vendor tells, one per joint, each ± 20 % unless said.", metavar="G,...", group="Advanced"),
    ] = None,
    friction: Annotated[
        str | None, Argument(help="Friction model. Default: linear+armature.", metavar="NAME", group="Advanced")
    ] = "default",
    cutoff: Annotated[Hertz | None, Argument(help="Cutoff of the parallel filter. Default: 5.", flag="--filter", group="Advanced")] = None,
) -> None:
    """Find the torque per ampere of every drive, with its uncertainty.

    Currents alone tell only the ratios of the gains. Their scale comes from a second log with a known payload, from known
    masses, or from the vendor's numbers. Of a log of torques that are wrong by a factor per joint, these factors are found.
    """
    from dynident.core.files import write_atomically
    from dynident.drives import Known, identify_gains
    from dynident.drives.document import GainsDocument
    from dynident.regression.options import read_friction
    from dynident.robots import load_robot

    if output is not None:
        check_output(output, "gains", (".yaml", ".yml"), inputs=(robot, *data, *loaded))
    payload = _payload(payload_mass, payload_com)
    masses = _masses(total_mass, mass)
    told = None if vendor is None else [Known.of(word, share=VENDOR_SHARE) for word in vendor.split(",")]
    model = cast("FrictionModel | Literal['default'] | None", read_friction(friction))
    if reading.without and loaded:
        raise InputError("--without is for one recording, and there are two; write it into the YAML beside the one")
    machine = load_robot(robot, mounting)
    with spinner("Reading"):
        unloaded = _log(read_data(data, machine, reading))
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
            cutoff=cutoff,
        )
    document = GainsDocument.of(result)
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


def _masses(total: str | None, single: Mapping[str, str]) -> KnownMasses | None:
    from dynident.drives import Known, KnownMasses

    if total is None and not single:
        return None
    return KnownMasses(
        total=None if total is None else Known.of(total),
        single={name: Known.of(value) for name, value in single.items()},
    )


def _log(data: object) -> Dataset:
    from dynident.data import Dataset

    if not isinstance(data, Dataset):
        raise InputError("gains need logs of currents; the data are a controller's M and g, which are in torques already")
    return data
