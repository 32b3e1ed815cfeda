"""`dynident bundle`: a run as a zip that can be attached to an issue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import AsJson, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, print_json, print_report, spinner
from dynident.errors import InputError
from dynident.pipeline.reading import read_log_and_samples

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.doctor import Diagnosis
    from dynident.regression.estimate import Estimate

EXAMPLE = """Examples:

dynident bundle run   (writes bundle.zip)

dynident bundle run log.csv -o wrong_mass.zip

dynident bundle run --without-samples"""


def bundle(
    run: RunPath,
    data: Annotated[
        Sequence[Path],
        Argument(metavar="[DATA...]", help="The data of the run. Default: those of the command that made it, if they are still there."),
    ] = (),
    /,
    *,
    output: Annotated[Path, Argument(help="The zip to write.", short="-o")] = Path("bundle.zip"),
    without_samples: Annotated[bool, Argument(help="No measured samples: neither log nor filtered rows nor curves.")] = False,
    whole_log: Annotated[bool, Argument(help="The whole log, and not only its first 20,000 samples.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a run as a zip without names that can be attached to an issue, and say what is in it.

    It holds the run folder, the robot, the beginning of its log, what the doctor finds in it, and versions. Names of robot, joints, links,
    files, folders, account and computer are replaced, and clocks start anew. Nothing is sent anywhere. README.txt in the zip says the same
    as this command prints.
    """
    from dynident.bundles import find_data, make_bundle
    from dynident.runs import read_estimate

    if without_samples and whole_log:
        raise InputError("--without-samples and --whole-log contradict each other; leave one of them out")
    check_output(output, "bundle", (".zip",), inputs=data, runs=(run,))
    estimate = read_estimate(run)
    files = data or find_data(run)
    with spinner("Reading"):
        recorded = _read(files, estimate) if files else None
    with spinner("Examining"):
        diagnosis = None if recorded is None else _diagnose(estimate, recorded)
    made = make_bundle(run, data=recorded, diagnosis=diagnosis, samples="none" if without_samples else "all" if whole_log else "excerpt")
    size = made.save(output)
    if as_json:
        print_json({**made.manifest, "written": str(output), "bytes": size})
        return
    print_report(made.tables())
    console().print(f"Written to {output} ({size / 1e6:.2f} MB). Look into it before you pass it on.", markup=False)


def _read(files: Sequence[Path], estimate: Estimate) -> Dataset | ControllerSamples | None:
    """As the identification read them, columns in the order of the file; the log alone where there are a controller's samples beside it."""
    log, samples = read_log_and_samples(files, estimate.base.robot, estimate.summary.processing.read, ordered=False)
    return log or samples


def _diagnose(estimate: Estimate, recorded: Dataset | ControllerSamples) -> Diagnosis | None:
    from dynident.data import Dataset
    from dynident.doctor import diagnose

    return diagnose(estimate.base.robot, recorded) if isinstance(recorded, Dataset) else None
