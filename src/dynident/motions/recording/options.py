"""What can be chosen of a recording, and the plan that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynident.core.kinds import Count
from dynident.core.options import Options, names_given, option
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, OptionsError, ValueRangeError, require
from dynident.motions.formats.registry import read_motion
from dynident.motions.limits.motion_check import driving_limits
from dynident.motions.recording.connection import RobotConnection, Vendor
from dynident.motions.recording.plan import RecordingPlan, plan_configurations, plan_trajectory
from dynident.motions.recording.registry import find_vendor, known_vendors
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True)
class RecordingChoice(Options):
    """What is recorded, and how fast the robot moves."""

    robot: str | None = option(None, "Description of the robot that stands there, with its limits.", metavar="ROBOT")
    trajectory: Path | None = option(None, "Motion to drive, such as dynident excite writes it.")
    configurations: Path | None = option(None, "Positions to stand at and ask the controller for M, g and c (excite --static).")
    repeat: Count = option(1, "How often the trajectory is driven; each time is a segment of the log.")
    resume: bool = option(False, "Go on with a recording that was not finished.")
    speed: float | None = option(
        None,
        "Share of the velocity limits that nothing may exceed.",
        metavar="SHARE",
        group="Limits",
        shown="1 for a trajectory, 0.2 between configurations",
    )
    limits: Path | None = option(None, "YAML file with limits, as for dynident excite.", group="Limits", shown="all of the robot's own")
    patience: float = option(30.0, "How long a lost connection is tried again.", metavar="SECONDS", group="Advanced")
    connection_option: Mapping[str, str] = option(
        {}, "An option of the vendor's own. {}.", group="Advanced", registry="dynident.motions.recording.registry:vendor_options"
    )

    def description(self, vendor: Vendor, address: str) -> str:
        """What describes the robot at an address."""
        if vendor.is_description:
            if self.robot is not None:
                raise OptionsError(f"{{robot}} and {vendor.name}:{address} both name a robot; leave {{robot}} out")
            return address
        if self.robot is None:
            raise OptionsError(f"the limits of the robot at {address} are not known; describe it with {{robot}}, such as {{robot}} panda")
        return self.robot

    def check(self) -> None:
        """OptionsError unless there is one motion to record."""
        if (self.trajectory is None) == (self.configurations is None):
            raise OptionsError("give one motion to record: {trajectory} FILE, or {configurations} FILE")

    def plan(self, connection: RobotConnection, robot: Robot) -> tuple[RecordingPlan, str]:
        """What will be driven from where the robot stands, and what of it was not checked; empty where all was."""
        file = require(self.trajectory or self.configurations, "a trajectory or configurations")
        motion, limits = read_motion(file, robot, Reading()), driving_limits(robot, self.limits)
        samples, standing = motion.samples, np.asarray(connection.read().reference, dtype=float)
        common: dict[str, Any] = {"limits": limits, "rate": connection.rate} | ({} if self.speed is None else {"speed": self.speed})
        if self.trajectory is not None:
            return plan_trajectory(robot, samples, standing, repeats=self.repeat, **common), motion.unchecked
        if names_given(self, "repeat"):
            raise ValueRangeError("repeat", "is for trajectories; a controller says the same at the same configuration")
        return plan_configurations(robot, samples.q, standing, stops=samples.period, **common), motion.unchecked


def find_connection(words: Sequence[str]) -> tuple[Vendor, str]:
    """The vendor and the address of "franka 172.16.0.2" or "virtual:panda"."""
    name, _, address = words[0].partition(":")
    rest = [*([address] if address else []), *words[1:]]
    if len(rest) != 1:
        raise InputError(f"got {' '.join(words)!r}; a vendor and an address were expected, one of: {known_vendors()}")
    return find_vendor(name), rest[0]
