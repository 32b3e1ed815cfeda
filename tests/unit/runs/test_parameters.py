"""parameters.safetensors and parameters.json: what was written comes back, and what is out of date does not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.dynamics.friction import linear
from dynident.errors import InputError
from dynident.exports.export_model import model_from_run
from dynident.links import (
    Bounds,
    FeasibleSet,
    Known,
    PhysicalConsistency,
    TotalMass,
    UserConstraint,
    build_retrieval,
    prior_to_robot,
    retrieval_problem,
    solve_retrieval,
    two_step,
)
from dynident.links.constraints.terms import Violation
from dynident.links.ranges import with_ranges
from dynident.links.result import RetrievalStatus
from dynident.regression import build_problem
from dynident.robots.parameters import from_com, inertia_matrix
from dynident.runs import RunFolder, Stage, read_parameters, write_result
from dynident.runs.folder import NOT_DONE, MissingStageError
from dynident.runs.results import StartStore
from dynident.runs.stages import StageContent, StageOrigin
from tests.facts import carries, raises
from tests.logs import synthetic_log


def parameters_document(links, seed: int = 0) -> dict:
    return Stage.PARAMETERS.make_document(StageContent(result=links, origin=StageOrigin(seed=seed)))


@pytest.fixture(scope="module")
def result():
    robot = load_robot("planar_2r")
    estimate = regression.estimate(build_problem(robot, synthetic_log(noise=0.05), friction=linear(), cutoff=None))
    constraints = FeasibleSet((PhysicalConsistency(), TotalMass(0.5, 50), Bounds("m2", 0.1, 20.0), Bounds("c2x", high=0.4)))
    return with_ranges(solve_retrieval(build_retrieval(estimate.base, two_step(estimate), constraints, prior=prior_to_robot(robot))))


@pytest.fixture
def run(tmp_path, result):
    robot = load_robot("planar_2r")
    problem = build_problem(robot, synthetic_log(noise=0.05), friction=linear(), cutoff=None)
    write_result(tmp_path, regression.estimate(problem))
    write_result(tmp_path, result, origin=StageOrigin(seed=4))
    return tmp_path


def test_the_problem_comes_back_to_the_last_bit(run, result):
    solved, stored = result.problem, read_parameters(run).problem
    for mine, theirs in zip(stored.rows, solved.rows, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert [block.name for block in stored.terms.blocks] == [block.name for block in solved.terms.blocks]
    x = np.random.default_rng(0).normal(size=solved.variables)
    assert stored.violations(x) == solved.violations(x) != ()
    assert stored.merit(x) == solved.merit(x)
    assert with_ranges(read_parameters(run)).ranges == result.ranges


def test_samples_of_links_that_were_read_are_those_of_the_links_that_were_written(tmp_path):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.05), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    robot = load_robot("planar_2r")
    known = Known("m2", float(robot.parameters[1, 0]))
    links = solve_retrieval(retrieval_problem(estimate, constraints=known, total_mass=(0.5, 50.0)))
    write_result(tmp_path, estimate)
    write_result(tmp_path, links)
    drawn = read_parameters(tmp_path).sample(20, seed=7)
    np.testing.assert_array_equal(drawn.x, links.sample(20, seed=7).x)
    np.testing.assert_allclose(drawn.links[:, 1, 0], robot.parameters[1, 0], rtol=1e-9)


def test_a_users_own_functions_are_not_stored(tmp_path):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.05), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    written = UserConstraint(lambda links: links[0].mass - 100.0, "light")
    links = solve_retrieval(retrieval_problem(estimate, constraints=written), solver="barrier")
    write_result(tmp_path, estimate)
    write_result(tmp_path, links)
    assert read_parameters(tmp_path).problem is None


def test_what_was_written_comes_back_to_the_last_bit(run, result):
    stored = read_parameters(run)
    np.testing.assert_array_equal(stored.x, result.x)
    np.testing.assert_array_equal(stored.parameters, result.parameters)
    np.testing.assert_array_equal(stored.friction_parameters, result.friction_parameters)
    np.testing.assert_array_equal(stored.robot.parameters, result.parameters)
    for mine, theirs in zip(stored.solutions, result.solutions, strict=True):
        np.testing.assert_array_equal(mine.x, theirs.x)
        assert (mine.start, mine.objective, mine.merit, mine.feasible) == (theirs.start, theirs.objective, theirs.merit, theirs.feasible)
    assert (stored.violations, stored.bounds, stored.noise, stored.gap) == (result.violations, result.bounds, result.noise, result.gap)
    assert parameters_document(stored) == parameters_document(result)
    assert str(stored) == str(result)
    assert stored.ranges == result.ranges
    assert (stored.objective, stored.lower_bound, stored.feasible, stored.solver) == (result.objective, result.lower_bound, True, "sdp")
    assert (stored.status, stored.gap_in_words) == (result.status, result.gap_in_words)
    assert carries(stored.gap_in_words, "noise")
    assert stored.notes == result.notes
    assert stored.total_mass == result.total_mass


def test_links_of_a_solver_that_is_no_more_come_back(tmp_path):
    """The name is a record: what it meant in an older version need not exist today."""
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.05), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    write_result(tmp_path, estimate)
    write_result(tmp_path, replace(solve_retrieval(retrieval_problem(estimate)), solver="hybrid"))
    assert read_parameters(tmp_path).solver == "hybrid"
    assert carries(str(read_parameters(tmp_path)), "hybrid")


def test_broken_constraints_come_back_with_their_names(run, result):
    broken = replace(result, status=RetrievalStatus.NOT_FOUND, violations=(Violation("total mass <= 50", 0.5, "kg"),))
    write_result(run, broken)
    stored = read_parameters(run)
    assert (stored.feasible, stored.status, stored.violations) == (False, broken.status, broken.violations)
    assert model_from_run(run).violations[0] == broken.violations[0].name


def test_ranges_need_the_problem(run):
    with pytest.raises(InputError):
        with_ranges(replace(read_parameters(run), problem=None))


def test_the_document_says_what_the_result_says(run, result):
    content = json.loads((run / "parameters.json").read_text())
    assert {**content, "files": None, "made_from": None} == {**parameters_document(result, seed=4), "files": None, "made_from": None}
    assert list(content["files"]) == ["parameters.safetensors"]
    assert content["made_from"] == {"estimate.safetensors": RunFolder(run).digest(Stage.ESTIMATE)}
    assert content["schema"] == "dynident/parameters/1"
    assert content["seed"] == 4
    assert {"dynident", "clarabel", "numpy", "python"} <= content["versions"].keys()
    for link, row, ranges in zip(content["links"], result.parameters, np.split(np.arange(20), 2), strict=True):
        tensor = np.empty((3, 3))
        for name, value in link["inertia"].items():
            i, j = ("xyz".index(axis) for axis in name)
            tensor[i, j] = tensor[j, i] = value
        np.testing.assert_allclose(from_com(link["mass"], link["com"], tensor), row, atol=1e-12)
        assert np.trace(inertia_matrix(row)) > 0
        assert list(link["range"]) == ["m", "mcx", "mcy", "mcz", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz"]
        lows = [result.ranges[i].low for i in ranges]
        assert [ends[0] for ends in link["range"].values()] == [low if np.isfinite(low) else None for low in lows]
        assert set(link["determined_by"].values()) <= {"data", "constraint", "prior"}
    assert content["friction"][0]["parameters"].keys() == {"fv", "fc", "fo"}
    assert content["gap"] == pytest.approx(content["objective"] - content["lower_bound"])


def test_the_document_has_the_bounds_that_were_asked_for(result):
    first, second = parameters_document(result)["links"]
    assert first["bounds"] == {}
    assert second["bounds"] == {"m": [0.1, 20.0], "mcx": [None, pytest.approx(0.4 * second["mass"])]}


def test_parameters_of_another_estimate_do_not_count(run):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.06), friction=linear(), cutoff=None)
    write_result(run, regression.estimate(problem))
    with raises(MissingStageError, "estimate.safetensors", "retrieve", file=str(run / "parameters.safetensors")):
        read_parameters(run)


def test_what_is_missing_is_named(run):
    (run / "parameters.safetensors").unlink()
    with raises(MissingStageError, "parameters.safetensors", "retrieve", reason=NOT_DONE):
        read_parameters(run)
    with raises(MissingStageError, file=str(run / "nothing"), reason=NOT_DONE):
        read_parameters(run / "nothing")


def test_starts_are_kept_by_key(tmp_path):
    store = StartStore(tmp_path, "a")
    assert store.finished() == {}
    for start in (0, 3):
        store.store(start, {"x": [1.0, float(start)], "merit": 0.5})
    StartStore(tmp_path, "b").store(1, {"x": [2.0], "merit": 1.0})
    assert store.finished() == {0: {"x": [1.0, 0.0], "merit": 0.5}, 3: {"x": [1.0, 3.0], "merit": 0.5}}
    (tmp_path / "starts" / "start_0009.json").write_text('{"key": "a", "sta')
    assert list(store.finished()) == [0, 3]
