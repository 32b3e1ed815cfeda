"""The pictures of a design show all that is driven."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.motions import design_trajectory, drive_design, robot_limits


def test_the_way_there_and_back_is_grey_and_all_of_the_drive_is_shown():
    robot = load_robot("planar_2r")
    design = design_trajectory(
        robot, friction=linear(), duration=5.0, limits=replace(robot_limits(robot), torque=None), starts=1, iterations=2, unchecked=True
    )
    assert design.figures()[0].data[0]["x"][-1] == pytest.approx(5.0)
    driven = drive_design(design, repeats=2)
    figure = driven.figures()[0]
    assert figure.data[0]["x"][-1] == pytest.approx(driven.drive.trajectory.duration, rel=1e-4)
    grey = [shape for shape in figure.layout["shapes"] if shape["type"] == "rect"]
    outside = [part for part in driven.drive.trajectory.parts if part.period == 0]
    assert [(shape["x0"], shape["x1"]) for shape in grey] == [(part.start, part.stop) for part in outside]
    whole = driven.plot()
    shaded = [shape for shape in whole.layout.shapes if shape.type == "rect"]
    assert {shape.xref for shape in shaded} == {trace.xaxis for trace in whole.data}
    assert {shape.yref for shape in shaded} == {f"{trace.yaxis} domain" for trace in whole.data}
    assert len({trace.xaxis for trace in whole.data}) == 8
