"""`dynident retrieve`: from the estimate in a run folder to feasible link parameters with a certificate."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from dynident.cli.arguments import RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.feasibility.options import RetrievalChoice, SolverChoice

EXAMPLE = """Examples:

dynident retrieve run --bounds bounds.csv --total-mass 16 20

dynident retrieve run --constraints limits.yaml --constraints my_rules.py --run-python --solver barrier

dynident retrieve run --method gaz2019 --bounds bounds.csv --total-mass 16 20   (Algorithm 1 of the Panda paper)

dynident retrieve run --two-step --hold-gravity gravity_run   (gravity first, then inertia)"""


def retrieve(
    run: RunPath,
    /,
    *,
    choice: RetrievalChoice,
    search: SolverChoice,
    ranges: Annotated[bool, Argument(help="Compute how far each parameter can move.", group="Advanced")] = True,
) -> Outcome:
    """Find the link parameters that a real robot can have and that data and nominal model make most probable, and certify them.

    Links are physically consistent, and friction opposes the motion at every speed that the log reached, in both directions: a friction
    parameter may be negative as long as the whole does. Rotor inertias are at least 0, and so are the friction parameters of a joint that
    turned one way only. Writes parameters.safetensors and parameters.json into RUN; finished starts are kept in RUN/starts, so that a run
    that was ended early goes on where it was. Exits with 1 when the constraints contradict each other, naming those that do, or the solver
    finds nothing that is feasible.
    """
    from dynident.feasibility import with_ranges
    from dynident.pipeline.retrieval import retrieve_links
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate, write_parameters

    folder = RunFolder(run)  # what is written is made from the estimate that is read here, whatever happens to its file meanwhile
    estimate = read_estimate(folder)
    check_stages(run, Stage.PARAMETERS)
    with spinner("Solving") as say:
        result = retrieve_links(folder, estimate, choice, search, progress=say)
    write = partial(write_parameters, folder, seed=search.seed, held=choice.hold_gravity, provenance={"command": running_command()})
    document = write(result)  # whatever happens to the ranges, which may take long
    if ranges:
        with progress_bar("Ranges of the parameters") as progress:
            result = with_ranges(result, progress=progress)
        document = write(result)
    return Outcome(report=result.tables(), document=document, written=str(run))
