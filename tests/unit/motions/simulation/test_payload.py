"""What the simulated robot weighs: links that are not quite those of its description."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.motions.simulation.payload import vary_links
from dynident.robots import load_robot
from dynident.robots.parameters import consistency_margin, pseudo_inertia


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4"])  # the second one's links are not consistent
def test_varied_links_are_consistent_and_differ_a_little(name):
    robot = load_robot(name)
    links = vary_links(robot, spread=0.1, seed=1)
    assert np.all(consistency_margin(links) > 0.0)
    change = np.abs(links[:, 0] / robot.parameters[:, 0] - 1.0)
    assert 0.01 < change.max() < 1.0
    assert not np.array_equal(links, vary_links(robot, spread=0.1, seed=2))


def test_without_spread_they_are_the_nominal_ones():
    robot = load_robot("panda")
    np.testing.assert_allclose(pseudo_inertia(vary_links(robot, spread=0.0)), pseudo_inertia(robot.parameters), rtol=1e-12, atol=1e-15)
