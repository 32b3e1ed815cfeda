"""Pages beside a trajectory: its plot, and above it the robot that moves, in 3D."""

from __future__ import annotations

from html import escape

from dynident.errors import require
from dynident.excitation import trajectory_dataset
from dynident.excitation.design import Design
from dynident.excitation.experiment import Experiment
from dynident.excitation.trajectories.trajectory import Trajectory
from dynident.reports.page import figure_page
from dynident.reports.view import view
from dynident.robots.robot import Robot

#: What the pages say made them.
GENERATOR = "dynident excite"
#: Positions per second that the page keeps, between which it interpolates [Hz].
_RATE = 20.0
_STYLE = "width: 100%; height: 600px; border: 0; border-bottom: 1px solid #ccc"


def design_page(design: Design) -> str:
    """The plot of a design, and the robot along its drive."""
    title = f"{design.headline}; dashed: the limits; grey: to the periods and back"
    robot = design.base.robot
    page = figure_page(design.plot(title=title), f"{robot.name}: trajectory", GENERATOR)
    return show_moving(page, robot, require(design.drive, "the planned drive").trajectory)


def experiment_page(experiment: Experiment, robot: Robot) -> str:
    """The plot of an experiment."""
    return figure_page(experiment.plot(title=experiment.headline), f"{robot.name}: experiment", GENERATOR)


def show_moving(page: str, robot: Robot, trajectory: Trajectory) -> str:
    """The page with what `dynident view` shows of the robot and the motion above its figures; it needs no other file."""
    motion = trajectory_dataset(trajectory, _RATE)
    inner = escape(view(robot, motion=motion, inertias=False).html, quote=True)
    frame = f'<iframe title="The robot in motion" style="{_STYLE}" srcdoc="{inner}"></iframe>'
    return page.replace("<body>", f"<body>{frame}", 1)
