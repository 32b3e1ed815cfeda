"""What every solver must do, whatever it does inside: solve a library of problems, and give the same answer for the same question."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynident import Robot, load_robot
from dynident.core.options import Options, declared_options, option
from dynident.dynamics import torque_regressor
from dynident.errors import InputError, UnknownNameError
from dynident.links import (
    Bounds,
    FeasibleSet,
    InfeasibleError,
    LinkParameters,
    LinkView,
    Objective,
    PhysicalConsistency,
    RetrievalProblem,
    RetrievalStatus,
    SolverAnswer,
    SolverOptions,
    TotalMass,
    UserConstraint,
    build_retrieval,
    solve_retrieval,
)
from dynident.links.solvers.penalty import PenaltyOptions
from dynident.links.solvers.registry import SOLVERS, solve_with
from dynident.links.solvers.solver import Solver
from dynident.regression import base_parameters, build_problem, estimate
from dynident.robots.parameters import change_of_frame, consistency_margin
from dynident.runs import write_result
from tests.contracts.retrieval_problems import CONVEX, NONCONVEX, make, panda
from tests.logs import synthetic_log

# How far above the certified optimum of a convex problem an exact solver may end, as a share of it.
ALLOWED = {"sdp": 1e-5, "barrier": 1e-4}
EXACT = [name for name, solver in SOLVERS.items() if solver.exact]
SEEDED = [name for name, solver in SOLVERS.items() if solver.seeded]
MULTI_START = [name for name, solver in SOLVERS.items() if solver.multi_start]
ANY_FUNCTION = [name for name, solver in SOLVERS.items() if solver.user_functions]


@cache
def solved(name: str, solver: str) -> LinkParameters:
    return solve_retrieval(make(name), solver=solver)


def test_every_exact_solver_has_its_accuracy_stated_here() -> None:
    assert set(ALLOWED) == set(EXACT)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", [*CONVEX, *NONCONVEX])
def test_answers_are_feasible_and_no_better_than_possible(name: str, solver: str) -> None:
    result = solved(name, solver)
    assert result.feasible
    assert not result.problem.violations(result.x)
    assert np.all(consistency_margin(result.parameters) >= -1e-9)
    assert result.objective == pytest.approx(result.problem.objective.value(result.x), rel=1e-12)
    assert result.objective >= result.lower_bound - 1e-9 * (1.0 + result.lower_bound)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("name", CONVEX)
def test_convex_problems_are_solved_to_the_bound(name: str, solver: str) -> None:
    result = solved(name, solver)
    assert result.lower_bound > 1e-5
    assert result.gap <= ALLOWED[solver] * result.lower_bound
    assert result.status is RetrievalStatus.OPTIMAL


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", NONCONVEX)
def test_a_bound_far_below_the_answer_makes_no_optimum(name: str, solver: str) -> None:
    result = solved(name, solver)
    assert result.gap > 0.5 * result.objective
    assert result.status is RetrievalStatus.FEASIBLE


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("inertias", [False, True])
def test_the_panda(solver: str, inertias: bool, shared_data: Path) -> None:
    result = solve_retrieval(panda(shared_data, inertias=inertias), solver=solver, options=SolverOptions(starts=2))
    assert result.feasible
    assert result.lower_bound == pytest.approx(3.7262e-4, abs=1e-8)
    if SOLVERS[solver].exact:
        assert result.gap <= ALLOWED[solver] * result.lower_bound
    else:
        assert result.objective < 1.288e-3  # what was published; 4 of 100 runs end above it


@pytest.mark.slow
@pytest.mark.parametrize("local", ["slsqp", "nelder-mead", "l-bfgs-b"])
def test_the_panda_by_published_local_searches(local: Any, shared_data: Path) -> None:
    # these stall where the optimum lies on the boundary: SLSQP below what was published, Nelder-Mead about there, L-BFGS-B far above
    options = SolverOptions(starts=2, own=PenaltyOptions(local=local))
    result = solve_retrieval(panda(shared_data), solver="penalty", options=options)
    assert result.feasible
    assert result.objective < {"slsqp": 1.288e-3, "nelder-mead": 5e-3, "l-bfgs-b": 0.1}[local]


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("name", ["planar, total mass", "spatial, sphere"])
def test_order_of_constraints_is_irrelevant(name: str, solver: str) -> None:
    assert solve_retrieval(make(name, reverse=True), solver=solver).objective == pytest.approx(solved(name, solver).objective, rel=1e-3)


@pytest.mark.parametrize("solver", EXACT)
def test_order_of_links_is_irrelevant(solver: str) -> None:
    # two pendulums on one base, whose links have no order but that of the file
    one, two = _two_pendulums(swapped=False), _two_pendulums(swapped=True)
    first, second = (solve_retrieval(problem, solver=solver) for problem in (one, two))
    assert first.objective > 1e-5
    assert second.objective == pytest.approx(first.objective, rel=1e-3)


@pytest.mark.parametrize("solver", EXACT)
def test_parameter_frames_are_irrelevant(solver: str) -> None:
    robot = load_robot("planar_2r")
    first = solve_retrieval(_torque_problem(robot), solver=solver)
    second = solve_retrieval(_torque_problem(_with_other_frames(robot)), solver=solver)
    assert first.gap > 0.0
    assert second.objective == pytest.approx(first.objective, rel=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_contradictions_are_named(solver: str) -> None:
    contradictory = make("planar, total mass", extra=(Bounds("m1", high=2.0), Bounds("m2", high=3.0)))
    with pytest.raises(InfeasibleError) as caught:
        solve_retrieval(contradictory, solver=solver)
    assert set(caught.value.conflicting) == {"total mass >= 6", "m1 <= 2", "m2 <= 3"}


@pytest.mark.parametrize("solver", SEEDED)
def test_same_seed_same_answers_on_any_executor(solver: str) -> None:
    problem = make("planar, barycentric")
    options = SolverOptions(seed=3, starts=3)
    serial = solve_retrieval(problem, solver=solver, options=options)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parallel = solve_retrieval(problem, solver=solver, options=replace(options, executor=pool))
    assert np.array_equal(parallel.x, serial.x)
    assert [c.start for c in parallel.solutions] == [c.start for c in serial.solutions]
    assert all(np.array_equal(a.x, b.x) for a, b in zip(parallel.solutions, serial.solutions, strict=True))


@pytest.mark.parametrize("solver", MULTI_START)
def test_budget_progress_and_resuming(solver: str) -> None:
    problem, stored, told = make("planar, total mass"), {}, []
    whole = solve_with(solver, problem, SolverOptions(seed=1, starts=3))
    cut = solve_with(
        solver, problem, SolverOptions(seed=1, starts=3, budget=0.0, on_finished=lambda s, r: stored.update({s: r}), progress=told.append)
    )
    assert [c.start for c in cut] == [0]
    assert told == ["start 1 done, 1 of 3"]
    kept = {int(s): r for s, r in json.loads(json.dumps(stored)).items()}
    again: list[int] = []
    resumed = solve_with(solver, problem, SolverOptions(seed=1, starts=3, finished=kept, on_finished=lambda s, r: again.append(s)))
    assert again == [1, 2]
    assert all(np.array_equal(a.x, b.x) for a, b in zip(resumed, whole, strict=True))


def heavy_or_short(links: list[LinkView]) -> float:
    """A rule with branches: a first link above 3.5 kg must have its centre of mass below 0.2 m, a lighter one below 0.22."""
    if links[0].mass > 3.5:
        return links[0].com[0] - 0.2
    return links[0].com[0] - 0.22


def yes_or_no(links: list[LinkView]) -> float:
    return 1.0 if links[0].mass < 4.5 else 0.0


@pytest.mark.parametrize("solver", ANY_FUNCTION)
def test_a_rule_with_branches(solver: str) -> None:
    problem = make("planar, total mass", extra=(UserConstraint(heavy_or_short),))
    result = solve_retrieval(problem, solver=solver, options=SolverOptions(starts=6))
    # with the branch of heavy links chosen by hand it is a bound that the conic solver can treat, with that of light ones too
    heavy = solve_retrieval(make("planar, total mass", extra=(Bounds("c1x", high=0.2), Bounds("m1", low=3.5))))
    light = solve_retrieval(make("planar, total mass", extra=(Bounds("c1x", high=0.22), Bounds("m1", high=3.5))))
    # the best of six random starts of a search that is not exact ends 0 to 3 % above (of two, 0 to 8 %), by seed and rounding
    assert result.objective <= (1.01 if SOLVERS[solver].exact else 1.05) * min(heavy.objective, light.objective)
    assert result.feasible


@pytest.mark.parametrize("solver", ANY_FUNCTION)
def test_a_rule_that_only_says_yes_or_no(solver: str) -> None:
    result = solve_retrieval(make("planar, total mass", extra=(UserConstraint(yes_or_no),)), solver=solver)
    known = solve_retrieval(make("planar, total mass", extra=(Bounds("m1", low=4.5),)))
    assert result.objective == pytest.approx(known.objective, rel=1e-2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_a_solver_says_of_itself_is_true(solver: str) -> None:
    said = SOLVERS[solver]
    assert said.name == solver
    assert all(item.help.endswith(".") for item in declared_options(said.options))
    ruled = make("planar, total mass", extra=(UserConstraint(heavy_or_short),))
    if said.convex_only:
        with pytest.raises(InputError, match=rf"solver {solver} can't treat .*, which are not convex; use solver "):
            solve_retrieval(make("planar, barycentric"), solver=solver)
    if not said.user_functions:
        with pytest.raises(
            InputError, match=rf"solver {solver} can't treat heavy_or_short, which are functions; use solver barrier or penalty"
        ):
            solve_retrieval(ruled, solver=solver)
    problem = make("planar, barycentric")
    answers = [solve_with(solver, problem, SolverOptions(seed=seed, starts=2)) for seed in (1, 2)]
    assert [len(candidates) for candidates in answers] == [2 if said.multi_start else 1] * 2
    if not said.seeded:
        assert all(np.array_equal(a.x, b.x) for a, b in zip(*answers, strict=True))


@dataclass(frozen=True, kw_only=True)
class AverageOptions(Options):
    share: float = option(1.0, "Share of the convex optimum [0 to 1].")


@pytest.fixture
def average(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that nobody but this test knows, registered as a new line in the registry would."""

    def solve(problem: RetrievalProblem, options: SolverOptions, own: AverageOptions) -> list[SolverAnswer]:
        x = own.share * problem.relaxed.x
        return [SolverAnswer(x=x, merit=problem.merit(x))]

    new = Solver(
        name="average",
        summary="takes a share",
        solve=solve,
        options=AverageOptions,
        convex_only=True,
        user_functions=False,
        multi_start=False,
        seeded=False,
    )
    monkeypatch.setitem(SOLVERS, "average", new)


@pytest.mark.usefixtures("average")
def test_a_new_solver_is_known_everywhere(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    _, text = command("retrieve", "--help")
    assert "average: takes a share." in text
    assert "Of average: share, share of the convex optimum [0 to 1] (1.0)." in text
    assert "Independent starts of barrier and penalty." in text
    with pytest.raises(UnknownNameError, match="known: average, barrier, penalty, sdp"):
        solve_retrieval(make("pendulum"), solver="averag")
    robot = load_robot("planar_2r")
    problem = build_problem(robot, synthetic_log(robot, noise=0.01), cutoff=None)
    write_result(tmp_path / "run", estimate(problem))
    words = ("retrieve", tmp_path / "run", "--no-ranges", "--prior", "nominal", "--solver", "average")
    assert command(*words)[0] == 0
    assert "average" in (tmp_path / "run" / "parameters.json").read_text()
    assert command(*words, "--solver-option", "share=0.5")[0] == 1  # half of a robot does not explain its log
    assert command(*words, "--solver-option", "shares=1") == (2, "dynident: no option of solver average named 'shares'; known: share")
    _, text = command(*words, "--solver-option", "share=all")
    assert "is 'all'; expected a finite number" in text


@pytest.mark.usefixtures("average")
def test_a_convex_solver_refuses_what_is_not_convex() -> None:
    with pytest.raises(InputError, match=r"solver average can't treat I1zz .*, which are not convex; use solver sdp or barrier or penalty"):
        solve_retrieval(make("planar, barycentric"), solver="average")


def _two_pendulums(*, swapped: bool) -> RetrievalProblem:
    pendulum = load_robot("pendulum_1r")
    assert pendulum.parameters is not None
    wrong = pendulum.parameters[0] * np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 0.7])  # less inertia than its centre of mass needs
    other = pendulum.parameters[0] * np.array([1, 0.5, 1, 1, 0.3, 1, 1, 0.3, 1, 0.1])
    target, names = np.array([wrong, other]), ["left", "right"]
    if swapped:
        target, names = target[::-1], names[::-1]
    joints = tuple(replace(pendulum.joints[0], name=f"joint_{name}") for name in names)
    links = tuple(replace(pendulum.links[0], name=name, parameters=None, pieces=()) for name in names)
    robot = Robot(name="pendulums", joints=joints, links=links, gravity=pendulum.gravity)
    base = base_parameters(robot)
    objective = Objective(name="distance", A=base.grouping, b=base.grouping @ target.ravel())
    boxes = [Bounds(f"c{i}{axis}", -0.6, 0.6) for i in (1, 2) for axis in "xyz"]
    return build_retrieval(base, objective, FeasibleSet((PhysicalConsistency(), TotalMass(9.0, 11.0), *boxes)))


def _torque_problem(robot: Robot) -> RetrievalProblem:
    """Fit torques that carry an error, which is the same whatever frames the parameters are in."""
    nominal = load_robot("planar_2r")
    rng = np.random.default_rng(5)
    q, dq, ddq = rng.uniform(-1.5, 1.5, (3, 40, 2))
    tau = torque_regressor(nominal, q, dq, ddq).reshape(80, -1) @ nominal.parameters.ravel() + 0.5 * rng.normal(size=80)
    A = torque_regressor(robot, q, dq, ddq).reshape(80, -1)
    return build_retrieval(
        base_parameters(robot), Objective(name="torque", A=A, b=tau), FeasibleSet((PhysicalConsistency(), TotalMass(2.0, 4.0)))
    )


def _with_other_frames(robot: Robot) -> Robot:
    """The same machine with its parameter frames turned and moved."""
    moves = []
    for angle, shift in ((0.7, [0.1, -0.2, 0.05]), (-1.2, [0.0, 0.1, 0.1])):
        T = np.eye(4)
        T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        T[:3, 3] = shift
        moves.append(T)
    links, joints = [], []
    for joint, link, T in zip(robot.joints, robot.links, moves, strict=True):
        parameters = change_of_frame(np.linalg.inv(T)) @ link.parameters
        links.append(replace(link, placement=link.placement @ T, parameters=parameters, pieces=()))
        before = np.eye(4) if joint.parent < 0 else np.linalg.inv(moves[joint.parent])
        joints.append(replace(joint, placement=before @ joint.placement))
    return replace(robot, links=tuple(links), joints=tuple(joints))
