"""The identification that users call: the guard first, then the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from dynident.data import ControllerSamples, Dataset
from dynident.pipeline.guard import refuse_spoiled
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
        As for `dynident.regression.identify`: friction, fit_shapes, loss, noise, drop_above_percent, prior, progress, cutoff, rate,
        equations, known, extra, load, seed.

    Returns
    -------
    Estimate
        Values, covariance, residuals and notes.

    Raises
    ------
    SpoiledLogError
        Where a log is not what it is taken for: other units or signs, a wrong clock, joints in another order.
    """
    if not ignore_doctor:
        for item in [data] if isinstance(data, (Dataset, ControllerSamples)) else data:
            if isinstance(item, Dataset):
                refuse_spoiled(robot, item)
    return identify_unguarded(robot, data, **options)
