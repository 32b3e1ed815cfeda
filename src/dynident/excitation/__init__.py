"""Exciting trajectories: kinds of trajectories, the limits that they keep, and the design of informative ones."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.excitation.design import Design, design_trajectory, drive_design
    from dynident.excitation.drive import Drive, plan_drive
    from dynident.excitation.earlier_run import EarlierRun, earlier_run
    from dynident.excitation.experiment import Experiment, design_experiment, drive_experiment
    from dynident.excitation.formats.format import FileHeader, TrajectoryFile
    from dynident.excitation.formats.registry import FORMATS, read_trajectory, write_trajectory
    from dynident.excitation.limits.limits import Box, LimitError, Limits, robot_limits
    from dynident.excitation.limits.limits_file import read_limits
    from dynident.excitation.limits.margins import LimitMargin, LimitReport, check_trajectory
    from dynident.excitation.motion_check import MotionCheck, check_motion
    from dynident.excitation.motions.plan import design_motion
    from dynident.excitation.motions.registry import MOTIONS
    from dynident.excitation.precision import ExpectedPrecision, expected_std
    from dynident.excitation.task import Task, random_task, task_of
    from dynident.excitation.trajectories.cubic import CubicTrajectory, kuka_table_5
    from dynident.excitation.trajectories.driven import DrivenTrajectory
    from dynident.excitation.trajectories.fourier import FourierTrajectory
    from dynident.excitation.trajectories.quintic import QuinticTrajectory, fastest_quintic
    from dynident.excitation.trajectories.registry import TRAJECTORIES, trajectory_from_dict, trajectory_to_dict
    from dynident.excitation.trajectories.repeated import Repeated
    from dynident.excitation.trajectories.sampled import SampledTrajectory
    from dynident.excitation.trajectories.sinusoid import SinusoidTrajectory, panda_table_1
    from dynident.excitation.trajectories.trajectory import SampledMotion, Trajectory, trajectory_dataset
    from dynident.excitation.trajectories.waypoints import WaypointTrajectory

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
    "task_of",
    "trajectory_dataset",
    "trajectory_from_dict",
    "trajectory_to_dict",
    "write_trajectory",
]

make_lazy(__name__)
