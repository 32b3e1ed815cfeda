"""`dynident sample`: models that the data, the prior and the constraints leave open, for learning and for tests of robustness."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.kinds import Folder
from dynident.pipeline.options import SampleChoice

RENAMED = {"--urdf": "--original", "--mjcf": "--original"}
EXAMPLE = """Examples:

dynident sample run -n 200 -o models --original robot.xml

dynident sample run -n 50 --seed 3"""
PRINTS = ("dynident.exports.sampled:SampleIndex",)


def sample(
    run: RunPath,
    /,
    *,
    choice: SampleChoice,
    output: Annotated[
        Folder | None, Argument(help="Folder for the models and the table.", metavar="DIR", short="-o", shown="samples in RUN")
    ] = None,
    original: Annotated[
        Path | None, Argument(help="The file to patch, a URDF or an MJCF: every sample is written as one.", metavar="FILE")
    ] = None,
) -> Outcome:
    """Draw parameter sets, friction included, from what the data, the prior and the constraints leave open.

    Every one is physically consistent and satisfies the constraints of the retrieval. DIR gets samples.csv, with --original one model
    per sample, and index.json; RUN gets samples.safetensors and samples.json for the report. Exits with 1 when nearly nothing that is
    drawn is within the constraints.
    """
    from dynident.core.files import place_below
    from dynident.exports.registry import target_of_original
    from dynident.exports.sampled import check_samples_target, export_samples
    from dynident.pipeline.steps import sample_step
    from dynident.reports.validation import torque_table
    from dynident.runs import RunFolder, Stage, load_run

    target = None if original is None else target_of_original(original)
    folder = place_below(run, "samples") if output is None else output
    source = RunFolder(run)
    check_samples_target(source.read(Stage.PARAMETERS).result, folder, target, original)
    with progress_bar() as progress:
        done = sample_step(source, choice, typed_call(), progress)
        progress("Writing models")
        parameters = source.digest(Stage.PARAMETERS)
        index = export_samples(done.result, folder, target=target, original=original, parameters=parameters, progress=progress)
    spread = load_run(source).torque_spread
    shown = done.result.tables()
    if spread is not None:
        shown = replace(shown, tables=(*shown.tables, torque_table(spread)), facts=(*shown.facts, spread.sentence))
    return Outcome(
        report=replace(shown, notes=(*shown.notes, *index.notes)),
        document=replace(index, links=done.result.link_spreads, torque_spread_percent=None if spread is None else spread.by_joint()),
        written=f"{folder} and {run}",
    )
