"""`dynident friction`: the friction of a new log with the links of a run, and what has changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from dynident.cli.arguments import LogFiles, NewRun, RandomSeed, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.pipeline.reading import read_log, remember_reading
from dynident.regression.options import DataPart, SameFilter

EXAMPLE = """Examples:

dynident friction run new_log.npz -o run_warm

dynident friction run new_log.npz -o run_warm --model auto"""


def friction(
    run: RunPath,
    data: LogFiles,
    /,
    *,
    output: NewRun,
    model: Annotated[str | None, Argument(help="A friction model such as linear, or auto.", metavar="NAME", shown="that of RUN")] = None,
    chosen: DataPart,
    filtering: SameFilter,
    reading: Reading,
    seed: RandomSeed = 0,
) -> Outcome:
    """Fit the friction alone to a new log, with the links of RUN as they are, and say what has changed since.

    Writes a run folder with the links of RUN and the new friction, which retrieve, validate, sample, export and report take, and
    friction.json in it. Links from a controller's M and g get their first friction so; there is nothing to compare it with then.
    """
    from dynident.feasibility.new_friction import with_new_friction
    from dynident.friction import friction_model
    from dynident.regression import refit_friction
    from dynident.runs import Stage, check_stages, read_estimate, save_run
    from dynident.runs.results import find_parameters

    law = "auto" if model == "auto" else None if model is None else friction_model(model)
    if output.resolve() == run.resolve():
        raise InputError(f"the results would replace {run}, whose friction they are compared with; name another folder with -o")
    check_stages(output, Stage.ESTIMATE, Stage.PARAMETERS, Stage.FRICTION)
    estimate = read_estimate(run)
    reading = reading.over(estimate.summary.processing.read)
    with spinner("Reading"):
        remedy = "they have no friction in them"
        recorded = read_log(data, estimate.base.robot, reading, chosen.part, remedy=remedy)
    with progress_bar("Fitting friction") as progress:
        found = refit_friction(estimate, recorded, model=law, seed=seed, **vars(filtering), progress=progress)
    old = find_parameters(run)
    links = None if old is None else with_new_friction(old, found.estimate)
    fitted = replace(remember_reading(found.estimate, reading), problem=None)  # whose rows say nothing about the links of RUN
    provenance = {"command": running_command(), "part": list(chosen.part), "links": str(run)}
    documents = save_run(output, fitted, parameters=links, friction=found, seed=seed, provenance=provenance)
    return Outcome(report=found.tables(), document=documents[Stage.FRICTION], written=str(output))
