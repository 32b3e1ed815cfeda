"""Motions: kinds of trajectories, the limits that they keep, the design of informative ones; simulation and recording of them."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.motions.design.design import Design, design_trajectory, drive_design, search_trajectory
    from dynident.motions.design.earlier_run import EarlierRun, earlier_run
    from dynident.motions.design.experiment import Experiment, design_experiment, drive_experiment
    from dynident.motions.design.precision import ExpectedPrecision, expected_std
    from dynident.motions.design.problem import build_search
    from dynident.motions.design.task import Task, random_task, task_of
    from dynident.motions.formats.format import FileHeader, TrajectoryFile
    from dynident.motions.formats.registry import FORMATS, read_trajectory, write_trajectory
    from dynident.motions.limits.limits import Box, LimitError, Limits, robot_limits
    from dynident.motions.limits.limits_file import read_limits
    from dynident.motions.limits.margins import LimitMargin, LimitReport, check_trajectory
    from dynident.motions.limits.motion_check import MotionCheck, check_motion
    from dynident.motions.moves.drive import Drive, plan_drive
    from dynident.motions.proposals.plan import design_motion
    from dynident.motions.proposals.registry import MOTIONS
    from dynident.motions.trajectories.driven import DrivenTrajectory
    from dynident.motions.trajectories.fourier import FourierTrajectory
    from dynident.motions.trajectories.piecewise import (
        CubicTrajectory,
        QuinticTrajectory,
        SampledTrajectory,
        WaypointTrajectory,
        fastest_quintic,
        kuka_table_5,
    )
    from dynident.motions.trajectories.registry import TRAJECTORIES, trajectory_from_dict, trajectory_to_dict
    from dynident.motions.trajectories.repeated import Repeated
    from dynident.motions.trajectories.sinusoid import SinusoidTrajectory, panda_table_1
    from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory, trajectory_dataset

__all__ = [
    "FORMATS",
    "MOTIONS",
    "TRAJECTORIES",
    "Box",
    "CubicTrajectory",
    "Design",
    "Drive",
    "DrivenTrajectory",
    "EarlierRun",
    "ExpectedPrecision",
    "Experiment",
    "FileHeader",
    "FourierTrajectory",
    "LimitError",
    "LimitMargin",
    "LimitReport",
    "Limits",
    "MotionCheck",
    "QuinticTrajectory",
    "Repeated",
    "SampledMotion",
    "SampledTrajectory",
    "SinusoidTrajectory",
    "Task",
    "Trajectory",
    "TrajectoryFile",
    "WaypointTrajectory",
    "build_search",
    "check_motion",
    "check_trajectory",
    "design_experiment",
    "design_motion",
    "design_trajectory",
    "drive_design",
    "drive_experiment",
    "earlier_run",
    "expected_std",
    "fastest_quintic",
    "kuka_table_5",
    "panda_table_1",
    "plan_drive",
    "random_task",
    "read_limits",
    "read_trajectory",
    "robot_limits",
    "search_trajectory",
    "task_of",
    "trajectory_dataset",
    "trajectory_from_dict",
    "trajectory_to_dict",
    "write_trajectory",
]

make_lazy(__name__)
