"""How far each parameter can move: the value and the truth are inside, and more constraints leave less room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, retrieve
from dynident.links import (
    Bounds,
    FeasibleSet,
    Known,
    Objective,
    PhysicalConsistency,
    TotalMass,
    build_retrieval,
    prior_to_robot,
    solve_retrieval,
    two_step,
)
from dynident.links.ranges import with_ranges
from tests.facts import carries
from tests.logs import synthetic_samples
from tests.unit.links.links import ROBOT

LIMITS = FeasibleSet((PhysicalConsistency(), TotalMass(1, 20)))


def ranges(constraints: FeasibleSet, *, noise: float = 2e-3, seed: int = 1, weights="covariance"):
    estimate = identify(ROBOT, synthetic_samples(noise=noise, seed=seed), drop_above_percent=None)
    problem = build_retrieval(estimate.base, two_step(estimate, weights=weights), constraints, prior=prior_to_robot(ROBOT))
    return with_ranges(solve_retrieval(problem))


def test_the_value_is_inside():
    found = ranges(LIMITS)
    assert len(found.ranges) == 30
    assert all(item.low <= value <= item.high for item, value in zip(found.ranges, found.x, strict=True))


def test_threads_change_no_bit(monkeypatch):
    found = []
    for count in ("1", "3"):
        monkeypatch.setenv("DYNIDENT_THREADS", count)
        found.append(ranges(LIMITS).ranges)
    assert found[0] == found[1]


def test_the_truth_is_inside_as_often_as_95_percent_promise():
    truth = ROBOT.parameters.ravel()
    hits = [
        item.low <= value <= item.high for seed in range(8) for item, value in zip(ranges(LIMITS, seed=seed).ranges, truth, strict=True)
    ]
    assert np.mean(hits) >= 0.9


def test_more_constraints_leave_less_room():
    wide = ranges(LIMITS).ranges
    narrow = ranges(LIMITS & TotalMass(3, 6) & Bounds("c1x", -0.3, 0.3)).ranges
    width = [item.high - item.low for item in wide]
    assert all(item.high - item.low <= before * 1.001 + 1e-4 for item, before in zip(narrow, width, strict=True))
    assert sum(item.high - item.low < 0.9 * before for item, before in zip(narrow, width, strict=True)) >= 3


def test_what_nothing_bounds_is_infinite_and_determined_by_the_prior():
    found = ranges(FeasibleSet((PhysicalConsistency(),)))
    mass = found.ranges[0]
    assert mass.high == np.inf
    assert mass.determined_by == "prior"


def test_bounds_that_are_not_convex_count():
    names = ranges(LIMITS).problem.base.columns.names
    free = next(i for i, item in enumerate(ranges(LIMITS).ranges) if names[i] in ("J1xx", "J1yy", "J1zz") and item.high == np.inf)
    box = [Bounds(f"c1{axis}", -0.1, 0.1) for axis in "xyz"]
    bounded = ranges(FeasibleSet((*LIMITS.constraints, *box, Bounds(f"I{names[free][1:]}", high=0.5))))
    assert bounded.ranges[free].high < 1.0


def test_data_constraints_and_prior_are_told_apart():
    found = ranges(LIMITS & Known("m1", 1.0), noise=1e-6)
    by_name = dict(zip(found.problem.base.columns.names, found.ranges, strict=True))
    assert by_name["m1"].determined_by == "constraint"
    assert by_name["m1"].high - by_name["m1"].low < 1e-6
    alone = [name for name, row in zip(found.problem.base.names, found.problem.base.grouping, strict=True) if np.count_nonzero(row) == 1]
    assert alone
    assert all(by_name[name].determined_by == "data" for name in alone)
    assert "prior" in {item.determined_by for item in found.ranges}


def test_another_objective_may_say_what_the_noise_allows():
    estimate = identify(ROBOT, synthetic_samples(noise=2e-3), drop_above_percent=None)
    problem = build_retrieval(estimate.base, two_step(estimate, weights="none"), LIMITS)
    result = solve_retrieval(problem)
    own, noise = with_ranges(result), with_ranges(result, objective=two_step(estimate))
    assert [item.high for item in own.ranges] != pytest.approx([item.high for item in noise.ranges], rel=1e-3)


def test_a_fit_beyond_the_noise_widens_the_ranges():
    """Where the constraints contradict the estimate, 3.84 above the best would be a range of nothing."""
    tight = FeasibleSet((PhysicalConsistency(), TotalMass(1, 20), Bounds("m3", high=0.05)))
    found = ranges(tight, noise=1e-6)
    widths = [item.high - item.low for item in found.ranges]
    assert np.median(widths) > 1e-4


def test_progress_goes_from_nothing_to_one():
    told: list[float] = []
    estimate = identify(ROBOT, synthetic_samples(noise=2e-3), drop_above_percent=None)
    result = solve_retrieval(build_retrieval(estimate.base, two_step(estimate), LIMITS))
    with_ranges(result, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_ranges_of_a_box_are_the_box():
    """Two numbers that the data see only as their sum: each can be all that the other leaves."""
    estimate = identify(ROBOT, synthetic_samples(), drop_above_percent=None)
    columns = estimate.base.columns
    A = np.zeros((1, 30))
    A[0, [columns.index("m1"), columns.index("m2")]] = 1.0
    goal = Objective(name="sum", A=A, b=np.array([3.0]), noise=1.0)
    constraints = FeasibleSet((PhysicalConsistency(), Bounds("m1", 0.5, 5.0), Bounds("m2", 0.2, 5.0)))
    found = with_ranges(solve_retrieval(build_retrieval(estimate.base, goal, constraints, prior=prior_to_robot(ROBOT))))
    low, high = found.ranges[0].low, found.ranges[0].high
    assert low == pytest.approx(0.5, abs=1e-4)
    assert high == pytest.approx(3.0 + np.sqrt(3.841458820694124) - 0.2, abs=1e-4)


def test_a_range_that_the_solver_does_not_find_is_a_note(monkeypatch):
    from dynident.links.solvers.conic import ConicProgram, ConicStatus

    prepared = ConicProgram.prepared

    def fail(program, **settings):
        solve = prepared(program, **settings)

        def run(linear):
            found = solve(linear)
            asks = settings.get("radius") is not None and linear is not None and linear[10] < 0.0
            return replace(found, status=ConicStatus.INACCURATE) if asks else found

        return run

    monkeypatch.setattr(ConicProgram, "prepared", fail)
    found = ranges(LIMITS)
    assert carries(found.notes[-1], "m2", "ranges", "open")
    assert found.ranges[10].high == np.inf
    assert found.ranges[10].low > -np.inf


def test_ranges_of_a_posterior_are_intervals_of_its_draws():
    found = retrieve(identify(ROBOT, synthetic_samples(noise=2e-3)))
    drawn = found.sample(4000, seed=5).x[:, :30]
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    width = high - low  # an end from 2000 draws is chance to 0.06 standard deviations, a width is four of them
    np.testing.assert_array_less(np.abs([item.low for item in found.ranges] - low), 0.08 * width)
    np.testing.assert_array_less(np.abs([item.high for item in found.ranges] - high), 0.08 * width)


def test_data_that_a_computer_made_give_the_links_that_made_them():
    """But for the thickness of a nominal rod, which nobody believes in."""
    found = retrieve(identify(ROBOT, synthetic_samples(noise=0.0)))
    np.testing.assert_allclose(found.parameters[:, 0], ROBOT.parameters[:, 0], rtol=0.03)
    assert found.feasible
    assert all(np.isfinite([item.low, item.high]).all() for item in found.ranges)
