"""Friction that changes in the course of a log, such as while a gear warms up: how large it is from stretch to stretch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.validation.models import COEFFICIENTS, RIGID
from dynident.validation.series import JointSeries

#: Stretches that a log is cut into.
STRETCHES = 12
#: Friction drifts where its trend over the log exceeds so many standard deviations, and this share of it.
_DEVIATIONS, _SHARE = 3.0, 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class FrictionDrift:
    """Measured friction of a joint over that of the model, stretch by stretch.

    time : (s,)         Middle of each stretch [s].
    temperature : (s,)  Of each stretch [°C]; None where it was not recorded.
    share, std : (s,)   1 where friction is as the model has it.
    trend : float       By how much the share grows from the beginning to the end of the log.
    drifts : bool       Whether that is more than noise.
    """

    joint: str
    time: Array
    temperature: Array | None
    share: Array
    std: Array
    trend: float
    drifts: bool


def friction_drift(series: JointSeries) -> FrictionDrift | None:
    """How the friction of a joint changes over a log; None where there is no friction, or the log is too short."""
    if COEFFICIENTS + RIGID not in series.predicted:
        return None
    model = series.predicted[COEFFICIENTS] - series.predicted[COEFFICIENTS + RIGID]
    measured, time = series.error(COEFFICIENTS + RIGID), series.time - series.time.min()
    if len(time) < 10 * STRETCHES or np.any(np.diff(time) <= 0.0):
        return None
    parts = np.array_split(np.arange(len(time)), STRETCHES)
    sizes = np.array([float(model[part] @ model[part]) for part in parts])
    if not np.all(sizes > 0.0):
        return None
    share = np.array([float(measured[part] @ model[part]) for part in parts]) / sizes
    middle = np.array([float(time[part].mean()) for part in parts])
    # what the stretches scatter by around a line is their noise, model error that depends on the motion included
    weights, line = np.sqrt(sizes / sizes.mean()), np.column_stack([np.ones(STRETCHES), middle / max(float(time.max()), 1e-9)])
    inverse: Array = np.asarray(np.linalg.inv((line * weights[:, None] ** 2).T @ line), dtype=float)
    coefficients = inverse @ (line * weights[:, None] ** 2).T @ share
    noise = float(np.sum((weights * (share - line @ coefficients)) ** 2)) / (STRETCHES - 2)
    trend = float(coefficients[1])
    drifts = abs(trend) > max(_DEVIATIONS * float(np.sqrt(noise * inverse[1, 1])), _SHARE)
    warmth = series.temperature
    return FrictionDrift(
        joint=series.joint,
        time=middle,
        temperature=None if warmth is None else np.array([float(warmth[part].mean()) for part in parts]),
        share=share,
        std=np.sqrt(noise) / weights,
        trend=trend,
        drifts=drifts,
    )
