"""What an experiment will tell, before it is done: deviations of the coefficients, and the error of predicted torques.

Both follow from the information of the data, I = r T · mean of Yᵀ diag(1 / σ²) Y with r independent samples per second for T seconds,
plus that of earlier runs. I⁻¹ is the covariance of least squares weighted by the noise, which is what identification does. The
torque of another motion is off by Y Δ, and its variance is Y I⁻¹ Yᵀ; where the data leave a coefficient open, the prior is added to I.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive, per_joint
from dynident.motions.design.assumptions import CUTOFF, INDEPENDENT_PER_HZ, Assumptions
from dynident.motions.design.criterion import base_regressor, mean_information
from dynident.motions.trajectories.trajectory import Trajectory, sample_times, used_samples
from dynident.regression.equations.base import BaseParameters

#: A coefficient counts as known when its deviation is below this share of its value.
KNOWN = 0.3
#: Samples per second at which a trajectory is looked at [Hz].
_RATE = 50.0
#: Directions with less than this share of the largest information, in units of the coefficients' own, are not seen.
_UNSEEN = 1e-11


@dataclass(frozen=True, kw_only=True, eq=False)
class ExpectedPrecision:
    """What will be known after an experiment.

    Attributes
    ----------
    information : (b, b) array
        Of the data, of this experiment and of those before; without the prior.
    std : (b,) array
        Standard deviations of the coefficients; infinite where the data don't determine one.
    nominal : (b,) array
        Their values as far as they are known: by an earlier run, or by the robot's description; else nan.
    torque_error : (n,) array
        RMS error of the predicted torque in the task; the prior helps where the data leave a coefficient open [N·m | N].
    torque : (n,) array
        RMS torque there [N·m | N].
    """

    information: Array
    std: Array
    nominal: Array
    torque_error: Array
    torque: Array

    @property
    def relative_error(self) -> float:
        """Error of the predicted torque as a share of the torque, roots of the sums of squares over all joints."""
        return float(np.linalg.norm(self.torque_error) / np.linalg.norm(self.torque))

    @property
    def known(self) -> tuple[int, int]:
        """How many coefficients of links will be known to 30 % of their nominal values, and of how many that are not zero."""
        judged = np.isfinite(self.nominal) & (self.nominal != 0.0)
        return int(np.sum(self.std[judged] <= KNOWN * np.abs(self.nominal[judged]))), int(judged.sum())


def predict_precision(base: BaseParameters, trajectory: Trajectory, assumptions: Assumptions) -> ExpectedPrecision:
    """What a run of the trajectory will tell."""
    information = assumptions.before + run_information(base, trajectory, torque_noise=assumptions.noise, rate=assumptions.rate)
    return precision_of(base, information, assumptions)


def precision_of(base: BaseParameters, information: Array, assumptions: Assumptions) -> ExpectedPrecision:
    """What information (b, b) of data tells of the coefficients and of the task."""
    std = deviations(information)
    # identification has no prior: on designs for the Panda the prior made promised errors 4 to 7 % smaller than those that came out
    covariance = invert(information if np.all(np.isfinite(std)) else information + assumptions.prior)
    Y = base_regressor(base, assumptions.task.motion)
    variance = np.einsum("ijN,ik,kjN->j", Y, covariance, Y, optimize=True) / Y.shape[2]
    return ExpectedPrecision(
        information=information,
        std=std,
        nominal=assumptions.values,
        torque_error=np.sqrt(variance),
        torque=assumptions.torque,
    )


def expected_std(
    base: BaseParameters, trajectory: Trajectory, *, torque_noise: ArrayLike, rate: float = INDEPENDENT_PER_HZ * CUTOFF
) -> Array:
    """(b,) standard deviations of weighted least squares on one run; infinite where the trajectory doesn't determine a coefficient.

    Parameters
    ----------
    base
        The coefficients.
    trajectory
        The motion that is driven once.
    torque_noise
        Scalar or (n,) Standard deviation of each joint's torque after the filter [N·m | N].
    rate : float
        Independent samples per second [Hz]: 1.8 per Hz of the filter's cutoff, 9 for the 5 Hz of the default.

    Returns
    -------
    array
        (b,) standard deviations.
    """
    return deviations(run_information(base, trajectory, torque_noise=torque_noise, rate=rate))


def run_information(base: BaseParameters, trajectory: Trajectory, *, torque_noise: ArrayLike, rate: float) -> Array:
    """(b, b) information of the samples of one run that are used."""
    sigma = per_joint("torque_noise", torque_noise, base.robot.n, sign="positive")
    check_positive("rate", rate, "Hz")
    time = sample_times(trajectory.duration, max(_RATE, 100.0 / trajectory.duration))
    used = used_samples(trajectory, time)
    return rate * trajectory.duration * float(used.mean()) * mean_information(base, trajectory.sample(time[used]), sigma**-2)


def deviations(information: Array) -> Array:
    """(b,) roots of the diagonal of the inverse; infinite where a direction that isn't seen takes part."""
    size = np.sqrt(np.diag(information))
    unseen = size <= 0.0
    size = np.where(unseen, 1.0, size)
    lam, V = np.linalg.eigh(information / np.outer(size, size))
    seen = lam > _UNSEEN * lam[-1]
    variance = (V[:, seen] ** 2 / lam[seen]).sum(axis=1) / size**2
    return np.where(unseen | (np.abs(V[:, ~seen]) > 1e-6).any(axis=1), np.inf, np.sqrt(variance))


def invert(information: Array) -> Array:
    """The inverse of a positive definite matrix whose rows have units of their own."""
    size = np.sqrt(np.diag(information))
    return np.asarray(np.linalg.inv(information / np.outer(size, size)), dtype=float) / np.outer(size, size)
