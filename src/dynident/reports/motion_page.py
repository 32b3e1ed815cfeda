"""Pages beside a trajectory: the robot that moves, in 3D, and the motion against its limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynident.errors import require
from dynident.motions import trajectory_dataset
from dynident.motions.design.design import Design
from dynident.motions.design.experiment import Experiment
from dynident.reports.blocks import Block, Frame, Key, Text
from dynident.reports.page import fill, render
from dynident.reports.view import view
from dynident.robots.robot import Robot

#: What the pages say made them.
GENERATOR = "dynident excite"
#: Positions per second that the page keeps, between which it interpolates [Hz].
_RATE = 20.0


def design_page(design: Design) -> str:
    """A design against its limits, and the robot along its drive."""
    return _page(design, design.base.robot, "trajectory", _motion_blocks(design))


def _motion_blocks(design: Design) -> Iterator[Block]:
    motion = trajectory_dataset(require(design.drive, "the planned drive").trajectory, _RATE)
    yield Frame("The robot in motion", view(design.base.robot, motion=motion, inertias=False).html)
    yield from _warnings(design)
    yield Text("Dashed lines are the limits; the way to the periods and back is on grey.")
    figures = design.figures()
    yield Key.of(figures)
    yield from figures


def experiment_page(experiment: Experiment, robot: Robot) -> str:
    """Precision over time, and every trajectory against its limits."""
    return _page(experiment, robot, "experiment", (*_warnings(experiment.designs[0]), *experiment.figures()))


def _warnings(design: Design) -> Iterator[Block]:
    """What was not checked."""
    if design.unchecked:
        yield Text(f"NOT CHECKED: {design.unchecked.rstrip('.')}.")


def _page(result: Design | Experiment, robot: Robot, what: str, blocks: Iterable[Block]) -> str:
    sections = [fill(what, what.capitalize(), (Text(result.headline, headline=True), *blocks))]
    return render(robot.name, what, robot.source or "a description", sections, generator=GENERATOR).html
