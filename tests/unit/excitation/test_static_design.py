"""Static configurations for the controller route."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import load_dataset
from dynident.dynamics import gravity, inertia_gravity_regressor
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.excitation import LimitError, robot_limits
from dynident.excitation.formats.registry import write_trajectory
from dynident.excitation.static_design import METHODS, _greedy, design_configurations

PANDA = load_robot("panda")


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


def test_the_file_holds_the_configurations(tmp_path):
    design = design_configurations(PANDA, 10, method="sobol")
    write_trajectory(design.dataset(), tmp_path / "q.csv")
    np.testing.assert_array_equal(load_dataset(tmp_path / "q.csv").q, design.q)


def test_wrong_input_and_impossible_limits_are_named():
    with pytest.raises(UnknownNameError, match="method"):
        design_configurations(PANDA, 10, method="best")
    with pytest.raises(ValueRangeError, match="count"):
        design_configurations(PANDA, 1)
    with pytest.raises(LimitError, match="effort limit leaves only 0"):
        design_configurations(PANDA, 2, method="random", limits=robot_limits(PANDA, effort_scale=1e-4))
