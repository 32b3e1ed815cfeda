"""`dynident retrieve`: from the estimate in a run folder to feasible link parameters with a certificate."""

from __future__ import annotations

from dynident.cli.arguments import RunPath
from dynident.cli.inputs import typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.pipeline.options import RetrieveChoice

EXAMPLE = """Examples:

dynident retrieve run --bounds bounds.csv --total-mass 16 20

dynident retrieve run --constraints limits.yaml --constraints my_rules.py --run-python --solver barrier

dynident retrieve run --method gaz2019 --bounds bounds.csv --total-mass 16 20   (Algorithm 1 of the Panda paper)

dynident retrieve run --two-step --hold-gravity gravity_run   (gravity first, then inertia)"""
PRINTS = ("dynident.runs.documents.parameters:ParametersDocument",)


def retrieve(run: RunPath, /, *, choice: RetrieveChoice) -> Outcome:
    """Find the link parameters that a real robot can have and that data and nominal model make most probable, and certify them.

    Links are physically consistent, and friction opposes the motion at every speed that the log reached, in both directions: a friction
    parameter may be negative as long as the whole does. Rotor inertias are at least 0, and so are the friction parameters of a joint that
    turned one way only. Writes parameters.safetensors and parameters.json into RUN; finished starts are kept in RUN/starts, so that a run
    that was ended early goes on where it was. Exits with 1 when the constraints contradict each other, naming those that do, or the solver
    finds nothing that is feasible.
    """
    from dynident.pipeline.steps import retrieve_step
    from dynident.runs import RunFolder, read_estimate

    folder = RunFolder(run)  # what is written is made from the estimate that is read here, whatever happens to its file meanwhile
    with progress_bar() as progress:
        done = retrieve_step(folder, read_estimate(folder), choice, typed_call(), progress)
    return Outcome(report=done.result.tables(), document=done.document, written=str(run))
