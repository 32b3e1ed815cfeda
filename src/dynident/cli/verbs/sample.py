"""`dynident sample`: models that the data, the prior and the constraints leave open, for learning and for tests of robustness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import RandomSeed, RunPath
from dynident.cli.command_line import Argument, Offered
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.kinds import Count, Folder, path
from dynident.core.options import DeclaredOption
from dynident.errors import InputError

EXAMPLE = """Examples:

dynident sample run -n 200 -o models --mjcf robot.xml

dynident sample run -n 50 --seed 3"""


def offered_bases() -> list[DeclaredOption]:
    """An option per export target that patches a file."""
    from dynident.exports import EXPORTERS

    return [
        DeclaredOption(
            name=name, kind=path("BASE"), flag=f"--{name}", help=f"Write every sample as {exporter.original_name}, patched from this one."
        )
        for name, exporter in EXPORTERS.items()
        if exporter.original
    ]


def sample(
    run: RunPath,
    /,
    *,
    count: Annotated[Count, Argument(help="How many parameter sets.", short="-n")] = 200,
    output: Annotated[
        Folder | None, Argument(help="Folder for the models and the table.", metavar="DIR", short="-o", shown="samples in RUN")
    ] = None,
    bases: Annotated[Mapping[str, Path | None], Offered(offered_bases)],
    seed: RandomSeed = 0,
) -> Outcome:
    """Draw parameter sets, friction included, from what the data, the prior and the constraints leave open.

    Every one is physically consistent and satisfies the constraints of the retrieval. DIR gets samples.csv, with --mjcf or --urdf one model
    per sample, and index.json; RUN gets samples.safetensors and samples.json for the report. Exits with 1 when the chains have not
    converged.
    """
    from dynident.core.files import place_below
    from dynident.exports.sampled import check_samples_target, export_samples
    from dynident.reports.validation import torque_table
    from dynident.runs import RunFolder, Stage, check_stages, load_run, write_result

    chosen = {name: base for name, base in bases.items() if base is not None}
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(f'--{name}' for name in chosen)} exclude each other; give one of them")
    target, base = next(iter(chosen.items()), (None, None))
    folder = place_below(run, "samples") if output is None else output
    source = RunFolder(run)
    links = source.read(Stage.PARAMETERS).result
    check_stages(run, Stage.SAMPLES)
    check_samples_target(links, folder, target, base)
    with progress_bar("Drawing samples") as progress:
        drawn = links.sample(count, seed=seed, progress=progress)
    with progress_bar("Writing models") as progress:
        index = export_samples(drawn, folder, target=target, original=base, parameters=source.digest(Stage.PARAMETERS), progress=progress)
    write_result(source, drawn, provenance={"command": running_command()})
    spread = load_run(source).torque_spread
    shown = drawn.tables()
    if spread is not None:
        shown = replace(shown, tables=(*shown.tables, torque_table(spread)))
    return Outcome(
        report=replace(shown, notes=(*shown.notes, *index.notes)),
        document=replace(index, links=drawn.link_spreads, torque_spread_percent=None if spread is None else spread.by_joint()),
        written=f"{folder} and {run}",
    )
