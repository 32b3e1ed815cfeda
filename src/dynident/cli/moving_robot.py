"""The robot that moves, in 3D, on top of a page of figures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynident.excitation import Trajectory
    from dynident.robots import Robot

#: Positions per second that the page keeps, between which it interpolates [Hz].
_RATE = 20.0
_STYLE = "width: 100%; height: 600px; border: 0; border-bottom: 1px solid #ccc"


def show_moving(page: str, robot: Robot, trajectory: Trajectory) -> str:
    """The page with what `dynident view` shows of the robot and the motion above its figures; it needs no other file."""
    from dynident.excitation import trajectory_dataset
    from dynident.reports.view import view

    motion = trajectory_dataset(trajectory, _RATE)
    inner = escape(view(robot, motion=motion, inertias=False).html, quote=True)
    frame = f'<iframe title="The robot in motion" style="{_STYLE}" srcdoc="{inner}"></iframe>'
    return page.replace("<body>", f"<body>{frame}", 1)
