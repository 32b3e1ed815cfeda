"""What `dynident retrieve` was asked for: the problem that its options and files describe, and how it is to be solved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynident.cli.options import parse_drop
from dynident.cli.terminal import spinner
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.feasibility import FeasibleSet, LinkParameters, Objective, RetrievalProblem
    from dynident.feasibility.extraction import HeldGravity
    from dynident.feasibility.prior import NominalPrior
    from dynident.regression import Estimate


#: How the name of a file ends that holds what robots of one model share.
SHARED = ".npz"


@dataclass(frozen=True, kw_only=True)
class RetrievalOptions:
    """The options that say what problem is to be solved."""

    constraints: tuple[Path, ...]
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
        for file in self.bounds:
            conditions = conditions & read_constraints(file, base=estimate.base)
        for file in self.constraints:
            conditions = conditions & read_constraints(file, base=estimate.base, run_python=True)
        return conditions

    def key(self) -> dict[str, Any]:
        """What starts of another problem differ in, the content of the files included."""
        from dynident.core.files import file_digest
        from dynident.runs import Stage

        files = [*self.bounds, *self.constraints, *([Path(self.prior)] if self.prior.endswith(SHARED) else [])]
        options = {name: str(value) for name, value in vars(self).items()}
        held = [] if self.hold_gravity is None else [stage.digest(self.hold_gravity) for stage in (Stage.ESTIMATE, Stage.PARAMETERS)]
        return options | {"files": [file_digest(file) for file in files], "held": held}


def solve_with_options(
    problem: RetrievalProblem,
    run: Path,
    asked: RetrievalOptions,
    *,
    solver: str,
    solver_options: Mapping[str, str],
    starts: int,
    workers: int,
    scheduler: str | None,
    budget: float | None,
    seed: int,
) -> LinkParameters:
    """Solve on that many processes, or on the workers of a scheduler; starts that an earlier run has finished are taken from its folder."""
    import hashlib
    from importlib.metadata import version

    from dynident.core.cluster import open_executor
    from dynident.feasibility import SolverOptions, solve_retrieval
    from dynident.feasibility.solvers.registry import solver_by_name
    from dynident.runs import Stage
    from dynident.runs.parameters import StartStore

    solver_by_name(solver)
    parts = [asked.key(), Stage.ESTIMATE.digest(run), solver, dict(solver_options), seed, version("dynident")]
    store = StartStore(run, hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest())
    with open_executor(workers, scheduler) as executor, spinner(f"Solving with {solver}") as say:
        options = SolverOptions(
            own=solver_options,
            seed=seed,
            starts=starts,
            executor=executor,
            budget=budget,
            finished=store.finished(),
            on_finished=store.store,
        )
        return solve_retrieval(problem, solver=solver, options=options, progress=say)
