"""`dynident gains`: torque per ampere of every drive, from currents and something that is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from dynident.cli.arguments import RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.pipeline.reading import read_log
from dynident.robots.mounting import Mounting
from dynident.routes.drives.options import GainFitChoice, KnownChoice

if TYPE_CHECKING:
    from dynident.dynamics.friction import FrictionModel

RENAMED = {"--total-mass": "--moving-mass"}
EXAMPLE = """Examples:

dynident gains ur10.urdf unloaded.npz --loaded loaded.npz --payload-mass 2.8 -o gains.yaml

dynident gains ur10.urdf log.npz --moving-mass 28.7±5% -o gains.yaml"""
PRINTS = ("dynident.routes.drives.document:GainsDocument",)


def gains(
    robot: RobotFile,
    data: Annotated[Sequence[Path], Argument(metavar="UNLOADED...", help="Logs of currents without payload.")],
    /,
    *,
    known: KnownChoice,
    output: Annotated[Path | None, Argument(help="YAML for --effort-gains of identify, or beside a log.", short="-o")] = None,
    reading: Reading,
    mounting: Mounting,
    fitting: GainFitChoice,
) -> Outcome:
    """Find the torque per ampere of every drive, with its uncertainty.

    Currents alone tell only the ratios of the gains. Their scale comes from a second log with a known payload, from known
    masses, or from the vendor's numbers. Of a log of torques that are wrong by a factor per joint, these factors are found.
    """
    from dynident.core.files import write_atomically
    from dynident.robots import load_robot
    from dynident.routes.drives import identify_gains
    from dynident.routes.drives.document import GainsDocument

    if output is not None:
        check_output(output, "gains", (".yaml", ".yml"), inputs=(robot, *data, *known.loaded))
    friction, fixed = cast("FrictionModel | Literal['default'] | None", fitting.model), known.of_fit()
    if reading.without and known.loaded:
        raise InputError("--without is for one recording, and there are two; write it into the YAML beside the one")
    machine = load_robot(robot, mounting)
    remedy = "gains need logs of currents"
    with progress_bar("Reading"):
        unloaded = read_log(data, machine, reading, remedy=remedy)
        loaded = read_log(known.loaded, machine, reading, remedy=remedy) if known.loaded else None
    with progress_bar("Fitting"):
        result = identify_gains(machine, unloaded, loaded=loaded, friction=friction, cutoff=fitting.cutoff, **fixed)
    if output is not None:
        write_atomically(output, result.recipe())
    return Outcome(report=result.tables(), document=GainsDocument.of(result), written=str(output or ""))
