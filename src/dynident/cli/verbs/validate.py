"""`dynident validate`: how well the models of a run folder predict torques that they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dynident.cli.arguments import LogFiles, RunPath
from dynident.cli.inputs import running_command, typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.options import names_given
from dynident.data.reading.reading import Reading
from dynident.errors import OptionsError
from dynident.pipeline.options import ValidateChoice
from dynident.pipeline.reading import read_data

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.regression import Estimate

EXAMPLE = """Example:

dynident validate run log.npz --part 0.7:1"""
PRINTS = (
    "dynident.runs.documents.validation:ValidationDocument",
    "dynident.runs.documents.validation:SampleValidationDocument",
)


def validate(run: RunPath, data: LogFiles, /, *, choice: ValidateChoice, reading: Reading) -> Outcome:
    """Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.

    The data are read and processed as those of the identification were. Writes validation.safetensors and validation.json into RUN. Of a
    controller's samples the errors of M and g are printed, element by element, and nothing is written. Of a log of magnitudes, |measured|
    is compared with |predicted|.
    """
    from dynident.data import Dataset
    from dynident.pipeline.steps import validate_step
    from dynident.runs import RunFolder, read_estimate
    from dynident.runs.results import find_parameters

    folder = RunFolder(run)
    estimate = read_estimate(folder)
    reading = reading.over(estimate.summary.processing.read)
    with progress_bar("Reading") as progress:
        recorded = read_data(data, estimate.base.robot, reading, choice.part, progress=progress)
        if not isinstance(recorded, Dataset):
            if names := names_given(choice, "folds", "cutoff", "rate"):
                raise OptionsError("{}: only for a log, and the data are controller samples; leave it out", names)
            return _validate_samples(estimate, recorded, {"command": running_command(), "part": list(choice.part)}, progress)
        links = find_parameters(folder)
        done = validate_step(folder, estimate, links, recorded, choice, typed_call(data, reading), progress)
    return Outcome(report=done.result.tables(), document=done.document, written=str(run))


def _validate_samples(
    estimate: Estimate, samples: ControllerSamples, provenance: dict[str, Any], progress: Callable[[float], None]
) -> Outcome:
    from dynident.reports.regression import residual_table
    from dynident.reports.tables import Report
    from dynident.runs.documents.validation import SampleValidationDocument
    from dynident.validation import validate_samples

    residuals = validate_samples(estimate, samples, progress=progress)
    name = estimate.base.robot.name
    title = f"{name}: the model of {estimate.summary.source} on {samples.source}, {samples.samples} samples"
    return Outcome(
        report=Report(header=(title,), tables=(residual_table(residuals, estimate.base),)),
        document=SampleValidationDocument.of(name, samples, residuals, provenance),
    )
