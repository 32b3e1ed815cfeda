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
from dynident.core.options import changes, names_given
from dynident.errors import InputError, OptionsError
from dynident.feasibility import (
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
from dynident.feasibility.constraints.files import read_constraints
from dynident.feasibility.extraction import HeldGravity, hold_gravity
from dynident.feasibility.methods import method_by_name, retrieve_by_method
from dynident.feasibility.options import SHARED, Dropped, RetrievalChoice, SolverChoice
from dynident.feasibility.solvers.registry import solver_by_name
from dynident.regression import Estimate
from dynident.runs import RunFolder, Stage, read_problem
from dynident.runs.results import StartStore, read_shared_links


def retrieve_links(
    run: RunFolder,
    estimate: Estimate,
    choice: RetrievalChoice,
    search: SolverChoice,
    progress: Callable[[str], None] | None = None,
) -> LinkParameters:
    """The links that are asked for. Finished starts are kept in the run folder.

    progress : called now and then with what is going on.
    """
    solve = partial(_solve, run=run, choice=choice, search=search, progress=progress)
    if search.method is None:
        options = SolverOptions(own=search.solver_option, seed=search.seed, starts=search.starts or 1)
        return solve(build_problem(run, estimate, choice), options=options)
    method = method_by_name(search.method)
    _refuse_contradictions(choice, search)
    solve = partial(solve, search=replace(search, solver=str(method.options["solver"])))
    dropped = choice.drop or Dropped()
    return retrieve_by_method(
        estimate,
        search.method,
        constraints=read_conditions(estimate, choice),
        total_mass=choice.total_mass,
        geometry=choice.geometry_bounds,
        drop=dropped.numbers,
        drop_above_percent=dropped.percent,
        options=SolverOptions(own=search.solver_option or None, seed=search.seed, starts=search.starts or method.starts),
        solve=lambda problem, step, options: solve(problem, options=options, label=step.name),
    )


def build_problem(run: RunFolder, estimate: Estimate, choice: RetrievalChoice) -> RetrievalProblem:
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
        prior = read_shared_links(Path(choice.prior)).prior_for(estimate, run.digest(Stage.ESTIMATE))
    return retrieval_problem(
        estimate,
        constraints=read_conditions(estimate, choice),
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


def _data(run: RunFolder, estimate: Estimate) -> Objective:
    levels = estimate.summary.noise_levels if estimate.summary.noise == "per_group" else None
    return one_step(estimate.problem or read_problem(run), levels)


def _distance(estimate: Estimate, choice: RetrievalChoice) -> Objective:
    dropped = choice.drop or Dropped()
    return two_step(estimate, weights=cast("Any", choice.weights or "covariance"), drop=dropped.numbers, drop_above_percent=dropped.percent)


def read_conditions(estimate: Estimate, choice: RetrievalChoice) -> FeasibleSet:
    """What the files of the options ask of the links."""
    conditions = FeasibleSet()
    for file in (*choice.bounds, *choice.constraints):
        conditions = conditions & read_constraints(file, base=estimate.base, run_python=choice.run_python)
    return conditions


def _refuse_contradictions(choice: RetrievalChoice, search: SolverChoice) -> None:
    """OptionsError where an option that was given is not what the method has."""
    method = method_by_name(search.method or "")
    given = {key: getattr(choice, key) for key in changes(choice)} | {"solver": search.solver}
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
    run: RunFolder,
    choice: RetrievalChoice,
    search: SolverChoice,
    options: SolverOptions,
    progress: Callable[[str], None] | None,
    label: str = "start",
) -> LinkParameters:
    """Solve on several processes, or on the workers of a scheduler; starts that an earlier run has finished come from its folder.

    label : of the starts' files, where a method has several steps.
    """
    solver = search.solver or "sdp"
    solver_by_name(solver)
    held = [item.value for item in problem.terms.equalities]  # what an earlier step of a method has found
    parts = [_key(choice), search.method, run.digest(Stage.ESTIMATE), solver, options.own, search.seed, version("dynident"), held]
    store = StartStore(run.path, hashlib.sha256(json.dumps(parts, sort_keys=True, default=vars).encode()).hexdigest(), label)
    with open_executor(search.workers, search.scheduler) as executor:
        options = replace(options, executor=executor, budget=search.budget, finished=store.finished(), on_finished=store.store)
        return solve_retrieval(problem, solver=solver, options=options, progress=progress)


def _key(choice: RetrievalChoice) -> dict[str, Any]:
    """What starts of another problem differ in, the content of the files included."""
    files = [*choice.bounds, *choice.constraints, *([Path(choice.prior)] if choice.prior.endswith(SHARED) else [])]
    held = None if choice.hold_gravity is None else RunFolder(choice.hold_gravity)
    digests = [] if held is None else [held.digest(stage) for stage in (Stage.ESTIMATE, Stage.PARAMETERS)]
    return {**changes(choice), "files": [file_digest(file) for file in files], "held": digests}
