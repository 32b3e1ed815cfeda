"""Column names that need no map, and those that must not be taken for something."""

from __future__ import annotations

import pytest

from dynident.data.reading.quantities import Meaning, meaning, natural_order


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t", Meaning("time")),
        ("Timestamp", Meaning("time")),
        ("positions", Meaning("q")),
        ("qd", Meaning("dq")),
        ("accelerations", Meaning("ddq")),
        ("tau", Meaning("torque")),
        ("effort", Meaning("torque")),
        ("currents", Meaning("current")),
        ("abs_torque", Meaning("magnitude")),
        ("abs_current3", Meaning("current_magnitude", joint=3)),
        ("M", Meaning("M")),
        ("g", Meaning("g")),
        ("q1", Meaning("q", joint=1)),
        ("q_12", Meaning("q", joint=12)),
        ("dq[3]", Meaning("dq", joint=3)),
        ("tau0", Meaning("torque", joint=0)),
        ("position_2", Meaning("q", joint=2)),
        ("joint3_velocity", Meaning("dq", joint=3)),
        ("J4.torque", Meaning("torque", joint=4)),
        ("axis_5_current", Meaning("current", joint=5)),
        ("panda_joint2_position", Meaning("q", joint="panda_joint2")),
        ("position_shoulder_pan_joint", Meaning("q", joint="shoulder_pan_joint")),
        ("M12", Meaning("M", element=(1, 2))),
        ("M_10_11", Meaning("M", element=(10, 11))),
        ("m[1,2]", Meaning("M", element=(1, 2))),
        ("/log/q", Meaning("q")),
        ("robot/joint_states/position", Meaning("q")),
    ],
)
def test_what_a_name_says(name, expected):
    assert meaning(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        "target_positions",
        "q_des",
        "target_joint1_position",
        "joint1_cmd_position",
        "desired/q",
        "target_q1",
        "tau_ext",
        "q1 [deg]",
        "humidity",
        "x",
        "column1",
        "Joint_1",
        "gain",
        "c_d",
        "q1_q2",
    ],
)
def test_what_says_nothing(name):
    assert meaning(name) is None


def test_numbers_sort_as_numbers():
    assert natural_order(["q10", "q2", "q1", "a"]) == ["a", "q1", "q2", "q10"]
