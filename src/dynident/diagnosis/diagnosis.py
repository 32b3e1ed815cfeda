"""The result of an examination: findings, and the correction that the sure ones make together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dynident.core.results import Result
from dynident.data import Dataset
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.finding import Finding
from dynident.robots.robot import Robot


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Diagnosis(Result):
    """What is wrong with a log.

    Attributes
    ----------
    robot : Robot
        Whose log it is.
    data : Dataset
        The log, its joints in the robot's order.
    findings : tuple
        The sure ones first, else in the order in which they were found; the correction of each is for the log with the sure ones before it.
    correction
        Correction What the sure findings make together, for the robot's joints.
    columns, width
        The file's column of each joint, and how many columns it has.
    """

    robot: Robot
    data: Dataset
    findings: tuple[Finding, ...]
    correction: Correction
    columns: tuple[int, ...]
    width: int

    @property
    def sure(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.sure)

    @property
    def spoiling(self) -> tuple[Finding, ...]:
        """Those of high confidence that make what is identified meaningless."""
        return tuple(finding for finding in self.sure if finding.spoils)

    @cached_property
    def in_file(self) -> Correction:
        """What the sure findings make together, for the columns of the file."""
        return self.in_columns(self.correction)

    def in_columns(self, correction: Correction) -> Correction:
        """A correction of the robot's joints for the columns of the file."""
        return correction.in_file(self.data, self.columns, self.width)

    def corrected(self) -> tuple[Robot, Dataset]:
        """The robot and the log with all sure corrections."""
        return (self.robot, self.data) if self.correction.nothing else self.correction.apply(self.robot, self.data)
