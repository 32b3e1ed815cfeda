"""Robots as plain data: every field comes back to the last bit, through standard JSON."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from dynident.errors import InputError
from dynident.robots import Joint, Link, Robot, library_names, load_robot, robot_from_dict, robot_to_dict
from tests.facts import raises


def assert_same(a, b, place="robot"):
    """Field by field, arrays bit by bit."""
    assert type(a) is type(b), place
    if is_dataclass(a):
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{place}.{field.name}")
    elif isinstance(a, np.ndarray):
        assert a.tobytes() == b.tobytes(), place
        assert a.shape == b.shape, place
    elif isinstance(a, tuple):
        assert len(a) == len(b), place
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{place}[{i}]")
    else:
        assert isinstance(a, str | int | float | Enum | None), place
        assert a == b, place


def through_json(robot: Robot) -> Robot:
    return robot_from_dict(json.loads(json.dumps(robot_to_dict(robot), allow_nan=False)))


@pytest.mark.parametrize("name", library_names())
def test_library_robots_come_back(name):
    robot = load_robot(name)
    assert_same(robot, through_json(robot))


def test_a_robot_with_lumped_links_and_another_gravity_comes_back():
    robot = load_robot("panda", lock={"panda_joint7": 0.3, "panda_joint2": -0.7}, gravity=(1.0, 2.0, -9.3))
    assert len(robot.links[-1].pieces) == 2
    assert_same(robot, through_json(robot))


def test_shared_descriptions_come_back(shared_data: Path):
    robot = load_robot(shared_data / "kuka_lwr4" / "kuka_lwr4.urdf")
    assert_same(robot, through_json(robot))


def test_odd_axes_and_infinite_limits_come_back():
    rng = np.random.default_rng(0)
    for _ in range(200):
        joint = Joint(name="j", axis=rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3), position=(-np.inf, 1.0), velocity=np.inf, effort=0.1)
        robot = Robot(name="r", joints=(joint,), links=(Link(name="l", frame="joint frame"),))
        assert_same(robot, through_json(robot))


def test_what_is_not_a_robot_is_refused():
    good = robot_to_dict(load_robot("planar_2r"))
    with raises(InputError, "schema", "None", "dynident/robot/1"):
        robot_from_dict({})
    with raises(InputError, "joints"):
        robot_from_dict({key: value for key, value in good.items() if key != "joints"})
    with raises(InputError, "robot_to_dict", "iterable"):
        robot_from_dict({**good, "joints": 3})
