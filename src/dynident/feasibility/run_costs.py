"""What the independent runs of a solver reach, beside the bound that none can pass: the distribution that a best of Q hides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.figures import Figure, axis, line, numbers
from dynident.core.results import Report, Result, Row, Table
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solve import settle_branches
from dynident.feasibility.solvers.registry import solve_with, solver_by_name
from dynident.feasibility.solvers.solver import SolverOptions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunCosts(Result):
    """costs : (Q,) φ of each run, in the order of the starts; feasible : (Q,) whether it meets all constraints, recomputed.

    lower_bound : no feasible parameters have a smaller φ. beside : other costs to compare with, such as a published one, by name.
    """

    solver: str
    costs: Array
    feasible: BoolArray
    lower_bound: float
    beside: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def found(self) -> Array:
        """(k,) the costs of the runs that ended feasible, in ascending order."""
        return np.sort(self.costs[self.feasible])

    @property
    def best(self) -> float:
        """inf where no run ended feasible."""
        return float(np.min(self.found, initial=np.inf))

    @property
    def headline(self) -> str:
        return f"{len(self.costs)} runs of {self.solver}, {len(self.found)} feasible, best {self.best:.4g}, bound {self.lower_bound:.4g}"

    def tables(self) -> Report:
        found = self.found
        rows = [("lower bound", self.lower_bound), *self.beside.items()]
        if len(found):
            shares = (("best", 0.0), ("first quartile", 0.25), ("median", 0.5), ("third quartile", 0.75), ("worst", 1.0))
            rows += [(f"{name} run", float(np.quantile(found, share))) for name, share in shares]
        return Report(
            header=(self.headline,),
            tables=(
                Table(
                    title="Costs of the runs that ended feasible",
                    headings=("what", "cost", "above the bound"),
                    rows=tuple(Row((name, f"{cost:.4e}", self._above(cost))) for name, cost in rows),
                    left=frozenset({0}),
                ),
            ),
            facts=tuple(f"{int(np.sum(found < cost))} of {len(self.costs)} runs are below {name}." for name, cost in self.beside.items()),
            notes=(),
        )

    def _above(self, cost: float) -> str:
        return f"{100.0 * (cost / self.lower_bound - 1.0):.2g} %" if self.lower_bound > 0.0 else ""

    def records(self) -> list[dict[str, Any]]:
        """One row per run."""
        pairs = zip(self.costs.tolist(), self.feasible.tolist(), strict=True)
        return [{"run": run, "cost": cost, "feasible": feasible} for run, (cost, feasible) in enumerate(pairs, start=1)]

    def figures(self) -> tuple[Figure, ...]:
        """The share of all runs that reach a cost, with the bound and what else there is to compare with."""
        found, runs = self.found, len(self.costs)
        share = 100.0 * np.arange(1, len(found) + 1) / runs
        ends = numbers([0.0, 100.0])
        curve = {"type": "scatter", "mode": "lines+markers", "x": numbers(found), "y": numbers(share), "name": f"runs of {self.solver}"}
        data: list[dict[str, Any]] = [{**curve, "line": {"color": "@predicted", "shape": "hv"}, "marker": {"size": 5}}]
        marks = {"lower bound": self.lower_bound, **self.beside}
        for (name, cost), colour in zip(marks.items(), ("@links", "@rigid", "@nominal", "@bone"), strict=False):
            data.append(line(numbers([cost, cost]), ends, name, colour, line={"dash": "dash"}))
        kind = "log" if min(*marks.values(), self.best) > 0.0 else "linear"
        layout = {"xaxis": axis("cost", type=kind), "yaxis": axis("runs that reach it [%]", range=[0, 102])}
        return (Figure(label=f"Costs of {runs} runs", data=data, layout=layout),)


def run_costs(
    problem: RetrievalProblem,
    *,
    solver: str = "penalty",
    options: SolverOptions | None = None,
    beside: Mapping[str, float] | None = None,
) -> RunCosts:
    """Run a solver from `options.starts` starts and keep what each reached, as it is: neither polished nor merged with others.

    InfeasibleError where the convex constraints contradict each other.
    """
    problem = problem if solver_by_name(solver).exact else problem.without_tie_break()
    branching = settle_branches(problem, options or SolverOptions())
    problem = branching.problem
    candidates = solve_with(solver, problem, options)
    return RunCosts(
        solver=solver,
        costs=np.array([problem.goal.value(item.x) for item in candidates]),
        feasible=np.array([not problem.violations(item.x) for item in candidates]),
        lower_bound=branching.bound,
        beside=dict(beside or {}),
    )
