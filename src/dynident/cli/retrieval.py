"""What `dynident retrieve` was asked for: the problem that its options and files describe, and how it is to be solved."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from dynident.cli.options import parse_drop
from dynident.cli.terminal import spinner
from dynident.errors import InputError, ValueRangeError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dynident.feasibility import FeasibleSet, LinkParameters, NominalPrior, Objective, RetrievalProblem
    from dynident.feasibility.constraints.geometry import GeometryBounds
    from dynident.regression import Estimate

#: Smallest eigenvalue of every link's pseudo-inertia: the best fit often lies on the very edge of consistency, where
#: rounding makes a simulator refuse a link.
EDGE = 1e-7


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The options that say what problem is to be solved."""

    constraints: tuple[Path, ...]
    bounds: tuple[Path, ...]
    total_mass: tuple[float, float] | None
    geometry: bool
    consistency: bool
    drop: str | None
    weights: str
    one_step: bool
    prior: str | None
    prior_weight: float | None

    def problem(self, run: Path, estimate: Estimate) -> tuple[RetrievalProblem, list[str]]:
        from dynident.feasibility import build_retrieval
        from dynident.feasibility.constraints.geometry import geometry_bounds

        shapes = geometry_bounds(estimate.base.robot) if self.geometry else None
        conditions = self._conditions(estimate, shapes)
        prior, notes = self._prior(estimate, conditions, shapes)
        notes += [] if shapes is None else list(shapes.notes)
        if not self.consistency:
            notes.append("physical consistency was not asked for, so the links need not be bodies that can exist")
        if prior is None:
            notes.append('without a prior, what is determined by "prior" is wherever the solver stopped')
        return build_retrieval(estimate.base, self.objective(run, estimate), conditions, prior=prior), notes

    def objective(self, run: Path, estimate: Estimate) -> Objective:
        from dynident.feasibility import one_step, two_step
        from dynident.runs import read_problem

        if self.one_step:
            if self.drop is not None:
                raise InputError("--drop chooses coefficients, and --one-step fits the data instead; leave one of them out")
            levels = estimate.summary.noise_levels if estimate.summary.noise == "per_group" else None
            return one_step(read_problem(run), levels)
        return two_step(estimate, weights=cast("Literal['covariance', 'none']", self.weights), drop=self._dropped(estimate))

    def _dropped(self, estimate: Estimate) -> list[int]:
        percent, numbers = parse_drop(self.drop)
        if percent is None:
            return numbers
        shares = zip(estimate.relative_std_percent, estimate.kept, strict=True)
        return [i for i, (share, kept) in enumerate(shares, start=1) if kept and share > percent]

    def _conditions(self, estimate: Estimate, shapes: GeometryBounds | None) -> FeasibleSet:
        from dynident.feasibility import ComWithinReach, FeasibleSet, PhysicalConsistency, TotalMass
        from dynident.feasibility.constraints.files import read_constraints

        conditions = FeasibleSet((PhysicalConsistency(margin=EDGE), ComWithinReach()) if self.consistency else ())
        for file in self.bounds:
            conditions = conditions & read_constraints(file, base=estimate.base)
        for file in self.constraints:
            conditions = conditions & read_constraints(file, base=estimate.base, run_python=True)
        if self.total_mass is not None:
            low, high = self.total_mass
            if not low <= high:
                raise ValueRangeError("--total-mass", f"got {low:g} {high:g}; the lower must not exceed the upper")
            conditions = conditions & TotalMass(low, high)
        return conditions if shapes is None else conditions & shapes.constraints

    def _prior(self, estimate: Estimate, conditions: FeasibleSet, shapes: GeometryBounds | None) -> tuple[NominalPrior | None, list[str]]:
        """The prior that was asked for, or the best that there is, with a note where that is not the nominal model."""
        from dynident.feasibility import NominalPrior, prior_to_robot
        from dynident.feasibility.uniform import uniform_prior

        robot = estimate.base.robot
        fixed, weight = self.prior_weight is not None, 1e-8 if self.prior_weight is None else self.prior_weight
        if not weight > 0.0:
            raise ValueRangeError("--prior-weight", f"is {weight:g}; a positive number was expected, or --prior none")
        if self.prior == "none":
            return None, []
        if self.prior == "euclidean" and robot.parameters is not None:
            return NominalPrior(nominal=robot.parameters, metric="euclidean", weight=weight, fixed=fixed), []
        nominal = prior_to_robot(robot, weight=weight) if self.prior in (None, "nominal") else None
        if nominal is not None:
            return replace(nominal, fixed=fixed), []
        why = "has no nominal parameters" if robot.parameters is None else "has nominal parameters that are not physically consistent"
        if self.prior in ("nominal", "euclidean"):
            raise InputError(f"robot {robot.name!r} {why}, so --prior {self.prior} has nothing to go by; use --prior uniform or none")
        notes = [] if self.prior == "uniform" else [f"robot {robot.name!r} {why}, so the prior is toward uniform links"]
        return uniform_prior(robot, conditions, boxes=None if shapes is None else shapes.boxes, weight=weight, fixed=fixed), notes

    def key(self) -> dict[str, Any]:
        """What starts of another problem differ in, the content of the files included."""
        files = [*self.bounds, *self.constraints]
        options = {name: str(value) for name, value in vars(self).items()}
        return options | {"files": [file.read_bytes().hex() for file in files]}


@dataclass(frozen=True, kw_only=True)
class Solving:
    """The options that say how it is solved."""

    solver: str
    own: Mapping[str, str]
    starts: int
    workers: int
    budget: float | None
    seed: int

    def solve(self, problem: RetrievalProblem, run: Path, wanted: Wanted) -> LinkParameters:
        from dynident.feasibility import SolverOptions, retrieve
        from dynident.feasibility.solvers.registry import solver_by_name
        from dynident.runs.parameters import StartStore

        solver_by_name(self.solver)
        store = StartStore(run, self._key(run, wanted))
        with _executor(self.workers, problem) as executor, spinner(f"Solving with {self.solver}") as say:
            options = SolverOptions(
                own=self.own,
                seed=self.seed,
                starts=self.starts,
                executor=executor,
                budget=self.budget,
                finished=store.finished(),
                on_finished=store.store,
            )
            return retrieve(problem, solver=self.solver, options=options, progress=say)

    def _key(self, run: Path, wanted: Wanted) -> str:
        import hashlib
        from importlib.metadata import version

        from dynident.runs.parameters import estimate_digest

        parts = [wanted.key(), estimate_digest(run), self.solver, dict(self.own), self.seed, version("dynident")]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@contextmanager
def _executor(workers: int, problem: RetrievalProblem) -> Generator[Executor | None]:
    """A pool of processes, none for one worker. Forked, so that a user's constraint file need not be run again in each."""
    if workers == 1:
        yield None
        return
    import pickle
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        pickle.dumps(problem)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        remedy = "write functions with def at the top of the file, or use --workers 1"
        raise InputError(f"the constraints can't be sent to worker processes ({error}); {remedy}") from None
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        yield pool
