"""`dynident friction`: the friction of a new log with the links of a run, and what has changed since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dynident.cli.arguments import AsJson, LogFiles, NewRun, RandomSeed, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.pipeline.reading import read_data, remember_reading
from dynident.regression.options import DataPart, SameFilter

if TYPE_CHECKING:
    from dynident.feasibility import LinkParameters
    from dynident.friction import FrictionModel
    from dynident.regression import Estimate

EXAMPLE = """Examples:

dynident friction run new_log.npz -o run_warm

dynident friction run new_log.npz -o run_warm --model auto"""


def friction(
    run: RunPath,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    model: Annotated[str | None, Argument(help="A friction model such as linear, or auto. Default: that of RUN.", metavar="NAME")] = None,
    chosen: DataPart,
    filtering: SameFilter,
    as_json: AsJson = False,
    reading: Reading,
    seed: RandomSeed = 0,
) -> None:
    """Fit the friction alone to a new log, with the links of RUN as they are, and say what has changed since.

    Writes a run folder with the links of RUN and the new friction, which retrieve, validate, sample, export and report take, and
    friction.json in it. Links from a controller's M and g get their first friction so; there is nothing to compare it with then.
    """
    from dynident.data import Dataset
    from dynident.regression import refit_friction
    from dynident.runs import Stage, check_stages, read_estimate, save_run

    friction_model = _model(model)
    if output.resolve() == run.resolve():
        raise InputError(f"the results would replace {run}, whose friction they are compared with; name another folder with -o")
    check_stages(output, Stage.ESTIMATE, Stage.PARAMETERS, Stage.FRICTION)
    estimate = read_estimate(run)
    reading = reading.over(estimate.summary.processing.read)
    with spinner("Reading"):
        recorded = read_data(data, estimate.base.robot, reading, chosen.part)
    if not isinstance(recorded, Dataset):
        raise InputError("the data are samples of a controller's M and g, which have no friction in them; give a log with torques")
    with progress_bar("Fitting friction") as progress:
        found = refit_friction(estimate, recorded, model=friction_model, seed=seed, **vars(filtering), progress=progress)
    links = _links(run, found.estimate)
    fitted = replace(remember_reading(found.estimate, reading), problem=None)  # whose rows say nothing about the links of RUN
    provenance = {"command": running_command(), "part": list(chosen.part), "links": str(run)}
    documents = save_run(output, fitted, parameters=links, friction=found, seed=seed, provenance=provenance)
    print_result(found.tables(), documents[Stage.FRICTION], as_json=as_json, written=str(output))


def _model(text: str | None) -> FrictionModel | Literal["auto"] | None:
    """The model of that name, "auto", or None where nothing is given."""
    from dynident.friction import friction_model

    return None if text is None else "auto" if text == "auto" else friction_model(text)


def _links(run: Path, estimate: Estimate) -> LinkParameters | None:
    """The link parameters of the run with the new friction, where there are some."""
    from dynident.feasibility.new_friction import with_new_friction
    from dynident.runs import Stage, read_parameters

    return with_new_friction(read_parameters(run), estimate) if (run / Stage.PARAMETERS.file).is_file() else None
