"""Robots in files: every field of a record comes back to the last bit, and standard JSON holds the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from dynident.core.records import read_record, write_record
from dynident.robots import Joint, Link, Robot, library_names, load_robot, robot_to_dict


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


@pytest.fixture
def through_file(tmp_path: Path) -> Callable[[Robot], Robot]:
    def pass_through(robot: Robot) -> Robot:
        write_record(tmp_path / "robot", robot)
        again = read_record(tmp_path / "robot", Robot, remedy="")
        assert json.dumps(robot_to_dict(again), allow_nan=False) == json.dumps(robot_to_dict(robot), allow_nan=False)
        return again

    return pass_through


@pytest.mark.parametrize("name", library_names())
def test_library_robots_come_back(name, through_file):
    robot = load_robot(name)
    assert_same(robot, through_file(robot))


def test_a_robot_with_lumped_links_and_another_gravity_comes_back(through_file):
    robot = load_robot("panda", lock={"panda_joint7": 0.3, "panda_joint2": -0.7}, gravity=(1.0, 2.0, -9.3))
    assert len(robot.links[-1].pieces) == 2
    assert_same(robot, through_file(robot))


def test_shared_descriptions_come_back(shared_data: Path, through_file):
    robot = load_robot(shared_data / "kuka_lwr4" / "kuka_lwr4.urdf")
    assert_same(robot, through_file(robot))


def test_odd_axes_and_infinite_limits_come_back(through_file):
    rng = np.random.default_rng(0)
    for _ in range(50):
        joint = Joint(name="j", axis=rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3), position=(-np.inf, 1.0), velocity=np.inf, effort=0.1)
        robot = Robot(name="r", joints=(joint,), links=(Link(name="l", frame="joint frame"),))
        assert_same(robot, through_file(robot))
