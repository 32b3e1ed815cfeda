"""`dynident sample`: models that the data, the prior and the constraints leave open, for learning and for tests of robustness."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dynident.cli.options import AsJson, Debug, RunArgument
from dynident.cli.registries import Offered, OptionGroup, offer
from dynident.cli.terminal import console, print_json, print_notes, print_report, print_table, progress_bar
from dynident.errors import InputError

EXAMPLE = """Examples:

[bold]dynident sample run -n 200 -o models --mjcf robot.xml[/bold]

[bold]dynident sample run -n 50 --seed 3[/bold]"""


def offered_bases() -> dict[str, Offered]:
    """An option per export target that patches a file."""
    from dynident.exports.sampled import patching_targets

    return {
        name: offer(Path | None, f"--{name}", f"Write every sample as {what}, patched from this one.", "BASE")
        for name, what in patching_targets().items()
    }


def sample(
    run: RunArgument,
    bases: Annotated[Mapping[str, Any], OptionGroup(offered_bases)],
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", help="How many parameter sets.")] = 200,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder for the models and the table. Default: samples in RUN.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the random numbers.", min=0)] = 0,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Draw parameter sets, friction included, from what the data, the prior and the constraints leave open.

    Every one is physically consistent and satisfies the constraints of the retrieval. DIR gets samples.csv, with --mjcf or --urdf one model
    per sample, and index.json; RUN gets samples.json and samples.npz for the report. Exits with 1 when the chains have not converged.
    """
    from dynident.core.files import place_below
    from dynident.exports.sampled import check_samples_target, export_samples
    from dynident.runs import Stage, check_stages, load_run, read_parameters, write_samples

    chosen = {name: base for name, base in bases.items() if base is not None}
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(f'--{name}' for name in chosen)} exclude each other; give one of them")
    target, base = next(iter(chosen.items()), (None, None))
    folder = place_below(run, "samples") if output is None else output
    links = read_parameters(run)
    check_stages(run, Stage.SAMPLES)
    check_samples_target(links, folder, target, base)
    with progress_bar("Drawing samples") as progress:
        drawn = links.sample(count, seed=seed, progress=progress)
    with progress_bar("Writing models") as progress:
        index = export_samples(drawn, folder, target=target, original=base, parameters=Stage.PARAMETERS.digest(run), progress=progress)
    write_samples(run, drawn)
    spread = load_run(run).torque_spread
    if as_json:
        print_json(index | {"links": drawn.spread(), "torque_spread_percent": None if spread is None else spread.by_joint()})
        return
    out = console()
    print_report(drawn.tables())
    if spread is not None:
        print_table(spread.table(), out)
    print_notes(out, index["notes"])
    out.print(f"Written to {folder} and {run}", markup=False)
