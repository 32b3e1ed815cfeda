"""The limit that is blamed where a robot can stand nowhere is the one that no position keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.motions import LimitError, robot_limits
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import Box
from dynident.motions.limits.margins import LimitMargin
from dynident.motions.limits.standing import RefusedPositions, standing_positions
from dynident.motions.moves.home import find_home
from dynident.robots import Robot
from tests.facts import raises

PANDA = load_robot("panda")


def searches(robot: Robot, limits):
    collision = CollisionModel.of_robot(robot)[0]
    return (
        lambda: find_home(robot, limits, collision),
        lambda: standing_positions(robot, limits, collision, np.random.default_rng(0), None),
    )


def test_a_wall_around_the_base_is_blamed_and_no_pair_of_links():
    wall = Box(lower=np.array([-0.05, -0.05, -1.0]), upper=np.array([0.05, 0.05, 3.0]), name="wall")
    for search in searches(PANDA, robot_limits(PANDA, boxes=(wall,))):
        with pytest.raises(LimitError) as refused:
            search()
        assert refused.value.limit.split()[0] == "wall"
        assert refused.value.also == ()


def test_the_floor_is_blamed_by_an_arm_that_hangs_below_it():
    placement = np.array(PANDA.joints[0].placement)
    placement[2, 3] -= 1.5
    sunk = replace(PANDA, joints=(replace(PANDA.joints[0], placement=placement), *PANDA.joints[1:]))
    for search in searches(sunk, robot_limits(sunk)):
        with pytest.raises(LimitError) as refused:
            search()
        assert refused.value.limit.split()[0] == "floor"
    for search in searches(sunk, robot_limits(sunk, floor=None)):
        search()


def test_two_limits_that_no_position_keeps_are_both_named():
    far = Box(lower=np.full(3, 5.0), upper=np.full(3, 6.0), frames=("tool",), name="cell")
    weak = replace(robot_limits(PANDA, boxes=(far,)), effort=np.full(7, 1e-3))
    for search in searches(PANDA, weak):
        with pytest.raises(LimitError) as refused:
            search()
        assert [refused.value.limit.split()[0], *(title.split()[0] for title in refused.value.also)] == ["effort", "cell"]


def margin(name: str, value: float) -> LimitMargin:
    return LimitMargin(name=name, where="link1", margin=value, share=np.nan, time=0.0, unit="m")


def refused_positions(*rows: dict[str, float]) -> RefusedPositions:
    refused = RefusedPositions()
    for row in rows:
        margins = [margin(name, value) for name, value in row.items()]
        refused.add(margins, [each for each in margins if each.margin < 0.0])
    return refused


def test_a_limit_that_is_broken_by_more_is_blamed_if_it_alone_is_broken_everywhere():
    refused = refused_positions({"floor": 0.1, "wall": -3.0, "self-collision": -1e-4}, {"floor": -0.1, "wall": -2.0, "self-collision": 0.1})
    assert [(limit.name, limit.margin) for limit in refused.binding()] == [("wall", -2.0)]


def test_of_limits_that_are_kept_alone_the_one_is_blamed_that_keeps_out_positions_that_keep_all_others():
    refused = refused_positions({"a": 0.1, "b": -0.3, "c": 0.0}, {"a": -0.2, "b": 0.2, "c": -0.1}, {"a": 0.1, "b": -0.4, "c": 0.1})
    assert [(limit.name, limit.margin) for limit in refused.binding()] == [("b", -0.3)]
    with raises(LimitError, 0.3, 3, limit="b limit at link1", also=()):
        raise refused.error(None)


def test_where_several_limits_are_broken_everywhere_the_most_frequent_is_blamed():
    refused = refused_positions({"a": -0.1, "b": -0.3, "c": 0.0}, {"a": 0.2, "b": -0.2, "c": -0.1}, {"a": -0.1, "b": 0.4, "c": -0.2})
    refused.add([margin("a", 0.1), margin("b", -0.5), margin("c", -0.5)], [margin("b", -0.5), margin("c", -0.5)])
    assert [(limit.name, limit.margin) for limit in refused.binding()] == [("b", -0.2)]
