"""Static configurations for the controller route."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import load_dataset
from dynident.dynamics import gravity, inertia_gravity_regressor
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.motions import Box, LimitError, SampledTrajectory, check_trajectory, robot_limits
from dynident.motions.design.static_design import METHODS, _greedy, design_configurations
from dynident.motions.formats.registry import write_trajectory
from dynident.motions.moves.moves import slow_limits, straight_move
from dynident.motions.moves.sequence import order_positions, plan_sequence
from tests.facts import raises

PANDA, PLANAR = load_robot("panda"), load_robot("planar_2r")


def log_determinant(design) -> float:
    Y = inertia_gravity_regressor(PANDA, design.q)[:, :, design.base.independent].reshape(-1, design.base.rank)
    return np.linalg.slogdet(Y.T @ Y)[1]


@pytest.mark.parametrize("method", METHODS)
def test_configurations_keep_the_limits_and_follow_the_seed(method):
    limits = robot_limits(PANDA, floor=-0.1, effort_scale=0.5)
    design = design_configurations(PANDA, 20, method=method, limits=limits, seed=1)
    assert design.q.shape == (20, 7)
    assert design.base.rank == 43
    assert np.all(limits.position[:, 0] <= design.q)
    assert np.all(design.q <= limits.position[:, 1])
    assert np.all(np.abs(gravity(PANDA, PANDA.parameters, design.q)) <= limits.effort)
    np.testing.assert_array_equal(design.q, design_configurations(PANDA, 20, method=method, limits=limits, seed=1).q)
    assert not np.array_equal(design.q, design_configurations(PANDA, 20, method=method, limits=limits, seed=2).q)


def test_the_greedy_choice_knows_more_than_chance():
    chosen = log_determinant(design_configurations(PANDA, 30, seed=0))
    assert all(chosen > log_determinant(design_configurations(PANDA, 30, method="random", seed=seed)) + 1.5 for seed in range(3))


def test_lazy_greedy_is_greedy():
    rows = np.random.default_rng(0).normal(size=(40, 2, 5))
    scale = (rows**2).sum() / (40 * 5)
    G, chosen = 1e-6 * scale * np.eye(5), []
    for _ in range(8):
        gains = [-np.inf if i in chosen else np.linalg.slogdet(G + rows[i].T @ rows[i])[1] for i in range(40)]
        chosen.append(int(np.argmax(gains)))
        G = G + rows[chosen[-1]].T @ rows[chosen[-1]]
    assert _greedy(rows, 8, None) == chosen


def test_the_file_holds_a_drive_to_all_configurations(tmp_path):
    design = design_configurations(PANDA, 10, method="sobol", seed=3)
    write_trajectory(design.dataset(), tmp_path / "q.csv")
    points = load_dataset(tmp_path / "q.csv")
    np.testing.assert_array_equal(points.q[points.period > 0], design.q)
    np.testing.assert_array_equal(points.period[points.period > 0], np.arange(1, 11))
    np.testing.assert_array_equal(points.q[[0, -1]], [design.home.q] * 2)
    assert points.time[-1] == pytest.approx(design.duration)
    again = SampledTrajectory(joints=points.joint_names, times=points.time, q=points.q, dq=points.dq, ddq=points.ddq)
    t = np.linspace(0.0, design.duration, 500)
    np.testing.assert_allclose(again.sample(t).q, design.sequence.way.sample(t).q, atol=1e-9)  # what is between the points follows
    assert check_trajectory(again, PANDA, robot_limits(PANDA), rate=50.0).holds
    dense = design.sequence.samples(50.0)
    standing = dense.period > 0
    assert np.abs(dense.dq[standing]).max() < 1e-9
    assert standing.sum() == pytest.approx(10 * 50, abs=10)
    np.testing.assert_allclose(dense.q[np.flatnonzero(dense.period == 4)[5]], design.q[3], atol=1e-9)


def test_the_order_is_short():
    rng = np.random.default_rng(0)
    limits = slow_limits(robot_limits(PLANAR))
    angles = rng.permutation(40) * (2 * np.pi / 40)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    order = order_positions(circle, np.array([1.1, 0.0]), limits)
    assert sorted(order) == list(range(40))
    around = np.unwrap(angles[order])
    assert np.all(np.diff(around) > 0.0) or np.all(np.diff(around) < 0.0)  # once round, and never across
    places = rng.uniform(-2.0, 2.0, (30, 2))

    def length(order):
        stops = np.concatenate([[[0.0, 0.0]], places[order], [[0.0, 0.0]]])
        return sum(straight_move(PLANAR, a, b, limits).duration for a, b in pairwise(stops))

    assert length(order_positions(places, np.zeros(2), limits)) < 0.6 * length(range(30))


def test_moves_go_around_what_bars_them_and_unreachable_positions_are_replaced():
    wall = Box(lower=np.array([-2.0, -2.0, -2.0]), upper=np.array([0.6, 2.0, 2.0]), frames=("tool",), name="wall")
    limits = replace(robot_limits(PLANAR), boxes=(wall,), torque=None)
    ends = np.array([[1.3, 0.1], [-1.3, 0.1]])
    sequence = plan_sequence(PLANAR, ends, limits=limits, home=np.array([1.4, 0.0]))
    assert sequence.via > 0
    np.testing.assert_array_equal(sequence.positions, ends)
    assert check_trajectory(sequence.way, PLANAR, limits, rate=200.0).holds
    narrow = replace(limits, position=np.array([[-3.1, 3.1], [0.0, 0.2]]), boxes=(replace(wall, lower=np.array([-0.6, -2.0, -2.0])),))
    with raises(LimitError, "there", limit="wall limit at 'tool'"):
        plan_sequence(PLANAR, ends, limits=narrow, home=np.array([1.4, 0.0]))
    replaced = plan_sequence(PLANAR, ends, limits=narrow, home=np.array([1.4, 0.0]), others=np.array([[-1.5, 0.1], [1.6, 0.1]]))
    assert replaced.replaced == 1
    assert [1.6, 0.1] in replaced.positions.tolist()


def test_configurations_for_gravity_alone_tell_more_of_it():
    design = design_configurations(PANDA, 12, equations="gravity")
    both = design_configurations(PANDA, 12)
    assert (design.base.equations, design.base.rank < both.base.rank) == ("gravity", True)

    def known(q):
        rows = inertia_gravity_regressor(PANDA, q)[:, -7:][:, :, design.base.independent].reshape(-1, design.base.rank)
        return np.linalg.slogdet(rows.T @ rows)[1]

    assert known(design.q) > known(both.q)


def test_wrong_input_and_impossible_limits_are_named():
    with raises(UnknownNameError, kind="method", name="best"):
        design_configurations(PANDA, 10, method="best")
    with raises(ValueRangeError, name="count"):
        design_configurations(PANDA, 1)
    with raises(LimitError, 0, limit="effort limit"):
        design_configurations(PANDA, 2, method="random", limits=robot_limits(PANDA, effort_scale=1e-4))
