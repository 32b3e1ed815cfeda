"""`dynident validate`: how well the models of a run folder predict torques that they have not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.arguments import AsJson, LogFiles, RunPath, name_given
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import console, print_json, print_result, print_table, progress_bar
from dynident.core.kinds import whole
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.pipeline.reading import read_data
from dynident.regression.options import DataPart, SameFilter

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.feasibility.result import LinkParameters
    from dynident.regression import Estimate
    from dynident.runs import RunFolder

EXAMPLE = """Example:

dynident validate run log.npz --part 0.7:1"""


def validate(
    run: RunPath,
    data: LogFiles,
    /,
    *,
    chosen: DataPart,
    folds: Annotated[
        Annotated[int, whole(2, metavar="K")] | None,
        Argument(help="Also fit K times on these data, each time without one part of them.", metavar="K"),
    ] = None,
    filtering: SameFilter,
    as_json: AsJson = False,
    reading: Reading,
) -> None:
    """Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.

    The data are read and processed as those of the identification were. Writes validation.safetensors and validation.json into RUN. Of a
    controller's samples the errors of M and g are printed, element by element, and nothing is written. Of a log of magnitudes, |measured|
    is compared with |predicted|.
    """
    from dynident.data import ControllerSamples
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate, write_result
    from dynident.validation import validate as validated

    folder = RunFolder(run)
    estimate = read_estimate(folder)
    with progress_bar("Reading") as progress:
        reading = reading.over(estimate.summary.processing.read)
        recorded = read_data(data, estimate.base.robot, reading, chosen.part, progress=progress)
    provenance = {"command": running_command(), "part": list(chosen.part)}
    if isinstance(recorded, ControllerSamples):
        given = name_given({"--folds": folds, "--filter": filtering.cutoff != "auto", "--rate": filtering.rate})
        if given:
            raise InputError(f"{given}: only for a log, and the data are controller samples; leave it out")
        _validate_samples(estimate, recorded, provenance, as_json=as_json)
        return
    check_stages(run, Stage.VALIDATION)
    with progress_bar("Validating") as progress:
        result = validated(estimate, recorded, links=_links(folder), folds=folds, **vars(filtering), progress=progress)
    document = write_result(folder, result, provenance=provenance)
    print_result(result.tables(), document, as_json=as_json, written=str(run))


def _validate_samples(estimate: Estimate, samples: ControllerSamples, provenance: dict[str, Any], *, as_json: bool) -> None:
    from dynident.reports.regression import residual_table
    from dynident.runs.documents import residual_document
    from dynident.validation import validate_samples

    with progress_bar("Validating") as progress:
        found = validate_samples(estimate, samples, progress=progress)
    name = estimate.base.robot.name
    if as_json:
        content = {"robot": name, "source": samples.source, "samples": samples.samples} | residual_document(found)
        print_json({**content, "provenance": provenance})
        return
    out = console()
    out.print(f"{name}: the model of {estimate.summary.source} on {samples.source}, {samples.samples} samples", markup=False, style="bold")
    print_table(residual_table(found, estimate.base), out)


def _links(run: RunFolder) -> LinkParameters | None:
    """The link parameters, where they have been retrieved; out-of-date ones are an error that says what to do."""
    from dynident.runs import Stage, read_parameters

    return read_parameters(run) if (run.path / Stage.PARAMETERS.file).is_file() else None
