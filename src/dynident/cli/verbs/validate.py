"""`dynident validate`: how well the models of a run folder predict torques that they have not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.arguments import LogFiles, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.kinds import whole
from dynident.core.options import names_given
from dynident.data.reading.reading import Reading
from dynident.errors import OptionsError
from dynident.pipeline.reading import read_data
from dynident.regression.options import DataPart, SameFilter

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.regression import Estimate

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
    reading: Reading,
) -> Outcome:
    """Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.

    The data are read and processed as those of the identification were. Writes validation.safetensors and validation.json into RUN. Of a
    controller's samples the errors of M and g are printed, element by element, and nothing is written. Of a log of magnitudes, |measured|
    is compared with |predicted|.
    """
    from dynident.data import ControllerSamples
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate, write_result
    from dynident.runs.results import find_parameters
    from dynident.validation import validate as validated

    folder = RunFolder(run)
    estimate = read_estimate(folder)
    with progress_bar("Reading") as progress:
        reading = reading.over(estimate.summary.processing.read)
        recorded = read_data(data, estimate.base.robot, reading, chosen.part, progress=progress)
    provenance = {"command": running_command(), "part": list(chosen.part)}
    if isinstance(recorded, ControllerSamples):
        if names := ["folds"] * (folds is not None) + names_given(filtering, "cutoff", "rate"):
            raise OptionsError("{}: only for a log, and the data are controller samples; leave it out", names)
        return _validate_samples(estimate, recorded, provenance)
    check_stages(run, Stage.VALIDATION)
    with progress_bar("Validating") as progress:
        links = find_parameters(folder)
        result = validated(estimate, recorded, links=links, folds=folds, **vars(filtering), progress=progress)
    return Outcome(report=result.tables(), document=write_result(folder, result, provenance=provenance), written=str(run))


def _validate_samples(estimate: Estimate, samples: ControllerSamples, provenance: dict[str, Any]) -> Outcome:
    from dynident.reports.regression import residual_table
    from dynident.reports.tables import Report
    from dynident.runs.documents.validation import SampleValidationDocument
    from dynident.validation import validate_samples

    with progress_bar("Validating") as progress:
        found = validate_samples(estimate, samples, progress=progress)
    name = estimate.base.robot.name
    document = SampleValidationDocument.of(name, samples, found, provenance)
    title = f"{name}: the model of {estimate.summary.source} on {samples.source}, {samples.samples} samples"
    return Outcome(report=Report(header=(title,), tables=(residual_table(found, estimate.base),)), document=document)
