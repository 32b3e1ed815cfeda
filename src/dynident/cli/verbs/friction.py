"""`dynident friction`: the friction of a new log with the links of a run, and what has changed since."""

from __future__ import annotations

from dynident.cli.arguments import LogFiles, NewRun, RunPath
from dynident.cli.inputs import typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.pipeline.options import FrictionRefitChoice
from dynident.pipeline.reading import read_log

EXAMPLE = """Examples:

dynident friction run new_log.npz -o run_warm

dynident friction run new_log.npz -o run_warm --model auto"""
PRINTS = ("dynident.runs.documents.friction:FrictionDocument",)


def friction(run: RunPath, data: LogFiles, /, *, output: NewRun, choice: FrictionRefitChoice, reading: Reading) -> Outcome:
    """Fit the friction alone to a new log, with the links of RUN as they are, and say what has changed since.

    Writes a run folder with the links of RUN and the new friction, which retrieve, validate, sample, export and report take, and
    friction.json in it. Links from a controller's M and g get their first friction so; there is nothing to compare it with then.
    """
    from dynident.pipeline.steps import refit_friction_step
    from dynident.runs import RunFolder, read_estimate

    source = RunFolder(run)
    estimate = read_estimate(source)
    reading = reading.over(estimate.summary.processing.read)
    with progress_bar("Reading") as progress:
        log = read_log(data, estimate.base.robot, reading, choice.part, remedy="they have no friction in them")
        done = refit_friction_step(source, output, log, choice, typed_call(data, reading), progress)
    return Outcome(report=done.result.tables(), document=done.document, written=str(output))
