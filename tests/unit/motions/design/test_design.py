"""The design of trajectories: gradients, precision, limits that are never broken, and reproducibility."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynident import load_robot
from dynident.core.parallel import process_pool
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Motion, combine, friction_model, linear, smooth
from dynident.dynamics.friction.laws import Armature, Coulomb, Viscous
from dynident.errors import DynidentError, ValueRangeError
from dynident.motions import (
    Box,
    LimitError,
    check_trajectory,
    design_trajectory,
    expected_std,
    panda_table_1,
    robot_limits,
)
from dynident.motions.design.criterion import KINDS, Criterion, base_regressor, condition_number
from dynident.motions.design.descent import FIRST, DescentSearch
from dynident.motions.design.design import _Collected
from dynident.motions.design.problem import build_search
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters
from tests.facts import about, carries, raises

PLANAR, PANDA, KUKA = load_robot("planar_2r"), load_robot("panda"), load_robot("kuka_lwr4")
QUICK = {"starts": 1, "iterations": 8, "rate": 50.0}


def search(robot, *, friction, kind="condition", **limits) -> DescentSearch:
    return build_search(robot, limits=robot_limits(robot, **limits), friction=friction, criterion=kind)


def test_the_condition_number_is_that_of_the_stacked_matrix():
    base = base_parameters(PANDA, friction=linear())
    motion = SampledMotion(*np.random.default_rng(0).normal(size=(3, 60, 7)))
    Y = base_regressor(base, motion)
    assert Y.shape == (64, 7, 60)
    stacked = Y.reshape(64, -1).T
    assert condition_number(base, motion) == pytest.approx(np.linalg.cond(stacked), rel=1e-9)
    pi = np.random.default_rng(1).normal(size=64)
    standard = base.representative(pi)
    expected = inverse_dynamics(PANDA, standard[:70], *motion)
    expected = expected + np.einsum("ijk,jk->ij", linear().columns(Motion(*motion)), standard[70:].reshape(7, 3))
    np.testing.assert_allclose((stacked @ pi).reshape(7, 60).T, expected, atol=1e-9)


def test_the_smooth_criterion_tends_to_the_condition_number_from_above():
    base = base_parameters(PLANAR, friction=Viscous())
    motion = SampledMotion(*np.random.default_rng(0).normal(size=(3, 50, 2)))
    values = [Criterion(base=base, friction=Viscous()).evaluate(motion, p)[0] for p in (2.0, 8.0, 64.0, 1000.0)]
    kappa = np.log(condition_number(base, motion))
    assert values == sorted(values, reverse=True)
    assert kappa - 1e-9 <= values[-1] <= kappa + 0.01


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("robot", "friction", "limits"),
    [
        (PANDA, linear(), {"velocity_scale": 0.2, "effort_scale": 0.3}),
        (PLANAR, combine(Viscous(), Coulomb(), Armature()), {"floor": -0.1, "velocity_scale": 0.3}),
        (KUKA, None, {"boxes": (Box(lower=[-0.3] * 3, upper=[0.5] * 3, frames=("tool",)),)}),
    ],
    ids=["panda", "planar", "kuka"],
)
def test_the_gradient_is_the_derivative_of_the_objective(robot, friction, limits, kind):
    problem = search(robot, friction=friction, kind=kind, **limits)
    rng = np.random.default_rng(4)
    x = problem.parametrisation.standing_still(problem.centres[0]) + 0.3 * rng.normal(size=problem.parametrisation.unknowns)
    assert problem.penalty.evaluate(problem.parametrisation.motion(x))[0] > 0.0  # the limits take part
    _, gradient = problem.objective(x, 4.0, 3.0)
    h = 1e-5  # longer ones meet the edges of the limits, where the objective has no third derivative
    # LAPACK's eigenvalues are known to ε of the largest, functions of their logarithms to ε κ², differences to that over their step
    rounding = np.finfo(float).eps * condition_number(problem.criterion.base, problem.parametrisation.motion(x)) ** 2 / h
    for direction in rng.normal(size=(3, len(x))):
        once, twice = (_difference(lambda y: problem.objective(y, 4.0, 3.0)[0], x, step * direction) / step for step in (h, 2.0 * h))
        beyond = (once - twice) / 3.0  # the part of h², by which differences are off; less is left without it
        assert gradient @ direction == pytest.approx(once + beyond, rel=0.0, abs=abs(beyond) + rounding)


def _difference(function, x, step):
    return (function(x + step) - function(x - step)) / 2.0


def test_a_step_that_ends_nowhere_turns_back():
    """The line search can try unknowns of millions of radians, which the kernels refuse."""
    problem = search(PLANAR, friction=None)
    x = problem.parametrisation.standing_still(problem.centres[0]) + 1e7
    value, gradient = problem.objective(x, 4.0, 3.0)
    moved = (problem.objective(x + gradient / 1e9, 4.0, 3.0)[0] - problem.objective(x - gradient / 1e9, 4.0, 3.0)[0]) / 2e-9
    assert gradient @ gradient == pytest.approx(moved, rel=1e-6)
    assert value > 1e10


def test_only_the_sign_of_coulomb_friction_is_smoothed():
    motion = Motion(*np.random.default_rng(0).normal(size=(3, 40, 3)))
    expected = friction_model("viscous+smooth_coulomb+offset")
    smoothed = smooth(linear(), 0.02)
    np.testing.assert_array_equal(smoothed.columns(motion), expected.columns(motion))
    assert smoothed.parameter_names == linear().parameter_names
    np.testing.assert_array_equal(smooth(Viscous(), 0.1).columns(motion), Viscous().columns(motion))


def test_expected_deviations_are_those_of_a_monte_carlo_experiment():
    base = base_parameters(PLANAR, friction=Viscous())
    trajectory = design_trajectory(PLANAR, friction=Viscous(), **QUICK).trajectory
    noise = np.array([0.3, 0.05])
    predicted = expected_std(base, trajectory, torque_noise=noise, rate=10.0)
    Y = base_regressor(base, trajectory.sample(np.arange(201) / 10.0)).reshape(base.rank, -1).T
    draws = np.random.default_rng(0).normal(size=(len(Y), 4000))
    found = np.linalg.lstsq(Y / np.repeat(noise, 201)[:, None], draws, rcond=None)[0].std(axis=1)
    np.testing.assert_allclose(predicted, found, rtol=0.05)
    both = expected_std(base, trajectory, torque_noise=0.1, rate=10.0)
    np.testing.assert_allclose(both, 0.1 * np.sqrt(np.diag(np.linalg.inv(Y.T @ Y))), rtol=0.02)


def test_what_a_trajectory_does_not_excite_has_an_infinite_deviation():
    base = base_parameters(PANDA, friction=linear())
    still = replace(panda_table_1(), amplitude=np.array([1.0, 0, 0, 0, 0, 0, 0]), start=np.zeros(7))
    std = dict(zip(base.names, expected_std(base, still, torque_noise=0.1, rate=10.0), strict=True))
    assert np.isinf(std["fv3"])
    assert np.isfinite(std["fv1"])


@pytest.mark.parametrize(("at_rest", "starts"), [(False, 3), (True, 3), (False, 6)])
def test_the_answer_does_not_depend_on_the_workers(at_rest, starts):
    options = {"friction": linear(), "at_rest": at_rest, "seed": 3, **QUICK, "starts": starts}
    alone = design_trajectory(PLANAR, **options)
    with ThreadPoolExecutor(2) as pool:
        together = design_trajectory(PLANAR, **options, executor=pool)
    np.testing.assert_array_equal(alone.trajectory.coefficients, together.trajectory.coefficients)
    assert alone.history == together.history
    assert alone.value == min(alone.history)
    other = design_trajectory(PLANAR, **{**options, "seed": 4})
    assert not np.array_equal(alone.trajectory.coefficients, other.trajectory.coefficients)


def test_only_the_starts_that_promise_most_go_on(monkeypatch):
    rounds: dict[int, int] = {}
    monkeypatch.setattr("dynident.motions.design.design._Collected.add", _note_rounds(rounds))
    shares: list[float] = []
    design = design_trajectory(PLANAR, friction=linear(), progress=shares.append, **{**QUICK, "starts": 6})
    assert len(design.history) == 6
    assert sorted(count > FIRST for count in rounds.values()) == [False] * 3 + [True] * 3
    assert shares == sorted(set(shares))
    assert shares[-1] == 1.0


def _note_rounds(rounds):
    add = _Collected.add

    def noting(self, start, candidate):
        rounds[start] = len(candidate.history)
        add(self, start, candidate)

    return noting


def test_a_start_that_pauses_goes_on_as_if_it_had_not():
    problem = replace(search(PLANAR, friction=linear(), kind="v_optimal"), iterations=8)
    at_once = problem(0, np.random.default_rng(5))
    begun = {0: replace(problem, begun={})(0, np.random.default_rng(5))}
    assert len(begun[0].history) == FIRST
    gone_on = replace(problem, begun=begun)(0, np.random.default_rng(6))
    np.testing.assert_array_equal(gone_on.x, at_once.x)
    assert gone_on.history == at_once.history
    assert gone_on.paused is at_once.paused is None


def test_an_interruption_of_those_that_go_on_keeps_all_starts(monkeypatch):
    rounds = DescentSearch._round

    def third_round_is_interrupted(self, x, sharpness, weight, iterations, tell):
        if sharpness == 8.0:
            raise KeyboardInterrupt
        return rounds(self, x, sharpness, weight, iterations, tell)

    monkeypatch.setattr(DescentSearch, "_round", third_round_is_interrupted)
    design = design_trajectory(PLANAR, friction=linear(), **{**QUICK, "starts": 5})
    assert len(design.history) == 5
    assert design.value == min(design.history)
    assert design.report.holds
    assert design.interrupted


def test_a_few_iterations_beat_the_published_panda_motion():
    design = design_trajectory(PANDA, friction=linear(), criterion="condition", starts=1, iterations=40)
    assert design.base.rank == 64
    assert design.condition_number < 60.0  # the published sinusoids: see below
    assert condition_number(design.base, design.trajectory.sample(np.linspace(0, 20, 2001))) == pytest.approx(
        design.condition_number, rel=0.01
    )
    published = panda_table_1().sample(np.linspace(0, 20, 2001))
    assert condition_number(design.base, published) > 2.0 * design.condition_number
    assert design.value == design.condition_number
    assert "Condition number" in str(design)


def test_boundary_conditions_hold():
    start = np.array([0.3, -0.4])
    design = design_trajectory(PLANAR, friction=linear(), start=start, at_rest=True, **QUICK)
    ends = design.trajectory.sample([0.0, 20.0])
    np.testing.assert_allclose(ends.q, [start, start], atol=1e-9)
    np.testing.assert_allclose(ends.dq, 0.0, atol=1e-9)
    np.testing.assert_allclose(ends.ddq, 0.0, atol=1e-9)
    assert not about(design.notes, "starts", "velocity")


def test_a_trajectory_that_is_not_a_whole_number_of_periods():
    design = design_trajectory(PLANAR, friction=linear(), duration=15.0, base_frequency=0.1, at_rest=True, **QUICK)
    assert design.trajectory.duration == 15.0
    np.testing.assert_allclose(design.trajectory.sample([0.0, 15.0]).dq, 0.0, atol=1e-9)
    assert check_trajectory(design.trajectory, PLANAR, robot_limits(PLANAR), rate=500.0).holds


def test_d_optimality_gains_determinant():
    by_condition = design_trajectory(PLANAR, friction=linear(), criterion="condition", seed=1, **{**QUICK, "iterations": 40})
    by_volume = design_trajectory(PLANAR, friction=linear(), criterion="d_optimal", seed=1, **{**QUICK, "iterations": 40})
    assert np.log(by_volume.std).sum() < np.log(by_condition.std).sum()


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(
    low=st.floats(-2.5, -0.2),
    high=st.floats(0.1, 2.5),
    velocity=st.floats(0.05, 5.0),
    acceleration=st.floats(0.1, 20.0),
    effort=st.floats(0.05, 1.0),
    reach=st.floats(0.3, 2.0),
    seed=st.integers(0, 3),
)
def test_no_limit_is_ever_broken(low, high, velocity, acceleration, effort, reach, seed):
    limits = replace(
        robot_limits(PLANAR, effort_scale=effort),
        position=np.array([[low, high], [low, high]]),
        velocity=np.array([velocity, 2 * velocity]),
        acceleration=np.array([acceleration, acceleration]),
        boxes=(Box(lower=[-reach, -2.0, -1.0], upper=[2.0, reach, 1.0]),),
    )
    try:
        design = design_trajectory(PLANAR, friction=linear(), limits=limits, seed=seed, **QUICK)
    except LimitError as error:
        assert error.limit  # noqa: PT017 (torques or a box that no position keeps)
        return
    assert design.report.holds
    assert design.report.rate == 500.0
    assert check_trajectory(design.trajectory, PLANAR, limits, rate=1777.0).holds


def test_a_budget_that_is_over_still_gives_a_valid_trajectory():
    design = design_trajectory(PLANAR, friction=linear(), budget=1e-3, rate=50.0)
    assert design.report.holds
    assert 1 <= len(design.history) < 1000


def test_a_candidate_whose_repair_costs_too_much_gives_way_to_the_next(monkeypatch):
    descend = DescentSearch._descend

    def first_start_is_much_too_wide(self, start, rng):
        found = descend(self, start, rng)
        return replace(found, x=50.0 * found.x, value=-100.0) if start == 0 else found

    monkeypatch.setattr(DescentSearch, "_descend", first_start_is_much_too_wide)
    monkeypatch.setattr(DescentSearch, "repair", lambda self, x, centre, times=None: self._candidate(centre + 1e-3 * (x - centre)))
    design = design_trajectory(PLANAR, friction=linear(), **{**QUICK, "starts": 2})
    assert design.report.holds
    assert design.history[0] == -100.0
    assert design.value == design.history[1]


def test_a_motion_within_its_limits_is_not_made_smaller_for_its_reserve(monkeypatch):
    keeps = DescentSearch.keeps
    monkeypatch.setattr(DescentSearch, "keeps", lambda self, x, times=None: times is None and keeps(self, x))
    design = design_trajectory(PLANAR, friction=linear(), **QUICK)
    assert design.value == min(design.history)


def test_progress_is_reported():
    shares: list[float] = []
    design_trajectory(PLANAR, friction=linear(), progress=shares.append, **{**QUICK, "starts": 2})
    assert shares == sorted(set(shares))
    assert {0.5, 1.0} <= set(shares)


def test_progress_moves_with_every_iteration(monkeypatch):
    monkeypatch.setattr("dynident.motions.design.design.TICK", 0.0)
    shares: list[float] = []
    design_trajectory(PLANAR, friction=linear(), progress=shares.append, **{**QUICK, "iterations": 40})
    steps = np.diff([0.0, *shares[:-1]])
    assert len(shares) > 20
    assert np.all(steps > 0.0)
    assert np.median(steps) < 0.05
    assert shares[-1] == 1.0


def test_progress_of_other_processes_is_read_while_they_work(monkeypatch):
    monkeypatch.setattr("dynident.core.parallel.TICK", 0.01)
    shares: list[float] = []
    with process_pool(2) as pool:
        design_trajectory(PLANAR, friction=linear(), progress=shares.append, executor=pool, **{**QUICK, "starts": 2, "iterations": 60})
    assert shares == sorted(set(shares))
    assert sum(share not in (0.5, 1.0) for share in shares) > 1
    assert shares[-1] == 1.0


class _Interrupting:
    """Interrupts, as a user would, once this share is done."""

    def __init__(self, share: float) -> None:
        self.share = share

    def __call__(self, share: float) -> None:
        if share >= self.share:
            raise KeyboardInterrupt


def test_an_interrupted_design_returns_the_best_so_far():
    whole = design_trajectory(PLANAR, friction=linear(), **{**QUICK, "starts": 3})
    design = design_trajectory(PLANAR, friction=linear(), progress=_Interrupting(2 / 3), **{**QUICK, "starts": 3})
    assert design.history == whole.history[:2]
    assert design.report.holds
    assert any("interrupted" in note for note in design.notes)


def test_an_interruption_inside_a_start_keeps_what_it_found(monkeypatch):
    rounds = DescentSearch._round

    def third_round_is_interrupted(self, x, sharpness, weight, iterations, tell):
        if sharpness == 8.0:
            raise KeyboardInterrupt
        return rounds(self, x, sharpness, weight, iterations, tell)

    monkeypatch.setattr(DescentSearch, "_round", third_round_is_interrupted)
    design = design_trajectory(PLANAR, friction=linear(), **{**QUICK, "starts": 3})
    assert len(design.history) == 1
    assert design.report.holds


POOLED = """
from concurrent.futures import ProcessPoolExecutor
from dynident import load_robot
from dynident.motions import design_trajectory
from dynident.dynamics.friction import linear

told = lambda share: print("done", flush=True)
with ProcessPoolExecutor(2) as pool:
    design = design_trajectory(
        load_robot("planar_2r"), friction=linear(), duration=5.0, rate=20.0, iterations=300, starts=40, executor=pool, progress=told
    )
print(len(design.history), design.report.holds, design.notes)
"""


def test_ctrl_c_ends_a_pool_and_keeps_the_best_so_far():
    """As a terminal sends it: to the process and to its workers. Starts that are under way end with what they have."""
    with subprocess.Popen([sys.executable, "-c", POOLED], stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0
    history, holds, notes = rest.splitlines()[-1].split(" ", 2)
    assert 1 <= int(history) < 10
    assert holds == "True"
    assert carries(notes, "interrupted")


@pytest.mark.parametrize(
    ("limits", "options", "limit", "facts"),
    [
        ({"velocity_scale": 0.0}, {}, "velocity limit of joint 'panda_joint1'", (0,)),
        ({"floor": 0.2}, {}, "floor", (0.2, 0)),
        ({}, {"start": [0, 0, 0, 0, 0, 0, 0]}, "position limit of joint 'panda_joint4'", ("start", 0)),
        ({"position_margin": 5.0}, {}, "position limit of joint 'panda_joint1'", (2.103, -2.103)),
        ({"effort_scale": 1e-4}, {}, "effort limit at panda_joint6", (2.3,)),
        ({"boxes": (Box(lower=[1, 1, 1], upper=[2, 2, 2], name="cupboard"),)}, {}, "cupboard limit at link1", (1.13,)),
    ],
)
def test_the_limit_that_stops_a_design_is_named(limits, options, limit, facts):
    with raises(LimitError, *facts, limit=limit) as caught:
        design_trajectory(PANDA, friction=linear(), limits=robot_limits(PANDA, **limits), **options, **QUICK)
    assert isinstance(caught.value, DynidentError)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"duration": 0.0}, "duration"),
        ({"harmonics": 0}, "harmonics"),
        ({"harmonics": 1, "at_rest": True}, "harmonics"),
        ({"base_frequency": -1.0}, "base_frequency"),
        ({"torque_noise": 0.0}, "torque_noise"),
        ({"rate": 0.0}, "rate"),
    ],
)
def test_wrong_options_are_named(options, name):
    with raises(ValueRangeError, name=name):
        design_trajectory(PLANAR, friction=friction_model("viscous"), **{**QUICK, "iterations": 1, **options})


def test_an_unknown_criterion_is_refused():
    with raises(ValueRangeError, "v_optimal", "d_optimal", name="criterion"):
        design_trajectory(PLANAR, friction=None, criterion="a_optimal", **QUICK)
