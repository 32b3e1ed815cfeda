"""Feasible parameters on real data: the Panda problem of the paper with its certified optimum, and the one-step fit of the log."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.data import load_controller_samples, load_dataset
from dynident.dynamics.friction import linear
from dynident.links import (
    Bounds,
    FeasibleSet,
    PhysicalConsistency,
    TotalMass,
    build_retrieval,
    one_step,
    prior_to_robot,
    solve_retrieval,
    two_step,
    violations,
)
from dynident.links.constraints.files import read_constraints
from dynident.links.ranges import with_ranges
from dynident.regression import build_problem, residuals
from dynident.regression.problem import problem_on_base
from dynident.robots.parameters import consistency_margin, from_com

OPTIMUM = 3.7262e-4


@pytest.fixture(scope="module")
def estimate(shared_data: Path):
    samples = load_controller_samples(shared_data / "panda_gaz2019" / "derived_M_g_1010.npz")
    return regression.estimate(build_problem(load_robot("panda"), samples), noise="uniform")  # as in the paper


@pytest.fixture(scope="module")
def bounds(shared_data: Path, estimate) -> FeasibleSet:
    return read_constraints(shared_data / "panda_gaz2019" / "bounds.csv", base=estimate.base)


def problem(estimate, bounds: FeasibleSet, prior=None):
    constraints = FeasibleSet((PhysicalConsistency(), TotalMass(16, 20), *bounds.constraints))
    return build_retrieval(estimate.base, two_step(estimate, weights="none", drop=[8, 24]), constraints, prior=prior)


def test_the_panda_problem(estimate, bounds):
    found = solve_retrieval(problem(estimate, bounds))
    assert found.objective == pytest.approx(OPTIMUM, abs=1e-7)
    assert found.objective - found.lower_bound < 1e-8
    assert found.lower_bound <= found.objective
    assert found.feasible


def test_the_panda_problem_with_a_narrower_c5z(estimate, bounds):
    others = tuple(item for item in bounds.constraints if getattr(item, "name", "") != "c5z")
    found = solve_retrieval(problem(estimate, FeasibleSet((*others, Bounds("c5z", -0.05, 0.05)))))
    assert found.objective == pytest.approx(3.8612e-4, abs=1e-7)
    assert found.objective - found.lower_bound < 1e-8


def test_with_the_prior_every_bound_of_the_csv_holds_at_next_to_no_cost(estimate, bounds):
    found = solve_retrieval(problem(estimate, bounds, prior_to_robot(estimate.base.robot)))
    assert found.objective <= 1.001 * OPTIMUM
    assert violations(bounds.terms(estimate.base.robot, estimate.base.columns), found.x) == ()
    assert np.all(consistency_margin(found.parameters) > -1e-9)
    assert 16.0 <= found.total_mass <= 20.0


def published(shared_data: Path) -> np.ndarray:
    """(70,) p_hat as printed, with c1z = 0; its c6z = -0.010517 repeats the digits of c7x."""
    with (shared_data / "published" / "panda_gaz2019_tablesVIII_IX_feasible_params.csv").open() as file:
        values = {row["parameter"]: float(row["p_hat"] or 0.0) for row in csv.DictReader(file)}
    links: list[np.ndarray] = []
    for i in range(1, 8):
        tensor = np.array([[values[f"I{i}{''.join(sorted(a + b))}"] for b in "xyz"] for a in "xyz"])
        links.append(from_com(values[f"m{i}"], [values[f"c{i}{axis}"] for axis in "xyz"], tensor))
    return np.concatenate(links)


def test_the_published_solution_scores_more_than_three_times_the_optimum(estimate, bounds, shared_data):
    goal = problem(estimate, bounds).objective
    printed = published(shared_data)
    assert printed[53] / printed[50] == pytest.approx(-0.010517)  # c6z
    assert goal.value(printed) == pytest.approx(1.288e-3, rel=1e-3)
    corrected = load_robot("panda").parameters.ravel()  # c6z = -0.01924, which its own coefficients require
    assert goal.value(corrected) == pytest.approx(1.234e-3, rel=1e-3)


def test_ranges_of_the_panda(estimate, bounds):
    found = with_ranges(solve_retrieval(problem(estimate, bounds, prior_to_robot(estimate.base.robot))))
    ranges = dict(zip(estimate.base.columns.names, found.ranges, strict=False))
    assert all(item.low <= value <= item.high for item, value in zip(found.ranges, found.x, strict=True))
    assert all(np.isfinite([item.low, item.high]).all() for item in found.ranges)  # I1xx <= 1 bounds J1xx too
    assert ranges["J1xx"].high < 2.0
    assert (ranges["mc7x"].determined_by, ranges["m4"].determined_by) == ("data", "prior")


@pytest.fixture(scope="module")
def log(shared_data: Path):
    return load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz")


def one_step_fit(data):
    robot = load_robot("panda")
    built = build_problem(robot, data, friction=linear(), cutoff=5.0, rate=20.0)
    constraints = FeasibleSet((PhysicalConsistency(), TotalMass(16, 20)))
    found = solve_retrieval(build_retrieval(built.base, one_step(built), constraints, prior=prior_to_robot(robot)))
    assert found.feasible
    return built, found


def test_one_step_on_the_real_log(log):
    built, found = one_step_fit(log)
    assert residuals(built, built.base.coefficients(found.x)).relative_percent <= 1.02
    assert np.all(found.margins > -1e-9)


def test_one_step_predicts_what_it_has_not_seen(log):
    built, found = one_step_fit(log.part(0.0, 0.7))
    held_out = problem_on_base(built.base, log.part(0.7, 1.0), cutoff=5.0, rate=20.0)
    assert residuals(held_out, built.base.coefficients(found.x)).relative_percent <= 1.15


def test_the_panda_problem_as_a_command(dynident, shared_data):
    folder = shared_data / "panda_gaz2019"
    assert dynident("identify", "panda", folder / "derived_M_g_1010.npz", "-o", "run", "--noise-model", "uniform").returncode == 0
    limits = ["--bounds", folder / "bounds.csv", "--total-mass", 16, 20]
    options = [*limits, "--drop", "8,24", "--weights", "none", "--prior", "none", "--solver", "sdp", "--json"]
    content = json.loads(dynident("retrieve", "run", *options).stdout)
    assert content["objective"] == pytest.approx(OPTIMUM, abs=1e-7)
    assert content["gap"] < 1e-8
    assert content["feasible"] is True
    assert 16.0 <= content["total_mass"] <= 20.0
    assert len(content["links"]) == 7
    assert all(len(link["range"]) == 10 for link in content["links"])
