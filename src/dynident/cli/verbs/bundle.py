"""`dynident bundle`: a run as a zip that can be attached to an issue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome
from dynident.errors import InputError

EXAMPLE = """Examples:

dynident bundle run   (writes bundle.zip)

dynident bundle run log.csv -o wrong_mass.zip

dynident bundle run --without-samples"""
PRINTS = ("dynident.pipeline.bundles.bundle:BundleDocument",)


def bundle(
    run: RunPath,
    data: Annotated[
        Sequence[Path],
        Argument(metavar="[DATA...]", help="The data of the run.", shown="those that it was made from, if they are still there"),
    ] = (),
    /,
    *,
    output: Annotated[Path, Argument(help="The zip to write.", short="-o")] = Path("bundle.zip"),
    without_samples: Annotated[bool, Argument(help="No measured samples: neither log nor filtered rows nor curves.")] = False,
    whole_log: Annotated[bool, Argument(help="The whole log, and not only its first 20,000 samples.")] = False,
) -> Outcome:
    """Write a run as a zip without names that can be attached to an issue, and say what is in it.

    Robot, joints, links and files get neutral names; then the steps that made the run are repeated with these, so that no file has
    seen a name. The zip holds the repeated run, the robot, the beginning of its log, what the doctor finds in it, the commands, and whether
    the numbers are those of RUN. Nothing is sent anywhere. README.txt in the zip says the same as this command prints.
    """
    from dynident.pipeline.bundles.repeat import make_bundle

    if without_samples and whole_log:
        raise InputError("--without-samples and --whole-log contradict each other; leave one of them out")
    check_output(output, "bundle", (".zip",), inputs=data, runs=(run,))
    made = make_bundle(run, data, "none" if without_samples else "all" if whole_log else "excerpt")
    size = made.save(output)
    return Outcome(
        report=made.tables(),
        document=replace(made.manifest, written=str(output), bytes=size),
        written=f"Written to {output} ({size / 1e6:.2f} MB). Look into it before you pass it on.",
    )
