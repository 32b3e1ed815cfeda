"""Rules with branches: against every combination solved by itself, and the bound that holds for all of them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, retrieve
from dynident.errors import InputError, ValueRangeError
from dynident.links import (
    Bounds,
    ComInEllipsoid,
    Constraint,
    Either,
    FeasibleSet,
    InfeasibleError,
    Known,
    LinkParameters,
    PhysicalConsistency,
    Ratio,
    RetrievalProblem,
    RetrievalStatus,
    SolverOptions,
    TotalMass,
    UserConstraint,
    prior_to_robot,
    retrieval_problem,
    solve_retrieval,
    violations,
)
from dynident.links.run_costs import run_costs
from dynident.links.solve import NotFoundError
from dynident.links.solvers.registry import solve_with
from tests.contracts.retrieval_problems import problem as make_problem
from tests.facts import about, carries, raises
from tests.logs import synthetic_log

BASE: tuple[Constraint, ...] = (
    PhysicalConsistency(),
    *(Bounds(f"m{i}", 0.0, 10.0) for i in (1, 2, 3)),
    *(Bounds(f"c{i}{axis}", -0.6, 0.6) for i in (1, 2, 3) for axis in "xyz"),
)


def random_rules(seed: int) -> tuple[Either, ...]:
    """Two or three rules of two or three branches each, none of which the best unconstrained links keep by chance alone."""
    rng = np.random.default_rng(seed)
    nominal = np.asarray(load_robot("spatial_3r").parameters)[:, 0]

    def branch() -> FeasibleSet:
        link = int(rng.integers(1, 4))
        low, high = sorted(rng.uniform(0.3, 2.0, 2) * nominal[link - 1])
        kinds: list[Constraint] = [
            Bounds(f"m{link}", low, high),
            Known(f"m{link}", low),
            Ratio("m2", "m3", low=float(rng.uniform(0.2, 1.0)), high=float(rng.uniform(1.0, 3.0))),
            ComInEllipsoid.sphere(link, rng.uniform(-0.1, 0.3, 3), 0.1),
            Bounds(f"c{link}x", float(rng.uniform(-0.2, 0.2)), 0.5),
        ]
        return FeasibleSet(tuple(kinds[i] for i in rng.choice(len(kinds), int(rng.integers(1, 3)), replace=False)))

    return tuple(Either([branch() for _ in range(int(rng.integers(2, 4)))], f"rule {k}") for k in range(int(rng.integers(2, 4))))


def solve_each(rules: tuple[Either, ...], *, noise: float) -> dict[tuple[int, ...], LinkParameters]:
    """Every combination of branches by itself; those that contradict are not there."""
    found: dict[tuple[int, ...], LinkParameters] = {}
    for choice in itertools.product(*(range(len(rule.branches)) for rule in rules)):
        taken = [rule.branches[k] for rule, k in zip(rules, choice, strict=True)]
        try:
            found[choice] = solve_retrieval(make_problem("spatial_3r", *BASE, *taken, noise=noise))
        except InfeasibleError:
            continue
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_best_of_all_combinations_is_found_and_bounded(seed):
    rules = random_rules(seed)
    each = solve_each(rules, noise=0.02)
    problem = make_problem("spatial_3r", *BASE, *rules, noise=0.02)
    if not each:
        with raises(InfeasibleError, branches=True):
            solve_retrieval(problem)
        return
    best = min(item.objective for item in each.values())
    found = solve_retrieval(problem)
    assert found.objective == pytest.approx(best, rel=1e-5, abs=1e-12 * found.scale)
    # a bound for the whole: below every combination, and as near to the best as that of the best one is
    assert found.lower_bound <= min(item.objective for item in each.values()) + 1e-12 * found.scale
    assert found.gap <= 1e-5 * best + 1e-11 * found.scale
    assert found.status is RetrievalStatus.OPTIMAL
    assert [rule for rule, _ in sorted(found.branches)] == [rule.name for rule in rules]
    assert not violations(problem.terms, found.x, problem.units)
    assert not found.violations
    assert found.problem is not None
    assert not found.problem.terms.alternatives


def heavy_or_light(limit: float = 0.4) -> Either:
    """A heavy link 2 leaves less for link 3."""
    return Either(
        [FeasibleSet((Bounds("m2", 1.0), Bounds("m3", high=limit))), FeasibleSet((Bounds("m2", high=1.0), Bounds("m3", high=0.8)))],
        "wrist",
        ["heavy", "light"],
    )


def test_relaxations_that_keep_a_rule_are_not_branched():
    """A rule that the optimum without it keeps costs one conic problem, and nothing in the objective."""
    plain = solve_retrieval(make_problem("spatial_3r", *BASE))
    mass = float(plain.parameters[1, 0])
    rule = Either([Bounds("m2", high=mass + 1.0), Bounds("m2", low=mass + 2.0)], "wide", ["below", "above"])
    found = solve_retrieval(make_problem("spatial_3r", *BASE, rule))
    assert found.branches == (("wide", "below"),)
    assert found.objective == pytest.approx(plain.objective, rel=1e-6)
    assert about(found.notes, "1 conic")


def test_a_rule_can_have_rules():
    inner = Either([Bounds("m3", high=0.3), Bounds("m3", low=2.5)], "inner", ["tiny", "large"])
    outer = Either([FeasibleSet((Bounds("m2", low=2.0), inner)), Known("m2", 0.5)], "outer", ["two", "one"])
    each = {
        label: solve_retrieval(make_problem("spatial_3r", *BASE, *taken)).objective
        for label, taken in (
            ("tiny", (Bounds("m2", low=2.0), Bounds("m3", high=0.3))),
            ("large", (Bounds("m2", low=2.0), Bounds("m3", low=2.5))),
            ("one", (Known("m2", 0.5),)),
        )
    }
    found = solve_retrieval(make_problem("spatial_3r", *BASE, outer))
    assert found.objective == pytest.approx(min(each.values()), rel=1e-6)
    best = min(each, key=lambda label: each[label])
    assert found.branches[-1][1] == best


def test_bounds_that_are_not_convex_may_be_in_branches():
    taken = [Bounds("I2zz", high=0.01), Bounds("I2zz", low=0.4)]
    found = solve_retrieval(make_problem("spatial_3r", *BASE, Either(taken, "inertia", ["small", "large"])))
    each = [solve_retrieval(make_problem("spatial_3r", *BASE, item)).objective for item in taken]
    assert found.objective <= min(each) * (1.0 + 1e-4)
    assert found.lower_bound <= min(each)


def test_every_solver_gets_the_chosen_branches():
    problem = make_problem("spatial_3r", *BASE, heavy_or_light())
    sdp, barrier = (solve_retrieval(problem, solver=name) for name in ("sdp", "barrier"))
    assert sdp.branches == barrier.branches
    assert barrier.objective == pytest.approx(sdp.objective, rel=1e-3)
    assert barrier.lower_bound == sdp.lower_bound
    costs = run_costs(problem, options=SolverOptions(own={"steps": 3}))
    assert costs.lower_bound == sdp.lower_bound
    with raises(InputError, "branches", "solve_retrieval"):
        solve_with("sdp", problem)


def test_functions_beside_rules_are_left_to_the_solver():
    rule = UserConstraint(lambda links: links[0].mass - 3.0, name="light base")
    found = solve_retrieval(make_problem("spatial_3r", *BASE, heavy_or_light(), rule), solver="barrier")
    assert found.parameters[0, 0] <= 3.0 + 1e-6
    assert found.branches[0][0] == "wrist"
    assert found.lower_bound <= found.objective


def test_contradictions_of_all_branches_are_named():
    rule = Either([Bounds("m2", low=6.0), Bounds("m3", low=6.0)], "heavy")
    with raises(InfeasibleError, branches=True) as caught:
        solve_retrieval(make_problem("spatial_3r", *BASE, rule, TotalMass(1.0, 5.0)))
    assert {"m2 >= 6", "m3 >= 6", "total mass <= 5"} <= set(caught.value.conflicting)


def test_one_possible_branch_is_taken():
    rule = Either([Bounds("m2", low=6.0), Bounds("m3", high=0.5)], "heavy", ["two", "three"])
    found = solve_retrieval(make_problem("spatial_3r", *BASE, rule, TotalMass(1.0, 5.0)))
    assert found.branches == (("heavy", "three"),)
    assert found.parameters[2, 0] <= 0.5 + 1e-9


@pytest.fixture(scope="module")
def estimate():
    return identify(load_robot("planar_2r"), synthetic_log(noise=0.1), cutoff=None)


def test_ranges_and_samples_are_of_the_chosen_branch(estimate):
    mass = float(retrieve(estimate).parameters[1, 0])
    rule = Either([Bounds("m2", high=0.9 * mass), Bounds("m2", low=1.3 * mass)], "tool", ["without", "with"])
    found = retrieve(retrieval_problem(estimate, constraints=rule))
    assert found.branches == (("tool", "without"),)
    assert found.link_ranges(1)[0].high <= 0.9 * mass + 1e-6
    assert carries(str(found), "Ranges", "branches")
    assert carries(str(found), "tool", "branches", "without")
    drawn = found.sample(20, seed=1)
    assert np.all(drawn.links[:, 1, 0] <= 0.9 * mass + 1e-9)
    assert drawn.branches == found.branches
    assert carries(str(drawn), "other", "branches")


def test_a_tie_break_gets_its_weight_in_the_chosen_branch():
    plain = make_problem("spatial_3r", *BASE, heavy_or_light(), noise=0.0)
    prior = prior_to_robot(load_robot("spatial_3r"))
    assert prior is not None
    alone, chosen = solve_retrieval(plain), solve_retrieval(plain.with_prior(prior))
    assert chosen.branches == alone.branches
    assert chosen.objective - alone.objective <= 1.01 * plain.tie(alone.objective)
    assert len(about(chosen.notes, "prior", "toward")) == 1


def test_a_budget_takes_the_best_so_far_with_a_bound_that_holds():
    names = [f"c{i}{axis}" for i in (1, 2, 3) for axis in "xyz"]
    rules = [Either([Bounds(name, -0.6, -0.05), Bounds(name, 0.06, 0.6)], name) for name in names]
    problem = make_problem("spatial_3r", *BASE, *rules)
    best = solve_retrieval(problem)
    quick = solve_retrieval(problem, options=SolverOptions(budget=0.0))
    assert quick.lower_bound <= best.objective <= quick.objective * (1.0 + 1e-9)
    assert not violations(problem.terms, quick.x, problem.units)


@pytest.mark.parametrize(
    ("branches", "labels", "facts"),
    [
        ([Bounds("m1", 0, 1)], None, (1, "two")),
        ([Bounds("m1", 0, 1), FeasibleSet()], None, ("condition", 2)),
        ([Bounds("m1", 0, 1), UserConstraint(lambda links: 0.0, name="mine")], None, ("mine", 2)),
        ([Bounds("m1", 0, 1), Bounds("m2", 0, 1)], ["one"], (2, 1, "labels")),
    ],
)
def test_rules_that_are_none(branches, labels, facts):
    with raises(ValueRangeError, *facts, name="odd"):
        make_problem("spatial_3r", Either(branches, "odd", labels))


def test_a_broken_rule_is_a_violation_that_names_the_nearest_branch():
    problem: RetrievalProblem = make_problem("spatial_3r", heavy_or_light())
    x = np.asarray(load_robot("spatial_3r").parameters).ravel().copy()
    x[10], x[20] = 1.1, 0.5
    (found,) = violations(problem.terms, x, problem.units)
    assert found.name == "wrist (nearest branch: heavy)"
    assert found.amount == pytest.approx(0.1)
    x[20] = 0.3
    assert not violations(problem.terms, x, problem.units)


def test_what_is_not_found_within_a_branch_is_said():
    rule = Either([Bounds("I1xx", high=-0.1), Bounds("I1yy", high=-0.1)], "impossible")
    with pytest.raises(NotFoundError):
        solve_retrieval(replace(make_problem("spatial_3r", *BASE, rule)))
