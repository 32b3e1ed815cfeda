"""A description in another format: what the file does not hold is named in a note."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.exports import convert
from dynident.robots.robot import JointType

#: What a note calls a field of a joint.
WORDS = {
    "position": "position limits",
    "velocity": "velocity limits",
    "acceleration": "acceleration limits",
    "effort": "effort limits",
    "jerk": "jerk limits",
    "home": "positions at rest",
    "friction": "friction",
}


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".yaml"])
def test_what_a_file_reads_back_otherwise_is_named(tmp_path: Path, suffix: str) -> None:
    robot = load_robot("spatial_3r")
    limits = {"velocity": 3.0, "acceleration": 8.0, "effort": 40.0, "jerk": 90.0, "home": 0.2, "friction": (0.5, 0.25)}
    joints = [replace(joint, type=JointType.REVOLUTE, position=(-1.0, 2.0), **limits) for joint in robot.joints]
    joints[1] = replace(joints[1], position=(-1.0, np.inf))
    first, *_, last = robot.link_names
    robot = replace(robot, joints=tuple(joints), floor=-0.75, apart=((first, last),))
    text, notes = convert(robot, f"arm{suffix}")
    (tmp_path / f"arm{suffix}").write_text(text)
    copy = load_robot(tmp_path / f"arm{suffix}")
    sentences = " ".join(notes)
    for field, words in WORDS.items():
        kept = all(getattr(ours, field) == getattr(theirs, field) for ours, theirs in zip(joints, copy.joints, strict=True))
        assert kept != (words in sentences), field
    assert (copy.floor == robot.floor) != ("-0.75" in sentences)
    assert (copy.apart == robot.apart) != (f"{first} and {last}" in sentences)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".yaml"])
def test_nothing_is_named_that_the_robot_does_not_have(suffix: str) -> None:
    robot = load_robot("pendulum_1r")
    bare = {"velocity": np.inf, "acceleration": np.inf, "effort": np.inf, "jerk": np.inf, "home": None, "position": (-np.inf, np.inf)}
    text, notes = convert(replace(robot, floor=0.0, joints=tuple(replace(joint, **bare) for joint in robot.joints)), f"arm{suffix}")
    assert text
    assert not any(word in note for note in notes for word in ("no place", "say"))
