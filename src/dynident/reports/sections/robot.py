"""The robot in 3D: each link's centre of mass and the solid ellipsoid with the same mass and inertia, nominal beside identified."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.errors import require
from dynident.reports.blocks import Block, Section, Text
from dynident.reports.robot_figures import outside, robot_figure
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    parameters = require(run.parameters, "the link parameters")
    robot = parameters.base.robot
    yield Text(
        "Drag to turn, scroll to zoom, click a name in the legend to hide it. A filled body is the ellipsoid of constant density that "
        "has the identified mass, centre of mass and inertia; the rings are the nominal one's. A link whose parameters the data don't "
        "determine can look odd and still give the right torques."
    )
    far = outside(robot, parameters.parameters)
    if far:
        names = ", ".join(robot.link_names[i] for i in far)
        yield Text(
            f"Not drawn: the identified {names}, which would lie far outside the robot or be far larger; next to no mass is the cause."
        )
    yield robot_figure(robot, parameters.parameters)


SECTION = Section(key="robot", title="The robot in 3D", stage=Stage.PARAMETERS, blocks=_blocks)
