"""The identification that users call: a log with a fault that makes any result meaningless is refused first, with what mends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from dynident.data import ControllerSamples, Dataset
from dynident.diagnosis import Correction, Finding
from dynident.diagnosis.quick import find_spoiling
from dynident.diagnosis.remedies import correction_remedy, finding_evidence
from dynident.errors import InputError, Remedy
from dynident.regression.estimate import Estimate
from dynident.regression.identify import IdentifyOptions
from dynident.regression.identify import identify as identify_unguarded
from dynident.robots.robot import Robot


def identify(
    robot: Robot,
    data: Dataset | ControllerSamples | Sequence[Dataset | ControllerSamples],
    *,
    ignore_doctor: bool = False,
    **options: Unpack[IdentifyOptions],
) -> Estimate:
    """Dynamic coefficients and friction with their uncertainty, from a log or from a controller's M and g.

    Parameters
    ----------
    robot
        The robot, whose own link parameters are not used.
    data
        A log, a controller's samples, or both in a list. Of both each counts by its own noise, and `Estimate.vendor_model` tells whether
        the controller's model is that of the arm.
    ignore_doctor
        Identify also from a log with a fault that makes the result meaningless.
    **options
        What is not given is settled by the data.

        - friction: model of the joints' friction, None for none. "default" is linear friction for a log, with rotor inertia where its gears
          are known or the data show it, and none for a controller's samples; "auto" chooses a model per joint by what it predicts of
          held-out parts of the log.
        - fit_shapes: whether the shapes of the friction model are fitted too; True by default.
        - cutoff: -6 dB frequency [Hz] of the zero-phase filter that regressor columns and effort go through; None for no filter. "auto" is
          5 Hz, or a quarter of the log's rate where that is less.
        - rate: output rate of the filter [Hz]; by default four times the cutoff.
        - noise: "per_group" (default) weighs each joint, recording, and element of M and g by its own noise; "uniform" is ordinary least
          squares, as in the papers.
        - loss: `Squared()`, or `Huber()` and `Tukey()` for logs with gross errors; by default what the residuals suggest.
        - drop_above_percent: drop coefficients whose relative standard deviation exceeds this, one after another, as papers do [%]; by
          default all that the data determine are kept.
        - prior: values with standard deviations toward which the coefficients are drawn (`Prior`); by default none.
        - equations: of a controller's samples "controller" (all that is there, the default), "inertia" or "gravity"; of a log "gravity"
          takes the holds, where all joints stand still.
        - known: parameters declared known by name, such as {"m7": 0.73}; they are not estimated.
        - extra: further columns by name, each (N, n): the effort of every joint per unit of the parameter.
        - load: (N, n) torque that the joints transmit, for friction that depends on it [N·m | N].
        - seed: of the random samples that tell the base parameters; 0 by default.
        - progress: called now and then with a sentence about what is being done.

    Returns
    -------
    Estimate
        Values, covariance, residuals and notes.

    Raises
    ------
    SpoiledLogError
        Where a log is not what it is taken for: other units or signs, a wrong clock, joints in another order.

    Examples
    --------
    >>> from dynident import identify, load_dataset, load_robot
    >>> estimate = identify(load_robot("arm.urdf"), load_dataset("log.csv"), cutoff=5.0)
    >>> estimate.values.shape == estimate.std.shape
    True
    """
    if not ignore_doctor:
        for item in [data] if isinstance(data, (Dataset, ControllerSamples)) else data:
            if isinstance(item, Dataset):
                refuse_spoiled(robot, item)
    return identify_unguarded(robot, data, **options)


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
    mended, further = correction_remedy(correction), advice if isinstance(advice, Remedy) else Remedy(advice)
    steps = "; ".join(filter(None, (mended and f"give {mended.template}", further.template)))
    return Remedy(
        f"{steps}; {{doctor}} tells more, and {{ignore_doctor}} identifies all the same",
        **mended.arguments,
        **further.arguments,
        doctor=...,
        ignore_doctor=True,
    )
