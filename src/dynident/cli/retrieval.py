"""What `dynident retrieve` was asked for: the problem that its options and files describe, and how it is to be solved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynident.cli.options import parse_drop
from dynident.cli.terminal import spinner
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.feasibility import FeasibleSet, LinkParameters, Objective, RetrievalProblem, SolverOptions
    from dynident.feasibility.extraction import HeldGravity
    from dynident.feasibility.prior import NominalPrior
    from dynident.regression import Estimate


#: How the name of a file ends that holds what robots of one model share.
SHARED = ".npz"


@dataclass(frozen=True, kw_only=True)
class RetrievalOptions:
    """The options that say what problem is to be solved."""

    constraints: tuple[Path, ...]
    run_python: bool
    bounds: tuple[Path, ...]
    total_mass: tuple[float, float] | None
    geometry: bool
    consistency: bool
    drop: str | None
    weights: str | None
    two_step: bool
    one_step: bool
    prior: str
    prior_factor: float
    hold_gravity: Path | None = None
    hold: str | None = None
    method: str | None = None

    def problem(self, run: Path, estimate: Estimate) -> RetrievalProblem:
        from dynident.feasibility import retrieval_problem, two_step

        coefficients = self.two_step or self.weights is not None or self.drop is not None
        if self.one_step and coefficients:
            raise InputError("--two-step, --weights and --drop are about coefficients, and --one-step fits the data; leave one of them out")
        if self.hold is not None and self.hold_gravity is None:
            raise InputError("--hold says how gravity is held, and --hold-gravity RUN whose; give both")
        if self.prior.endswith(SHARED) and (coefficients or self.one_step):
            raise InputError("what other robots say is in units of the noise; leave out --one-step, --two-step, --weights and --drop")
        return retrieval_problem(
            estimate,
            constraints=self._conditions(estimate),
            consistency=self.consistency,
            total_mass=self.total_mass,
            geometry=self.geometry,
            prior=self._shared(run, estimate) if self.prior.endswith(SHARED) else None if self.prior == "none" else cast("Any", self.prior),
            prior_factor=self.prior_factor,
            objective=self._data(run, estimate) if self.one_step else self._distance(estimate) if coefficients else None,
            ranges_by=two_step(estimate) if self.one_step else None,
            held=self._held(),
        )

    def _shared(self, run: Path, estimate: Estimate) -> NominalPrior:
        """What the other robots of a fleet say of the links."""
        from dynident.runs import Stage
        from dynident.runs.shared_links import read_shared_links

        return read_shared_links(Path(self.prior)).prior_for(estimate, Stage.ESTIMATE.digest(run))

    def _held(self) -> HeldGravity | None:
        from dynident.feasibility.extraction import hold_gravity
        from dynident.feasibility.result import LinkParameters
        from dynident.runs import read_estimate
        from dynident.runs.parameters import find_parameters

        if self.hold_gravity is None:
            return None
        estimate, links = read_estimate(self.hold_gravity), find_parameters(self.hold_gravity)
        found = links if isinstance(links, LinkParameters) else None
        if found is None and (estimate.base.equations != "gravity" or self.hold == "parameters"):
            message = f"{self.hold_gravity}: there are no links whose gravity could be held"
            raise InputError(message, remedy=f"run dynident retrieve {self.hold_gravity} first")
        return hold_gravity(estimate, found, hold=cast("Any", self.hold or "coefficients"))

    def _data(self, run: Path, estimate: Estimate) -> Objective:
        from dynident.feasibility import one_step
        from dynident.runs import read_problem

        levels = estimate.summary.noise_levels if estimate.summary.noise == "per_group" else None
        return one_step(estimate.problem or read_problem(run), levels)

    def _distance(self, estimate: Estimate) -> Objective:
        from dynident.feasibility import two_step

        percent, numbers = parse_drop(self.drop)
        return two_step(estimate, weights=cast("Any", self.weights or "covariance"), drop=numbers, drop_above_percent=percent)

    def _conditions(self, estimate: Estimate) -> FeasibleSet:
        from dynident.feasibility import FeasibleSet
        from dynident.feasibility.constraints.files import read_constraints

        conditions = FeasibleSet()
        for file in (*self.bounds, *self.constraints):
            conditions = conditions & read_constraints(file, base=estimate.base, run_python=self.run_python)
        return conditions

    def check_method(self, **explicit: object) -> str:
        """The solver of the method; InputError where an option that was given (not None) is not what the method has."""
        from dynident.feasibility.methods import method_by_name

        assert self.method is not None  # noqa: S101 (asked where there is one)
        method = method_by_name(self.method)
        for name, value in explicit.items():
            if value is None or name not in method.options or value == (published := method.options[name]):
                continue
            flag = f"--{name.replace('_', '-')}"
            given = flag if value is True else f"{flag} {value}"
            has = "" if published is None else f" and has {flag} {published}"
            message = f"{given} contradicts --method {method.name}, which is {method.title}{has}"
            raise InputError(message, remedy="leave one of them out")
        return str(method.options["solver"])

    def retrieve(self, run: Path, estimate: Estimate, search: Search) -> LinkParameters:
        """The links that were asked for."""
        from dynident.feasibility import SolverOptions
        from dynident.feasibility.methods import Step, method_by_name, retrieve_by_method

        if self.method is None:
            options = SolverOptions(own=search.solver_options, seed=search.seed, starts=search.starts or 1)
            return search.solve(self.problem(run, estimate), run, self, options)
        percent, numbers = parse_drop(self.drop)
        starts = search.starts or method_by_name(self.method).starts

        def solve(problem: RetrievalProblem, step: Step, options: SolverOptions) -> LinkParameters:
            return search.solve(problem, run, self, options, label=step.name)

        return retrieve_by_method(
            estimate,
            self.method,
            constraints=self._conditions(estimate),
            total_mass=self.total_mass,
            geometry=self.geometry,
            drop=numbers,
            drop_above_percent=percent,
            options=SolverOptions(own=search.solver_options or None, seed=search.seed, starts=starts),
            solve=solve,
        )

    def key(self) -> dict[str, Any]:
        """What starts of another problem differ in, the content of the files included."""
        from dynident.core.files import file_digest
        from dynident.runs import Stage

        files = [*self.bounds, *self.constraints, *([Path(self.prior)] if self.prior.endswith(SHARED) else [])]
        options = {name: str(value) for name, value in vars(self).items()}
        held = [] if self.hold_gravity is None else [stage.digest(self.hold_gravity) for stage in (Stage.ESTIMATE, Stage.PARAMETERS)]
        return options | {"files": [file_digest(file) for file in files], "held": held}


@dataclass(frozen=True, kw_only=True)
class Search:
    """How a problem is solved. starts : None for as many as are usual; workers : processes; scheduler : address of a Dask scheduler."""

    solver: str
    solver_options: Mapping[str, str]
    starts: int | None
    workers: int
    scheduler: str | None
    budget: float | None
    seed: int

    def solve(
        self, problem: RetrievalProblem, run: Path, asked: RetrievalOptions, options: SolverOptions, *, label: str = "start"
    ) -> LinkParameters:
        """Solve on that many processes, or on the workers of a scheduler; starts that an earlier run has finished come from its folder.

        label : of the starts' files, where a method has several steps.
        """
        import hashlib
        from importlib.metadata import version

        from dynident.core.cluster import open_executor
        from dynident.feasibility import solve_retrieval
        from dynident.feasibility.solvers.registry import solver_by_name
        from dynident.runs import Stage
        from dynident.runs.parameters import StartStore

        solver_by_name(self.solver)
        held = [item.value for item in problem.terms.equalities]  # what an earlier step of a method has found
        parts = [asked.key(), Stage.ESTIMATE.digest(run), self.solver, options.own, self.seed, version("dynident"), held]
        store = StartStore(run, hashlib.sha256(json.dumps(parts, sort_keys=True, default=vars).encode()).hexdigest(), label)
        with open_executor(self.workers, self.scheduler) as executor, spinner(f"Solving with {self.solver}") as say:
            told = replace(options, executor=executor, budget=self.budget, finished=store.finished(), on_finished=store.store)
            return solve_retrieval(problem, solver=self.solver, options=told, progress=say)
