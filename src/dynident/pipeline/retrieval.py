"""From declared options to links: the problem that options and files describe, and how it is solved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from dynident.core.cluster import open_executor
from dynident.core.files import file_digest
from dynident.core.options import changes, names_given, narrow
from dynident.core.records import read_record
from dynident.errors import InputError, OptionsError, require
from dynident.links import (
    FeasibleSet,
    LinkParameters,
    Objective,
    RetrievalProblem,
    SolverOptions,
    one_step,
    retrieval_problem,
    solve_retrieval,
    two_step,
)
from dynident.links.constraints.files import read_constraints
from dynident.links.extraction import HeldGravity, hold_gravity
from dynident.links.methods import method_by_name, retrieve_by_method
from dynident.links.options import SHARED, DropRule, RetrievalChoice
from dynident.links.shared_links import SharedLinks
from dynident.links.solvers.registry import solver_by_name
from dynident.pipeline.options import RetrieveChoice
from dynident.regression import Estimate
from dynident.runs import RunFolder, Stage, read_problem
from dynident.runs.results import StartStore


def retrieve_links(
    run: RunFolder | None,
    estimate: Estimate,
    choice: RetrieveChoice,
    progress: Callable[[str], None] | None = None,
    *,
    constraints: FeasibleSet | None = None,
) -> LinkParameters:
    """The links that are asked for. Finished starts are kept in the run folder, where there is one.

    progress : called now and then with what is going on. constraints : beside those of the files that `choice` names.
    """
    solve = partial(_solve, run=run, choice=choice, constraints=constraints, progress=progress)
    conditions = read_conditions(estimate, choice) & (constraints or FeasibleSet())
    if choice.method is None:
        options = SolverOptions(own=choice.solver_option, seed=choice.seed, starts=choice.starts or 1)
        return solve(build_problem(run, estimate, choice, conditions), options=options)
    method = method_by_name(choice.method)
    _refuse_contradictions(choice)
    solve = partial(solve, choice=replace(choice, solver=str(method.options["solver"])))
    dropped = choice.drop or DropRule()
    return retrieve_by_method(
        estimate,
        choice.method,
        constraints=conditions,
        total_mass=choice.total_mass,
        geometry=choice.geometry_bounds,
        drop=dropped.numbers,
        drop_above_percent=dropped.percent,
        options=SolverOptions(own=choice.solver_option or None, seed=choice.seed, starts=choice.starts or method.starts),
        solve=lambda problem, step, options: solve(problem, options=options, label=step.name),
    )


def build_problem(run: RunFolder | None, estimate: Estimate, choice: RetrievalChoice, conditions: FeasibleSet) -> RetrievalProblem:
    """The problem that the options describe; InputError where they don't go together."""
    coefficients, shared = bool(names_given(choice, "two_step", "weights", "drop")), choice.prior.endswith(SHARED)
    if choice.one_step and coefficients:
        raise OptionsError("{two_step}, {weights} and {drop} are about coefficients, and {one_step} fits the data; leave one of them out")
    if choice.hold is not None and choice.hold_gravity is None:
        raise OptionsError("{hold} says how gravity is held, and {hold_gravity} RUN whose; give both")
    if shared and (coefficients or choice.one_step):
        template = "what other robots say is in units of the noise; leave out {one_step}, {two_step}, {weights} and {drop}"
        raise OptionsError(template)
    prior: Any = None if choice.prior == "none" else choice.prior
    if shared:
        prior = read_record(Path(choice.prior), SharedLinks, remedy="share the links of the fleet again").prior_for(
            estimate, "" if run is None else run.digest(Stage.ESTIMATE)
        )
    return retrieval_problem(
        estimate,
        constraints=conditions,
        consistency=choice.consistency,
        total_mass=choice.total_mass,
        geometry=choice.geometry_bounds,
        prior=prior,
        prior_factor=choice.prior_factor,
        objective=_data(run, estimate) if choice.one_step else _distance(estimate, choice) if coefficients else None,
        ranges_by=two_step(estimate) if choice.one_step else None,
        held=_held(choice),
    )


def _held(choice: RetrievalChoice) -> HeldGravity | None:
    run = choice.hold_gravity
    if run is None:
        return None
    held = RunFolder(run)
    estimate = held.read(Stage.ESTIMATE).result
    links = held.result_of(Stage.PARAMETERS)
    if links is None and (estimate.base.equations != "gravity" or choice.hold == "parameters"):
        raise InputError(f"{run}: there are no links whose gravity could be held", remedy=f"run {Stage.PARAMETERS.command(run)} first")
    return hold_gravity(estimate, links, hold=choice.hold or "coefficients")


def _data(run: RunFolder | None, estimate: Estimate) -> Objective:
    levels = estimate.summary.noise_levels if estimate.summary.noise == "per_group" else None
    problem = estimate.problem if run is None else estimate.problem or read_problem(run)
    return one_step(require(problem, "the data behind the estimate"), levels)


def _distance(estimate: Estimate, choice: RetrievalChoice) -> Objective:
    dropped = choice.drop or DropRule()
    return two_step(estimate, weights=cast("Any", choice.weights or "covariance"), drop=dropped.numbers, drop_above_percent=dropped.percent)


def read_conditions(estimate: Estimate, choice: RetrievalChoice) -> FeasibleSet:
    """What the files of the options ask of the links."""
    conditions = FeasibleSet()
    for file in (*choice.bounds, *choice.constraints):
        conditions = conditions & read_constraints(file, base=estimate.base, run_python=choice.run_python)
    return conditions


def _refuse_contradictions(choice: RetrieveChoice) -> None:
    """OptionsError where an option that was given is not what the method has."""
    method = method_by_name(choice.method or "")
    given = {key: getattr(choice, key) for key in changes(narrow(choice, RetrievalChoice))} | {"solver": choice.solver}
    if not choice.consistency:
        given["no_consistency"] = True
    for key, value in given.items():
        if value is None or key not in method.options or value == (published := method.options[key]):
            continue
        typed, has = f"{{{key}}}" + ("" if value is True else f" {value}"), f" and has {{{key}}} {published}"
        contradiction = f"{typed} contradicts {{method}} {method.name}, which is {method.title}{has if published is not None else ''}"
        raise OptionsError(contradiction, remedy="leave one of them out")


def _solve(
    problem: RetrievalProblem,
    *,
    run: RunFolder | None,
    choice: RetrieveChoice,
    constraints: FeasibleSet | None,
    options: SolverOptions,
    progress: Callable[[str], None] | None,
    label: str = "start",
) -> LinkParameters:
    """Solve on several processes, or on the workers of a scheduler; starts that an earlier run has finished come from its folder.

    constraints : that no file holds; starts are not kept then. label : of the starts' files, where a method has several steps.
    """
    solver = choice.solver or "sdp"
    solver_by_name(solver)
    options = replace(options, budget=choice.budget)
    if run is not None and constraints is None:
        held = [item.value for item in problem.terms.equalities]  # what an earlier step of a method has found
        conditions = _key(narrow(choice, RetrievalChoice))
        parts = [conditions, choice.method, run.digest(Stage.ESTIMATE), solver, options.own, choice.seed, version("dynident"), held]
        store = StartStore(run.path, hashlib.sha256(json.dumps(parts, sort_keys=True, default=vars).encode()).hexdigest(), label)
        options = replace(options, finished=store.finished(), on_finished=store.store)
    with open_executor(choice.workers, choice.scheduler) as executor:
        return solve_retrieval(problem, solver=solver, options=replace(options, executor=executor), progress=progress)


def _key(choice: RetrievalChoice) -> dict[str, Any]:
    """What starts of another problem differ in, the content of the files included."""
    files = [*choice.bounds, *choice.constraints, *([Path(choice.prior)] if choice.prior.endswith(SHARED) else [])]
    held = None if choice.hold_gravity is None else RunFolder(choice.hold_gravity)
    digests = [] if held is None else [held.digest(stage) for stage in (Stage.ESTIMATE, Stage.PARAMETERS)]
    return {**changes(choice), "files": [file_digest(file) for file in files], "held": digests}
