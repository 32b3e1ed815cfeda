"""What can be chosen of an exciting motion: the motion itself, its limits, and how it is searched for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from dynident.core.kinds import Count, Hertz, Percent, Seed, number, several
from dynident.core.options import Options, option

if TYPE_CHECKING:
    from dynident.motions.limits.limits import Limits
    from dynident.robots.robot import Robot

_Positions = Annotated[Sequence[float], several(number("rad | m"), metavar="Q1,Q2,...")]
_Noise = Annotated[Sequence[float], several(number("N·m | N", above=0.0), metavar="NM")]
_Duration = Annotated[float, number("s", above=0.0, metavar="SECONDS")]


@dataclass(frozen=True, kw_only=True)
class MotionChoice(Options):
    """The motion, and where it begins and ends."""

    duration: _Duration | None = option(None, "Length of one period of the trajectory.", shown="20")
    budget: _Duration | None = option(None, "Time after which no iteration begins.")
    repeat: Count = option(1, "Whole periods to drive; the file marks each in its column period.")
    home: _Positions = option(
        (),
        "Where the robot stands before and after, in rad or m.",
        flag="--from",
        shown="its described home, else near the middle of its ranges",
    )
    check: Path | None = option(None, "Design nothing: check the motion in this file against the limits.")
    motion: str | None = option(
        None,
        "Search for nothing: take a motion of the papers. {}.",
        metavar="NAME[=FILE]",
        group="Other motions",
        registry="dynident.motions.proposals.registry:describe_motions",
    )
    static: Count | None = option(None, "N static configurations for the controller route instead of a trajectory.", group="Other motions")
    gravity_only: bool = option(False, "Of --static: choose them for g alone, as torque sensors feel it at rest.", group="Other motions")
    method: Literal["random", "sobol", "halton", "d_optimal"] = option(
        "d_optimal", "Of --static: random, sobol, halton or d_optimal.", metavar="NAME", group="Other motions"
    )


@dataclass(frozen=True, kw_only=True)
class LimitChoice(Options):
    """What a motion must keep."""

    title: ClassVar[str] = "Limits"

    limits: Path | None = option(None, "YAML file with limits.", shown="those of the robot, with a margin")
    torque_factor: float | None = option(
        None, "Links weigh at most F times what the description says, at least 1/F.", metavar="F", shown="2"
    )
    clearance: Annotated[float, number("m", low=0.0, metavar="METRES")] | None = option(
        None, "Least distance of links from each other, the floor and boxes.", shown="0.02"
    )
    floor: bool = option(True, "Links stay above the plane that the robot is mounted on.")
    unchecked: bool = option(False, "Write or accept a file also where collisions can't be checked.")

    def of(self, robot: Robot) -> Limits:
        """The limits that a design of a robot keeps."""
        from dynident.motions.limits.limits import robot_limits, with_torque_factor
        from dynident.motions.limits.limits_file import read_limits

        limits = robot_limits(robot) if self.limits is None else read_limits(self.limits, robot)
        return self._apart(limits if self.torque_factor is None else with_torque_factor(robot, limits, self.torque_factor))

    def of_drive(self, robot: Robot) -> Limits:
        """The limits that a motion is checked against before a robot is given it."""
        from dynident.motions.limits.motion_check import driving_limits

        return self._apart(driving_limits(robot, self.limits))

    def _apart(self, limits: Limits) -> Limits:
        """With the clearance and the floor that are chosen."""
        least = limits.clearance if self.clearance is None else self.clearance
        return replace(limits, clearance=least, floor=limits.floor if self.floor else float("-inf"))


@dataclass(frozen=True, kw_only=True)
class FileChoice(Options):
    """How the motion is written."""

    title: ClassVar[str] = "The file"

    format: str | None = option(
        None,
        "Format of the file, where its suffix says too little. {}.",
        metavar="NAME",
        registry="dynident.motions.formats.registry:describe_formats",
    )
    format_option: Mapping[str, str] = option(
        {}, "An option of the format's own. {}.", registry="dynident.motions.formats.registry:format_options"
    )
    rate: Annotated[float, number("Hz", above=0.0)] | None = option(
        None, "Samples per second in the file.", shown="100, or what the format needs"
    )
    plot: bool = option(True, "Write the page with the plot beside the file.")


@dataclass(frozen=True, kw_only=True)
class StartsChoice(Options):
    """Random starts of a search.

    Attributes
    ----------
    starts : int or None
        8 by default, with a budget as many as there is time for. Of more than three, those three go on to the end that promise most after
        their first rounds; with a budget all do. The same seed and starts give the same trajectory on any number of workers; a budget [s]
        only keeps further iterations from beginning.
    seed : int
        Of the random starts.
    """

    title: ClassVar[str] = "Search"

    starts: Count | None = option(None, "Number of random starts.", shown="8, or as many as the budget allows")
    seed: Seed = option(0, "Seed of the random starts.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class DesignChoice(StartsChoice):
    """What Python and the command line both choose of a trajectory.

    Attributes
    ----------
    criterion : {"v_optimal", "d_optimal", "condition"}
        What is minimised: "v_optimal" (error of the torques in the task), "d_optimal" (volume of the confidence region) or "condition".
    harmonics : int
        Number of harmonics per joint.
    base_frequency : float or None
        Frequency of the first harmonic [Hz]; by default one period lasts `duration`.
    at_rest : bool
        Velocity and acceleration are zero at both ends.
    """

    title: ClassVar[str] = "Search"

    criterion: Literal["v_optimal", "d_optimal", "condition"] = option(
        "v_optimal",
        "v_optimal (error of the torques in other motions), d_optimal (uncertainty of the coefficients) or condition (number).",
        metavar="NAME",
    )
    harmonics: Count = option(5, "Harmonics of the Fourier series.", group="Advanced")
    base_frequency: Hertz | None = option(None, "Frequency of the first harmonic.", group="Advanced", shown="one period in the duration")
    at_rest: bool = option(
        False, "The robot stands where periods begin, so that it needs no easing.", flag="--start-at-rest", group="Advanced"
    )


@dataclass(frozen=True, kw_only=True)
class SearchChoice(DesignChoice):
    """How a trajectory is searched for."""

    precision: Percent | None = option(
        None, "Find the shortest experiment after which all coefficients that matter are known to so many percent."
    )
    torque_error: Percent | None = option(None, "Find the shortest experiment whose model predicts torques to so many percent.")
    longest: _Duration | None = option(None, "Of --precision and --torque-error: the longest experiment.", shown="600")
    after: Path | None = option(None, "Design for what this run left open, within the torques of its model.", metavar="RUN")
    friction: str | None = option(
        "default", "Friction model to be identified too, or none.", metavar="NAME", shown="linear, or that of --after"
    )
    task: Path | None = option(None, "Log or trajectory of the motions that the model is for.", shown="random ones")
    torque_noise: _Noise = option(
        (), "Standard deviation of the torques after filtering (N·m, N); one number or one per joint.", shown="from effort limits"
    )
    workers: Count | None = option(None, "Processes that share the starts.", shown="one per core")
    scheduler: str | None = option(
        None, "Work on the workers of this Dask scheduler, such as tcp://host:8786 (extra cluster).", metavar="ADDRESS"
    )
    start: _Positions = option((), "Position at which periods begin, in rad or m.", group="Advanced", shown="free")

    @property
    def goal(self) -> dict[str, Any]:
        """What an experiment of several trajectories is to reach, as arguments of `design_experiment`; empty where one is designed."""
        percents = {"precision": self.precision, "torque_error": self.torque_error}
        goal = {name: percent / 100.0 for name, percent in percents.items() if percent is not None}
        return goal | {"longest": self.longest} if goal and self.longest is not None else goal
