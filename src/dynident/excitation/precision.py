"""What will be learned: the standard deviation of every coefficient for a torque noise that is known beforehand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, per_joint
from dynident.excitation.search.criterion import base_regressor
from dynident.excitation.trajectories.trajectory import Trajectory, sample_times, used_samples
from dynident.regression.base import BaseParameters


def expected_std(base: BaseParameters, trajectory: Trajectory, *, torque_noise: ArrayLike, rate: float) -> Array:
    """(b,) standard deviations of ordinary least squares on one run of the trajectory.

    With S = Y⁺ (the pseudo-inverse) the covariance is S diag(σ²) Sᵀ; for one σ that is σ² (YᵀY)⁻¹. Infinite where the
    trajectory doesn't determine a coefficient.

    torque_noise : scalar or (n,)   Standard deviation σ of a torque sample [N·m | N].
    rate : float   Independent samples per second [Hz]. After low-pass filtering there are about 4 per Hz of the cutoff.
    """
    sigma = per_joint("torque_noise", torque_noise, base.robot.n, sign="positive")
    time = sample_times(trajectory.duration, rate)
    motion = trajectory.sample(time[used_samples(trajectory, time)])
    Y = base_regressor(base, motion)
    b, n, N = Y.shape
    U, sizes, V = np.linalg.svd(Y.reshape(b, n * N).T, full_matrices=False)
    if sizes[-1] <= 1e-12 * sizes[0]:
        return np.where((np.abs(V[sizes <= 1e-12 * sizes[0]]) > 1e-9).any(axis=0), np.inf, _std(U, sizes, V, sigma, N))
    return _std(U, sizes, V, sigma, N)


def _std(U: Array, sizes: Array, V: Array, sigma: Array, N: int) -> Array:
    seen = sizes > 1e-12 * sizes[0]
    noisy = (V[seen].T / sizes[seen]) @ (U[:, seen].T * np.repeat(sigma, N))
    return np.sqrt((noisy**2).sum(axis=1))
