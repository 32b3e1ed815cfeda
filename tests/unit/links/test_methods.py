"""The papers' retrievals by name: the published search, objective and bounds, on robots that no paper knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, regression
from dynident.data import ControllerSamples
from dynident.dynamics import gravity, mass_matrix
from dynident.errors import InputError, UnknownNameError
from dynident.links import (
    Bounds,
    DontCare,
    FeasibleSet,
    Known,
    LinkParameters,
    PhysicalConsistency,
    RetrievalProblem,
    SolverOptions,
    TotalMass,
    build_retrieval,
    retrieve_by_method,
    solve_retrieval,
    two_step,
)
from dynident.links.extraction import gravity_objective
from dynident.links.methods import METHODS, MethodStep, fit_plainly
from dynident.links.solvers.penalty import PenaltyOptions
from dynident.links.solvers.search.box import box_of, to_standard
from dynident.links.solvers.search.penalised import Penalised
from dynident.regression import Estimate, base_parameters
from dynident.reproduce.gaz2019.published import FEASIBLE, RELEASED_BOUNDS, TOTAL_MASS
from dynident.reproduce.gaz2019.retrieval import _one_run, panda_problem
from dynident.robots.parameters import from_com
from dynident.robots.robot import Robot
from tests.facts import about, raises
from tests.logs import synthetic_log, synthetic_samples

ARM = """
name: three
convention: modified
joints:
  - {name: a, type: revolute, a: 0, alpha: 0, d: 0.3, theta: 0, position: [-2.5, 2.5]}
  - {name: b, type: revolute, a: 0, alpha: -pi/2, d: 0, theta: 0, position: [-2.5, 2.5]}
  - {name: c, type: revolute, a: 0.4, alpha: 0, d: 0, theta: 0, position: [-2.5, 2.5]}
"""
TRUTH = from_com(
    np.array([4.0, 3.0, 1.5]),
    np.array([[0.01, 0.02, -0.05], [0.2, 0.01, 0.03], [0.15, -0.01, 0.02]]),
    np.array([np.diag([0.02, 0.03, 0.025]), np.diag([0.01, 0.06, 0.055]), np.diag([0.003, 0.02, 0.019])]),
)
BOUNDS = FeasibleSet(
    tuple(
        Bounds(f"{kind}{link}{axes}", low, high)
        for link in (1, 2, 3)
        for kind, names, low, high in (
            ("m", ("",), 0.5, 5.0),
            ("c", ("x", "y", "z"), -0.3, 0.3),
            ("I", ("xx", "yy", "zz"), 0.0, 0.2),
            ("I", ("xy", "xz", "yz"), -0.05, 0.05),
        )
        for axes in names
    )
)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    file = tmp_path_factory.mktemp("arm") / "three.yaml"
    file.write_text(ARM, encoding="utf-8")
    return load_robot(file)


@pytest.fixture(scope="module")
def estimate(arm: Robot) -> Estimate:
    """Of M and g at 80 configurations that are known to 1e-4 rad."""
    rng = np.random.default_rng(3)
    q = rng.uniform(-2.5, 2.5, (80, 3))
    there = q + 1e-4 * rng.normal(size=q.shape)
    samples = ControllerSamples(q=q, M=mass_matrix(arm, TRUTH, there), g=gravity(arm, TRUTH, there), source="made")
    return identify(arm, samples, noise="uniform")


def problems_of(estimate: Estimate, method: str, **asked) -> tuple[LinkParameters, list[tuple[RetrievalProblem, SolverOptions]]]:
    """The answer of a method, and what its steps were asked to solve."""
    seen: list[tuple[RetrievalProblem, SolverOptions]] = []

    def solve(problem: RetrievalProblem, step: MethodStep, options: SolverOptions) -> LinkParameters:
        seen.append((problem, options))
        return solve_retrieval(problem, solver="penalty", options=replace(options, starts=min(options.starts, 3)))

    return retrieve_by_method(estimate, method, solve=solve, **asked), seen


def test_gaz2019_is_the_algorithm_that_reproduces_the_paper():
    """Run by run the cost of the reproduction, to the last digit: same objective, bounds, κ, searches and random numbers."""
    estimate = identify(load_robot("panda"), synthetic_samples("panda", samples=80, noise=1e-4), noise="uniform")
    limits = {name: (low, high) for name, (low, high, _) in FEASIBLE.items()} | {"c5z": RELEASED_BOUNDS["c5z"]}
    bounds = FeasibleSet(tuple(Bounds(name, *pair) for name, pair in limits.items()))
    for seed in (0, 4):
        found = retrieve_by_method(
            estimate,
            "gaz2019",
            constraints=bounds,
            total_mass=TOTAL_MASS,
            drop=(8, 24),
            options=SolverOptions(seed=seed, starts=1),
        )
        assert (found.objective, True) == _one_run(panda_problem(estimate.base, estimate.values), seed)
        assert found.method == "gaz2019"


def test_gaz2019_is_what_is_printed_and_nothing_else(estimate):
    found, ((problem, options),) = problems_of(estimate, "gaz2019", constraints=BOUNDS, total_mass=(5.0, 12.0))
    assert problem.prior is None
    assert found.problem is problem
    np.testing.assert_array_equal(problem.objective.A, estimate.base.grouping)
    np.testing.assert_array_equal(problem.objective.b, estimate.values)
    asked = build_retrieval(
        estimate.base,
        two_step(estimate, weights="none"),
        FeasibleSet((PhysicalConsistency(), TotalMass(5.0, 12.0), *BOUNDS.constraints)),
    )
    assert [block.name for block in problem.terms.blocks] == [block.name for block in asked.terms.blocks]
    assert all(np.array_equal(a.constant, b.constant) for a, b in zip(problem.terms.blocks, asked.terms.blocks, strict=True))
    own = options.own
    assert isinstance(own, PenaltyOptions)
    assert (own.steps, own.growth, own.search, own.penalty, own.threshold, options.starts) == (10, 10.0, "annealing", "distance", 0.0, 100)
    assert found.training is not None
    assert found.training[1] < 2.0 * found.training[0]


def test_rows_that_were_weighed_are_fitted_again_by_ordinary_least_squares(estimate):
    weighed = regression.estimate(estimate.problem, noise="per_group")
    assert not np.allclose(weighed.values, estimate.values, rtol=1e-9)
    plain = fit_plainly(weighed)
    rows = estimate.problem.stack(np.ones(len(estimate.problem.groups)))
    np.testing.assert_allclose(plain.values, np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0], rtol=1e-9)
    assert fit_plainly(plain) is plain
    found, ((problem, _),) = problems_of(weighed, "gaz2019", constraints=BOUNDS, total_mass=(5.0, 12.0))
    np.testing.assert_array_equal(problem.objective.b, plain.values)
    assert about(found.notes, "ordinary", "squares")


def test_what_the_paper_leaves_open_can_be_chosen_and_the_rest_not(estimate):
    _, ((_, options),) = problems_of(
        estimate, "gaz2019", constraints=BOUNDS, options=SolverOptions(own={"local": "l-bfgs-b", "evaluations": "500", "steps": "10"})
    )
    assert options.own == PenaltyOptions(local="l-bfgs-b", evaluations=500)
    with raises(InputError, "gaz2019", "steps=10", "steps=3"):
        retrieve_by_method(estimate, "gaz2019", options=SolverOptions(own={"steps": 3}))
    with raises(UnknownNameError, "gaz2019", "gaz2016", name="gaz"):
        retrieve_by_method(estimate, "gaz")
    with raises(InputError, "gaz2016", "dropped"):
        retrieve_by_method(estimate, "gaz2016", drop=(1,))


def test_parameters_without_bounds_and_dont_care_ones_are_named(estimate):
    some = FeasibleSet(tuple(item for item in BOUNDS.constraints if item.name[:2] != "m2" and item.name != "I3xx"))
    _, ((problem, _),) = problems_of(estimate, "gaz2019", constraints=some & Bounds("I3xx", low=0.0), total_mass=(5.0, 12.0))
    (unbounded,) = about(problem.notes, "no", "bounds", "I3xx")
    assert "I3xx" in unbounded
    assert "m3" not in unbounded
    assert about(problem.notes, "don't-care", "m1, mc1x")


def test_gaz2016_holds_the_gravity_of_its_first_step(arm, estimate):
    chosen = FeasibleSet((DontCare("c1y", 0.01), DontCare("I1xx", 0.01)))
    found, ((first, _), (second, options)) = problems_of(estimate, "gaz2016", constraints=BOUNDS & chosen, total_mass=(5.0, 12.0))
    alone = identify(arm, estimate_samples(arm), equations="gravity", noise="uniform")
    np.testing.assert_allclose(first.objective.b, alone.values, rtol=1e-9)
    np.testing.assert_array_equal(first.objective.A, alone.base.grouping)
    inertia = identify(arm, estimate_samples(arm), equations="inertia", noise="uniform")
    np.testing.assert_allclose(second.objective.b, inertia.values, rtol=1e-9, atol=1e-12)
    assert not any("total mass" in block.name or "consistency" in block.name for block in first.terms.blocks)
    assert any("total mass" in block.name for block in second.terms.blocks)
    assert not any("consistency" in block.name for block in second.terms.blocks)
    held = {equality.name.split(" =")[0]: equality.value for equality in second.terms.equalities if equality.name[0] == "m"}
    assert {"m2", "mc2x", "mc2y", "m3", "mc3x", "mc3y"} <= set(held)
    names = found.base.columns.names
    for name, value in held.items():
        assert found.x[names.index(name)] == pytest.approx(value, abs=1e-12)
    assert alone.base.coefficients(found.x) == pytest.approx(first.objective.b, abs=1e-5)
    assert found.com_and_inertia(0).com[1] == pytest.approx(0.01, abs=1e-12)
    assert found.com_and_inertia(0).elements["xx"] == pytest.approx(0.01, abs=1e-9)
    assert 5.0 <= found.total_mass <= 12.0
    assert not second.violations(found.x)
    own = options.own
    assert isinstance(own, PenaltyOptions)
    assert (own.steps, own.penalty, own.delta, own.search, options.starts) == (1, "constant", 10.0, "annealing", 1000)
    assert found.method == "gaz2016"


def estimate_samples(arm: Robot) -> ControllerSamples:
    rng = np.random.default_rng(3)
    q = rng.uniform(-2.5, 2.5, (80, 3))
    there = q + 1e-4 * rng.normal(size=q.shape)
    return ControllerSamples(q=q, M=mass_matrix(arm, TRUTH, there), g=gravity(arm, TRUTH, there), source="made")


def test_gaz2016_from_a_log(arm):
    robot = arm.with_parameters(TRUTH)
    estimate = identify(robot, synthetic_log(robot, noise=0.02))
    found, ((first, _), (second, _)) = problems_of(estimate, "gaz2016", constraints=BOUNDS, total_mass=(5.0, 12.0))
    plain = fit_plainly(estimate)
    base = base_parameters(robot, equations="gravity")
    np.testing.assert_allclose(first.objective.b, base.coefficients(plain.link_part.ravel()), rtol=1e-12)
    np.testing.assert_allclose(first.objective.b, base.coefficients(TRUTH.ravel()), atol=5e-3)
    np.testing.assert_array_equal(second.objective.b, plain.values)
    assert found.friction_parameters is not None
    np.testing.assert_allclose(found.friction_parameters[:, 0], 0.4, atol=0.05)


def test_both_steps_need_gravity_and_inertia(arm):
    for equations in ("gravity", "inertia"):
        with raises(InputError, equations, "alone", "both"):
            retrieve_by_method(identify(arm, estimate_samples(arm), equations=equations), "gaz2016")
    with raises(InputError, "gravity", "alone", "both"):
        gravity_objective(identify(arm, estimate_samples(arm), equations="gravity"))


def test_values_that_are_held_are_in_the_box_and_not_charged(estimate):
    held = (Known("m2", 3.0), Known("c2x", 0.2), Known("mc2y", 0.03), Known("c2z", 0.01), Known("J2xz", 0.0), Known("J3xz", 0.0))
    problem = build_retrieval(estimate.base, two_step(estimate, weights="none"), BOUNDS & FeasibleSet(held))
    box = box_of(problem)
    assert box.held == {0, 1, 2, 3, 4}  # J3xz says nothing of I3xz while the centre of link 3 is free
    x = to_standard(box.random(np.random.default_rng(0)), 3)
    names = problem.base.columns.names
    for name, value in (("m2", 3.0), ("mc2x", 0.6), ("mc2y", 0.03), ("mc2z", 0.03), ("J2xz", 0.0)):
        assert x[names.index(name)] == pytest.approx(value, abs=1e-12)
    assert len(Penalised(problem).G) == 2  # both sides of J3xz = 0


def test_a_search_ends_at_its_threshold_and_leaves_out_what_came_after(estimate):
    problem = build_retrieval(estimate.base, two_step(estimate, weights="none"), BOUNDS)
    begun: list[int] = []
    options = SolverOptions(starts=5, own={"threshold": 1e6, "steps": 1}, on_finished=lambda start, result: begun.append(start))
    found = solve_retrieval(problem, solver="penalty", options=options)
    assert begun == [0]
    assert [item.start for item in found.solutions] == [0]


def test_every_method_says_what_it_is():
    for name, method in METHODS.items():
        assert method.name == name
        assert method.options["solver"] == "penalty"
        assert method.options["prior"] == "none"
        assert name[-4:] in method.title
