"""The least distance along a whole motion: against brute force, and between the samples."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.motions import FourierTrajectory, robot_limits
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.sweep import SHARE, TOLERANCE, least_margins
from tests.unit.motions.limits.test_gaps import all_pairs, hulls_on

PANDA = load_robot("panda")


def gaps_of(robot):
    model, _ = CollisionModel.of_robot(robot)
    assert model is not None
    return model.gaps(robot_limits(robot))


def motion(robot, seed, duration=4.0) -> FourierTrajectory:
    rng = np.random.default_rng(seed)
    low, high = robot.position_limits.T
    a, b = 0.3 * rng.normal(size=(2, robot.n, 3))
    return FourierTrajectory(joints=robot.joint_names, base_frequency=1.0 / duration, a=a, b=b, q0=rng.uniform(low, high))


@pytest.mark.parametrize("rate", [50.0, 1000.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_just_below_what_ten_thousand_samples_per_second_find(seed, rate):
    gaps, trajectory = gaps_of(PANDA), motion(PANDA, seed)
    time = np.arange(int(4.0 * rate) + 1) / rate
    found = least_margins(gaps, time, *trajectory.sample(time)[:2])
    fine = np.concatenate([gaps.margins(q) for q in np.array_split(trajectory.sample(np.linspace(0.0, 4.0, 40001)).q, 10)])
    assert [least.limit for least in found] == list(gaps.names) == ["self-collision", "floor"]
    for g, least in enumerate(found):
        truth = fine[:, gaps.group == g].min()
        allowed = max(TOLERANCE, SHARE * abs(truth)) + 1e-6
        assert truth - allowed <= least.margin <= truth + 1e-9
        assert gaps.margins(trajectory.sample([least.time]).q)[0, least.gap] == pytest.approx(truth, abs=2 * allowed)


def test_solids_with_corners_have_bounds_too():
    gaps, trajectory = all_pairs(hulls_on(PANDA)), motion(PANDA, 1)
    time = np.linspace(0.0, 4.0, 101)
    found = least_margins(gaps, time, *trajectory.sample(time)[:2])
    fine = gaps.margins(trajectory.sample(np.linspace(0.0, 4.0, 1001)).q)
    for g, least in enumerate(found):
        truth = fine[:, gaps.group == g].min()
        assert truth - max(TOLERANCE, SHARE * abs(truth)) - 1e-3 <= least.margin <= truth + 1e-9


@pytest.mark.parametrize("enough", [np.inf, 0.0])
def test_what_happens_between_two_samples_is_seen(enough):
    """Two samples on both sides of an obstacle that the motion passes through; at both it is far away."""
    robot = load_robot("planar_2r")
    model, _ = CollisionModel.of_robot(robot)
    assert model is not None
    gaps = model.gaps(robot_limits(robot, floor=-0.7))
    q = np.array([[-np.pi, 0.0], [0.0, 0.0]])
    assert gaps.margins(q).min() > 0.3
    dq = np.array([[np.pi, 0.0]] * 2)
    (floor,) = [least for least in least_margins(gaps, np.array([0.0, 1.0]), q, dq, enough=enough) if least.limit == "floor"]
    assert floor.margin < -0.3
    if enough == 0.0:  # that it is broken is all that is asked
        return
    assert floor.time == pytest.approx(0.5, abs=0.02)
    hanging = gaps.margins(np.array([[-np.pi / 2, 0.0]]))[0, gaps.group == gaps.names.index("floor")].min()
    assert floor.margin == pytest.approx(hanging, rel=0.03)


def test_a_margin_that_is_enough_is_not_made_more_exact():
    gaps, trajectory = gaps_of(PANDA), motion(PANDA, 1)
    time = np.arange(401) / 100.0
    exact = least_margins(gaps, time, *trajectory.sample(time)[:2])
    least = min(exact, key=lambda found: found.margin)
    rough = least_margins(gaps, time, *trajectory.sample(time)[:2], enough=least.margin - 0.05)
    assert all(least.margin - 0.05 <= found.margin for found in rough)
    broken = least_margins(gaps, time, *trajectory.sample(time)[:2], enough=least.margin + 0.05)
    assert min(found.margin for found in broken) < least.margin + 0.05


def test_standing_still_is_one_look():
    gaps = gaps_of(PANDA)
    q = np.array([[0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7]])
    found = least_margins(gaps, np.zeros(1), q, np.zeros((1, 7)))
    for g, least in enumerate(found):
        assert least.margin == gaps.margins(q)[0, gaps.group == g].min()
