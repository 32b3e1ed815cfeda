"""Generated logs with a known truth, and their regression written out in full: what the streamed one is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from dynident import Robot
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics, torque_regressor
from dynident.dynamics.friction.model import FrictionModel, Motion, friction_torque
from dynident.regression import BaseParameters


@dataclass(frozen=True)
class Log:
    """A log and the parameters behind it, in the order of the standard columns (links, then friction)."""

    dataset: Dataset
    standard: np.ndarray


def generated_log(
    robot: Robot,
    *,
    friction: FrictionModel | None = None,
    samples: int = 1000,
    rate: float = 100.0,
    noise: float | np.ndarray = 0.0,
    time_constant: float = 0.0,
    seed: int = 0,
    noise_seed: int | None = None,
) -> Log:
    """A motion of five harmonics per joint, with noise of one standard deviation or one per joint; AR(1) with a time constant."""
    rng = np.random.default_rng(seed)
    time, q, dq, ddq = harmonics(robot, samples, rate, rng)
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    standard = robot.parameters.ravel()
    if friction is not None:
        own = rng.uniform(0.1, 0.5, (robot.n, len(friction.parameter_names)))
        effort = effort + friction_torque(friction, own, Motion(q, dq, ddq, effort))
        standard = np.concatenate([standard, own.ravel()])
    rng = rng if noise_seed is None else np.random.default_rng(noise_seed)
    effort = effort + noise * coloured(rng, effort.shape, time_constant * rate)
    return Log(Dataset(time=time, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque", source="generated"), standard)


def harmonics(robot: Robot, samples: int, rate: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    time = np.arange(samples) / rate
    q, dq, ddq = np.zeros((3, samples, robot.n))
    for k in range(1, 6):
        w = 0.2 * np.pi * k
        a, b = rng.normal(size=(2, robot.n)) / k
        sine, cosine = np.sin(w * time)[:, None], np.cos(w * time)[:, None]
        q += a * sine + b * cosine
        dq += w * (a * cosine - b * sine)
        ddq -= w * w * (a * sine + b * cosine)
    return time, q, dq, ddq


def coloured(rng: np.random.Generator, shape: tuple[int, ...], time_constant: float) -> np.ndarray:
    """Noise of variance one: white, or AR(1) with a time constant in samples."""
    white = rng.normal(size=shape)
    if time_constant == 0.0:
        return white
    a = np.exp(-1.0 / time_constant)
    white[1:] *= np.sqrt(1.0 - a * a)
    return np.asarray(lfilter([1.0], [1.0, -a], white, axis=0))


def written_out(base: BaseParameters, dataset: Dataset, extra: Mapping[str, np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(n, N, b) regressor in the base columns and (n, N) right-hand side, joint by joint, nothing filtered, masked samples included."""
    robot = base.robot
    Y = torque_regressor(robot, dataset.q, dataset.dq, dataset.ddq)
    if base.friction is not None:
        phi = base.friction.columns(Motion(dataset.q, dataset.dq, dataset.ddq, dataset.effort))
        own = np.zeros((*phi.shape[:2], robot.n, phi.shape[2]))
        for j in range(robot.n):
            own[:, j, j] = phi[:, j]
        Y = np.concatenate([Y, own.reshape(*phi.shape[:2], -1)], axis=2)
    for column in (extra or {}).values():
        Y = np.concatenate([Y, np.asarray(column)[:, :, None]], axis=2)
    z = dataset.effort - Y @ base.known_vector
    return Y[:, :, base.independent].transpose(1, 0, 2), z.T
