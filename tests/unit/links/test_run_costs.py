"""The distribution of what independent runs reach."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.links import Bounds, InfeasibleError, SolverOptions, solve_retrieval
from dynident.links.run_costs import RunCosts, run_costs
from tests.contracts.retrieval_problems import make
from tests.facts import carries, raises


def test_every_run_is_kept_and_none_is_below_the_bound() -> None:
    problem = make("planar, total mass")
    costs = run_costs(problem, options=SolverOptions(starts=4, own={"steps": 4}), beside={"published": 1.0})
    assert len(costs.costs) == 4
    certified = solve_retrieval(problem)
    assert costs.lower_bound == pytest.approx(certified.objective, rel=1e-5)
    assert np.all(costs.found >= costs.lower_bound)
    assert costs.best == costs.found[0] == costs.costs[costs.feasible].min()
    assert len({row["cost"] for row in costs.records()}) == 4
    assert carries(str(costs), "4 of 4", "published")


def test_runs_that_ended_outside_do_not_count() -> None:
    costs = run_costs(make("planar, total mass"), options=SolverOptions(starts=2, own={"steps": 1}))
    assert not costs.feasible.any()
    assert costs.best == np.inf
    assert carries(costs.headline, "2 runs", "penalty", "0 feasible")


def test_its_numbers_are_those_of_the_runs() -> None:
    costs = RunCosts(
        solver="penalty",
        costs=np.array([4.0, 2.0, 1e-9, 8.0, 6.0]),
        feasible=np.array([True, True, False, True, True]),
        lower_bound=1.0,
        beside={"published": 5.0},
    )
    cells = {row.texts[0]: row.texts[1:] for row in costs.tables().tables[0].lines}
    assert cells["best run"] == ("2.0000e+00", "100 %")
    assert cells["median run"][0] == "5.0000e+00"
    assert cells["worst run"][0] == "8.0000e+00"
    (figure,) = costs.figures()
    assert figure.data[0]["x"] == [2.0, 4.0, 6.0, 8.0]
    assert figure.data[0]["y"] == [20.0, 40.0, 60.0, 80.0]  # of all five: one in five found nothing
    assert [trace["name"] for trace in figure.data[1:]] == ["lower bound", "published"]


def test_contradictions_are_named() -> None:
    with raises(InfeasibleError, conflicting=("total mass >= 6", "m1 <= 2", "m2 <= 3")):
        run_costs(make("planar, total mass", extra=(Bounds("m1", high=2.0), Bounds("m2", high=3.0))))
