"""`dynident retrieve`: from the estimate in a run folder to feasible link parameters with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynident.cli.options import AsJson, Debug, RunArgument, Scheduler, one_of, parse_options
from dynident.cli.registries import HelpFromRegistry
from dynident.cli.retrieval import SHARED, RetrievalOptions, Search
from dynident.cli.terminal import print_result, progress_bar

EXAMPLE = """Examples:

[bold]dynident retrieve run --bounds bounds.csv --total-mass 16 20[/bold]

[bold]dynident retrieve run --constraints limits.yaml --constraints my_rules.py --run-python --solver barrier[/bold]

[bold]dynident retrieve run --method gaz2019 --bounds bounds.csv --total-mass 16 20[/bold]   (Algorithm 1 of the Panda paper)

[bold]dynident retrieve run --two-step --hold-gravity gravity_run[/bold]   (gravity first, then inertia)"""

_WEIGHTS = ("covariance", "none")
_HOLDS = ("coefficients", "parameters")
_PRIORS = ("nominal", "euclidean", "uniform", "none")


def method_names() -> str:
    from dynident.feasibility.methods import METHODS

    return "; ".join(f"{name}, {method.title}, {method.starts} starts" for name, method in METHODS.items())


def solver_names() -> str:
    from dynident.feasibility.solvers.registry import SOLVERS

    return "; ".join(f"{name}: {solver.summary}" for name, solver in SOLVERS.items())


def solver_options() -> str:
    from dynident.core.options import describe_all
    from dynident.feasibility.solvers.registry import SOLVERS

    return describe_all(SOLVERS)


def solvers_with_starts() -> str:
    from dynident.feasibility.solvers.registry import SOLVERS

    return " and ".join(name for name, solver in SOLVERS.items() if solver.multi_start)


def retrieve(
    run: RunArgument,
    constraints: Annotated[
        list[Path] | None,
        typer.Option("--constraints", metavar="FILE", help="Constraints (.yaml, .csv, or .py with --run-python). Repeatable."),
    ] = None,
    run_python: Annotated[
        bool,
        typer.Option("--run-python", help="Run the .py files that are named: programs, which can do all that you can. Read them first."),
    ] = False,
    bounds: Annotated[
        list[Path] | None, typer.Option("--bounds", metavar="FILE", help="Bounds on parameters (.csv or .yaml). Repeatable.")
    ] = None,
    total_mass: Annotated[
        tuple[float, float] | None, typer.Option("--total-mass", metavar="LOW HIGH", help="Range of the sum of the links' masses, in kg.")
    ] = None,
    geometry_bounds: Annotated[
        bool, typer.Option("--geometry-bounds", help="Centres of mass inside the boxes around their URDF's boxes, cylinders and spheres.")
    ] = False,
    no_consistency: Annotated[
        bool,
        typer.Option(
            "--no-consistency",
            help="Ask neither for physical consistency (positive mass, triangle inequality, ...) nor for friction that opposes the motion.",
        ),
    ] = False,
    drop: Annotated[
        str | None,
        typer.Option("--drop", metavar="WHICH", help="Of --two-step: coefficients not to fit, 30% by relative std. deviation or 8,24."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="KIND", help="Of --two-step: covariance, the estimate's uncertainty; none, as in the papers."),
    ] = None,
    two_step: Annotated[
        bool, typer.Option("--two-step", help="Fit the coefficients of the estimate, as the papers do; a prior then only breaks ties.")
    ] = False,
    one_step: Annotated[bool, typer.Option("--one-step", help="Fit the data alone; a prior then only breaks ties.")] = False,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior",
            metavar="KIND",
            help="What is known of the links beforehand: nominal, euclidean, uniform or none; or the links.npz that a fleet shares.",
        ),
    ] = None,
    prior_factor: Annotated[
        float | None, typer.Option("--prior-factor", metavar="F", help="The links of the prior are known to about this factor. Default: 2.")
    ] = None,
    hold_gravity: Annotated[
        Path | None,
        typer.Option("--hold-gravity", metavar="RUN", help="Keep the gravity of another run, whose gravity was identified by itself."),
    ] = None,
    hold: Annotated[
        str | None,
        typer.Option("--hold", metavar="KIND", help="Of --hold-gravity: coefficients (default), or parameters, each as in that run."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="A published method as it was printed and nothing else: {}."),
        HelpFromRegistry(method_names),
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", metavar="NAME", help="{}. Default: sdp."), HelpFromRegistry(solver_names)
    ] = None,
    solver_option: Annotated[
        list[str] | None,
        typer.Option("--solver-option", metavar="NAME=VALUE", help="An option of the solver's own, repeatable. {}."),
        HelpFromRegistry(solver_options),
    ] = None,
    starts: Annotated[
        int | None,
        typer.Option("--starts", metavar="N", help="Independent starts of {}. Default: 1, or as many as the method has.", min=1),
        HelpFromRegistry(solvers_with_starts),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes that share the starts.", min=1)] = 1,
    scheduler: Scheduler = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="SECONDS", help="Begin no further start after this time.", min=0.0)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the random starts.", min=0)] = 0,
    no_ranges: Annotated[bool, typer.Option("--no-ranges", help="Don't compute how far each parameter can move.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Find the link parameters that a real robot can have and that data and nominal model make most probable, and certify them.

    Links are physically consistent, and friction opposes the motion at every speed that the log reached, in both directions: a friction
    parameter may be negative as long as the whole does. Rotor inertias are at least 0, and so are the friction parameters of a joint that
    turned one way only. Writes parameters.json and parameters.npz into RUN; finished starts are kept in RUN/starts, so that a run that was
    ended early goes on where it was. Exits with 1 when the constraints contradict each other, naming those that do, or the solver finds
    nothing that is feasible.
    """
    from dynident.feasibility import with_ranges
    from dynident.feasibility.tables import link_report
    from dynident.runs import Stage, check_stages, read_estimate, write_parameters

    asked = RetrievalOptions(
        constraints=tuple(constraints or ()),
        run_python=run_python,
        bounds=tuple(bounds or ()),
        total_mass=total_mass,
        geometry=geometry_bounds,
        consistency=not no_consistency,
        drop=drop,
        weights=None if weights is None else one_of(weights, _WEIGHTS, "kind of weights"),
        two_step=two_step,
        one_step=one_step,
        prior="auto" if prior is None else prior if prior.endswith(SHARED) else one_of(prior, _PRIORS, "prior"),
        prior_factor=2.0 if prior_factor is None else prior_factor,
        hold_gravity=hold_gravity,
        hold=None if hold is None else one_of(hold, _HOLDS, "way to hold gravity"),
        method=method,
    )
    solver_name = solver or "sdp"
    if method is not None:
        solver_name = asked.check_method(
            two_step=two_step or None,
            one_step=one_step or None,
            no_consistency=no_consistency or None,
            weights=weights,
            prior=prior,
            prior_factor=prior_factor,
            hold_gravity=hold_gravity,
            hold=hold,
            solver=solver,
            drop=drop,
        )
    given = parse_options("--solver-option", solver_option)
    estimate = read_estimate(run)
    check_stages(run, Stage.PARAMETERS)
    search = Search(
        solver=solver_name,
        solver_options=given,
        starts=starts,
        workers=workers,
        scheduler=scheduler,
        budget=budget,
        seed=seed,
    )
    result = asked.retrieve(run, estimate, search)
    document = write_parameters(run, result, seed=seed, held=hold_gravity)  # whatever happens to the ranges, which may take long
    if not no_ranges:
        with progress_bar("Ranges of the parameters") as progress:
            result = with_ranges(result, progress=progress)
        document = write_parameters(run, result, seed=seed, held=hold_gravity)
    print_result(link_report(result), document, as_json=as_json, written=str(run))
