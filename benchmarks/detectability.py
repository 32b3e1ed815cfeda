"""How clearly a push shows in noise, whatever looks for it: the bound that no detector of torques and velocities can pass.

What a model and sensors tell of a push is p - ∫u dt = ∫ push dt + M · (noise of the velocity) - ∫ (noise of the torque) dt. Of this
Gaussian process the best detector, which knows when the push begins and what it does in every joint, reaches a statistic that is normal
with the standard deviation 1 and the mean d in the push, 0 without it; d²/2 is the mean of the log-likelihood ratio. Friction of a joint
at rest takes any value between -fc and fc, with the push as without it: what d is left by the worst of them is the bound there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import lsq_linear

from dynident.motions.simulation import Sensors

#: How long before the push the process is looked at [s]; its noise is correlated over a few milliseconds.
BEFORE = 0.1


def detectability(
    sensors: Sensors, inertia: NDArray[np.float64], push: NDArray[np.float64], period: float, rest_friction: NDArray[np.float64]
) -> float:
    """d of a push from its beginning on.

    inertia : (n, n); push : (N, n) torques from outside at samples that are `period` [s] apart.
    rest_friction : (n,) fc of the joints that stand still, 0 of the others [N·m].
    """
    n, count = push.shape[1], round(BEFORE / period) + len(push)
    age = period * np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    sums = period * np.tril(np.ones((count, count)))
    velocity = np.exp(-age / sensors.velocity.correlation_time)
    torque = sums @ np.exp(-age / sensors.torque.correlation_time) @ sums.T
    white = sums @ sums.T
    level, floor = (np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in (sensors.torque.coloured, sensors.torque.white))
    share = float(np.median(floor / level) ** 2)
    # both noises have one correlation in time for all joints, so that there are axes in which the joints are independent
    variance = np.broadcast_to(np.asarray(sensors.velocity.coloured, dtype=float) ** 2, (n,))
    weights, axes = eigh((inertia * variance) @ inertia.T, np.diag(level**2))
    steps = np.zeros((count, n + 1))
    steps[-len(push) :] = np.column_stack([push @ axes, np.ones(len(push))])
    signals, constant = sums @ steps, np.ones(count)
    energy, target, slope = 0.0, np.zeros(n), np.zeros(n)
    for i, weight in enumerate(weights):
        C = weight * velocity + torque + share * white
        parts = np.column_stack([signals[:, i], signals[:, -1]])
        known = np.linalg.solve(C, np.column_stack([parts, constant]))
        G = parts.T @ known[:, :2] - np.outer(parts.T @ known[:, 2], constant @ known[:, :2]) / (constant @ known[:, 2])
        slope[i] = np.sqrt(G[1, 1])
        target[i] = G[0, 1] / slope[i]
        energy += G[0, 0] - target[i] ** 2
    held = np.maximum(rest_friction, 1e-12)
    left = lsq_linear(slope[:, None] * axes.T, target, bounds=(-held, held)).fun
    return float(np.sqrt(max(energy + left @ left, 0.0)))  # zero but for rounding where friction takes it all
