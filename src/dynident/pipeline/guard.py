"""The guard before an identification: a log with a fault that makes any result meaningless is refused, with what mends it."""

from __future__ import annotations

from dynident.data import ControllerSamples, Dataset
from dynident.doctor import Correction, Finding
from dynident.doctor.quick import find_spoiling
from dynident.doctor.remedies import correction_remedy, finding_evidence
from dynident.errors import InputError, Remedy
from dynident.robots.robot import Robot


class SpoiledLogError(InputError):
    """A log from which nothing meaningful can be identified as it is read.

    Attributes
    ----------
    findings : tuple of Finding
        What is wrong with it.
    correction : Correction
        What mends it, as far as that is known.
    """

    def __init__(self, findings: tuple[Finding, ...], correction: Correction) -> None:
        self.findings, self.correction = findings, correction
        first, *others = findings
        sentence = " and ".join(finding.sentence for finding in others)
        message = f"{first.sentence}{sentence and ', and '}{sentence} ({finding_evidence(first)})"
        super().__init__(message, remedy=_remedy(first.advice, correction))


def refuse_spoiled(robot: Robot, data: Dataset | ControllerSamples) -> None:
    """Refuse a log that is not what it is taken for, as far as a few thousand samples show it: other units, signs, clock, joints.

    Parameters
    ----------
    robot
        The robot.
    data
        The log.

    Raises
    ------
    SpoiledLogError
        Where it is not.
    """
    diagnosis = find_spoiling(robot, data)
    if diagnosis is not None:
        raise SpoiledLogError(diagnosis.spoiling, diagnosis.in_file)


def _remedy(advice: str, correction: Correction) -> Remedy:
    mended = correction_remedy(correction)
    steps = "; ".join(filter(None, (mended and f"give {mended.template}", advice)))
    return Remedy(
        f"{steps}; {{diagnose}} tells more, and {{ignore_doctor}} identifies all the same",
        **mended.arguments,
        diagnose=...,
        ignore_doctor=True,
    )
